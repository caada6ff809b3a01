//! A file that could not be used for a while: it is used again by itself, and
//! what the memory took meanwhile goes into it.

use std::fs;

use webtranslator::segment::Key;
use webtranslator::store::{State, Store, UsageRow};

use crate::fixture::{DAY, Folder, entry, has, key, now, open, put_one, reason};

fn codes(store: &mut Store) -> Vec<&'static str> {
    std::iter::from_fn(|| store.take_notice()).map(|notice| notice.code).collect()
}

fn usage(calls: u64) -> UsageRow {
    UsageRow {
        day: DAY,
        provider: "p".into(),
        calls,
        cost_micros: Some(calls),
        ..UsageRow::default()
    }
}

#[test]
fn what_was_taken_while_the_folder_was_gone_is_in_the_file_when_it_is_back() {
    let folder = Folder::new();
    let file = folder.path("data/cache.db");
    let (mut store, state) = open(&file);
    assert_eq!(state, State::Ok);
    store.add_usage(&[usage(1)]);
    fs::remove_dir_all(folder.path("data")).unwrap();
    for n in 0..1200 {
        assert!(put_one(&mut store, n));
    }
    store.add_usage(&[usage(2)]);
    store.remember_refusals("engine", &[Key::of_text("no")], now() + jiff::Span::new().hours(5));
    assert!(reason(store.state()).contains("was deleted"));

    fs::create_dir(folder.path("data")).unwrap();
    assert!(put_one(&mut store, 5000));
    assert_eq!(*store.state(), State::Ok);
    assert_eq!(codes(&mut store), ["cache_folder_gone", "cache_back"]);
    let mut other = open(&file).0;
    assert!((0..1200).chain([5000]).all(|n| has(&mut other, n)));
    assert_eq!(other.refused_many("engine", &[Key::of_text("no")], now()), [true]);
    assert_eq!(other.usage_since(DAY), [usage(2)]);
    other.add_usage(&[usage(4)]);
    assert_eq!(store.usage_since(DAY), [usage(6)], "nothing is counted twice");
    assert_eq!(store.stats().entries, 1201);
}

#[test]
fn what_a_busy_file_did_not_take_is_brought_by_the_next_write() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    let holder = rusqlite::Connection::open(folder.file()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(put_one(&mut store, 2), "taken by the memory");
    holder.execute_batch("COMMIT").unwrap();
    assert!(!has(&mut folder.open(), 2));
    assert!(put_one(&mut store, 3));
    assert!(has(&mut folder.open(), 2));
    assert_eq!(codes(&mut store), Vec::<&str>::new(), "busy is nothing to tell");
}

#[test]
fn what_is_in_the_memory_when_a_host_ends_goes_into_the_file() {
    let folder = Folder::new();
    let mut store = folder.open();
    let holder = rusqlite::Connection::open(folder.file()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(put_one(&mut store, 2));
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    store.close();
    let wal = fs::metadata(folder.path("cache.db-wal"));
    assert!(wal.is_err(), "the last to close writes the journal back");
    assert!(has(&mut folder.open(), 2));
}

#[test]
fn a_newer_file_that_makes_room_for_another_is_followed() {
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    folder.sql("PRAGMA user_version = 99");
    let (mut store, _) = open(&folder.file());
    assert!(put_one(&mut store, 2));
    assert!(matches!(store.state(), State::Memory { .. }));
    fs::remove_file(folder.file()).unwrap();
    assert!(put_one(&mut store, 3));
    assert_eq!(codes(&mut store), ["cache_newer", "cache_back"]);
    assert!(has(&mut folder.open(), 2) && has(&mut folder.open(), 3));
}

#[test]
fn a_file_that_a_newer_version_takes_over_meanwhile_is_left_alone() {
    let folder = Folder::new();
    let mut in_place = folder.open();
    put_one(&mut in_place, 1);
    // It is brought up to date in its place, as a newer host does that starts.
    folder.sql("PRAGMA user_version = 99");
    assert!(put_one(&mut in_place, 2) && has(&mut in_place, 2), "the memory serves");
    assert!(reason(in_place.state()).contains("newer version"));
    assert_eq!(codes(&mut in_place), ["cache_newer"]);
    drop(in_place);
    assert_eq!(folder.number("SELECT count(*) FROM translation"), 1, "nothing was written");

    // Another file takes its name.
    let folder = Folder::new();
    let mut replaced = folder.open();
    put_one(&mut replaced, 1);
    let newer = Folder::new();
    put_one(&mut newer.open(), 7);
    newer.sql("PRAGMA user_version = 99");
    fs::rename(newer.file(), folder.file()).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path(&format!("cache.db{end}")));
    }
    let before = fs::read(folder.file()).unwrap();
    assert!(put_one(&mut replaced, 2) && has(&mut replaced, 2));
    assert_eq!(codes(&mut replaced), ["cache_newer"]);
    assert!(fs::read(folder.file()).unwrap() == before);
}

/// Something stands in the place of the shared memory that `SQLite` does not open.
fn refuse_shared_memory(folder: &Folder) {
    std::os::unix::fs::symlink("nowhere", folder.path("cache.db-shm")).expect("a link");
}

#[test]
fn a_file_system_without_shared_memory_is_used_without_a_journal_in_it() {
    let folder = Folder::new();
    refuse_shared_memory(&folder);
    let probe = rusqlite::Connection::open(folder.file()).unwrap();
    let mode =
        probe.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
    assert!(mode.is_err() || probe.execute_batch("CREATE TABLE t (x)").is_err(), "{mode:?}");
    drop(probe);
    fs::remove_file(folder.file()).unwrap();
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert!(put_one(&mut store, 1) && has(&mut store, 1));
    assert_eq!(codes(&mut store), Vec::<&str>::new());
    assert_ne!(folder.text("PRAGMA journal_mode"), "wal");
    let mut second = open(&folder.file()).0;
    assert!(has(&mut second, 1) && put_one(&mut second, 2) && has(&mut store, 2));
}

#[test]
fn a_file_that_was_made_elsewhere_with_a_journal_is_read_where_none_can_be() {
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    refuse_shared_memory(&folder);
    let probe = rusqlite::Connection::open(folder.file()).unwrap();
    let made = probe.execute_batch("CREATE TABLE t (x)");
    assert!(made.is_err(), "the obstacle is real");
    drop(probe);
    let (mut store, _) = open(&folder.file());
    assert_eq!(*store.state(), State::Ok);
    assert!(has(&mut store, 1) && put_one(&mut store, 2));
    assert!(has(&mut open(&folder.file()).0, 2), "it is in the file");
    assert_ne!(folder.text("PRAGMA journal_mode"), "wal");
}

#[test]
fn a_text_that_is_no_text_is_a_miss_and_takes_nothing_else_along() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    put_one(&mut store, 2);
    folder.sql(
        "UPDATE translation SET translation = CAST(x'ff41' AS TEXT) WHERE translation = 'text 1'",
    );
    let found = store.get_many(&[key(1), key(2)], DAY);
    assert_eq!(found[0], None);
    assert!(found[1].is_some(), "{:?}", store.state());
    assert_eq!(*store.state(), State::Ok);
    assert_eq!(store.put_many(&[entry(1, "anew")], DAY), 1);
}
