//! Storing: the store against one bare transaction, and how files grow.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use scripted_provider::stand_in;
use tempfile::TempDir;
use webtranslator::segment::Key;
use webtranslator::store::NewEntry;

use crate::filled::{Filled, INSERT, PAGE, fold, raw, store_at};
use crate::{Table, best, mib, microseconds};

const DAY: i64 = 20_000;
/// About as many come back from one call.
const BATCH: usize = 40;
const ENGINE: &str = "gemini|a.example:443|a-model|p1|";

pub fn compared(table: &mut Table, page: &Filled, turns: usize) {
    let translations: Vec<String> = page.texts.iter().map(|t| stand_in::stand_in(t)).collect();
    let entries: Vec<NewEntry<'_>> = page
        .keys
        .iter()
        .zip(&page.texts)
        .zip(&translations)
        .map(|((key, source), translation)| entry(*key, source, translation))
        .collect();
    let [bare, at_once, in_batches] =
        best(turns, || [bare(&entries), put(&entries, PAGE), put(&entries, BATCH)]);
    Table::figure(&format!("bare INSERTs of {PAGE} texts, {}", microseconds(bare)), 1.0, "×");
    table.twice("put_many over them", at_once, bare);
    let name = format!("  in batches of {BATCH}, {}", microseconds(in_batches));
    Table::figure(&name, crate::ratio(in_batches, bare), "×");
}

fn entry<'a>(key: Key, source: &'a str, translation: &'a str) -> NewEntry<'a> {
    NewEntry {
        key,
        source,
        translation,
        source_language: "en",
        target_language: "ko",
        engine: ENGINE,
        site: Some("example.org"),
    }
}

fn put(entries: &[NewEntry<'_>], batch: usize) -> Duration {
    let folder = TempDir::new().unwrap();
    let mut store = store_at(&folder.path().join("cache.db"));
    let started = Instant::now();
    for batch in entries.chunks(batch) {
        assert_eq!(store.put_many(batch, DAY), batch.len());
    }
    started.elapsed()
}

fn bare(entries: &[NewEntry<'_>]) -> Duration {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("cache.db");
    drop(store_at(&path));
    let mut file = raw(&path);
    let started = Instant::now();
    insert(&mut file, entries);
    started.elapsed()
}

fn insert(file: &mut Connection, entries: &[NewEntry<'_>]) {
    let transaction = file.transaction().unwrap();
    let mut insert = transaction.prepare(INSERT).unwrap();
    for e in entries {
        let languages = (e.source_language, e.target_language);
        let row =
            (e.key.0, e.source, e.translation, languages.0, languages.1, e.engine, e.site, DAY);
        insert.execute(row).unwrap();
    }
    drop(insert);
    transaction.commit().unwrap();
}

/// What an entry takes in the file, and what the journal came to meanwhile.
pub fn growth(page: &Filled, million: &Filled) {
    for filled in [page, million] {
        let file = raw(&filled.path());
        let (entries, texts): (u32, f64) = file
            .query_row(
                "SELECT count(*), avg(octet_length(source) + octet_length(translation)) \
                 FROM translation",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .unwrap();
        let bytes = std::fs::metadata(filled.path()).unwrap().len();
        let name = format!("{entries} entries, {:.1} MiB: bytes an entry", mib(bytes));
        let name = format!("{name}, {texts:.0} of them text");
        let each = mib(bytes) * 1024.0 * 1024.0 / f64::from(entries);
        Table::figure(&name, each, "B");
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("cache.db");
    let mut store = store_at(&path);
    let translations: Vec<String> = page.texts.iter().map(|t| stand_in::stand_in(t)).collect();
    let mut most = 0;
    for at in (0..PAGE).step_by(BATCH) {
        let batch: Vec<NewEntry<'_>> = (at..PAGE.min(at + BATCH))
            .map(|n| entry(page.keys[n], &page.texts[n], &translations[n]))
            .collect();
        store.put_many(&batch, DAY);
        most = most.max(std::fs::metadata(folder.path().join("cache.db-wal")).unwrap().len());
    }
    Table::figure(&format!("the journal at most, {PAGE} stored in batches"), mib(most), "MiB");
    fold(&raw(&path));
    let wal = std::fs::metadata(folder.path().join("cache.db-wal")).unwrap().len();
    Table::figure("  and when it was written back", mib(wal), "MiB");
}
