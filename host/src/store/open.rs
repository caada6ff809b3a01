//! Opening the file: its rights, its journal, its version, and what is done
//! with one that is damaged.
//!
//! All of it happens under an OS lock, so that hosts that start at the same
//! moment do not race for a new file or move each other's aside. On a read-only
//! disk there is no lock: then the file is opened as it is, and a damaged one
//! stays in its place. What nobody may write is still read where that is sure.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::aside::{self, Salvage};
use super::file::{Fault, File, Identity, left_alone};
use super::notice::{Notice, Trouble};
use super::schema::{self, Version};
use super::still::Still;
use crate::paths::private_dir;

/// How long `SQLite` itself waits for others. Their writes take milliseconds; a
/// machine that is out of breath may take seconds.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the opening of others is waited for; they need a few milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The `-wal` file is cut to this size when it was larger (4 MiB, the size at
/// which `SQLite` writes it back anyway).
const JOURNAL_BYTES: u32 = 4 * 1024 * 1024;

/// A file that can at least be read.
pub(super) struct Opened {
    pub file: File,
    /// Why it cannot be written.
    pub fault: Option<Trouble>,
    /// What was moved aside.
    pub news: Vec<Notice>,
    /// What is still to be taken over of a damaged file.
    pub salvage: Option<Salvage>,
}

/// Opens or makes the file. `damaged` is a file that was found damaged while
/// it was in use.
///
/// # Errors
/// What is wrong.
pub(super) fn open(path: &Path, damaged: Option<Identity>) -> Result<Opened, Trouble> {
    if let Some(dir) = path.parent() {
        let _ = private_dir(dir);
    }
    let lock = lock(path);
    let (mut news, mut salvage) = (Vec::new(), None);
    // Without the lock it might be the new file of another host.
    let may_move = || lock.as_ref().ok_or_else(|| Fault::Damaged.trouble(path)).map(drop);
    if aside::has_foreign_journal(path) {
        may_move()?;
        news.push(aside::move_journal(path)?);
    }
    let is_seen = damaged.is_some() && damaged == Identity::of(path);
    let first = if is_seen { None } else { Some(patiently(path)) };
    let found = match first {
        Some(Ok(found)) => Ok(found),
        Some(Err(error)) if Fault::of(&error) != Fault::Damaged => Err(error),
        None | Some(Err(_)) => {
            may_move()?;
            let to = aside::move_file(path)?;
            let found = patiently(path);
            let (notice, rest) = aside::take_over(path, &to);
            news.push(notice);
            salvage = rest;
            found
        }
    };
    let opened = |connection, fault: Option<Trouble>, still| {
        let identity = Identity::of(path);
        let file = File { connection, identity, is_limited: fault.is_some(), still };
        Ok(Opened { file, fault, news, salvage })
    };
    match found {
        Ok((_, version @ (Version::Newer | Version::Foreign))) => Err(left_alone(version, path)),
        Ok((connection, Version::Older | Version::Current)) => {
            let fault = writable(&connection).err();
            opened(connection, fault.map(|error| Fault::of(&error).trouble(path)), None)
        }
        Err(error) => {
            let fault = Fault::of(&error);
            match Still::open(path).filter(|_| fault.is_out_of_reach()) {
                Some((connection, still)) => {
                    opened(connection, Some(Fault::ReadOnly.trouble(path)), Some(still))
                }
                None => Err(fault.trouble(path)),
            }
        }
    }
}

/// Tries again while others are at it: `SQLite` does not wait by itself where
/// two connections change the journal mode of one file.
fn patiently(path: &Path) -> rusqlite::Result<(Connection, Version)> {
    let start = Instant::now();
    loop {
        let connected = match connect(path, true) {
            // It was made where shared memory can be had, and here it cannot.
            Err(error) if Fault::of(&error) == Fault::Unreachable && leave_wal(path).is_ok() => {
                connect(path, false)
            }
            other => other,
        };
        match connected {
            Err(error) if Fault::of(&error) == Fault::Busy && start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

fn connect(path: &Path, may_wal: bool) -> rusqlite::Result<(Connection, Version)> {
    make_private(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(32);
    let version = schema::version(&connection)?;
    if matches!(version, Version::Newer | Version::Foreign) {
        return Ok((connection, version));
    }
    if version == Version::Older {
        // Only before the first table; it lets a cleared cache shrink.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    // A file that has no WAL was refused it, and the next host would be again.
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    let may_wal = may_wal && (version == Version::Older || mode.eq_ignore_ascii_case("wal"));
    set_journal(&connection, path, may_wal)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "journal_size_limit", JOURNAL_BYTES)?;
    if version == Version::Older {
        schema::migrate(&mut connection)?;
    }
    Ok((connection, version))
}

/// Takes WAL where the file system can carry it. `SQLite` answers with the mode
/// that it really uses; a network's file system promises shared memory that it
/// does not keep, so it is not even asked.
pub(super) fn set_journal(
    connection: &Connection,
    path: &Path,
    may_wal: bool,
) -> rusqlite::Result<()> {
    let set = |mode: &str| {
        connection
            .pragma_update_and_check(None, "journal_mode", mode, |row| row.get::<_, String>(0))
    };
    let may_wal = may_wal && !on_network(path);
    let wal = may_wal && set("WAL").is_ok_and(|mode| mode.eq_ignore_ascii_case("wal"));
    if !wal {
        // A read-only file keeps the mode that it has.
        match set("TRUNCATE") {
            Err(error) if Fault::of(&error) == Fault::ReadOnly => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// Takes a file out of WAL without shared memory, as who is alone with it can.
fn leave_wal(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    for (pragma, value) in [("locking_mode", "EXCLUSIVE"), ("journal_mode", "TRUNCATE")] {
        connection.pragma_update_and_check(None, pragma, value, |_| Ok(()))?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn on_network(path: &Path) -> bool {
    let dir = path.parent().unwrap_or(path);
    rustix::fs::statfs(dir).is_ok_and(|stat| is_network_magic(stat.f_type & 0xffff_ffff))
}

#[cfg(not(target_os = "linux"))]
fn on_network(_path: &Path) -> bool {
    false
}

/// NFS, SMB, CIFS, SMB2, 9p, Ceph, AFS and FUSE (which carries sshfs and
/// virtiofs), as in statfs(2).
#[cfg(target_os = "linux")]
fn is_network_magic(magic: i64) -> bool {
    matches!(
        magic,
        0x6969
            | 0x517b
            | 0xff53_4d42
            | 0xfe53_4d42
            | 0x0102_1997
            | 0x00c3_6400
            | 0x5346_414f
            | 0x6573_5546
    )
}

/// Asks for the right to write without writing.
fn writable(connection: &Connection) -> rusqlite::Result<()> {
    if connection.is_readonly(rusqlite::MAIN_DB)? {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY),
            None,
        ));
    }
    match connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK") {
        Err(error) if Fault::of(&error) == Fault::Busy => Ok(()),
        other => other,
    }
}

/// Makes the file with mode 0600, and takes others' rights from one that is
/// there; `SQLite` gives the mode of the file to its `-wal` and `-shm`. One that
/// is there is not opened: closing it again would drop the locks that this
/// process holds on it.
fn make_private(path: &Path) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let _ = options.mode(0o600).open(path);
        if fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o777 != 0o600) {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    drop(options.open(path));
}

/// Returns the file beside `path` whose name has this end.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn lock(path: &Path) -> Option<fs::File> {
    let name = beside(path, ".lock");
    make_private(&name);
    let file = fs::OpenOptions::new().write(true).open(&name).ok()?;
    let start = Instant::now();
    while start.elapsed() < LOCK_TIMEOUT {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            Err(fs::TryLockError::Error(_)) => return None,
        }
    }
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_not_trusted_on_a_network() {
        assert!(is_network_magic(0x6969), "NFS");
        assert!(!is_network_magic(0xef53), "ext4");
        assert!(!is_network_magic(0x0102_1994), "tmpfs");
    }
}
