//! The file as it stands, for the command line: looked at, never changed.
//!
//! A host opens the file to use it: it makes one, moves a damaged one aside,
//! brings an older one up to date. A view does none of it and says what it
//! found. It reads in pages, so that no statement stays open while somebody
//! looks at what was read, and a host's journal can be written back meanwhile.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::aside::has_foreign_journal;
use super::file::{Fault, left_alone};
use super::notice::Trouble;
use super::open::{BUSY_TIMEOUT, beside};
use super::schema::{self, Version};
use super::side::unsigned;
use super::still;
use super::texts::text_of;
use super::usage::{self, UsageRow};
use crate::exchange::Record;
use crate::segment::Key;

/// Rows that are read at once.
const PAGE: usize = 1000;

/// So many faults of the file itself are told.
const MAX_FAULTS: usize = 20;

const COLUMNS: &str = "SELECT key, source, translation, source_language, target_language, engine,
 site, created_day, used_day FROM translation";

const COUNTS: &str = "SELECT engine, source_language, target_language, count(*) FROM translation
 GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3";

/// An entry as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The bytes of its key.
    pub key: Vec<u8>,
    /// What it says, or which part of it is not of its kind.
    pub record: Result<Record, &'static str>,
}

/// See the module.
pub struct View {
    connection: Connection,
    path: PathBuf,
}

impl View {
    /// Opens what is there; none when there is no file, or nothing in it.
    ///
    /// # Errors
    /// Why it cannot be looked at.
    pub fn open(path: &Path) -> Result<Option<Self>, Trouble> {
        let unseen = |error| Trouble {
            sentence: format!("{}: {error}", path.display()),
            ..Fault::Unreachable.trouble(path)
        };
        if !path.try_exists().map_err(unseen)? {
            return Ok(None);
        }
        if has_foreign_journal(path) {
            let sentence = format!(
                "the cache {} has the journal of another database beside it",
                path.display()
            );
            return Err(Trouble { sentence, ..Fault::Damaged.trouble(path) });
        }
        let words = |error: rusqlite::Error| Fault::of(&error).trouble(path);
        let connection = connect(path).map_err(words)?;
        match schema::version(&connection).map_err(words)? {
            version @ (Version::Newer | Version::Foreign) => Err(left_alone(version, path)),
            Version::Current | Version::Older => {
                let is_there = connection.table_exists(None, "translation").map_err(words)?;
                Ok(is_there.then(|| Self { connection, path: path.to_owned() }))
            }
        }
    }

    fn words(&self, error: &rusqlite::Error) -> String {
        Fault::of(error).trouble(&self.path).sentence
    }

    /// Hands all entries on, in the order of their keys; what is written
    /// meanwhile may be among them or not.
    ///
    /// # Errors
    /// The first error of `take`, or why the file cannot be read any further.
    pub fn each<E: From<String>>(
        &self,
        mut take: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after: Option<Vec<u8>> = None;
        loop {
            let page = self.page(after.as_deref()).map_err(|error| self.words(&error))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key.clone());
            page.into_iter().try_for_each(&mut take)?;
        }
    }

    fn page(&self, after: Option<&[u8]>) -> rusqlite::Result<Vec<Row>> {
        let sql = match after {
            Some(_) => format!("{COLUMNS} WHERE key > ?1 ORDER BY key LIMIT ?2"),
            None => format!("{COLUMNS} WHERE ?1 IS NULL ORDER BY key LIMIT ?2"),
        };
        let mut select = self.connection.prepare_cached(&sql)?;
        let page = i64::try_from(PAGE).unwrap_or(i64::MAX);
        select.query_map((after, page), row)?.collect()
    }

    /// Returns the entries of these keys that are there, in their order.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn find(&self, keys: &[Key]) -> Result<Vec<Record>, String> {
        let sql = format!("{COLUMNS} WHERE key = ?1");
        let find = || {
            let mut select = self.connection.prepare_cached(&sql)?;
            let rows = keys.iter().map(|key| select.query_row([key.0], row).optional());
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = find().map_err(|error| self.words(&error))?;
        Ok(rows.into_iter().flatten().filter_map(|row| row.record.ok()).collect())
    }

    /// Returns the entries of this text, with its tags and without. The file is
    /// one that an [`Editor`](super::Editor) has open: it is up to date.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn of_text(&self, text: &str) -> Result<Vec<Row>, String> {
        let find = || {
            let mut select = self.connection.prepare(&format!("{COLUMNS} WHERE text = ?1"))?;
            select.query_map([text_of(text)], row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        find().map_err(|error| self.words(&error))
    }

    /// Returns how many entries there are.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn count(&self) -> Result<u64, Trouble> {
        // Through the entries themselves: an index may be whole where they are not.
        let all = "SELECT count(*) FROM translation NOT INDEXED";
        let count = self.connection.query_row(all, [], |row| row.get(0).map(unsigned));
        count.map_err(|error| Fault::of(&error).trouble(&self.path))
    }

    /// Returns how many entries there are of each engine and pair, the most
    /// first: engine, source language, target language, count.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn counts(&self) -> Result<Vec<(String, String, String, u64)>, String> {
        let count = || {
            let mut select = self.connection.prepare(COUNTS)?;
            let text = |row: &rusqlite::Row<'_>, at| {
                row.get_ref(at).map(|value| match value {
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    _ => String::new(),
                })
            };
            let rows = select.query_map([], |row| {
                Ok((text(row, 0)?, text(row, 1)?, text(row, 2)?, unsigned(row.get(3)?)))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        count().map_err(|error| self.words(&error))
    }

    /// Returns what was used from this day on, by day, provider and model.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn usage_since(&self, day: i64) -> Result<Vec<UsageRow>, String> {
        usage::since(&self.connection, day).map_err(|error| self.words(&error))
    }

    /// Returns what the file, its journal included, takes on the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        bytes(&self.path)
    }

    /// Looks at the file itself, and returns what is wrong with it, at most
    /// twenty things.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn integrity(&self) -> Result<Vec<String>, String> {
        let check = || {
            let sql = format!("PRAGMA integrity_check({MAX_FAULTS})");
            let mut statement = self.connection.prepare(&sql)?;
            statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        };
        match check() {
            Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
            Err(error) if Fault::of(&error) == Fault::Damaged => Ok(vec![error.to_string()]),
            Err(error) => Err(self.words(&error)),
        }
    }
}

/// Returns what the file and its journal take on the disk.
pub(super) fn bytes(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
    length(path) + length(&beside(path, "-wal"))
}

/// Opens the file without making one. Where its disk can only be read and no
/// journal waits, nobody changes it, and the shared memory that a journal needs
/// is not made.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let journal = std::fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "query_only", true)?;
        // The last one to close writes the journal back, which is a change.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, journal)?;
        schema::version(&connection)?;
        Ok(connection)
    });
    match opened {
        Err(error) if !journal && Fault::of(&error).is_out_of_reach() => {
            still::open(path).unwrap_or(Err(error))
        }
        other => other,
    }
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let key = match row.get_ref(0)? {
        ValueRef::Blob(key) | ValueRef::Text(key) => key.to_vec(),
        _ => Vec::new(),
    };
    Ok(Row { record: record(row, &key), key })
}

fn record(row: &rusqlite::Row<'_>, key: &[u8]) -> Result<Record, &'static str> {
    let text = |at: usize, fault: &'static str| row.get::<_, String>(at).map_err(|_| fault);
    let day = |at: usize| row.get::<_, i64>(at).map_err(|_| "its days are no numbers");
    Ok(Record {
        key: key.try_into().map(Key).map_err(|_| "its key is not 16 bytes long")?,
        source: text(1, "its source is no text")?,
        translation: text(2, "its translation is no text")?,
        source_language: text(3, "its source language is no text")?,
        target_language: text(4, "its target language is no text")?,
        engine: text(5, "its engine is no text")?,
        site: row.get(6).map_err(|_| "its site is no text")?,
        created_day: day(7)?,
        used_day: day(8)?,
    })
}
