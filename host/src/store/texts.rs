//! Entries by their text, whatever else is in their keys.
//!
//! `translation.text` is half of a hash of the source, so that a text is found
//! without reading the whole file. It is derived: whoever writes a source writes
//! it, and nobody exports it. A marked text has that of its words, so that one
//! look finds a text with and without tags.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::entries::find_many;
use super::{Mode, Store};
use crate::markup::{plain, skeleton};
use crate::segment::Key;

const FIND: &str = "SELECT key, translation, source_language, engine, site, created_day, used_day
 FROM translation WHERE text = ?1 AND source = ?2 AND target_language = ?3
 AND (site IS NULL OR site = ?4) AND created_day >= ?5 ORDER BY created_day DESC, key";

/// A text that entries of any engine may serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The source in normal form.
    pub source: String,
    /// The target language.
    pub target: String,
    /// Where it stands: entries of other sites are not looked at.
    pub site: Option<String>,
}

/// An entry of the wished text and target; what its key was made of is the
/// caller's to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key.
    pub key: Key,
    /// The raw translation.
    pub translation: String,
    /// The source language, `und` when it was detected.
    pub source_language: String,
    /// The engine in its canonical form.
    pub engine: String,
    /// The site, where it is part of the key.
    pub site: Option<String>,
    /// When it was translated, in days since 1970.
    pub created_day: i64,
    /// When it was last used.
    pub used_day: i64,
}

impl Store {
    /// Returns for each wish the entries of its text, the newest first, in one
    /// read. What is used of them is told to [`Store::use_found`].
    pub fn find_texts(&mut self, wishes: &[Wish], day: i64) -> Vec<Vec<Candidate>> {
        let mut found = vec![Vec::new(); wishes.len()];
        if self.mode == Mode::Off || wishes.is_empty() {
            return found;
        }
        self.today = day;
        let oldest = self.oldest(day);
        let looks = self.read(|connection| {
            find_many(connection, FIND, wishes, |select, wish| {
                let text = text_of(&wish.source);
                let values = (text, &wish.source, &wish.target, &wish.site, oldest);
                // A row that other hands have spoilt is no candidate.
                let rows = select.query_map(values, |row| Ok(candidate(row).ok()))?;
                rows.filter_map(Result::transpose).collect::<rusqlite::Result<Vec<_>>>()
            })
        });
        // What is in the memory is newer.
        for entries in looks.into_iter().rev().flatten() {
            for (place, entries) in found.iter_mut().zip(entries) {
                place.extend(entries);
            }
        }
        found
    }

    /// Counts entries that were found and used; [`Store::touch`] notes the day.
    pub fn use_found(&mut self, used: &[(Key, i64)], day: i64) {
        self.hits += used.len() as u64;
        let first_today = used.iter().filter(|(_, used_day)| *used_day < day);
        self.unnoted.extend(first_today.map(|(key, _)| *key));
    }
}

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        key: Key(row.get(0)?),
        translation: row.get(1)?,
        source_language: row.get(2)?,
        engine: row.get(3)?,
        site: row.get(4)?,
        created_day: row.get(5)?,
        used_day: row.get(6)?,
    })
}

/// Returns what stands in the column `text` beside this source.
pub(super) fn text_of(source: &str) -> i64 {
    let is_marked = skeleton(source).is_some_and(|tags| !tags.is_empty());
    let Key(hash) = Key::of_text(&plain(source, is_marked));
    let (half, _) = hash.split_at(8);
    half.iter().fold(0, |number, byte| number << 8 | i64::from(*byte))
}

/// Lets SQL of this connection say `text_of(source)`: for the migration that
/// fills the column. A source that is no UTF-8 must not keep a file from being
/// opened.
pub(super) fn teach(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("text_of", 1, flags, |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Text(text) => text_of(&String::from_utf8_lossy(text)),
            _ => text_of(""),
        })
    })
}
