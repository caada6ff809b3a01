//! The least time that a page can take under a script: a simulation, in
//! simulated time, of an ideal client that obeys the queue's rules
//! and wastes nothing. Benches divide the host's time by it.
//!
//! The client meets the very schedule that the server runs, limits and faults
//! included. It knows the limits before it meets them, builds batches and sends
//! them in no time, and pauses without jitter. Where the rules leave a choice,
//! it takes the quicker one: a fault in an answer's content says nothing about
//! load, so such a call does not hold back one more call in flight. Labels, texts
//! of at most three words, never share a batch with longer ones; the text that
//! waits longest says which of the two goes next.
//!
//! It knows nothing of the host's code, and nothing of a script's queue of
//! scripted answers, which it takes as empty.

mod client;

use crate::schedule::Schedule;
use crate::script::Script;
use client::Client;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// What the client may do at most.
#[derive(Clone, Copy, Debug)]
pub struct Ceilings {
    /// Texts in a batch.
    pub batch: usize,
    /// Characters in a batch; one text alone may have more.
    pub chars: usize,
    /// Texts in a batch before the first success.
    pub first_batch: usize,
    /// Calls at a time.
    pub concurrency: usize,
}

/// What the ideal client achieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Least {
    /// When the first translation came; zero where there was none.
    pub first: Duration,
    /// When the last translation came.
    pub last: Duration,
    /// Calls that were made.
    pub calls: usize,
    /// Different texts that were translated.
    pub translated: usize,
    /// Different texts that stood alone when they were refused.
    pub refused: usize,
}

/// Returns what an ideal client achieves with these texts, in this order;
/// equal texts are sent once. `refuses` says whether the engine can refuse.
///
/// Nothing where the script admits no call at all.
#[must_use]
pub fn least(
    script: &Script,
    texts: &[impl AsRef<str>],
    ceilings: Ceilings,
    refuses: bool,
) -> Option<Least> {
    if script.requests_per_minute == Some(0) || script.max_concurrent == Some(0) {
        return None;
    }
    let mut seen = HashSet::new();
    let distinct = texts.iter().map(AsRef::as_ref).filter(|text| seen.insert(*text)).collect();
    let schedule = Schedule::new(Script { queue: Vec::new(), ..script.clone() });
    Some(Client::new(schedule, distinct, ceilings, refuses).run())
}

/// Returns the bound that no rule enters: all texts in full batches, as many
/// at a time as the ceiling allows, from the first instant to the last.
#[must_use]
pub fn bare_bound(script: &Script, texts: &[impl AsRef<str>], ceilings: Ceilings) -> Duration {
    let mut seen = HashSet::new();
    let distinct: Vec<&str> =
        texts.iter().map(AsRef::as_ref).filter(|text| seen.insert(*text)).collect();
    let schedule = Schedule::new(script.clone());
    let mut rest = VecDeque::from(distinct);
    let mut calls = Duration::ZERO;
    while !rest.is_empty() {
        calls += schedule.duration(&ceilings.batch(&mut rest, ceilings.batch));
    }
    calls / u32::try_from(ceilings.concurrency.max(1)).unwrap_or(u32::MAX)
}

impl Ceilings {
    /// Takes a batch of at most so many texts off the front.
    fn batch<'a>(&self, texts: &mut VecDeque<&'a str>, most: usize) -> Vec<&'a str> {
        let mut batch: Vec<&str> = Vec::new();
        let mut left = self.chars;
        while let Some(&next) = texts.front()
            && batch.len() < most.max(1)
        {
            let length = next.chars().count();
            if length > left && !batch.is_empty() {
                break;
            }
            left = left.saturating_sub(length);
            batch.extend(texts.pop_front());
        }
        batch
    }
}

#[cfg(test)]
mod tests;
