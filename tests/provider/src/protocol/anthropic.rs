//! Anthropic's messages.

use super::{Advice, BadRequest, openai, prompt_tokens, tokens};
use crate::answer::Answer;
use crate::content::{Batch, Said};
use serde_json::{Value, json};

const MODEL: &str = "scripted-1";

/// Messages have the same form as those of chat completions.
pub fn batch(body: &[u8]) -> Result<Batch, BadRequest> {
    openai::batch(body)
}

pub fn said(batch: &Batch, said: &Said) -> Answer {
    let text = said.text();
    let content = if text.is_empty() { json!([]) } else { json!([{"type": "text", "text": text}]) };
    message(&content, reason(said), (prompt_tokens(batch), tokens(text)))
}

pub fn refusal() -> Answer {
    message(&json!([]), "refusal", (0, 0))
}

/// Returns the events of an answer: its beginning with the first piece, the
/// others, and its end.
pub fn parts(batch: &Batch, said: &Said, pieces: &[&str]) -> Vec<String> {
    let text = said.text();
    let block = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": ""}});
    let begin = begin(prompt_tokens(batch)) + &event(&block) + &event(&json!({"type": "ping"}));
    let mut parts = vec![begin];
    for (at, piece) in pieces.iter().enumerate() {
        let delta = event(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": piece}}));
        if at == 0 { parts[0].push_str(&delta) } else { parts.push(delta) }
    }
    let stop = event(&json!({"type": "content_block_stop", "index": 0}));
    parts.push(stop + &end(reason(said), tokens(text)));
    parts
}

pub fn refusal_parts() -> Vec<String> {
    vec![begin(0), end("refusal", 0)]
}

pub fn error_part() -> String {
    event(&json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
}

pub fn unavailable() -> Answer {
    error(529, "overloaded_error", "Overloaded")
}

pub fn limited(advice: Option<Advice>) -> Answer {
    let answer = error(429, "rate_limit_error", "This request would exceed your rate limit.");
    let Some(Advice { seconds, limit }) = advice else { return answer };
    answer
        .with_header("retry-after", seconds.to_string())
        .with_header("anthropic-ratelimit-requests-limit", limit.to_string())
        .with_header("anthropic-ratelimit-requests-remaining", "0")
}

pub fn bad_key() -> Answer {
    error(401, "authentication_error", "invalid x-api-key")
}

pub fn error(status: u16, kind: &str, message: &str) -> Answer {
    Answer::json(status, &json!({"type": "error", "error": {"type": kind, "message": message}}))
}

fn reason(said: &Said) -> &'static str {
    if matches!(said, Said::Cut(_)) { "max_tokens" } else { "end_turn" }
}

fn message(content: &Value, reason: &str, (input, output): (usize, usize)) -> Answer {
    let body = json!({
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {"input_tokens": input, "output_tokens": output},
    });
    Answer::json(200, &body)
}

fn begin(input: usize) -> String {
    event(&json!({"type": "message_start", "message": {"id": "msg_scripted", "type": "message",
        "role": "assistant", "model": MODEL, "content": [], "stop_reason": null,
        "usage": {"input_tokens": input, "output_tokens": 1}}}))
}

fn end(reason: &str, output: usize) -> String {
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason},
        "usage": {"output_tokens": output}});
    event(&delta) + &event(&json!({"type": "message_stop"}))
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
