//! Yandex Cloud's Translate, with an API key or an IAM token.
//!
//! Source: yandex.cloud/docs/translate/api-ref/Translation/translate.

use serde_json::{Value, json};

use super::codes::YANDEX;
use super::engine::{self, Sent};
use super::google_cloud::FORM;
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, Provider, Request, Response, address};
use crate::verdict::{Failure, Reading};

/// The service's own limit in one call.
const MOST_CHARS: usize = 10_000;
/// More texts than that are never in so many characters.
const MOST_TEXTS: usize = MOST_CHARS;

/// Yandex Translate.
#[derive(Debug)]
pub struct Yandex {
    config: Config,
}

impl Yandex {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Provider for Yandex {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let (source, target) = YANDEX.pair(ask)?;
        let sent = Sent::new(ask, &FORM);
        sent.within(MOST_TEXTS, MOST_CHARS)?;
        let mut body = json!({
            "texts": sent.texts,
            "targetLanguageCode": target,
            "format": if sent.markup { "HTML" } else { "PLAIN_TEXT" },
        });
        if let Some(source) = source {
            body["sourceLanguageCode"] = json!(source);
        }
        let folder = self.config.folder.as_deref().map(str::trim).filter(|name| !name.is_empty());
        if let Some(folder) = folder {
            body["folderId"] = json!(folder);
        }
        // IAM tokens begin so; an API key never does.
        let token = key.as_ref().is_some_and(|key| key.starts_with("t1."));
        let lead = if token { "Bearer " } else { "Api-Key " };
        let url = engine::below(&self.config, "/translate/v2/translate");
        Ok(engine::post(url, engine::secret("authorization", lead, key), &body))
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        Sent::new(ask, &FORM).parse(response, &context, |values, _| items(values.first()?))
    }

    /// 10,000 characters are the service's limit, tags and entities among them,
    /// and it takes twenty calls a second. Each text is translated by itself,
    /// and again it would be the same: a copy is believed.
    fn capacity(&self) -> Capacity {
        Capacity { segments: 100, chars: 8_000, ..Capacity::ENGINE }
    }
}

/// Its older form has the bare texts in a list.
fn items(value: &Value) -> Option<Vec<Option<String>>> {
    let older = || {
        let list = value.get("text")?.as_array()?.iter();
        Some(list.map(|text| engine::text(Some(text))).collect())
    };
    engine::members(value.get("translations"), "text").or_else(older)
}

#[cfg(test)]
#[path = "yandex_tests.rs"]
mod tests;
