//! What servers of chat completions do differently, by their hosts and usual
//! ports. What is not in the table is asked as a copy of `OpenAI` is, politely:
//! whatever a server refuses is dropped.

use serde_json::{Value, json};

use super::super::{address, effort};
use crate::provider::Ask;

/// Where a server is found.
enum Place {
    /// At this host or below it.
    Host(&'static str),
    /// At this port, on whatever machine.
    Port(u16),
    /// On this machine.
    Loopback,
}

/// How a reply is made an object where no schema is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Json {
    /// Not at all.
    Never,
    /// By `json_object`.
    Mode,
    /// By `json_object`, which takes a schema with it.
    WithSchema,
}

/// How a server is told to think little.
#[derive(Clone, Copy)]
pub(super) enum Thinking {
    /// Not at all.
    Untold,
    /// By `reasoning_effort`, for the models that this function knows to reason.
    Effort(fn(&str) -> Option<&'static str>),
    /// By `OpenRouter`'s `reasoning`.
    Reasoning,
    /// By `DeepSeek`'s `thinking`.
    Switch,
    /// By what the model's template of the chat understands.
    Template,
}

/// What is known of a server.
pub(super) struct Preset {
    place: Place,
    /// Whether `json_schema` is worth a try.
    pub(super) schema: bool,
    /// What comes after the schema.
    pub(super) json: Json,
    /// The name of the output limit.
    pub(super) limit: &'static str,
    /// How it is told to think little.
    pub(super) thinking: Thinking,
    /// Whether models that reason take a temperature.
    pub(super) warm: bool,
    /// Whether it streams.
    pub(super) streams: bool,
    /// Whether it counts tokens in a stream only when asked to.
    pub(super) counts: bool,
    /// Whether it tells the cost when asked to.
    pub(super) costs: bool,
    /// Whether `x-ratelimit-limit-requests` counts a day.
    pub(super) daily_requests: bool,
}

/// A copy of `OpenAI` of which nothing is known.
const COPY: Preset = Preset {
    place: Place::Host(""),
    schema: true,
    json: Json::Mode,
    limit: "max_tokens",
    thinking: Thinking::Untold,
    warm: true,
    streams: true,
    counts: true,
    costs: false,
    daily_requests: false,
};

/// A server on this machine: most run models that think unless told not to.
const LOCAL: Preset =
    Preset { place: Place::Loopback, json: Json::WithSchema, thinking: Thinking::Template, ..COPY };

/// The servers; the first that fits is taken.
const PRESETS: &[Preset] = &[
    Preset {
        place: Place::Host("openai.com"),
        limit: "max_completion_tokens",
        thinking: Thinking::Effort(effort_of_openai),
        warm: false,
        ..COPY
    },
    Preset {
        place: Place::Host("openrouter.ai"),
        thinking: Thinking::Reasoning,
        counts: false,
        costs: true,
        ..COPY
    },
    Preset {
        place: Place::Host("deepseek.com"),
        schema: false,
        thinking: Thinking::Switch,
        ..COPY
    },
    // It streams, but not together with a schema, which is worth more.
    Preset {
        place: Place::Host("groq.com"),
        limit: "max_completion_tokens",
        thinking: Thinking::Effort(effort_of_groq),
        streams: false,
        daily_requests: true,
        ..COPY
    },
    // It counts in streams unasked, and refuses fields that it does not know.
    Preset { place: Place::Host("mistral.ai"), counts: false, ..COPY },
    // LM Studio; other fields it ignores.
    Preset { place: Place::Port(1234), json: Json::Never, ..COPY },
    // Ollama's `/v1`.
    Preset { place: Place::Port(11434), thinking: Thinking::Effort(|_| Some("none")), ..COPY },
    // llama.cpp; vLLM and llama-cpp-python.
    Preset { place: Place::Port(8080), ..LOCAL },
    Preset { place: Place::Port(8000), ..LOCAL },
    LOCAL,
];

impl Preset {
    /// Returns what is known of the server at an address.
    pub(super) fn of(base_url: &str) -> &'static Self {
        let port = url::Url::parse(base_url).ok().and_then(|url| url.port());
        let fits = |preset: &&Self| match preset.place {
            Place::Host(host) => address::is_host(base_url, host),
            Place::Port(usual) => port == Some(usual),
            Place::Loopback => address::is_loopback(base_url),
        };
        PRESETS.iter().find(fits).unwrap_or(&COPY)
    }

    /// Returns the field that keeps a model from thinking, and what it says.
    pub(super) fn hush(&self, model: &str, ask: &Ask) -> Option<(&'static str, Value)> {
        Some(match self.thinking {
            Thinking::Untold => return None,
            Thinking::Effort(first) => {
                ("reasoning_effort", json!(effort::least(ask, first(model)?)))
            }
            Thinking::Reasoning => ("reasoning", json!({"effort": effort::least(ask, "none")})),
            Thinking::Switch => ("thinking", json!({"type": "disabled"})),
            Thinking::Template => ("chat_template_kwargs", json!({"enable_thinking": false})),
        })
    }

    /// Whether a temperature may be sent to this model.
    pub(super) fn takes_temperature(&self, model: &str) -> bool {
        self.warm || !matches!(self.thinking, Thinking::Effort(first) if first(model).is_some())
    }
}

/// Returns the least effort that a reasoning model of `OpenAI` takes, or none for
/// a model that does not reason. `gpt-5` has `minimal`, its successors `none`,
/// the `o` series starts at `low`.
fn effort_of_openai(model: &str) -> Option<&'static str> {
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

/// `gpt-oss` always reasons, Qwen's models can be kept from it; the others at
/// Groq do not take the field.
fn effort_of_groq(model: &str) -> Option<&'static str> {
    if model.contains("gpt-oss") {
        return Some("low");
    }
    model.contains("qwen3").then_some("none")
}

#[cfg(test)]
#[path = "preset_tests.rs"]
mod tests;
