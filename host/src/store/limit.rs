//! What may stay in the file: as much as the reader allows, the last used, and
//! nothing that was translated too long ago.
//!
//! Many hosts write and each may make room, so all of it happens in short
//! writes, and an entry goes only if it is still as old as it was found to be.
//! Keys are hashes: entries that go leave gaps all over the file, and a page is
//! free when most of it has gone. So what is compared with the limit is pages.

use rusqlite::{Connection, TransactionBehavior};

use super::side::unsigned;
use super::{Mode, Store};

/// Entries that go in one write: some milliseconds.
const AT_ONCE: usize = 500;

/// Pages that are given back in one write.
const PAGES_AT_ONCE: u32 = 500;

/// Room is made down to nine tenths, so that not every new entry asks for more.
const ENOUGH_TENTHS: u64 = 9;

/// A day that is still to come is that of a clock which was wrong.
const LONGEST_UNUSED: &str = "SELECT key, used_day FROM translation
 ORDER BY min(used_day, ?1), created_day LIMIT ?2";

const FORGET_UNUSED: &str = "DELETE FROM translation WHERE key = ?1 AND used_day <= ?2";

const OLD: &str = "SELECT key, ?1 FROM translation WHERE created_day < ?1";

const FORGET_OLD: &str = "DELETE FROM translation WHERE key = ?1 AND created_day < ?2";

/// The bytes of a key, and the day that it must not be beyond.
type Aged = (Vec<u8>, i64);

impl Store {
    /// Changes what the file may take, and makes room if it takes more.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
        self.make_room(self.today);
    }

    /// Changes for how many days an entry serves; none: for ever. What is older
    /// on this day goes.
    pub fn set_max_days(&mut self, days: Option<u32>, day: i64) {
        self.max_days = days;
        self.today = day;
        self.forget_old();
    }

    pub(super) fn oldest(&self, day: i64) -> i64 {
        oldest_day(self.max_days, day)
    }

    /// Makes room where there is none left; what is too old goes once a day.
    pub(super) fn make_room(&mut self, day: i64) {
        self.today = day;
        if self.swept != day {
            self.forget_old();
        }
        if self.mode != Mode::On {
            return;
        }
        if let Some(file) = &mut self.file {
            // Best effort: a file that is busy or ill is looked at again later,
            // and what is wrong with it is told by the next write.
            let _ = trim(&mut file.connection, self.limit, day);
        }
    }

    fn forget_old(&mut self) {
        self.swept = self.today;
        let oldest = self.oldest(self.today);
        if self.max_days.is_none() || self.mode != Mode::On {
            return;
        }
        if let Some(file) = &mut self.file {
            // Best effort, as above: meanwhile it serves nobody.
            let _ = drop_old(&mut file.connection, oldest);
        }
    }
}

/// Returns the first day whose entries serve on this one, where they do so for so
/// many days. One that is still to come serves: it counts as today.
#[must_use]
pub fn oldest_day(max_days: Option<u32>, day: i64) -> i64 {
    max_days.map_or(i64::MIN, |days| day.saturating_sub(days.into()))
}

fn drop_old(connection: &mut Connection, oldest: i64) -> rusqlite::Result<()> {
    let old = aged(connection, OLD, [oldest])?;
    if old.is_empty() {
        return Ok(());
    }
    for old in old.chunks(AT_ONCE) {
        forget(connection, FORGET_OLD, old)?;
    }
    give_back(connection)
}

fn trim(connection: &mut Connection, limit: u64, today: i64) -> rusqlite::Result<()> {
    if in_use(connection)? <= limit {
        return Ok(());
    }
    let enough = limit / 10 * ENOUGH_TENTHS;
    'room: loop {
        let entries: i64 =
            connection.query_row("SELECT count(*) FROM translation", [], |row| row.get(0))?;
        // A quarter at once: pages come free later than entries go.
        let some = (entries / 4).max(1);
        let unused = aged(connection, LONGEST_UNUSED, [today, some])?;
        if unused.is_empty() {
            break;
        }
        for unused in unused.chunks(AT_ONCE) {
            forget(connection, FORGET_UNUSED, unused)?;
            if in_use(connection)? <= enough {
                break 'room;
            }
        }
    }
    give_back(connection)
}

/// Returns what the pages take that something is in.
fn in_use(connection: &Connection) -> rusqlite::Result<u64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0).map(unsigned));
    let pages = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
    Ok(pages * pragma("page_size")?)
}

fn aged<const N: usize>(
    connection: &Connection,
    sql: &str,
    values: [i64; N],
) -> rusqlite::Result<Vec<Aged>> {
    let mut select = connection.prepare(sql)?;
    select
        .query_map(rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Deletes these in one short write, unless they were renewed meanwhile.
fn forget(connection: &mut Connection, sql: &str, aged: &[Aged]) -> rusqlite::Result<()> {
    let mut aged: Vec<&Aged> = aged.iter().collect();
    // Neighbours by key share a page.
    aged.sort_unstable();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut delete = transaction.prepare_cached(sql)?;
        for (key, day) in aged {
            delete.execute((key, day))?;
        }
    }
    transaction.commit()
}

/// Gives free pages back to the disk, in short writes. The file itself becomes
/// shorter as its journal is written back, which waits for nobody.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let free = |connection: &Connection| {
        connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, i64>(0))
    };
    let mut before = free(connection)?;
    while before > 0 {
        // `SQLite` frees one with each step of the statement.
        run(connection, &format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
        let after = free(connection)?;
        // Nothing is given back by a file that was made to keep its pages.
        if after >= before {
            break;
        }
        before = after;
    }
    run(connection, "PRAGMA wal_checkpoint(PASSIVE)")
}

/// Runs a statement to its end, whatever rows it answers with.
pub(super) fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
