//! What a verdict means for the jobs of its call.
//!
//! The gate and the pace hear of it first; what is left of the batch then goes
//! back by the rules of its class, or moves on when its provider is out.

use std::time::Duration;

use super::gate::Heard;
use super::parcels::Parcel;
use super::{CallId, Flight, History, JobId, Outcome, Place, Queue};
use crate::pace::{self, stretch};
use crate::verdict::{Class, Failure, ItemVerdict, Verdict};

/// The pause of a batch after a bad reply.
const BATCH_PAUSE: Duration = Duration::from_secs(3);
/// The first attempt and three retries.
const ATTEMPTS: u32 = 4;

/// How what is left of a batch is asked for again.
#[derive(Clone, Copy)]
pub(super) enum Split {
    /// As it is.
    Whole,
    /// In parts that are smaller than what is left.
    Halves,
    /// In parts of at most half of what was sent.
    HalfOfSent,
}

/// What a call left to be asked for, and what it fails with or waits for.
struct Left {
    flight: Flight,
    jobs: Vec<JobId>,
    failure: Failure,
    pause: Duration,
}

impl History {
    fn spent(&self) -> bool {
        self.attempts >= ATTEMPTS
    }
}

impl Queue {
    /// Takes in the verdict on a call. A call that is not in flight is ignored.
    ///
    /// `jitter`, in `0.0..1.0`, stretches what pauses follow by up to a fifth.
    pub fn finish(&mut self, now: Duration, call: CallId, verdict: &Verdict, jitter: f64) {
        let Some(flight) = self.flights.remove(&call) else { return };
        let provider = flight.provider;
        let current = flight.edition == self.edition;
        if current {
            let next = self.next_call;
            let station = &mut self.stations[provider];
            station.in_flight -= 1;
            station.pace.heard(pace::Heard {
                class: verdict.class,
                answered: verdict.answered,
                fresh: flight.history == History::default(),
                call,
                next,
            });
            station.pace.learn(&verdict.stated);
            if verdict.class == Class::TooLarge {
                station.pace.too_large(flight.chars, verdict.stated.chars_per_call);
            }
            if !station.gate.steady() {
                station.pace.begin_round();
            }
            let again = flight.history.attempts > 0 || flight.history.missed;
            station.gate.heard(now, Heard { call, next, again }, verdict, jitter);
        }
        let rest = self.take_items(now, &flight, verdict);
        if !current || self.stations[provider].gate.is_out() {
            for job in rest {
                self.assign(now, job);
            }
            if current {
                self.clear_out(now, provider);
            }
            return;
        }
        if !rest.is_empty() {
            let pause = stretch(BATCH_PAUSE, jitter);
            let left = Left { flight, jobs: rest, failure: verdict.failure, pause };
            self.settle(now, left, verdict);
        }
    }

    /// Answers what is done, and returns what is left to be asked for.
    fn take_items(&mut self, now: Duration, flight: &Flight, verdict: &Verdict) -> Vec<JobId> {
        let mut rest = Vec::new();
        for (place, id) in flight.jobs.iter().copied().enumerate() {
            let Some(job) = self.jobs.get_mut(&id) else { continue };
            job.place = Place::Nowhere;
            let item = verdict.items.get(place).copied().unwrap_or(ItemVerdict::Missing);
            match item {
                ItemVerdict::Done => {
                    self.forget(id);
                    self.outcomes.push_back(Outcome::Done(id));
                }
                ItemVerdict::Taken => {
                    self.forget(id);
                }
                _ if job.owners.is_empty() => {
                    self.forget(id);
                    self.outcomes.push_back(Outcome::Dropped(id));
                }
                ItemVerdict::Doubtful if !job.doubted && self.may_return(flight, id) => {
                    self.doubt(now, flight, id);
                }
                ItemVerdict::Doubtful | ItemVerdict::Missing => rest.push(id),
            }
        }
        rest
    }

    /// Returns whether the job may go back to where it came from.
    fn may_return(&self, flight: &Flight, id: JobId) -> bool {
        let here = self.jobs.get(&id).and_then(|job| job.chain.front());
        flight.edition == self.edition
            && here == Some(&flight.provider)
            && !self.stations[flight.provider].gate.is_out()
    }

    fn doubt(&mut self, now: Duration, flight: &Flight, id: JobId) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.doubted = true;
        }
        self.return_jobs(now, flight, vec![id], Split::Whole);
    }

    /// Sends what is left on its way, by the rules of the verdict's class.
    fn settle(&mut self, now: Duration, left: Left, verdict: &Verdict) {
        let alone = left.flight.jobs.len() == 1;
        match verdict.class {
            // What was never tried goes back among its like, to travel in full
            // batches once the provider is open again.
            Class::RateLimited if !left.flight.history.returned => {
                for job in left.jobs {
                    self.assign(now, job);
                }
            }
            Class::ConfigError if left.failure == Failure::UnsupportedPair => {
                for job in left.jobs {
                    self.move_on(now, job, left.flight.provider, left.failure);
                }
            }
            // The last two put their provider out: their jobs have moved on.
            Class::RateLimited
            | Class::FeatureError
            | Class::QuotaExhausted
            | Class::ConfigError => self.return_jobs(now, &left.flight, left.jobs, Split::Whole),
            Class::Truncated => self.truncated(now, left),
            Class::TooLarge | Class::Blocked if !alone => {
                self.return_jobs(now, &left.flight, left.jobs, Split::Halves);
            }
            Class::TooLarge => self.cut(&left.jobs),
            Class::Blocked => self.refused(now, &left),
            Class::Ok | Class::Partial => self.missed(now, left),
            Class::Malformed | Class::Empty | Class::Transient => {
                self.went_wrong(now, left, verdict.answered);
            }
        }
    }

    fn truncated(&mut self, now: Duration, mut left: Left) {
        if left.flight.jobs.len() > 1 {
            self.return_jobs(now, &left.flight, left.jobs, Split::HalfOfSent);
        } else if left.flight.history.raised {
            self.cut(&left.jobs);
        } else {
            left.flight.history.raised = true;
            self.return_jobs(now, &left.flight, left.jobs, Split::Whole);
        }
    }

    /// A reply without them is forgiven once: a model may skip an item by
    /// accident, and then a smaller batch mends it at once.
    fn missed(&mut self, now: Duration, mut left: Left) {
        let whole = left.jobs.len() == left.flight.jobs.len();
        let split = if whole { Split::Halves } else { Split::Whole };
        if left.flight.history.missed || left.flight.history.spent() {
            self.attempted(now, left, split);
        } else {
            left.flight.history.missed = true;
            self.return_jobs(now, &left.flight, left.jobs, split);
        }
    }

    /// Silence says nothing about the texts, so it splits nothing.
    fn went_wrong(&mut self, now: Duration, mut left: Left, answered: bool) {
        left.flight.history.answered += u32::from(answered);
        let again = answered && left.flight.history.answered >= 2;
        self.attempted(now, left, if again { Split::Halves } else { Split::Whole });
    }

    /// Counts an attempt. When they are spent, the halves get one more call
    /// each, without a pause and uncounted: so the culprit comes to stand alone
    /// and its neighbours lose nothing.
    fn attempted(&mut self, now: Duration, mut left: Left, split: Split) {
        let history = &mut left.flight.history;
        history.attempts = (history.attempts + 1).min(ATTEMPTS);
        if !history.spent() {
            self.return_jobs(now + left.pause, &left.flight, left.jobs, split);
        } else if left.flight.jobs.len() == 1 {
            for job in left.jobs {
                self.move_on(now, job, left.flight.provider, left.failure);
            }
        } else {
            self.return_jobs(now, &left.flight, left.jobs, Split::Halves);
        }
    }

    fn refused(&mut self, now: Duration, left: &Left) {
        let provider = left.flight.provider;
        for &job in &left.jobs {
            self.outcomes.push_back(Outcome::Refused { job, provider });
            self.move_on(now, job, provider, Failure::Refused);
        }
    }

    fn cut(&mut self, jobs: &[JobId]) {
        for &job in jobs {
            self.forget(job);
            self.outcomes.push_back(Outcome::Cut(job));
        }
    }

    /// Shelves jobs of a call to be sent again to the same provider.
    pub(super) fn return_jobs(
        &mut self,
        due: Duration,
        flight: &Flight,
        jobs: Vec<JobId>,
        split: Split,
    ) {
        let (stay, moved): (Vec<JobId>, Vec<JobId>) =
            jobs.into_iter().partition(|id| self.may_return(flight, *id));
        for job in moved {
            self.assign(due, job);
        }
        let size = match split {
            Split::Whole => stay.len(),
            Split::Halves => stay.len().div_ceil(2),
            Split::HalfOfSent => flight.jobs.len().div_ceil(2).min(stay.len()),
        };
        for jobs in stay.chunks(size.max(1)) {
            self.shelve(Parcel {
                provider: flight.provider,
                jobs: jobs.to_vec(),
                history: History { returned: true, ..flight.history },
                due,
                rank: 0,
            });
        }
    }
}
