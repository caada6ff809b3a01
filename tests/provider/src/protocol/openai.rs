//! Chat completions, as many servers speak them.

use super::{Advice, BadRequest, keyed, prompt_tokens, tokens};
use crate::answer::Answer;
use crate::content::{Batch, Said};
use serde::Deserialize;
use serde_json::{Value, json};

const MODEL: &str = "scripted-1";

const REFUSAL: &str = "I'm sorry, I can't assist with that.";

#[derive(Deserialize)]
struct Request {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

pub fn batch(body: &[u8]) -> Result<Batch, BadRequest> {
    let request: Request =
        serde_json::from_slice(body).map_err(|_| BadRequest("the body has no messages"))?;
    let last = request.messages.iter().rfind(|message| message.role == "user");
    let batch = match last.map(|message| &message.content) {
        Some(Content::Text(text)) => keyed::last_batch(text),
        Some(Content::Parts(parts)) => {
            let texts = parts.iter().filter_map(|part| part.text.as_ref());
            texts.rev().find_map(|text| keyed::last_batch(text))
        }
        None => None,
    };
    batch.ok_or(BadRequest("the last user message has no JSON object of texts"))
}

pub fn said(batch: &Batch, said: &Said, variant: u64) -> Answer {
    let text = said.text();
    // An empty answer says nothing, or has no content at all.
    let is_null = text.is_empty() && variant % 2 == 1;
    let content = if is_null { Value::Null } else { json!(text) };
    completion(&content, &Value::Null, reason(said), (prompt_tokens(batch), tokens(text)))
}

/// Returns the events of an answer: its pieces, and its end with the usage and
/// the mark after it.
pub fn parts(batch: &Batch, said: &Said, pieces: &[&str]) -> Vec<String> {
    let text = said.text();
    let mut parts: Vec<String> =
        pieces.iter().map(|piece| chunk(&json!({"content": piece}), &Value::Null)).collect();
    parts.push(end(reason(said), (prompt_tokens(batch), tokens(text))));
    parts
}

pub fn refusal_parts() -> Vec<String> {
    vec![chunk(&json!({"refusal": REFUSAL}), &Value::Null), end("stop", (0, 0))]
}

pub fn error_part() -> String {
    let error = json!({"message": "The engine is currently overloaded.",
        "type": "service_unavailable_error", "param": null, "code": "server_is_overloaded"});
    event(&json!({"error": error}))
}

fn reason(said: &Said) -> &'static str {
    if matches!(said, Said::Cut(_)) { "length" } else { "stop" }
}

fn chunk(delta: &Value, reason: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
    event(&json!({"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
        "model": MODEL, "choices": [choice]}))
}

fn end(reason: &str, (prompt, completion): (usize, usize)) -> String {
    let usage = json!({"prompt_tokens": prompt, "completion_tokens": completion,
        "total_tokens": prompt + completion});
    let last = json!({"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
        "model": MODEL, "choices": [], "usage": usage});
    chunk(&json!({}), &json!(reason)) + &event(&last) + "data: [DONE]\n\n"
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

pub fn refusal() -> Answer {
    // The finish reason stays `stop`, as with the real service.
    completion(&Value::Null, &json!(REFUSAL), "stop", (0, 0))
}

pub fn unavailable() -> Answer {
    let message = "The engine is currently overloaded, please try again later.";
    error(503, message, "service_unavailable_error", Some("server_is_overloaded"))
}

pub fn limited(advice: Option<Advice>) -> Answer {
    let code = Some("rate_limit_exceeded");
    let answer = error(429, "Rate limit reached. Please slow down.", "rate_limit_error", code);
    let Some(Advice { seconds, limit }) = advice else { return answer };
    answer
        .with_header("retry-after", seconds.to_string())
        .with_header("x-ratelimit-limit-requests", limit.to_string())
        .with_header("x-ratelimit-remaining-requests", "0")
        .with_header("x-ratelimit-reset-requests", format!("{seconds}s"))
}

pub fn bad_key() -> Answer {
    error(401, "Incorrect API key provided.", "invalid_request_error", Some("invalid_api_key"))
}

pub fn error(status: u16, message: &str, kind: &str, code: Option<&str>) -> Answer {
    let error = json!({"message": message, "type": kind, "param": null, "code": code});
    Answer::json(status, &json!({"error": error}))
}

pub fn models() -> Answer {
    let model = json!({"id": MODEL, "object": "model", "created": 0, "owned_by": "scripted"});
    Answer::json(200, &json!({"object": "list", "data": [model]}))
}

fn completion(content: &Value, refusal: &Value, reason: &str, tokens: (usize, usize)) -> Answer {
    let message = json!({"role": "assistant", "content": content, "refusal": refusal});
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": reason});
    let (prompt, completion) = tokens;
    let body = json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    });
    Answer::json(200, &body)
}
