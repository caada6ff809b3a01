//! Ollama's own chat: one JSON object, or one a line.

use super::{Advice, BadRequest, openai, prompt_tokens, tokens};
use crate::answer::Answer;
use crate::content::{Batch, Said};
use serde_json::{Value, json};

const MODEL: &str = "scripted-1";

/// Local models have no filter: they refuse in words.
const REFUSAL: &str = "I'm sorry, but I can't assist with that.";

/// Messages have the same form as those of chat completions.
pub fn batch(body: &[u8]) -> Result<Batch, BadRequest> {
    openai::batch(body)
}

pub fn said(batch: &Batch, said: &Said) -> Answer {
    let text = said.text();
    Answer::json(200, &last(text, reason(said), (prompt_tokens(batch), tokens(text))))
}

pub fn refusal() -> Answer {
    Answer::json(200, &last(REFUSAL, "stop", (0, 0)))
}

/// Returns the lines of an answer: its pieces, and its end.
pub fn parts(batch: &Batch, said: &Said, pieces: &[&str]) -> Vec<String> {
    let text = said.text();
    let mut parts: Vec<String> = pieces.iter().map(|piece| line(&part(piece))).collect();
    parts.push(line(&last("", reason(said), (prompt_tokens(batch), tokens(text)))));
    parts
}

pub fn refusal_parts() -> Vec<String> {
    vec![line(&part(REFUSAL)), line(&last("", "stop", (0, 0)))]
}

pub fn error_part() -> String {
    line(&json!({"error": "an error was encountered while running the model"}))
}

pub fn unavailable() -> Answer {
    error(503, "server busy, please try again.  maximum pending requests exceeded")
}

pub fn limited(advice: Option<Advice>) -> Answer {
    let answer = error(429, "too many requests");
    match advice {
        Some(Advice { seconds, .. }) => answer.with_header("retry-after", seconds.to_string()),
        None => answer,
    }
}

pub fn error(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({"error": message}))
}

pub fn models() -> Answer {
    let model = json!({"name": MODEL, "model": MODEL, "size": 0, "details": {"format": "gguf"}});
    Answer::json(200, &json!({"models": [model]}))
}

fn reason(said: &Said) -> &'static str {
    if matches!(said, Said::Cut(_)) { "length" } else { "stop" }
}

fn part(text: &str) -> Value {
    let message = json!({"role": "assistant", "content": text});
    json!({"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})
}

fn last(text: &str, reason: &str, (input, output): (usize, usize)) -> Value {
    let mut last = part(text);
    last["done"] = json!(true);
    last["done_reason"] = json!(reason);
    last["prompt_eval_count"] = json!(input);
    last["eval_count"] = json!(output);
    last
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
