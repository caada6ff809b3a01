//! Gemini's generateContent.

use super::{Advice, BadRequest, keyed, prompt_tokens, tokens};
use crate::answer::Answer;
use crate::content::{Batch, Said};
use serde::Deserialize;
use serde_json::{Value, json};

const MODEL: &str = "scripted-1";

#[derive(Deserialize)]
struct Request {
    contents: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    role: Option<String>,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

pub fn batch(body: &[u8]) -> Result<Batch, BadRequest> {
    let request: Request =
        serde_json::from_slice(body).map_err(|_| BadRequest("the body has no contents"))?;
    let is_user = |content: &&Content| content.role.as_deref().is_none_or(|role| role == "user");
    let last = request.contents.iter().rfind(is_user);
    let texts = last.into_iter().flat_map(|content| &content.parts).filter_map(|p| p.text.as_ref());
    let batch = texts.rev().find_map(|text| keyed::last_batch(text));
    batch.ok_or(BadRequest("the last contents part has no JSON object of texts"))
}

pub fn said(batch: &Batch, said: &Said, variant: u64) -> Answer {
    let text = said.text();
    let prompt = prompt_tokens(batch);
    let mut body = json!({
        "usageMetadata": {
            "promptTokenCount": prompt,
            "candidatesTokenCount": tokens(text),
            "totalTokenCount": prompt + tokens(text),
        },
        "modelVersion": MODEL,
    });
    // An empty answer has no candidates, or one that says nothing.
    body["candidates"] = if text.is_empty() && variant % 2 == 1 {
        json!([])
    } else {
        let content = json!({"role": "model", "parts": [{"text": text}]});
        json!([{"index": 0, "finishReason": reason(said), "content": content}])
    };
    Answer::json(200, &body)
}

/// Returns the events of an answer: its pieces, and its end.
pub fn parts(batch: &Batch, said: &Said, pieces: &[&str]) -> Vec<String> {
    let text = said.text();
    let usage = |output: usize| {
        let prompt = prompt_tokens(batch);
        json!({"promptTokenCount": prompt, "candidatesTokenCount": output,
            "totalTokenCount": prompt + output})
    };
    let candidate =
        |text: &str| json!({"index": 0, "content": {"role": "model", "parts": [{"text": text}]}});
    let piece = |piece: &&str| {
        event(&json!({"candidates": [candidate(piece)], "usageMetadata": usage(0),
            "modelVersion": MODEL}))
    };
    let mut parts: Vec<String> = pieces.iter().map(piece).collect();
    let mut last = candidate("");
    last["finishReason"] = json!(reason(said));
    parts.push(event(&json!({"candidates": [last], "usageMetadata": usage(tokens(text)),
        "modelVersion": MODEL})));
    parts
}

pub fn refusal_parts() -> Vec<String> {
    vec![event(&refused())]
}

pub fn error_part() -> String {
    event(&json!({"error": {"code": 503, "message": "The model is overloaded.",
        "status": "UNAVAILABLE"}}))
}

/// The real service ends its lines so.
fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}

fn reason(said: &Said) -> &'static str {
    if matches!(said, Said::Cut(_)) { "MAX_TOKENS" } else { "STOP" }
}

pub fn refusal() -> Answer {
    Answer::json(200, &refused())
}

fn refused() -> Value {
    json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []},
        "usageMetadata": {"promptTokenCount": 0, "totalTokenCount": 0},
        "modelVersion": MODEL,
    })
}

pub fn unavailable() -> Answer {
    error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")
}

pub fn limited(advice: Option<Advice>) -> Answer {
    let message = "Resource has been exhausted (e.g. check quota).";
    let Some(Advice { seconds, limit }) = advice else {
        return error(429, message, "RESOURCE_EXHAUSTED");
    };
    let quota = json!({
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
            "quotaDimensions": {"location": "global", "model": MODEL},
            "quotaValue": limit.to_string(),
        }],
    });
    let retry = json!({
        "@type": "type.googleapis.com/google.rpc.RetryInfo",
        "retryDelay": format!("{seconds}s"),
    });
    let error = json!({
        "code": 429,
        "message": format!("You exceeded your current quota. Please retry in {seconds}s."),
        "status": "RESOURCE_EXHAUSTED",
        "details": [quota, retry],
    });
    Answer::json(429, &json!({"error": error}))
}

pub fn bad_key() -> Answer {
    let detail = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
    });
    let message = "API key not valid. Please pass a valid API key.";
    let error = json!({
        "code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": [detail],
    });
    Answer::json(400, &json!({"error": error}))
}

pub fn error(status: u16, message: &str, name: &str) -> Answer {
    let error = json!({"code": status, "message": message, "status": name});
    Answer::json(status, &json!({"error": error}))
}

pub fn models() -> Answer {
    let model: Value = json!({
        "name": format!("models/{MODEL}"),
        "displayName": "Scripted",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    });
    Answer::json(200, &json!({"models": [model]}))
}
