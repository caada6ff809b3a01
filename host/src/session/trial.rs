//! `test_provider`: one real call with a short text, outside the queue. The
//! reader asks for it, so a limit does not stop it; it is counted as any other.

use std::sync::Arc;
use std::time::Instant;

use crate::http::Http;
use crate::protocol::{Code, Id, Reply, Tokens};
use crate::provider::{Ask, Text};
use crate::settings::dollars;
use crate::store::UsageRow;
use crate::verdict::{Class, Failure, Feature, Reading};

use super::account::{count_fault, row_of};
use super::calls::Answered;
use super::configured::Configured;
use super::core::{Core, Event};
use super::verdicts::failure_of;
use super::words;

/// A text that every engine translates, for `test_provider`.
const TEST_TEXT: &str = "Good morning";

/// What came of it.
pub struct Tried {
    configured: Arc<Configured>,
    /// What was found not to be accepted.
    dropped: Vec<Feature>,
    row: UsageRow,
    reply: Reply,
}

impl Core {
    /// Tries a provider out, once it is known what was learned of it before.
    pub(super) fn test_provider(&mut self, id: Id, name: String) {
        self.recall_once();
        let events = self.events.clone();
        // The store works in order: this comes after what it remembers.
        self.storage.run(move |_| {
            let _ = events.send(Event::Try(id, name));
        });
    }

    pub(super) fn try_provider(&self, id: Id, name: &str) {
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
            let tried = try_out(id, configured, ask, &http).await;
            let _ = events.send(Event::Tried(Box::new(tried)));
        });
    }

    /// Notes what was learned and used, and answers.
    pub(super) fn tried(&mut self, tried: Tried) {
        for feature in tried.dropped {
            self.drop_feature(&tried.configured, feature);
        }
        if tried.row.calls > 0 {
            self.add_usage(tried.row);
        }
        self.send(&tried.reply);
    }
}

async fn try_out(id: Id, configured: Arc<Configured>, ask: Ask, http: &Http) -> Tried {
    let started = Instant::now();
    let Asked { reading, failure, dropped, row } = ask_once(&configured, ask, http).await;
    let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let text = reading.items.get(&0).cloned().filter(|_| reading.class == Class::Ok);
    let ok = text.is_some();
    let sentence = || {
        let words = words::sentence(failure, Some(&configured.name), Some(&reading.message), None);
        // What is wrong with the settings says it all by itself.
        configured.trouble.clone().unwrap_or(words)
    };
    let tokens = Tokens { input: row.input_tokens, output: row.output_tokens };
    let reply = Reply::ProviderTested {
        id,
        ok,
        latency_ms,
        text,
        code: (!ok).then(|| words::code_of(failure)),
        message: (!ok).then(sentence),
        hint: (!ok)
            .then(|| crate::provider::advice(reading.reason).to_owned())
            .filter(|hint| !hint.is_empty()),
        tokens: (tokens != Tokens::default()).then_some(tokens),
        cost: row.cost_micros.filter(|_| ok).map(dollars),
    };
    Tried { configured, dropped, row, reply }
}

/// What the last of some calls said, and what all of them used.
struct Asked {
    reading: Reading,
    failure: Failure,
    dropped: Vec<Feature>,
    row: UsageRow,
}

/// Asks, and asks again without what is not accepted.
async fn ask_once(configured: &Configured, mut ask: Ask, http: &Http) -> Asked {
    let (mut dropped, mut row) = (Vec::new(), UsageRow::default());
    loop {
        let (reading, failure) = match (&configured.provider, configured.ready) {
            // Nothing is sent to one that the reader has not agreed to.
            (_, Err(failure)) => (Reading::of(Class::ConfigError), failure),
            (None, Ok(())) => (Reading::of(Class::ConfigError), Failure::Internal),
            (Some(provider), Ok(())) => {
                let (reading, failure, sent) =
                    ask_provider(provider.as_ref(), &ask, http, configured.deadline).await;
                if sent {
                    let mut call = row_of(configured, &[TEST_TEXT], &reading);
                    count_fault(&mut call, reading.class, failure);
                    let so_far = std::mem::replace(&mut row, call);
                    row.add(&so_far);
                }
                (reading, failure)
            }
        };
        match reading.feature.filter(|feature| ask.dropped.insert(*feature)) {
            Some(feature) => dropped.push(feature),
            None => return Asked { reading, failure, dropped, row },
        }
    }
}

/// Returns what came of a call, and whether there was one.
async fn ask_provider(
    provider: &dyn crate::provider::Provider,
    ask: &Ask,
    http: &Http,
    deadline: std::time::Duration,
) -> (Reading, Failure, bool) {
    if let Some(reading) = provider.offline(ask) {
        return (reading, Failure::Internal, true);
    }
    let request = match provider.build(ask) {
        Ok(request) => request,
        Err(failure) => return (Reading::of(Class::ConfigError), failure, false),
    };
    let response = http.send(&request, deadline).await;
    let reading = provider.parse(ask, &response);
    let failure = failure_of(&reading, &Answered::Response(response));
    (reading, failure, true)
}
