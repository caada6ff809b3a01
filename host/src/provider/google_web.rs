//! Google's translator without a key: an endpoint that is not offered to
//! programs, used only when the reader has agreed to that.
//!
//! A form with one `q` a text goes to `translate_a/t`. Its answers have several
//! shapes, and those of its neighbours (`translate_a/single`, `translateHtml`)
//! are read as well, since the endpoint changes without notice.

use serde_json::Value;

use super::body::Stream;
use super::codes::GOOGLE;
use super::engine::{self, Sent};
use super::google_cloud::FORM;
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Failure, Reading};

/// What one call was seen to take.
const MOST_TEXTS: usize = 128;
const MOST_CHARS: usize = 5_000;

/// Google's keyless translator.
#[derive(Debug)]
pub struct GoogleWeb {
    config: Config,
}

impl GoogleWeb {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Provider for GoogleWeb {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let (source, target) = GOOGLE.pair(ask)?;
        let sent = Sent::new(ask, &FORM);
        sent.within(MOST_TEXTS, MOST_CHARS)?;
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("client", "gtx")
            .append_pair("format", if sent.markup { "html" } else { "text" })
            .append_pair("sl", source.as_deref().unwrap_or("auto"))
            .append_pair("tl", &target)
            .finish();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(sent.texts.iter().map(|text| ("q", text)));
        let kind = HeaderValue::Plain("application/x-www-form-urlencoded".to_owned());
        Ok(Request {
            method: "POST",
            url: format!("{}?{query}", engine::below(&self.config, "/translate_a/t")),
            headers: vec![("content-type", kind)],
            body: form.finish().into_bytes(),
        })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let sent = Sent::new(ask, &FORM);
        let reading = sent.parse(response, &context, |values, stream| {
            let items = match stream {
                Stream::No => whole(values.first()?)?,
                Stream::Yes => listed(values, sent.texts.len())?,
            };
            let sources = sent.texts.iter().map(Some).chain(std::iter::repeat(None));
            let clean = |(item, source): (Option<String>, Option<&String>)| {
                item.map(|item| once(source.map_or("", String::as_str), item))
            };
            Some(items.into_iter().zip(sources).map(clean).collect())
        });
        engine::keyless(reading, response)
    }

    /// Small calls, one at a time: nobody has promised us any, and a block
    /// lasts for hours. Each text is translated by itself, and again it would
    /// be the same: a copy is believed.
    fn capacity(&self) -> Capacity {
        Capacity { chars: 3_500, concurrency: 1, ..Capacity::ENGINE }
    }
}

type Items = Vec<Option<String>>;

/// Reads an answer that is no list: one text, or its sentences by name.
fn whole(value: &Value) -> Option<Items> {
    if let Value::String(text) = value {
        return Some(vec![Some(text.clone())]);
    }
    let sentences = value.get("sentences")?.as_array()?.iter();
    Some(vec![Some(sentences.filter_map(|sentence| sentence.get("trans")?.as_str()).collect())])
}

/// Reads a list for `count` texts. What has another number is returned as it
/// is, and counted by the caller.
fn listed(values: &[Value], count: usize) -> Option<Items> {
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let items = |list: &[Value]| list.iter().map(|item| engine::text(Some(item))).collect();
    if values.iter().all(is_text) {
        // One text and its detected language.
        let alone = count == 1 && values.len() == 2 && is_code(&values[1]);
        return Some(items(if alone { &values[..1] } else { values }));
    }
    let first = values.iter().find_map(Value::as_array)?;
    if first.iter().any(Value::is_array) {
        let sentences = first.iter().filter_map(|sentence| sentence.get(0)?.as_str());
        return Some(vec![Some(sentences.collect())]);
    }
    let with_language = |value: &Value| match value.as_array().map(Vec::as_slice) {
        Some([text]) => is_text(text),
        Some([text, language]) => is_text(text) && is_code(language),
        _ => value.is_null(),
    };
    let each: Items = values.iter().map(|value| engine::text(value.get(0))).collect();
    if values.iter().all(with_language) && (values.len() == count || first.len() == 2) {
        return Some(each);
    }
    first.iter().all(is_text).then(|| items(first))
}

/// Whether a value looks like the code of a language.
fn is_code(value: &Value) -> bool {
    let Some(code) = value.as_str() else { return false };
    let primary = code.split('-').next().unwrap_or_default();
    (2..=3).contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_lowercase())
        && code.len() <= 12
}

/// Takes the source out of an answer that says each sentence twice, as
/// `<i>source</i> <b>translation</b>`. None of our own tags is one of these.
fn once(source: &str, answer: String) -> String {
    let twice = ["<b>", "<i>"].iter().any(|lead| answer.trim_start().starts_with(lead));
    if !twice || !answer.contains("</b>") || source.contains("<b>") || source.contains("<i>") {
        return answer;
    }
    let mut out = String::with_capacity(answer.len());
    let mut rest = answer.as_str();
    while let Some((before, after)) = rest.split_once("<i>") {
        out.push_str(before);
        rest = after.split_once("</i>").map_or("", |(_, rest)| rest.trim_start());
    }
    out.push_str(rest);
    out.replace("<b>", "").replace("</b>", "").trim_end().to_owned()
}

#[cfg(test)]
#[path = "google_web_tests.rs"]
mod tests;
