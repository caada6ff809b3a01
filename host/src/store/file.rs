//! What can be wrong with the file, and which file it is.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::schema::Version;

/// A connection to the file, and which file that was.
pub(super) struct File {
    pub connection: Connection,
    pub identity: Option<Identity>,
}

/// Tells one file from another that has its name later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    /// Returns the file that has this name now.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }

    /// Where files have no number, an open file cannot be renamed either.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|_| Self(0, 0))
    }
}

/// What follows for a host from a file that it cannot use.
pub(super) const INSTEAD: &str = "; translations are kept in memory until the browser is restarted";

/// Says to the reader what a file is that is left alone.
pub(super) fn left_alone(version: Version, path: &Path) -> String {
    let path = path.display();
    if version == Version::Newer {
        format!("the cache {path} was written by a newer version of this program")
    } else {
        format!("{path} is not a cache of this program and is left alone")
    }
}

/// What an error of `SQLite` means for the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Somebody else is at it. Never damage.
    Busy,
    /// Known damage: what is in it cannot be read by anybody.
    Damaged,
    /// No room.
    Full,
    /// It may be read, not written.
    ReadOnly,
    /// It cannot be opened, read or written, for reasons outside of it.
    Unreachable,
    /// A fault of this program.
    Ours,
}

impl Fault {
    pub fn of(error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::AuthorizationForStatementDenied,
            ) => Self::Unreachable,
            _ => Self::Ours,
        }
    }

    /// Says it to the reader.
    pub fn sentence(self, path: &Path) -> String {
        let what = match self {
            Self::Busy => "is locked by another program",
            Self::Damaged => "is damaged",
            Self::Full => "cannot grow: the disk is full",
            Self::ReadOnly => "cannot be written: it, its folder or its disk is read-only",
            Self::Unreachable => "cannot be opened or written",
            Self::Ours => "answers in an unexpected way",
        };
        format!("the cache {} {what}", path.display())
    }

    /// Says it to the reader, with what happens now.
    pub fn words(self, path: &Path) -> String {
        self.sentence(path) + INSTEAD
    }
}
