//! From a reading to verdicts: is an item its segment's, and what is the queue told?

use std::time::Duration;

use jiff::Timestamp;

use crate::markup::{self, Prepared};
use crate::provider::{Response, TransportFault};
use crate::reply;
use crate::verdict::{Class, Failure, ItemVerdict, Reading, Until, Verdict};

use super::calls::{Answered, Flight};
use super::core::Core;
use super::deliver::Good;
use super::jobs::{Job, JobId};

/// After so many lost tags the text is translated between them, piece by piece.
const TAG_FAULTS: u32 = 2;

/// What became of one item.
pub(super) enum Judged {
    Good {
        raw: String,
        shown_only: bool,
    },
    /// It was good, and is used already.
    Used,
    Missing,
    Doubtful,
    TagsLost,
}

impl Core {
    /// Checks every item of a reply. Where most of them are doubtful the others
    /// are no better: texts that are shifted against their ids look so.
    pub(super) fn judge_all(
        &mut self,
        flight: &Flight,
        reading: &mut Reading,
    ) -> (Vec<ItemVerdict>, Vec<Good>) {
        let alone = flight.jobs.len() == 1;
        let judge_at = |(at, (id, prepared)): (usize, (&JobId, &Prepared))| {
            if flight.early.has(at) {
                return Some(Judged::Used);
            }
            let job = self.jobs.get(*id)?;
            let text = reading.items.get(&at);
            Some(text.map_or(Judged::Missing, |text| judge(job, prepared, text, flight, alone)))
        };
        let asked = flight.jobs.iter().zip(&flight.prepared);
        let judged: Vec<Option<Judged>> = asked.clone().enumerate().map(judge_at).collect();
        let count = |test: fn(&Judged) -> bool| judged.iter().flatten().filter(|j| test(j)).count();
        let doubtful = count(|judged| matches!(judged, Judged::Doubtful));
        let there = count(|judged| !matches!(judged, Judged::Missing));
        let distrusted = reply::mostly_doubtful(doubtful, there);
        if distrusted && matches!(reading.class, Class::Ok | Class::Partial) {
            reading.class = Class::Malformed;
        }
        let mut goods = Vec::new();
        let note = |((id, prepared), judged): ((&JobId, &Prepared), Option<Judged>)| match judged {
            None => ItemVerdict::Taken,
            Some(Judged::Good { .. }) if distrusted => ItemVerdict::Missing,
            Some(judged) => self.note_judgement(*id, judged, prepared, &mut goods),
        };
        let items = asked.zip(judged).map(note).collect();
        (items, goods)
    }

    fn note_judgement(
        &mut self,
        id: JobId,
        judged: Judged,
        prepared: &Prepared,
        goods: &mut Vec<Good>,
    ) -> ItemVerdict {
        match judged {
            Judged::Good { raw, shown_only } => {
                goods.push(Good { job: id, raw, shown_only });
                ItemVerdict::Done
            }
            Judged::Used => ItemVerdict::Done,
            Judged::Missing => ItemVerdict::Missing,
            Judged::Doubtful => {
                if let Some(job) = self.jobs.get_mut(id) {
                    job.doubted = true;
                }
                ItemVerdict::Doubtful
            }
            Judged::TagsLost => {
                let faults = self.jobs.get_mut(id).map_or(0, |job| {
                    job.tag_faults += 1;
                    job.tag_faults
                });
                if faults >= TAG_FAULTS
                    && !self.jobs.is_unwanted(id)
                    && self.take_apart(id, prepared)
                {
                    ItemVerdict::Taken
                } else {
                    ItemVerdict::Missing
                }
            }
        }
    }
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
        Class::ConfigError => match reading.reason {
            "bad_key" | "key_leaked" | "key_restricted" | "need_key" | "token_expired"
            | "key_or_region" => Failure::Unauthorized,
            "language_pair" => Failure::UnsupportedPair,
            _ => Failure::Misconfigured,
        },
        Class::QuotaExhausted => Failure::QuotaExhausted,
        Class::RateLimited => Failure::RateLimited,
        Class::Blocked => Failure::Refused,
        Class::TooLarge => Failure::TooLong,
        Class::Transient => match fault_in(answered) {
            Some(TransportFault::Timeout) => Failure::Timeout,
            Some(_) => Failure::Network,
            None => Failure::Unavailable,
        },
        _ => Failure::BadReply,
    }
}

/// Returns under which name a call counts that was not wholly good: its class,
/// but what the network did apart from what a server said.
pub(super) fn fault_of(class: Class, failure: Failure) -> Option<&'static str> {
    match (class, failure) {
        (Class::Ok, _) => None,
        (Class::Transient, Failure::Timeout) => Some("timeout"),
        (Class::Transient, Failure::Network) => Some("network"),
        (class, _) => Some(class.name()),
    }
}

/// Returns what ended a call before its end, if anything did.
fn fault_in(answered: &Answered) -> Option<TransportFault> {
    match answered {
        Answered::Response(Response::Fault(fault)) => Some(*fault),
        Answered::Response(Response::Answer(answer)) => answer.broken,
        _ => None,
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
