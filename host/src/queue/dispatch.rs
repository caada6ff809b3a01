//! What is sent now, and when to ask again.

use std::time::Duration;

use super::{Call, Flight, History, JobId, Place, Queue};
use crate::pace::{Load, Room};
use crate::verdict::Failure;

impl Queue {
    /// Returns a call to be made now; to be asked until there is none.
    pub fn next_call(&mut self, now: Duration) -> Option<Call> {
        (0..self.stations.len()).find_map(|provider| self.call_for(provider, now))
    }

    /// Returns when to ask for calls and outcomes again.
    ///
    /// None means: only after a push, a verdict or another input.
    #[must_use]
    pub fn next_wake(&self, now: Duration) -> Option<Duration> {
        if !self.outcomes.is_empty() {
            return Some(now);
        }
        (0..self.stations.len()).filter_map(|provider| self.wake_for(provider, now)).min()
    }

    fn call_for(&mut self, provider: usize, now: Duration) -> Option<Call> {
        let station = &self.stations[provider];
        if station.pool.is_empty() && station.rack.is_empty() {
            return None;
        }
        if let Some(until) = station.pace.day_spent_until(now)
            && !station.gate.is_out()
        {
            self.stations[provider].gate.put_out(Some(until), Failure::QuotaExhausted, true);
            self.clear_out(now, provider);
            return None;
        }
        if !station.free(now) || station.pace.opens_at(now) > now {
            return None;
        }
        self.ripen(provider, now);
        let (jobs, history) = self.batch_for(provider, now)?;
        self.send(provider, now, jobs, history)
    }

    /// What came back goes before what is new, within a rank: it is older.
    fn batch_for(&mut self, provider: usize, now: Duration) -> Option<(Vec<JobId>, History)> {
        let station = &mut self.stations[provider];
        let room = station.room(now);
        let may_be_new = station.new_from().is_some_and(|from| from <= now);
        let head = station.pool.head(now, room).filter(|_| may_be_new);
        let parcel = station.rack.first();
        if let Some((rank, id)) = parcel
            && head.is_none_or(|head| rank <= head.rank)
        {
            return self.unshelve(id).map(|parcel| (parcel.jobs, parcel.history));
        }
        Some((station.pool.take(head?, room), History::default()))
    }

    fn send(
        &mut self,
        provider: usize,
        now: Duration,
        jobs: Vec<JobId>,
        history: History,
    ) -> Option<Call> {
        let id = self.next_call;
        self.next_call += 1;
        let mut load = Load::default();
        for job in &jobs {
            if let Some(job) = self.jobs.get_mut(job) {
                job.place = Place::Flight;
                load = load.plus(job.load);
            }
        }
        let lot = self.jobs.get(jobs.first()?)?.lot;
        let station = &mut self.stations[provider];
        let probe = !station.gate.steady();
        station.in_flight += 1;
        station.gate.sent(id);
        station.pace.sent(now, Some(id), load.tokens);
        let flight = Flight { provider, edition: self.edition, jobs: jobs.clone(), history, load };
        self.flights.insert(id, flight);
        let (group, changed) = lot;
        Some(Call { id, provider, jobs, raised: history.raised, probe, changed, group })
    }

    fn wake_for(&self, provider: usize, now: Duration) -> Option<Duration> {
        let station = &self.stations[provider];
        let opens = station.gate.opens_at().unwrap_or(now).max(now);
        if !station.free(opens) {
            return None;
        }
        let parcel = station.rack.next_due();
        let fresh = station.pool.next_due(station.room(now));
        let fresh = fresh.and_then(|due| Some(due.max(station.new_from()?)));
        let due = parcel.into_iter().chain(fresh).min()?;
        Some(due.max(opens).max(station.pace.opens_at(now)))
    }
}

impl super::Station {
    /// Returns whether another call may be in flight then.
    fn free(&self, now: Duration) -> bool {
        self.in_flight < self.gate.allows(now, self.pace.calls())
    }

    /// Returns from when on a batch may be sent that was not sent before; none
    /// until a call in flight is answered. What came back has its own pause.
    fn new_from(&self) -> Option<Duration> {
        match self.gate.slow_until() {
            None => Some(Duration::ZERO),
            Some(until) => (self.in_flight == 0).then_some(until),
        }
    }

    fn room(&self, now: Duration) -> Room {
        let room = self.pace.room(now);
        if self.gate.cautious() {
            return Room { segments: room.first.min(room.segments), ..room };
        }
        room
    }
}
