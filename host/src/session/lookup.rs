//! Asking the store: is it remembered, and was it refused?

use std::sync::Arc;

use jiff::Timestamp;

use crate::protocol;
use crate::provider::price::{Price, Size, rounded};
use crate::segment::Key;
use crate::store::{Candidate, Store, UsageRow, Wish};

use super::configured::Configured;
use super::core::{Core, Event};
use super::jobs::{Job, JobId};
use super::second::Missing;
use super::setup::Setup;
use super::stream::Context;

/// What the store said about these jobs.
pub struct LookedUp {
    /// The setup that the places are of: another may be in force by now.
    setup: Arc<Setup>,
    answers: Vec<(JobId, Looked)>,
}

/// What the store said about a job.
enum Looked {
    /// It is remembered.
    Found {
        /// The raw translation.
        raw: String,
        /// The place of the provider whose entry it is.
        provider: usize,
        /// What it would have cost, in millionths of a dollar, if that is known.
        saved: Option<f64>,
    },
    /// It is not.
    Unknown {
        /// Places of providers that refused it.
        refused_by: Vec<usize>,
        /// Whose entries would serve, in order, with their keys.
        keys: Vec<(usize, Key)>,
        /// What else is remembered of its text, where entries of any engine serve.
        others: Vec<Candidate>,
    },
}

/// One job's question.
struct Question {
    job: JobId,
    /// Whose entries serve, in order, with their keys.
    keys: Vec<(usize, Key)>,
    /// Who may have refused it; empty when that is passed by.
    refusers: Vec<usize>,
    normal: String,
    size: Size,
    /// Where entries of any engine serve.
    wish: Option<Wish>,
}

/// What the cache did in the place of one provider.
pub(super) struct Hits {
    row: UsageRow,
    price: Option<Price>,
    saved: f64,
}

impl Hits {
    pub(super) fn of(configured: &Configured) -> Self {
        let row = UsageRow {
            provider: configured.name.clone(),
            model: configured.config.model.clone(),
            texts: Some(0),
            ..UsageRow::default()
        };
        Self { row, price: configured.price, saved: 0.0 }
    }

    /// Counts one, and returns what it saved.
    pub(super) fn count(&mut self, source: Size, translation: &str) -> Option<f64> {
        self.row.cache_hits += 1;
        let saved = self.price?.worth(source, Size::of(translation));
        self.saved += saved;
        Some(saved)
    }

    /// Returns the row of this day, if there is anything in it.
    pub(super) fn row(self, day: i64) -> Option<UsageRow> {
        let saved_micros = self.price.map(|_| rounded(self.saved));
        (self.row.cache_hits > 0).then_some(UsageRow { day, saved_micros, ..self.row })
    }
}

impl Core {
    /// Asks the store for all of these in one go. What needs no provider is
    /// answered at once, what must not be looked up goes to the queue.
    pub(super) fn look_up(&mut self, context: &Context, jobs: Vec<JobId>) {
        let serving = self.serving(context);
        let mut questions = Vec::new();
        for id in jobs {
            let Some(job) = self.jobs.get(id) else { continue };
            if let Some(raw) = own_translation(job) {
                self.finish(id, &raw, protocol::From::Cache, None);
            } else if context.fresh || context.private {
                self.enqueue(id, context.chain.clone());
            } else {
                let marked = job.tags.is_some();
                let made = |p| self.key(context, &job.normal, marked, &job.terms, p);
                let key = |p: &usize| (*p, job.key_with(*p).unwrap_or_else(|| made(*p)));
                questions.push(Question {
                    job: id,
                    keys: serving.iter().map(key).collect(),
                    refusers: if job.context.retry { Vec::new() } else { job.chain.clone() },
                    normal: job.normal.clone(),
                    size: Size::of(&job.normal),
                    wish: self.wish_of(context, &job.normal),
                });
            }
        }
        if !questions.is_empty() {
            self.ask_store(questions);
        }
    }

    /// Returns whose entries may serve: the first that is ready, and those
    /// before it; all when none is.
    fn serving(&self, context: &Context) -> Vec<usize> {
        let now = self.now();
        let all = if context.chain.is_empty() {
            self.setup.all_for(context)
        } else {
            context.chain.clone()
        };
        let ready = all.iter().position(|p| self.is_ready(*p, now));
        all[..ready.map_or(all.len(), |first| first + 1)].to_vec()
    }

    fn ask_store(&mut self, questions: Vec<Question>) {
        let (events, setup) = (self.events.clone(), self.setup.clone());
        self.storage.run(move |store| {
            let now = Timestamp::now();
            let day = super::day_of(now);
            let mut hits: Vec<Hits> = setup.providers.iter().map(|p| Hits::of(p)).collect();
            let keys: Vec<Key> =
                questions.iter().flat_map(|q| q.keys.iter().map(|(_, key)| *key)).collect();
            let mut entries = store.get_many(&keys, day).into_iter();
            let mut answers = Vec::with_capacity(questions.len());
            let mut unknown = Vec::new();
            for question in questions {
                let found: Vec<_> =
                    question.keys.iter().map(|(p, _)| (*p, entries.next().flatten())).collect();
                match found.into_iter().find_map(|(p, entry)| Some((p, entry?))) {
                    Some((provider, entry)) => {
                        let saved = hits[provider].count(question.size, &entry.text);
                        let found = Looked::Found { raw: entry.text, provider, saved };
                        answers.push((question.job, found));
                    }
                    None => unknown.push(question),
                }
            }
            answers.extend(unknown_ones(store, &setup, unknown, now));
            // Fails only when the session has ended, and then nobody asks.
            let _ = events.send(Event::Looked(LookedUp { setup, answers }));
            store.touch(day);
            let rows: Vec<UsageRow> = hits.into_iter().filter_map(|hits| hits.row(day)).collect();
            store.add_usage(&rows);
        });
    }

    /// Takes what the store said.
    pub(super) fn looked(&mut self, looked: LookedUp) {
        let LookedUp { setup, answers } = looked;
        let (mut ready, mut missing, mut more) = (Vec::new(), Vec::new(), Vec::new());
        for (id, looked) in answers {
            if self.jobs.is_unwanted(id) {
                self.jobs.remove(id);
                continue;
            }
            match looked {
                Looked::Found { raw, provider, saved } => {
                    self.note_saved(id, saved);
                    let name = setup.providers.get(provider).map(|p| p.name.clone());
                    ready.push((id, raw, name));
                }
                Looked::Unknown { refused_by, keys, others } => {
                    missing.push(Missing { job: id, keys, refused_by });
                    if !others.is_empty() {
                        more.push((id, others));
                    }
                }
            }
        }
        self.finish_many(ready, protocol::From::Cache);
        let served = self.serve_others(more);
        missing.retain(|one| !served.contains(&one.job));
        self.look_further(setup, missing);
    }

    /// Hands a job that is remembered nowhere to the queue. The places in
    /// `missing` are those of `setup`; a refusal is an engine's, wherever it
    /// stands now.
    pub(super) fn enqueue_missing(&mut self, setup: &Setup, missing: &Missing) {
        let Some(job) = self.jobs.get(missing.job) else { return };
        let passed_by = job.context.retry;
        let mut chain = job.chain.clone();
        let refusers = missing.refused_by.iter().map(|p| &setup.providers[*p].engine);
        let is_refuser =
            |p: &usize| refusers.clone().any(|e| *e == self.setup.providers[*p].engine);
        chain.retain(|p| passed_by || !is_refuser(p));
        self.enqueue(missing.job, chain);
    }
}

impl Core {
    /// Counts what a text from the cache would have cost, for all who want it.
    pub(super) fn note_saved(&mut self, id: JobId, saved: Option<f64>) {
        let Some(saved) = saved else { return };
        for owner in self.owners(id) {
            if let Some(stream) = self.streams.get_mut(&owner) {
                stream.saved(saved);
            }
        }
    }
}

/// A text without letters outside tags and tokens is its own translation,
/// but for terms, which the dictionary translates.
fn own_translation(job: &Job) -> Option<String> {
    let prepared = job.prepared(false);
    let is_whole = !prepared.is_translatable();
    is_whole.then(|| crate::markup::settle(&prepared, &prepared.text).ok()).flatten()
}

/// Returns what else the store has to say of texts that it does not have.
fn unknown_ones(
    store: &mut Store,
    setup: &Setup,
    questions: Vec<Question>,
    now: Timestamp,
) -> Vec<(JobId, Looked)> {
    let refused = refusals(store, setup, &questions, now);
    let wishes: Vec<Wish> = questions.iter().filter_map(|one| one.wish.clone()).collect();
    let mut found = store.find_texts(&wishes, super::day_of(now)).into_iter();
    let answer = |(question, refused_by): (Question, Vec<usize>)| {
        let others = question.wish.and_then(|_| found.next()).unwrap_or_default();
        (question.job, Looked::Unknown { refused_by, keys: question.keys, others })
    };
    questions.into_iter().zip(refused).map(answer).collect()
}

/// Returns for each question the places of those who refused its text.
fn refusals(
    store: &mut Store,
    setup: &Setup,
    questions: &[Question],
    now: Timestamp,
) -> Vec<Vec<usize>> {
    let texts: Vec<Key> = questions.iter().map(|question| Key::of_text(&question.normal)).collect();
    let asked: Vec<usize> = (0..setup.providers.len())
        .filter(|p| questions.iter().any(|question| question.refusers.contains(p)))
        .collect();
    let engine = |p: usize| setup.providers[p].engine.to_string();
    let refused: Vec<(usize, Vec<bool>)> =
        asked.into_iter().map(|p| (p, store.refused_many(&engine(p), &texts, now))).collect();
    let by = |(at, question): (usize, &Question)| {
        let all = refused.iter().filter(|(p, texts)| texts[at] && question.refusers.contains(p));
        all.map(|(p, _)| *p).collect()
    };
    questions.iter().enumerate().map(by).collect()
}
