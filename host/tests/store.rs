//! The store against real `SQLite` files, real processes and real obstacles.
//!
//! A test that needs several processes starts this binary again: see
//! `store/child.rs`.
#![cfg(unix)]

#[path = "store/child.rs"]
mod child;
#[path = "store/claims.rs"]
mod claims;
#[path = "store/clock.rs"]
mod clock;
#[path = "store/damage.rs"]
mod damage;
#[path = "store/fixture.rs"]
mod fixture;
#[path = "store/limit.rs"]
mod limit;
#[cfg(target_os = "linux")]
#[path = "store/obstacles.rs"]
mod obstacles;
#[path = "store/processes.rs"]
mod processes;
#[path = "store/texts.rs"]
mod texts;
#[path = "store/usage.rs"]
mod usage;
#[path = "store/returning.rs"]
mod returning;
#[path = "store/torn.rs"]
mod torn;

use fixture::{DAY, Folder, entry, key, now, put_one};
use jiff::ToSpan;
use webtranslator::segment::Key;
use webtranslator::store::{Capability, Filter, Mode, NewEntry, State, Store, UsageRow};

#[test]
fn what_was_stored_is_found_by_another_host() {
    let folder = Folder::new();
    let mut first = folder.open();
    assert_eq!(first.put_many(&[entry(1, "하나"), entry(2, "둘")], DAY), 2);
    let mut second = folder.open();
    let found = second.get_many(&[key(2), key(3), key(1)], DAY);
    let texts: Vec<_> = found.iter().map(|e| e.as_ref().map(|e| e.text.as_str())).collect();
    assert_eq!(texts, [Some("둘"), None, Some("하나")]);
    assert_eq!(found[0].as_ref().unwrap().engine, "engine");
    let stats = second.stats();
    assert_eq!((stats.entries, stats.hits, stats.misses), (2, 2, 1));
    assert!(stats.bytes > 0);
}

#[test]
fn a_fresh_translation_replaces_the_entry() {
    let folder = Folder::new();
    let mut store = folder.open();
    store.put_many(&[entry(1, "old")], DAY);
    store.put_many(&[entry(1, "new")], DAY);
    assert_eq!(store.get_many(&[key(1)], DAY)[0].as_ref().unwrap().text, "new");
    assert_eq!(store.stats().entries, 1);
}

#[test]
fn an_empty_translation_is_no_entry() {
    // The row is written past the store, as another version may have.
    let folder = Folder::new();
    let mut store = folder.open();
    assert_eq!(store.put_many(&[entry(1, " \n")], DAY), 0);
    folder.sql(
        "INSERT INTO translation (key, source, translation, source_language, target_language,
         engine, created_day, used_day)
         VALUES (x'00000000000000000000000000000002', 's', '', 'en', 'ko', 'e', 1, 1)",
    );
    let two = Key([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(store.get_many(&[key(1), two], DAY), [None, None]);
}

#[test]
fn the_first_hit_of_a_day_is_noted_afterwards_and_no_other() {
    let folder = Folder::new();
    let mut store = folder.open();
    store.put_many(&[entry(1, "a"), entry(2, "b")], DAY);
    let used = || folder.number("SELECT sum(used_day) FROM translation");
    let changes = |store: &mut Store, day| {
        let before = folder.data_version();
        store.get_many(&[key(1)], day);
        store.touch(day);
        folder.data_version() != before
    };
    assert!(!changes(&mut store, DAY), "the same day writes nothing");
    assert!(changes(&mut store, DAY + 3));
    assert_eq!(used(), 2 * DAY + 3);
    assert!(!changes(&mut store, DAY + 3));
    assert!(!changes(&mut store, DAY + 2), "a clock that went back a day writes nothing");
    assert!(changes(&mut store, DAY), "a day that is far ahead is taken as today");
    assert_eq!(used(), 2 * DAY);
}

#[test]
fn entries_are_forgotten_one_by_one_and_by_filter() {
    let folder = Folder::new();
    let mut store = folder.open();
    let on = |n, site, engine| NewEntry { site: Some(site), engine, ..entry(n, "x") };
    store.put_many(&[on(1, "a", "e"), on(2, "a", "f"), on(3, "b", "e"), on(4, "b", "f")], DAY);
    assert!(store.forget(key(1)));
    assert!(!store.forget(key(1)));
    let site = Filter { site: Some("a".into()), ..Filter::default() };
    assert_eq!(store.clear(&site), Some(1));
    let both = Filter { site: Some("b".into()), engine: Some("e".into()), ..Filter::default() };
    assert_eq!(store.clear(&both), Some(1));
    let unused = Filter { unused_since: Some(DAY), ..Filter::default() };
    assert_eq!(store.clear(&unused), Some(0));
    assert_eq!(store.clear(&Filter::default()), Some(1));
}

#[test]
fn a_refusal_has_an_end() {
    let folder = Folder::new();
    let mut store = folder.open();
    let texts = [Key::of_text("a"), Key::of_text("b")];
    let until = now() + 720.hours();
    store.remember_refusals("engine", &texts[..1], until);
    assert_eq!(store.refused_many("engine", &texts, now()), [true, false]);
    assert_eq!(store.refused_many("other", &texts, now()), [false, false]);
    assert_eq!(store.refused_many("engine", &texts, until), [false, false]);
    drop(store);
    let (_store, _) = Store::open(&folder.file(), Mode::On, until);
    assert_eq!(folder.number("SELECT count(*) FROM refusal"), 0);
}

#[test]
fn a_capability_has_an_end() {
    let folder = Folder::new();
    let mut store = folder.open();
    let found = Capability { feature: "json_schema".into(), value: "dropped".into() };
    store.remember_capability("engine", &found, now() + 1.hour());
    assert_eq!(store.capabilities("engine", now()), std::slice::from_ref(&found));
    assert_eq!(store.capabilities("engine", now() + 1.hour()), []);
    assert_eq!(store.capabilities("other", now()), []);
}

#[test]
fn usage_adds_up_by_day_provider_and_model() {
    let folder = Folder::new();
    let (mut one, mut two) = (folder.open(), folder.open());
    let row = UsageRow {
        day: DAY,
        provider: "p".into(),
        calls: 1,
        input_tokens: 7,
        ..UsageRow::default()
    };
    one.add_usage(std::slice::from_ref(&row));
    two.add_usage(&[row.clone(), UsageRow { day: DAY - 1, ..row.clone() }]);
    let today = one.usage_since(DAY);
    assert_eq!(today, [UsageRow { calls: 2, input_tokens: 14, ..row }]);
    assert_eq!(one.usage_since(DAY - 1).len(), 2);
}

#[test]
fn an_amount_that_is_not_known_takes_nothing_from_the_one_that_is() {
    let folder = Folder::new();
    let mut store = folder.open();
    let row = |cost_micros, saved_micros| UsageRow {
        day: DAY,
        provider: "p".into(),
        cost_micros,
        saved_micros,
        ..UsageRow::default()
    };
    let mut sum = row(None, None);
    let mut expect = |cost, saved, sums| {
        let more = row(cost, saved);
        store.add_usage(std::slice::from_ref(&more));
        sum.add(&more);
        let found = store.usage_since(DAY);
        assert_eq!((found[0].cost_micros, found[0].saved_micros), sums);
        assert_eq!(found[0], sum, "rows are added here as they are there");
    };
    expect(None, None, (None, None));
    expect(Some(0), None, (Some(0), None));
    expect(Some(3), Some(5), (Some(3), Some(5)));
    expect(None, Some(1), (Some(3), Some(6)));
    expect(Some(4), None, (Some(7), Some(6)));
}

/// What the first version wrote: its tables, and a row in each of two.
pub(crate) const VERSION_1: &str = "
CREATE TABLE translation (key BLOB PRIMARY KEY NOT NULL, source TEXT NOT NULL,
    translation TEXT NOT NULL, source_language TEXT NOT NULL, target_language TEXT NOT NULL,
    engine TEXT NOT NULL, site TEXT, created_day INTEGER NOT NULL, used_day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE refusal (engine TEXT NOT NULL, text BLOB NOT NULL, until_s INTEGER NOT NULL,
    PRIMARY KEY (engine, text)) STRICT, WITHOUT ROWID;
CREATE TABLE capability (engine TEXT NOT NULL, feature TEXT NOT NULL, value TEXT NOT NULL,
    until_s INTEGER NOT NULL, PRIMARY KEY (engine, feature)) STRICT, WITHOUT ROWID;
CREATE TABLE usage (day INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
    calls INTEGER NOT NULL, failures INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, characters INTEGER NOT NULL, cache_hits INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model)) STRICT, WITHOUT ROWID;
INSERT INTO translation VALUES (x'00000000000000000000000000000002', 's', 't', 'en', 'ko', 'e',
    NULL, 1, 1);
INSERT INTO usage VALUES (20000, 'p', 'm', 3, 1, 70, 30, 200, 5);
PRAGMA application_id = 0x57546331;
PRAGMA user_version = 1;";

#[test]
fn a_file_of_the_first_version_is_taken_over_with_what_is_in_it() {
    let folder = Folder::new();
    folder.sql(VERSION_1);
    let mut store = folder.open();
    let two = Key([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(store.get_many(&[two], DAY)[0].as_ref().unwrap().text, "t");
    assert_eq!(texts::translations(&mut store, "s"), ["t"]);
    let old = UsageRow {
        day: DAY,
        provider: "p".into(),
        model: "m".into(),
        calls: 3,
        failures: 1,
        input_tokens: 70,
        output_tokens: 30,
        characters: 200,
        cache_hits: 5,
        ..UsageRow::default()
    };
    assert_eq!(store.usage_since(DAY), std::slice::from_ref(&old));
    let more = UsageRow { calls: 1, cost_micros: Some(9), saved_micros: Some(2), ..old.clone() };
    store.add_usage(std::slice::from_ref(&more));
    drop(store);
    let found = folder.open().usage_since(DAY);
    assert_eq!(
        (found[0].calls, found[0].cost_micros, found[0].saved_micros),
        (4, Some(9), Some(2))
    );
    assert_eq!(folder.number("PRAGMA user_version"), 5);
}

#[test]
fn the_readers_mode_is_obeyed() {
    let folder = Folder::new();
    let (mut off, state) = Store::open(&folder.file(), Mode::Off, now());
    assert_eq!(state, State::Off);
    assert!(!put_one(&mut off, 1));
    assert!(!folder.file().exists());

    put_one(&mut folder.open(), 1);
    let (mut read, state) = Store::open(&folder.file(), Mode::Read, now());
    assert_eq!(state, State::Ok);
    assert!(!put_one(&mut read, 2));
    assert!(read.get_many(&[key(1)], DAY)[0].is_some());
    read.touch(DAY + 9);
    assert_eq!(folder.number("SELECT max(used_day) FROM translation"), DAY);

    let row = UsageRow { day: DAY, calls: 1, ..UsageRow::default() };
    off.add_usage(std::slice::from_ref(&row));
    assert_eq!(off.usage_since(DAY), std::slice::from_ref(&row), "counted for this process");
    read.add_usage(&[row]);
    assert_eq!(folder.number("SELECT sum(calls) FROM usage"), 1);

    off.set_mode(Mode::On);
    assert_eq!(*off.state(), State::Ok);
    assert!(off.get_many(&[key(1)], DAY)[0].is_some());
    off.set_mode(Mode::Off);
    assert_eq!(off.get_many(&[key(1)], DAY), [None]);
}

#[test]
fn the_file_is_marked_and_keeps_a_journal_that_shrinks() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    assert_eq!(folder.number("PRAGMA application_id"), 0x5754_6331);
    assert_eq!(folder.number("PRAGMA user_version"), 5);
    assert_eq!(folder.text("PRAGMA journal_mode"), "wal");
    // nothing keeps a reader open between calls, so that the journal is
    // written back and used again.
    let mut reader = folder.open();
    let long = "x".repeat(1000);
    for round in 0..60 {
        let entries: Vec<_> = (0..500).map(|n| entry(round * 500 + n, &long)).collect();
        store.put_many(&entries, DAY);
        reader.get_many(&[key(round)], DAY);
    }
    let wal = std::fs::metadata(folder.path("cache.db-wal")).unwrap().len();
    assert!(wal < 8 * 1024 * 1024, "{wal}");
}
