//! Ollama's own API, `/api/chat`, whole or streamed as one JSON object a line.
//!
//! Source: docs.ollama.com/api, and `api/types.go` and `server/routes.go` of
//! Ollama. Its `/v1` cannot set the size of the context, and cuts the head of a
//! longer prompt off without a word; so this API is asked, and answers of `/v1`
//! are only read.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered, Take, tokens};
use super::rules::Context;
use super::{openai, prompt};
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Failure, Feature, Reading, Usage};

/// Holds a full batch, so that most calls ask for the same size: another one
/// makes the server load the model anew.
const LEAST_CONTEXT: usize = 8_192;
/// More would not fit into most machines; a longer prompt is refused and split.
const MOST_CONTEXT: usize = 32_768;
/// Characters in one call.
const CHARS: usize = 2_000;

/// A model in a server of Ollama.
#[derive(Debug)]
pub struct Ollama {
    config: Config,
}

impl Ollama {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    fn body(&self, ask: &Ask, model: &str) -> Value {
        let keeps = |feature| !ask.dropped.contains(&feature);
        let (system, user) = (prompt::system(ask), prompt::user(ask));
        let set = self.config.context_tokens.map(|tokens| tokens as usize);
        let context = set.unwrap_or_else(|| context(ask, system.len() + user.len()));
        let mut options = json!({"num_ctx": context});
        if keeps(Feature::MaxTokens) {
            options["num_predict"] = json!(prompt::max_tokens(ask));
        }
        if keeps(Feature::Temperature) {
            options["temperature"] = json!(if ask.fresh { 1.0 } else { 0.2 });
        }
        // It streams unless told not to, and rather cuts than refuses a prompt.
        let mut body = json!({
            "model": model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
            ],
            "stream": ask.stream && keeps(Feature::Stream),
            "truncate": false,
            "shift": false,
            "options": options,
        });
        if keeps(Feature::JsonSchema) {
            body["format"] = prompt::schema(ask);
        } else if keeps(Feature::JsonMode) {
            body["format"] = json!("json");
        }
        if keeps(Feature::Thinking) {
            // `gpt-oss` always thinks, and only it takes a level.
            body["think"] = if model.contains("gpt-oss") { json!("low") } else { json!(false) };
        }
        body
    }
}

/// Returns the size of the context that holds a prompt of so many bytes and its
/// answer: two bytes are at least a token in every script, and a translation has
/// at most three tokens for two characters of its source.
fn context(ask: &Ask, prompt_bytes: usize) -> usize {
    let chars: usize = ask.texts.iter().map(|text| text.text.chars().count()).sum();
    let answer = chars * 3 / 2 + 16 * ask.texts.len();
    let answer = if ask.raised { 2 * answer } else { answer };
    (prompt_bytes / 2 + answer).next_power_of_two().clamp(LEAST_CONTEXT, MOST_CONTEXT)
}

impl Provider for Ollama {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let model = self.config.model.trim();
        if model.is_empty() {
            return Err(Failure::Misconfigured);
        }
        let key = address::optional_key(&self.config);
        let mut base = self.config.base_url.trim_end_matches('/');
        for end in ["/chat", "/api", "/v1"] {
            base = base.strip_suffix(end).unwrap_or(base);
        }
        let mut headers = vec![("content-type", HeaderValue::Plain(JSON.to_owned()))];
        headers
            .extend(key.map(|key| ("authorization", HeaderValue::Secret(format!("Bearer {key}")))));
        let body = self.body(ask, model).to_string().into_bytes();
        Ok(Request { method: "POST", url: format!("{base}/api/chat"), headers, body })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        chat::parse(ask, response, &context, take)
    }

    /// A small context takes small batches: a third of it for the text, a third
    /// for the answer, and the rest for the prompt.
    fn capacity(&self) -> Capacity {
        let context = self.config.context_tokens.map_or(LEAST_CONTEXT, |tokens| tokens as usize);
        Capacity {
            segments: 10,
            chars: (context / 3).min(CHARS),
            first_segments: 4,
            concurrency: 1,
            ..Capacity::MODEL
        }
    }

    fn take(&self) -> Option<Take> {
        Some(take)
    }

    fn has_style(&self) -> bool {
        true
    }
}

/// Takes up one answer, or one line of a stream.
fn take(gathered: &mut Gathered, value: &Value) {
    if value.get("choices").is_some() {
        return openai::take(gathered, value);
    }
    if let Some(error) = ErrorBody::in_success(value) {
        gathered.error = Some(error);
        return;
    }
    let message = value.get("message").filter(|message| message.is_object());
    gathered.shaped |= message.is_some() || value.get("done").is_some();
    let content = message.and_then(|message| message.get("content")).and_then(Value::as_str);
    gathered.text.push_str(content.unwrap_or(""));
    if value.get("done").and_then(Value::as_bool) == Some(true) {
        gathered.finish = Some(match value.get("done_reason").and_then(Value::as_str) {
            Some("stop") | None => Finish::Stop,
            Some("length") => Finish::Length,
            Some(_) => Finish::Unknown,
        });
        gathered.usage = Usage {
            input: tokens(value, &["prompt_eval_count"]),
            output: tokens(value, &["eval_count"]),
            ..Usage::default()
        };
    }
}

#[cfg(test)]
#[path = "ollama_tests.rs"]
mod tests;
