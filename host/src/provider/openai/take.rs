//! Taking up the values of an answer: chat completions, the Responses API, and
//! the events of their streams.

use serde_json::Value;

use super::super::chat::{Finish, Gathered, tokens};
use super::{broken_off, error_in, finish};
use crate::verdict::Usage;

/// Takes up one answer, or one event of a stream.
pub(in crate::provider) fn take(gathered: &mut Gathered, value: &Value) {
    if value.get("usage").is_some_and(Value::is_object) {
        gathered.usage = usage(&value["usage"]);
    }
    if let Some(choice) = value.pointer("/choices/0") {
        take_choice(gathered, choice);
    }
    gathered.shaped |= value.as_object().is_some_and(serde_json::Map::is_empty)
        || value.get("choices").is_some()
        || value.get("output").is_some();
    if let Some(error) = error_in(value) {
        gathered.error = Some(error);
    }
    if value.get("output").is_some() {
        take_response(gathered, value);
    } else if let Some(kind) = value.get("type").and_then(Value::as_str) {
        take_event(gathered, kind, value);
    }
}

fn take_choice(gathered: &mut Gathered, choice: &Value) {
    let message = choice.get("message").or_else(|| choice.get("delta")).unwrap_or(choice);
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    take_content(gathered, message.get("content").or_else(|| choice.get("text")));
    let reason =
        choice.get("finish_reason").and_then(Value::as_str).filter(|text| !text.is_empty());
    if reason == Some("error") {
        broken_off(gathered);
    }
    if refusal.is_some() {
        gathered.finish = Some(Finish::Blocked("refusal"));
    } else if let Some(reason) = reason
        && !matches!(gathered.finish, Some(Finish::Blocked(_)))
    {
        gathered.finish = Some(finish(reason));
    }
}

/// Content is a text, or a list of parts of which the texts count.
fn take_content(gathered: &mut Gathered, content: Option<&Value>) {
    match content {
        Some(Value::String(text)) => gathered.text.push_str(text),
        Some(Value::Array(parts)) => {
            for part in parts {
                match part.get("type").and_then(Value::as_str) {
                    Some("text" | "output_text") | None => {
                        let text = part.get("text").or(Some(part)).and_then(Value::as_str);
                        gathered.text.push_str(text.unwrap_or(""));
                    }
                    Some("refusal") => gathered.finish = Some(Finish::Blocked("refusal")),
                    Some(_) => {}
                }
            }
        }
        _ => {}
    }
}

/// Takes up an answer of the Responses API.
fn take_response(gathered: &mut Gathered, value: &Value) {
    let output = value.get("output").and_then(Value::as_array).into_iter().flatten();
    for item in output.filter(|item| item.get("type").and_then(Value::as_str) == Some("message")) {
        take_content(gathered, item.get("content"));
    }
    if matches!(gathered.finish, Some(Finish::Blocked(_))) {
        return;
    }
    let reason = value.pointer("/incomplete_details/reason").and_then(Value::as_str);
    gathered.finish = match (value.get("status").and_then(Value::as_str), reason) {
        (_, Some(reason)) => Some(finish(reason)),
        (Some("completed"), None) => Some(Finish::Stop),
        (Some("incomplete"), None) => Some(Finish::Length),
        (Some("failed"), None) => {
            broken_off(gathered);
            None
        }
        _ => Some(Finish::Unknown),
    };
}

/// Takes up an event of the Responses API's stream.
fn take_event(gathered: &mut Gathered, kind: &str, value: &Value) {
    match kind {
        "response.output_text.delta" => {
            gathered.shaped = true;
            take_content(gathered, value.get("delta"));
        }
        "response.refusal.delta" | "response.refusal.done" => {
            gathered.finish = Some(Finish::Blocked("refusal"));
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            let Some(response) = value.get("response") else { return };
            gathered.text.clear();
            take(gathered, response);
        }
        _ => {}
    }
}

/// Cached tokens are inside the input, reasoning tokens inside the output;
/// `DeepSeek` and the Responses API have other names.
fn usage(usage: &Value) -> Usage {
    let first = |paths: &[&[&str]]| {
        paths.iter().map(|path| tokens(usage, path)).find(|count| *count > 0).unwrap_or(0)
    };
    let cached = first(&[
        &["prompt_tokens_details", "cached_tokens"],
        &["input_tokens_details", "cached_tokens"],
        &["prompt_cache_hit_tokens"],
    ]);
    Usage {
        input: first(&[&["prompt_tokens"], &["input_tokens"]]).saturating_sub(cached),
        output: first(&[&["completion_tokens"], &["output_tokens"]]),
        cached,
        reasoning: first(&[
            &["completion_tokens_details", "reasoning_tokens"],
            &["output_tokens_details", "reasoning_tokens"],
        ]),
        cost_micros: usage.get("cost").and_then(Value::as_f64).and_then(micros),
        ..Usage::default()
    }
}

/// `OpenRouter` tells the cost in US dollars, with fractions of a millionth.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was checked")]
fn micros(dollars: f64) -> Option<u64> {
    let micros = (dollars * 1e6).round();
    (0.0..1e12).contains(&micros).then_some(micros as u64)
}
