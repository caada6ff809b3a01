//! What can be wrong with the file, and which file it is.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::notice::Trouble;
use super::schema::Version;
use super::still::Still;

/// A connection to the file, and which file that was.
pub(super) struct File {
    pub connection: Connection,
    pub identity: Option<Identity>,
    /// It was opened for reading only: each write tries to open it anew.
    pub is_limited: bool,
    /// It is read as something that nobody changes, as long as nobody does.
    pub still: Option<Still>,
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

/// Says what a file is that is left alone.
pub(super) fn left_alone(version: Version, path: &Path) -> Trouble {
    let path = path.display();
    if version == Version::Newer {
        Trouble::new(
            "cache_newer",
            format!("the cache {path} was written by a newer version of this program"),
            "Update this program: run installer/install.sh of the new release.",
        )
    } else {
        Trouble::new(
            "cache_foreign",
            format!("{path} is not a cache of this program and is left alone"),
            "Give that file another name; then a new cache is started.",
        )
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

    /// Whether reading may go on where writing does not.
    pub fn is_out_of_reach(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Unreachable)
    }

    /// Says it to the reader.
    pub fn trouble(self, path: &Path) -> Trouble {
        let (code, what, hint) = match self {
            Self::Busy => ("cache_busy", "is locked by another program", ""),
            Self::Damaged => ("cache_damaged", "is damaged", ""),
            Self::Full => ("cache_full", "cannot grow: the disk is full", "Make room on the disk."),
            Self::ReadOnly => (
                "cache_read_only",
                "cannot be written: it, its folder or its disk is read-only",
                "Give yourself the right to write there.",
            ),
            Self::Unreachable => (
                "cache_unreachable",
                "cannot be opened or written",
                "See who may read and write it and its folder.",
            ),
            Self::Ours => ("cache_fault", "answers in an unexpected way", ""),
        };
        Trouble::new(code, format!("the cache {} {what}", path.display()), hint)
    }
}
