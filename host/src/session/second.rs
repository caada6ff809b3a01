//! The second look: what the store does not have may be in the cache that a
//! household or a team shares.
//!
//! It never holds a page up: without a connection there is no second look, and
//! a look ends in time by itself. What it brings goes the way of every
//! translation, into the store first; but it comes from outside, so it is
//! checked against its text once more.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::markup::{self, Part, Tags};
use crate::protocol::RemoteState;
use crate::provider::price::Size;
use crate::remote::{Config, Filler, Found, Remote, State};
use crate::reply;
use crate::secrets::{Lookup, Secrets};
use crate::segment::Key;
use crate::settings::CacheMode;
use crate::settings::CacheSettings;
use crate::store::{NewEntry, UsageRow, oldest_day};

use super::core::{Core, Event};
use super::deliver::{Owned, entry};
use super::jobs::{Job, JobId};
use super::lookup::Hits;
use super::setup::Setup;

/// A job that the store knows nothing of.
pub struct Missing {
    /// The job.
    pub job: JobId,
    /// Whose entries would serve, in order, with their keys.
    pub keys: Vec<(usize, Key)>,
    /// Places of providers that refused it.
    pub refused_by: Vec<usize>,
}

/// What the second look brought.
pub struct Further {
    /// The setup that the places of `missing` are of.
    setup: Arc<Setup>,
    missing: Vec<Missing>,
    /// In the order of all their keys.
    found: Vec<Option<Found>>,
}

/// A job, its raw translation, and whose it is.
pub type Ready = (JobId, String, Option<String>);

impl Core {
    /// Asks for all of these in one round trip, if there is somebody to ask;
    /// the queue gets the rest.
    pub(super) fn look_further(&mut self, setup: Arc<Setup>, missing: Vec<Missing>) {
        let keys: Vec<Key> =
            missing.iter().flat_map(|one| one.keys.iter().map(|(_, key)| *key)).collect();
        let second = self.second.as_ref().filter(|_| !keys.is_empty());
        let Some(found) = second.and_then(|second| second.find(keys)) else {
            for one in &missing {
                self.enqueue_missing(&setup, one);
            }
            return;
        };
        let events = self.events.clone();
        tokio::spawn(async move {
            let found = found.await;
            // Fails only when the session has ended, and then nobody asks.
            let _ = events.send(Event::Further(Further { setup, missing, found }));
        });
    }

    /// Takes what the second look brought.
    pub(super) fn looked_further(&mut self, further: Further) {
        let Further { setup, missing, found } = further;
        let mut found = found.into_iter();
        let max_days = self.setup.settings.cache.max_days;
        let oldest = oldest_day(max_days, super::day_of(Timestamp::now()));
        let mut hits = Vec::new();
        for one in missing {
            let values: Vec<_> = found.by_ref().take(one.keys.len()).collect();
            let Some(job) = self.jobs.get(one.job) else { continue };
            if self.jobs.is_unwanted(one.job) {
                self.jobs.remove(one.job);
                continue;
            }
            let good = one.keys.iter().zip(values).find_map(|((place, _), value)| {
                let hints = setup.providers.get(*place)?.capacity.hints;
                let serves = |found: &Found| {
                    found.day >= oldest && is_translation_of(job, &found.text, hints)
                };
                value.filter(serves).map(|found| (*place, found))
            });
            match good {
                Some((place, found)) => hits.push((one.job, place, found)),
                None => self.enqueue_missing(&setup, &one),
            }
        }
        self.keep(&setup, hits);
    }

    /// Stores what the second look brought, and answers after that.
    fn keep(&mut self, setup: &Arc<Setup>, hits: Vec<(JobId, usize, Found)>) {
        if hits.is_empty() {
            return;
        }
        let mut counts: Vec<Hits> = setup.providers.iter().map(|p| Hits::of(p)).collect();
        let mut entries: Vec<(Owned, i64)> = Vec::new();
        let mut ready: Vec<Ready> = Vec::new();
        for (id, place, Found { day, text: raw }) in hits {
            let by = &setup.providers[place];
            let Some(job) = self.jobs.get(id) else { continue };
            let saved = counts[place].count(Size::of(&job.normal), &raw);
            entries.push((entry(job, &raw, by), day));
            self.note_saved(id, saved);
            ready.push((id, raw, Some(by.name.clone())));
        }
        let events = self.events.clone();
        self.storage.run(move |store| {
            let day = super::day_of(Timestamp::now());
            let borrowed: Vec<(NewEntry<'_>, i64)> =
                entries.iter().map(|(entry, day)| (entry.borrow(), *day)).collect();
            store.put_older(&borrowed, day);
            // Fails only when the session has ended; the store has it.
            let _ = events.send(Event::Kept(ready));
            let rows: Vec<UsageRow> = counts.into_iter().filter_map(|hits| hits.row(day)).collect();
            store.add_usage(&rows);
        });
    }

    /// Returns what takes new translations for the others.
    pub(super) fn second_filler(&self) -> Option<Filler> {
        self.second.as_ref().map(Remote::filler)
    }

    /// Goes to another server when the reader's files say so.
    pub(super) fn follow_second(&mut self) {
        if self.second.as_ref().map(Remote::config) != self.setup.remote.as_ref() {
            self.second = self.setup.remote.clone().map(Remote::start);
        }
    }

    /// Waits until what was handed over is written, or until then.
    pub(super) async fn flush_second(&self, until: Instant) {
        if let Some(second) = &self.second {
            second.flush(until).await;
        }
    }

    /// Tells how the shared cache is doing, where one is set up.
    pub(super) fn second_state(&self) -> Option<RemoteState> {
        let (state, reason) = match self.second.as_ref()?.state() {
            State::Ok { reason } => ("ok", reason),
            State::Away { reason } => ("away", Some(reason)),
            State::Off { reason } => ("off", reason),
        };
        Some(RemoteState { state: state.to_owned(), reason })
    }
}

/// Whether this can be a translation of the job's text: not empty, not absurdly
/// long, with the source's tags, each once and nothing else that looks like
/// one, and with all that was protected.
pub(super) fn is_translation_of(job: &Job, raw: &str, hints: bool) -> bool {
    let marked = job.tags.is_some();
    let (source, answer) = (markup::plain(&job.normal, marked), markup::plain(raw, marked));
    if answer.trim().is_empty() || !reply::fits(&source, &answer) {
        return false;
    }
    let same_tags = !marked
        || markup::read_tags(&job.normal, raw) == Tags::Ok && tags_of(&job.normal) == tags_of(raw);
    same_tags && job.prepared(hints).tokens.iter().all(|token| answer.contains(&token.put_back))
}

/// Returns all that is a tag, in order of its number.
fn tags_of(text: &str) -> Vec<Part<'_>> {
    let mut tags: Vec<Part<'_>> = markup::parts(text).filter(|p| p.number().is_some()).collect();
    let kind = |part: &Part<'_>| match part {
        Part::Open(_) => 0,
        Part::Close(_) => 1,
        _ => 2,
    };
    tags.sort_by_key(|part| (part.number(), kind(part)));
    tags
}

/// Returns what the reader's files say of the shared cache.
#[must_use]
pub fn configured(cache: &CacheSettings, secrets: &Secrets) -> Option<Config> {
    let address = cache.remote.clone()?;
    let (password, trouble) = match secrets.lookup_remote(&address) {
        Ok(lookup @ Lookup::Found { .. }) => (lookup.key().cloned(), None),
        Ok(Lookup::Missing) => (None, address.user().map(no_password)),
        Ok(withheld) => (None, Some(withheld.to_string())),
        Err(error) => (None, Some(error.to_string())),
    };
    Some(Config {
        address,
        prefix: cache.remote_prefix.clone(),
        password,
        trouble,
        reads: cache.mode != CacheMode::Off,
        writes: cache.mode == CacheMode::On,
    })
}

fn no_password(user: &str) -> String {
    format!("no password is stored for the user {user}")
}
