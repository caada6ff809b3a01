//! Damaged files: moved aside, and what can still be read of them taken over.
//!
//! One moved-aside copy is kept. All that could be read of it is in the new file,
//! so the next one may take its place. A damaged page loses what is on it and no
//! more: the keys, which are hashes, are walked in small ranges.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::file::Fault;
use super::notice::{Notice, Trouble};
use super::open::{BUSY_TIMEOUT, beside};
use super::schema::APPLICATION_ID;
use super::{still, tables};

/// So long the first page waits for what is taken over; the rest follows while
/// nobody asks for anything.
const AT_ONCE: Duration = Duration::from_millis(800);

/// Ranges of keys: two hexadecimal digits, and up to four where one is damaged.
const RANGES: u128 = 256;
const FIRST_BITS: u32 = 8;
const MOST_BITS: u32 = 16;

/// Moves the file and what belongs to it aside, over the last one that was moved.
pub(super) fn move_file(path: &Path) -> Result<PathBuf, Trouble> {
    let to = beside(path, ".damaged");
    for end in ["-wal", "-shm"] {
        let (from, to) = (beside(path, end), beside(&to, end));
        let _ = fs::remove_file(&to);
        let _ = fs::rename(from, to);
    }
    let _ = fs::remove_file(&to);
    fs::rename(path, &to).map_err(|_| Fault::Damaged.trouble(path))?;
    Ok(to)
}

/// Takes over what can be read of a file that was moved aside, and what is still
/// to be taken over when that takes long.
pub(super) fn take_over(path: &Path, aside: &Path) -> (Notice, Option<Salvage>) {
    let mut salvage = Salvage::new(path, aside);
    let goes_on = salvage.go_on(Instant::now() + AT_ONCE);
    let saved = match (salvage.saved, goes_on) {
        (0, false) => "nothing in it could be read".to_owned(),
        (1, false) => "one translation could be read and was taken over".to_owned(),
        (count, false) => format!("{count} translations could be read and were taken over"),
        (count, true) => format!("{count} translations were taken over so far, others follow"),
    };
    let to = aside.display();
    let message = format!(
        "the cache was damaged and a new one was started: {saved}; the old file is kept as {to}"
    );
    (Notice { code: "cache_set_aside", message, hint: None }, goes_on.then_some(salvage))
}

/// What is taken over of a damaged file: first with its journal, then without,
/// since the journal may be what is wrong.
#[derive(Debug)]
pub(super) struct Salvage {
    path: PathBuf,
    /// Addresses to read from, the next one last.
    sources: Vec<String>,
    next: u128,
    saved: usize,
}

impl Salvage {
    fn new(path: &Path, aside: &Path) -> Self {
        let is_there = |end| fs::metadata(beside(aside, end)).is_ok_and(|meta| meta.len() > 0);
        let with_journal = is_there("-wal").then(|| still::address(aside, false));
        let sources = [Some(still::address(aside, true)), with_journal];
        let sources = sources.into_iter().flatten().flatten().collect();
        Self { path: path.to_owned(), sources, next: 0, saved: 0 }
    }

    /// Goes on until then; false when nothing is left to be done.
    pub fn go_on(&mut self, until: Instant) -> bool {
        while let Some(source) = self.sources.last().cloned() {
            // What cannot be opened has nothing to be read.
            if let Ok(connection) = attach(&self.path, &source)
                && self.copy(&connection, until).is_ok_and(|is_done| !is_done)
            {
                return true;
            }
            self.sources.pop();
            self.next = 0;
        }
        false
    }

    /// Copies the rows of one source; false when there was no time for all.
    ///
    /// # Errors
    /// When its columns cannot be read, or the new file takes no more.
    fn copy(&mut self, connection: &Connection, until: Instant) -> rusqlite::Result<bool> {
        if self.next == 0 {
            for (table, _) in tables::KEPT.iter().filter(|(table, _)| *table != "translation") {
                let columns = shared_columns(connection, table)?;
                let copy = format!(
                    "INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM aside.{table}"
                );
                // A table that cannot be read costs no other.
                let _ = connection.execute(&copy, []);
            }
        }
        let columns = shared_columns(connection, "translation")?;
        // A page that was never written leaves zeros in a long text.
        let copy = format!(
            "INSERT OR IGNORE INTO main.translation ({columns}) SELECT {columns}
             FROM aside.translation WHERE key BETWEEN ?1 AND ?2
             AND instr(source, char(0)) = 0 AND instr(translation, char(0)) = 0"
        );
        let mut copy = connection.prepare(&copy)?;
        while self.next < RANGES {
            if Instant::now() >= until {
                return Ok(false);
            }
            self.saved += range(&mut copy, self.next << (128 - FIRST_BITS), FIRST_BITS)?;
            self.next += 1;
        }
        Ok(true)
    }
}

/// Copies the entries whose keys begin with these bits, as far as they can be
/// read.
fn range(copy: &mut rusqlite::Statement<'_>, low: u128, bits: u32) -> rusqlite::Result<usize> {
    let high = low | (u128::MAX >> bits);
    match copy.execute((low.to_be_bytes(), high.to_be_bytes())) {
        Err(error) if Fault::of(&error) == Fault::Damaged => {
            let parts = if bits < MOST_BITS { 0..16 } else { 0..0 };
            parts.map(|part: u128| range(copy, low | part << (124 - bits), bits + 4)).sum()
        }
        copied => copied,
    }
}

/// Opens the new file with the damaged one beside it.
fn attach(path: &Path, source: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Reads a file on that is shorter than it says of itself.
    connection.pragma_update(None, "writable_schema", true)?;
    // The damaged file is kept as it was found.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute("ATTACH ?1 AS aside", [source])?;
    Ok(connection)
}

/// Returns the columns that a table has in both files: the damaged one may be
/// from an older version.
fn shared_columns(connection: &Connection, table: &str) -> rusqlite::Result<String> {
    let sql = "SELECT group_concat(name) FROM pragma_table_info(?1, 'main') WHERE name IN
               (SELECT name FROM pragma_table_info(?1, 'aside'))";
    connection.query_row(sql, [table], |row| row.get(0))
}

/// Whether the `-wal` beside the file is another database's: `SQLite` would take
/// its pages for those of this file and write them over it. Their first page says
/// whose they are; a journal without it is not told from ours.
pub(super) fn has_foreign_journal(path: &Path) -> bool {
    let id_in = |page: &[u8]| page.get(68..72).map(|id| id == APPLICATION_ID.to_be_bytes());
    let Some(first_page) = first_page_in_journal(&beside(path, "-wal")) else { return false };
    if id_in(&first_page) == Some(true) {
        return false;
    }
    // Looked at only now: closing the file again ends the locks that this process
    // has on it, and beside such a journal there are none.
    let mut page = Vec::new();
    let read = File::open(path).and_then(|file| file.take(100).read_to_end(&mut page));
    read.is_ok() && id_in(&page) == Some(true)
}

/// Frames that are looked at: as many as a journal has before it is written back.
const MOST_FRAMES: u64 = 2000;

/// Returns the start of the database's first page as a journal has it; the layout
/// is that of <https://www.sqlite.org/fileformat.html#walformat>.
fn first_page_in_journal(path: &Path) -> Option<[u8; 100]> {
    let mut file = File::open(path).ok()?;
    let mut header = [0; 32];
    file.read_exact(&mut header).ok()?;
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes)
    };
    let page_size = u64::from(number(&header, 8)?);
    for n in 0..MOST_FRAMES {
        file.seek(SeekFrom::Start(32 + n * (24 + page_size))).ok()?;
        let mut frame = [0; 24 + 100];
        file.read_exact(&mut frame).ok()?;
        // Frames with other salts are from before the last time it was emptied.
        if frame[8..16] != header[16..24] {
            return None;
        }
        if number(&frame, 0)? == 1 {
            return frame[24..].try_into().ok();
        }
    }
    None
}

/// Moves a journal aside that is not ours. The shared memory goes: it is made anew.
pub(super) fn move_journal(path: &Path) -> Result<Notice, Trouble> {
    let to = beside(path, ".foreign-wal");
    let _ = fs::remove_file(&to);
    fs::rename(beside(path, "-wal"), &to).map_err(|_| Fault::Damaged.trouble(path))?;
    let _ = fs::remove_file(beside(path, "-shm"));
    let message = format!(
        "beside the cache lay the journal of another database; it was moved to {}",
        to.display()
    );
    Ok(Notice { code: "cache_journal_set_aside", message, hint: None })
}
