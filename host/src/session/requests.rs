//! Requests that are no translation: settings, dictionary, cache, status, tests.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::dictionary::{Dictionary, Side};
use crate::language;
use crate::paths::write_private;
use crate::protocol::{
    self, CacheFilter, CacheState, Code, Id, PROTOCOL, ProviderInfo, ProviderStatus, Reply,
    Request, UsageToday,
};
use crate::provider::{Ask, Key, Text};
use crate::queue::LineState;
use crate::secrets::last_four;
use crate::segment::{self, normal_form};
use crate::settings;
use crate::store::{Filter, State, Store};
use crate::verdict::{Class, Failure, Reading};

use super::calls::{Answered, failure_of};
use super::core::{Core, Event};
use super::setup::{self, Configured, base_url_of, mode_of};
use super::words;

/// A text that every engine translates, for `test_provider`.
const TEST_TEXT: &str = "Good morning";

impl Core {
    pub(super) fn hello(&mut self, protocol: u32) {
        if protocol != PROTOCOL {
            let (message, hint) = mismatch(protocol);
            return self.error(None, Code::UnsupportedProtocol, message, Some(hint));
        }
        let providers = self.setup.providers.iter().map(|p| info(p)).collect();
        let target = self.setup.settings.target.clone();
        let events = self.events.clone();
        self.storage.run(move |store| {
            let _ = events.send(Event::Reply(Reply::Welcome {
                protocol: PROTOCOL,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                cache: cache_state(store),
                providers,
                target,
            }));
        });
    }

    pub(super) fn answer(&mut self, request: Request) {
        match request {
            Request::GetSettings { id } => self.tell_settings(id),
            Request::SetSettings { id, settings } => self.set_settings(id, settings),
            Request::DictionaryGet { id } => self.tell_dictionary(id),
            Request::DictionarySet { id, toml } => self.set_dictionary(id, &toml),
            Request::DictionaryTest { id, source_text, translation, source, target, origin } => {
                let source = source.map_or_else(|| "und".to_owned(), normal_tag);
                let target = normal_tag(target);
                let site = origin.and_then(|origin| segment::site(&origin).name());
                let pair = (source.as_str(), target.as_str());
                let reply = tested(
                    id,
                    &self.setup.dictionary,
                    (&source_text, &translation),
                    pair,
                    site.as_deref(),
                );
                self.send(&reply);
            }
            Request::CacheStats { id } => self.cache(id, |_| 0),
            Request::CacheClear { id, filter } => {
                let filter = store_filter(filter);
                self.cache(id, move |store| store.clear(&filter).unwrap_or(0));
            }
            Request::CacheForget { id, text, target } => {
                let filter = Filter {
                    source: Some(normal_form(&text)),
                    target_language: target.map(normal_tag),
                    ..Filter::default()
                };
                self.cache(id, move |store| store.clear(&filter).unwrap_or(0));
            }
            Request::TestProvider { id, provider } => self.test_provider(id, &provider),
            Request::Status { id } => self.status(id),
            Request::Ping { id } => self.send(&Reply::Pong { id }),
            Request::Hello { .. }
            | Request::Translate(_)
            | Request::Prioritize { .. }
            | Request::Cancel { .. } => {}
        }
    }

    /// Reads the reader's files again if one has changed.
    pub(super) fn reload_if_changed(&mut self) {
        if self.files.have_changed() {
            self.reload();
        }
    }

    fn reload(&mut self) {
        let setup = Arc::new(self.files.load(Some(&self.setup)));
        let before = std::mem::replace(&mut self.setup, setup);
        let prints = |setup: &setup::Setup| -> Vec<u64> {
            setup.providers.iter().map(|p| p.fingerprint).collect()
        };
        if prints(&before) != prints(&self.setup) {
            let now = self.now();
            let moved = |place| self.setup.place_after(&before, place);
            self.queue.replace_lines(now, self.setup.lines(), moved);
            self.forget_details();
            self.choose_anew();
        }
        if before.settings.cache.mode != self.setup.settings.cache.mode {
            let mode = mode_of(self.setup.settings.cache.mode);
            self.storage.run(move |store| store.set_mode(mode));
        }
    }

    /// Works out again whom the texts under way may be asked of.
    fn choose_anew(&mut self) {
        for stream in self.streams.values_mut() {
            let mut context = (*stream.context).clone();
            (context.chain, context.refusal) = self.setup.chain_for(&context);
            stream.context = Arc::new(context);
        }
        self.jobs.choose_anew(|context| self.setup.chain_for(context));
    }

    fn tell_settings(&self, id: Id) {
        let mut settings = self.setup.settings.to_json();
        for (name, section) in &self.setup.settings.provider {
            let key = self.files.secrets().lookup(name, &base_url_of(section)).ok();
            let key = key.as_ref().and_then(crate::secrets::Lookup::key);
            settings["provider"][name]["has_key"] = json!(key.is_some());
            if let Some(key) = key {
                settings["provider"][name]["key_tail"] = json!(last_four(key));
            }
        }
        self.send(&Reply::Settings {
            id,
            settings,
            path: self.files.paths().settings().display().to_string(),
            problem: self.setup.problem.clone(),
        });
    }

    fn set_settings(&mut self, id: Id, change: Map<String, Value>) {
        let mut change = Value::Object(change);
        let keys = take_keys(&mut change);
        let path = self.files.paths().settings();
        let result = setup::read(&path)
            .1
            .map_or(Ok(()), Err)
            .and_then(|()| {
                settings::edit(&setup::read(&path).0, &change).map_err(|p| p.to_string())
            })
            .and_then(|text| {
                write_private(&path, text.as_bytes())
                    .map_err(|error| format!("{} cannot be written: {error}", path.display()))
            })
            .and_then(|()| {
                self.reload();
                keys.into_iter().try_for_each(|(name, key)| self.set_key(&name, key))
            });
        self.files.have_changed();
        self.reload();
        match result {
            Ok(()) => self.tell_settings(id),
            Err(message) => self.error(Some(id), Code::BadMessage, message, None),
        }
    }

    fn set_key(&self, name: &str, key: Option<String>) -> Result<(), String> {
        let secrets = self.files.secrets();
        let Some(section) = self.setup.settings.provider.get(name) else {
            return secrets.remove(name).map_err(|error| error.to_string());
        };
        match key {
            Some(key) => secrets.set(name, &Key(key), &base_url_of(section)),
            None => secrets.remove(name),
        }
        .map_err(|error| error.to_string())
    }

    fn tell_dictionary(&self, id: Id) {
        let toml = setup::read(&self.files.paths().dictionary()).0;
        let entries = u32::try_from(self.setup.dictionary.items().len()).unwrap_or(u32::MAX);
        let problems = self.setup.dictionary_problems.clone();
        self.send(&Reply::Dictionary { id, toml, entries, problems });
    }

    fn set_dictionary(&mut self, id: Id, toml: &str) {
        let (_, problems) = Dictionary::parse_toml(toml);
        if let Some(problem) = problems.first() {
            return self.error(Some(id), Code::BadMessage, problem.to_string(), None);
        }
        let path = self.files.paths().dictionary();
        if let Err(error) = write_private(&path, toml.as_bytes()) {
            let message = format!("{} cannot be written: {error}", path.display());
            return self.error(Some(id), Code::Internal, message, None);
        }
        self.files.have_changed();
        self.reload();
        self.tell_dictionary(id);
    }

    /// Does something with the store, and answers with its sizes.
    fn cache(&self, id: Id, work: impl FnOnce(&mut Store) -> u64 + Send + 'static) {
        let events = self.events.clone();
        self.storage.run(move |store| {
            let removed = work(store);
            let stats = store.stats();
            let _ = events.send(Event::Reply(Reply::Cache {
                id,
                entries: stats.entries,
                bytes: stats.bytes,
                hits: stats.hits,
                misses: stats.misses,
                removed,
            }));
        });
    }

    fn test_provider(&self, id: Id, name: &str) {
        let found = self.setup.providers.iter().find(|p| p.name == name);
        let Some(configured) = found.cloned() else {
            let message = format!("There is no provider of the name {name} in the settings.");
            return self.error(Some(id), Code::NotConfigured, message, None);
        };
        let target = self.setup.settings.target.clone();
        // English to English translates nothing.
        let target = if target.starts_with("en") { "es".to_owned() } else { target };
        let ask = Ask {
            source: Some("en".to_owned()),
            target,
            texts: vec![Text { text: TEST_TEXT.to_owned(), marked: false }],
            dropped: configured.dropped(),
            ..Ask::default()
        };
        let (events, http) = (self.events.clone(), self.http.clone());
        tokio::spawn(async move {
            let reply = try_out(id, &configured, ask, &http).await;
            let _ = events.send(Event::Reply(reply));
        });
    }

    fn status(&self, id: Id) {
        let providers: Vec<ProviderStatus> =
            (0..self.setup.providers.len()).map(|p| self.provider_status(p)).collect();
        let events = self.events.clone();
        self.storage.run(move |store| {
            let rows = store.usage_since(super::day_of(Timestamp::now()));
            let mut usage = UsageToday::default();
            for row in rows {
                usage.calls += row.calls;
                usage.input += row.input_tokens;
                usage.output += row.output_tokens;
                usage.from_cache += row.cache_hits;
            }
            let _ = events.send(Event::Reply(Reply::Status {
                id,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                cache: cache_state(store),
                providers,
                usage,
            }));
        });
    }

    fn provider_status(&self, place: usize) -> ProviderStatus {
        let configured = &self.setup.providers[place];
        let now = self.now();
        let (state, until, failure) = match (configured.ready, self.queue.state(place, now)) {
            (Err(failure), _) => ("misconfigured", None, Some(failure)),
            (_, LineState::Ready) => ("ready", None, None),
            (_, LineState::WaitingUntil { until, failure }) => {
                ("waiting", Some(until), Some(failure))
            }
            (_, LineState::OutUntil { until: None, failure }) => {
                ("misconfigured", None, Some(failure))
            }
            (_, LineState::OutUntil { until, failure }) => ("out", until, Some(failure)),
        };
        let detail = self.detail(place);
        let back_in = until.map(|until| until.saturating_sub(now));
        ProviderStatus {
            name: configured.name.clone(),
            kind: configured.config.kind.clone(),
            state: state.to_owned(),
            until: until.map(|until| Self::epoch_ms(now, until)),
            code: failure.map(words::code_of),
            message: failure
                .map(|failure| words::sentence(failure, Some(&configured.name), detail, back_in)),
        }
    }
}

fn store_filter(filter: CacheFilter) -> Filter {
    let today = super::day_of(Timestamp::now());
    Filter {
        site: filter.site,
        kind: filter.kind,
        target_language: filter.target.map(normal_tag),
        unused_since: filter.unused_days.map(|days| today - i64::from(days)),
        ..Filter::default()
    }
}

/// Returns a language's tag as entries and scopes have it; what is none matches
/// nothing.
fn normal_tag(tag: String) -> String {
    language::normal(&tag).unwrap_or(tag)
}

/// Says which side is old.
fn mismatch(theirs: u32) -> (String, String) {
    let message = format!("The extension speaks protocol {theirs}, this host {PROTOCOL}.");
    let hint = if theirs > PROTOCOL {
        "Update the host: run installer/install.sh of the new release."
    } else {
        "Update the extension."
    };
    (message, hint.to_owned())
}

fn info(configured: &Configured) -> ProviderInfo {
    ProviderInfo {
        name: configured.name.clone(),
        kind: configured.config.kind.clone(),
        ready: configured.ready.is_ok(),
        reason: configured.trouble.clone(),
    }
}

fn cache_state(store: &Store) -> CacheState {
    let (state, reason) = match store.state() {
        State::Ok => ("ok", None),
        State::Memory { reason } => ("memory", Some(reason.clone())),
        State::Off => ("off", None),
    };
    CacheState { state: state.to_owned(), reason }
}

/// Takes `provider.<name>.key` out of a change; `null` removes a key, and so
/// does removing the provider.
fn take_keys(change: &mut Value) -> Vec<(String, Option<String>)> {
    let Some(providers) = change.get_mut("provider").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    for (name, section) in providers {
        match section {
            Value::Null => keys.push((name.clone(), None)),
            Value::Object(fields) => {
                if let Some(key) = fields.remove("key") {
                    let key = key.as_str().map(|key| key.trim().to_owned());
                    keys.push((name.clone(), key.filter(|key| !key.is_empty())));
                }
            }
            _ => {}
        }
    }
    keys
}

async fn try_out(id: Id, configured: &Configured, ask: Ask, http: &crate::http::Http) -> Reply {
    let started = Instant::now();
    let (reading, failure) = ask_once(configured, &ask, http).await;
    let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let text = reading.items.get(&0).cloned().filter(|_| reading.class == Class::Ok);
    let ok = text.is_some();
    let sentence =
        || words::sentence(failure, Some(&configured.name), Some(&reading.message), None);
    Reply::ProviderTested {
        id,
        ok,
        latency_ms,
        text,
        code: (!ok).then(|| words::code_of(failure)),
        message: (!ok).then(sentence),
        hint: (!ok)
            .then(|| crate::provider::advice(reading.reason).to_owned())
            .filter(|hint| !hint.is_empty()),
    }
}

async fn ask_once(
    configured: &Configured,
    ask: &Ask,
    http: &crate::http::Http,
) -> (Reading, Failure) {
    let mut ask = ask.clone();
    loop {
        let (reading, failure) = match &configured.provider {
            None => {
                let failure = configured.ready.err().unwrap_or(Failure::Internal);
                let mut reading = Reading::of(Class::ConfigError);
                reading.message = configured.trouble.clone().unwrap_or_default();
                (reading, failure)
            }
            Some(provider) => {
                ask_provider(provider.as_ref(), &ask, http, configured.deadline).await
            }
        };
        match reading.feature.filter(|feature| ask.dropped.insert(*feature)) {
            Some(feature) => configured.drop_feature(feature),
            None => return (reading, failure),
        }
    }
}

fn tested(
    id: Id,
    dictionary: &Dictionary,
    (source, translation): (&str, &str),
    pair: (&str, &str),
    site: Option<&str>,
) -> Reply {
    let (mut fired, mut skipped) = dictionary.explained(Side::Source, source, pair, site);
    let (more_fired, more_skipped) =
        dictionary.explained(Side::Translation, translation, pair, site);
    fired.extend(more_fired);
    skipped.extend(more_skipped);
    let text = dictionary.replace(translation, pair, site);
    protocol::Reply::DictionaryTested { id, text, fired, skipped }
}

async fn ask_provider(
    provider: &dyn crate::provider::Provider,
    ask: &Ask,
    http: &crate::http::Http,
    deadline: std::time::Duration,
) -> (Reading, Failure) {
    if let Some(reading) = provider.offline(ask) {
        return (reading, Failure::Internal);
    }
    let request = match provider.build(ask) {
        Ok(request) => request,
        Err(failure) => return (Reading::of(Class::ConfigError), failure),
    };
    let response = http.send(&request, deadline).await;
    let reading = provider.parse(ask, &response);
    let failure = failure_of(&reading, &Answered::Response(response));
    (reading, failure)
}
