//! How each protocol carries a batch and an answer. Pure: bytes in, values out.
//!
//! Each protocol has one file with the same functions: read the batch, and
//! write what the engine said, a refusal, an overload and a limit; where it
//! knows parts, also what was said, a refusal and an error in parts.

mod anthropic;
mod apertium;
mod gemini;
mod keyed;
mod ollama;
mod openai;
mod parts;

pub use parts::Wishes;

use crate::answer::Answer;
use crate::content::{Batch, Said, said};
use crate::schedule::{Decision, Outcome};
use crate::script::Script;
use serde::Serialize;

/// A protocol that the provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Gemini, `POST /v1beta/models/{model}:generateContent`, and
    /// `:streamGenerateContent` for an answer in parts.
    Gemini,
    /// Chat completions, `POST {any prefix}/chat/completions`.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic, `POST /v1/messages`.
    Anthropic,
    /// Ollama, `POST /api/chat`.
    Ollama,
    /// Apertium APY, `POST /translate`.
    Apertium,
}

/// What a 429 tells: when to come back, and how many calls a minute it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Time until the window has room, in whole seconds, at least one.
    pub seconds: u64,
    /// Calls a minute.
    pub limit: u32,
}

/// Why a call carried no batch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRequest(pub &'static str);

impl Protocol {
    /// Returns the protocol that a POST to `path` speaks.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let is_gemini = [":generateContent", ":streamGenerateContent"]
            .iter()
            .any(|method| path.starts_with("/v1beta/models/") && path.ends_with(method));
        match path {
            _ if is_gemini => Some(Self::Gemini),
            _ if path.ends_with("/chat/completions") => Some(Self::OpenAi),
            "/v1/messages" => Some(Self::Anthropic),
            "/api/chat" => Some(Self::Ollama),
            "/translate" => Some(Self::Apertium),
            _ => None,
        }
    }

    /// Returns what a GET of `path` lists: the models or the language pairs.
    #[must_use]
    pub fn list(path: &str) -> Option<Answer> {
        match path {
            "/v1beta/models" => Some(gemini::models()),
            "/api/tags" => Some(ollama::models()),
            "/listPairs" => Some(apertium::pairs()),
            _ => path.ends_with("/models").then(openai::models),
        }
    }

    /// Says whether the engine behind the protocol can refuse a text.
    #[must_use]
    pub fn refuses(self) -> bool {
        self != Self::Apertium
    }

    /// Returns the header that carries the key, and what stands before the key.
    #[must_use]
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Gemini => ("x-goog-api-key", ""),
            Self::Anthropic => ("x-api-key", ""),
            Self::OpenAi | Self::Ollama | Self::Apertium => ("authorization", "Bearer "),
        }
    }

    /// Reads the batch out of a request's body.
    ///
    /// # Errors
    /// When there is none.
    pub fn batch(self, body: &[u8]) -> Result<Batch, BadRequest> {
        let batch = match self {
            Self::Gemini => gemini::batch(body),
            Self::OpenAi => openai::batch(body),
            Self::Anthropic => anthropic::batch(body),
            Self::Ollama => ollama::batch(body),
            Self::Apertium => apertium::batch(body),
        }?;
        if batch.items.is_empty() { Err(BadRequest("the batch is empty")) } else { Ok(batch) }
    }

    /// Returns the answer to `batch` that was decided.
    #[must_use]
    pub fn answer(self, batch: &Batch, decision: &Decision, script: &Script) -> Answer {
        match decision.outcome {
            Outcome::Refused => self.refusal(),
            Outcome::Unavailable => self.unavailable(),
            Outcome::TooMany => self.limited(None),
            Outcome::RateLimited => self.limited(advice(decision, script)),
            outcome => self.said(batch, &said(batch, outcome, decision.variant), decision.variant),
        }
    }

    /// Returns the answer to a call that carries no batch.
    #[must_use]
    pub fn bad_request(self, reason: &BadRequest) -> Answer {
        self.error(400, &reason.to_string())
    }

    /// Returns the answer to a call without the right key.
    #[must_use]
    pub fn unauthorized(self) -> Answer {
        match self {
            Self::Gemini => gemini::bad_key(),
            Self::OpenAi => openai::bad_key(),
            Self::Anthropic => anthropic::bad_key(),
            Self::Ollama | Self::Apertium => self.error(401, "Unauthorized"),
        }
    }

    fn said(self, batch: &Batch, said: &Said, variant: u64) -> Answer {
        match self {
            Self::Gemini => gemini::said(batch, said, variant),
            Self::OpenAi => openai::said(batch, said, variant),
            Self::Anthropic => anthropic::said(batch, said),
            Self::Ollama => ollama::said(batch, said),
            Self::Apertium => apertium::said(said),
        }
    }

    fn refusal(self) -> Answer {
        match self {
            Self::Gemini => gemini::refusal(),
            Self::OpenAi => openai::refusal(),
            Self::Anthropic => anthropic::refusal(),
            Self::Ollama => ollama::refusal(),
            Self::Apertium => self.error(500, "Apertium refuses nothing"),
        }
    }

    fn unavailable(self) -> Answer {
        match self {
            Self::Gemini => gemini::unavailable(),
            Self::OpenAi => openai::unavailable(),
            Self::Anthropic => anthropic::unavailable(),
            Self::Ollama => ollama::unavailable(),
            Self::Apertium => self.error(503, "internal error"),
        }
    }

    fn limited(self, advice: Option<Advice>) -> Answer {
        match self {
            Self::Gemini => gemini::limited(advice),
            Self::OpenAi => openai::limited(advice),
            Self::Anthropic => anthropic::limited(advice),
            Self::Ollama => ollama::limited(advice),
            Self::Apertium => apertium::limited(advice),
        }
    }

    fn error(self, status: u16, message: &str) -> Answer {
        match self {
            Self::Gemini => gemini::error(status, message, "INVALID_ARGUMENT"),
            Self::OpenAi => openai::error(status, message, "invalid_request_error", None),
            Self::Anthropic => anthropic::error(status, "invalid_request_error", message),
            Self::Ollama => ollama::error(status, message),
            Self::Apertium => apertium::error(status, message),
        }
    }
}

fn advice(decision: &Decision, script: &Script) -> Option<Advice> {
    let wait = decision.retry_after.filter(|_| script.advice)?;
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    Some(Advice { seconds: seconds.max(1), limit: script.requests_per_minute? })
}

/// Returns a guess at the tokens of a text, for the usage of an answer.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Returns a guess at the tokens of a batch as it was sent.
fn prompt_tokens(batch: &Batch) -> usize {
    batch.items.iter().map(|item| tokens(&item.text) + 3).sum()
}

#[cfg(test)]
mod tests;
