//! What may stay in the file: as much as the reader allows, the last used, and
//! nothing that was translated too long ago.
//!
//! Many hosts write and each may make room, so all of it happens in short writes,
//! while nobody waits, and an entry goes only if it is still as old as it was
//! found to be.
//! Keys are hashes: entries that go leave gaps all over the file, and a page is
//! free when most of it has gone. So what is compared with the limit is pages.

use rusqlite::{Connection, TransactionBehavior};

use super::side::unsigned;
use super::{Mode, Store};

/// Entries that go in one write: some milliseconds.
const AT_ONCE: usize = 500;

/// Pages that are given back in one write.
const PAGES_AT_ONCE: u32 = 500;

/// Room is made down to so many twentieths, so that not every new entry asks for
/// more.
const ENOUGH_TWENTIETHS: u64 = 19;

/// A day that is still to come is that of a clock which was wrong.
const LONGEST_UNUSED: &str = "SELECT key, used_day FROM translation
 ORDER BY min(used_day, ?1), created_day LIMIT ?2";

const FORGET_UNUSED: &str = "DELETE FROM translation WHERE key = ?1 AND used_day <= ?2";

const OLD: &str = "SELECT key, ?1 FROM translation WHERE created_day < ?1";

const FORGET_OLD: &str = "DELETE FROM translation WHERE key = ?1 AND created_day < ?2";

/// The bytes of a key, and the day that it must not be beyond.
type Aged = (Vec<u8>, i64);

/// What has to go, the next at the end, and how far that is.
#[derive(Default)]
pub(super) struct Leaving {
    old: Vec<Aged>,
    unused: Vec<Aged>,
    /// Whether the limit may be passed.
    is_full: bool,
    /// Whether room is being made.
    is_making_room: bool,
    /// Whether pages may have come free.
    is_free: bool,
}

impl Store {
    /// Changes what the file may take; [`Store::tidy`] makes room.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
        self.leaving.is_full = true;
    }

    /// Changes for how many days an entry serves; none: for ever. What is older
    /// on this day serves no more, and goes with [`Store::tidy`].
    pub fn set_max_days(&mut self, days: Option<u32>, day: i64) {
        self.max_days = days;
        self.today = day;
        self.swept = None;
        self.leaving.old.clear();
    }

    pub(super) fn oldest(&self, day: i64) -> i64 {
        oldest_day(self.max_days, day)
    }

    /// Takes note that there is more in the file.
    pub(super) fn has_grown(&mut self, day: i64) {
        self.today = day;
        self.leaving.is_full = true;
    }

    /// Does a little of what makes room, and tells whether there is more to do.
    /// It is called when nobody waits for the store.
    pub fn tidy(&mut self) -> bool {
        let sweep = self.max_days.is_some() && self.swept != Some(self.today);
        if self.mode != Mode::On || !(sweep || self.leaving.is_needed()) {
            return false;
        }
        self.swept = Some(self.today);
        let oldest = self.oldest(self.today);
        let (limit, today) = (self.limit, self.today);
        let Some(file) = &mut self.file else { return false };
        let step = self.leaving.step(&mut file.connection, (sweep, oldest), (limit, today));
        // Best effort: a file that is busy or ill is looked at again when it has
        // grown, and what is wrong with it is told by the next write.
        step.unwrap_or_else(|_| {
            self.leaving = Leaving::default();
            false
        })
    }
}

impl Leaving {
    fn is_needed(&self) -> bool {
        self.is_full || self.is_making_room || self.is_free || !self.old.is_empty()
    }

    fn step(
        &mut self,
        connection: &mut Connection,
        (sweep, oldest): (bool, i64),
        (limit, today): (u64, i64),
    ) -> rusqlite::Result<bool> {
        if sweep {
            self.old = aged(connection, OLD, [oldest])?;
        }
        if !self.old.is_empty() {
            let old = self.old.split_off(self.old.len().saturating_sub(AT_ONCE));
            forget(connection, FORGET_OLD, old)?;
            self.is_free = true;
            return Ok(true);
        }
        if std::mem::take(&mut self.is_full) && in_use(connection)? > limit {
            self.is_making_room = true;
        }
        if self.is_making_room {
            self.make_room(connection, limit, today)?;
            return Ok(true);
        }
        self.is_free = self.is_free && give_back_some(connection)?;
        Ok(self.is_free)
    }

    fn make_room(
        &mut self,
        connection: &mut Connection,
        limit: u64,
        today: i64,
    ) -> rusqlite::Result<()> {
        if self.unused.is_empty() {
            let entries: i64 =
                connection.query_row("SELECT count(*) FROM translation", [], |row| row.get(0))?;
            // A quarter at once: pages come free later than entries go.
            self.unused = aged(connection, LONGEST_UNUSED, [today, (entries / 4).max(1)])?;
            self.unused.reverse();
        }
        let some = self.unused.split_off(self.unused.len().saturating_sub(AT_ONCE));
        let is_empty = some.is_empty();
        forget(connection, FORGET_UNUSED, some)?;
        self.is_free = true;
        if is_empty || in_use(connection)? <= limit / 20 * ENOUGH_TWENTIETHS {
            self.is_making_room = false;
            self.unused.clear();
        }
        Ok(())
    }
}

/// Returns the first day whose entries serve on this one, where they do so for so
/// many days. One that is still to come serves: it counts as today.
#[must_use]
pub fn oldest_day(max_days: Option<u32>, day: i64) -> i64 {
    max_days.map_or(i64::MIN, |days| day.saturating_sub(days.into()))
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
fn forget(connection: &mut Connection, sql: &str, mut aged: Vec<Aged>) -> rusqlite::Result<()> {
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

/// Gives free pages back to the disk, in short writes.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    while give_back_some(connection)? {}
    Ok(())
}

/// Gives some free pages back, and tells whether there are more. With the last
/// the journal is written back, as far as nobody is waited for: that makes the
/// file shorter.
fn give_back_some(connection: &Connection) -> rusqlite::Result<bool> {
    let free = || connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, i64>(0));
    let before = free()?;
    if before > 0 {
        // `SQLite` frees one with each step of the statement.
        run(connection, &format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
        let after = free()?;
        // A file that was made to keep its pages keeps them.
        if after > 0 && after < before {
            return Ok(true);
        }
    }
    run(connection, "PRAGMA wal_checkpoint(PASSIVE)")?;
    Ok(false)
}

/// Runs a statement to its end, whatever rows it answers with.
pub(super) fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
