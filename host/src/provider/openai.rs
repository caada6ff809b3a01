//! Chat completions as `OpenAI` has them, at any address. Answers of the Responses
//! API and of streams are read as well.
//!
//! Source: platform.openai.com/docs/api-reference, and the servers that copy it;
//! what they do differently stands where it matters.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered};
use super::prompt;
use super::rules::Context;
use crate::provider::{Answer, Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Class, Failure, Feature, Reading};

mod take;

/// A model behind a server that speaks chat completions.
#[derive(Debug)]
pub struct OpenAi {
    config: Config,
}

impl OpenAi {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// Whether this is `OpenAI`'s own server, which is stricter than its copies.
    fn is_own(&self) -> bool {
        address::is_host(&self.config.base_url, "openai.com")
    }

    fn body(&self, ask: &Ask) -> Value {
        let keeps = |feature| !ask.dropped.contains(&feature);
        let model = self.config.model.as_str();
        let mut body = json!({
            "model": model,
            "messages": [
                {"role": "system", "content": prompt::system(ask)},
                {"role": "user", "content": prompt::user(ask)},
            ],
        });
        if ask.stream {
            body["stream"] = json!(true);
            body["stream_options"] = json!({"include_usage": true});
        }
        if keeps(Feature::JsonSchema) {
            let schema = json!({"name": "t", "strict": true, "schema": prompt::schema(ask)});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        } else if keeps(Feature::JsonMode) {
            // llama-cpp-python and llama.cpp take the schema here; others ignore it.
            let mut format = json!({"type": "json_object"});
            if address::is_loopback(&self.config.base_url) {
                format["schema"] = prompt::schema(ask);
            }
            body["response_format"] = format;
        }
        if keeps(Feature::MaxTokens) {
            let name = if self.is_own() { "max_completion_tokens" } else { "max_tokens" };
            body[name] = json!(prompt::max_tokens(ask));
        }
        let effort = if self.is_own() { least_effort(model) } else { None };
        if keeps(Feature::Thinking)
            && let Some(effort) = effort
        {
            body["reasoning_effort"] = json!(effort);
        }
        if keeps(Feature::Temperature) && effort.is_none() {
            body["temperature"] = json!(if ask.fresh { 1.0 } else { 0.2 });
        }
        body
    }
}

/// Returns the least effort that a reasoning model of `OpenAI` takes, or none for
/// a model that does not reason. `gpt-5` has `minimal`, its successors `none`,
/// the `o` series starts at `low`; what is refused is dropped.
fn least_effort(model: &str) -> Option<&'static str> {
    let version = model.strip_prefix("gpt-");
    if version.is_some_and(|v| v.starts_with("5.") || v.starts_with(['6', '7', '8', '9'])) {
        return Some("none");
    }
    if version.is_some_and(|v| v.starts_with('5')) {
        return Some("minimal");
    }
    let series =
        model.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    series.then_some("low")
}

impl Provider for OpenAi {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let base = self.config.base_url.trim_end_matches('/');
        let base = base.strip_suffix("/chat/completions").unwrap_or(base);
        let mut headers = vec![("content-type", HeaderValue::Plain(JSON.to_owned()))];
        headers
            .extend(key.map(|key| ("authorization", HeaderValue::Secret(format!("Bearer {key}")))));
        Ok(Request {
            method: "POST",
            url: format!("{base}/chat/completions"),
            headers,
            body: self.body(ask).to_string().into_bytes(),
        })
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context {
            key: self.config.key.as_ref().map(|key| key.0.as_str()),
            pacific: false,
            slow_503: false,
            daily_requests: address::is_host(&self.config.base_url, "groq.com"),
            dropped: &ask.dropped,
        };
        if let Response::Answer(answer) = response
            && let Some(reading) = failed_generation(ask, answer)
        {
            return reading;
        }
        chat::parse(ask, response, &context, take::take)
    }

    fn capacity(&self) -> Capacity {
        let local = address::is_loopback(&self.config.base_url);
        Capacity {
            segments: if local { 10 } else { 40 },
            chars: if local { 2_000 } else { 8_000 },
            first_segments: if local { 4 } else { 8 },
            concurrency: if local { 1 } else { 6 },
            independent: false,
            hints: true,
            believed: false,
            needs_source: false,
            streams: true,
        }
    }

    fn take(&self) -> Option<chat::Take> {
        Some(take::take)
    }
}

/// Groq repeats in a 400 what the model wrote when it does not fit the schema:
/// its items count if there are any, else the error is read as any other.
fn failed_generation(ask: &Ask, answer: &Answer) -> Option<Reading> {
    if answer.status != 400 {
        return None;
    }
    let value: Value = serde_json::from_slice(&answer.body).ok()?;
    let text = value.pointer("/error/failed_generation")?.as_str()?;
    let reading = chat::read(text, ask, true);
    match reading.class {
        Class::Ok => Some(reading),
        _ if reading.items.is_empty() => None,
        _ => Some(Reading { class: Class::Partial, ..reading }),
    }
}

/// Returns an error inside a value of a good answer, wherever servers put it.
fn error_in(value: &Value) -> Option<ErrorBody> {
    let choice = value.pointer("/choices/0").and_then(ErrorBody::in_success);
    choice.or_else(|| ErrorBody::in_success(value))
}

/// Reads why a model stopped.
fn finish(reason: &str) -> Finish {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" | "end_turn" => Finish::Stop,
        "length" | "model_length" | "max_tokens" | "max_output_tokens" => Finish::Length,
        "content_filter" | "safety" | "sensitive" => Finish::Blocked("content_filter"),
        "insufficient_system_resource" => Finish::Overloaded,
        _ => Finish::Unknown,
    }
}

/// An answer that broke off on the server's side without saying more.
fn broken_off(gathered: &mut Gathered) {
    if gathered.error.is_none() {
        gathered.error = Some(ErrorBody::default());
    }
}

#[cfg(test)]
mod tests;
