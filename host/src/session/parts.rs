//! A text that is asked for in parts: cut where it is too long, taken apart at
//! its tags where they keep getting lost.

use crate::markup::{self, Prepared};
use crate::verdict::Failure;

use super::admit::Wanted;
use super::around::around;
use super::core::Core;
use super::jobs::{Assembly, JobId, MAX_DEPTH, Plan, Wanter};

/// A part of a cut text is at most this long, and at most half of the whole.
const PART_UTF16: usize = 2000;

impl Core {
    /// Asks for the texts between the tags instead; false when there are none.
    pub(super) fn take_apart(&mut self, id: JobId, prepared: &Prepared) -> bool {
        let pieces = markup::pieces(&prepared.text);
        if pieces.texts.is_empty() {
            return false;
        }
        let texts = pieces.texts.clone();
        self.assemble(id, texts, None, Plan::Pieces(prepared.clone(), pieces));
        true
    }

    /// Cuts a job's text at sentence ends; what cannot be cut is too long.
    pub(super) fn cut(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        job.queued = false;
        if self.jobs.is_unwanted(id) {
            return self.jobs.remove_unwanted([id]);
        }
        let Some(job) = self.jobs.get(id) else { return };
        let half = crate::segment::utf16_len(&job.normal) / 2;
        let cuts = markup::cut(&job.normal, job.tags.is_some(), half.clamp(1, PART_UTF16));
        let (texts, tags, depth) = (cuts.parts.clone(), job.tags, job.depth);
        let prepared = job.prepared(true);
        if depth < MAX_DEPTH && texts.len() > 1 {
            return self.assemble(id, texts, tags, Plan::Cuts(cuts));
        }
        // A pair of tags around it all leaves no place to cut at; inside there is one.
        if depth < MAX_DEPTH && tags.is_some() && self.take_apart(id, &prepared) {
            return;
        }
        self.fail(id, Failure::TooLong, None, None);
    }

    fn assemble(&mut self, id: JobId, texts: Vec<String>, tags: Option<u32>, plan: Plan) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        job.queued = false;
        let (context, rank, ui, depth) = (job.context.clone(), job.rank, job.ui, job.depth + 1);
        let done = vec![None; texts.len()];
        job.assembly = Some(Assembly { jobs: Vec::new(), done, plan });
        let marked = tags.is_some();
        let near: Vec<(&str, bool, bool)> =
            texts.iter().map(|text| (text.as_str(), marked, ui)).collect();
        let near = if context.private { vec![None; near.len()] } else { around(&near) };
        let (mut all, mut new) = (Vec::new(), Vec::new());
        for (place, (normal, around)) in texts.into_iter().zip(near).enumerate() {
            let wanter = Wanter::Part { whole: id, place };
            let (part, is_new) =
                self.want(&context, Wanted { normal, tags, ui, rank, wanter, depth, around });
            all.push(part);
            if is_new {
                new.push(part);
            }
        }
        if let Some(assembly) = self.jobs.get_mut(id).and_then(|job| job.assembly.as_mut()) {
            assembly.jobs = all;
        }
        self.look_up(&context, new);
    }
}
