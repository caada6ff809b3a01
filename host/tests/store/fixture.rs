//! A folder with a store in it, and made-up entries and times.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tempfile::TempDir;
use webtranslator::segment::Key;
use webtranslator::store::{Mode, NewEntry, State, Store};

/// Some day.
pub const DAY: i64 = 20_000;

pub fn now() -> Timestamp {
    Timestamp::from_second(DAY * 86_400).expect("a time")
}

pub fn key(n: usize) -> Key {
    Key::of_text(&n.to_string())
}

pub fn entry(n: usize, translation: &str) -> NewEntry<'_> {
    NewEntry {
        key: key(n),
        source: "source",
        translation,
        source_language: "en",
        target_language: "ko",
        engine: "engine",
        site: None,
    }
}

pub fn put_one(store: &mut Store, n: usize) -> bool {
    store.put_many(&[entry(n, &format!("text {n}"))], DAY) == 1
}

/// Whether the store has what [`put_one`] stored.
pub fn has(store: &mut Store, n: usize) -> bool {
    let found = store.get_many(&[key(n)], DAY);
    found[0].as_ref().is_some_and(|entry| entry.text == format!("text {n}"))
}

pub fn open(path: &Path) -> (Store, State) {
    Store::open(path, Mode::On, now())
}

/// Does all that a host does while nobody waits.
pub fn tidy(store: &mut Store) {
    while store.tidy() {}
}

/// Says why there is only memory.
pub fn reason(state: &State) -> &str {
    match state {
        State::Memory { reason } => reason,
        other => panic!("expected memory, not {other:?}"),
    }
}

pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self) -> PathBuf {
        self.path("cache.db")
    }

    /// Opens the store, which must be in order.
    pub fn open(&self) -> Store {
        let (store, state) = open(&self.file());
        assert_eq!(state, State::Ok);
        store
    }

    fn connection(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).expect("a file")
    }

    /// Runs a statement past the store.
    pub fn sql(&self, statement: &str) {
        self.connection().execute_batch(statement).expect("a statement");
    }

    pub fn number(&self, query: &str) -> i64 {
        self.connection().query_row(query, [], |row| row.get(0)).expect("a number")
    }

    /// How many pages of 4 KiB the file has.
    pub fn pages(&self) -> i64 {
        self.number("PRAGMA page_count")
    }

    pub fn text(&self, query: &str) -> String {
        self.connection().query_row(query, [], |row| row.get(0)).expect("a text")
    }

    /// Says how a statement would be run.
    pub fn plan(&self, statement: &str) -> String {
        let query = format!("EXPLAIN QUERY PLAN {statement}");
        self.connection().query_row(&query, [], |row| row.get(3)).expect("a plan")
    }

    /// Changes with every write to the file.
    pub fn data_version(&self) -> Vec<u8> {
        let read = |name| std::fs::read(self.path(name)).unwrap_or_default();
        [read("cache.db"), read("cache.db-wal")].concat()
    }
}
