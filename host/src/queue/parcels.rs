//! Batches that came back and wait to be sent again.
//!
//! A parcel stays together: its jobs share one history, and only a split takes
//! it apart. So its attempts can be counted once for all of them.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{History, JobId, Place, Queue};

/// A batch with a history.
#[derive(Debug)]
pub(super) struct Parcel {
    pub provider: usize,
    pub jobs: Vec<JobId>,
    pub history: History,
    pub due: Duration,
    pub rank: u8,
}

/// The parcels of one provider, by when they are due and by rank.
#[derive(Debug, Default)]
pub(super) struct Rack {
    waiting: BTreeSet<(Duration, u64)>,
    ready: BTreeSet<(u8, u64)>,
}

impl Rack {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.ready.is_empty()
    }

    /// Returns the number of the parcel to send next, and its rank.
    pub(super) fn first(&self) -> Option<(u8, u64)> {
        self.ready.first().copied()
    }

    /// Returns when the next parcel is due; zero when one is.
    pub(super) fn next_due(&self) -> Option<Duration> {
        if self.ready.is_empty() {
            return self.waiting.first().map(|(due, _)| *due);
        }
        Some(Duration::ZERO)
    }

    /// Returns the parcels in the order in which they are due.
    pub(super) fn all(&self) -> Vec<u64> {
        let ready = self.ready.iter().map(|(_, id)| *id);
        ready.chain(self.waiting.iter().map(|(_, id)| *id)).collect()
    }

    fn remove(&mut self, id: u64, parcel: &Parcel) {
        self.waiting.remove(&(parcel.due, id));
        self.ready.remove(&(parcel.rank, id));
    }
}

impl Queue {
    /// Puts jobs of one history on the rack of their provider.
    pub(super) fn shelve(&mut self, mut parcel: Parcel) {
        if parcel.jobs.is_empty() {
            return;
        }
        let id = self.next_seq;
        self.next_seq += 1;
        for job in &parcel.jobs {
            if let Some(job) = self.jobs.get_mut(job) {
                job.place = Place::Parcel(id);
            }
        }
        parcel.rank = self.best_rank(&parcel.jobs);
        self.stations[parcel.provider].rack.waiting.insert((parcel.due, id));
        self.parcels.insert(id, parcel);
    }

    /// Takes a parcel off its rack.
    pub(super) fn unshelve(&mut self, id: u64) -> Option<Parcel> {
        let parcel = self.parcels.remove(&id)?;
        self.stations[parcel.provider].rack.remove(id, &parcel);
        Some(parcel)
    }

    /// Makes ready what is due by now.
    pub(super) fn ripen(&mut self, provider: usize, now: Duration) {
        let racked = &mut self.stations[provider].rack;
        while let Some(&(due, id)) = racked.waiting.first()
            && due <= now
        {
            racked.waiting.remove(&(due, id));
            let rank = self.parcels.get(&id).map_or(u8::MAX, |parcel| parcel.rank);
            racked.ready.insert((rank, id));
        }
    }

    /// Takes one job out of its parcel.
    pub(super) fn unpack(&mut self, id: u64, job: JobId) {
        let Some(parcel) = self.parcels.get_mut(&id) else { return };
        parcel.jobs.retain(|member| *member != job);
        if parcel.jobs.is_empty() {
            self.unshelve(id);
        } else {
            self.rank_anew(id);
        }
    }

    /// Gives a parcel the best rank of its jobs.
    pub(super) fn rank_anew(&mut self, id: u64) {
        let Some(best) = self.parcels.get(&id).map(|parcel| self.best_rank(&parcel.jobs)) else {
            return;
        };
        let Some(parcel) = self.parcels.get_mut(&id) else { return };
        let rack = &mut self.stations[parcel.provider].rack;
        if rack.ready.remove(&(parcel.rank, id)) {
            rack.ready.insert((best, id));
        }
        parcel.rank = best;
    }

    fn best_rank(&self, jobs: &[JobId]) -> u8 {
        let rank = |job: &JobId| self.jobs.get(job).map(|job| job.best().0);
        jobs.iter().filter_map(rank).min().unwrap_or(u8::MAX)
    }
}
