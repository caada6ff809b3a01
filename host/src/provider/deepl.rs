//! DeepL, with a key of its API.
//!
//! Source: developers.deepl.com, its description of 2026-06-30. A key
//! that ends in `:fx` belongs to the free API, which has a host of its own.

use serde_json::{Value, json};

use super::codes::DEEPL;
use super::engine::{self, Sent};
use super::html::{Form, Shape};
use super::kinds;
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, Provider, Request, Response, Style, address};
use crate::verdict::{Failure, Reading};

/// `<1>` is no XML, so the number is an attribute.
const FORM: Form =
    Form { shape: Shape::Quoted("x", "id"), strokes: true, escapes: true, decodes: true };

/// The host that keys of the free API are for.
const FREE: &str = "https://api-free.deepl.com";
/// The service's own limits: texts in one call, and bytes of its body.
const MOST_TEXTS: usize = 50;
const MOST_BYTES: usize = 128 * 1024;
/// A title says what a page is about; more of it would only fill the body.
const TITLE_CHARS: usize = 300;

/// DeepL.
#[derive(Debug)]
pub struct DeepL {
    config: Config,
}

impl DeepL {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(mut config: Config) -> Self {
        let free = config.key.as_ref().is_some_and(|key| key.0.trim().ends_with(":fx"));
        let default = kinds::find("deepl").map_or("", |kind| kind.base_url);
        if free && config.base_url.trim_end_matches('/') == default {
            FREE.clone_into(&mut config.base_url);
        }
        Self { config }
    }
}

impl Provider for DeepL {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let (source, target) = DEEPL.pair(ask)?;
        let sent = Sent::new(ask, &FORM);
        sent.within(MOST_TEXTS, MOST_BYTES)?;
        let mut body = json!({
            "text": sent.texts,
            "target_lang": target,
            "preserve_formatting": true,
            "show_billed_characters": true,
        });
        if let Some(source) = source {
            body["source_lang"] = json!(source);
        }
        if let Some(title) = &ask.title {
            body["context"] = json!(title.chars().take(TITLE_CHARS).collect::<String>());
        }
        if let Some(formality) = formality(&self.config.style) {
            body["formality"] = json!(formality);
        }
        if sent.markup {
            body["tag_handling"] = json!("xml");
            body["tag_handling_version"] = json!("v2");
            body["outline_detection"] = json!(false);
            body["split_sentences"] = json!("nonewlines");
        }
        let url = engine::below(&self.config, "/v2/translate");
        let headers = engine::secret("authorization", "DeepL-Auth-Key ", key);
        let request = engine::post(url, headers, &body);
        if request.body.len() <= MOST_BYTES { Ok(request) } else { Err(Failure::TooLong) }
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let mut characters = None;
        let reading = Sent::new(ask, &FORM).parse(response, &context, |values, _| {
            let list = values.first()?.get("translations");
            characters = billed(list);
            engine::members(list, "text")
        });
        let mut reading = reading;
        reading.usage.characters = characters;
        reading
    }

    /// 50 texts are the service's limit. Its 128 KiB hold 30,000 characters of
    /// any script, but it bills characters and not calls, and smaller calls come
    /// back sooner. It translates each text by itself, so asking again for a
    /// copy would only buy the same: a copy is believed.
    fn capacity(&self) -> Capacity {
        Capacity { segments: MOST_TEXTS, ..Capacity::ENGINE }
    }

    fn has_style(&self) -> bool {
        true
    }
}

/// Returns DeepL's word for a style, one that languages without it ignore.
fn formality(style: &Style) -> Option<&'static str> {
    match style {
        Style::Formal => Some("prefer_more"),
        Style::Casual => Some("prefer_less"),
        Style::Neutral | Style::Own(_) => None,
    }
}

fn billed(list: Option<&Value>) -> Option<u64> {
    let list = list?.as_array()?.iter();
    let counts = list.filter_map(|entry| entry.get("billed_characters")?.as_u64());
    counts.reduce(u64::saturating_add)
}

#[cfg(test)]
#[path = "deepl_tests.rs"]
mod tests;
