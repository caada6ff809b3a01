//! What the language models' APIs have in common: an answer gathered from its
//! parts, and its conclusion.

use serde_json::Value;

use super::body::{Body, ErrorBody, Stream};
use super::rules::{self, Context};
use crate::provider::{Answer, Ask, Response};
use crate::reply::{self, Batch};
use crate::verdict::{Class, Reading, Usage};

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It was done.
    Stop,
    /// A limit of tokens.
    Length,
    /// The content was refused, for this reason.
    Blocked(&'static str),
    /// The server had no room.
    Overloaded,
    /// Something that we do not know.
    Unknown,
}

/// An answer, put together from one body or many events.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The model's text, without what it thought.
    pub(super) text: String,
    /// Why it stopped, if that was said.
    pub(super) finish: Option<Finish>,
    /// What it used.
    pub(super) usage: Usage,
    /// An error in the answer, which outranks all else.
    pub(super) error: Option<ErrorBody>,
    /// Whether anything had the shape of an answer.
    pub(super) shaped: bool,
}

/// A provider's way to take up one value: a whole answer, or a part of one.
pub type Take = fn(&mut Gathered, &Value);

/// Reads a response with a provider's way to take up one value.
pub(super) fn parse(ask: &Ask, response: &Response, context: &Context<'_>, take: Take) -> Reading {
    let answer = match response {
        Response::Fault(fault) => return rules::fault(*fault),
        Response::Answer(answer) => answer,
    };
    match opened(answer, context) {
        Err(reading) => *reading,
        Ok((values, stream)) => {
            let mut gathered = Gathered { shaped: values.is_empty(), ..Gathered::default() };
            for value in &values {
                take(&mut gathered, value);
            }
            let mut reading = concluded(&gathered, ask, answer, stream, context);
            if reading.stated == crate::verdict::Stated::default() {
                reading.stated = rules::stated(answer, None, context);
            }
            reading.usage = gathered.usage;
            reading
        }
    }
}

/// Returns the values of a good answer, or what is wrong with it.
pub(super) fn opened(
    answer: &Answer,
    context: &Context<'_>,
) -> Result<(Vec<Value>, Stream), Box<Reading>> {
    let good = (200..300).contains(&answer.status);
    let body = Body::of(answer);
    if let Some(fault) = answer.broken.filter(|_| good)
        && !matches!(&body, Body::Values(values, _) if !values.is_empty())
    {
        return Err(Box::new(rules::fault(fault)));
    }
    let malformed = |reason| Reading { reason, ..Reading::of(Class::Malformed) };
    if answer.oversize && good {
        return Err(Box::new(malformed("too_big")));
    }
    let reading = match body {
        Body::Values(values, stream) if good => return Ok((values, stream)),
        Body::Blank if good => Reading::of(Class::Empty),
        Body::Other if good => malformed("not_json"),
        body => rules::refused(answer, &body, context),
    };
    Err(Box::new(reading))
}

fn concluded(
    gathered: &Gathered,
    ask: &Ask,
    answer: &Answer,
    stream: Stream,
    context: &Context<'_>,
) -> Reading {
    let partly = |reading: Reading| {
        let items = read(&gathered.text, ask, true).items;
        Reading { items, ..reading }
    };
    if let Some(error) = &gathered.error {
        return partly(rules::reading(answer, error, false, context));
    }
    let blank = gathered.text.trim().is_empty();
    if let Some(fault) = answer.broken.filter(|_| blank && gathered.finish.is_none()) {
        return rules::fault(fault);
    }
    match gathered.finish {
        Some(Finish::Blocked(reason)) => partly(Reading { reason, ..Reading::of(Class::Blocked) }),
        Some(Finish::Overloaded) => partly(Reading {
            reason: "overloaded",
            pause: Some(std::time::Duration::from_secs(10)),
            ..Reading::of(Class::RateLimited)
        }),
        Some(Finish::Length) => cut_short(gathered, ask, Class::Truncated),
        None if stream == Stream::Yes && (!blank || answer.broken.is_some()) => {
            let reading = cut_short(gathered, ask, Class::Transient);
            if reading.class != Class::Transient {
                return reading;
            }
            let some = !reading.items.is_empty();
            let class = if some { Class::Partial } else { Class::Transient };
            Reading { class, reason: "stream_cut", ..reading }
        }
        _ if blank && !gathered.shaped => {
            Reading { reason: "wrong_shape", ..Reading::of(Class::Malformed) }
        }
        _ => read(&gathered.text, ask, false),
    }
}

/// Reads what was written before a cut: whole if nothing is missing, refused if
/// its ids cannot be trusted.
fn cut_short(gathered: &Gathered, ask: &Ask, class: Class) -> Reading {
    let reading = read(&gathered.text, ask, true);
    let shifted = ["one_based", "extra_ids"].contains(&reading.reason);
    if reading.class == Class::Ok || shifted {
        return reading;
    }
    Reading { class, reason: "", ..reading }
}

/// Reads a model's text.
pub(super) fn read(text: &str, ask: &Ask, cut: bool) -> Reading {
    let sources: Vec<&str> = ask.texts.iter().map(|text| text.text.as_str()).collect();
    let outcome = reply::read(text, Batch { sources: &sources, target: &ask.target }, cut);
    Reading { items: outcome.items, reason: outcome.reason, ..Reading::of(outcome.class) }
}

/// Returns a number of tokens at a path of names, or zero.
pub(super) fn tokens(value: &Value, path: &[&str]) -> u64 {
    let found = path.iter().try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_u64).unwrap_or(0)
}
