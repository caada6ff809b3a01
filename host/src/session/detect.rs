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

/// Asks one port; the first engine that is recognised is the one. Where a first
/// question has no answer at all, no other one has.
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
            if answers.is_empty() && answer.is_none() {
                return None;
            }
            answers.push(answer);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{check, edit};

    fn engine() -> Engine {
        Engine {
            kind: "openai",
            title: "llama.cpp",
            path: "/v1",
            models: vec!["m".to_owned()],
            model: Some("m".to_owned()),
            concurrency: Some(500),
            context_tokens: Some(4096),
        }
    }

    #[test]
    fn what_is_found_is_ready_for_the_settings() {
        let settings = Settings::default();
        let found = ready(engine(), "http://[::1]:8080", &settings, &[]);
        assert_eq!(found.name, "llama-cpp");
        let text = edit("", &change_for(&found, &settings)).unwrap();
        let checked = check(&text);
        assert_eq!((checked.problems, checked.warnings), (vec![], vec![]), "{text}");
        let settings = checked.settings.unwrap();
        assert_eq!(settings.providers, ["llama-cpp"]);
        let section = &settings.provider["llama-cpp"];
        assert_eq!(section.base_url.as_deref(), Some("http://[::1]:8080/v1"));
        assert_eq!((section.model.as_deref(), section.concurrency), (Some("m"), Some(64)));
        assert_eq!(section.context_tokens, None, "this kind knows no such setting");
        let ollama = Engine { kind: "ollama", title: "Ollama", path: "", ..engine() };
        let found = ready(ollama, "http://127.0.0.1:11434", &settings, &[]);
        assert_eq!(change_for(&found, &settings)["provider"]["ollama"]["context_tokens"], 4096);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_and_an_engine_that_is_set_up_keeps_its_own() {
        let text = "[provider.mine]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
                    [provider.LLAMA_CPP]\nkind = \"sample\"\n";
        let settings = check(text).settings.unwrap();
        let known = ready(engine(), "http://127.0.0.1:8080", &settings, &[]);
        assert_eq!(known.name, "mine");
        let second = ready(engine(), "http://127.0.0.1:8081", &settings, &[known]);
        assert_eq!(second.name, "llama-cpp-2");
        let others = [second];
        assert_eq!(
            ready(engine(), "http://127.0.0.1:8082", &settings, &others).name,
            "llama-cpp-3"
        );
        assert_eq!(change_for(&others[0], &settings)["providers"][2], "llama-cpp-2");
    }

    #[test]
    fn only_this_machine_is_looked_at_each_port_in_both_families() {
        let places: Vec<String> =
            asked(&[]).iter().map(|(host, port, _)| format!("{host}:{port}")).collect();
        assert_eq!(places.len(), 2 * PLACES.len());
        let local = |place: &String| place.starts_with("127.0.0.1:") || place.starts_with("[::1]:");
        assert!(places.iter().all(local), "{places:?}");
        let named = asked(&[8081]);
        assert_eq!((named.len(), named[0].1, named[0].2.len()), (2, 8081, PLACES.len()));
    }
}
