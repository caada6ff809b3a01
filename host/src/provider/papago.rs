//! Naver's Papago on its Cloud Platform. The key is an application's id and its
//! secret, as `ID:SECRET`.
//!
//! Source: api.ncloud-docs.com/docs/ai-naver-papagonmt. A call has one text; a
//! batch is its lines, and what comes back with other lines is never mapped.

use serde_json::json;

use super::address;
use super::codes::PAPAGO;
use super::engine::{self, Sent};
use super::html::{Form, Shape};
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response, Style};
use crate::verdict::{Failure, Reading};

/// It takes plain text: tags travel as they are on the wire, and entities are
/// none to it.
const FORM: Form = Form { shape: Shape::Bare, strokes: true, escapes: false, decodes: false };

/// The service's own limit in one call.
const MOST_CHARS: usize = 5_000;

/// Papago.
#[derive(Debug)]
pub struct Papago {
    config: Config,
}

impl Papago {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// Returns the id and the secret.
    fn credentials(&self) -> Result<Option<(String, String)>, Failure> {
        let Some(key) = address::key(&self.config)? else { return Ok(None) };
        let (id, secret) = key.split_once(':').ok_or(Failure::Unauthorized)?;
        let (id, secret) = (id.trim(), secret.trim());
        let whole = !id.is_empty() && !secret.is_empty();
        if whole {
            Ok(Some((id.to_owned(), secret.to_owned())))
        } else {
            Err(Failure::Unauthorized)
        }
    }
}

impl Provider for Papago {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let credentials = self.credentials()?;
        let (source, target) = PAPAGO.pair(ask)?;
        let text = Sent::new(ask, &FORM).texts.join("\n");
        if text.chars().count() > MOST_CHARS {
            return Err(Failure::TooLong);
        }
        let mut body = json!({
            "source": source.as_deref().unwrap_or("auto"),
            "target": target,
            "text": text,
        });
        if self.config.style == Style::Formal && matches!(target.as_str(), "ko" | "ja") {
            body["honorific"] = json!(true);
        }
        let headers = credentials.into_iter().flat_map(|(id, secret)| {
            [
                ("x-ncp-apigw-api-key-id", HeaderValue::Secret(id)),
                ("x-ncp-apigw-api-key", HeaderValue::Secret(secret)),
            ]
        });
        Ok(engine::post(engine::below(&self.config, "/nmt/v1/translation"), headers, &body))
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let secret = context.key.map(|key| key.split_once(':').map_or(key, |(_, secret)| secret));
        let context = Context { key: secret.map(str::trim), ..context };
        let sent = Sent::new(ask, &FORM);
        sent.parse(response, &context, |values, _| {
            let found = values.first()?.pointer("/message/result/translatedText")?.as_str()?;
            Some(lines(&sent.texts, found))
        })
    }

    /// 5,000 characters are the service's limit, line breaks among them. The
    /// lines share one detection, and one may run into the next: what looks
    /// doubtful is asked alone.
    fn capacity(&self) -> Capacity {
        Capacity {
            segments: 40,
            chars: 4_500,
            first_segments: 8,
            concurrency: 2,
            believed: false,
            ..Capacity::ENGINE
        }
    }

    fn has_style(&self) -> bool {
        true
    }
}

/// Gives each text as many lines of the answer as it has itself. With another
/// number of lines there is nothing to be given, unless one text stands alone.
fn lines(texts: &[String], answer: &str) -> Vec<Option<String>> {
    if texts.len() == 1 {
        return vec![Some(answer.to_owned())];
    }
    let counts: Vec<usize> = texts.iter().map(|text| text.split('\n').count()).collect();
    let total: usize = counts.iter().sum();
    let split = |answer: &str| -> Vec<String> {
        answer.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect()
    };
    let mut lines = split(answer);
    if lines.len() != total {
        lines = split(answer.trim_end_matches(['\n', '\r']));
    }
    if lines.len() != total {
        return Vec::new();
    }
    let mut rest = lines.as_slice();
    let mut out = Vec::with_capacity(texts.len());
    for count in counts {
        let (own, after) = rest.split_at(count);
        out.push(Some(own.join("\n")));
        rest = after;
    }
    out
}

#[cfg(test)]
#[path = "papago_tests.rs"]
mod tests;
