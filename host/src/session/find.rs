//! Looking for entries, for a reader who wants to see or correct them.
//!
//! A look goes through the whole file, on a thread and a connection of its
//! own, so that translations do not wait for it; one look at a time.

use std::path::Path;
use std::sync::PoisonError;
use std::thread;

use crate::dictionary::{Correction, Dictionary, Scope, is_kind_of};
use crate::exchange::{Record, date_of};
use crate::framing::MAX_FRAME_TO_BROWSER;
use crate::protocol::{CacheEntry, CacheFind, Code, Reply};
use crate::store::{View, Words};

use super::core::{Core, Event};
use super::correct::{ANY, scope_of};

/// So many entries are told at most, whatever was asked for.
const MAX_ENTRIES: usize = 200;

/// What a frame needs besides the entries.
const FRAME_REST: usize = 1024;

impl Core {
    /// Looks for what was asked, and answers when it is found.
    pub(super) fn find(&self, asked: CacheFind) {
        let id = asked.id;
        let any = |tag: &Option<String>| tag.clone().unwrap_or_else(|| ANY.to_owned());
        let scope = scope_of(&any(&asked.source), &any(&asked.target), asked.site.as_deref());
        let scope = match scope {
            Ok(scope) => scope,
            Err(message) => return self.error(Some(id), Code::BadMessage, message, None),
        };
        let (path, setup) = (self.files.paths().cache(), self.setup.clone());
        let (events, turn) = (self.events.clone(), self.looking.clone());
        let work = move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = match look(&path, &setup.dictionary, &asked, &scope) {
                Ok((entries, more)) => Reply::CacheFound { id, entries, more },
                Err(message) => {
                    Reply::Error { id: Some(id), code: Code::Internal, message, hint: None }
                }
            };
            // Fails only when the session has ended.
            let _ = events.send(Event::Reply(reply));
        };
        if let Err(error) = thread::Builder::new().name("find".into()).spawn(work) {
            self.error(Some(id), Code::Internal, format!("no thread is left: {error}"), None);
        }
    }
}

/// Returns what fits, and whether there is more.
fn look(
    path: &Path,
    dictionary: &Dictionary,
    asked: &CacheFind,
    scope: &Scope,
) -> Result<(Vec<CacheEntry>, bool), String> {
    let words = Words::new(&asked.text);
    let limit = asked.limit.min(MAX_ENTRIES);
    let is_wanted = |one: &&Correction| {
        one.place.scope.meets(scope) && words.are_in(&one.place.source, &one.translation)
    };
    let mut entries: Vec<CacheEntry> =
        dictionary.corrections().iter().filter(is_wanted).map(of_correction).collect();
    let mut more = entries.len() > limit;
    entries.truncate(limit);
    if let Some(view) = View::open(path)? {
        let found = view.search(Some(limit - entries.len()), |record| {
            is_in(scope, record) && words.are_in(&record.source, &record.translation)
        })?;
        more |= found.all > found.keys.len();
        let records = view.find(&found.keys)?;
        entries.extend(records.into_iter().map(|record| of_record(record, dictionary)));
    }
    let (entries, cut) = fitting(entries);
    Ok((entries, more || cut))
}

/// Whether an entry is of these languages and this site.
fn is_in(scope: &Scope, record: &Record) -> bool {
    let language = |wanted: &Option<String>, there: &str| {
        wanted.as_ref().is_none_or(|wanted| is_kind_of(there, wanted))
    };
    language(&scope.source, &record.source_language)
        && language(&scope.target, &record.target_language)
        && (scope.site.is_none() || scope.site == record.site)
}

/// Keeps what fits into a frame; true when something does not.
fn fitting(entries: Vec<CacheEntry>) -> (Vec<CacheEntry>, bool) {
    let all = entries.len();
    let mut room = MAX_FRAME_TO_BROWSER - FRAME_REST;
    let fits = |entry: &CacheEntry| {
        let size = serde_json::to_vec(entry).map_or(usize::MAX, |json| json.len() + 1);
        let left = room.checked_sub(size);
        room = left.unwrap_or(room);
        left.is_some()
    };
    let entries: Vec<CacheEntry> = entries.into_iter().filter(fits).collect();
    let cut = entries.len() < all;
    (entries, cut)
}

fn of_correction(correction: &Correction) -> CacheEntry {
    let place = &correction.place;
    let language = |tag: &Option<String>| tag.clone().unwrap_or_else(|| ANY.to_owned());
    CacheEntry {
        source: place.source.clone(),
        translation: correction.translation.clone(),
        source_language: language(&place.scope.source),
        target: language(&place.scope.target),
        engine: None,
        site: place.scope.site.clone(),
        marked: place.marked,
        created: None,
        used: None,
        corrected: true,
    }
}

fn of_record(record: Record, dictionary: &Dictionary) -> CacheEntry {
    let date = |day| date_of(day).map(|date| date.to_string());
    let marked = record.form().marked;
    CacheEntry {
        corrected: is_corrected(&record, marked, dictionary),
        created: date(record.created_day),
        used: date(record.used_day),
        source: record.source,
        translation: record.translation,
        source_language: record.source_language,
        target: record.target_language,
        engine: Some(record.engine),
        site: record.site,
        marked,
    }
}

/// Whether a correction is shown in the place of an entry.
#[must_use]
pub fn is_corrected(record: &Record, marked: bool, dictionary: &Dictionary) -> bool {
    let pair = (record.source_language.as_str(), record.target_language.as_str());
    dictionary.correction(&record.source, marked, pair, record.site.as_deref()).is_some()
}
