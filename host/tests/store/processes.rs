//! Several hosts on one file.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use webtranslator::store::{Filter, State};

use crate::child::{command, said};
use crate::fixture::{DAY, Folder, entry, has, key, put_one};

const HOSTS: usize = 8;

#[test]
fn eight_processes_write_a_thousand_entries_each_and_none_is_lost() {
    let folder = Folder::new();
    let children: Vec<_> = (0..HOSTS)
        .map(|n| command(&[], &format!("write {} 1000", n * 1000), &folder.file()).spawn().unwrap())
        .collect();
    for child in children {
        assert_eq!(said(child), "1000 1000 Ok");
    }
    let mut store = folder.open();
    let keys: Vec<_> = (0..HOSTS * 1000).map(key).collect();
    let found = store.get_many(&keys, DAY);
    assert_eq!(found.iter().flatten().count(), HOSTS * 1000);
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
    assert!(!folder.path("cache.db.damaged").exists(), "busy was taken for damage");
}

/// So often eight processes open one file at the same moment.
const ROUNDS: usize = 50;

/// Starts eight processes and lets all of them open the file of each folder.
fn open_together(folders: &[Folder], mut check: impl FnMut(&Folder, Vec<String>)) {
    let mut children: Vec<_> = (0..HOSTS)
        .map(|n| {
            let mut command = command(&[], &format!("open {n}"), "-".as_ref());
            let mut child = command.stdin(Stdio::piped()).spawn().expect("a host");
            let lines = BufReader::new(child.stdout.take().expect("a host")).lines();
            (child.stdin.take().expect("a host"), lines, child)
        })
        .collect();
    for folder in folders {
        let path = format!("{}\n", folder.file().display());
        for (stdin, ..) in &mut children {
            stdin.write_all(path.as_bytes()).expect("a host");
        }
        let answers = children.iter_mut().map(|(_, lines, _)| {
            loop {
                let line = lines.next().expect("it answers").expect("a host");
                if let Some((_, said)) = line.split_once("child: ") {
                    return said.to_owned();
                }
            }
        });
        let answers = answers.collect();
        check(folder, answers);
    }
    for (stdin, _, mut child) in children {
        drop(stdin);
        assert!(child.wait().expect("a host").success());
    }
}

#[test]
fn eight_processes_make_one_new_file_at_the_same_moment() {
    let folders: Vec<_> = (0..ROUNDS).map(|_| Folder::new()).collect();
    open_together(&folders, |folder, answers| {
        assert!(answers.iter().all(|said| said == "true Ok None"), "{answers:?}");
        let mut store = folder.open();
        assert!((0..HOSTS).all(|n| has(&mut store, n)));
    });
}

#[test]
fn eight_processes_mend_one_damaged_file_once() {
    let whole = Folder::new();
    let text = "x".repeat(300);
    let entries: Vec<_> = (100..200).map(|n| entry(n, &text)).collect();
    whole.open().put_many(&entries, DAY);
    let mut torn = std::fs::read(whole.file()).unwrap();
    // Nothing of the first table is left, so that each of them meets it.
    torn[100..200].fill(0xff);
    let folders: Vec<_> = (0..ROUNDS).map(|_| Folder::new()).collect();
    for (n, folder) in folders.iter().enumerate() {
        let garbage = b"not a database at all, but longer than a header".as_slice();
        std::fs::write(folder.file(), if n % 2 == 0 { &torn } else { garbage }).unwrap();
    }
    open_together(&folders, |folder, answers| {
        assert!(answers.iter().all(|said| said.starts_with("true Ok")), "{answers:?}");
        let mended = answers.iter().filter(|said| said.contains("was damaged")).count();
        assert_eq!(mended, 1, "{answers:?}");
        let mut store = folder.open();
        assert!((0..HOSTS).all(|n| has(&mut store, n)));
    });
}

#[test]
fn a_reader_in_the_way_is_waited_for_and_is_no_damage() {
    // A host that reads, while another writes, and then writes itself.
    let folder = Folder::new();
    let (mut one, mut two) = (folder.open(), folder.open());
    for n in 0..50 {
        assert!(!has(&mut one, n));
        assert!(put_one(&mut two, n));
        assert!(put_one(&mut one, n + 100));
    }
    // Somebody holds the lock for a while.
    let file = folder.file();
    let holder = rusqlite::Connection::open(&file).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        holder.execute_batch("COMMIT").unwrap();
    });
    assert!(put_one(&mut one, 500));
    release.join().unwrap();
    assert!(has(&mut two, 500), "it is in the file, not in the memory");
}

#[test]
fn a_lock_that_is_never_released_costs_patience_and_nothing_else() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    let holder = rusqlite::Connection::open(folder.file()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    assert!(put_one(&mut store, 2), "taken by the memory");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(has(&mut store, 1) && has(&mut store, 2));
    assert_eq!(store.take_notice(), None);
    assert_eq!(*store.state(), State::Ok);
    holder.execute_batch("COMMIT").unwrap();
    assert!(put_one(&mut store, 3));
    assert!(has(&mut folder.open(), 3));
    assert!(!folder.path("cache.db.damaged").exists());
}

#[test]
fn what_a_killed_host_said_it_stored_is_there() {
    let folder = Folder::new();
    let mut beside = folder.open();
    for _ in 0..3 {
        let mut host = command(&[], "stream", &folder.file()).spawn().unwrap();
        let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
        let mut told = 0;
        while told < 300 {
            let line = lines.next().unwrap().unwrap();
            told += usize::from(line.contains("child: "));
        }
        host.kill().unwrap();
        host.wait().unwrap();
        // What it told until it was dead counts as well.
        told += lines.map_while(Result::ok).filter(|line| line.contains("child: ")).count();
        assert!((0..told).all(|n| has(&mut beside, n)), "{told}");
        assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
        beside.clear(&Filter::default());
    }
}
