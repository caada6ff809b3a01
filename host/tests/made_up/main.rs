//! Whole pages through the queue in made-up time: against the schedules of the
//! scripted provider, and against providers that count in other ways.
//!
//! `benches/page.rs` measures the same with the built program and real time.

#![allow(clippy::unwrap_used, missing_docs)]

mod run;

use std::collections::VecDeque;
use std::time::Duration;

use run::{Ended, Engine, Page};
use scripted_provider::ideal::{Ceilings, least};
use scripted_provider::page::{REFUSED, REFUSED_WORD, page};
use scripted_provider::schedule::{Decision, Outcome as Fate, Schedule};
use scripted_provider::script::{Faults, Script};
use webtranslator::pace::Limits;
use webtranslator::verdict::Failure;

const CEILINGS: Ceilings = Ceilings { batch: 60, chars: 12_000, first_batch: 8, concurrency: 4 };

const LIMITS: Limits = Limits {
    segments: CEILINGS.batch,
    chars: CEILINGS.chars,
    first_segments: CEILINGS.first_batch,
    concurrency: CEILINGS.concurrency,
    requests_per_minute: None,
    tokens_per_minute: None,
    requests_per_day: None,
};

fn plain() -> Script {
    Script { latency_ms: 120, ms_per_char: 0.05, ..Script::default() }
}

/// The schedule of the guide's run with faults.
fn faulty(seed: u64) -> Script {
    let faults = Faults {
        empty: 8.0,
        dropped: 4.0,
        short: 4.0,
        truncated: 3.0,
        unavailable: 3.0,
        ..Faults::default()
    };
    let refuse = vec![REFUSED_WORD.to_owned()];
    Script { seed, faults, refuse, requests_per_minute: Some(60), ..plain() }
}

/// Runs a page, and returns also the seconds that it took and needed at least.
fn against_the_least(script: &Script, texts: &[String]) -> (Ended, f64, f64) {
    let ended = Page::new(LIMITS, Schedule::new(script.clone()), texts).run();
    let least = least(script, texts, CEILINGS, true).unwrap();
    let seconds = (ended.last.as_secs_f64(), least.last.as_secs_f64());
    (ended, seconds.0, seconds.1)
}

#[test]
fn without_faults_a_page_takes_the_least_time_and_calls() {
    for count in [100, 600, 3_000, 20_000] {
        let (ended, took, least) = against_the_least(&plain(), &page(count));
        assert_eq!((ended.done, ended.failed), (count, vec![]));
        assert!(took <= 1.05 * least, "{count}: {took} s, at least {least} s");
    }
}

/// One page may meet other faults than the ideal client, whose batches differ:
/// many pages together tell how long it takes. Four overloads in a row put a
/// provider out by the rules, and a schedule may happen to have them.
#[test]
fn under_faults_pages_take_little_more_than_the_least_time() {
    let mut unlucky = 0;
    for (count, seeds) in [(100, 60), (600, 40), (3_000, 10), (20_000, 2)] {
        let (mut took, mut least) = (0.0, 0.0);
        for seed in 0..seeds {
            let (ended, seconds, needed) = against_the_least(&faulty(seed), &page(count));
            if ended.failed.iter().any(|(_, failure)| *failure == Failure::RateLimited) {
                unlucky += 1;
                continue;
            }
            assert!(ended.failed.iter().all(|(_, failure)| *failure == Failure::Refused));
            assert_eq!(ended.failed.len(), REFUSED, "{count}, seed {seed}");
            took += seconds;
            least += needed;
        }
        assert!(took <= 1.15 * least, "{count}: {took} s, at least {least} s");
    }
    assert!(unlucky <= 2, "{unlucky} of 112 pages lost their provider");
}

/// Lets in `limit` calls within a window, and refuses others without a word.
struct Counting {
    limit: usize,
    window: Duration,
    let_in: VecDeque<Duration>,
    refused: usize,
}

impl Counting {
    fn new(limit: usize, window: u64) -> Self {
        let window = Duration::from_secs(window);
        Self { limit, window, let_in: VecDeque::new(), refused: 0 }
    }
}

impl Engine for &mut Counting {
    fn begin(&mut self, now: Duration, _: &[&str]) -> Decision {
        let window = self.window;
        self.let_in.retain(|at| *at + window > now);
        let outcome = if self.let_in.len() < self.limit { Fate::Ok } else { Fate::RateLimited };
        match outcome {
            Fate::Ok => self.let_in.push_back(now),
            _ => self.refused += 1,
        }
        Decision { outcome, takes: Duration::from_millis(200), retry_after: None, variant: 0 }
    }

    fn end(&mut self) {}
}

#[test]
fn two_calls_in_ten_seconds_leave_nothing_of_121_paragraphs_in_error() {
    for segments in [1, 4, 60] {
        let mut engine = Counting::new(2, 10);
        let limits = Limits { segments, first_segments: segments.min(8), ..LIMITS };
        let ended = Page::new(limits, &mut engine, &page(121)).run();
        assert_eq!((ended.done, ended.failed), (121, vec![]), "{segments} a call");
        let least = ended.calls.saturating_sub(engine.refused).div_ceil(2) as u64 * 10;
        assert!(ended.last.as_secs() <= 10 + least * 3 / 2, "{:?}, {least} s", ended.last);
    }
}

#[test]
fn a_limit_that_nobody_states_is_run_into_a_few_times_only() {
    for (limit, window) in [(5, 60), (15, 60), (60, 60)] {
        let mut engine = Counting::new(limit, window);
        let limits = Limits { segments: 2, ..LIMITS };
        let count = limit * 20 * 2;
        let ended = Page::new(limits, &mut engine, &page(count)).run();
        assert_eq!((ended.done, ended.failed), (count, vec![]));
        assert!(engine.refused <= 16, "{limit}: {} refused", engine.refused);
        let windows = (ended.calls - engine.refused).div_ceil(limit) as u64;
        let least = windows.saturating_sub(1) * window;
        assert!(ended.last.as_secs() <= least * 6 / 5, "{:?}, {least} s", ended.last);
    }
}
