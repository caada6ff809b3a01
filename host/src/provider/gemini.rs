//! Google's Gemini: `generateContent`, answered whole. Answers of the
//! Interactions API and of streams are read as well.
//!
//! Source: ai.google.dev/api/generate-content. The key goes into a header, never
//! into the address, which ends up in logs.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered, tokens};
use super::prompt;
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Failure, Feature, Reading, Usage};

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
        let version =
            if base.ends_with("/v1beta") || base.ends_with("/v1") { "" } else { "/v1beta" };
        let method = if ask.stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
        let url = format!("{base}{version}/models/{}:{method}", address::encoded(model));
        let mut headers = vec![("content-type", HeaderValue::Plain(JSON.to_owned()))];
        headers.extend(key.map(|key| ("x-goog-api-key", HeaderValue::Secret(key))));
        let body = body(ask, model).to_string().into_bytes();
        Ok(Request { method: "POST", url, headers, body })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context {
            key: self.config.key.as_ref().map(|key| key.0.as_str()),
            pacific: true,
            slow_503: false,
            daily_requests: false,
            dropped: &ask.dropped,
        };
        chat::parse(ask, response, &context, take)
    }

    fn capacity(&self) -> Capacity {
        Capacity {
            segments: 60,
            chars: 12_000,
            first_segments: 8,
            concurrency: 4,
            independent: false,
            hints: true,
            believed: false,
            needs_source: false,
            streams: true,
        }
    }

    fn take(&self) -> Option<chat::Take> {
        Some(take)
    }
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
        && let Some(thinking) = least_thinking(model)
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
/// (Pro needs 128), later ones have levels (Pro has no `minimal`), earlier ones
/// do not think. Both fields in one request are an error.
fn least_thinking(model: &str) -> Option<Value> {
    let version = model.strip_prefix("gemini-")?;
    let pro = model.contains("pro");
    match version.chars().next()? {
        '1' => None,
        '2' if !version.starts_with("2.5") => None,
        '2' => Some(json!({"thinkingBudget": if pro { 128 } else { 0 }})),
        _ => Some(json!({"thinkingLevel": if pro { "low" } else { "minimal" }})),
    }
}

/// Takes up one answer, or one event of a stream.
fn take(gathered: &mut Gathered, value: &Value) {
    if let Some(error) = ErrorBody::in_success(value) {
        gathered.error = Some(error);
        return;
    }
    if value.get("steps").is_some() {
        return interaction(gathered, value);
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

/// Takes up an answer of the Interactions API.
fn interaction(gathered: &mut Gathered, value: &Value) {
    gathered.shaped = true;
    let steps = value.get("steps").and_then(Value::as_array).into_iter().flatten();
    for step in
        steps.filter(|step| step.get("type").and_then(Value::as_str) == Some("model_output"))
    {
        let content = step.get("content").and_then(Value::as_array).into_iter().flatten();
        for part in content {
            gathered.text.push_str(part.get("text").and_then(Value::as_str).unwrap_or(""));
        }
    }
    let count = |name| tokens(value, &["usage", name]);
    let (cached, reasoning) = (count("total_cached_tokens"), count("total_thought_tokens"));
    gathered.usage = Usage {
        input: count("total_input_tokens").saturating_sub(cached),
        output: count("total_output_tokens").saturating_add(reasoning),
        cached,
        reasoning,
        ..Usage::default()
    };
    gathered.finish = Some(match value.get("status").and_then(Value::as_str) {
        Some("completed") => Finish::Stop,
        Some("incomplete") => Finish::Length,
        _ => Finish::Unknown,
    });
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;
