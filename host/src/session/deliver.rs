//! From a finished job to answers: the cache first, then the dictionary, then
//! the wire. Failures go the same way, without the cache.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::markup;
use crate::protocol::{self, Code, From, Id, Reply, Translated};
use crate::segment::{Key, KeyParts};
use crate::store::NewEntry;
use crate::verdict::Failure;

use super::configured::Configured;
use super::core::{Core, Event};
use super::jobs::{Job, JobId, Wanter, hints_of};
use super::words;

/// A refusal is remembered for thirty days.
const REFUSAL_DAYS: i64 = 30;

/// A translation that has been handed to the store.
pub struct Stored {
    /// The job.
    pub job: JobId,
    /// The raw translation.
    pub raw: String,
    /// Who translated.
    pub provider: String,
}

/// What the store needs of an entry, owned, so that it can cross threads.
pub(super) struct Owned {
    key: Key,
    source: String,
    raw: String,
    is_early: bool,
    source_language: String,
    target_language: String,
    engine: String,
    site: Option<String>,
}

/// A good answer of a call.
pub struct Good {
    /// The job.
    pub job: JobId,
    /// The raw translation, checked.
    pub raw: String,
    /// Whether it is only shown: a copy of the source is not remembered.
    pub shown_only: bool,
}

impl Core {
    /// Stores what may be kept, and answers after that; the rest at once.
    pub(super) fn store_and_deliver(&mut self, goods: Vec<Good>, by: &Configured) {
        let name = &by.name;
        let (mut kept, mut entries, mut at_once) = (Vec::new(), Vec::new(), Vec::new());
        for good in goods {
            let Some(job) = self.jobs.get(good.job) else { continue };
            if good.shown_only || !job.is_kept() {
                at_once.push((good.job, good.raw, Some(name.clone())));
            } else {
                entries.push(entry(job, &good.raw, by));
                kept.push(Stored { job: good.job, raw: good.raw, provider: name.clone() });
            }
        }
        self.finish_many(at_once, From::Provider);
        if kept.is_empty() {
            return;
        }
        self.stores_under_way += 1;
        let events = self.events.clone();
        let filler = self.second_filler();
        self.storage.run(move |store| {
            let borrowed: Vec<NewEntry<'_>> = entries.iter().map(Owned::borrow).collect();
            let day = super::day_of(Timestamp::now());
            store.put_many(&borrowed, day);
            // Fails only when the session has ended; the store has it.
            let _ = events.send(Event::Stored(kept));
            if let Some(filler) = filler {
                let sure = entries.iter().filter(|entry| !entry.is_early);
                filler.put(sure.map(|entry| (entry.key, entry.raw.as_str())), day);
            }
        });
    }

    /// Answers what the store now has.
    pub(super) fn deliver(&mut self, stored: Vec<Stored>) {
        let ready = stored.into_iter().map(|s| (s.job, s.raw, Some(s.provider))).collect();
        self.finish_many(ready, From::Provider);
    }

    /// Ends one job with its translation.
    pub(super) fn finish(&mut self, id: JobId, raw: &str, from: From, provider: Option<String>) {
        self.finish_many(vec![(id, raw.to_owned(), provider)], from);
    }

    /// Ends jobs with their raw translations, and answers in one message a stream.
    pub(super) fn finish_many(&mut self, ready: Vec<(JobId, String, Option<String>)>, from: From) {
        let mut answers: BTreeMap<Id, Vec<Translated>> = BTreeMap::new();
        let mut wholes = Vec::new();
        for (id, raw, provider) in ready {
            let Some(job) = self.jobs.remove(id) else { continue };
            for wanter in &job.wanters {
                match *wanter {
                    Wanter::Segment { stream, i } => {
                        let Some(text) = self.answer_to(stream, i, &job, &raw, from) else {
                            continue;
                        };
                        let answer = Translated { i, text, from, provider: provider.clone() };
                        answers.entry(stream).or_default().push(answer);
                    }
                    Wanter::Part { whole, place } => {
                        if let Some(whole) = self.jobs.get_mut(whole) {
                            whole.early |= job.early;
                            whole.foreign |= job.foreign;
                        }
                        wholes.extend(self.fill(whole, place, &raw, provider.clone()));
                    }
                }
            }
        }
        for (id, segments) in answers {
            self.send(&Reply::Translated { id, segments });
        }
        for (whole, raw, provider) in wholes {
            self.whole_is_there(whole, raw, provider);
        }
    }

    /// Counts a segment as translated and returns what its reader sees.
    fn answer_to(&mut self, id: Id, i: u32, job: &Job, raw: &str, from: From) -> Option<String> {
        let stream = self.streams.get_mut(&id)?;
        stream.translated(i, from);
        let context = &stream.context;
        let dictionary = &self.setup.dictionary;
        let site = context.site.name();
        Some(markup::map_text(raw, job.tags.is_some(), |text| {
            dictionary.replace(text, context.pair(), site.as_deref())
        }))
    }

    /// Puts a part in its place; returns the whole when it was the last.
    fn fill(
        &mut self,
        whole: JobId,
        place: usize,
        raw: &str,
        provider: Option<String>,
    ) -> Option<(JobId, String, Option<String>)> {
        let assembly = self.jobs.get_mut(whole)?.assembly.as_mut()?;
        assembly.done[place] = Some(raw.to_owned());
        if assembly.done.iter().any(Option::is_none) {
            return None;
        }
        let Some(raw) = assembly.whole() else {
            self.fail(whole, Failure::BadReply, None, None);
            return None;
        };
        Some((whole, raw, provider))
    }

    fn whole_is_there(&mut self, whole: JobId, raw: String, provider: Option<String>) {
        let place =
            self.setup.providers.iter().position(|p| Some(p.name.as_str()) == provider.as_deref());
        let is_foreign = self.jobs.get(whole).is_some_and(|job| job.foreign);
        match place.filter(|_| !is_foreign) {
            Some(place) => {
                let by = self.setup.providers[place].clone();
                self.store_and_deliver(vec![Good { job: whole, raw, shown_only: false }], &by);
            }
            None => self.finish(whole, &raw, From::Provider, provider),
        }
    }

    /// Ends a job without a translation.
    pub(super) fn fail(
        &mut self,
        id: JobId,
        failure: Failure,
        provider: Option<usize>,
        until: Option<Duration>,
    ) {
        // That is no matter between the provider and other hosts.
        if !self.is_own_limit(failure, provider) {
            self.tell_failed(id, None, failure, until);
        }
        let Some(job) = self.jobs.remove(id) else { return };
        self.drop_parts(&job);
        let mut failed: BTreeMap<Id, Vec<protocol::Failed>> = BTreeMap::new();
        for wanter in job.wanters {
            match wanter {
                Wanter::Segment { stream, i } => {
                    let Some(known) = self.streams.get_mut(&stream) else { continue };
                    known.failed(i);
                    let code = words::code_of(failure);
                    let retryable = words::is_retryable(failure);
                    failed.entry(stream).or_default().push(protocol::Failed { i, code, retryable });
                }
                Wanter::Part { whole, .. } => self.fail(whole, failure, provider, until),
            }
        }
        let asked = provider.and_then(|p| self.setup.providers.get(p)).map(|p| p.name.as_str());
        let (name, detail) = if failure == Failure::NotConfigured {
            // Nobody was asked: what was wished for, and what is wrong with the file.
            (job.context.provider.as_deref(), self.setup.problem.as_deref())
        } else {
            (asked, provider.and_then(|p| self.detail(p)))
        };
        let back_in = until.map(|until| until.saturating_sub(self.now()));
        let own = provider.filter(|_| failure == Failure::QuotaExhausted);
        let message = own
            .and_then(|place| self.limit_words(place))
            .unwrap_or_else(|| words::sentence(failure, name, detail, back_in));
        for (id, segments) in failed {
            self.send(&Reply::Failed { id, segments, message: message.clone() });
        }
    }

    /// Asks no more for what only this job, which is over, was made of.
    fn drop_parts(&mut self, over: &Job) {
        let parts = over.assembly.iter().flat_map(|whole| &whole.jobs);
        let parts: Vec<JobId> = parts.flat_map(|part| self.jobs.with_parts(*part)).collect();
        let unwanted: Vec<JobId> =
            parts.iter().copied().filter(|part| self.jobs.is_unwanted(*part)).collect();
        for part in self.queue.drop_jobs(unwanted) {
            self.jobs.remove(part);
        }
        self.jobs.remove_unwanted(parts);
    }

    /// Fails a segment that cannot be a job.
    pub(super) fn fail_segment(&mut self, id: Id, i: u32, code: Code) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.failed(i);
        }
        let message = match code {
            Code::TooLong => "A segment is longer than 8,000 characters.",
            _ => "A segment's tags are not those of the protocol.",
        };
        let segments = vec![protocol::Failed { i, code, retryable: false }];
        self.send(&Reply::Failed { id, segments, message: message.to_owned() });
    }

    /// Remembers that a provider refused a text, unless nothing may be kept.
    pub(super) fn remember_refusal(&mut self, id: JobId, provider: usize) {
        let Some(job) = self.jobs.get(id).filter(|job| job.is_kept()) else { return };
        let text = Key::of_text(&job.normal);
        let engine = self.setup.providers[provider].engine.to_string();
        self.storage.run(move |store| {
            let until = Timestamp::now() + jiff::SignedDuration::from_hours(24 * REFUSAL_DAYS);
            store.remember_refusals(&engine, &[text], until);
        });
    }
}

/// Returns where the translation of a job by this provider is remembered.
pub(super) fn key_of(job: &Job, by: &Configured) -> Key {
    let context = &job.context;
    Key::of(&KeyParts {
        normal: &job.normal,
        source: by.source(context).unwrap_or("und"),
        target: &context.target,
        engine: &by.engine,
        marked: job.tags.is_some(),
        terms: &hints_of(&job.terms),
        site: site_of(job, by).as_deref(),
    })
}

fn site_of(job: &Job, by: &Configured) -> Option<String> {
    job.context.site.name().filter(|_| !by.capacity.independent)
}

pub(super) fn entry(job: &Job, raw: &str, by: &Configured) -> Owned {
    Owned {
        key: key_of(job, by),
        source: job.normal.clone(),
        raw: raw.to_owned(),
        is_early: job.early,
        source_language: by.source(&job.context).unwrap_or("und").to_owned(),
        target_language: job.context.target.clone(),
        engine: by.engine.to_string(),
        site: site_of(job, by),
    }
}

impl Owned {
    pub(super) fn borrow(&self) -> NewEntry<'_> {
        NewEntry {
            key: self.key,
            source: &self.source,
            translation: &self.raw,
            source_language: &self.source_language,
            target_language: &self.target_language,
            engine: &self.engine,
            site: self.site.as_deref(),
        }
    }
}
