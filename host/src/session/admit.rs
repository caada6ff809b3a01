//! From a `translate` to jobs: what is wanted, by whom, and may it be asked.

use std::hash::BuildHasher;
use std::sync::Arc;

use crate::language;
use crate::markup;
use crate::pace::Load;
use crate::protocol::{Code, Id, MAX_SEGMENT_UTF16, Segment, Translate};
use crate::queue::Wish;
use crate::segment::{self, Key, KeyParts, Site};
use crate::verdict::Failure;

use super::around::{Around, around};
use super::core::Core;
use super::jobs::{Identity, Job, JobId, Wanter, hints_of};
use super::stream::{Context, Stream};

/// Texts of at most this many words count as labels: an LLM must not decide
/// about them under the influence of longer ones.
const LABEL_WORDS: usize = 3;
/// The same in a script without spaces, such as Han or kana: what three words
/// take there.
const LABEL_LETTERS: usize = 8;

/// A text that is wanted, before it is a job.
pub struct Wanted {
    /// Normal form.
    pub normal: String,
    /// As on the wire.
    pub tags: Option<u32>,
    /// A button, menu item or label.
    pub ui: bool,
    /// Best rank.
    pub rank: u8,
    /// Who wants it.
    pub wanter: Wanter,
    /// How often the text that it is a part of was cut.
    pub depth: u8,
    /// What stands around it on the page, if it is short.
    pub around: Option<Around>,
}

impl Core {
    /// Takes one part of a stream.
    pub(super) fn translate(&mut self, part: Translate) {
        self.recall_once();
        self.recount();
        let id = part.id;
        if !self.streams.contains_key(&id) {
            if !self.is_new_id(id) {
                let message = format!("id {id} is closed");
                return self.error(Some(id), Code::BadMessage, message, None);
            }
            match self.context_of(&part) {
                Ok(context) => self.streams.insert(id, Stream::new(id, context)),
                Err(message) => {
                    return self.error(Some(id), Code::BadMessage, message, None);
                }
            };
            if part.retry {
                self.queue.reader_retries(self.now());
                self.storage.run(crate::store::Store::reader_retries);
            }
        }
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if stream.is_last_part_seen() || !stream.begin_part(&part.segments, part.more) {
            self.forget_stream(id);
            let message = format!("id {id}: a part after the last one, or an index twice");
            return self.error(Some(id), Code::BadMessage, message, None);
        }
        let context = stream.context.clone();
        self.admit_segments(id, &context, part.segments);
    }

    fn context_of(&self, part: &Translate) -> Result<Arc<Context>, String> {
        let target = language::normal(&part.target).ok_or("target is not a BCP 47 language tag")?;
        let source = match &part.source {
            None => self.setup.settings.source.clone(),
            Some(tag) => Some(language::normal(tag).ok_or("source is not a BCP 47 language tag")?),
        };
        let page = part.page.clone().unwrap_or_default();
        let site = segment::site(&page.origin);
        let private = part.private || site == Site::Opaque;
        let page_lang = page.lang.as_deref().and_then(language::normal);
        let mut context = Context {
            source,
            page_lang,
            target,
            origin: page.origin,
            site,
            title: if private { String::new() } else { page.title },
            fresh: part.fresh,
            retry: part.retry,
            private,
            provider: part.provider.clone(),
            chain: Vec::new(),
            refusal: None,
        };
        (context.chain, context.refusal) = self.setup.chain_for(&context);
        Ok(Arc::new(context))
    }

    fn admit_segments(&mut self, id: Id, context: &Arc<Context>, segments: Vec<Segment>) {
        let (mut to_look_up, mut corrected) = (Vec::new(), Vec::new());
        let near: Vec<(&str, bool, bool)> =
            segments.iter().map(|s| (s.text.as_str(), s.tags.is_some(), s.is_ui())).collect();
        let near = if context.private { vec![None; near.len()] } else { around(&near) };
        for (segment, around) in segments.into_iter().zip(near) {
            let i = segment.i;
            if let Some(code) = fault_of(&segment) {
                self.fail_segment(id, i, code);
                continue;
            }
            let normal = segment::normal_form(&segment.text);
            if let Some(text) = self.correction(context, &normal, segment.tags.is_some()) {
                corrected.push((i, text));
                continue;
            }
            let wanted = Wanted {
                normal,
                tags: segment.tags,
                ui: segment.is_ui(),
                rank: segment.rank.min(2),
                wanter: Wanter::Segment { stream: id, i },
                depth: 0,
                around,
            };
            let (job, is_new) = self.want(context, wanted);
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.waiting.insert(i, job);
            }
            if is_new {
                to_look_up.push(job);
            }
        }
        self.tell_corrected(id, corrected);
        self.look_up(context, to_look_up);
    }

    /// Joins a job that is under way, or makes one; true when it is new.
    pub(super) fn want(&mut self, context: &Arc<Context>, wanted: Wanted) -> (JobId, bool) {
        let terms = self.setup.dictionary.terms_in(
            &markup::plain(&wanted.normal, wanted.tags.is_some()),
            context.pair(),
            context.site.name().as_deref(),
        );
        let identity = (!context.fresh && !context.chain.is_empty()).then(|| Identity {
            key: self.key(context, &wanted.normal, wanted.tags.is_some(), &terms, context.chain[0]),
            private: context.private,
            chain: context.chain.clone(),
        });
        if let Some(same) = identity.as_ref().and_then(|identity| self.jobs.same(identity)) {
            self.join(same, context, &wanted);
            return (same, false);
        }
        let job = Job {
            normal: wanted.normal,
            tags: wanted.tags,
            context: context.clone(),
            ui: wanted.ui,
            rank: wanted.rank,
            wanters: vec![wanted.wanter],
            identity,
            chain: context.chain.clone(),
            terms,
            around: wanted.around,
            asked: Vec::new(),
            queued: false,
            tag_faults: 0,
            doubted: false,
            prose: false,
            early: false,
            foreign: false,
            assembly: None,
            depth: wanted.depth,
        };
        (self.jobs.add(job), true)
    }

    fn join(&mut self, id: JobId, context: &Arc<Context>, wanted: &Wanted) {
        if let Some(job) = self.jobs.get_mut(id) {
            job.wanters.push(wanted.wanter);
            job.rank = job.rank.min(wanted.rank);
        }
        let owners = match wanted.wanter {
            Wanter::Segment { stream, .. } => vec![stream],
            Wanter::Part { whole, .. } => self.owners(whole),
        };
        for part in self.jobs.with_parts(id) {
            let Some(job) = self.jobs.get_mut(part) else { continue };
            if context.retry && !job.context.retry {
                // What was refused before may be asked once more now.
                job.context = context.clone();
            }
            if job.queued {
                for owner in &owners {
                    self.queue.join(part, *owner, wanted.rank);
                }
            }
        }
    }

    /// Returns all streams that wait for a job, be it for a whole of it.
    pub(super) fn owners(&self, id: JobId) -> Vec<Id> {
        let Some(job) = self.jobs.get(id) else { return Vec::new() };
        let mut owners: Vec<Id> = job.streams().collect();
        for wanter in &job.wanters {
            if let Wanter::Part { whole, .. } = wanter {
                owners.extend(self.owners(*whole));
            }
        }
        owners.sort_unstable();
        owners.dedup();
        owners
    }

    /// Returns the key of a text with one provider of the list.
    pub(super) fn key(
        &self,
        context: &Context,
        normal: &str,
        marked: bool,
        terms: &[crate::dictionary::TermHit],
        provider: usize,
    ) -> Key {
        let provider = &self.setup.providers[provider];
        let source = provider.source(context).unwrap_or("und");
        Key::of(&KeyParts {
            normal,
            source,
            target: &context.target,
            engine: &provider.engine,
            marked,
            terms: &hints_of(terms),
            site: context.site.name().filter(|_| !provider.capacity.independent).as_deref(),
        })
    }

    /// Hands a job to the queue, for all who want it.
    pub(super) fn enqueue(&mut self, id: JobId, chain: Vec<usize>) {
        let now = self.now();
        let owners = self.owners(id);
        let Some(job) = self.jobs.get_mut(id) else { return };
        let Some((&owner, others)) = owners.split_first() else {
            self.jobs.remove(id);
            return;
        };
        if chain.is_empty() {
            let failure = job.context.refusal.unwrap_or(Failure::Refused);
            return self.fail(id, failure, None, None);
        }
        job.queued = true;
        job.asked.clone_from(&chain);
        let group = (
            &job.context.origin,
            (&job.context.source, &job.context.page_lang),
            &job.context.target,
            &job.context.provider,
            job.context.private,
            !self.setup.all_independent(&chain) && (job.ui || is_label(&job.normal)),
        );
        let wish = Wish {
            job: id,
            owner,
            rank: job.rank,
            group: self.groups.hash_one(group),
            load: Load::of(&job.normal),
            providers: chain,
            changed: job.context.fresh,
        };
        let rank = job.rank;
        self.queue.push(now, wish);
        for owner in others {
            self.queue.join(id, *owner, rank);
        }
    }

    /// Gives what waits another rank.
    pub(super) fn prioritize(&mut self, id: Id, segments: &[u32], rank: u8) {
        let Some(stream) = self.streams.get(&id) else { return };
        let mut jobs = Vec::new();
        for job in segments.iter().filter_map(|i| stream.waiting.get(i)) {
            jobs.extend(self.jobs.with_parts(*job));
        }
        let rank = rank.min(2);
        for job in &jobs {
            if let Some(job) = self.jobs.get_mut(*job).filter(|job| !job.queued) {
                job.rank = rank;
            }
        }
        self.queue.prioritize(id, &jobs, rank);
    }

    /// Ends a stream at the extension's wish; one that has ended stays silent.
    pub(super) fn cancel(&mut self, id: Id) {
        if let Some(stream) = self.forget_stream(id) {
            for message in stream.end() {
                self.send(&message);
            }
        }
    }

    /// Ends a stream that is complete.
    pub(super) fn end_stream(&mut self, id: Id) {
        if let Some(stream) = self.streams.remove(&id) {
            // The queue remembers an owner's turn until it is told. What it still
            // had for this one are parts of a text that failed.
            for job in self.queue.cancel(id) {
                self.jobs.remove(job);
            }
            for message in stream.end() {
                self.send(&message);
            }
        }
    }

    /// Takes a stream away; what only it wanted and what is not in flight goes
    /// with it.
    pub(super) fn forget_stream(&mut self, id: Id) -> Option<Stream> {
        let stream = self.streams.remove(&id)?;
        let mut touched = Vec::new();
        for job in stream.waiting.values() {
            touched.extend(self.jobs.with_parts(*job));
            if let Some(job) = self.jobs.get_mut(*job) {
                job.wanters
                    .retain(|w| !matches!(w, Wanter::Segment { stream, .. } if *stream == id));
            }
        }
        for job in self.queue.cancel(id) {
            self.jobs.remove(job);
        }
        self.jobs.remove_unwanted(touched);
        Some(stream)
    }
}

/// Returns what is wrong with a segment, if anything.
fn fault_of(segment: &Segment) -> Option<Code> {
    if segment::utf16_len(&segment.text) > MAX_SEGMENT_UTF16 {
        return Some(Code::TooLong);
    }
    let fits = segment.tags.is_none() || markup::validate(&segment.text, segment.tags);
    (!fits).then_some(Code::BadMessage)
}

/// Where words have no spaces between them, letters are counted. Hangul has
/// spaces; three of its words are a label whatever their length.
pub(super) fn is_label(normal: &str) -> bool {
    let dense = |c: &char| {
        language::is_unspaced(*c) && language::script_of(*c) != Some(language::Script::Hangul)
    };
    normal.split_whitespace().nth(LABEL_WORDS).is_none()
        && normal.chars().filter(dense).nth(LABEL_LETTERS).is_none()
}
