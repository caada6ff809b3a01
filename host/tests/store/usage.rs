//! What was used: counted by all, kept for a while.

use std::collections::BTreeMap;

use jiff::Timestamp;
use webtranslator::store::{KEPT_DAYS, Mode, Store, UsageRow, View};

use crate::fixture::{DAY, Folder, now};

fn row(day: i64, provider: &str) -> UsageRow {
    UsageRow { day, provider: provider.into(), calls: 1, ..UsageRow::default() }
}

fn failed(day: i64, classes: &[(&str, u64)]) -> UsageRow {
    let by_class = classes.iter().map(|(class, count)| ((*class).to_owned(), *count)).collect();
    UsageRow { by_class, texts: Some(2), ..row(day, "p") }
}

/// A store that is opened on this day.
fn on(folder: &Folder, day: i64) -> Store {
    let now = Timestamp::from_second(day * 86_400 + 5).expect("a time");
    Store::open(&folder.file(), Mode::On, now).0
}

fn days(store: &mut Store) -> Vec<i64> {
    store.usage_since(0).iter().map(|row| row.day).collect()
}

#[test]
fn failures_add_up_by_class_beside_their_row() {
    let folder = Folder::new();
    let (mut one, mut two) = (folder.open(), folder.open());
    one.add_usage(&[failed(DAY, &[("empty", 1)]), row(DAY, "a"), failed(DAY - 1, &[("empty", 9)])]);
    two.add_usage(&[failed(DAY, &[("empty", 2), ("timeout", 1)])]);
    let found = one.usage_since(DAY);
    let mut sum = failed(DAY, &[("empty", 3), ("timeout", 1)]);
    (sum.calls, sum.texts) = (2, Some(4));
    assert_eq!(found, [row(DAY, "a"), sum]);
    let view = View::open(&folder.file()).unwrap().unwrap();
    assert_eq!(view.usage_since(DAY).unwrap(), found, "the command line sees the same");
}

#[test]
fn what_is_not_taken_by_the_file_is_counted_in_memory_with_its_class() {
    let mut store = Store::open("/nowhere".as_ref(), Mode::Off, now()).0;
    store.add_usage(&[failed(DAY, &[("empty", 1)])]);
    store.add_usage(&[failed(DAY, &[("empty", 1)])]);
    let expected: BTreeMap<_, _> = [("empty".to_owned(), 2)].into();
    assert_eq!(store.usage_since(DAY)[0].by_class, expected);
}

#[test]
fn what_is_older_than_is_kept_goes_at_opening() {
    let folder = Folder::new();
    let kept = i64::from(KEPT_DAYS);
    let old = [DAY - kept - 300, DAY - kept].map(|day| failed(day, &[("empty", 1)]));
    folder.open().add_usage(&old);
    folder.open().add_usage(&[failed(DAY - kept + 1, &[("empty", 1)]), row(DAY, "p")]);
    let mut store = folder.open();
    assert_eq!(days(&mut store), [DAY - kept + 1, DAY]);
    assert_eq!(folder.number("SELECT count(*) FROM failure"), 1);
    let before = folder.data_version();
    drop(folder.open());
    assert_eq!(folder.data_version(), before, "an opening that finds nothing old writes nothing");
}

#[test]
fn a_clock_that_jumps_takes_no_usage_away() {
    let folder = Folder::new();
    folder.open().add_usage(&[row(DAY - 10, "p"), row(DAY, "p")]);
    // Ahead: nothing was used under it yet.
    assert_eq!(days(&mut on(&folder, DAY + 9000)), [DAY - 10, DAY]);
    // Back: what is to come is left alone, and counts for its own day.
    let mut store = on(&folder, DAY - 5000);
    store.add_usage(&[row(DAY - 5000, "p")]);
    assert_eq!(days(&mut store), [DAY - 5000, DAY - 10, DAY]);
    drop(store);
    assert_eq!(days(&mut folder.open()), [DAY - 10, DAY], "it is right again");
}

#[test]
fn a_file_that_did_not_count_it_yet_is_read_as_it_is() {
    let folder = Folder::new();
    folder.sql(crate::VERSION_1);
    let view = View::open(&folder.file()).unwrap().unwrap();
    let found = view.usage_since(DAY).unwrap();
    assert_eq!((found.len(), found[0].calls, found[0].cache_hits), (1, 3, 5));
    assert_eq!((found[0].cost_micros, found[0].texts), (None, None));
    assert!(found[0].by_class.is_empty());
    assert_eq!(folder.number("PRAGMA user_version"), 1, "it is not brought up to date");
}

#[test]
fn a_failure_without_its_row_harms_nothing() {
    let folder = Folder::new();
    let mut store = folder.open();
    store.add_usage(&[row(DAY, "p")]);
    folder.sql("INSERT INTO failure VALUES (20000, 'gone', '', 'empty', 3)");
    assert_eq!(store.usage_since(DAY), [row(DAY, "p")]);
}
