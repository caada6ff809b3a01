//! `detect_providers`: asks the usual ports of this machine what listens there.
//! Only when the reader wants it, only loopback, all at once, without a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::http::Http;
use crate::protocol::{Found, Id, Reply};
use crate::provider::detect::{Engine, HOSTS, PLACES, Place, free_name};
use crate::provider::kinds;
use crate::segment::host_port;
use crate::settings::Settings;

use super::configured::base_url_of;
use super::core::{Core, Event};

/// The most calls at once that the settings take.
const MOST_CALLS: u32 = 64;

impl Core {
    pub(super) fn detect_providers(&self, id: Id) {
        let (events, http) = (self.events.clone(), self.http.clone());
        let settings = self.setup.settings.clone();
        tokio::spawn(async move {
            let (found, looked_at) = look(&http, &[], &settings).await;
            // Fails only when the session has ended, and then nobody asks.
            let _ = events.send(Event::Reply(Reply::ProvidersDetected { id, found, looked_at }));
        });
    }
}

/// Returns the engines of this machine, ready for the settings, and where it was
/// looked: at these ports, or at the usual ones.
pub async fn look(
    http: &Arc<Http>,
    ports: &[u16],
    settings: &Settings,
) -> (Vec<Found>, Vec<String>) {
    let all = asked(ports);
    let mut asking = JoinSet::new();
    for (at, (host, port, places)) in all.iter().cloned().enumerate() {
        let http = http.clone();
        asking.spawn(async move { (at, engine_at(&http, host, port, &places).await) });
    }
    let mut engines = BTreeMap::new();
    while let Some(asked) = asking.join_next().await {
        // One that broke down has found nothing.
        if let Ok((at, Some(engine))) = asked {
            engines.insert(at, engine);
        }
    }
    let mut found: Vec<Found> = Vec::new();
    let mut ports_seen = Vec::new();
    for (at, engine) in engines {
        let (host, port, _) = &all[at];
        // One that listens in both families is one engine.
        if !ports_seen.contains(port) {
            ports_seen.push(*port);
            found.push(ready(engine, &format!("http://{host}:{port}"), settings, &found));
        }
    }
    (found, all.iter().map(|(host, port, _)| format!("{host}:{port}")).collect())
}

/// Returns each host and port with what may listen there; the usual host first.
fn asked(ports: &[u16]) -> Vec<(&'static str, u16, Vec<&'static Place>)> {
    let usual = || PLACES.iter().map(|place| (place.port, vec![place]));
    let named = ports.iter().map(|port| (*port, PLACES.iter().collect()));
    let all: Vec<(u16, Vec<&Place>)> =
        if ports.is_empty() { usual().collect() } else { named.collect() };
    let at = |(port, places): &(u16, Vec<&'static Place>)| {
        HOSTS.map(|host| (host, *port, places.clone()))
    };
    all.iter().flat_map(at).collect()
}

/// Asks one port; the first engine that is recognised is the one.
async fn engine_at(
    http: &Http,
    host: &str,
    port: u16,
    places: &[&'static Place],
) -> Option<Engine> {
    for place in places {
        let mut answers = Vec::new();
        for path in place.paths {
            let answer = http.look(&format!("http://{host}:{port}{path}")).await;
            let nobody = answers.is_empty() && answer.is_none();
            answers.push(answer);
            if nobody {
                break;
            }
        }
        if let Some(engine) = place.recognise(&answers) {
            return Some(engine);
        }
    }
    None
}

/// Turns an engine into what the settings need. The name of one that is set up
/// already is kept, so that adding it again makes no second one.
fn ready(engine: Engine, address: &str, settings: &Settings, others: &[Found]) -> Found {
    let base_url = format!("{address}{}", engine.path);
    let same = settings.provider.iter().find(|(_, section)| {
        section.kind == engine.kind && host_port(&base_url_of(section)) == host_port(&base_url)
    });
    // Names that share a variable of the environment are the same to the settings.
    let alike = |one: &str, other: &str| {
        one.replace('-', "_").eq_ignore_ascii_case(&other.replace('-', "_"))
    };
    let taken = |name: &str| {
        settings.provider.keys().any(|other| alike(other, name))
            || others.iter().any(|other| alike(&other.name, name))
    };
    Found {
        name: same.map_or_else(|| free_name(engine.title, taken), |(name, _)| name.clone()),
        kind: engine.kind.to_owned(),
        title: engine.title.to_owned(),
        base_url,
        models: engine.models,
        model: engine.model,
        concurrency: engine.concurrency.map(|calls| calls.min(MOST_CALLS)),
        context_tokens: engine.context_tokens,
    }
}

/// Returns the settings that set an engine up, as a change of them.
#[must_use]
pub fn change_for(found: &Found, settings: &Settings) -> serde_json::Value {
    let known = |field: &str| kinds::find(&found.kind).is_some_and(|k| k.fields.contains(&field));
    let mut section = serde_json::json!({"kind": found.kind, "base_url": found.base_url});
    if let Some(model) = &found.model {
        section["model"] = model.as_str().into();
    }
    if let Some(calls) = found.concurrency {
        section["concurrency"] = calls.into();
    }
    if let Some(tokens) = found.context_tokens.filter(|_| known("context_tokens")) {
        section["context_tokens"] = tokens.into();
    }
    let mut order = settings.providers.clone();
    if !order.contains(&found.name) {
        order.push(found.name.clone());
    }
    serde_json::json!({"providers": order, "provider": {&found.name: section}})
}
