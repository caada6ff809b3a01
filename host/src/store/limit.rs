//! The most that the file may take: what was not used for longest goes.
//!
//! Keys are hashes, so entries that go leave gaps in pages and hardly ever a
//! page that is free. So what is compared is what the entries themselves take,
//! with room for the gaps; new entries fill these, and the file stays about as
//! big as it is.

use rusqlite::Connection;

use super::side::in_one;
use super::{Mode, Store};

/// Looked at after so many new entries: when the file is full, a look reads
/// all of it.
const EVERY: usize = 5000;

/// What an entry takes beside its texts: key, languages, days, lengths.
const ENTRY_BYTES: u64 = 64;

const COUNT: &str = "SELECT count(*),
 coalesce(sum(octet_length(source) + octet_length(translation) + octet_length(engine)
 + coalesce(octet_length(site), 0)), 0) FROM translation";

const FORGET: &str = "DELETE FROM translation WHERE key IN
 (SELECT key FROM translation ORDER BY min(used_day, ?2 + 1), created_day LIMIT ?1)";

impl Store {
    /// Changes what the file may take, and makes room if it takes more.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
        self.make_room();
    }

    /// Counts what was stored, and looks at the limit now and then.
    pub(super) fn count_towards_limit(&mut self, stored: usize) {
        self.since_look += stored;
        if self.since_look >= EVERY {
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        self.since_look = 0;
        if self.mode != Mode::On {
            return;
        }
        if let Some(file) = &mut self.file {
            // Best effort: a file that is busy or ill is looked at again later,
            // and what is wrong with it is told by the next write.
            let _ = trim(&mut file.connection, self.limit, self.today);
        }
    }
}

/// `today` is for entries whose day is still to come: they were used when a clock
/// was wrong, and are not the last that go.
fn trim(connection: &mut Connection, limit: u64, today: i64) -> rusqlite::Result<()> {
    let pragma = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get(0).map(super::side::unsigned))
    };
    if pragma("page_count")? * pragma("page_size")? <= limit {
        return Ok(());
    }
    let (entries, texts): (i64, i64) =
        connection.query_row(COUNT, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let count = super::side::unsigned(entries);
    let taken = super::side::unsigned(texts) + count * ENTRY_BYTES;
    // Pages of random keys are two thirds full.
    if taken <= limit / 5 * 3 {
        return Ok(());
    }
    let stay = u128::from(count) * u128::from(limit / 2) / u128::from(taken.max(1));
    let go = entries - i64::try_from(stay).unwrap_or(entries);
    in_one(connection, |connection| connection.execute(FORGET, (go, today)).map(drop))?;
    super::entries::shrink(connection)
}
