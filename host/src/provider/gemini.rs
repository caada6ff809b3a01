//! Google's Gemini: `generateContent`, whole or streamed, or the Interactions API
//! where the address ends in `/interactions`. Answers of either are read.
//!
//! Source: ai.google.dev/api/generate-content. The key goes into a header, never
//! into the address, which ends up in logs.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered, Take, tokens};
use super::rules::Context;
use super::{effort, prompt};
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Failure, Feature, Reading, Usage};

mod interactions;

/// A model of Gemini with a key.
#[derive(Debug)]
pub struct Gemini {
    config: Config,
}

impl Gemini {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Provider for Gemini {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let model = self.config.model.trim_start_matches("models/");
        let base = self.config.base_url.trim_end_matches('/');
        let (url, body) = if interactions::is_address(base) {
            (base.to_owned(), interactions::body(ask, model))
        } else {
            (address_of(base, model, ask), body(ask, model))
        };
        let mut headers = vec![("content-type", HeaderValue::Plain(JSON.to_owned()))];
        headers.extend(key.map(|key| ("x-goog-api-key", HeaderValue::Secret(key))));
        Ok(Request { method: "POST", url, headers, body: body.to_string().into_bytes() })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context { pacific: true, ..Context::of(&self.config, ask) };
        let reading = chat::parse(ask, response, &context, take);
        let model = self.config.model.trim_start_matches("models/");
        let higher = level(ask, model) == Some("minimal");
        effort::eased(reading, ask, if higher { &[Feature::EffortLow] } else { &[] })
    }

    fn capacity(&self) -> Capacity {
        Capacity { segments: 60, chars: 12_000, ..Capacity::MODEL }
    }

    fn take(&self) -> Option<Take> {
        Some(take)
    }

    fn has_style(&self) -> bool {
        true
    }
}

fn address_of(base: &str, model: &str, ask: &Ask) -> String {
    let version = if base.ends_with("/v1beta") || base.ends_with("/v1") { "" } else { "/v1beta" };
    let streams = ask.stream && !ask.dropped.contains(&Feature::Stream);
    let method = if streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
    format!("{base}{version}/models/{}:{method}", address::encoded(model))
}

fn body(ask: &Ask, model: &str) -> Value {
    let keeps = |feature| !ask.dropped.contains(&feature);
    let mut generation = json!({});
    if keeps(Feature::JsonSchema) {
        generation["responseMimeType"] = json!(JSON);
        generation["responseJsonSchema"] = prompt::schema(ask);
    } else if keeps(Feature::JsonMode) {
        generation["responseMimeType"] = json!(JSON);
    }
    if keeps(Feature::MaxTokens) {
        generation["maxOutputTokens"] = json!(prompt::max_tokens(ask));
    }
    if keeps(Feature::Thinking)
        && let Some(thinking) = least_thinking(ask, model)
    {
        generation["thinkingConfig"] = thinking;
    }
    if ask.fresh && keeps(Feature::Temperature) {
        generation["temperature"] = json!(1.3);
    }
    let mut body = json!({
        "systemInstruction": {"parts": [{"text": prompt::system(ask)}]},
        "contents": [{"role": "user", "parts": [{"text": prompt::user(ask)}]}],
        "generationConfig": generation,
    });
    if keeps(Feature::Safety) {
        body["safetySettings"] = thresholds();
    }
    body
}

/// The most permissive thresholds: what is translated was written by others.
fn thresholds() -> Value {
    let categories = [
        "HARM_CATEGORY_HARASSMENT",
        "HARM_CATEGORY_HATE_SPEECH",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT",
        "HARM_CATEGORY_DANGEROUS_CONTENT",
    ];
    categories.iter().map(|c| json!({"category": c, "threshold": "BLOCK_NONE"})).collect()
}

/// Returns the least thinking that the model's family allows: 2.5 counts tokens
/// (Pro needs 128), later ones have levels, earlier ones do not think. Both fields
/// in one request are an error.
fn least_thinking(ask: &Ask, model: &str) -> Option<Value> {
    if model.starts_with("gemini-2.5") {
        let budget = if model.contains("pro") { 128 } else { 0 };
        return Some(json!({"thinkingBudget": budget}));
    }
    level(ask, model).map(|level| json!({"thinkingLevel": level}))
}

/// Returns the least level of thinking, for the models that have levels: 3 and
/// later, of which Pro has no `minimal`, and none has `none`.
fn level(ask: &Ask, model: &str) -> Option<&'static str> {
    let version = model.strip_prefix("gemini-")?;
    if version.starts_with(['1', '2']) {
        return None;
    }
    let first = if model.contains("pro") { "low" } else { "minimal" };
    Some(effort::least(ask, first)).map(|level| if level == "none" { "minimal" } else { level })
}

/// Takes up one answer, or one event of a stream.
fn take(gathered: &mut Gathered, value: &Value) {
    if let Some(error) = ErrorBody::in_success(value) {
        gathered.error = Some(error);
        return;
    }
    if interactions::take(gathered, value) {
        return;
    }
    gathered.shaped |= value.as_object().is_some_and(serde_json::Map::is_empty)
        || ["candidates", "promptFeedback", "usageMetadata"].iter().any(|n| value.get(n).is_some());
    if value.get("usageMetadata").is_some() {
        gathered.usage = usage(value);
    }
    if let Some(reason) = value.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        gathered.finish = Some(Finish::Blocked(blocked(reason).unwrap_or("other")));
    }
    let Some(candidate) = value.pointer("/candidates/0") else { return };
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        if part.get("thought").and_then(Value::as_bool) != Some(true) {
            gathered.text.push_str(part.get("text").and_then(Value::as_str).unwrap_or(""));
        }
    }
    if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
        gathered.finish = Some(finish(reason));
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "STOP" => Finish::Stop,
        "MAX_TOKENS" => Finish::Length,
        other => blocked(other).map_or(Finish::Unknown, Finish::Blocked),
    }
}

/// Returns our name for a refusal; a value that we do not know is none.
fn blocked(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "SAFETY" | "IMAGE_SAFETY" | "MODEL_ARMOR" | "JAILBREAK" => "safety",
        "PROHIBITED_CONTENT" | "IMAGE_PROHIBITED_CONTENT" => "prohibited_content",
        "BLOCKLIST" => "blocklist",
        "RECITATION" | "IMAGE_RECITATION" => "recitation",
        "SPII" => "spii",
        "LANGUAGE" => "language",
        "OTHER" => "other",
        _ => return None,
    })
}

/// `promptTokenCount` has the cached ones in it, `candidatesTokenCount` has the
/// thoughts not in it.
fn usage(value: &Value) -> Usage {
    let count = |name| tokens(value, &["usageMetadata", name]);
    let (cached, reasoning) = (count("cachedContentTokenCount"), count("thoughtsTokenCount"));
    Usage {
        input: count("promptTokenCount").saturating_sub(cached),
        output: count("candidatesTokenCount").saturating_add(reasoning),
        cached,
        reasoning,
        ..Usage::default()
    }
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;
