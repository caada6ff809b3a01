//! Translations: looking up, storing, forgetting, counting.

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, OptionalExtension, ToSql};

use super::limit::{give_back, run};
use super::side::{in_one, unsigned};
use super::texts::text_of;
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
    /// Translated before this day.
    pub created_before: Option<i64>,
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

const FIND: &str = "SELECT translation, engine, used_day FROM translation
 WHERE key = ?1 AND created_day >= ?2";

const STORE: &str = "INSERT INTO translation (key, source, translation, source_language,
 target_language, engine, site, created_day, used_day, text)
 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (key) DO UPDATE SET translation = excluded.translation, engine = excluded.engine,
 created_day = excluded.created_day, used_day = excluded.used_day";

const TOUCH: &str =
    "UPDATE translation SET used_day = ?2 WHERE key = ?1 AND NOT used_day BETWEEN ?2 AND ?2 + 1";

impl Filter {
    /// Returns it as SQL, with its values.
    fn condition(&self) -> (String, Vec<Value>) {
        let text = |value: &Option<String>| value.clone().map(Value::from);
        let hash = self.source.as_deref().map(|source| Value::from(text_of(source)));
        let kind = self.kind.as_ref().map(|kind| Value::from(format!("{kind}|")));
        let parts = [
            ("site = ?", text(&self.site)),
            ("engine = ?", text(&self.engine)),
            ("source_language = ?", text(&self.source_language)),
            ("target_language = ?", text(&self.target_language)),
            ("text = ?", hash),
            ("source = ?", text(&self.source)),
            ("substr(engine, 1, length(?)) = ?", kind),
            ("used_day < ?", self.unused_since.map(Value::from)),
            ("created_day < ?", self.created_before.map(Value::from)),
        ];
        let mut condition = String::from("WHERE true");
        let mut values = Vec::new();
        for (part, value) in parts {
            if let Some(value) = value {
                values.push(value);
                let place = format!("?{}", values.len());
                let _ = write!(condition, " AND {}", part.replace('?', &place));
            }
        }
        (condition, values)
    }
}

impl Store {
    /// Returns the entries of these keys, in their order, in one read. `day` is
    /// today, in days since 1970; the first hit of a day waits for [`touch`].
    ///
    /// [`touch`]: Self::touch
    pub fn get_many(&mut self, keys: &[Key], day: i64) -> Vec<Option<Entry>> {
        if self.mode == Mode::Off {
            return vec![None; keys.len()];
        }
        self.today = day;
        let mut found: Vec<Option<(Entry, i64)>> = vec![None; keys.len()];
        let oldest = self.oldest(day);
        for entries in self.read(|connection| find(connection, keys, oldest)).into_iter().flatten()
        {
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
        let entries: Vec<_> = entries.iter().map(|entry| (*entry, day)).collect();
        self.put_older(&entries, day)
    }

    /// Does the same with entries that were translated on days of their own; one
    /// that is still to come is taken as today.
    pub fn put_older(&mut self, entries: &[(NewEntry<'_>, i64)], day: i64) -> usize {
        let is_one = |entry: &NewEntry<'_>| !entry.translation.trim().is_empty();
        let entries: Vec<_> = entries.iter().filter(|(entry, _)| is_one(entry)).collect();
        if entries.is_empty() || self.mode != Mode::On {
            return 0;
        }
        self.today = day;
        let stored = self.write(|connection| store(connection, &entries, day)).unwrap_or(0);
        self.has_grown(day);
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
        let (condition, values) = filter.condition();
        let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
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
/// any length, and the same for one text and for ten thousand.
pub(super) fn find_many<Q, A>(
    connection: &mut Connection,
    sql: &str,
    questions: &[Q],
    find: impl Fn(&mut CachedStatement<'_>, &Q) -> rusqlite::Result<A>,
) -> rusqlite::Result<Vec<A>> {
    let transaction = connection.transaction()?;
    let found = {
        let mut select = transaction.prepare_cached(sql)?;
        questions.iter().map(|one| find(&mut select, one)).collect::<rusqlite::Result<_>>()?
    };
    transaction.commit()?;
    Ok(found)
}

/// Keys that are near each other share pages, so they are looked up in their own
/// order: among a million entries that saves a third of the time.
fn find(
    connection: &mut Connection,
    keys: &[Key],
    oldest: i64,
) -> rusqlite::Result<Vec<Option<(Entry, i64)>>> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by_key(|at| keys[*at]);
    let entries = find_many(connection, FIND, &order, |select, at| {
        let row = select.query_row((keys[*at].0, oldest), |row| {
            Ok((Entry { text: row.get(0)?, engine: row.get(1)? }, row.get(2)?))
        });
        // Older or foreign hands may have left an empty one: a miss.
        row.optional()
            .or_else(no_text)
            .map(|entry| entry.filter(|(entry, _)| !entry.text.trim().is_empty()))
    })?;
    let mut found = vec![None; keys.len()];
    for (at, entry) in order.into_iter().zip(entries) {
        found[at] = entry;
    }
    Ok(found)
}

/// A disk may have spoilt a text without the file's being damaged: a miss as well.
fn no_text<T>(error: rusqlite::Error) -> rusqlite::Result<Option<T>> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::Utf8Error(..) => Ok(None),
        other => Err(other),
    }
}

/// Gives free pages back and cuts the journal, as far as nobody is reading.
pub(super) fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    give_back(connection)?;
    run(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
}

fn store(
    connection: &mut Connection,
    entries: &[&(NewEntry<'_>, i64)],
    day: i64,
) -> rusqlite::Result<usize> {
    in_one(connection, |connection| {
        let mut insert = connection.prepare_cached(STORE)?;
        for (entry, created) in entries {
            insert.execute((
                entry.key.0,
                entry.source,
                entry.translation,
                entry.source_language,
                entry.target_language,
                entry.engine,
                entry.site,
                created.min(&day),
                day,
                text_of(entry.source),
            ))?;
        }
        Ok(())
    })?;
    Ok(entries.len())
}
