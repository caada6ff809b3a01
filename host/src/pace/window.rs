//! The calls of the last minute, and the limit that they ran into.
//!
//! A provider that only says "too many" has told a number all the same: the
//! calls that it let in during the minute before are as many as it takes, or
//! more than it takes.

use std::collections::VecDeque;
use std::time::Duration;

/// A minute, and a little more: a call that travels faster than the one before
/// it must not arrive within the provider's own minute.
pub const MINUTE: Duration = Duration::from_millis(60_250);
/// A limit that was found is tried again after two full windows of calls have
/// passed, and each time it is found again after four times as many.
const FIRST_PATIENCE: u32 = 2;
const MORE_PATIENCE: u32 = 4;
const LONGEST_PATIENCE: u32 = 128;

/// One call.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Duration,
    /// None: another host's.
    call: Option<u64>,
    /// Tokens of its source, as a guess.
    source: u64,
    /// Tokens that it counts with.
    tokens: u64,
    refused: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Window {
    sent: VecDeque<Sent>,
    /// The limit that the refusals point to.
    guess: Option<u32>,
    /// Whether it has been tried: a shorter window would have let a call pass.
    believed: bool,
    /// The limit that was found before; found again, it needs no trial.
    before: Option<u32>,
    /// Calls that passed since it is believed.
    passed: u32,
    patience: u32,
}

impl Window {
    pub(super) fn new() -> Self {
        Self {
            sent: VecDeque::new(),
            guess: None,
            believed: false,
            before: None,
            passed: 0,
            patience: FIRST_PATIENCE,
        }
    }

    /// Notes a call.
    pub(super) fn push(&mut self, now: Duration, call: Option<u64>, source: u64, tokens: u64) {
        while self.sent.front().is_some_and(|sent| sent.at + MINUTE <= now) {
            self.sent.pop_front();
        }
        self.sent.push_back(Sent { at: now, call, source, tokens, refused: false });
    }

    /// Takes back a call that was not made; returns whether it was there.
    pub(super) fn take_back(&mut self, call: u64) -> bool {
        let place = self.sent.iter().rposition(|sent| sent.call == Some(call));
        place.and_then(|place| self.sent.remove(place)).is_some()
    }

    /// Counts a call with the tokens that it really used; returns those of its
    /// source.
    pub(super) fn correct(&mut self, call: u64, tokens: u64) -> Option<u64> {
        let sent = self.find(call)?;
        sent.tokens = tokens;
        Some(sent.source)
    }

    /// Returns the limit that was found, if it is believed.
    pub(super) fn limit(&self) -> Option<u32> {
        self.guess.filter(|_| self.believed)
    }

    /// Notes that a call was refused since the window is full. `again`: the
    /// pause after an earlier refusal was over.
    pub(super) fn refused(&mut self, now: Duration, call: u64, again: bool) {
        if let Some(sent) = self.find(call) {
            sent.refused = true;
        }
        let let_in = self.let_in(now);
        // Where it let in none of ours, others have filled the window.
        if let_in == 0 {
            return;
        }
        self.believed |= again && self.guess.is_some();
        // What was in flight at the first refusal was counted as let in.
        self.guess = Some(self.guess.map_or(let_in, |guess| guess.min(let_in)));
        self.believed |= self.guess == self.before;
        self.passed = 0;
    }

    /// Notes that a call was let in.
    pub(super) fn passed(&mut self, now: Duration) {
        let Some(guess) = self.guess else { return };
        if !self.believed && self.let_in(now) > guess {
            // More within a minute than the guess allows: it is another window.
            self.guess = None;
            return;
        }
        self.believed = true;
        self.passed += 1;
        if self.passed >= guess.saturating_mul(self.patience) {
            self.before = self.guess.take();
            self.believed = false;
            self.patience = (self.patience * MORE_PATIENCE).min(LONGEST_PATIENCE);
        }
    }

    /// Returns when the window has room for one more call: all calls count
    /// for a limit that was stated, those that were let in for one that was found.
    pub(super) fn requests_open_at(&self, now: Duration, stated: Option<u32>) -> Duration {
        let all = Self::open_at(self.sent.iter(), stated);
        let let_in = Self::open_at(self.sent.iter().filter(|sent| !sent.refused), self.limit());
        now.max(all).max(let_in)
    }

    fn open_at<'a>(
        sent: impl DoubleEndedIterator<Item = &'a Sent>,
        limit: Option<u32>,
    ) -> Duration {
        let Some(limit) = limit.and_then(|limit| usize::try_from(limit.max(1)).ok()) else {
            return Duration::ZERO;
        };
        sent.rev().nth(limit - 1).map_or(Duration::ZERO, |oldest| oldest.at + MINUTE)
    }

    /// Returns when a quarter of the tokens is free: waiting for that little
    /// makes fewer and fuller batches than sending each text as it fits.
    pub(super) fn tokens_open_at(&self, now: Duration, limit: u64) -> Duration {
        let mut used = self.tokens(now);
        let mut at = now;
        for sent in self.sent.iter().filter(|sent| sent.at + MINUTE > now) {
            if used <= limit / 4 * 3 {
                break;
            }
            used -= sent.tokens;
            at = sent.at + MINUTE;
        }
        at
    }

    /// Returns the tokens of the last minute.
    pub(super) fn tokens(&self, now: Duration) -> u64 {
        self.sent.iter().filter(|sent| sent.at + MINUTE > now).map(|sent| sent.tokens).sum()
    }

    fn find(&mut self, call: u64) -> Option<&mut Sent> {
        self.sent.iter_mut().rev().find(|sent| sent.call == Some(call))
    }

    /// Returns how many calls of the last minute were not refused.
    fn let_in(&self, now: Duration) -> u32 {
        let counts = |sent: &&Sent| sent.at + MINUTE > now && !sent.refused;
        u32::try_from(self.sent.iter().filter(counts).count()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests;
