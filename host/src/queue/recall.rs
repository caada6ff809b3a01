//! Calls that are not made after all, and calls that others made.
//!
//! Several hosts share a provider and its budget. Another one may be asking for
//! the same texts, or may be probing the same gate: then the session changes
//! its mind between [`Queue::next_call`] and the sending.

use std::time::Duration;

use super::settle::Split;
use super::{CallId, JobId, Place, Queue};

impl Queue {
    /// Takes jobs out of a call before it is sent; the queue forgets them, as
    /// with `Taken`. Returns whether anything is left to send. If not, there is
    /// no call, and it costs nothing of the budget.
    pub fn take_out(&mut self, call: CallId, jobs: &[JobId]) -> bool {
        let Some(flight) = self.flights.get_mut(&call) else { return false };
        let taken: Vec<JobId> = jobs.iter().copied().filter(|j| flight.jobs.contains(j)).collect();
        flight.jobs.retain(|job| !taken.contains(job));
        let left = !flight.jobs.is_empty();
        for job in taken {
            self.forget(job);
        }
        if !left && let Some(flight) = self.flights.remove(&call) {
            self.unsend(call, &flight);
        }
        left
    }

    /// Puts a whole call back before it is sent, and asks its provider for
    /// nothing before `until`: another host holds the probe.
    pub fn put_back(&mut self, now: Duration, call: CallId, until: Duration) {
        let Some(flight) = self.flights.remove(&call) else { return };
        self.unsend(call, &flight);
        if flight.edition == self.edition {
            self.impose_pause(flight.provider, until);
        }
        let mut back = Vec::new();
        for id in flight.jobs.iter().copied() {
            let Some(job) = self.jobs.get_mut(&id) else { continue };
            job.place = Place::Nowhere;
            if job.owners.is_empty() {
                self.forget(id);
                self.outcomes.push_back(super::Outcome::Dropped(id));
            } else {
                back.push(id);
            }
        }
        if flight.history.returned {
            self.return_jobs(now, &flight, back, Split::Whole);
            return;
        }
        for job in back {
            self.assign(now, job);
        }
    }

    /// Counts a call that another host made with the same key, for texts of so
    /// many tokens together.
    pub fn count_call(&mut self, now: Duration, provider: usize, tokens: u64) {
        if let Some(station) = self.stations.get_mut(provider) {
            station.pace.sent(now, None, tokens);
        }
    }

    fn unsend(&mut self, call: CallId, flight: &super::Flight) {
        if flight.edition == self.edition {
            let station = &mut self.stations[flight.provider];
            station.in_flight -= 1;
            station.gate.end_probe(call);
            station.pace.unsent(call);
        }
    }
}
