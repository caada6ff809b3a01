//! Chat completions as `OpenAI` has them, at any address. Answers of the Responses
//! API and of streams are read as well.
//!
//! Source: platform.openai.com/docs/api-reference, and the servers that copy it;
//! what they do differently stands where it matters.

use serde_json::{Value, json};

use super::address::{self, JSON};
use super::body::ErrorBody;
use super::chat::{self, Finish, Gathered, Take};
use super::rules::Context;
use super::{effort, prompt};
use crate::provider::{Answer, Ask, Capacity, Config, HeaderValue, Provider, Request, Response};
use crate::verdict::{Class, Failure, Feature, Reading};

mod preset;
mod take;

pub(in crate::provider) use take::take;

use preset::{Json, Preset, Thinking};

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

    fn preset(&self) -> &'static Preset {
        Preset::of(&self.config.base_url)
    }

    fn body(&self, ask: &Ask) -> Value {
        let keeps = |feature| !ask.dropped.contains(&feature);
        let (preset, model) = (self.preset(), self.config.model.as_str());
        let mut body = json!({
            "model": model,
            "messages": [
                {"role": "system", "content": prompt::system(ask)},
                {"role": "user", "content": prompt::user(ask)},
            ],
        });
        if let Some(format) = format(preset, ask) {
            body["response_format"] = format;
        }
        if keeps(Feature::MaxTokens) {
            body[preset.limit] = json!(prompt::max_tokens(ask));
        }
        if keeps(Feature::Thinking)
            && let Some((field, value)) = preset.hush(model, ask)
        {
            body[field] = value;
        }
        if keeps(Feature::Temperature) && preset.takes_temperature(model) {
            body["temperature"] = json!(if ask.fresh { 1.0 } else { 0.2 });
        }
        if preset.costs {
            body["usage"] = json!({"include": true});
        }
        if ask.stream && preset.streams && keeps(Feature::Stream) {
            body["stream"] = json!(true);
            if preset.counts {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        body
    }
}

/// Returns the form that is asked for: the strictest that was not refused.
fn format(preset: &Preset, ask: &Ask) -> Option<Value> {
    let keeps = |feature| !ask.dropped.contains(&feature);
    if preset.schema && keeps(Feature::JsonSchema) {
        let schema = json!({"name": "t", "strict": true, "schema": prompt::schema(ask)});
        return Some(json!({"type": "json_schema", "json_schema": schema}));
    }
    match preset.json {
        Json::Mode if keeps(Feature::JsonMode) => Some(json!({"type": "json_object"})),
        Json::WithSchema if keeps(Feature::JsonMode) => {
            Some(json!({"type": "json_object", "schema": prompt::schema(ask)}))
        }
        _ => None,
    }
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

    fn is_strict(&self, ask: &Ask) -> bool {
        self.preset().schema && !ask.dropped.contains(&Feature::JsonSchema)
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let preset = self.preset();
        let mut dropped = ask.dropped.clone();
        if !preset.schema {
            dropped.insert(Feature::JsonSchema);
        }
        let context = Context {
            daily_requests: preset.daily_requests,
            dropped: &dropped,
            ..Context::of(&self.config, ask)
        };
        if let Response::Answer(answer) = response
            && let Some(reading) = failed_generation(ask, answer)
        {
            return reading;
        }
        let reading = chat::parse(ask, response, &context, take);
        match preset.thinking {
            // Most models there must think, and none refuses to think least.
            Thinking::Reasoning => {
                effort::eased(reading, ask, &[Feature::EffortMinimal, Feature::EffortLow])
            }
            _ => reading,
        }
    }

    fn capacity(&self) -> Capacity {
        let local = address::is_loopback(&self.config.base_url);
        Capacity {
            segments: if local { 10 } else { 40 },
            chars: if local { 2_000 } else { 8_000 },
            first_segments: if local { 4 } else { 8 },
            concurrency: if local { 1 } else { 6 },
            streams: self.preset().streams,
            ..Capacity::MODEL
        }
    }

    fn take(&self) -> Option<Take> {
        self.preset().streams.then_some(take as Take)
    }

    fn has_style(&self) -> bool {
        true
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
