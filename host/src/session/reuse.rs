//! Entries of any engine, where the reader lets them serve (`cache.reuse`).
//!
//! An entry says of itself whose it is, for which site and pair; it does not say
//! whether its text was marked, nor which terms were sent. Its key does: made
//! again from the question's text, form and terms, and from the entry's own
//! engine, site and languages, it is the same key or the entry answers another
//! question. So one that was made with a term that has changed since never
//! serves, nor one of which nobody knows the terms.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::language::primary;
use crate::protocol;
use crate::provider::price::Size;
use crate::segment::{Engine, Key, KeyParts};
use crate::settings::Reuse;
use crate::store::{Candidate, UsageRow, Wish};

use super::core::Core;
use super::jobs::{Job, JobId, hints_of};
use super::lookup::Hits;
use super::second::{Ready, is_translation_of};
use super::setup::Setup;
use super::stream::Context;

/// A job and what else is remembered of its text.
pub(super) type Others = (JobId, Vec<Candidate>);

impl Core {
    /// Returns what to look for beside entries of those who would be asked. Who
    /// wants one provider alone wants its words.
    pub(super) fn wish_of(&self, context: &Context, normal: &str) -> Option<Wish> {
        let any = self.setup.settings.cache.reuse == Reuse::Any && context.provider.is_none();
        any.then(|| Wish {
            source: normal.to_owned(),
            target: context.target.clone(),
            site: context.site.name(),
        })
    }

    /// Answers what an entry of any engine serves, and returns those jobs.
    pub(super) fn serve_others(&mut self, others: Vec<Others>) -> HashSet<JobId> {
        let setup = self.setup.clone();
        let mut hits: Vec<Hits> = setup.providers.iter().map(|p| Hits::of(p)).collect();
        let (mut ready, mut used) = (Vec::new(), Vec::new());
        for (id, candidates) in others {
            let Some(job) = self.jobs.get_mut(id) else { continue };
            let Some(entry) = best(&setup, job, candidates) else { continue };
            job.foreign = true;
            let (chain, size) = (job.chain.clone(), Size::of(&job.normal));
            // What was saved is the call that would have been made.
            let asked = chain.iter().find(|p| self.is_ready(**p, self.now())).or(chain.first());
            let saved = asked.and_then(|p| hits[*p].count(size, &entry.translation));
            self.note_saved(id, saved);
            used.push((entry.key, entry.used_day));
            let name = name_of(&setup, &entry.engine);
            ready.push((id, entry.translation, name));
        }
        let served = ready.iter().map(|(id, ..)| *id).collect();
        self.answer_with(ready, used, hits);
        served
    }

    fn answer_with(&mut self, ready: Vec<Ready>, used: Vec<(Key, i64)>, hits: Vec<Hits>) {
        if ready.is_empty() {
            return;
        }
        self.finish_many(ready, protocol::From::Cache);
        self.storage.run(move |store| {
            let day = super::day_of(Timestamp::now());
            store.use_found(&used, day);
            store.touch(day);
            let rows: Vec<UsageRow> = hits.into_iter().filter_map(|hits| hits.row(day)).collect();
            store.add_usage(&rows);
        });
    }
}

/// Returns the entry that serves: the reader's own providers' in their order,
/// then the newest.
fn best(setup: &Setup, job: &Job, candidates: Vec<Candidate>) -> Option<Candidate> {
    let fitting = candidates.into_iter().filter(|entry| serves(job, entry));
    fitting.min_by_key(|entry| {
        let place = place_of(setup, &entry.engine).unwrap_or(usize::MAX);
        (place, std::cmp::Reverse(entry.created_day))
    })
}

/// A language model may have bent a term, or passed it by, where the engine that
/// would be asked puts it back as it stands: then that one is asked.
fn serves(job: &Job, entry: &Candidate) -> bool {
    let source = job.context.pair().0;
    let Ok(engine) = entry.engine.parse::<Engine>() else { return false };
    let key = || {
        Key::of(&KeyParts {
            normal: &job.normal,
            source: &entry.source_language,
            target: &job.context.target,
            engine: &engine,
            marked: job.tags.is_some(),
            terms: &hints_of(&job.terms),
            site: entry.site.as_deref(),
        })
    };
    is_compatible(source, &entry.source_language)
        && (entry.site.is_none() || entry.site == job.context.site.name())
        && key() == entry.key
        && is_translation_of(job, &entry.translation, false)
}

/// Whether a text in the one language may be one in the other.
fn is_compatible(one: &str, other: &str) -> bool {
    one == "und" || other == "und" || primary(one) == primary(other)
}

fn place_of(setup: &Setup, engine: &str) -> Option<usize> {
    setup.providers.iter().position(|p| p.engine.to_string() == engine)
}

/// Returns the reader's name for an engine, else its kind.
fn name_of(setup: &Setup, engine: &str) -> Option<String> {
    if let Some(place) = place_of(setup, engine) {
        return Some(setup.providers[place].name.clone());
    }
    engine.parse::<Engine>().ok().map(|engine| engine.kind).filter(|kind| !kind.is_empty())
}
