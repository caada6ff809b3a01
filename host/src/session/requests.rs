//! Requests that are no translation: settings, dictionary, cache, status, tests.

use jiff::Timestamp;

use crate::language;
use crate::protocol::{CacheFilter, CacheState, Code, Id, PROTOCOL, ProviderInfo, Reply, Request};
use crate::segment::{self, normal_form};
use crate::store::{Filter, Notice, State, Store};

use super::configured::Configured;
use super::core::{Core, Event};
use super::preferences::tested;

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
        // After it, since the first page comes later than the greeting.
        self.recall_once();
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
            Request::CacheFind(asked) => self.find(asked),
            Request::CacheCorrect(asked) => self.correct(&asked),
            Request::TestProvider { id, provider } => self.test_provider(id, provider),
            Request::DetectProviders { id } => self.detect_providers(id),
            Request::Status { id } => self.status(id),
            Request::Usage { id, days } => self.tell_usage(id, days),
            Request::Ping { id } => self.send(&Reply::Pong { id }),
            Request::Hello { .. }
            | Request::Translate(_)
            | Request::Prioritize { .. }
            | Request::Cancel { .. } => {}
        }
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
}

fn store_filter(filter: CacheFilter) -> Filter {
    let today = super::day_of(Timestamp::now());
    Filter {
        site: filter.site,
        kind: filter.kind,
        engine: filter.engine,
        source_language: filter.source.map(normal_tag),
        target_language: filter.target.map(normal_tag),
        unused_since: filter.unused_days.map(|days| today - i64::from(days)),
        created_before: filter.older_days.map(|days| today - i64::from(days)),
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

pub(super) fn notice_reply(Notice { code, message, hint }: Notice) -> Reply {
    Reply::Notice { code: code.to_owned(), message, hint }
}

pub(super) fn cache_state(store: &Store) -> CacheState {
    let (state, reason) = match store.state() {
        State::Ok => ("ok", None),
        State::Memory { reason } => ("memory", Some(reason.clone())),
        State::Off => ("off", None),
    };
    CacheState { state: state.to_owned(), reason, remote: None }
}
