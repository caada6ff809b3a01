//! Apertium's APY: rule-based translation over HTTP, usually on this machine.
//!
//! A batch is one HTML document of `<p id="n">`: the ids come back in place,
//! while of several `q` fields only the last is answered. Tags are `<iN>`, since
//! `<1>` is no HTML. Source: wiki.apertium.org/wiki/Apertium-apy, and real runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::address;
use super::body::ErrorBody;
use super::chat;
use super::html::{Form, Shape};
use super::rules::{self, Context};
use crate::language;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response, Text};
use crate::verdict::{Class, Failure, Reading};

const FORM: Form = Form { shape: Shape::Named("i"), strokes: true, escapes: true, decodes: true };

/// A server of Apertium.
#[derive(Debug)]
pub struct Apertium {
    config: Config,
}

impl Apertium {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Provider for Apertium {
    /// It does not detect languages: without a source there is no pair.
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let source = ask.source.as_deref().ok_or(Failure::UnsupportedPair)?;
        let (from, to) = (language::three_letters(source), language::three_letters(&ask.target));
        if from == to || from == "und" {
            return Err(Failure::UnsupportedPair);
        }
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("langpair", &format!("{from}|{to}"))
            .append_pair("markUnknown", "no")
            .append_pair("format", "html")
            .append_pair("q", &document(&ask.texts))
            .finish();
        let kind = HeaderValue::Plain("application/x-www-form-urlencoded".to_owned());
        let base = self.config.base_url.trim_end_matches('/');
        Ok(Request {
            method: "POST",
            url: format!("{}/translate", base.strip_suffix("/translate").unwrap_or(base)),
            headers: vec![("content-type", kind)],
            body: body.into_bytes(),
        })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let answer = match response {
            Response::Fault(fault) => return rules::fault(*fault),
            Response::Answer(answer) => answer,
        };
        let context = Context { slow_503: true, ..Context::of(&self.config, ask) };
        let values = match chat::opened(answer, &context) {
            Ok((values, _)) => values,
            Err(reading) => return *reading,
        };
        let value = values.first().unwrap_or(&Value::Null);
        if let Some(error) = ErrorBody::in_success(value).or_else(|| inner_error(value)) {
            return rules::reading(answer, &error, false, &context);
        }
        match value.pointer("/responseData/translatedText").and_then(Value::as_str) {
            Some(text) => read(ask, text),
            None => Reading { reason: "wrong_shape", ..Reading::of(Class::Malformed) },
        }
    }

    fn capacity(&self) -> Capacity {
        let local = address::is_loopback(&self.config.base_url);
        Capacity {
            segments: 40,
            chars: 5_000,
            first_segments: 8,
            concurrency: if local { 2 } else { 1 },
            needs_source: true,
            ..Capacity::ENGINE
        }
    }
}

/// Older servers put the status of an error into the body of a good answer.
fn inner_error(value: &Value) -> Option<ErrorBody> {
    let status = value.get("responseStatus").and_then(Value::as_u64)?;
    let status = u16::try_from(status).ok().filter(|status| *status >= 400)?;
    let message = value.get("responseDetails").and_then(Value::as_str).unwrap_or_default();
    Some(ErrorBody {
        status: Some(status),
        words: message.to_lowercase(),
        message: message.to_owned(),
        value: value.clone(),
    })
}

fn document(texts: &[Text]) -> String {
    texts.iter().enumerate().fold(String::new(), |mut out, (place, text)| {
        _ = write!(out, "<p id=\"{place}\">{}</p>", FORM.written(text));
        out
    })
}

fn read(ask: &Ask, document: &str) -> Reading {
    let mut items = BTreeMap::new();
    let mut found = paragraphs(document);
    if found.is_empty() && ask.texts.len() == 1 && !document.trim().is_empty() {
        found.push((0, document.trim()));
    }
    let expected: Vec<usize> = (0..ask.texts.len()).collect();
    if document.trim().is_empty() {
        return Reading::of(Class::Empty);
    }
    let unknown = found.iter().any(|(id, _)| *id >= ask.texts.len());
    let mut ids: Vec<usize> = found.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    if found.is_empty() || unknown || ids.len() != found.len() {
        return Reading { reason: "wrong_count", ..Reading::of(Class::Malformed) };
    }
    for (id, inner) in found {
        let text = item(&ask.texts[id], inner);
        if !text.trim().is_empty() {
            items.insert(id, text);
        }
    }
    let whole = expected.iter().all(|id| items.contains_key(id));
    let class = match (whole, items.is_empty()) {
        (true, _) => Class::Ok,
        (_, true) => Class::Empty,
        _ => Class::Partial,
    };
    Reading { items, reason: if whole { "" } else { "missing_ids" }, ..Reading::of(class) }
}

/// Returns the paragraphs with their ids, in order.
fn paragraphs(document: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    for piece in document.split("<p id=\"").skip(1) {
        let Some((id, rest)) = piece.split_once("\">") else { continue };
        let inner = rest.rfind("</p>").map_or(rest, |end| &rest[..end]);
        out.push((id.parse().unwrap_or(usize::MAX), inner));
    }
    out
}

/// Reads the text of one paragraph back into the form that was sent.
fn item(text: &Text, inner: &str) -> String {
    let starred = text.text.contains('*');
    FORM.read(text, inner, |words| if starred { words } else { without_marks(&words) })
}

/// The `*` before a word that the engine does not know.
fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '*' || !chars.peek().is_some_and(|next| next.is_alphanumeric()) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
#[path = "apertium_tests.rs"]
mod tests;
