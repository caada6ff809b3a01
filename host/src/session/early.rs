//! Items of an answer that is still arriving: those that are good without any
//! doubt are stored and answered before its end.
//!
//! What must stay true: an answer cannot be taken back. So an item is used early
//! only where a strict schema holds the ids in order and most items so far are
//! beyond doubt; everything else waits for the end, where the whole reply is
//! judged. A provider whose whole reply breaks its schema loses this trust. A
//! cache that is shared with others gets early items only after that judgement.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::protocol::Id;
use crate::queue::CallId;
use crate::reply::{self, Single};
use crate::segment::Key;
use crate::verdict::Reading;

use super::calls::Flight;
use super::core::Core;
use super::deliver::{Good, key_of};
use super::verdicts::{Judged, judge};

/// What was used of an answer before its end.
#[derive(Default)]
pub struct Early {
    /// Places of the items that were used, and what the cache has of them.
    used: BTreeMap<usize, Option<(Key, String)>>,
    /// The streams that wanted them: the call is theirs as well.
    owners: BTreeSet<Id>,
    there: usize,
    doubtful: usize,
    /// Whether the rest waits for the end.
    waits: bool,
}

impl Early {
    /// Whether the item in this place was used.
    pub(super) fn has(&self, place: usize) -> bool {
        self.used.contains_key(&place)
    }

    /// Returns the streams that wanted what was used.
    pub(super) fn owners(&self) -> impl Iterator<Item = Id> + '_ {
        self.owners.iter().copied()
    }

    /// Counts an item; false when it has to wait for the end, as has all that
    /// follows once most are doubtful.
    fn counts(&mut self, judged: &Judged) -> bool {
        self.there += usize::from(!matches!(judged, Judged::Missing));
        self.doubtful += usize::from(matches!(judged, Judged::Doubtful));
        self.waits |= reply::mostly_doubtful(self.doubtful, self.there);
        !self.waits && matches!(judged, Judged::Good { .. })
    }
}

impl Core {
    /// Takes items of a call that is under way.
    pub(super) fn early(&mut self, call: CallId, items: Vec<(usize, String)>) {
        let Some(mut flight) = self.flights.remove(&call) else { return };
        let mut goods = Vec::new();
        for (place, text) in items {
            goods.extend(self.good_early(&mut flight, place, &text));
        }
        let by = flight.configured.clone();
        self.flights.insert(call, flight);
        self.store_and_deliver(goods, &by);
    }

    fn good_early(&mut self, flight: &mut Flight, place: usize, text: &str) -> Option<Good> {
        if !flight.configured.keeps_order() || flight.early.has(place) {
            return None;
        }
        let (id, prepared) = (*flight.jobs.get(place)?, flight.prepared.get(place)?);
        let job = self.jobs.get(id)?;
        let judged = match reply::single(&prepared.text, text) {
            Single::Good => judge(job, prepared, text, flight, false),
            Single::Blank | Single::Refusal | Single::Unfit => Judged::Missing,
        };
        if !flight.early.counts(&judged) {
            return None;
        }
        let Judged::Good { raw, shown_only } = judged else { return None };
        let kept = !shown_only && job.is_kept();
        let entry = kept.then(|| (key_of(job, &flight.configured), raw.clone()));
        flight.early.used.insert(place, entry);
        flight.early.owners.extend(self.owners(id));
        self.jobs.get_mut(id)?.early = true;
        Some(Good { job: id, raw, shown_only })
    }

    /// Ends the trust in the order of a provider's ids when a whole reply, for
    /// which a schema was asked, does not keep to it. What was shown of it by
    /// then stays; the cache forgets what the whole reply does not bear out, and
    /// a shared one never learns of it.
    pub(super) fn note_order(&mut self, flight: &Flight, reading: &Reading) {
        let provider = flight.configured.provider.as_deref();
        let strict = provider.is_some_and(|provider| provider.is_strict(&flight.ask));
        if !strict || !OUT_OF_ORDER.contains(&reading.reason) {
            return self.share(&flight.early);
        }
        flight.configured.lose_order();
        let used = flight.early.used.iter();
        let refuted = used.filter(|(place, _)| !reading.items.contains_key(place));
        let keys: Vec<Key> = refuted.filter_map(|(_, entry)| Some(entry.as_ref()?.0)).collect();
        if !keys.is_empty() {
            self.storage.run(move |store| {
                for key in keys {
                    store.forget(key);
                }
            });
        }
    }

    /// Hands what was used before the end over to whoever shares the cache.
    fn share(&self, early: &Early) {
        if let Some(filler) = self.second_filler() {
            let entries = early.used.values().flatten();
            let day = super::day_of(Timestamp::now());
            filler.put(entries.map(|(key, raw)| (*key, raw.as_str())), day);
        }
    }
}

/// Reasons that no reply has whose ids a schema holds.
const OUT_OF_ORDER: [&str; 6] =
    ["one_based", "extra_ids", "tail_missing_shift", "duplicate_id", "wrong_count", "not_json"];
