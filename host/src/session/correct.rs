//! The reader's own translations: answered before anything is looked up or
//! asked for, and changed in the reader's file.

use std::path::Path;

use crate::dictionary::{Correction, Dictionary, Place, Scope, correct};
use crate::paths::{locked, write_private};
use crate::protocol::{CacheCorrect, Code, From, Id, Reply, Translated};
use crate::segment::normal_form;

use super::core::Core;
use super::setup;
use super::stream::Context;

/// A language or site that stands for all, as in `*>ko`.
pub(super) const ANY: &str = "*";

impl Core {
    /// Returns the reader's translation of a text, to be shown as it is.
    pub(super) fn correction(
        &self,
        context: &Context,
        normal: &str,
        marked: bool,
    ) -> Option<String> {
        let dictionary = &self.setup.dictionary;
        if dictionary.corrections().is_empty() {
            return None;
        }
        let site = context.site.name();
        let found = dictionary.correction(normal, marked, context.pair(), site.as_deref());
        found.map(str::to_owned)
    }

    /// Answers segments with what the reader wrote. It costs and stores nothing.
    pub(super) fn tell_corrected(&mut self, id: Id, corrected: Vec<(u32, String)>) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let mut segments = Vec::with_capacity(corrected.len());
        for (i, text) in corrected {
            stream.translated(i, From::Cache);
            segments.push(Translated { i, text, from: From::Cache, provider: None });
        }
        if !segments.is_empty() {
            self.send(&Reply::Translated { id, segments });
        }
    }

    /// Puts a correction into the reader's file, or takes it out.
    pub(super) fn correct(&mut self, asked: &CacheCorrect) {
        let id = asked.id;
        let path = self.files.paths().dictionary();
        let changed =
            place_of(asked).and_then(|place| change(&path, &place, asked.translation.as_deref()));
        match changed {
            Ok(_) => {
                self.files.have_changed();
                self.reload();
                let corrections = count(self.setup.dictionary.corrections().len());
                self.send(&Reply::CacheCorrected { id, corrections });
            }
            Err(message) => self.error(Some(id), Code::BadMessage, message, None),
        }
    }
}

pub(super) fn count(entries: usize) -> u32 {
    u32::try_from(entries).unwrap_or(u32::MAX)
}

fn place_of(asked: &CacheCorrect) -> Result<Place, String> {
    let language = |tag: &Option<String>| tag.clone().unwrap_or_else(|| ANY.to_owned());
    let source = language(&asked.source_language);
    // A text whose language was detected may be in any.
    let source = if source == "und" { ANY } else { &source };
    let scope = scope_of(source, &language(&asked.target), asked.site.as_deref())?;
    Ok(Place { source: normal_form(&asked.source), marked: asked.marked, scope })
}

/// Returns where a correction is in force; `*` is any language.
///
/// # Errors
/// What was expected.
pub fn scope_of(source: &str, target: &str, site: Option<&str>) -> Result<Scope, String> {
    let mut scope = Scope::default();
    scope.set_pair(&format!("{source}>{target}"))?;
    site.map_or(Ok(()), |site| scope.set_site(site))?;
    Ok(scope)
}

/// Corrects a text in the reader's file, or takes its correction out where
/// `translation` is none. Returns whether that changed the file.
///
/// # Errors
/// Why not, in words; the file is as it was.
pub fn change(path: &Path, place: &Place, translation: Option<&str>) -> Result<bool, String> {
    if let Some(text) = translation {
        Correction::new(&place.source, text.to_owned(), place.marked, place.scope.clone())?;
    }
    setup::change(path, |before| correct(before, place, translation))
}

/// Writes the whole file anew, when it is right.
///
/// # Errors
/// Why not: a mistake of the text, or of the disk.
pub(super) fn replace(path: &Path, toml: &str) -> Result<(), (Code, String)> {
    let (_, problems) = Dictionary::parse_toml(toml);
    if let Some(problem) = problems.first() {
        return Err((Code::BadMessage, problem.to_string()));
    }
    let written = locked(path, || write_private(path, toml.as_bytes())).flatten();
    written.map_err(|error| (Code::Internal, unwritten(path, &error)))
}

fn unwritten(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}
