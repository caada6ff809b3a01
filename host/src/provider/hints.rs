//! How long a provider asks us to wait, and when its quotas begin anew.
//!
//! Pure functions of an answer and the time it came; nothing here asks a clock.
//! The order of the hints is that of `docs/PROVIDERS.md`.

use std::time::Duration;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;

use super::body::ErrorBody;
use crate::provider::Answer;

/// A hint further ahead is nonsense, and would overflow a time.
const LONGEST: f64 = 366.0 * 86_400.0;

/// Returns the pause that an answer advises, from the first hint that makes
/// sense. Zero, negative and unreadable hints are ignored.
pub(super) fn pause(answer: &Answer, error: Option<&ErrorBody>) -> Option<Duration> {
    let now = now(answer);
    let header = |name: &str| answer.header(name).map(str::trim);
    header("retry-after-ms")
        .and_then(|ms| seconds(ms.parse::<f64>().ok()? / 1000.0))
        .or_else(|| retry_after(header("retry-after")?, now))
        .or_else(|| retry_info(error?))
        .or_else(|| in_message(&error?.message))
        .or_else(|| spent_buckets(answer, now))
        .or_else(|| reset(&error?.header("x-ratelimit-reset")?, now))
}

/// Returns the server's time, which its dates are relative to, or ours.
pub(super) fn now(answer: &Answer) -> Timestamp {
    answer.header("date").and_then(http_date).unwrap_or(answer.received)
}

/// Makes a duration, rounded up to a millisecond, of a sensible number of seconds.
fn seconds(seconds: f64) -> Option<Duration> {
    if !(seconds.is_finite() && seconds > 0.0) {
        return None;
    }
    let duration = Duration::try_from_secs_f64(seconds.min(LONGEST)).ok()?;
    let millis = duration.as_nanos().div_ceil(1_000_000);
    u64::try_from(millis).ok().map(Duration::from_millis)
}

fn until(moment: Timestamp, now: Timestamp) -> Option<Duration> {
    seconds(moment.duration_since(now).as_secs_f64())
}

/// Seconds, whole or not, or an HTTP date (RFC 9110, section 10.2.3).
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    match value.parse::<f64>() {
        Ok(number) => seconds(number),
        Err(_) => until(http_date(value)?, now),
    }
}

fn http_date(value: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value.trim()).ok()
}

/// Google's `RetryInfo.retryDelay`: `26s`, `34.07s`, `900ms`.
fn retry_info(error: &ErrorBody) -> Option<Duration> {
    error.details().filter_map(|detail| span(detail.get("retryDelay")?.as_str()?)).max()
}

/// Reads "retry in 1h2m3.5s", "try again in 20 seconds", "wait 5 minutes".
fn in_message(message: &str) -> Option<Duration> {
    const LEADS: &[&str] = &[
        "retry in ",
        "again in ",
        "retry after ",
        "again after ",
        "available in ",
        "resets in ",
        "reset after ",
        "wait ",
    ];
    let lower = message.to_lowercase();
    LEADS.iter().find_map(|lead| {
        lower.match_indices(lead).find_map(|(at, _)| span(&lower[at + lead.len()..]))
    })
}

/// Reads a duration at the start of a text: numbers with units, such as `2h0m0s`,
/// `120ms`, `1m38s`, `20 seconds`, `1 hour and 5 minutes`; "a few minutes" are one
/// at least, and so long is waited before the next try.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    for article in ["a few ", "a ", "an ", "some "] {
        if let Some(unit_follows) = rest.strip_prefix(article) {
            let letters = unit_follows.find(|c: char| !c.is_alphabetic());
            return seconds(unit(&unit_follows[..letters.unwrap_or(unit_follows.len())])?);
        }
    }
    let mut total = 0.0;
    let mut any = false;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[digits..].trim_start_matches([' ', '-']);
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let Some(unit) = unit(&after[..letters]) else { break };
        total += number * unit;
        any = true;
        rest = after[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    any.then_some(total).and_then(seconds)
}

fn unit(name: &str) -> Option<f64> {
    Some(match name {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" | "millisecond" | "milliseconds" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    })
}

/// The longest reset among the buckets that have nothing left.
fn spent_buckets(answer: &Answer, now: Timestamp) -> Option<Duration> {
    let spent = answer.headers.iter().filter(|(name, value)| {
        name.contains("ratelimit") && name.contains("remaining") && value.trim() == "0"
    });
    let resets = spent.filter_map(|(name, _)| answer.header(&name.replace("remaining", "reset")));
    resets.filter_map(|value| reset(value, now)).max()
}

/// A Go duration, an RFC 3339 time, seconds from now, or a moment in seconds or
/// milliseconds since 1970: a number above 1e9 is a moment, above 1e11 in ms.
fn reset(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    let Ok(number) = value.parse::<f64>() else {
        return span(value).or_else(|| until(value.parse().ok()?, now));
    };
    let moment = if number > 1e11 { number / 1000.0 } else { number };
    if moment > 1e9 {
        return seconds(moment - now.as_duration().as_secs_f64());
    }
    seconds(number)
}

/// `America/Los_Angeles` by its rule since 2007, so that no time zone data is
/// needed at run time (POSIX.1, section 8.3).
const LOS_ANGELES: &str = "PST8PDT,M3.2.0,M11.1.0";

/// Returns the next midnight in the zone where Google's days end (its page on
/// rate limits), or in UTC.
pub(super) fn next_day(now: Timestamp, pacific: bool) -> Option<Timestamp> {
    let zone = if pacific { TimeZone::posix(LOS_ANGELES).ok()? } else { TimeZone::UTC };
    let today = now.to_zoned_datetime(zone.clone()).date();
    start_of(today.checked_add(1.day()).ok()?, zone)
}

/// Returns the next midnight in Seoul, where days have no other length.
pub(super) fn next_day_in_seoul(now: Timestamp) -> Option<Timestamp> {
    let zone = TimeZone::fixed(jiff::tz::offset(9));
    let today = now.to_zoned_datetime(zone.clone()).date();
    start_of(today.checked_add(1.day()).ok()?, zone)
}

/// Returns the first moment of the next month, UTC.
pub(super) fn next_month(now: Timestamp) -> Option<Timestamp> {
    let today = now.to_zoned_datetime(TimeZone::UTC).date();
    start_of(today.first_of_month().checked_add(1.month()).ok()?, TimeZone::UTC)
}

fn start_of(date: Date, zone: TimeZone) -> Option<Timestamp> {
    Some(date.to_datetime(Time::midnight()).to_zoned_datetime(zone).ok()?.timestamp())
}

/// Finds "regain access on 2026-12-01" in a message: midnight UTC of that day,
/// if it is ahead.
pub(super) fn date_in(words: &str, now: Timestamp) -> Option<Timestamp> {
    let (_, after) = words.split_once("regain access on ")?;
    let date: Date = after.get(..10)?.parse().ok()?;
    start_of(date, TimeZone::UTC).filter(|moment| *moment > now)
}

/// Reads a number that follows one of these words in a text.
pub(super) fn number_after(words: &str, lead: &str) -> Option<u32> {
    let (_, after) = words.split_once(lead)?;
    let after = after.trim_start_matches([' ', ':', '(', '`']);
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after[..end].parse().ok()
}

/// Returns the values of `quotaValue` with their `quotaId`s, in lower case.
pub(super) fn quotas(error: &ErrorBody) -> Vec<(String, u32)> {
    let violations = error.details().filter_map(|detail| detail.get("violations")?.as_array());
    let read = |violation: &Value| {
        let id = violation.get("quotaId")?.as_str()?.to_lowercase();
        let value = violation.get("quotaValue")?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((id, value.parse().ok()?))
    };
    violations.flatten().filter_map(read).collect()
}
