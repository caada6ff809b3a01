//! Files that a power cut, a copy or a restore has left in pieces: what was
//! stored and can be read is still there afterwards.

use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use webtranslator::store::{State, Store, UsageRow};

use crate::child::command;
use crate::fixture::{DAY, Folder, entry, has, key, open, put_one};

/// Entries of a filled file; each page holds a few of them.
const MANY: usize = 1000;

fn text(n: usize) -> String {
    format!("text {n} {}", "x".repeat(300))
}

/// A file with many entries and no journal.
fn filled() -> Folder {
    let folder = Folder::new();
    let mut store = folder.open();
    let texts: Vec<_> = (0..MANY).map(text).collect();
    let entries: Vec<_> = texts.iter().enumerate().map(|(n, text)| entry(n, text)).collect();
    assert_eq!(store.put_many(&entries, DAY), MANY);
    store.add_usage(&[UsageRow { day: DAY, calls: 7, ..UsageRow::default() }]);
    drop(store);
    assert!(!folder.path("cache.db-wal").exists(), "all is in the file");
    folder
}

/// How many of them are there, each with its own text.
fn found(store: &mut Store) -> usize {
    let found = store.get_many(&(0..MANY).map(key).collect::<Vec<_>>(), DAY);
    let right = found.iter().enumerate().filter_map(|(n, e)| e.as_ref().map(|e| e.text == text(n)));
    let right: Vec<bool> = right.collect();
    assert!(right.iter().all(|right| *right), "a wrong text is worse than none");
    right.len()
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).open(path).expect("a file");
    file.seek(SeekFrom::Start(at)).expect("a file");
    file.write_all(bytes).expect("a file");
}

/// Makes the first leaf from this page on zero, and returns how many entries were
/// on it. A damaged inner page costs all that is found through it.
fn lose(path: &Path, page: u64) -> usize {
    let bytes = fs::read(path).expect("a file");
    let page = usize::try_from(page).expect("a small file");
    // A leaf of an index begins with a 10; its count stands after two more bytes.
    let leaf = |at: &usize| bytes[*at] == 10;
    let at = (page..bytes.len() / 4096).map(|page| page * 4096).find(leaf).expect("a leaf");
    overwrite(path, at as u64, &[0; 4096]);
    usize::from(u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").len()
}

#[test]
fn a_half_written_page_costs_what_is_on_it_and_no_more() {
    let folder = filled();
    let pages = length(&folder.file()) / 4096;
    // The second half of a page in the middle of the file was never written.
    overwrite(&folder.file(), pages / 2 * 4096, &[0xff; 2048]);
    assert_ne!(folder.text("PRAGMA integrity_check"), "ok", "the obstacle is real");
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    found(&mut store);
    let notice = store.take_notice().unwrap();
    assert_eq!(notice.code, "cache_set_aside");
    assert_eq!(store.take_notice(), None, "said once");
    let left = found(&mut store);
    assert!((MANY - 30..MANY).contains(&left), "{left}: {}", notice.message);
    assert!(notice.message.contains(&format!("{left} translations")), "{}", notice.message);
    assert_eq!(store.usage_since(DAY)[0].calls, 7, "what was used is not forgotten");
    assert!(put_one(&mut store, MANY + 1));
    drop(store);
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
    assert_eq!(length(&folder.path("cache.db.damaged")), pages * 4096, "kept as it was");
}

#[test]
fn a_damaged_leaf_costs_hardly_more_than_its_own_entries() {
    let folder = Folder::new();
    let long = "x".repeat(300);
    let count = 8000;
    folder.open().put_many(&(0..count).map(|n| entry(n, &long)).collect::<Vec<_>>(), DAY);
    let bytes = fs::read(folder.file()).unwrap();
    let page_on = |n: usize| bytes[n * 4096];
    // A leaf of an index begins with a 10; the middle of the file is all entries.
    let leaf = (bytes.len() / 8192..bytes.len() / 4096).find(|n| page_on(*n) == 10).unwrap();
    overwrite(&folder.file(), leaf as u64 * 4096, &[0xff; 2048]);
    let (mut store, _) = open(&folder.file());
    let keys: Vec<_> = (0..count).map(key).collect();
    store.get_many(&keys, DAY);
    let left = store.get_many(&keys, DAY).iter().flatten().count();
    assert!((count - 14..count).contains(&left), "{left}");
}

#[test]
fn damage_on_several_pages_costs_those_pages() {
    let folder = filled();
    let pages = length(&folder.file()) / 4096;
    let lost: usize = [3, 5, 7].map(|part| lose(&folder.file(), pages * part / 9)).iter().sum();
    let (mut store, _) = open(&folder.file());
    found(&mut store);
    let left = found(&mut store);
    assert!((MANY - lost - 9..=MANY).contains(&left), "{left}, {lost} were on these pages");
}

#[test]
fn damage_that_comes_again_loses_nothing_that_was_taken_over() {
    let folder = filled();
    let pages = length(&folder.file()) / 4096;
    let mut before = MANY;
    for _ in 0..3 {
        let lost = lose(&folder.file(), pages / 2);
        let (mut store, _) = open(&folder.file());
        found(&mut store);
        let left = found(&mut store);
        assert!(left >= before - lost - 3, "{left} of {before}, {lost} were on the page");
        before = left;
    }
}

#[test]
fn a_file_cut_anywhere_keeps_what_is_before_the_cut() {
    let whole = filled();
    let all = length(&whole.file());
    for cut in [all - 1, all - 4097, all / 2 + 100, all / 2, all / 4 + 1] {
        let folder = Folder::new();
        fs::copy(whole.file(), folder.file()).unwrap();
        fs::OpenOptions::new().write(true).open(folder.file()).unwrap().set_len(cut).unwrap();
        let (mut store, _) = open(&folder.file());
        found(&mut store);
        let left = found(&mut store);
        assert_eq!(*store.state(), State::Ok, "cut at {cut}");
        // With a page goes what is found through it.
        let least = if cut > all / 3 { MANY / 6 } else { 1 };
        assert!(left >= least, "cut at {cut}: {left} are left");
        assert!(put_one(&mut store, MANY + 1), "cut at {cut}");
    }
    for cut in [0, 1, 50, 100, 4095] {
        let folder = Folder::new();
        fs::copy(whole.file(), folder.file()).unwrap();
        fs::OpenOptions::new().write(true).open(folder.file()).unwrap().set_len(cut).unwrap();
        let (mut store, state) = open(&folder.file());
        assert_eq!(state, State::Ok, "cut at {cut}");
        assert!(put_one(&mut store, 1) && has(&mut store, 1), "cut at {cut}");
    }
}

/// A folder as a killed host leaves it: all that it stored is in the journal.
fn killed(count: usize) -> Folder {
    let folder = Folder::new();
    folder.open();
    let mut host = command(&[], "stream", &folder.file()).spawn().expect("a file");
    let mut lines = BufReader::new(host.stdout.take().expect("a file")).lines();
    let mut told = 0;
    while told < count {
        told += usize::from(lines.next().expect("a file").expect("a file").contains("child: "));
    }
    host.kill().expect("a file");
    host.wait().expect("a file");
    assert!(length(&folder.path("cache.db-wal")) > 0, "the journal was left behind");
    folder
}

#[test]
fn a_journal_that_is_missing_after_a_kill_costs_what_was_in_it_and_is_no_damage() {
    let folder = killed(50);
    {
        // What stands in the file itself.
        let mut store = folder.open();
        assert!(has(&mut store, 7));
    }
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path(&format!("cache.db{end}")));
    }
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert!(has(&mut store, 7), "it was written back");
    assert_eq!(store.take_notice(), None, "no false alarm");

    let folder = killed(50);
    for end in ["-wal", "-shm"] {
        fs::remove_file(folder.path(&format!("cache.db{end}"))).unwrap();
    }
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert!(!has(&mut store, 7), "it was in the journal alone");
    assert!(put_one(&mut store, 7));
    assert_eq!(store.take_notice(), None);
    assert!(!folder.path("cache.db.damaged").exists());
}

#[test]
fn a_torn_frame_at_the_journals_end_costs_what_is_in_it() {
    let folder = killed(50);
    let wal = folder.path("cache.db-wal");
    let mut bytes = Vec::new();
    fs::File::open(&wal).unwrap().read_to_end(&mut bytes).unwrap();
    let db = fs::read(folder.file()).unwrap();
    for cut in [1, 100, 2000, 4119, 4121, 9000] {
        let torn = Folder::new();
        fs::write(torn.file(), &db).unwrap();
        let mut rest = bytes[..bytes.len() - cut].to_vec();
        // A sector that was written half.
        let end = rest.len();
        rest[end - 300..].fill(0xa5);
        fs::write(torn.path("cache.db-wal"), rest).unwrap();
        let (mut store, state) = open(&torn.file());
        assert_eq!(state, State::Ok, "cut by {cut}");
        let there = (0..50).filter(|n| has(&mut store, *n)).count();
        assert!(there >= 45, "cut by {cut}: {there}");
        assert!(put_one(&mut store, 500) && has(&mut store, 500));
        assert_eq!(store.take_notice(), None, "a torn end is no damage");
        assert_eq!(torn.text("PRAGMA integrity_check"), "ok");
    }
}

/// Leaves the journal of another program's database beside the file.
fn add_foreign_journal(folder: &Folder) {
    let other = rusqlite::Connection::open(folder.path("other.db")).expect("a file");
    other.pragma_update(None, "journal_mode", "WAL").expect("a file");
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").expect("a file");
    fs::copy(folder.path("other.db-wal"), folder.path("cache.db-wal")).expect("a file");
}

#[test]
fn the_journal_of_another_database_is_set_aside_and_not_taken_for_ours() {
    let folder = filled();
    add_foreign_journal(&folder);
    let copy = Folder::new();
    for end in ["", "-wal"] {
        let name = format!("cache.db{end}");
        fs::copy(folder.path(&name), copy.path(&name)).unwrap();
    }
    assert_eq!(copy.text("SELECT name FROM sqlite_schema"), "theirs", "the obstacle is real");

    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert_eq!(store.take_notice().unwrap().code, "cache_journal_set_aside");
    assert_eq!(found(&mut store), MANY);
    assert!(put_one(&mut store, MANY + 1));
    drop(store);
    assert!(folder.path("cache.db.foreign-wal").exists());
    assert_eq!(found(&mut folder.open()), MANY, "it was not written over it at the end either");
}

#[test]
fn shared_memory_of_another_database_is_made_anew() {
    let folder = killed(50);
    let other = rusqlite::Connection::open(folder.path("other.db")).unwrap();
    other.pragma_update(None, "journal_mode", "WAL").unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    fs::copy(folder.path("other.db-shm"), folder.path("cache.db-shm")).unwrap();
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert!((0..50).all(|n| has(&mut store, n)));
    assert_eq!(store.take_notice(), None);
}

#[test]
fn a_backup_without_its_journal_is_an_older_cache_and_no_damage() {
    let folder = filled();
    let backup = fs::read(folder.file()).unwrap();
    let mut store = folder.open();
    for n in MANY..MANY + 200 {
        put_one(&mut store, n);
    }
    drop(store);
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path(&format!("cache.db{end}")));
    }
    fs::write(folder.file(), backup).unwrap();
    let (mut store, state) = open(&folder.file());
    assert_eq!(state, State::Ok);
    assert_eq!((found(&mut store), has(&mut store, MANY)), (MANY, false));
    assert_eq!(store.take_notice(), None);
}

#[test]
fn an_older_file_restored_below_a_newer_journal_never_gives_a_wrong_text() {
    let folder = filled();
    let backup = fs::read(folder.file()).unwrap();
    let mut store = folder.open();
    let long = "y".repeat(300);
    store.put_many(&(MANY..2 * MANY).map(|n| entry(n, &long)).collect::<Vec<_>>(), DAY);
    let newer = fs::read(folder.path("cache.db-wal")).unwrap();
    drop(store);
    let restored = Folder::new();
    fs::write(restored.file(), backup).unwrap();
    fs::write(restored.path("cache.db-wal"), &newer[..newer.len() / 2]).unwrap();
    let (mut store, _) = open(&restored.file());
    found(&mut store);
    assert!(found(&mut store) > MANY / 2);
    assert!(put_one(&mut store, 3 * MANY));
    assert_eq!(*store.state(), State::Ok);
}

#[test]
fn a_power_cut_in_a_migration_leaves_the_old_file_or_the_new_one() {
    let old = Folder::new();
    old.sql(crate::VERSION_1);
    let before = fs::read(old.file()).unwrap();
    let new = Folder::new();
    fs::write(new.file(), &before).unwrap();
    let store = new.open();
    let wal = fs::read(new.path("cache.db-wal")).unwrap();
    let header = fs::read(new.file()).unwrap();
    drop(store);
    assert!(wal.len() > 3 * 4096, "the migration is in the journal");
    for cut in (0..=wal.len()).step_by(1500).chain([wal.len()]) {
        let cut_off = Folder::new();
        fs::write(cut_off.file(), &header).unwrap();
        fs::write(cut_off.path("cache.db-wal"), &wal[..cut]).unwrap();
        let (mut store, state) = open(&cut_off.file());
        assert_eq!(state, State::Ok, "after {cut} bytes");
        assert_eq!(store.take_notice(), None, "after {cut} bytes");
        assert_eq!(store.usage_since(DAY)[0].calls, 3, "after {cut} bytes");
        assert_eq!(store.stats().entries, 1);
        assert!(put_one(&mut store, 1));
    }
}
