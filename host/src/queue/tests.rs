//! The queue with made-up time.

mod budget;
mod lines;
mod owners;
mod property;
mod recall;
mod schedule;
mod trouble;
mod verdicts;

use super::*;
use crate::verdict::{Class, ItemVerdict, Stated, Verdict};

const NETWORK_OUT: u64 = 300;

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A proven provider whose first batch is as large as the others.
fn line() -> Line {
    Line {
        fingerprint: 0,
        limits: Limits {
            segments: 8,
            chars: 10_000,
            first_segments: 8,
            concurrency: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            requests_per_day: None,
        },
        local: false,
        proven: true,
        ready: Ok(()),
    }
}

const LOAD: Load = Load { chars: 10, tokens: 10 };

fn wish(job: JobId) -> Wish {
    Wish { job, owner: 1, rank: 0, group: 0, load: LOAD, providers: vec![0], changed: false }
}

/// A queue and the time.
struct Desk {
    queue: Queue,
    now: Duration,
    told: Vec<Outcome>,
}

impl Desk {
    fn new(lines: Vec<Line>) -> Self {
        Self { queue: Queue::new(lines), now: Duration::ZERO, told: Vec::new() }
    }

    /// One provider, and jobs from 1 to `n` of one owner.
    fn with_jobs(n: u64) -> Self {
        let mut desk = Self::new(vec![line()]);
        (1..=n).for_each(|job| desk.push(wish(job)));
        desk
    }

    fn push(&mut self, wish: Wish) {
        self.queue.push(self.now, wish);
    }

    fn next(&mut self) -> Option<Call> {
        self.queue.next_call(self.now)
    }

    #[track_caller]
    fn call(&mut self) -> Call {
        self.next().expect("a call is due")
    }

    /// Returns all calls that are due.
    fn calls(&mut self) -> Vec<Call> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Goes to the time at which the queue wants to be asked, and returns it.
    #[track_caller]
    fn sleep(&mut self) -> Duration {
        assert_eq!(self.next(), None, "something is due already");
        self.told = self.outcomes();
        self.now = self.queue.next_wake(self.now).expect("the queue waits for a time");
        self.now
    }

    /// Answers a call; `done` are the places of the good items.
    fn answer(&mut self, call: &Call, class: Class, done: &[usize]) {
        self.finish(call, &verdict(call, class, done));
    }

    fn finish(&mut self, call: &Call, verdict: &Verdict) {
        self.queue.finish(self.now, call.id, verdict, 0.0);
    }

    fn succeed(&mut self, call: &Call) {
        let all: Vec<usize> = (0..call.jobs.len()).collect();
        self.answer(call, Class::Ok, &all);
    }

    fn silence(&mut self, call: &Call) {
        self.finish(call, &silent(call));
    }

    fn silence_of(&mut self, call: &Call, failure: Failure) {
        self.finish(call, &Verdict { failure, ..silent(call) });
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        let mut told = std::mem::take(&mut self.told);
        told.extend(std::iter::from_fn(|| self.queue.poll_outcome()));
        told
    }

    fn failures(&mut self) -> Vec<(JobId, Failure, Option<Duration>)> {
        let failed = |outcome| match outcome {
            Outcome::Failed { job, failure, until, .. } => Some((job, failure, until)),
            _ => None,
        };
        self.outcomes().into_iter().filter_map(failed).collect()
    }
}

fn verdict(call: &Call, class: Class, done: &[usize]) -> Verdict {
    let item = |place| {
        if done.contains(&place) { ItemVerdict::Done } else { ItemVerdict::Missing }
    };
    Verdict {
        class,
        items: (0..call.jobs.len()).map(item).collect(),
        answered: true,
        pause: None,
        out_for: None,
        failure: match class {
            Class::RateLimited => Failure::RateLimited,
            Class::QuotaExhausted => Failure::QuotaExhausted,
            Class::ConfigError => Failure::Misconfigured,
            Class::Blocked => Failure::Refused,
            _ => Failure::BadReply,
        },
        stated: Stated::default(),
        window: false,
        tokens: 0,
    }
}

fn silent(call: &Call) -> Verdict {
    Verdict { answered: false, failure: Failure::Timeout, ..verdict(call, Class::Transient, &[]) }
}
