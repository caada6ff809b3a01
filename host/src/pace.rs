//! How fast one provider may be asked, and how much at once.
//!
//! Budgets of requests and tokens, the calls in flight, the size of a batch.
//! It adapts to what the provider's replies say, never sleeps, and never asks
//! for the time: `now` is the time since the session's start. What must stay
//! true: no window of a minute ever holds more calls than the limit.

use std::collections::VecDeque;
use std::time::Duration;

use crate::verdict::{Class, Stated};

/// A minute, and a little more: a call that travels faster than the one before
/// it must not arrive within the provider's own minute.
pub const MINUTE: Duration = Duration::from_millis(60_250);
/// The window of a daily limit.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Calls in flight before anything is known.
const FIRST_CALLS: usize = 2;
/// From this many requests a day on, a request is not worth saving.
const FEW_A_DAY: u32 = 100;
/// What a call costs beside its texts: the fixed part of the prompt.
const PROMPT_TOKENS: u64 = 100;
/// A batch that shrank grows at least by this.
const LEAST_GROWTH: usize = 2;
/// However often it shrank, a batch grows after this many clean replies.
const SLOWEST_GROWTH: u32 = 5;

/// No time that a provider states is further away; a slip of its clock or of a
/// unit must not overflow ours.
pub const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Returns a pause, stretched by up to a fifth.
///
/// `jitter` is in `0.0..1.0`, chosen by the caller, so that a test can pass
/// zero: browsers that were refused together must not come back together.
#[must_use]
pub fn stretch(pause: Duration, jitter: f64) -> Duration {
    let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
    pause.min(LONGEST).mul_f64(1.0 + jitter / 5.0)
}

/// What a provider takes at most, from its code and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Segments in one call.
    pub segments: usize,
    /// Characters in one call.
    pub chars: usize,
    /// Segments in the first call of a page.
    pub first_segments: usize,
    /// Calls at once.
    pub concurrency: usize,
    /// Requests in any minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in any minute, input and output together.
    pub tokens_per_minute: Option<u32>,
    /// Requests in a day.
    pub requests_per_day: Option<u32>,
}

/// The present size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Segments, at most.
    pub segments: usize,
    /// Segments in an owner's first batch.
    pub first: usize,
    /// Characters, at most; a single segment may have more.
    pub chars: usize,
    /// Whether even visible text waits for its batch to fill.
    pub patient: bool,
}

/// What the pace is told of a reply.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// What it means.
    pub class: Class,
    /// Whether an HTTP answer came.
    pub answered: bool,
    /// Whether its texts were asked for the first time.
    pub fresh: bool,
    /// The call.
    pub call: u64,
    /// The number that the next call will have.
    pub next: u64,
}

/// The pace of one provider and key.
#[derive(Clone, Debug)]
pub struct Pace {
    limits: Limits,
    minute: VecDeque<(Duration, u64)>,
    day: VecDeque<Duration>,
    calls: usize,
    clean: usize,
    cut_mark: u64,
    batch: usize,
    shrinks: u32,
    clean_since_growth: u32,
}

impl Pace {
    /// Returns a pace that starts with two calls and full batches.
    ///
    /// Batches start at the ceiling, not below it: the provider's code knows
    /// what it can take, and the first, small batch has tried it before.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let limits = Limits {
            segments: limits.segments.max(1),
            first_segments: limits.first_segments.clamp(1, limits.segments.max(1)),
            concurrency: limits.concurrency.max(1),
            ..limits
        };
        Self {
            minute: VecDeque::new(),
            day: VecDeque::new(),
            calls: FIRST_CALLS.min(limits.concurrency),
            clean: 0,
            cut_mark: 0,
            batch: limits.segments,
            shrinks: 0,
            clean_since_growth: 0,
            limits,
        }
    }

    /// Returns how many calls may be in flight.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Returns the limits, as far as they are known by now.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns what a batch that is sent now may hold.
    #[must_use]
    pub fn room(&self, now: Duration) -> Room {
        let patient = self.limits.requests_per_day.is_some_and(|n| n <= FEW_A_DAY);
        let tokens = self.limits.tokens_per_minute.map_or(usize::MAX, |limit| {
            let left = u64::from(limit).saturating_sub(self.tokens_used(now) + PROMPT_TOKENS);
            usize::try_from(left).unwrap_or(usize::MAX)
        });
        Room {
            segments: self.batch,
            first: if patient { self.batch } else { self.limits.first_segments.min(self.batch) },
            chars: self.limits.chars.min(tokens),
            patient,
        }
    }

    /// Returns when the minute's budgets allow the next call; `now` if they do.
    ///
    /// A whole minute's requests may go in one burst: the count of the calls in
    /// the last minute is what providers count, and a page is a burst.
    #[must_use]
    pub fn opens_at(&self, now: Duration) -> Duration {
        self.requests_open_at(now).max(self.tokens_open_at(now))
    }

    /// Returns when the day's requests come back, if they are used up.
    #[must_use]
    pub fn day_spent_until(&self, now: Duration) -> Option<Duration> {
        let limit = usize::try_from(self.limits.requests_per_day?).unwrap_or(usize::MAX).max(1);
        let oldest = self.day.len().checked_sub(limit)?;
        let until = self.day[oldest] + DAY;
        (until > now).then_some(until)
    }

    /// Notes that a call with so many characters is sent.
    pub fn sent(&mut self, now: Duration, chars: usize) {
        while self.minute.front().is_some_and(|(at, _)| *at + MINUTE <= now) {
            self.minute.pop_front();
        }
        self.minute.push_back((now, chars as u64 + PROMPT_TOKENS));
        if self.limits.requests_per_day.is_some() {
            while self.day.front().is_some_and(|at| *at + DAY <= now) {
                self.day.pop_front();
            }
            self.day.push_back(now);
        }
    }

    /// Takes back a call that was not made after all.
    pub fn unsent(&mut self, chars: usize) {
        let tokens = chars as u64 + PROMPT_TOKENS;
        if let Some(place) = self.minute.iter().rposition(|(_, sent)| *sent == tokens) {
            self.minute.remove(place);
            self.day.pop_back();
        }
    }

    /// Notes a reply.
    pub fn heard(&mut self, Heard { class, answered, fresh, call, next }: Heard) {
        match class {
            Class::RateLimited => {
                // The calls of one round are refused together: one cut for all.
                if call >= self.cut_mark {
                    self.calls = (self.calls / 2).max(1);
                    self.cut_mark = next;
                }
                self.clean = 0;
            }
            Class::Malformed | Class::Truncated => {
                // A part of a batch that came back says nothing about the size:
                // one bad text would make every other batch small.
                if fresh {
                    self.shrink();
                }
                self.clean_reply();
            }
            Class::Ok => {
                self.grow();
                self.clean_reply();
            }
            // These say something about the texts, nothing about the load.
            Class::Partial | Class::Blocked | Class::Empty => self.clean_reply(),
            _ if !answered => self.clean = 0,
            _ => {}
        }
    }

    /// Begins a round: what was answered so far does not count for it. A single
    /// call that tried the provider out is no round.
    pub fn begin_round(&mut self) {
        self.clean = 0;
    }

    /// Notes that a call of so many characters was too large.
    pub fn too_large(&mut self, chars: usize, stated: Option<u32>) {
        let known = stated.filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok());
        let known = known.unwrap_or(chars / 2);
        self.limits.chars = self.limits.chars.min(known.max(1));
    }

    /// Takes over the limits that a reply stated. They only ever tighten what
    /// the settings say: the reader's ceiling stays a ceiling.
    pub fn learn(&mut self, stated: &Stated) {
        let tighten = |mine: &mut Option<u32>, theirs: Option<u32>| {
            if let Some(theirs) = theirs.filter(|n| *n > 0) {
                *mine = Some(mine.map_or(theirs, |mine| mine.min(theirs)));
            }
        };
        tighten(&mut self.limits.requests_per_minute, stated.requests_per_minute);
        tighten(&mut self.limits.requests_per_day, stated.requests_per_day);
        tighten(&mut self.limits.tokens_per_minute, stated.tokens_per_minute);
        let chars = stated.chars_per_call.filter(|n| *n > 0);
        if let Some(chars) = chars.and_then(|n| usize::try_from(n).ok()) {
            self.limits.chars = self.limits.chars.min(chars);
        }
    }

    fn requests_open_at(&self, now: Duration) -> Duration {
        let Some(limit) = self.limits.requests_per_minute else { return now };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        match self.minute.len().checked_sub(limit) {
            Some(oldest) => now.max(self.minute[oldest].0 + MINUTE),
            None => now,
        }
    }

    /// The tokens open when a quarter of them is free: waiting for that little
    /// makes fewer and fuller batches than sending each text as it fits.
    fn tokens_open_at(&self, now: Duration) -> Duration {
        let Some(limit) = self.limits.tokens_per_minute.map(u64::from) else { return now };
        let mut used = self.tokens_used(now);
        let mut at = now;
        for (sent, tokens) in self.minute.iter().filter(|(at, _)| *at + MINUTE > now) {
            if used <= limit / 4 * 3 {
                break;
            }
            used -= tokens;
            at = *sent + MINUTE;
        }
        at
    }

    fn tokens_used(&self, now: Duration) -> u64 {
        self.minute.iter().filter(|(at, _)| *at + MINUTE > now).map(|(_, tokens)| tokens).sum()
    }

    fn clean_reply(&mut self) {
        self.clean += 1;
        if self.clean >= self.calls {
            self.clean = 0;
            self.calls = (self.calls + 1).min(self.limits.concurrency);
        }
    }

    fn shrink(&mut self) {
        self.batch = (self.batch / 2).max(1);
        self.shrinks = (self.shrinks + 1).min(SLOWEST_GROWTH);
        self.clean_since_growth = 0;
    }

    /// An accident is made good within a few calls. A provider that keeps
    /// cutting its replies slows the growth down with each.
    fn grow(&mut self) {
        if self.batch >= self.limits.segments {
            self.shrinks = self.shrinks.saturating_sub(1);
            return;
        }
        self.clean_since_growth += 1;
        if self.clean_since_growth >= self.shrinks {
            self.clean_since_growth = 0;
            let step = (self.batch / 4).max(LEAST_GROWTH);
            self.batch = (self.batch + step).min(self.limits.segments);
        }
    }
}

#[cfg(test)]
mod tests;
