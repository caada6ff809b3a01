//! What an error means: one ordered table for all providers; the first rule that
//! fits decides.
//!
//! The body outranks the status: a rule sees the status that the innermost error
//! names, and the error's words. `docs/PROVIDERS.md` tells the classes;
//! `tests::every_status_has_its_class` walks all statuses.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::body::{Body, ErrorBody, shown};
use super::{effort, hints, table};
use crate::provider::{Answer, Ask, Config, TransportFault};
use crate::verdict::{Class, Feature, Reading, Stated, Until};

/// The least pause after a rate limit.
const LEAST_PAUSE: Duration = Duration::from_secs(10);
/// The least pause after a captcha page: the block lasts minutes to hours.
const BLOCKED_PAUSE: Duration = Duration::from_secs(60);
/// A longer advice is no pause but the end of a quota.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// What differs between providers in reading an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// The key, which must not appear in a message.
    pub(super) key: Option<&'a str>,
    /// Whether days end at midnight in California, as Google's do; else in UTC.
    pub(super) pacific: bool,
    /// Whether a 503 says that this text was too slow, as Apertium's does.
    pub(super) slow_503: bool,
    /// Whether `x-ratelimit-limit-requests` counts a day, as Groq's does.
    pub(super) daily_requests: bool,
    /// What was left out of the request already.
    pub(super) dropped: &'a BTreeSet<Feature>,
}

impl<'a> Context<'a> {
    /// Returns that of a provider without peculiarities.
    pub(super) fn of(config: &'a Config, ask: &'a Ask) -> Self {
        Self {
            key: config.key.as_ref().map(|key| key.0.as_str()),
            pacific: false,
            slow_503: false,
            daily_requests: false,
            dropped: &ask.dropped,
        }
    }
}

/// What a rule looks at.
pub(super) struct Seen<'a> {
    /// The status that counts: the error's own, else the answer's; zero for an
    /// error in a good answer that names none.
    pub(super) status: u16,
    /// The error's codes and words, or the start of a web page, in lower case.
    pub(super) words: &'a str,
    /// Whether the body is a web page.
    pub(super) html: bool,
    /// Whether a quota is stated as zero.
    pub(super) none_left: bool,
    /// The error's own sentence, or nothing.
    pub(super) message: &'a str,
    /// Whether a `retry-after` came that makes sense.
    pub(super) retry_after: bool,
    /// What the provider is like.
    pub(super) context: &'a Context<'a>,
}

/// One line of the table.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) class: Class,
    pub(super) reason: &'static str,
    pub(super) feature: Option<Feature>,
    /// Any of these, or all statuses when empty.
    pub(super) statuses: &'static [RangeInclusive<u16>],
    /// Any of these words, or no matter when empty.
    pub(super) words: &'static [&'static str],
    /// Another condition.
    pub(super) test: Option<fn(&Seen<'_>) -> bool>,
}

impl Rule {
    fn fits(&self, seen: &Seen<'_>) -> bool {
        (self.statuses.is_empty() || self.statuses.iter().any(|s| s.contains(&seen.status)))
            && (self.words.is_empty() || self.words.iter().any(|word| seen.words.contains(word)))
            && self.test.is_none_or(|test| test(seen))
    }
}

/// Returns what a fault of the transport means. Without an answer nothing is
/// said about the texts.
#[must_use]
pub fn fault(fault: TransportFault) -> Reading {
    let (class, reason) = match fault {
        TransportFault::Refused => (Class::Transient, "refused"),
        TransportFault::Dns => (Class::Transient, "dns"),
        TransportFault::Broken => (Class::Transient, "broken"),
        TransportFault::Timeout => (Class::Transient, "timeout"),
        TransportFault::Undecodable => (Class::Transient, "undecodable"),
        TransportFault::Tls => (Class::ConfigError, "tls"),
        TransportFault::Proxy => (Class::ConfigError, "proxy_auth"),
    };
    let answered = fault == TransportFault::Undecodable;
    Reading { reason, answered, ..Reading::of(class) }
}

/// Reads an answer whose status or form is not that of a success.
pub(super) fn refused(answer: &Answer, body: &Body, context: &Context<'_>) -> Reading {
    match body {
        Body::Values(values, _) => match values.first() {
            Some(value) => reading(answer, &ErrorBody::of(value), false, context),
            None => reading(answer, &ErrorBody::default(), false, context),
        },
        Body::Html => {
            let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(4096)]);
            let message = format!("HTTP {} with a web page: {}", answer.status, title(&text));
            let place = answer.header("location").unwrap_or("");
            let words = format!("{text}\n{place}").to_lowercase();
            let error = ErrorBody { words, message, ..ErrorBody::default() };
            reading(answer, &error, true, context)
        }
        Body::Blank | Body::Other => {
            let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(4096)]);
            let place = answer.header("location").unwrap_or("");
            let words = format!("{text}\n{place}").to_lowercase();
            let error = ErrorBody { words, message: text.into_owned(), ..ErrorBody::default() };
            reading(answer, &error, false, context)
        }
    }
}

fn title(page: &str) -> &str {
    let inner = page.split_once("<title>").and_then(|(_, after)| after.split_once("</title>"));
    inner.map_or("", |(title, _)| title.trim())
}

/// Reads an error, in an answer of whatever status.
pub(super) fn reading(
    answer: &Answer,
    error: &ErrorBody,
    html: bool,
    context: &Context<'_>,
) -> Reading {
    let none_left = hints::quotas(error).iter().any(|(_, value)| *value == 0)
        || answer.status == 429 && no_requests(answer);
    let own = if (200..300).contains(&answer.status) && !html { 0 } else { answer.status };
    let hint = hints::pause(answer, Some(error));
    let seen = Seen {
        status: error.status.unwrap_or(own),
        words: &error.words,
        html,
        none_left,
        message: &error.message,
        retry_after: answer.header("retry-after").is_some() && hint.is_some(),
        context,
    };
    let found = table::RULES.iter().find(|rule| rule.fits(&seen));
    let mut reading = Reading::of(found.map_or(Class::Transient, |rule| rule.class));
    reading.reason = found.map_or("", |rule| rule.reason);
    reading.feature = found.and_then(|rule| rule.feature);
    reading.message = shown(&error.message, context.key);
    reading.stated = stated(answer, Some(error), context);
    finished(reading, answer, error, hint, context)
}

/// Adds pause, end and feature to what the table said.
fn finished(
    mut reading: Reading,
    answer: &Answer,
    error: &ErrorBody,
    hint: Option<Duration>,
    context: &Context<'_>,
) -> Reading {
    let long = hint.filter(|hint| *hint > LONGEST_PAUSE);
    if reading.class == Class::RateLimited && long.is_some() {
        reading.class = Class::QuotaExhausted;
        if !matches!(reading.reason, "ip_blocked" | "spend_10min") {
            reading.reason = "long_wait";
        }
    }
    match reading.class {
        Class::RateLimited => {
            let blocked = reading.reason == "ip_blocked";
            let least = if blocked { BLOCKED_PAUSE } else { LEAST_PAUSE };
            reading.pause = Some(hint.unwrap_or(least).max(least));
        }
        Class::QuotaExhausted => {
            reading.until = Some(match long {
                Some(long) => Until::After(long),
                None => end_of(reading.reason, answer, error, context),
            });
        }
        Class::FeatureError => reading = droppable(reading, error, context),
        _ => {}
    }
    reading
}

fn end_of(reason: &str, answer: &Answer, error: &ErrorBody, context: &Context<'_>) -> Until {
    let now = hints::now(answer);
    let moment = match reason {
        "hourly" | "banned" => None,
        "app_quota" => hints::next_day_in_seoul(now),
        "monthly" => hints::next_month(now),
        "spend_cap" => hints::date_in(&error.words, now).or_else(|| hints::next_month(now)),
        _ => hints::next_day(now, context.pacific),
    };
    moment.map_or(Until::After(Duration::from_secs(3600)), Until::At)
}

/// Mistral states the requests a minute as zero for a model outside of the plan.
fn no_requests(answer: &Answer) -> bool {
    REQUEST_LIMITS.iter().any(|name| answer.header(name).is_some_and(|value| value.trim() == "0"))
}

/// A schema that was dropped before leaves JSON mode to drop, an effort leaves
/// the one that the error names; what was dropped already and is refused again
/// is no feature's fault.
fn droppable(mut reading: Reading, error: &ErrorBody, context: &Context<'_>) -> Reading {
    let dropped = |feature| context.dropped.contains(&feature);
    if reading.feature == Some(Feature::Thinking)
        && !dropped(Feature::Thinking)
        && let Some(step) = effort::named(&error.words).filter(|step| !dropped(*step))
    {
        reading.feature = Some(step);
    }
    if reading.feature == Some(Feature::JsonSchema) && dropped(Feature::JsonSchema) {
        reading.feature = Some(Feature::JsonMode);
    }
    if reading.feature.is_some_and(dropped) {
        reading.class = Class::ConfigError;
        reading.reason = "bug";
        reading.feature = None;
    }
    reading
}

/// The headers that state requests a minute: most APIs', Anthropic's, Mistral's.
const REQUEST_LIMITS: [&str; 3] = [
    "x-ratelimit-limit-requests",
    "anthropic-ratelimit-requests-limit",
    "x-ratelimit-limit-req-minute",
];
/// The headers that state tokens a minute, input and output together.
const TOKEN_LIMITS: [&str; 2] = ["x-ratelimit-limit-tokens", "x-ratelimit-limit-tokens-minute"];

/// Anthropic limits input and output apart. A translation is about as long as
/// its source, so twice the lower limit is what both together may be.
fn both_ways(answer: &Answer) -> Option<u32> {
    let names =
        ["anthropic-ratelimit-input-tokens-limit", "anthropic-ratelimit-output-tokens-limit"];
    let limits = names.iter().filter_map(|name| answer.header(name)?.trim().parse::<u32>().ok());
    limits.min().map(|limit| limit.saturating_mul(2))
}

/// Returns the limits that an answer states, good or bad.
pub(super) fn stated(answer: &Answer, error: Option<&ErrorBody>, context: &Context<'_>) -> Stated {
    let header = |name: &&str| answer.header(name).and_then(|value| value.trim().parse().ok());
    let tokens = TOKEN_LIMITS.iter().find_map(header).or_else(|| both_ways(answer));
    let mut stated = Stated {
        tokens_per_minute: tokens,
        spent_for: hints::spent_buckets(answer, hints::now(answer)),
        ..Stated::default()
    };
    let requests = REQUEST_LIMITS.iter().find_map(header);
    if context.daily_requests {
        stated.requests_per_day = requests;
    } else {
        stated.requests_per_minute = requests;
    }
    let Some(error) = error else { return stated };
    for (id, value) in hints::quotas(error).into_iter().filter(|(_, value)| *value > 0) {
        let tokens = id.contains("token");
        if id.contains("perday") && !tokens {
            stated.requests_per_day = Some(value);
        } else if id.contains("perminute") && tokens {
            stated.tokens_per_minute = Some(value);
        } else if id.contains("perminute") {
            stated.requests_per_minute = Some(value);
        }
    }
    if error.words.contains("(tpm)") {
        let limit = hints::number_after(&error.words, "limit ");
        stated.tokens_per_minute = stated.tokens_per_minute.or(limit);
    }
    stated.chars_per_call = hints::number_after(&error.words, "text limit");
    stated
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
