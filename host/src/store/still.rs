//! A file that nobody can write, read as it lies on the disk.
//!
//! Without the right to make the shared memory that a journal needs, `SQLite`
//! reads a file only as one that never changes. That is believed for one read at
//! a time: a file that was changed by somebody else meanwhile, or that has a
//! journal beside it, was not read.

use std::path::Path;
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};
use url::Url;

use super::open::beside;

/// How the file lay there when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Still {
    changed: SystemTime,
    length: u64,
}

impl Still {
    /// Opens the file, if all of it is in the file itself.
    pub fn open(path: &Path) -> Option<(Connection, Self)> {
        let still = Self::of(path)?;
        let connection = open(path)?.ok()?;
        // Whether it can be read at all shows only now.
        super::schema::version(&connection)
            .ok()
            .filter(|version| *version == super::schema::Version::Current)?;
        still.holds(path).then_some((connection, still))
    }

    /// Whether the file still lies there as it did.
    pub fn holds(&self, path: &Path) -> bool {
        Self::of(path) == Some(*self)
    }

    fn of(path: &Path) -> Option<Self> {
        let journal = std::fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
        let meta = std::fs::metadata(path).ok().filter(|_| !journal)?;
        Some(Self { changed: meta.modified().ok()?, length: meta.len() })
    }
}

/// Opens a file as one that never changes, without its journal.
pub(super) fn open(path: &Path) -> Option<rusqlite::Result<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Some(Connection::open_with_flags(address(path, true)?, flags))
}

/// Returns the address that `SQLite` knows a file by.
pub(super) fn address(path: &Path, is_still: bool) -> Option<String> {
    let mut address = Url::from_file_path(std::path::absolute(path).ok()?).ok()?;
    address.set_query(is_still.then_some("immutable=1"));
    Some(address.into())
}
