//! Folders whose cache is full: one with a page, as a host stored it, and one
//! with a million entries more.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::Connection;
use scripted_provider::page::page;
use scripted_provider::{Script, stand_in};
use webtranslator::segment::Key;
use webtranslator::store::{Mode, Store};

use crate::browser::{Home, serve};
use crate::page::{Piped, walk};

pub const PAGE: usize = 10_000;
pub const MANY: usize = 1_000_000;

/// The column names stand here, so that columns may be added to the table.
pub const INSERT: &str = "INSERT INTO translation (key, source, translation, source_language, \
 target_language, engine, site, created_day, used_day) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)";

/// A folder with a full cache.
pub struct Filled {
    pub home: Home,
    /// The page in its order, and the key of each text.
    pub texts: Vec<String>,
    pub keys: Vec<Key>,
    pub took: Duration,
}

impl Filled {
    /// Lets a host translate the page, so that the entries are its own.
    pub fn with_a_page() -> Self {
        let started = Instant::now();
        let server = serve(Script::default());
        let home = Home::at(&server, "gemini");
        let texts = page(PAGE);
        let host = Piped::start(&home);
        walk(&host, &texts, 1);
        drop(host);
        let file = raw(&home.path("cache.db"));
        let mut all = file.prepare("SELECT source, key FROM translation").unwrap();
        let known: HashMap<String, [u8; 16]> = all
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let keys = texts.iter().map(|text| Key(known[text])).collect();
        drop(all);
        fold(&file);
        Self { home, texts, keys, took: started.elapsed() }
    }

    /// Copies the folder and adds to its cache, in the order of no key.
    pub fn and_a_million_more(&self) -> Self {
        let started = Instant::now();
        let mut home = Home::new("");
        home.environment.clone_from(&self.home.environment);
        std::fs::copy(self.path(), home.path("cache.db")).unwrap();
        let settings = std::fs::read_to_string(self.home.path("settings.toml")).unwrap();
        // A million entries are more than the 512 MiB that a host allows by itself.
        std::fs::write(home.path("settings.toml"), settings + "[cache]\nmax_mb = 4096\n").unwrap();
        let mut file = raw(&home.path("cache.db"));
        // 1 GiB: pages that are filled in no order are all at hand.
        file.pragma_update(None, "cache_size", -1024 * 1024).unwrap();
        let transaction = file.transaction().unwrap();
        let mut insert = transaction.prepare(INSERT).unwrap();
        for n in PAGE..MANY {
            let text = format!("{} {n}", self.texts[n % PAGE]);
            let row = (Key::of_text(&text).0, &text, stand_in::stand_in(&text));
            insert
                .execute((
                    row.0,
                    row.1,
                    row.2,
                    "en",
                    "ko",
                    "gemini|a:443|m|p1|",
                    "b.example",
                    20_000,
                ))
                .unwrap();
        }
        drop(insert);
        transaction.commit().unwrap();
        fold(&file);
        // What the system still writes would be measured with what comes next.
        std::fs::File::open(home.path("cache.db")).unwrap().sync_all().unwrap();
        let (texts, keys) = (self.texts.clone(), self.keys.clone());
        Self { home, texts, keys, took: started.elapsed() }
    }

    pub fn path(&self) -> PathBuf {
        self.home.path("cache.db")
    }

    pub fn store(&self) -> Store {
        store_at(&self.path())
    }
}

/// Opens a store as a host does; one that is new has its tables then.
pub fn store_at(path: &Path) -> Store {
    Store::open(path, Mode::On, Timestamp::now()).0
}

/// Opens the file without the store, with what a store sets on its connection.
pub fn raw(path: &Path) -> Connection {
    let file = Connection::open(path).unwrap();
    file.busy_timeout(Duration::from_secs(5)).unwrap();
    file.pragma_update(None, "synchronous", "NORMAL").unwrap();
    let mode: String = file.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    file
}

/// Writes the journal into the file.
pub fn fold(file: &Connection) {
    file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}
