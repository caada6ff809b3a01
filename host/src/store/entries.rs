//! Translations: looking up, storing, forgetting, counting.

use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension, ToSql};

use super::side::{in_one, unsigned};
use super::{Mode, Store};
use crate::segment::Key;

/// A remembered translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The provider's raw translation: the dictionary comes after it.
    pub text: String,
    /// The engine that made it, in its canonical form.
    pub engine: String,
}

/// A translation to remember.
#[derive(Clone, Copy, Debug)]
pub struct NewEntry<'a> {
    /// Its key.
    pub key: Key,
    /// The source in normal form, so that the reader can find the entry.
    pub source: &'a str,
    /// The provider's raw translation.
    pub translation: &'a str,
    /// The source language, `und` when it was detected.
    pub source_language: &'a str,
    /// The target language.
    pub target_language: &'a str,
    /// The engine in its canonical form.
    pub engine: &'a str,
    /// The site, where it is part of the key.
    pub site: Option<&'a str>,
}

/// Which entries: those that fit every part that is there. The default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this site.
    pub site: Option<String>,
    /// Of this engine, in its canonical form.
    pub engine: Option<String>,
    /// Of any engine of this kind.
    pub kind: Option<String>,
    /// From this language.
    pub source_language: Option<String>,
    /// To this language.
    pub target_language: Option<String>,
    /// Not used since this day.
    pub unused_since: Option<i64>,
    /// With exactly this source, in normal form.
    pub source: Option<String>,
}

/// Sizes and hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Remembered translations.
    pub entries: u64,
    /// What the file and its `-wal` take.
    pub bytes: u64,
    /// Look-ups of this process that found something.
    pub hits: u64,
    /// Look-ups of this process that found nothing.
    pub misses: u64,
}

const FIND: &str = "SELECT translation, engine, used_day FROM translation WHERE key = ?1";

const STORE: &str = "INSERT INTO translation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
 ON CONFLICT (key) DO UPDATE SET translation = excluded.translation, engine = excluded.engine,
 created_day = excluded.created_day, used_day = excluded.used_day";

const TOUCH: &str =
    "UPDATE translation SET used_day = ?2 WHERE key = ?1 AND NOT used_day BETWEEN ?2 AND ?2 + 1";

impl Store {
    /// Returns the entries of these keys, in their order, in one read. `day` is
    /// today, in days since 1970; the first hit of a day waits for [`touch`].
    ///
    /// [`touch`]: Self::touch
    pub fn get_many(&mut self, keys: &[Key], day: i64) -> Vec<Option<Entry>> {
        if self.mode == Mode::Off {
            return vec![None; keys.len()];
        }
        let mut found: Vec<Option<(Entry, i64)>> = vec![None; keys.len()];
        for entries in self.read(|connection| find(connection, keys)).into_iter().flatten() {
            // The memory comes second: what is in it is newer.
            for (place, entry) in found.iter_mut().zip(entries) {
                if entry.is_some() {
                    *place = entry;
                }
            }
        }
        for (key, entry) in keys.iter().zip(&found) {
            match entry {
                Some((_, used)) => {
                    self.hits += 1;
                    // A day further ahead than tomorrow is of a clock that was wrong.
                    if !(day..=day + 1).contains(used) {
                        self.unnoted.insert(*key);
                    }
                }
                None => self.misses += 1,
            }
        }
        found.into_iter().map(|entry| entry.map(|(entry, _)| entry)).collect()
    }

    /// Stores entries, replacing those with the same keys, and returns how many
    /// were taken: by the file or by the memory. An empty translation of a text
    /// is no translation and is not taken.
    pub fn put_many(&mut self, entries: &[NewEntry<'_>], day: i64) -> usize {
        let entries: Vec<_> =
            entries.iter().filter(|entry| !entry.translation.trim().is_empty()).collect();
        if entries.is_empty() || self.mode != Mode::On {
            return 0;
        }
        self.today = day;
        let stored = self.write(|connection| store(connection, &entries, day)).unwrap_or(0);
        self.count_towards_limit(stored);
        stored
    }

    /// Notes, in one write, that the entries found since the last call were
    /// used today. Does nothing when there are none.
    pub fn touch(&mut self, day: i64) {
        let keys: Vec<Key> = self.unnoted.drain().collect();
        if keys.is_empty() || self.mode != Mode::On {
            return;
        }
        self.write(|connection| {
            in_one(connection, |connection| {
                let mut update = connection.prepare_cached(TOUCH)?;
                keys.iter().try_for_each(|key| update.execute((key.0, day)).map(drop))
            })
        });
    }

    /// Forgets one entry. Returns whether it was there.
    pub fn forget(&mut self, key: Key) -> bool {
        self.erase("WHERE key = ?1", &[&key.0]).is_some_and(|count| count > 0)
    }

    /// Forgets what fits the filter, and gives the room back to the disk.
    /// Returns how many entries that were, or nothing when the store cannot be
    /// written.
    pub fn clear(&mut self, filter: &Filter) -> Option<u64> {
        let mut condition = String::from("WHERE true");
        let mut values: Vec<&dyn ToSql> = Vec::new();
        let texts = [
            ("site", &filter.site),
            ("engine", &filter.engine),
            ("source_language", &filter.source_language),
            ("target_language", &filter.target_language),
            ("source", &filter.source),
        ];
        for (column, value) in texts {
            if let Some(value) = value {
                values.push(value);
                let _ = write!(condition, " AND {column} = ?{}", values.len());
            }
        }
        let kind = filter.kind.as_ref().map(|kind| format!("{kind}|"));
        if let Some(kind) = &kind {
            values.push(kind);
            let place = values.len();
            let _ = write!(condition, " AND substr(engine, 1, length(?{place})) = ?{place}");
        }
        if let Some(day) = &filter.unused_since {
            values.push(day);
            let _ = write!(condition, " AND used_day < ?{}", values.len());
        }
        let count = self.erase(&condition, &values)?;
        if let Some(file) = &self.file {
            // Best effort: another host that reads keeps the room for a while.
            let _ = shrink(&file.connection);
        }
        Some(count)
    }

    /// Deletes in the file and in the memory, whatever the mode but off: a
    /// reader who only reads may still forget.
    fn erase(&mut self, condition: &str, values: &[&dyn ToSql]) -> Option<u64> {
        let sql = format!("DELETE FROM translation {condition}");
        if self.mode == Mode::Off {
            return None;
        }
        let counts = self.read(|connection| {
            let mut count = 0;
            in_one(connection, |connection| {
                count = connection.execute(&sql, values)? as u64;
                Ok(())
            })?;
            Ok(count)
        });
        if self.file.is_some() && counts[0].is_none() {
            return None;
        }
        Some(counts.into_iter().flatten().sum())
    }

    /// Returns sizes and hits.
    pub fn stats(&mut self) -> Stats {
        let counts = self.read(|connection| {
            let pragma = |name: &str| {
                connection.pragma_query_value(None, name, |row| row.get(0).map(unsigned))
            };
            let bytes = pragma("page_count")? * pragma("page_size")?;
            let entries = connection.query_row("SELECT count(*) FROM translation", [], |row| {
                row.get(0).map(unsigned)
            })?;
            Ok((entries, bytes))
        });
        let mut stats = Stats { hits: self.hits, misses: self.misses, ..Stats::default() };
        for (entries, bytes) in counts.into_iter().flatten() {
            stats.entries += entries;
            stats.bytes += bytes;
        }
        if self.file.is_some() {
            let wal = super::open::beside(&self.path, "-wal");
            stats.bytes += std::fs::metadata(wal).map_or(0, |meta| meta.len());
        }
        stats
    }
}

/// One read transaction with one prepared statement: as quick as `IN` lists of
/// any length, and the same for one key and for ten thousand.
fn find(connection: &mut Connection, keys: &[Key]) -> rusqlite::Result<Vec<Option<(Entry, i64)>>> {
    let transaction = connection.transaction()?;
    let found = {
        let mut select = transaction.prepare_cached(FIND)?;
        keys.iter()
            .map(|key| {
                select
                    .query_row([key.0], |row| {
                        Ok((Entry { text: row.get(0)?, engine: row.get(1)? }, row.get(2)?))
                    })
                    .optional()
                    .or_else(no_text)
                    // Older or foreign hands may have left an empty one: a miss.
                    .map(|entry| entry.filter(|(entry, _)| !entry.text.trim().is_empty()))
            })
            .collect::<rusqlite::Result<_>>()?
    };
    transaction.commit()?;
    Ok(found)
}

/// A disk may have spoilt a text without the file's being damaged: a miss as well.
fn no_text<T>(error: rusqlite::Error) -> rusqlite::Result<Option<T>> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::Utf8Error(..) => Ok(None),
        other => Err(other),
    }
}

/// Gives free pages back. `SQLite` frees one with each step of the statement.
pub(super) fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    for pragma in ["PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"] {
        let mut statement = connection.prepare(pragma)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}

fn store(
    connection: &mut Connection,
    entries: &[&NewEntry<'_>],
    day: i64,
) -> rusqlite::Result<usize> {
    in_one(connection, |connection| {
        let mut insert = connection.prepare_cached(STORE)?;
        for entry in entries {
            insert.execute((
                entry.key.0,
                entry.source,
                entry.translation,
                entry.source_language,
                entry.target_language,
                entry.engine,
                entry.site,
                day,
            ))?;
        }
        Ok(())
    })?;
    Ok(entries.len())
}
