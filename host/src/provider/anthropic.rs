//! Anthropic's Messages API, whole or streamed.
//!
//! Source: platform.claude.com/docs, its pages on messages, streaming, errors,
//! rate limits and on what each model takes. The cached part of the input is not
//! in `input_tokens`, other than with most APIs.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered, Take, tokens};
use super::rules::Context;
use super::{effort, prompt};
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Failure, Feature, Reading};

/// The version of the API that this file speaks.
const VERSION: &str = "2023-06-01";
/// Models in use write at least so much at once; the newest four times that.
const MOST_TOKENS: u64 = 32_000;
/// Every model ever offered writes so much.
const LEAST_MOST_TOKENS: u64 = 4_096;

/// A model of Anthropic with a key.
#[derive(Debug)]
pub struct Anthropic {
    config: Config,
}

impl Anthropic {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    fn body(&self, ask: &Ask) -> Value {
        let keeps = |feature| !ask.dropped.contains(&feature);
        let mut body = json!({
            "model": self.config.model,
            "max_tokens": max_tokens(ask),
            "system": prompt::system(ask),
            "messages": [{"role": "user", "content": prompt::user(ask)}],
        });
        if keeps(Feature::JsonSchema) {
            let format = json!({"type": "json_schema", "schema": prompt::schema(ask)});
            body["output_config"] = json!({"format": format});
        }
        if keeps(Feature::Thinking) {
            match hush(&self.config.model).filter(|_| keeps(Feature::EffortLow)) {
                Some(thinking) => body["thinking"] = json!({"type": thinking}),
                None => body["output_config"]["effort"] = json!("low"),
            }
        }
        if ask.fresh && keeps(Feature::Temperature) {
            body["temperature"] = json!(1.0);
        }
        if ask.stream && keeps(Feature::Stream) {
            body["stream"] = json!(true);
        }
        body
    }
}

/// The API demands a limit. Where the wanted one was refused, the least of all
/// models' limits takes its place.
fn max_tokens(ask: &Ask) -> u64 {
    let most =
        if ask.dropped.contains(&Feature::MaxTokens) { LEAST_MOST_TOKENS } else { MOST_TOKENS };
    prompt::max_tokens(ask).min(most)
}

/// Returns the kind of thinking that is none, since the newer models think unless
/// told not to; none for the models that always think, which have an effort.
fn hush(model: &str) -> Option<&'static str> {
    if model.contains("fable") || model.contains("opus-5-5") {
        return None;
    }
    Some(if model.contains("sonnet-5-5") { "between_tools" } else { "disabled" })
}

impl Provider for Anthropic {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let base = self.config.base_url.trim_end_matches('/');
        let base = base.strip_suffix("/messages").unwrap_or(base);
        let base = base.strip_suffix("/v1").unwrap_or(base);
        let plain = |value: &str| HeaderValue::Plain(value.to_owned());
        let mut headers =
            vec![("content-type", plain(JSON)), ("anthropic-version", plain(VERSION))];
        headers.extend(key.map(|key| ("x-api-key", HeaderValue::Secret(key))));
        let body = self.body(ask).to_string().into_bytes();
        Ok(Request { method: "POST", url: format!("{base}/v1/messages"), headers, body })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let reading = chat::parse(ask, response, &context, take);
        let quiet = hush(&self.config.model).is_some();
        effort::eased(reading, ask, if quiet { &[Feature::EffortLow] } else { &[] })
    }

    fn capacity(&self) -> Capacity {
        Capacity::MODEL
    }

    fn take(&self) -> Option<Take> {
        Some(take)
    }

    fn has_style(&self) -> bool {
        true
    }
}

/// Takes up one answer, or one event of a stream.
fn take(gathered: &mut Gathered, value: &Value) {
    if let Some(error) = ErrorBody::in_success(value) {
        gathered.error = Some(error);
        return;
    }
    let blocks = value.get("content").and_then(Value::as_array);
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("");
    gathered.shaped |= blocks.is_some() || EVENTS.contains(&kind);
    for block in blocks.into_iter().flatten() {
        gathered.text.push_str(text(block));
        // A forced tool's input is the object itself.
        if let Some(input) = block.get("input").filter(|input| input.is_object()) {
            gathered.text.push_str(&input.to_string());
        }
    }
    match kind {
        "message_start" => usage(gathered, value.get("message").unwrap_or(&Value::Null)),
        "content_block_start" => gathered.text.push_str(text(&value["content_block"])),
        "content_block_delta" => gathered.text.push_str(text(&value["delta"])),
        "message_delta" => finish(gathered, &value["delta"]),
        _ => finish(gathered, value),
    }
    usage(gathered, value);
}

/// The events of a stream.
const EVENTS: [&str; 7] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
];

/// Returns a block's or a part's text; what was thought has other names.
fn text(block: &Value) -> &str {
    let written = block.get("text").or_else(|| block.get("partial_json"));
    written.and_then(Value::as_str).unwrap_or("")
}

fn finish(gathered: &mut Gathered, value: &Value) {
    let Some(reason) = value.get("stop_reason").and_then(Value::as_str) else { return };
    gathered.finish = Some(match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Blocked("refusal"),
        _ => Finish::Unknown,
    });
}

/// A stream tells its usage more than once, each time as a whole; what was
/// written into the cache was billed in full.
fn usage(gathered: &mut Gathered, value: &Value) {
    let count = |name| tokens(value, &["usage", name]);
    let used = &mut gathered.usage;
    let input = count("input_tokens").saturating_add(count("cache_creation_input_tokens"));
    used.input = used.input.max(input);
    used.cached = used.cached.max(count("cache_read_input_tokens"));
    used.output = used.output.max(count("output_tokens"));
}

#[cfg(test)]
#[path = "anthropic_tests.rs"]
mod tests;
