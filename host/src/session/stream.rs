//! One `id`: a page's stream of segments, from its first part to its `done`.
//!
//! Keeps the counts and knows which segments are unanswered. It sends nothing:
//! it says what there is to say, and the core sends it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::dictionary::Pair;
use crate::protocol::{self, Id, Reply, Waiting};
use crate::provider::price::rounded;
use crate::segment::Site;
use crate::settings::dollars;
use crate::verdict::{Failure, Usage};

use super::jobs::JobId;

/// A `progress` is sent at most four times a second.
const PROGRESS_PAUSE: Duration = Duration::from_millis(250);

/// What the parts of one stream have in common; the first part decides.
#[derive(Clone, Debug)]
pub struct Context {
    /// The source language; none when the provider detects it.
    pub source: Option<String>,
    /// What the page says of its language.
    pub page_lang: Option<String>,
    /// The target language.
    pub target: String,
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
    /// Places in the list of providers: whom its texts may be asked of.
    pub chain: Vec<usize>,
    /// Why the chain is empty, if it is.
    pub refusal: Option<Failure>,
}

impl Context {
    /// Returns the pair of languages.
    #[must_use]
    pub fn pair(&self) -> Pair<'_> {
        (self.source.as_deref().unwrap_or("und"), &self.target)
    }
}

/// One open `id`.
#[derive(Debug)]
pub struct Stream {
    /// The `id`.
    pub id: Id,
    /// What its parts have in common.
    pub context: Arc<Context>,
    /// Unanswered segments and the jobs they wait for.
    pub waiting: HashMap<u32, JobId>,
    seen: HashSet<u32>,
    last_part: bool,
    counts: protocol::Done,
    cost_micros: Option<u64>,
    saved_micros: Option<f64>,
    said: Option<([u32; 3], Option<Waiting>)>,
    said_at: Option<Duration>,
}

impl Stream {
    /// Opens a stream.
    #[must_use]
    pub fn new(id: Id, context: Arc<Context>) -> Self {
        Self {
            id,
            context,
            waiting: HashMap::new(),
            seen: HashSet::new(),
            last_part: false,
            counts: protocol::Done { id, ..protocol::Done::default() },
            cost_micros: None,
            saved_micros: None,
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

    /// Counts a call that carried segments of this stream, and what it cost, if
    /// that is known.
    pub fn called(&mut self, usage: Usage, cost_micros: Option<u64>) {
        self.cost_micros = match (self.counts.calls, self.cost_micros) {
            (0, _) => cost_micros,
            (_, sum) => sum.zip(cost_micros).map(|(sum, cost)| sum.saturating_add(cost)),
        };
        self.counts.calls += 1;
        self.counts.tokens.input += usage.input + usage.cached;
        self.counts.tokens.output += usage.output;
    }

    /// Counts what a text from the cache would have cost, in millionths of a dollar.
    pub fn saved(&mut self, micros: f64) {
        *self.saved_micros.get_or_insert(0.0) += micros;
    }

    /// Whether every part has come and every segment is answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.last_part && self.counts.translated + self.counts.failed == self.counts.total
    }

    /// Returns a `progress` if there is something new and it is time for it.
    pub fn progress(&mut self, now: Duration, waiting: Option<Waiting>) -> Option<Reply> {
        if self.progress_due(waiting.as_ref()).is_none_or(|due| now < due) {
            return None;
        }
        self.said_at = Some(now);
        self.said = Some((self.counts(), waiting.clone()));
        let [total, translated, failed] = self.counts();
        Some(Reply::Progress { id: self.id, total, translated, failed, waiting })
    }

    /// When there is something new to say, and it may be said.
    #[must_use]
    pub fn progress_due(&self, waiting: Option<&Waiting>) -> Option<Duration> {
        let is_new = self.said.as_ref().is_none_or(|(counts, said)| {
            *counts != self.counts() || !is_same_wait(said.as_ref(), waiting)
        });
        is_new.then(|| self.said_at.map_or(Duration::ZERO, |at| at + PROGRESS_PAUSE))
    }

    fn counts(&self) -> [u32; 3] {
        [self.counts.total, self.counts.translated, self.counts.failed]
    }

    /// Ends the stream: what is unanswered is cancelled. Returns the last
    /// `progress` and the `done`.
    #[must_use]
    pub fn end(mut self) -> [Reply; 2] {
        let answered = self.counts.translated + self.counts.failed;
        self.counts.cancelled = self.counts.total - answered;
        self.counts.cost = self.cost_micros.map(dollars);
        self.counts.saved = self.saved_micros.map(|micros| dollars(rounded(micros)));
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

/// Whether two waits are the same: `until` is worked out anew from two clocks
/// each time, and differs by some milliseconds.
fn is_same_wait(one: Option<&Waiting>, other: Option<&Waiting>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one.code == other.code
                && one.provider == other.provider
                && (one.until - other.until).abs() < 500
        }
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(note: impl Fn(&mut Stream)) -> (Option<f64>, Option<f64>) {
        let context = Context {
            source: None,
            page_lang: None,
            target: "ko".to_owned(),
            origin: String::new(),
            site: Site::Opaque,
            title: String::new(),
            fresh: false,
            retry: false,
            private: false,
            provider: None,
            chain: Vec::new(),
            refusal: None,
        };
        let mut stream = Stream::new(1, Arc::new(context));
        note(&mut stream);
        let [_, Reply::Done(done)] = stream.end() else { panic!("it ends with a done") };
        (done.cost, done.saved)
    }

    #[test]
    fn a_page_has_a_cost_when_that_of_each_call_is_known() {
        let call = |stream: &mut Stream, cost| stream.called(Usage::default(), cost);
        assert_eq!(done(|_| {}), (None, None));
        let known =
            |stream: &mut Stream| [2, 5].into_iter().for_each(|cost| call(stream, Some(cost)));
        assert_eq!(done(known).0, Some(0.000_007));
        for costs in [[None, Some(5)], [Some(5), None]] {
            let partly =
                |stream: &mut Stream| costs.into_iter().for_each(|cost| call(stream, cost));
            assert_eq!(done(partly).0, None, "{costs:?}");
        }
    }

    #[test]
    fn what_was_saved_is_added_up_before_it_is_rounded() {
        let saved = |stream: &mut Stream| [0.4, 0.4, 0.4].into_iter().for_each(|m| stream.saved(m));
        assert_eq!(done(saved).1, Some(0.000_001));
    }
}
