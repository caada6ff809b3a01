//! `test_provider`: one real call with a short text, outside the queue.

use std::time::Instant;

use crate::protocol::{Code, Id, Reply};
use crate::provider::{Ask, Text};
use crate::verdict::{Class, Failure, Reading};

use super::calls::Answered;
use super::configured::Configured;
use super::core::{Core, Event};
use super::verdicts::failure_of;
use super::words;

/// A text that every engine translates, for `test_provider`.
const TEST_TEXT: &str = "Good morning";

impl Core {
    pub(super) fn test_provider(&self, id: Id, name: &str) {
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
