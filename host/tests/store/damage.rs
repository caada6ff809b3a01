//! Damaged, foreign and future files.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use webtranslator::store::State;

use crate::fixture::{DAY, Folder, entry, has, key, now, open, put_one, reason};

#[test]
fn a_file_that_is_no_database_is_kept_aside() {
    let folder = Folder::new();
    for round in 0..2 {
        let garbage = format!("not a database at all, round {round}, {}", "x".repeat(4096));
        fs::write(folder.file(), &garbage).unwrap();
        fs::write(folder.path("cache.db-wal"), "its wal").unwrap();
        let (mut store, state) = open(&folder.file());
        assert_eq!(state, State::Ok);
        let notice = store.take_notice().unwrap().message;
        assert!(notice.contains("cache.db.damaged"), "{notice}");
        assert_eq!(store.take_notice(), None);
        assert!(put_one(&mut store, 1));
        assert!(has(&mut folder.open(), 1));
        let aside = fs::read_to_string(folder.path("cache.db.damaged")).unwrap();
        assert_eq!(aside, garbage, "the last one is kept");
    }
    let kept = fs::read_dir(folder.path("")).unwrap();
    let kept =
        kept.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().contains("damaged"));
    assert!(kept.count() <= 3, "one copy with its journal");
}

fn zero_a_page(folder: &Folder, page: u64) {
    let mut file = fs::OpenOptions::new().write(true).open(folder.file()).expect("a file");
    file.seek(SeekFrom::Start(page * 4096)).expect("its place");
    file.write_all(&[0; 4096]).expect("zeros");
}

fn filled(folder: &Folder) {
    let mut store = folder.open();
    let long = "x".repeat(500);
    let entries: Vec<_> = (0..200).map(|n| entry(n, &long)).collect();
    assert_eq!(store.put_many(&entries, DAY), 200);
    drop(store);
    assert!(!folder.path("cache.db-wal").exists(), "all is in the file");
}

#[test]
fn a_page_of_zeros_moves_the_file_aside_when_it_is_met() {
    // Which page is met first depends on the look-up.
    let folder = Folder::new();
    filled(&folder);
    let pages = fs::metadata(folder.file()).unwrap().len() / 4096;
    for page in 1..pages {
        zero_a_page(&folder, page);
    }
    assert_ne!(
        rusqlite::Connection::open(folder.file())
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
            .unwrap_or_default(),
        "ok",
        "the obstacle is real"
    );
    let (mut store, _) = open(&folder.file());
    let found = store.get_many(&(0..200).map(key).collect::<Vec<_>>(), DAY);
    assert_eq!(found.iter().flatten().count(), 0);
    assert!(put_one(&mut store, 7));
    assert_eq!(*store.state(), State::Ok);
    assert!(store.take_notice().unwrap().message.contains("damaged"));
    assert!(has(&mut folder.open(), 7));
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
}

#[test]
fn bytes_4096_to_8192_of_zeros_do_not_stop_it() {
    let folder = Folder::new();
    filled(&folder);
    zero_a_page(&folder, 1);
    let (mut store, _) = open(&folder.file());
    store.get_many(&(0..200).map(key).collect::<Vec<_>>(), DAY);
    for n in 1000..1400 {
        assert!(put_one(&mut store, n));
    }
    assert!((1000..1400).all(|n| has(&mut store, n)));
}

#[test]
fn two_hosts_that_meet_damage_share_the_new_file() {
    let folder = Folder::new();
    filled(&folder);
    let (mut one, mut two) = (folder.open(), folder.open());
    let pages = fs::metadata(folder.file()).unwrap().len() / 4096;
    (1..pages).for_each(|page| zero_a_page(&folder, page));
    let keys: Vec<_> = (0..200).map(key).collect();
    one.get_many(&keys, DAY);
    assert!(put_one(&mut one, 1));
    two.get_many(&keys, DAY);
    assert!(put_one(&mut two, 2));
    assert!(has(&mut one, 2) && has(&mut two, 1), "each sees the other's");
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    folder.sql("PRAGMA user_version = 99");
    let before = fs::read(folder.file()).unwrap();
    let (mut store, state) = open(&folder.file());
    assert!(reason(&state).contains("newer version"), "{state:?}");
    assert!(put_one(&mut store, 2) && has(&mut store, 2), "the memory serves");
    assert!(!has(&mut store, 1));
    assert_eq!(store.stats().entries, 1);
    assert!(store.take_notice().is_some());
    assert_eq!(store.take_notice(), None, "said once");
    drop(store);
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn another_programs_database_is_left_alone() {
    let folder = Folder::new();
    folder.sql("CREATE TABLE theirs (x)");
    let before = fs::read(folder.file()).unwrap();
    let (store, state) = open(&folder.file());
    assert!(reason(&state).contains("not a cache"), "{state:?}");
    drop(store);
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = Folder::new();
    fs::write(folder.file(), "").unwrap();
    assert!(put_one(&mut folder.open(), 1));
}

#[test]
fn a_folder_in_the_files_place_is_told() {
    let folder = Folder::new();
    fs::create_dir(folder.file()).unwrap();
    let (mut store, state) = open(&folder.file());
    assert!(reason(&state).contains("cannot be opened"), "{state:?}");
    assert!(put_one(&mut store, 1) && has(&mut store, 1));
}

#[test]
fn a_folder_deleted_while_it_is_open_leaves_the_memory() {
    let folder = Folder::new();
    let file = folder.path("data/cache.db");
    let (mut store, state) = open(&file);
    assert_eq!(state, State::Ok);
    put_one(&mut store, 1);
    fs::remove_dir_all(folder.path("data")).unwrap();
    assert!(put_one(&mut store, 2) && has(&mut store, 2));
    assert!(reason(store.state()).contains("was deleted"));
    assert!(store.take_notice().unwrap().message.contains("was deleted"));
    assert!(put_one(&mut store, 3));
    assert_eq!(store.take_notice(), None, "said once");
    assert!(!folder.path("data").exists(), "it is not made again behind the reader's back");
}

#[test]
fn a_file_deleted_while_it_is_open_is_started_anew() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(folder.path(&format!("cache.db{end}"))).unwrap();
    }
    assert!(put_one(&mut store, 2));
    assert!(has(&mut folder.open(), 2), "it is in a file that others see");
    assert_eq!(*store.state(), State::Ok);
    let _ = now();
}
