//! From a reading to verdicts: is an item its segment's, and what is the queue told?

use std::time::Duration;

use jiff::Timestamp;

use crate::markup::{self, Prepared};
use crate::provider::{Response, TransportFault};
use crate::reply;
use crate::verdict::{Class, Failure, ItemVerdict, Reading, Until, Verdict};

use super::calls::{Answered, Flight};
use super::jobs::Job;

/// What became of one item.
pub(super) enum Judged {
    Good { raw: String, shown_only: bool },
    Missing,
    Doubtful,
    TagsLost,
}

/// What the reader can do about a reply, then the provider's own words.
pub(super) fn words_of(reading: &Reading) -> String {
    let advice = crate::provider::advice(reading.reason);
    let words = [advice, &reading.message].into_iter().filter(|words| !words.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Checks one item against its segment.
pub(super) fn judge(
    job: &Job,
    prepared: &Prepared,
    text: &str,
    flight: &Flight,
    alone: bool,
) -> Judged {
    let Ok(raw) = markup::settle(prepared, text.trim()) else {
        return if text.trim().is_empty() { Judged::Missing } else { Judged::TagsLost };
    };
    if flight.configured.capacity.believed {
        return Judged::Good { raw, shown_only: false };
    }
    let marked = job.tags.is_some();
    let source = markup::plain(&job.normal, marked);
    let answer = markup::plain(&raw, marked);
    let doubts = reply::doubts(&source, &answer, &flight.ask.target, &job.hints());
    let asked_again = alone && job.doubted;
    if !doubts.is_empty() && !asked_again {
        return Judged::Doubtful;
    }
    let shown_only = source == answer;
    Judged::Good { raw, shown_only }
}

pub(super) fn verdict_of(reading: &Reading, items: Vec<ItemVerdict>, failure: Failure) -> Verdict {
    let complete = items.iter().all(|item| matches!(item, ItemVerdict::Done | ItemVerdict::Taken));
    let class = match reading.class {
        Class::Ok if !complete => Class::Partial,
        class => class,
    };
    let out_for = match reading.until {
        Some(Until::After(wait)) => Some(wait),
        Some(Until::At(moment)) => {
            Some(Duration::try_from(moment.duration_since(Timestamp::now())).unwrap_or_default())
        }
        None => None,
    };
    Verdict {
        class,
        items,
        answered: reading.answered,
        pause: reading.pause,
        out_for: out_for.or(passing_fault(reading)),
        failure,
        stated: reading.stated,
        window: reading.class == Class::RateLimited && matches!(reading.reason, "" | "rpm"),
        tokens: reading.usage.input + reading.usage.cached + reading.usage.output,
    }
}

/// Portals, proxies and certificates mend themselves: they do not wait for new
/// settings.
fn passing_fault(reading: &Reading) -> Option<Duration> {
    matches!(reading.reason, "captive_portal" | "proxy_auth" | "tls")
        .then_some(Duration::from_secs(5 * 60))
}

/// Returns what a segment fails with when it fails over this reading.
pub(super) fn failure_of(reading: &Reading, answered: &Answered) -> Failure {
    if let Answered::NotMade(failure) = answered {
        return *failure;
    }
    match reading.class {
        Class::ConfigError if reading.reason.contains("key") => Failure::Unauthorized,
        Class::ConfigError => match reading.reason {
            "language_pair" => Failure::UnsupportedPair,
            _ => Failure::Misconfigured,
        },
        Class::QuotaExhausted => Failure::QuotaExhausted,
        Class::RateLimited => Failure::RateLimited,
        Class::Blocked => Failure::Refused,
        Class::TooLarge => Failure::TooLong,
        Class::Transient => match answered {
            Answered::Response(Response::Fault(TransportFault::Timeout)) => Failure::Timeout,
            Answered::Response(Response::Fault(_)) => Failure::Network,
            _ => Failure::Unavailable,
        },
        _ => Failure::BadReply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Usage;

    #[test]
    fn the_queue_is_told_of_a_full_window_and_of_the_tokens_that_were_used() {
        for (class, reason, window) in [
            (Class::RateLimited, "", true),
            (Class::RateLimited, "rpm", true),
            (Class::RateLimited, "overloaded", false),
            (Class::Transient, "", false),
        ] {
            let usage =
                Usage { input: 5, output: 70, cached: 600, reasoning: 50, ..Usage::default() };
            let reading = Reading { reason, usage, ..Reading::of(class) };
            let verdict = verdict_of(&reading, vec![], Failure::RateLimited);
            assert_eq!((verdict.window, verdict.tokens), (window, 675), "{class:?} {reason}");
        }
    }
}
