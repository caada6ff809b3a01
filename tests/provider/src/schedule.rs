//! Decides what happens to a call: limits, refusals, faults, and how long it
//! takes. It does no I/O and never asks for the time, so that [`crate::ideal`]
//! can run the same schedule in simulated time.
//!
//! What must stay true: a fault is drawn from the seed and the *set* of texts
//! in the call, never from the clock or the order of arrival, and the same text
//! meets at most two faults in a run. So a run is the same whatever the
//! concurrency, and a text that fails although nothing refuses it is the
//! client's fault.

use crate::script::{Faults, Script};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

/// The window in which `requests_per_minute` counts.
pub const WINDOW: Duration = Duration::from_secs(60);

/// How many faults one text meets in a run.
pub const FAULTS_PER_TEXT: u32 = 2;

/// Batches below this size are not shifted: a client could not see it.
const SMALLEST_SHIFTED: usize = 4;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every item was answered.
    Ok,
    /// The answer had nothing in it.
    Empty,
    /// An item in the middle was left out.
    Dropped,
    /// The last items were left out, or an array had too few.
    Short,
    /// Items carried their neighbours' texts.
    Shifted,
    /// The answer stopped in the middle of an item.
    Truncated,
    /// 503, or the protocol's own status for an overload.
    Unavailable,
    /// A good answer in parts stopped before its end.
    Interrupted,
    /// The batch was refused as blocked.
    Refused,
    /// 429: the window was full.
    RateLimited,
    /// 429: too many calls at a time.
    TooMany,
    /// The key was missing or wrong.
    Unauthorized,
    /// The next answer of the script's queue was served.
    Scripted,
    /// The call carried no batch that could be read.
    BadRequest,
}

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is answered.
    pub outcome: Outcome,
    /// How long the answer takes.
    pub takes: Duration,
    /// When the window has room again, for a call that it refused.
    pub retry_after: Option<Duration>,
    /// Chooses among the forms that a fault can take.
    pub variant: u64,
}

/// The schedule of one run: the script and what it remembers of the run.
#[derive(Debug, Default)]
pub struct Schedule {
    script: Script,
    admitted: VecDeque<Duration>,
    running: u32,
    faults_met: HashMap<String, u32>,
}

impl Schedule {
    /// Returns the schedule of a run that begins.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, ..Self::default() }
    }

    /// Returns the script.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Replaces the script; what the run remembers stays.
    pub fn replace(&mut self, script: Script) {
        self.script = script;
    }

    /// Forgets the run: faults that were met and calls that were admitted.
    /// Calls that run now still count as running.
    pub fn reset(&mut self) {
        self.admitted.clear();
        self.faults_met.clear();
    }

    /// Returns how many calls run now.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.running
    }

    /// Notes that a call begins; [`Schedule::end`] must follow.
    pub fn begin(&mut self) {
        self.running += 1;
    }

    /// Notes that a call has ended, answered or hung up.
    pub fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Returns how long a call with these texts takes.
    #[must_use]
    pub fn duration(&self, texts: &[&str]) -> Duration {
        let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a batch has far fewer than 2^52 characters"
        )]
        let seconds = chars as f64 * self.script.ms_per_char / 1000.0;
        // A time below zero is none.
        let spoken = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Duration::from_millis(self.script.latency_ms) + spoken
    }

    /// Returns how long the window stays full at `now`; zero if it has room.
    pub fn window_opens_in(&mut self, now: Duration) -> Duration {
        let Some(limit) = self.script.requests_per_minute else { return Duration::ZERO };
        while self.admitted.front().is_some_and(|&first| first + WINDOW <= now) {
            self.admitted.pop_front();
        }
        // The call that must leave the window before the next may enter.
        let surplus = (self.admitted.len() + 1).checked_sub(limit as usize);
        match surplus {
            None | Some(0) => Duration::ZERO,
            Some(surplus) => match self.admitted.get(surplus - 1) {
                Some(&leaves) => (leaves + WINDOW).saturating_sub(now),
                None => WINDOW,
            },
        }
    }

    /// Decides on a call that has begun. `refuses` says whether the engine can
    /// refuse a text at all.
    pub fn decide(&mut self, now: Duration, texts: &[&str], refuses: bool) -> Decision {
        let refused_at_once = |outcome, retry_after| Decision {
            outcome,
            takes: Duration::ZERO,
            retry_after,
            variant: 0,
        };
        if self.script.max_concurrent.is_some_and(|most| self.running > most) {
            return refused_at_once(Outcome::TooMany, None);
        }
        let opens_in = self.window_opens_in(now);
        if !opens_in.is_zero() {
            return refused_at_once(Outcome::RateLimited, Some(opens_in));
        }
        self.admitted.push_back(now);
        let draw = draw(self.script.seed, texts);
        let outcome = if refuses && self.refuses(texts) {
            Outcome::Refused
        } else {
            self.fault(draw, texts).unwrap_or(Outcome::Ok)
        };
        Decision { outcome, takes: self.duration(texts), retry_after: None, variant: draw >> 32 }
    }

    fn refuses(&self, texts: &[&str]) -> bool {
        let is_refused = |text: &&str| self.script.refuse.iter().any(|word| text.contains(word));
        texts.iter().any(is_refused)
    }

    /// Returns the fault that these texts meet now, and remembers it.
    fn fault(&mut self, draw: u64, texts: &[&str]) -> Option<Outcome> {
        let has_met_enough =
            |text: &&str| self.faults_met.get(*text).is_some_and(|&met| met >= FAULTS_PER_TEXT);
        if texts.iter().any(has_met_enough) {
            return None;
        }
        let fault = drawn(&self.script.faults, draw)?;
        if fault == Outcome::Shifted && texts.len() < SMALLEST_SHIFTED {
            return None;
        }
        for text in texts.iter().collect::<BTreeSet<_>>() {
            *self.faults_met.entry((*text).to_owned()).or_default() += 1;
        }
        Some(fault)
    }
}

/// Returns the fault whose share of the percents `draw` falls into.
fn drawn(faults: &Faults, draw: u64) -> Option<Outcome> {
    let shares = [
        (faults.empty, Outcome::Empty),
        (faults.dropped, Outcome::Dropped),
        (faults.short, Outcome::Short),
        (faults.shifted, Outcome::Shifted),
        (faults.truncated, Outcome::Truncated),
        (faults.unavailable, Outcome::Unavailable),
    ];
    // Hundredths of a percent, so that a share like 0.25 is kept.
    let mut left = f64::from(u32::try_from(draw % 10_000).unwrap_or(0)) / 100.0;
    for (share, outcome) in shares {
        if left < share {
            return Some(outcome);
        }
        left -= share;
    }
    None
}

/// Returns a number that depends on the seed and the set of texts only.
fn draw(seed: u64, texts: &[&str]) -> u64 {
    let set: BTreeSet<&&str> = texts.iter().collect();
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ mixed(seed);
    for text in set {
        // 0xff is no byte of UTF-8: it keeps "ab","c" apart from "a","bc".
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    mixed(hash)
}

/// The finisher of `SplitMix64`: spreads every bit of FNV over the whole number.
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
