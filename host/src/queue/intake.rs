//! What is wanted, by whom, how much, and from which provider.

use std::time::Duration;

use super::parcels::Parcel;
use super::pool::Spot;
use super::{Flight, Job, JobId, Line, Outcome, Owner, Place, Queue, Station, Wish};
use crate::verdict::Failure;

/// The least urgent rank.
const LAST_RANK: u8 = 2;

impl Queue {
    /// Takes in a text. Where none of its providers is ready it fails at once.
    ///
    /// A provider whose out has ended gets it, as a probe. A job that is known
    /// already is joined.
    pub fn push(&mut self, now: Duration, wish: Wish) {
        if self.jobs.contains_key(&wish.job) {
            self.join(wish.job, wish.owner, wish.rank);
            return;
        }
        let seq = self.next_seq;
        self.next_seq += 1;
        let known = |provider: &usize| *provider < self.stations.len();
        let job = Job {
            owners: vec![(wish.owner, wish.rank.min(LAST_RANK))],
            lot: (wish.group, wish.changed),
            chars: wish.chars,
            seq,
            chain: wish.providers.into_iter().filter(known).collect(),
            place: Place::Nowhere,
            doubted: false,
            own: None,
            passed: None,
        };
        for provider in &job.chain {
            self.stations[*provider].gate.wanted(now);
            if !self.stations[*provider].gate.is_out() {
                break;
            }
        }
        self.jobs.insert(wish.job, job);
        self.owners.entry(wish.owner).or_default().insert(wish.job);
        self.assign(now, wish.job);
    }

    /// Notes that another owner wants the same job; the best rank counts. A job
    /// that is over is ignored.
    pub fn join(&mut self, job: JobId, owner: Owner, rank: u8) {
        let Some(record) = self.jobs.get_mut(&job) else { return };
        let rank = rank.min(LAST_RANK);
        match record.owners.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, present)) => *present = rank.min(*present),
            None => record.owners.push((owner, rank)),
        }
        self.owners.entry(owner).or_default().insert(job);
        self.refile(job);
    }

    /// Gives an owner's waiting jobs this rank; others are ignored.
    pub fn prioritize(&mut self, owner: Owner, jobs: &[JobId], rank: u8) {
        for id in jobs {
            let Some(job) = self.jobs.get_mut(id) else { continue };
            let Some(entry) = job.owners.iter_mut().find(|(known, _)| *known == owner) else {
                continue;
            };
            entry.1 = rank.min(LAST_RANK);
            self.refile(*id);
        }
    }

    /// Notes that an owner wants nothing any more.
    ///
    /// Returns the jobs that are dropped: nobody wants them, and they are not in
    /// flight. Those in flight go on and are reported. To be called for every
    /// owner that is over, since whose turn it was is remembered until then.
    pub fn cancel(&mut self, owner: Owner) -> Vec<JobId> {
        let mut ids: Vec<JobId> = self.owners.remove(&owner).into_iter().flatten().collect();
        ids.sort_unstable();
        let mut dropped = Vec::new();
        for id in ids {
            let Some(job) = self.jobs.get_mut(&id) else { continue };
            job.owners.retain(|(known, _)| *known != owner);
            if !job.owners.is_empty() {
                self.refile(id);
            } else if !matches!(job.place, Place::Flight) {
                self.withdraw(id);
                self.jobs.remove(&id);
                dropped.push(id);
            }
        }
        for station in &mut self.stations {
            station.pool.forget(owner);
        }
        dropped
    }

    /// Drops jobs that nobody wants any more, whoever their owners are; those in
    /// flight go on and are reported. Returns what was dropped.
    pub fn drop_jobs(&mut self, jobs: impl IntoIterator<Item = JobId>) -> Vec<JobId> {
        let mut dropped = Vec::new();
        for id in jobs {
            let waits = |job: &super::Job| !matches!(job.place, Place::Flight);
            if self.jobs.get(&id).is_some_and(waits) {
                self.withdraw(id);
                self.forget(id);
                dropped.push(id);
            }
        }
        dropped
    }

    /// The reader pressed "retry failed": providers that are out, but not until
    /// a quota's date or other settings, may be probed now.
    ///
    /// A pause after a rate limit goes on: a click does not open a window.
    pub fn reader_retries(&mut self, _now: Duration) {
        for station in &mut self.stations {
            station.gate.reader_retries();
        }
    }

    /// Takes in other providers, since the settings changed.
    ///
    /// A line whose fingerprint was there before keeps its pause, its out and
    /// what was learned; only an out that waits for the settings ends. What
    /// waits goes to the same providers, with a history that starts anew:
    /// `moved` says where the one of a former place is now, if it is. Calls in
    /// flight to a line that is gone end without a word on the new ones.
    pub fn replace_lines(
        &mut self,
        now: Duration,
        lines: Vec<Line>,
        moved: impl Fn(usize) -> Option<usize>,
    ) {
        let waiting: Vec<JobId> = (0..self.stations.len()).flat_map(|p| self.evict(p)).collect();
        let before = std::mem::take(&mut self.stations);
        let mut before: Vec<Option<Station>> = before.into_iter().map(Some).collect();
        self.edition += 1;
        for (place, line) in lines.into_iter().enumerate() {
            let same = |old: &Option<Station>| {
                old.as_ref().is_some_and(|old| old.line.fingerprint == line.fingerprint)
            };
            let kept = before.iter().position(same);
            let old = kept.and_then(|at| before[at].take());
            self.stations.push(Station::renewed(line, old));
            let took_along = |flight: &&mut Flight| {
                flight.edition + 1 == self.edition && Some(flight.provider) == kept
            };
            let edition = self.edition;
            for flight in self.flights.values_mut().filter(took_along) {
                flight.provider = place;
                flight.edition = edition;
            }
        }
        let known = self.stations.len();
        let moved = |provider| moved(provider).filter(|place| *place < known);
        for job in self.jobs.values_mut() {
            job.follow(&moved);
        }
        for job in waiting {
            self.assign(now, job);
        }
    }

    /// Puts a provider out on someone else's word: another host's, or a former
    /// session's. `until` = none: until its settings change.
    pub fn impose_out(
        &mut self,
        now: Duration,
        provider: usize,
        until: Option<Duration>,
        failure: Failure,
    ) {
        let Some(station) = self.stations.get_mut(provider) else { return };
        let fixed = until.is_none() || failure == Failure::QuotaExhausted;
        station.gate.put_out(until, failure, fixed);
        self.clear_out(now, provider);
    }

    /// Ends the out that was imposed until this moment; another one stays.
    pub fn lift_out(&mut self, provider: usize, until: Duration) {
        if let Some(station) = self.stations.get_mut(provider) {
            station.gate.lift(until);
        }
    }

    /// Pauses a provider on another host's word.
    pub fn impose_pause(&mut self, provider: usize, until: Duration) {
        if let Some(station) = self.stations.get_mut(provider) {
            station.gate.pause_until(until);
        }
    }

    /// Sends a job that is nowhere to the first provider of its chain that is
    /// not out; it fails when there is none.
    pub(super) fn assign(&mut self, now: Duration, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        while let Some(&provider) = job.chain.front() {
            let Some((until, failure)) = self.stations[provider].gate.out() else { break };
            let sooner = job.passed.is_none_or(|(known, ..)| {
                until.is_some_and(|until| known.is_none_or(|known| until < known))
            });
            if sooner {
                job.passed = Some((until, failure, Some(provider)));
            }
            job.chain.pop_front();
            job.doubted = false;
        }
        if job.chain.is_empty() {
            self.fail(id);
            return;
        }
        job.place = Place::Nowhere;
        self.file(now, id);
    }

    /// Moves everything that waits for a provider that is out.
    pub(super) fn clear_out(&mut self, now: Duration, provider: usize) {
        for job in self.evict(provider) {
            self.assign(now, job);
        }
    }

    fn evict(&mut self, provider: usize) -> Vec<JobId> {
        let mut jobs = Vec::new();
        for id in self.stations[provider].rack.all() {
            jobs.extend(self.unshelve(id).map(|parcel: Parcel| parcel.jobs).unwrap_or_default());
        }
        jobs.extend(self.stations[provider].pool.drain());
        jobs
    }

    /// Ends a job: with its own failure, else with the out that ends first.
    fn fail(&mut self, id: JobId) {
        let Some(job) = self.forget(id) else { return };
        let (failure, until, provider) = match (job.own, job.passed) {
            (Some((failure, provider)), _) => (failure, None, provider),
            (None, Some((until, failure, provider))) => (failure, until, provider),
            (None, None) => (Failure::NotConfigured, None, None),
        };
        self.outcomes.push_back(Outcome::Failed { job: id, failure, until, provider });
    }

    /// Removes a job that is in no pool and no parcel from all records.
    pub(super) fn forget(&mut self, id: JobId) -> Option<Job> {
        let job = self.jobs.remove(&id)?;
        for (owner, _) in &job.owners {
            if let Some(jobs) = self.owners.get_mut(owner) {
                jobs.remove(&id);
                if jobs.is_empty() {
                    self.owners.remove(owner);
                }
            }
        }
        Some(job)
    }

    /// Puts a job into the pool of its provider, under its best owner.
    pub(super) fn file(&mut self, now: Duration, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let Some(&provider) = job.chain.front() else { return };
        let (rank, owner) = job.best();
        let spot = Spot { owner, lot: job.lot, rank, seq: job.seq };
        job.place = Place::Pool(spot);
        self.stations[provider].pool.insert(now, id, job.chars, spot);
    }

    fn withdraw(&mut self, id: JobId) {
        let Some(job) = self.jobs.get(&id) else { return };
        match (job.place, job.chain.front()) {
            (Place::Pool(spot), Some(provider)) => self.stations[*provider].pool.remove(spot),
            (Place::Parcel(parcel), _) => self.unpack(parcel, id),
            _ => {}
        }
    }

    fn refile(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        match (job.place, job.chain.front()) {
            (Place::Pool(spot), Some(&provider)) => {
                let (rank, owner) = job.best();
                let pool = &mut self.stations[provider].pool;
                let moved = Spot { owner, rank, ..spot };
                job.place = Place::Pool(moved);
                pool.remove(spot);
                pool.insert(Duration::ZERO, id, job.chars, moved);
            }
            (Place::Parcel(parcel), _) => self.rank_anew(parcel),
            _ => {}
        }
    }

    /// Moves a job on from a provider that could not do it.
    pub(super) fn move_on(&mut self, now: Duration, id: JobId, provider: usize, failure: Failure) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        // The settings may have changed its chain while it was away.
        if job.chain.front() == Some(&provider) {
            job.chain.pop_front();
            job.own = Some((failure, Some(provider)));
            job.doubted = false;
        }
        self.assign(now, id);
    }
}
