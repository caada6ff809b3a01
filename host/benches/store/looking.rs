//! Looking up: the store and the whole host against bare SELECTs, and a million
//! entries against ten thousand.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use webtranslator::segment::Key;
use webtranslator::store::Store;

use crate::filled::{Filled, PAGE, raw};
use crate::page::{Inside, Piped, walk};
use crate::{Table, best, microseconds};

const SELECT: &str = "SELECT translation, engine FROM translation WHERE key = ?1";
/// Far from today, so that nothing is noted as used.
const DAY: i64 = 20_000;

pub fn one_page(table: &mut Table, page: &Filled, turns: usize) {
    let mut file = raw(&page.path());
    let mut store = page.store();
    let (inside, host) = (Inside::start(&page.home), Piped::start(&page.home));
    let mut id = 0;
    let [bare, many, inside, piped, busy] = best(turns, || {
        id += 1;
        let before = host.busy();
        [
            bare_loop(&mut file, &page.keys),
            get_many(&mut store, &page.keys),
            walk(&inside, &page.texts, id),
            walk(&host, &page.texts, id),
            host.busy().saturating_sub(before),
        ]
    });
    Table::figure(&format!("bare SELECTs of {PAGE} texts, {}", microseconds(bare)), 1.0, "×");
    table.twice("get_many over them", many, bare);
    table.twice("the host, frame in to frame out, over them", inside, bare);
    table.twice("the same over pipes", piped, bare);
    let name = format!("  processor time of all its threads, {}", microseconds(busy));
    Table::figure(&name, crate::ratio(busy, bare), "×");
}

pub fn among_many(table: &mut Table, page: &Filled, million: &Filled, turns: usize) {
    let (mut few, mut many) = (page.store(), million.store());
    let (mut bare_few, mut bare_many) = (raw(&page.path()), raw(&million.path()));
    let (host_few, host_many) = (Piped::start(&page.home), Piped::start(&million.home));
    let mut id = 0;
    let took = best(turns, || {
        id += 1;
        [
            get_many(&mut few, &page.keys),
            get_many(&mut many, &page.keys),
            singly(&mut few, &page.keys),
            singly(&mut many, &page.keys),
            bare_loop(&mut bare_few, &page.keys),
            bare_loop(&mut bare_many, &page.keys),
            walk(&host_few, &page.texts, id),
            walk(&host_many, &page.texts, id),
        ]
    });
    table.twice("a look-up among 1,000,000 over among 10,000", took[3], took[2]);
    // Without a bound: among 10,000 entries such a page reads each page of the file
    // once, for several of its texts; among 1,000,000 each text has its own.
    let at_once = crate::ratio(took[1], took[0]);
    Table::figure(&format!("  {PAGE} in one read, the same"), at_once, "×");
    Table::figure("  bare SELECTs, the same", crate::ratio(took[5], took[4]), "×");
    table.twice("a page through the host, the same", took[7], took[6]);
}

fn bare_loop(file: &mut Connection, keys: &[Key]) -> Duration {
    let started = Instant::now();
    let transaction = file.transaction().unwrap();
    let mut select = transaction.prepare(SELECT).unwrap();
    for key in keys {
        let row = select
            .query_row([key.0], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        black_box(row.unwrap());
    }
    drop(select);
    transaction.commit().unwrap();
    started.elapsed()
}

fn get_many(store: &mut Store, keys: &[Key]) -> Duration {
    let started = Instant::now();
    let found = black_box(store.get_many(keys, DAY));
    let took = started.elapsed();
    assert!(found.iter().all(Option::is_some));
    took
}

fn singly(store: &mut Store, keys: &[Key]) -> Duration {
    let started = Instant::now();
    for key in keys {
        black_box(store.get_many(std::slice::from_ref(key), DAY));
    }
    started.elapsed()
}
