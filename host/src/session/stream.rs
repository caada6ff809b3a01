//! One `id`: a page's stream of segments, from its first part to its `done`.
//!
//! Keeps the counts and knows which segments are unanswered. It sends nothing:
//! it says what there is to say, and the core sends it.

use std::collections::HashMap;
use std::time::Duration;

use crate::dictionary::Pair;
use crate::protocol::{self, Id, Reply, Waiting};
use crate::segment::Site;
use crate::verdict::Usage;

use super::jobs::JobId;

/// A `progress` is sent at most four times a second.
const PROGRESS_PAUSE: Duration = Duration::from_millis(250);

/// What the parts of one stream have in common; the first part decides.
#[derive(Clone, Debug)]
pub struct Context {
    /// The pair of languages.
    pub pair: Pair,
    /// Scheme, host and port: texts of different origins never share a batch.
    pub origin: String,
    /// Where entries of the cache belong.
    pub site: Site,
    /// The page's title, empty in private windows.
    pub title: String,
    /// Ask anew, with something changed.
    pub fresh: bool,
    /// Remembered refusals are passed by.
    pub retry: bool,
    /// Nothing is remembered.
    pub private: bool,
    /// Only this provider.
    pub provider: Option<String>,
}

/// One open `id`.
#[derive(Debug)]
pub struct Stream {
    /// The `id`.
    pub id: Id,
    /// What its parts have in common.
    pub context: Context,
    /// Unanswered segments and the jobs they wait for.
    pub waiting: HashMap<u32, JobId>,
    seen: std::collections::HashSet<u32>,
    last_part: bool,
    counts: protocol::Done,
    said: Option<(u32, u32, u32, Option<Waiting>)>,
    said_at: Option<Duration>,
}

impl Stream {
    /// Opens a stream.
    #[must_use]
    pub fn new(id: Id, context: Context) -> Self {
        Self {
            id,
            context,
            waiting: HashMap::new(),
            seen: std::collections::HashSet::new(),
            last_part: false,
            counts: protocol::Done { id, ..protocol::Done::default() },
            said: None,
            said_at: None,
        }
    }

    /// Takes note of a part; false when an index is used twice.
    pub fn begin_part(&mut self, segments: &[protocol::Segment], more: bool) -> bool {
        self.last_part = !more;
        segments.iter().all(|segment| self.seen.insert(segment.i)) && {
            self.counts.total += u32::try_from(segments.len()).unwrap_or(u32::MAX);
            true
        }
    }

    /// Whether no part may follow.
    #[must_use]
    pub fn is_last_part_seen(&self) -> bool {
        self.last_part
    }

    /// Counts a translated segment.
    pub fn translated(&mut self, i: u32, from: protocol::From) {
        self.waiting.remove(&i);
        self.counts.translated += 1;
        if from == protocol::From::Cache {
            self.counts.from_cache += 1;
        }
    }

    /// Counts a failed segment.
    pub fn failed(&mut self, i: u32) {
        self.waiting.remove(&i);
        self.counts.failed += 1;
    }

    /// Counts a call that carried segments of this stream.
    pub fn called(&mut self, usage: Usage) {
        self.counts.calls += 1;
        self.counts.tokens.input += usage.input + usage.cached;
        self.counts.tokens.output += usage.output;
    }

    /// Whether every part has come and every segment is answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.last_part && self.counts.translated + self.counts.failed == self.counts.total
    }

    /// Returns a `progress` if there is something new and it is time for it.
    pub fn progress(&mut self, now: Duration, waiting: Option<Waiting>) -> Option<Reply> {
        let counts = (self.counts.total, self.counts.translated, self.counts.failed, waiting);
        if self.said.as_ref() == Some(&counts) || self.progress_due().is_some_and(|due| now < due) {
            return None;
        }
        self.said_at = Some(now);
        self.said = Some(counts.clone());
        let (total, translated, failed, waiting) = counts;
        Some(Reply::Progress { id: self.id, total, translated, failed, waiting })
    }

    /// When the next `progress` may be sent.
    #[must_use]
    pub fn progress_due(&self) -> Option<Duration> {
        self.said_at.map(|at| at + PROGRESS_PAUSE)
    }

    /// Ends the stream: what is unanswered is cancelled. Returns the last
    /// `progress` and the `done`.
    #[must_use]
    pub fn end(mut self) -> [Reply; 2] {
        let answered = self.counts.translated + self.counts.failed;
        self.counts.cancelled = self.counts.total - answered;
        let progress = Reply::Progress {
            id: self.id,
            total: self.counts.total,
            translated: self.counts.translated,
            failed: self.counts.failed,
            waiting: None,
        };
        [progress, Reply::Done(self.counts)]
    }
}
