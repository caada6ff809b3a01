//! LibreTranslate, on this machine or elsewhere.
//!
//! Source: LibreTranslate's `app.py` of July 2026. It reads entities itself and
//! answers without them, so an answer is never markup but for our own tags.

use serde_json::{Value, json};

use super::codes::LIBRETRANSLATE;
use super::engine::{self, Sent};
use super::html::Form;
use super::rules::Context;
use super::{address, google_cloud};
use crate::provider::{Ask, Capacity, Config, Provider, Request, Response};
use crate::verdict::{Class, Failure, Reading};

const FORM: Form = Form { decodes: false, ..google_cloud::FORM };

/// A server of LibreTranslate.
#[derive(Debug)]
pub struct LibreTranslate {
    config: Config,
}

impl LibreTranslate {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// The key travels in the body, where nothing downstream sees that it is
    /// one: so it is looked at here that it stays secret on its way.
    fn key(&self) -> Result<Option<&str>, Failure> {
        let key = self.config.key.as_ref().map(|key| key.0.trim()).filter(|key| !key.is_empty());
        let base = &self.config.base_url;
        let encrypted = url::Url::parse(base).is_ok_and(|url| url.scheme() == "https");
        let safe = encrypted || address::is_loopback(base);
        if key.is_none() || safe { Ok(key) } else { Err(Failure::Misconfigured) }
    }
}

impl Provider for LibreTranslate {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let (source, target) = LIBRETRANSLATE.pair(ask)?;
        let sent = Sent::new(ask, &FORM);
        let mut body = json!({
            "q": sent.texts,
            "source": source.as_deref().unwrap_or("auto"),
            "target": target,
            "format": if sent.markup { "html" } else { "text" },
        });
        if let Some(key) = self.key()? {
            body["api_key"] = json!(key);
        }
        Ok(engine::post(engine::below(&self.config, "/translate"), [], &body))
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let mut trapped = false;
        let reading = Sent::new(ask, &FORM).parse(response, &context, |values, _| {
            let found = values.first()?.get("translatedText")?;
            trapped = is_trap(found);
            match found {
                Value::String(text) => Some(vec![Some(text.clone())]),
                list => {
                    let list = list.as_array()?.iter();
                    Some(list.map(|item| engine::text(Some(item))).collect())
                }
            }
        });
        let wanted = ask.texts.iter().any(|text| text.text.chars().any(char::is_alphanumeric));
        if trapped && wanted {
            return Reading { reason: "need_key", ..Reading::of(Class::ConfigError) };
        }
        reading
    }

    /// Public servers take 2,000 characters a call; a server that says another
    /// limit is learned from. It detects one language for a whole batch, so a
    /// text in another one comes back as a copy: asked alone it may not.
    fn capacity(&self) -> Capacity {
        Capacity {
            segments: 25,
            chars: 2_000,
            first_segments: 8,
            concurrency: if address::is_loopback(&self.config.base_url) { 1 } else { 2 },
            believed: false,
            ..Capacity::ENGINE
        }
    }
}

/// Whether this is what the server answers to somebody whom it takes for a
/// robot: some emoji, as a text, although it was sent a list.
fn is_trap(found: &Value) -> bool {
    let emoji = |text: &str| !text.is_empty() && !text.contains(char::is_alphanumeric);
    found.as_str().is_some_and(emoji)
}

#[cfg(test)]
#[path = "libretranslate_tests.rs"]
mod tests;
