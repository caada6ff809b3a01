//! The texts of one provider that were not sent yet.
//!
//! They become batches only when a call may be made, so that what arrives
//! while a provider is busy travels together. Owners take turns here. Every
//! step costs the logarithm of what is waiting, never a scan of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use super::{JobId, Owner};
use crate::pace::{Load, Room};

/// How long texts that are not in view wait for their batch to fill.
pub(super) const FILL_WAIT: Duration = Duration::from_millis(50);

/// What may travel together: one group, and all of it changed or none.
pub(super) type Lot = (u64, bool);

/// Where a text stands in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub owner: Owner,
    pub lot: Lot,
    pub rank: u8,
    pub seq: u64,
}

/// The shelf whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub rank: u8,
    owner: Owner,
    lot: Lot,
}

/// What orders the shelves: the best rank, whose turn it is, and then the text
/// that has waited longest, so that a page appears in its own order.
type Entry = (u8, u64, Owner, u64, Lot);

#[derive(Debug, Default)]
struct Shelf {
    jobs: BTreeMap<(u8, u64), (JobId, Load)>,
    load: Load,
    since: Duration,
}

impl Shelf {
    /// Text in view goes at once; a shelf that has waited stays due until it is
    /// empty, since what is left of it only waits for a free call.
    fn due(&self, rank: u8, room: Room) -> Duration {
        let full = self.jobs.len() >= room.segments || self.load.fills(room.load);
        let at_once = full || (rank == 0 && !room.patient);
        if at_once { self.since } else { self.since + FILL_WAIT }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pool {
    shelves: BTreeMap<(Owner, Lot), Shelf>,
    mates: BTreeMap<Lot, BTreeSet<Owner>>,
    heads: BTreeSet<Entry>,
    turns: HashMap<Owner, u64>,
    turn: u64,
}

impl Pool {
    pub(super) fn is_empty(&self) -> bool {
        self.shelves.is_empty()
    }

    pub(super) fn insert(&mut self, now: Duration, job: JobId, load: Load, spot: Spot) {
        let key = (spot.owner, spot.lot);
        self.unlist(key);
        let present = self.shelves.entry(key).or_default();
        if present.jobs.is_empty() {
            present.since = now;
        }
        present.jobs.insert((spot.rank, spot.seq), (job, load));
        present.load = present.load.plus(load);
        self.mates.entry(spot.lot).or_default().insert(spot.owner);
        self.list(key);
    }

    pub(super) fn remove(&mut self, spot: Spot) {
        let key = (spot.owner, spot.lot);
        self.unlist(key);
        if let Some(shelf) = self.shelves.get_mut(&key)
            && let Some((_, load)) = shelf.jobs.remove(&(spot.rank, spot.seq))
        {
            shelf.load = shelf.load.less(load);
        }
        self.list(key);
    }

    /// Takes everything out; whose turn it is stays known.
    pub(super) fn drain(&mut self) -> Vec<JobId> {
        self.heads.clear();
        self.mates.clear();
        let shelves = std::mem::take(&mut self.shelves);
        shelves
            .into_values()
            .flat_map(|shelf| shelf.jobs.into_values().map(|(job, _)| job))
            .collect()
    }

    /// Forgets whose turn it was; the owner will not come back.
    pub(super) fn forget(&mut self, owner: Owner) {
        if self.lots_of(owner).is_empty() {
            self.turns.remove(&owner);
        }
    }

    /// Returns the shelf to serve next: best rank first, owners in turn.
    pub(super) fn head(&self, now: Duration, room: Room) -> Option<Head> {
        let due = |&&(rank, _, owner, _, lot): &&Entry| {
            self.shelves.get(&(owner, lot)).is_some_and(|shelf| shelf.due(rank, room) <= now)
        };
        self.heads.iter().find(due).map(|&(rank, _, owner, _, lot)| Head { rank, owner, lot })
    }

    /// Returns when the next shelf will be due.
    pub(super) fn next_due(&self, room: Room) -> Option<Duration> {
        let due = |&(rank, _, owner, _, lot): &Entry| {
            self.shelves.get(&(owner, lot)).map(|shelf| shelf.due(rank, room))
        };
        // Shelves wait 50 ms at most: the first few decide, the rest is as due.
        self.heads.iter().take(64).filter_map(due).min()
    }

    /// Takes a batch from this shelf, topped up with what may travel with it.
    ///
    /// The owner's first batch is small and is its own, so that something
    /// appears quickly. Later ones take along the owner's lower ranks and the
    /// other owners of the lot: a fuller batch costs no time.
    pub(super) fn take(&mut self, head: Head, room: Room) -> Vec<JobId> {
        let first = !self.turns.contains_key(&head.owner);
        let segments = if first { room.first } else { room.segments };
        let mut batch = Batch { jobs: Vec::new(), segments, left: room.load };
        self.fill((head.owner, head.lot), &mut batch);
        if !first {
            let mates: Vec<Owner> =
                self.mates.get(&head.lot).into_iter().flatten().copied().collect();
            for mate in mates {
                if !batch.open() || !self.fill((mate, head.lot), &mut batch) {
                    break;
                }
            }
        }
        self.pass_turn(head.owner);
        batch.jobs
    }

    /// Moves jobs from a shelf to the batch; returns whether it has room left.
    fn fill(&mut self, key: (Owner, Lot), batch: &mut Batch) -> bool {
        self.unlist(key);
        if let Some(shelf) = self.shelves.get_mut(&key) {
            while batch.open()
                && let Some((&at, &(job, load))) = shelf.jobs.first_key_value()
            {
                if !load.fits(batch.left) && !batch.jobs.is_empty() {
                    batch.left = Load::default();
                    break;
                }
                shelf.jobs.remove(&at);
                shelf.load = shelf.load.less(load);
                batch.left = batch.left.less(load);
                batch.jobs.push(job);
            }
        }
        self.list(key);
        batch.open()
    }

    fn pass_turn(&mut self, owner: Owner) {
        let lots = self.lots_of(owner);
        for lot in &lots {
            self.unlist((owner, *lot));
        }
        self.turn += 1;
        self.turns.insert(owner, self.turn);
        for lot in lots {
            self.list((owner, lot));
        }
    }

    fn lots_of(&self, owner: Owner) -> Vec<Lot> {
        let all = (owner, (0, false))..=(owner, (u64::MAX, true));
        self.shelves.range(all).map(|((_, lot), _)| *lot).collect()
    }

    fn entry(&self, key: (Owner, Lot)) -> Option<Entry> {
        let ((rank, seq), _) = self.shelves.get(&key)?.jobs.first_key_value()?;
        let turn = self.turns.get(&key.0).copied().unwrap_or(0);
        Some((*rank, turn, key.0, *seq, key.1))
    }

    fn unlist(&mut self, key: (Owner, Lot)) {
        if let Some(entry) = self.entry(key) {
            self.heads.remove(&entry);
        }
    }

    fn list(&mut self, key: (Owner, Lot)) {
        if let Some(entry) = self.entry(key) {
            self.heads.insert(entry);
            return;
        }
        self.shelves.remove(&key);
        if let Some(mates) = self.mates.get_mut(&key.1) {
            mates.remove(&key.0);
            if mates.is_empty() {
                self.mates.remove(&key.1);
            }
        }
    }
}

struct Batch {
    jobs: Vec<JobId>,
    segments: usize,
    left: Load,
}

impl Batch {
    fn open(&self) -> bool {
        self.jobs.len() < self.segments
            && (!Load::default().fills(self.left) || self.jobs.is_empty())
    }
}
