//! A job: one text that is wanted, by one segment or by many.
//!
//! Equal texts of one host share a job. A job whose text was cut up, or whose
//! tags kept getting lost, waits for jobs of its parts and is put together
//! again. The queue knows jobs only by number.

use std::collections::HashMap;
use std::sync::Arc;

use crate::dictionary::TermHit;
use crate::markup::{self, Cuts, Pieces, Prepared, Shield};
use crate::protocol::Id;
use crate::verdict::Failure;

use super::around::Around;
use super::stream::Context;

/// A job's number, unique in a session.
pub type JobId = u64;

/// Who waits for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanter {
    /// A segment of a stream.
    Segment {
        /// The stream.
        stream: Id,
        /// The segment.
        i: u32,
    },
    /// Another job, of which this is a part.
    Part {
        /// That job.
        whole: JobId,
        /// Which part of it.
        place: usize,
    },
}

/// What makes two wishes the same job. `fresh` ones have none: they join nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The key with the first engine of the chain; site and terms are in it.
    pub key: crate::segment::Key,
    /// Private segments are shared with private ones only.
    pub private: bool,
    /// Whom it may be asked of, in order.
    pub chain: Vec<usize>,
}

/// A job whose parts are asked for one by one.
#[derive(Debug)]
pub struct Assembly {
    /// The jobs of the parts.
    pub jobs: Vec<JobId>,
    /// What is there of them.
    pub done: Vec<Option<String>>,
    /// How they are put together.
    pub plan: Plan,
}

/// How parts are put together.
#[derive(Debug)]
pub enum Plan {
    /// Cut at sentence ends.
    Cuts(Cuts),
    /// Taken apart at the tags of what was sent.
    Pieces(Prepared, Pieces),
}

impl Assembly {
    /// Returns the whole translation once every part is there.
    #[must_use]
    pub fn whole(&self) -> Option<String> {
        let parts: Option<Vec<&String>> = self.done.iter().map(Option::as_ref).collect();
        match &self.plan {
            Plan::Cuts(cuts) => cuts.join(&parts?),
            Plan::Pieces(prepared, pieces) => markup::settle(prepared, &pieces.join(&parts?)?).ok(),
        }
    }
}

/// One text that is wanted.
#[derive(Debug)]
pub struct Job {
    /// The text in normal form, as it was wanted.
    pub normal: String,
    /// As on the wire: present means that `normal` is marked.
    pub tags: Option<u32>,
    /// What the stream that wanted it first says of it.
    pub context: Arc<Context>,
    /// A button, menu item or label.
    pub ui: bool,
    /// The best rank of all who want it.
    pub rank: u8,
    /// Who waits for it.
    pub wanters: Vec<Wanter>,
    /// As in [`Identity`], where it can be joined.
    pub identity: Option<Identity>,
    /// Whom it may be asked of, in order.
    pub chain: Vec<usize>,
    /// The dictionary's terms that occur in it.
    pub terms: Vec<TermHit>,
    /// What stands around it on the page, if it is short.
    pub around: Option<Around>,
    /// Whom the queue was told to ask, in order.
    pub asked: Vec<usize>,
    /// Whether the queue knows it.
    pub queued: bool,
    /// How often an answer lost its tags.
    pub tag_faults: u32,
    /// Whether it was asked once more alone, since its answer was doubtful.
    pub doubted: bool,
    /// Whether an answer to it was a refusal in prose.
    pub prose: bool,
    /// Whether its translation, or that of a part, came before the end of a
    /// call: whoever shares the cache gets it only when the call has ended well.
    pub early: bool,
    /// Whether its translation, or that of a part, is an entry of whatever engine:
    /// a whole with such a part is nobody's, and is not remembered.
    pub foreign: bool,
    /// Its parts, when it was taken apart.
    pub assembly: Option<Assembly>,
    /// How often the text that it is a part of was cut.
    pub depth: u8,
}

/// A part is cut again at most this often; what is still too long fails.
pub const MAX_DEPTH: u8 = 3;

impl Job {
    /// Returns the form that is sent to a provider. One that takes hints gets
    /// only do-not-translate terms as opaque tokens, others get all of them so.
    #[must_use]
    pub fn prepared(&self, hints: bool) -> Prepared {
        let shields: Vec<Shield> = self
            .terms
            .iter()
            .filter(|term| !hints || term.target.is_none())
            .map(|term| Shield { range: term.range.clone(), put_back: term.target.clone() })
            .collect();
        markup::prepare(&self.normal, self.tags, &shields)
    }

    /// Returns the terms as hints: source and wanted translation.
    #[must_use]
    pub fn hints(&self) -> Vec<(String, String)> {
        hints_of(&self.terms)
    }

    /// Returns its key with this provider, where that is known already.
    #[must_use]
    pub fn key_with(&self, provider: usize) -> Option<crate::segment::Key> {
        let identity = self.identity.as_ref()?;
        (identity.chain.first() == Some(&provider)).then_some(identity.key)
    }

    /// Whether anything of it may be kept: not for private windows, nor for
    /// pages without a name.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        !self.context.private
    }

    /// Returns the streams that want it.
    pub fn streams(&self) -> impl Iterator<Item = Id> + '_ {
        self.wanters.iter().filter_map(|wanter| match wanter {
            Wanter::Segment { stream, .. } => Some(*stream),
            Wanter::Part { .. } => None,
        })
    }
}

/// Returns terms as pairs; a do-not-translate term stands for itself.
#[must_use]
pub fn hints_of(terms: &[TermHit]) -> Vec<(String, String)> {
    terms
        .iter()
        .map(|term| {
            (term.source.clone(), term.target.clone().unwrap_or_else(|| term.source.clone()))
        })
        .collect()
}

/// All jobs of a session.
#[derive(Debug, Default)]
pub struct Jobs {
    all: HashMap<JobId, Job>,
    by_identity: HashMap<Identity, JobId>,
    next: JobId,
}

impl Jobs {
    /// Takes in a job and returns its number.
    pub fn add(&mut self, job: Job) -> JobId {
        self.next += 1;
        if let Some(identity) = &job.identity {
            self.by_identity.insert(identity.clone(), self.next);
        }
        self.all.insert(self.next, job);
        self.next
    }

    /// Returns the job that is under way for the same thing.
    #[must_use]
    pub fn same(&self, identity: &Identity) -> Option<JobId> {
        self.by_identity.get(identity).copied()
    }

    /// Returns a job, if it is still wanted or under way.
    #[must_use]
    pub fn get(&self, id: JobId) -> Option<&Job> {
        self.all.get(&id)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, id: JobId) -> Option<&mut Job> {
        self.all.get_mut(&id)
    }

    /// Gives every job the providers that its context may now be asked of. None
    /// is joined after that: its identity names places of the former list.
    pub fn choose_anew(&mut self, choose: impl Fn(&Context) -> (Vec<usize>, Option<Failure>)) {
        self.by_identity.clear();
        for job in self.all.values_mut() {
            let mut context = (*job.context).clone();
            (context.chain, context.refusal) = choose(&context);
            job.chain.clone_from(&context.chain);
            job.context = Arc::new(context);
            job.identity = None;
        }
    }

    /// Forgets a job and returns it.
    pub fn remove(&mut self, id: JobId) -> Option<Job> {
        let job = self.all.remove(&id)?;
        // Another job may have taken the place since.
        if let Some(identity) =
            job.identity.as_ref().filter(|identity| self.same(identity) == Some(id))
        {
            self.by_identity.remove(identity);
        }
        Some(job)
    }

    /// Returns the job and all jobs of its parts, however deep.
    #[must_use]
    pub fn with_parts(&self, id: JobId) -> Vec<JobId> {
        let mut found = vec![id];
        let mut at = 0;
        while at < found.len() {
            if let Some(assembly) = self.get(found[at]).and_then(|job| job.assembly.as_ref()) {
                found.extend(&assembly.jobs);
            }
            at += 1;
        }
        found
    }

    /// Forgets those of these jobs that nobody waits for any more, with their
    /// parts. What the queue knows stays: the queue says what becomes of it.
    pub fn remove_unwanted(&mut self, ids: impl IntoIterator<Item = JobId>) {
        let mut left: Vec<JobId> = ids.into_iter().collect();
        while let Some(id) = left.pop() {
            let waits = self.get(id).is_some_and(|job| !job.queued) && self.is_unwanted(id);
            if let Some(job) = waits.then(|| self.remove(id)).flatten() {
                left.extend(job.assembly.into_iter().flat_map(|whole| whole.jobs));
            }
        }
    }

    /// Whether nobody waits for this job any more, however far up.
    #[must_use]
    pub fn is_unwanted(&self, id: JobId) -> bool {
        self.get(id).is_none_or(|job| {
            job.wanters.iter().all(|wanter| match wanter {
                Wanter::Segment { .. } => false,
                Wanter::Part { whole, .. } => self.is_unwanted(*whole),
            })
        })
    }
}
