//! What may stay: as much as the reader allows, and no longer.

use webtranslator::store::{Claim, Filter, Mode, Store, Wish};

use crate::child::{command, said};
use crate::fixture::{DAY, Folder, entry, key, put_one, tidy};

#[test]
fn beyond_the_limit_what_was_not_used_for_longest_goes() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(400);
    let entries: Vec<_> = (0..10_000).map(|n| entry(n, &text)).collect();
    for (day, part) in (DAY..).zip(entries.chunks(2500)) {
        store.put_many(part, day);
    }
    let before = store.stats();
    assert_eq!(before.entries, 10_000);
    make_room(&mut store, before.bytes);
    assert_eq!(store.stats().entries, 10_000, "nothing goes below the limit");

    store.get_many(&[key(7)], DAY + 9);
    store.touch(DAY + 9);
    make_room(&mut store, 2 * 1024 * 1024);
    let after = store.stats();
    assert!((1500..4000).contains(&after.entries), "{after:?}");
    assert!(after.bytes < before.bytes, "the disk has the room again");
    let has = |store: &mut Store, n| store.get_many(&[key(n)], DAY + 9)[0].is_some();
    assert!(has(&mut store, 7), "it was used last");
    assert!(!has(&mut store, 8), "it was used first");
    assert!(has(&mut store, 9_999) || has(&mut store, 9_998), "the newest stay");

    for part in entries.chunks(1000) {
        store.put_many(part, DAY + 10);
        tidy(&mut store);
    }
    assert!(store.stats().entries < 9_000, "the limit holds for what comes later");
}

#[test]
fn a_cache_that_is_only_read_keeps_all_whatever_its_limit() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    store.set_mode(Mode::Read);
    make_room(&mut store, 1);
    assert_eq!(store.stats().entries, 1);
}

#[test]
fn a_cleared_cache_gives_its_room_back() {
    let folder = Folder::new();
    let mut store = folder.open();
    let long = "x".repeat(2000);
    let entries: Vec<_> = (0..2000).map(|n| entry(n, &long)).collect();
    store.put_many(&entries, DAY);
    assert!(store.stats().bytes > 4_000_000);
    assert_eq!(store.clear(&Filter::default()), Some(2000));
    assert!(store.stats().bytes < 200_000, "{:?}", store.stats());
}

/// Sets the limit and does all that follows.
fn make_room(store: &mut Store, limit: u64) {
    store.set_limit(limit);
    tidy(store);
}

const MB: u64 = 1024 * 1024;

#[test]
fn four_processes_keep_to_a_small_limit_and_to_what_was_used_last() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(300);
    // Two months ago, a month ago, and a month ago but used today.
    for (first, day) in [(0, DAY - 60), (1000, DAY - 30), (2000, DAY - 30)] {
        let entries: Vec<_> = (first..first + 1000).map(|n| entry(n, &text)).collect();
        store.put_many(&entries, day);
    }
    let used: Vec<_> = (2000..3000).map(key).collect();
    store.get_many(&used, DAY);
    store.touch(DAY);
    drop(store);

    let limit = 2 * MB;
    let fill = |n: usize| format!("fill {} 1500 {limit}", 10_000 * (n + 1));
    let children: Vec<_> =
        (0..4).map(|n| command(&[], &fill(n), &folder.file()).spawn().unwrap()).collect();
    for child in children {
        let said = said(child);
        let (most, state) = said.split_once(' ').unwrap();
        assert_eq!(state, "Ok");
        // Four pages may be under way while one of the four makes room.
        let most: u64 = most.parse().unwrap();
        assert!(most <= limit + MB / 4, "{most}");
    }
    let left = |first: usize| {
        let keys: Vec<_> = (first..first + 1000).map(key).collect();
        folder.open().get_many(&keys, DAY).into_iter().flatten().count()
    };
    assert_eq!((left(0), left(1000)), (0, 0), "what was used before today goes first");
    let stats = folder.open().stats();
    assert!(stats.entries > 1500, "no more than needed: {stats:?}");
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
}

#[test]
fn what_was_used_today_stays_while_something_older_is_there() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(300);
    let entries: Vec<_> = (0..4000).map(|n| entry(n, &text)).collect();
    store.put_many(&entries, DAY - 30);
    let used: Vec<_> = (0..1000).map(key).collect();
    store.get_many(&used, DAY);
    store.touch(DAY);
    let limit = folder.pages().unsigned_abs() * 4096 / 3 * 2;
    make_room(&mut store, limit);
    assert_eq!(store.get_many(&used, DAY).into_iter().flatten().count(), 1000);
    assert!(store.stats().entries < 3000);
    assert!(std::fs::metadata(folder.file()).unwrap().len() <= limit);
}

#[test]
fn an_entry_from_the_future_is_as_old_as_today() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(300);
    let entries: Vec<_> = (0..4000).map(|n| entry(n, &text)).collect();
    store.put_many(&entries[..3000], DAY + 50_000);
    store.put_many(&entries[3000..], DAY);
    store.get_many(&[key(3000)], DAY);
    drop(store);
    // Opened on a day that is before them.
    let mut store = folder.open();
    make_room(&mut store, MB / 2);
    let left: Vec<_> = (0..4000).map(key).collect();
    let left = store.get_many(&left, DAY);
    let of_today = left[3000..].iter().flatten().count();
    assert!(of_today < 1000, "those of today go as well as those of the future");
}

#[test]
fn room_is_made_in_many_short_writes() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(300);
    let entries: Vec<_> = (0..10_000).map(|n| entry(n, &text)).collect();
    store.put_many(&entries, DAY);
    store.set_limit(2 * MB);
    // What another host sees after each step, and that it may write then. Pages
    // that only say where others are go with them.
    let seen = || (folder.number("SELECT count(*) FROM translation"), folder.pages());
    let mut before = seen();
    let mut steps = 0;
    while store.tidy() {
        folder.sql("BEGIN IMMEDIATE; ROLLBACK");
        let now = seen();
        assert!(before.0 - now.0 <= 500 && before.1 - now.1 <= 510, "{before:?} {now:?}");
        steps += i32::from(now.0 < before.0);
        before = now;
    }
    assert!(steps > 5, "{steps}");
    assert!(folder.pages().unsigned_abs() * 4096 <= 2 * MB, "{}", folder.pages());
}

#[test]
fn what_was_translated_too_long_ago_serves_nobody_and_goes() {
    let folder = Folder::new();
    let mut store = folder.open();
    for (n, age) in [(1, 31), (2, 30), (3, 0), (4, -9)] {
        store.put_many(&[entry(n, "x")], DAY - age);
    }
    // It was used all the time: what counts is when it was translated.
    store.get_many(&[key(1)], DAY);
    store.touch(DAY);
    let serve = |store: &mut Store| {
        let found = store.get_many(&[1, 2, 3, 4].map(key), DAY);
        found.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    assert_eq!(serve(&mut store), [true; 4]);
    store.set_mode(Mode::Read);
    store.set_max_days(Some(30), DAY);
    tidy(&mut store);
    assert_eq!(serve(&mut store), [false, true, true, true]);
    let wish = Wish { source: "source".into(), target: "ko".into(), site: None };
    assert_eq!(store.find_texts(&[wish], DAY)[0].len(), 3);
    assert_eq!(store.look(&[key(1)], DAY * 86_400_000), [Claim::Free], "it is asked for anew");
    assert_eq!(store.stats().entries, 4, "a reader who only reads deletes nothing");

    store.set_mode(Mode::On);
    store.set_max_days(Some(30), DAY);
    tidy(&mut store);
    assert_eq!(store.stats().entries, 3);
    store.put_many(&[entry(5, "x")], DAY + 1);
    tidy(&mut store);
    assert_eq!(store.stats().entries, 3, "with the next day the next one went");
    store.set_max_days(None, DAY + 1);
    tidy(&mut store);
    store.put_many(&[entry(6, "x")], DAY + 900);
    tidy(&mut store);
    assert_eq!(store.stats().entries, 4);
}

#[test]
fn many_old_entries_go_and_what_was_translated_anew_stays() {
    let folder = Folder::new();
    let mut store = folder.open();
    let entries: Vec<_> = (0..3000).map(|n| entry(n, "x")).collect();
    store.put_many(&entries, DAY - 100);
    store.put_many(&entries[..10], DAY);
    store.set_max_days(Some(99), DAY);
    tidy(&mut store);
    assert_eq!(store.stats().entries, 10);
    assert!(std::fs::metadata(folder.file()).unwrap().len() < MB / 4);
}
