//! A reader's folder with a cache in it, and the command line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use jiff::Timestamp;
use tempfile::TempDir;
use webtranslator::segment::{Engine, Key, KeyParts};
use webtranslator::store::{Mode, NewEntry, Store};

/// Some day, long ago.
pub const DAY: i64 = 20_000;

/// An entry to put in.
#[derive(Clone, Copy)]
pub struct Put<'a> {
    pub source: &'a str,
    pub translation: &'a str,
    pub languages: (&'a str, &'a str),
    pub engine: &'a str,
    pub site: Option<&'a str>,
    pub marked: bool,
    pub terms: bool,
    pub day: i64,
}

/// A plain entry, to be changed by the test.
pub const fn put<'a>(source: &'a str, translation: &'a str) -> Put<'a> {
    Put {
        source,
        translation,
        languages: ("en", "ko"),
        engine: "openai|api.example:443|m|p1|",
        site: Some("example.com"),
        marked: false,
        terms: false,
        day: DAY,
    }
}

pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A cache with these entries.
    pub fn with(entries: &[Put<'_>]) -> Self {
        let home = Self::new();
        home.put(entries);
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, entries: &[Put<'_>]) {
        let (mut store, _) = Store::open(&self.path("cache.db"), Mode::On, Timestamp::now());
        for one in entries {
            assert_eq!(store.put_many(&[entry(one)], one.day), 1);
        }
    }

    /// Runs a statement past the program.
    pub fn sql(&self, statement: &str) {
        let connection = rusqlite::Connection::open(self.path("cache.db")).unwrap();
        connection.execute_batch(statement).unwrap();
    }

    pub fn command(&self, words: &[&str]) -> Command {
        command(self.0.path(), words)
    }

    /// Runs `cache` with these words.
    pub fn cache(&self, words: &[&str]) -> Told {
        self.cache_with(words, b"")
    }

    pub fn cache_with(&self, words: &[&str], input: &[u8]) -> Told {
        run(self.command(words), input)
    }

    /// Names and contents of all files.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        files.sort();
        files
    }
}

pub fn command(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg("cache").args(words).env("WEBTRANSLATOR_HOME", home);
    command
}

pub fn run(mut command: Command, input: &[u8]) -> Told {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    Told::of(&child.wait_with_output().unwrap())
}

fn entry<'a>(put: &Put<'a>) -> NewEntry<'a> {
    let terms = [("word".to_owned(), "말".to_owned())];
    let key = Key::of(&KeyParts {
        normal: put.source,
        source: put.languages.0,
        target: put.languages.1,
        engine: &put.engine.parse::<Engine>().unwrap(),
        marked: put.marked,
        terms: if put.terms { &terms } else { &[] },
        site: put.site,
    });
    NewEntry {
        key,
        source: put.source,
        translation: put.translation,
        source_language: put.languages.0,
        target_language: put.languages.1,
        engine: put.engine,
        site: put.site,
    }
}

/// What a command said and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl Told {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { out: text(&output.stdout), err: text(&output.stderr), code: output.status.code() }
    }

    /// Returns what it printed; it must have gone well, and silently.
    pub fn good(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self.out
    }

    /// Returns what it complained about; it must have failed.
    pub fn bad(self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        self.err
    }
}
