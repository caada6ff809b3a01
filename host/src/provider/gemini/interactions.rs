//! The Interactions API of Gemini, which is asked where the settings' address
//! ends in `/interactions`: one request, nothing stored at Google.
//!
//! Source: ai.google.dev/gemini-api/docs/interactions, in its form since May 2026.

use serde_json::{Value, json};

use super::super::address::JSON;
use super::super::body::ErrorBody;
use super::super::chat::{Finish, Gathered, tokens};
use super::super::prompt;
use super::level;
use crate::provider::Ask;
use crate::verdict::{Feature, Usage};

/// Tells whether an address is that of this API.
pub(super) fn is_address(base_url: &str) -> bool {
    base_url.ends_with("/interactions")
}

/// Returns the request's body.
pub(super) fn body(ask: &Ask, model: &str) -> Value {
    let keeps = |feature| !ask.dropped.contains(&feature);
    let mut generation = json!({});
    if keeps(Feature::MaxTokens) {
        generation["max_output_tokens"] = json!(prompt::max_tokens(ask));
    }
    if keeps(Feature::Thinking)
        && let Some(level) = level(ask, model)
    {
        generation["thinking_level"] = json!(level);
    }
    if ask.fresh && keeps(Feature::Temperature) {
        generation["temperature"] = json!(1.3);
    }
    let mut body = json!({
        "model": model,
        "system_instruction": prompt::system(ask),
        "input": prompt::user(ask),
        "generation_config": generation,
        "store": false,
    });
    let format = json!({"type": "text", "mime_type": JSON});
    if keeps(Feature::JsonSchema) {
        body["response_format"] = format;
        body["response_format"]["schema"] = prompt::schema(ask);
    } else if keeps(Feature::JsonMode) {
        body["response_format"] = format;
    }
    if ask.stream && keeps(Feature::Stream) {
        body["stream"] = json!(true);
    }
    body
}

/// Takes up an answer or an event, if it is one of this API.
pub(super) fn take(gathered: &mut Gathered, value: &Value) -> bool {
    let Some(event) = value.get("event_type").and_then(Value::as_str) else {
        let own = value.get("steps").is_some();
        if own {
            whole(gathered, value);
        }
        return own;
    };
    gathered.shaped = true;
    match event {
        "step.delta" => gathered.text.push_str(written(&value["delta"])),
        "interaction.completed" => whole(gathered, &value["interaction"]),
        _ => {}
    }
    true
}

/// Takes up the whole interaction. Its text counts only where no part of it came
/// before.
fn whole(gathered: &mut Gathered, value: &Value) {
    if let Some(error) = ErrorBody::in_success(value) {
        gathered.error = Some(error);
    }
    gathered.shaped = true;
    if gathered.text.is_empty() {
        let steps = value.get("steps").and_then(Value::as_array).into_iter().flatten();
        let output = steps.filter(|step| step["type"].as_str() == Some("model_output"));
        let parts = output.filter_map(|step| step.get("content")?.as_array()).flatten();
        parts.for_each(|part| gathered.text.push_str(written(part)));
    }
    if value.get("usage").is_some() {
        gathered.usage = usage(value);
    }
    gathered.finish = match value.get("status").and_then(Value::as_str) {
        Some("completed") => Some(Finish::Stop),
        Some("incomplete") => Some(Finish::Length),
        Some("failed") => {
            gathered.error.get_or_insert_default();
            None
        }
        _ => Some(Finish::Unknown),
    };
}

/// Returns the text of a part; thoughts and calls are of other types.
fn written(part: &Value) -> &str {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
    let text = part.get("text").and_then(Value::as_str);
    text.filter(|_| kind == "text").unwrap_or("")
}

/// The input has the cached tokens in it, the output has the thoughts not in it.
fn usage(value: &Value) -> Usage {
    let count = |name| tokens(value, &["usage", name]);
    let (cached, reasoning) = (count("total_cached_tokens"), count("total_thought_tokens"));
    Usage {
        input: count("total_input_tokens").saturating_sub(cached),
        output: count("total_output_tokens").saturating_add(reasoning),
        cached,
        reasoning,
        ..Usage::default()
    }
}

#[cfg(test)]
#[path = "interactions_tests.rs"]
mod tests;
