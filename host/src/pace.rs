//! How fast one provider may be asked, and how much at once.
//!
//! Budgets of requests and tokens, the calls in flight, the size of a batch.
//! It adapts to what the provider's replies say, never sleeps, and never asks
//! for the time: `now` is the time since the session's start. What must stay
//! true: no window of a minute ever holds more calls than the limit.

use std::collections::VecDeque;
use std::time::Duration;

mod batch;
mod load;
mod window;

use batch::Size;
pub use load::Load;
pub use window::MINUTE;
use window::Window;

use crate::verdict::{Class, Stated};

/// The window of a daily limit.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Calls in flight before anything is known.
const FIRST_CALLS: usize = 2;
/// From this many requests a day on, a request is not worth saving.
const FEW_A_DAY: u32 = 100;
/// What a call costs beside its texts: the fixed part of the prompt.
const PROMPT_TOKENS: u64 = 200;
/// How many tokens a call uses for each of its source, in percent: there and
/// back. What calls really use corrects it, within these bounds.
const FIRST_SHARE: u64 = 200;
const LEAST_SHARE: u64 = 50;
const MOST_SHARE: u64 = 2_000;

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
    /// Characters and tokens, at most; a single segment may have more.
    pub load: Load,
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
    /// Whether it was refused since a minute's calls or tokens are used up.
    pub window: bool,
    /// The tokens that the call used; zero when that was not said.
    pub tokens: u64,
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
    minute: Window,
    day: VecDeque<Duration>,
    /// Until then a reply has asked for a rest.
    rests_until: Duration,
    /// Tokens for each of the source, in percent.
    share: u64,
    calls: usize,
    clean: usize,
    cut_mark: u64,
    batch: Size,
}

impl Pace {
    /// Returns a pace that starts with two calls and full batches.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let limits = Limits {
            segments: limits.segments.max(1),
            first_segments: limits.first_segments.clamp(1, limits.segments.max(1)),
            concurrency: limits.concurrency.max(1),
            ..limits
        };
        Self {
            minute: Window::new(),
            day: VecDeque::new(),
            rests_until: Duration::ZERO,
            share: FIRST_SHARE,
            calls: FIRST_CALLS.min(limits.concurrency),
            clean: 0,
            cut_mark: 0,
            batch: Size::new(limits.segments),
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
        let tokens = self.limits.tokens_per_minute.map_or(u64::MAX, |limit| {
            let left = u64::from(limit).saturating_sub(self.minute.tokens(now) + PROMPT_TOKENS);
            left * 100 / self.share
        });
        let segments = self.batch.present();
        Room {
            segments,
            first: if patient { segments } else { self.limits.first_segments.min(segments) },
            load: Load { chars: self.limits.chars, tokens },
            patient,
        }
    }

    /// Returns when the minute's budgets allow the next call; `now` if they do.
    ///
    /// A whole minute's requests may go in one burst: the count of the calls in
    /// the last minute is what providers count, and a page is a burst.
    #[must_use]
    pub fn opens_at(&self, now: Duration) -> Duration {
        let requests = self.minute.requests_open_at(now, self.limits.requests_per_minute);
        let tokens = self
            .limits
            .tokens_per_minute
            .map_or(now, |limit| self.minute.tokens_open_at(now, limit.into()));
        requests.max(tokens).max(self.rests_until)
    }

    /// Returns when the day's requests come back, if they are used up.
    #[must_use]
    pub fn day_spent_until(&self, now: Duration) -> Option<Duration> {
        let limit = usize::try_from(self.limits.requests_per_day?).unwrap_or(usize::MAX).max(1);
        let oldest = self.day.len().checked_sub(limit)?;
        let until = self.day[oldest] + DAY;
        (until > now).then_some(until)
    }

    /// Notes that a call with so many tokens of source is sent; `call` is none
    /// for another host's.
    pub fn sent(&mut self, now: Duration, call: Option<u64>, tokens: u64) {
        let all = PROMPT_TOKENS.saturating_add(tokens.saturating_mul(self.share) / 100);
        self.minute.push(now, call, tokens, all);
        if self.limits.requests_per_day.is_some() {
            while self.day.front().is_some_and(|at| *at + DAY <= now) {
                self.day.pop_front();
            }
            self.day.push_back(now);
        }
    }

    /// Takes back a call that was not made after all.
    pub fn unsent(&mut self, call: u64) {
        if self.minute.take_back(call) {
            self.day.pop_back();
        }
    }

    /// Notes a reply.
    pub fn heard(&mut self, now: Duration, heard: Heard) {
        self.correct(heard);
        match heard.class {
            Class::RateLimited => self.refused(now, heard),
            Class::Malformed | Class::Truncated => {
                // A part of a batch that came back says nothing about the size:
                // one bad text would make every other batch small.
                if heard.fresh {
                    self.batch.failed();
                }
                self.clean_reply();
            }
            Class::Ok => {
                self.batch.succeeded();
                self.clean_reply();
            }
            // These say something about the texts, nothing about the load.
            Class::Partial | Class::Blocked | Class::Empty => self.clean_reply(),
            _ if !heard.answered => self.clean = 0,
            _ => {}
        }
        // What was under way when a call was refused says nothing of the window.
        if heard.answered && heard.class != Class::RateLimited && heard.call >= self.cut_mark {
            self.minute.passed(now);
        }
    }

    /// Begins a round: what was answered so far does not count for it. A single
    /// call that tried the provider out is no round.
    pub fn begin_round(&mut self) {
        self.clean = 0;
    }

    /// Asks for nothing before `until`, as a reply has said.
    pub fn rest(&mut self, until: Duration) {
        self.rests_until = self.rests_until.max(until);
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

    /// The calls of one round are refused together: one cut for all.
    fn refused(&mut self, now: Duration, heard: Heard) {
        let another_round = heard.call >= self.cut_mark;
        if heard.window {
            self.minute.refused(now, heard.call, another_round);
        }
        if another_round {
            self.calls = (self.calls / 2).max(1);
            self.cut_mark = heard.next;
        }
        self.clean = 0;
    }

    /// Counts a call with the tokens that it used, and the next ones by what it
    /// used for each of its source: half by this call, half by those before.
    fn correct(&mut self, Heard { call, tokens, .. }: Heard) {
        if tokens == 0 {
            return;
        }
        if let Some(source) = self.minute.correct(call, tokens).filter(|source| *source > 0) {
            let share = tokens.saturating_sub(PROMPT_TOKENS).saturating_mul(100) / source;
            self.share = u64::midpoint(self.share, share.clamp(LEAST_SHARE, MOST_SHARE));
        }
    }

    fn clean_reply(&mut self) {
        self.clean += 1;
        if self.clean >= self.calls {
            self.clean = 0;
            self.calls = (self.calls + 1).min(self.limits.concurrency);
        }
    }
}

#[cfg(test)]
mod tests;
