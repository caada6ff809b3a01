//! The file, for commands that change it: import, forget, clear, compact.
//!
//! It is opened as a host opens it; but where a host goes on in memory, a
//! command has nothing to go on with and says why. Hosts may run meanwhile:
//! writes are short, and what is busy is tried again, with an end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension};

use super::aside::has_foreign_journal;
use super::entries::shrink;
use super::file::{Fault, File, Identity};
use super::notice::Notice;
use super::side::in_one;
use super::texts::text_of;
use super::{View, WRITE_TRIES, open, view};
use crate::exchange::Record;

const STORE: &str = "INSERT OR REPLACE INTO translation (key, source, translation, source_language,
 target_language, engine, site, created_day, used_day, text)
 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

const CREATED: &str = "SELECT created_day FROM translation WHERE key = ?1";

/// What became of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Stored, where there was none.
    pub new: u64,
    /// Stored in the place of another.
    pub replaced: u64,
    /// Not stored: what is there is as new, or newer.
    pub kept: u64,
}

/// What compacting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// What the file and its journal took before.
    pub before: u64,
    /// What they take now.
    pub after: u64,
    /// Whether somebody still reads the journal, so that it keeps its length.
    pub journal_is_read: bool,
}

/// See the module.
pub struct Editor {
    file: File,
    path: PathBuf,
    news: Vec<Notice>,
}

impl Editor {
    /// Opens the file, and makes one where there is none.
    ///
    /// # Errors
    /// Why it cannot be changed, in words for the reader.
    pub fn open(path: &Path) -> Result<Self, String> {
        Self::take(path, None)
    }

    fn take(path: &Path, damaged: Option<Identity>) -> Result<Self, String> {
        let mut opened = open::open(path, damaged)?;
        if let Some(trouble) = opened.fault {
            return Err(trouble.into());
        }
        // A command waits for all that can be taken over.
        if let Some(rest) = &mut opened.salvage {
            while rest.go_on(Instant::now() + Duration::from_secs(1)) {}
        }
        Ok(Self { file: opened.file, path: path.to_owned(), news: opened.news })
    }

    /// Keeps a damaged file aside and takes over what can be read of it, as a host
    /// does that meets the damage. Returns what was done, nothing without damage.
    ///
    /// # Errors
    /// Why it stays as it is.
    pub fn mend(path: &Path) -> Result<Vec<String>, String> {
        let is_damaged = match View::open(path) {
            Ok(None) => false,
            Ok(Some(view)) => !view.integrity()?.is_empty(),
            Err(trouble) if trouble.code == "cache_damaged" => true,
            Err(trouble) => return Err(trouble.into()),
        };
        if !is_damaged {
            return Ok(Vec::new());
        }
        // A file with another's journal may be whole without it.
        let damaged = if has_foreign_journal(path) { None } else { Identity::of(path) };
        Ok(Self::take(path, damaged)?.take_news())
    }

    /// Returns, once, what was moved aside.
    pub fn take_news(&mut self) -> Vec<String> {
        self.news.drain(..).map(|notice| notice.message).collect()
    }

    /// Runs a write, again while others are at it.
    fn write<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, String> {
        if self.file.identity != Identity::of(&self.path) {
            return Err(format!(
                "the cache {} was replaced or deleted meanwhile; please try again",
                self.path.display()
            ));
        }
        let mut tries = 0;
        loop {
            tries += 1;
            match work(&mut self.file.connection) {
                Err(error) if Fault::of(&error) == Fault::Busy && tries < WRITE_TRIES => {}
                other => {
                    return other.map_err(|error| Fault::of(&error).trouble(&self.path).into());
                }
            }
        }
    }

    /// Stores records in one transaction. One that is there is replaced by a
    /// newer one, or by any if `replace`.
    ///
    /// # Errors
    /// Why none of them was stored.
    pub fn add(&mut self, records: &[Record], replace: bool) -> Result<Added, String> {
        self.write(|connection| {
            let mut added = Added::default();
            in_one(connection, |connection| add(connection, records, replace, &mut added))?;
            Ok(added)
        })
    }

    /// Forgets entries by the bytes of their keys, in one transaction. Returns
    /// how many were there.
    ///
    /// # Errors
    /// Why none of them was forgotten.
    pub fn remove(&mut self, keys: &[Vec<u8>]) -> Result<u64, String> {
        self.write(|connection| {
            let mut count = 0;
            in_one(connection, |connection| {
                let mut delete =
                    connection.prepare_cached("DELETE FROM translation WHERE key = ?1")?;
                keys.iter().try_for_each(|key| {
                    count += delete.execute([key])? as u64;
                    Ok(())
                })
            })?;
            Ok(count)
        })
    }

    /// Gives the room of what was forgotten back to the disk, as far as nobody
    /// is reading.
    pub fn shrink(&mut self) {
        // Best effort: another host that reads keeps the room for a while.
        let _ = shrink(&self.file.connection);
    }

    /// Writes the file anew without gaps, and its journal back. A file that was
    /// brought from where it could have no WAL is given it.
    ///
    /// # Errors
    /// Why it stays as it is.
    pub fn compact(&mut self) -> Result<Compacted, String> {
        let before = view::bytes(&self.path);
        self.write(|connection| connection.execute_batch("VACUUM"))?;
        let path = self.path.clone();
        self.write(|connection| open::set_journal(connection, &path, true))?;
        let journal_is_read = self.write(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })?;
        Ok(Compacted { before, after: view::bytes(&self.path), journal_is_read })
    }
}

fn add(
    connection: &Connection,
    records: &[Record],
    replace: bool,
    added: &mut Added,
) -> rusqlite::Result<()> {
    let mut find = connection.prepare_cached(CREATED)?;
    let mut store = connection.prepare_cached(STORE)?;
    for record in records {
        let there: Option<i64> = find.query_row([record.key.0], |row| row.get(0)).optional()?;
        match there {
            Some(day) if !replace && day >= record.created_day => {
                added.kept += 1;
                continue;
            }
            Some(_) => added.replaced += 1,
            None => added.new += 1,
        }
        store.execute((
            record.key.0,
            &record.source,
            &record.translation,
            &record.source_language,
            &record.target_language,
            &record.engine,
            &record.site,
            record.created_day,
            record.used_day,
            text_of(&record.source),
        ))?;
    }
    Ok(())
}
