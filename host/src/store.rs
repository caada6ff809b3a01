//! The cache that all browsers of the machine share: one `SQLite` file.
//!
//! The only owner of `SQLite`. It is synchronous, knows no network, and gets the
//! time passed in. Nothing here is fatal: a store that cannot be used is a
//! store that remembers nothing, and says why once ([`Store::take_notice`]).
//! Reads ask the file and then the memory; writes go to the file, and to the
//! memory when the file does not take them. Both have the same schema, so that
//! there is one path through the code. What must stay true: busy is never
//! damage, only known damage moves a file aside, and no statement stays open
//! between two calls.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;

use crate::segment::Key;

mod aside;
mod claims;
mod departures;
mod editor;
mod entries;
mod file;
mod limit;
mod notice;
mod open;
mod owner;
mod schema;
mod search;
mod side;
mod still;
mod tables;
mod texts;
mod trouble;
mod usage;
mod view;

pub use claims::{CLAIM_MS, Claim, Failed, Outcome};
pub use departures::{Departed, Departure, Heard, Limits};
pub use editor::{Added, Compacted, Editor};
pub use entries::{Entry, Filter, NewEntry, Stats};
pub use limit::oldest_day;
pub use notice::{Notice, Trouble};
pub use search::{Search, Words};
pub use side::Capability;
pub use texts::{Candidate, Wish};
pub use usage::{KEPT_DAYS, UsageRow};
pub use view::{Row, View};

use claims::Hosts;

/// What the reader allows for translations. Refusals, capabilities and usage
/// are remembered in any mode; without a file, for this process's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Look up and remember.
    #[default]
    On,
    /// Look up only.
    Read,
    /// Neither; no file is made.
    Off,
}

/// What kind of cache there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The shared file.
    Ok,
    /// This process's memory, for a reason in words.
    Memory {
        /// What is wrong with the file, and where it is.
        reason: String,
    },
    /// None, since the reader wants none.
    Off,
}

/// The memory takes this many pages of 4 KiB: 32 MiB. What is beyond is not
/// remembered.
const MEMORY_PAGES: u32 = 8192;

/// Returns the days since 1970 (UTC).
#[must_use]
pub fn day_of(now: Timestamp) -> i64 {
    now.as_second().div_euclid(24 * 60 * 60)
}

/// How often a write that found the file busy is tried, each time with the
/// whole patience of [`open::BUSY_TIMEOUT`].
const WRITE_TRIES: usize = 3;

/// The cache, the memory of refusals and capabilities, and the usage.
pub struct Store {
    path: PathBuf,
    mode: Mode,
    state: State,
    file: Option<file::File>,
    memory: Option<Connection>,
    notices: notice::Notices,
    alone: trouble::Alone,
    salvage: Option<aside::Salvage>,
    hits: u64,
    misses: u64,
    unnoted: HashSet<Key>,
    limit: u64,
    max_days: Option<u32>,
    today: i64,
    swept: Option<i64>,
    leaving: limit::Leaving,
    owner: Option<owner::Owner>,
    seen_version: Option<i64>,
}

impl Store {
    /// Opens the store at `path`, makes it where there is none, and tells what
    /// became of it. Never fails: see [`State`].
    #[must_use]
    pub fn open(path: &Path, mode: Mode, now: Timestamp) -> (Self, State) {
        let mut store = Self {
            path: path.to_owned(),
            mode,
            state: State::Off,
            file: None,
            memory: None,
            notices: notice::Notices::default(),
            alone: trouble::Alone::default(),
            salvage: None,
            hits: 0,
            misses: 0,
            unnoted: HashSet::new(),
            limit: u64::MAX,
            max_days: None,
            today: day_of(now),
            swept: None,
            leaving: limit::Leaving::default(),
            owner: None,
            seen_version: None,
        };
        if mode != Mode::Off {
            store.attach(None);
            store.forget_old_refusals(now);
            store.forget_old_usage(now);
        }
        let state = store.state.clone();
        (store, state)
    }

    /// Returns what kind of cache there is now; a full disk changes it.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns what the reader allows.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Changes what the reader allows, opening the file when it is now wanted.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        if mode == Mode::Off {
            self.file = None;
            self.memory = None;
            self.unnoted.clear();
            self.state = State::Off;
        } else if self.state == State::Off {
            self.attach(None);
        }
    }

    /// Returns, one by one and each kind once, what the reader should know.
    pub fn take_notice(&mut self) -> Option<Notice> {
        self.notices.take()
    }

    /// Runs a read on the file, then on the memory.
    fn read<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> [Option<T>; 2] {
        self.follow(false);
        let from_file = self.on_file(&mut work, false).ok();
        let from_memory = self.memory.as_mut().and_then(|memory| work(memory).ok());
        [from_file, from_memory]
    }

    /// Runs a write on the file; when the file does not take it, in memory.
    fn write<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Option<T> {
        self.follow(true);
        if let Ok(done) = self.on_file(&mut work, true) {
            self.bring_back();
            return Some(done);
        }
        if self.memory.is_none() {
            self.memory = schema::memory(MEMORY_PAGES).ok();
        }
        self.memory.as_mut().and_then(|memory| work(memory).ok())
    }

    /// Runs `work` on what hosts share; nothing when this host is alone with its
    /// memory, or when the file does not take it.
    fn on_shared<T>(
        &mut self,
        writing: bool,
        mut work: impl FnMut(&mut Connection, &mut Hosts<'_>) -> rusqlite::Result<T>,
    ) -> Option<T> {
        self.follow(writing);
        self.file.as_ref()?;
        let oldest = self.oldest(self.today);
        let path = self.path.clone();
        let owner = self.owner.get_or_insert_with(|| owner::Owner::new(&path));
        let own = owner.name().to_owned();
        let mut on_connection = |connection: &mut Connection| {
            let mut hosts = Hosts { own: &own, store: &path, gone: HashMap::new(), oldest };
            work(connection, &mut hosts)
        };
        self.on_file(&mut on_connection, writing).ok()
    }
}
