//! The bodies of answers: what they are, and the errors in them.

use serde_json::Value;
use std::fmt::Write as _;

use super::events::{self, Events, Form};
use crate::provider::Answer;
use crate::surrogates::mend_lone_surrogates;

/// What a body is.
pub(super) enum Body {
    /// No body, or white space.
    Blank,
    /// A web page.
    Html,
    /// JSON values: one, or the events of a stream. The flag says which.
    Values(Vec<Value>, Stream),
    /// Anything else.
    Other,
}

/// Whether values came as a stream of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// One whole answer.
    No,
    /// Parts to put together.
    Yes,
}

impl Body {
    /// Reads the body of an answer, whatever its status.
    pub(super) fn of(answer: &Answer) -> Self {
        let body = answer.body.strip_prefix(events::MARK).unwrap_or(&answer.body).trim_ascii();
        let kind = answer.header("content-type").unwrap_or("").to_ascii_lowercase();
        if !body.is_empty() && (kind.contains("event-stream") || events::starts_events(body)) {
            let (values, _) = Events::all(Form::Events, body);
            if !values.is_empty() || !body.starts_with(b"{") && !body.starts_with(b"[") {
                return Self::Values(values, Stream::Yes);
            }
        }
        if body.starts_with(b"<") {
            return Self::Html;
        }
        let mut mended = body.to_vec();
        mend_lone_surrogates(&mut mended);
        let Ok(text) = std::str::from_utf8(&mended).map(str::trim) else {
            return lines(body, answer, &kind);
        };
        if text.is_empty() {
            return Self::Blank;
        }
        match serde_json::from_str(text) {
            Ok(Value::Array(values)) => Self::Values(values, Stream::Yes),
            Ok(value) if kind.contains("ndjson") => Self::Values(vec![value], Stream::Yes),
            Ok(value) => Self::Values(vec![value], Stream::No),
            Err(_) => lines(body, answer, &kind),
        }
    }
}

/// Reads one JSON object a line. Only where a stream was to be expected may the
/// last one be torn.
fn lines(body: &[u8], answer: &Answer, kind: &str) -> Body {
    let (values, torn) = Events::all(Form::Lines, body);
    let is_cut = answer.broken.is_some() || kind.contains("ndjson");
    if values.is_empty() || torn && !is_cut {
        return Body::Other;
    }
    Body::Values(values, Stream::Yes)
}

/// An error as the body tells it; the innermost one, where they are nested.
#[derive(Clone, Debug, Default)]
pub(super) struct ErrorBody {
    /// The HTTP status that the error names.
    pub(super) status: Option<u16>,
    /// All its codes and words, in lower case, one a line.
    pub(super) words: String,
    /// The provider's sentence.
    pub(super) message: String,
    /// The error as it stands, for hints and limits.
    pub(super) value: Value,
}

/// How deep an error may hide as JSON in another one's message.
const MAX_NESTED: usize = 2;

impl ErrorBody {
    /// Finds an error in a body of a good status: only where it calls itself one.
    pub(super) fn in_success(value: &Value) -> Option<Self> {
        let named = ["object", "status", "type"]
            .iter()
            .any(|name| value.get(name).and_then(Value::as_str) == Some("error"));
        match value.get("error") {
            Some(Value::Null | Value::Bool(false)) | None if !named => None,
            Some(Value::String(text)) if text.trim().is_empty() => None,
            _ => Some(Self::of(value)),
        }
    }

    /// Reads an error from a body that is known to be one.
    pub(super) fn of(value: &Value) -> Self {
        Self::nested(value, 0)
    }

    fn nested(value: &Value, depth: usize) -> Self {
        let value =
            if let Value::Array(list) = value { list.first().unwrap_or(value) } else { value };
        let error = match value.get("error") {
            Some(Value::Null | Value::Bool(_)) | None => value,
            Some(error) => error,
        };
        let mut found = Self::flat(error);
        if found.message.is_empty() {
            found.message = sentence(value);
        }
        if depth < MAX_NESTED
            && let Some(inner) = found.message.find(['{', '['])
            && let Ok(inner) = serde_json::from_str::<Value>(found.message[inner..].trim())
            && (inner.is_object() || inner.is_array())
        {
            let inner = Self::nested(&inner, depth + 1);
            found.status = inner.status.or(found.status);
            found.words = inner.words;
            found.message = inner.message;
            found.value = inner.value;
        }
        found
    }

    fn flat(error: &Value) -> Self {
        let mut words = String::new();
        collect(error, "message", 0, &mut words);
        Self {
            status: status(error),
            words: words.to_lowercase(),
            message: sentence(error),
            value: error.clone(),
        }
    }

    /// Returns the objects of Google's `details`.
    pub(super) fn details(&self) -> impl Iterator<Item = &Value> {
        self.value.get("details").and_then(Value::as_array).into_iter().flatten()
    }

    /// Returns a header that the error repeats in `metadata.headers`.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let headers = self.value.get("metadata")?.get("headers")?.as_object()?;
        let (_, value) = headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

/// The members whose words tell errors apart. Links and repeated page text
/// (`flagged_input`, `failed_generation`) are not among them.
const TELLING: &[&str] = &[
    "message",
    "code",
    "status",
    "type",
    "param",
    "reason",
    "quotaId",
    "explanation",
    "raw",
    "detail",
    "msg",
    "limit_source",
    "error_code",
    "field",
    "loc",
    "errorCode",
    "errorMessage",
];

fn collect(value: &Value, name: &str, depth: usize, out: &mut String) {
    const LONGEST: usize = 16 * 1024;
    if out.len() > LONGEST || depth > 6 {
        return;
    }
    match value {
        Value::String(text) if TELLING.contains(&name) => {
            out.extend(text.chars().take(4096));
            out.push('\n');
        }
        Value::Number(number) if TELLING.contains(&name) => {
            _ = writeln!(out, "{number}");
        }
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, name, depth + 1, out)),
        Value::Object(members) => {
            for (name, inner) in members {
                collect(inner, name, depth + 1, out);
            }
        }
        _ => {}
    }
}

fn sentence(error: &Value) -> String {
    spoken(error, 0).unwrap_or_default().to_owned()
}

/// Finds an error's sentence: checkers of forms nest it in `detail`, a list, and
/// Mistral puts that into `message`.
fn spoken(error: &Value, depth: usize) -> Option<&str> {
    const NAMES: [&str; 5] = ["explanation", "message", "detail", "msg", "errorMessage"];
    match error {
        Value::String(text) => Some(text),
        _ if depth > 4 => None,
        Value::Array(list) => spoken(list.first()?, depth + 1),
        _ => NAMES.iter().filter_map(|name| error.get(name)).find_map(|v| spoken(v, depth + 1)),
    }
}

fn status(error: &Value) -> Option<u16> {
    let number = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|status| (400..=599).contains(status))
    };
    let named = ["code", "status", "statusCode", "status_code"].iter();
    named.filter_map(|name| error.get(name)).find_map(number).or_else(|| {
        error.get("status").and_then(Value::as_str).and_then(|status| match status {
            "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => Some(400),
            "UNAUTHENTICATED" => Some(401),
            "PERMISSION_DENIED" => Some(403),
            "NOT_FOUND" => Some(404),
            "RESOURCE_EXHAUSTED" => Some(429),
            "INTERNAL" | "UNKNOWN" => Some(500),
            "UNAVAILABLE" => Some(503),
            "DEADLINE_EXCEEDED" => Some(504),
            _ => None,
        })
    })
}

/// Returns a provider's sentence as it may be shown: without the key and without
/// addresses, white space collapsed, at most 200 characters.
pub(super) fn shown(message: &str, key: Option<&str>) -> String {
    let masked = match key.filter(|key| !key.is_empty()) {
        Some(key) => message.replace(key, "<key>"),
        None => message.to_owned(),
    };
    let words = masked.split_whitespace().map(|word| match word.find("://") {
        Some(at) => {
            let start = word[..at]
                .rfind(|c: char| !c.is_ascii_alphanumeric())
                .map_or(0, |i| i + word[i..].chars().next().map_or(1, char::len_utf8));
            format!("{}<address>", &word[..start])
        }
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ").chars().take(200).collect()
}
