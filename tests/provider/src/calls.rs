//! The log of calls and the counts. Page text in it stays in memory.

use crate::protocol::Protocol;
use crate::schedule::Outcome;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// One call as it was decided on arrival.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// Number of the call, from 1.
    pub n: usize,
    /// When it arrived, in milliseconds since the start or the last reset.
    pub time_ms: u64,
    /// The protocol that it spoke.
    pub protocol: Protocol,
    /// The texts that it carried, as they were written in the request.
    pub texts: Vec<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// The path that it was posted to; it names the model.
    #[serde(skip)]
    pub path: String,
    /// The body as it came, for tests of what is sent beside the texts.
    #[serde(skip)]
    pub body: String,
}

/// Counts over the calls since the start or the last reset.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// All calls that spoke a protocol.
    pub calls: usize,
    /// The same by what became of them.
    pub by_outcome: BTreeMap<Outcome, usize>,
    /// The most calls that ran at a time.
    pub max_concurrent: u32,
    /// The calls that run now.
    pub in_flight: u32,
    /// The texts that were sent.
    pub texts: Texts,
}

/// Counts of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Texts {
    /// Different texts.
    pub distinct: usize,
    /// All texts, each time that they were sent.
    pub total: usize,
    /// Different texts that were answered by a call with the outcome `ok`.
    pub answered: usize,
    /// All texts in calls with the outcome `ok`: above `answered`, some were
    /// paid for twice.
    pub paid: usize,
}

/// The log.
#[derive(Debug, Default)]
pub struct Calls {
    log: Vec<Call>,
    began: Duration,
    max_concurrent: u32,
}

impl Calls {
    /// Forgets the calls; time is counted from `now`.
    pub fn reset(&mut self, now: Duration) {
        *self = Self { began: now, ..Self::default() };
    }

    /// Notes that so many calls run now.
    pub fn running(&mut self, count: u32) {
        self.max_concurrent = self.max_concurrent.max(count);
    }

    /// Adds a call that arrived at `now`; its number and time are set here.
    pub fn add(&mut self, now: Duration, call: Call) {
        let since = now.saturating_sub(self.began).as_millis();
        let time_ms = u64::try_from(since).unwrap_or(u64::MAX);
        self.log.push(Call { n: self.log.len() + 1, time_ms, ..call });
    }

    /// Returns the calls in the order of their arrival.
    #[must_use]
    pub fn all(&self) -> &[Call] {
        &self.log
    }

    /// Returns how often each text was paid for: in calls that were answered
    /// whole.
    #[must_use]
    pub fn paid(&self) -> BTreeMap<&str, usize> {
        let mut paid = BTreeMap::new();
        for call in self.log.iter().filter(|call| call.outcome == Outcome::Ok) {
            for text in &call.texts {
                *paid.entry(text.as_str()).or_default() += 1;
            }
        }
        paid
    }

    /// Returns the log as lines of JSON.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |call| serde_json::to_string(call).unwrap_or_default() + "\n";
        self.log.iter().map(line).collect()
    }

    /// Returns the counts, `in_flight` calls running now.
    #[must_use]
    pub fn stats(&self, in_flight: u32) -> Stats {
        let mut by_outcome = BTreeMap::new();
        for call in &self.log {
            *by_outcome.entry(call.outcome).or_default() += 1;
        }
        let (distinct, total) = count(self.log.iter());
        let (answered, paid) = count(self.log.iter().filter(|c| c.outcome == Outcome::Ok));
        Stats {
            calls: self.log.len(),
            by_outcome,
            max_concurrent: self.max_concurrent,
            in_flight,
            texts: Texts { distinct, total, answered, paid },
        }
    }
}

fn count<'a>(calls: impl Iterator<Item = &'a Call>) -> (usize, usize) {
    let texts: Vec<&String> = calls.flat_map(|call| &call.texts).collect();
    (texts.iter().collect::<HashSet<_>>().len(), texts.len())
}
