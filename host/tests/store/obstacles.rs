//! Missing rights, read-only and full disks, and odd umasks: real ones.
//!
//! They need root: to mount, and to become somebody without rights. Without
//! root these tests say so and pass.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Command;

use webtranslator::store::State;

use crate::child::{command, said};
use crate::fixture::{DAY, Folder, entry, has, open, put_one, reason};

const NOBODY: &[&str] = &["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("this test needs root and shows nothing without");
    }
    root
}

/// A file system in memory, unmounted at the end.
struct Mount {
    folder: Folder,
}

impl Mount {
    fn new(options: &str) -> Self {
        let folder = Folder::new();
        let mount = Self { folder };
        mount.run("mount", &["-t", "tmpfs", "-o", options, "tmpfs"]);
        mount
    }

    fn file(&self) -> PathBuf {
        self.folder.file()
    }

    fn run(&self, program: &str, words: &[&str]) {
        let status = Command::new(program).args(words).arg(self.folder.path("")).status();
        assert!(status.expect("it starts").success(), "{program} {words:?}");
    }

    fn fill(&self) {
        let _ = fs::write(self.folder.path("filler"), vec![1; 8 * 1024 * 1024]);
        let error =
            fs::write(self.folder.path("probe"), vec![1; 65536]).expect_err("the disk is full");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "the obstacle is real");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path("")).status();
    }
}

#[test]
fn a_read_only_disk_is_served_from_memory() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=4m");
    mount.run("mount", &["-o", "remount,ro"]);
    assert!(fs::write(mount.folder.path("probe"), "x").is_err(), "the obstacle is real");
    let (mut store, state) = open(&mount.file());
    assert!(reason(&state).contains("cache.db"), "{state:?}");
    assert!(put_one(&mut store, 1) && has(&mut store, 1));
    assert!(store.take_notice().is_some());
    assert!(store.take_notice().is_none());
}

#[test]
fn a_disk_that_becomes_read_only_is_served_from_memory() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=4m");
    {
        let (mut store, state) = open(&mount.file());
        assert_eq!(state, State::Ok);
        put_one(&mut store, 1);
    }
    mount.run("mount", &["-o", "remount,ro"]);
    let (mut store, state) = open(&mount.file());
    assert!(reason(&state).contains("translations are kept in memory"), "{state:?}");
    assert!(has(&mut store, 1), "what is in the file is read");
    assert!(put_one(&mut store, 2) && has(&mut store, 2) && has(&mut store, 1));
    assert_eq!(store.stats().entries, 2);
    assert!(!mount.folder.path("cache.db.damaged").exists());
    assert!(matches!(store.take_notice(), Some(notice) if notice.code != "cache_back"));
    assert_eq!(store.take_notice(), None, "said once");

    // Somebody writes it, who may.
    mount.run("mount", &["-o", "remount,rw"]);
    put_one(&mut open(&mount.file()).0, 3);
    mount.run("mount", &["-o", "remount,ro"]);
    assert!(has(&mut store, 3) && has(&mut store, 1), "it is read as it is now");
    mount.run("mount", &["-o", "remount,rw"]);
    assert!(put_one(&mut store, 4));
    assert_eq!(*store.state(), State::Ok);
    assert!((1..5).all(|n| has(&mut open(&mount.file()).0, n)), "all of it is in the file");
    assert_eq!(store.take_notice().unwrap().code, "cache_back");
}

#[test]
fn a_damaged_file_on_a_read_only_disk_stays_where_it_is() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=4m");
    let text = "x".repeat(300);
    let entries: Vec<_> = (0..500).map(|n| entry(n, &text)).collect();
    open(&mount.file()).0.put_many(&entries, DAY);
    let mut bytes = fs::read(mount.file()).unwrap();
    let middle = bytes.len() / 8192 * 4096;
    bytes[middle..middle + 40_960].fill(0);
    fs::write(mount.file(), &bytes).unwrap();
    mount.run("mount", &["-o", "remount,ro"]);
    let (mut store, _) = open(&mount.file());
    let keys: Vec<_> = (0..500).map(crate::fixture::key).collect();
    store.get_many(&keys, DAY);
    assert!(put_one(&mut store, 1000) && has(&mut store, 1000));
    assert!(matches!(store.state(), State::Memory { .. }));
    assert!(fs::read(mount.file()).unwrap() == bytes);
}

#[test]
fn a_full_disk_is_served_from_memory_and_said_once() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=2m");
    let (mut store, state) = open(&mount.file());
    assert_eq!(state, State::Ok);
    put_one(&mut store, 1);
    mount.fill();
    let long = "x".repeat(3000);
    for n in 0..200 {
        assert_eq!(store.put_many(&[entry(1000 + n, &long)], DAY), 1);
    }
    assert!(reason(store.state()).contains("disk is full"), "{:?}", store.state());
    assert!(store.take_notice().unwrap().message.contains("disk is full"));
    assert!(put_one(&mut store, 2) && has(&mut store, 2));
    assert!(has(&mut store, 1), "what is in the file can still be read");
    assert!(store.take_notice().is_none(), "said once");

    fs::remove_file(mount.folder.path("filler")).unwrap();
    assert!(put_one(&mut store, 3));
    assert_eq!(*store.state(), State::Ok, "there is room again");
    let mut other = open(&mount.file()).0;
    assert!(has(&mut other, 3) && has(&mut other, 2), "what the memory took is in the file");
    let keys: Vec<_> = (1000..1200).map(crate::fixture::key).collect();
    assert_eq!(other.get_many(&keys, DAY).iter().flatten().count(), 200);
    assert_eq!(store.take_notice().unwrap().code, "cache_back");
}

#[test]
fn a_disk_that_is_full_from_the_start_is_served_from_memory() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=1m");
    mount.fill();
    let (mut store, state) = open(&mount.file());
    assert!(reason(&state).contains("translations are kept in memory"), "{state:?}");
    assert!(put_one(&mut store, 1) && has(&mut store, 1));
    fs::remove_file(mount.folder.path("filler")).unwrap();
    assert!(put_one(&mut store, 2));
    assert_eq!(*store.state(), State::Ok, "there is room");
    assert!(has(&mut open(&mount.file()).0, 1));
}

#[test]
fn a_folder_without_rights_is_served_from_memory() {
    if !is_root() {
        return;
    }
    let folder = Folder::new();
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let said = said(command(NOBODY, "try 1", &folder.file()).spawn().unwrap());
    assert!(said.contains("obstacle true, stored true, found true"), "{said}");
    assert!(said.contains("Memory") && said.contains("cannot be opened"), "{said}");
    assert!(said.ends_with("None]"), "said once: {said}");
}

#[test]
fn a_file_that_may_only_be_read_is_not_written() {
    if !is_root() {
        return;
    }
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o644)).unwrap();
    let said = said(command(NOBODY, "try 2", &folder.file()).spawn().unwrap());
    assert!(said.contains("obstacle true, stored true, found true"), "{said}");
    assert!(said.contains("Memory"), "{said}");
    assert!(said.contains("read true"), "what others wrote is read: {said}");
    assert!(!has(&mut folder.open(), 2));
}

#[test]
fn a_file_without_the_right_to_read_it_is_served_from_memory() {
    if !is_root() {
        return;
    }
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o600)).unwrap();
    let said = said(command(NOBODY, "try 2", &folder.file()).spawn().unwrap());
    assert!(said.contains("stored true, found true, read false"), "{said}");
    assert!(said.contains("Memory") && said.contains("cannot be opened"), "{said}");
    assert!(has(&mut folder.open(), 1), "nothing happened to it");
}

#[test]
fn folder_and_files_are_the_readers_alone_whatever_the_umask() {
    if !is_root() {
        return;
    }
    for umask in ["000", "077", "027", "777"] {
        let folder = Folder::new();
        let file = folder.path("data/cache.db");
        chown(folder.path(""), Some(65534), Some(65534)).unwrap();
        let script = format!("umask {umask}; exec \"$0\" \"$@\"");
        let before: Vec<&str> = NOBODY.iter().copied().chain(["sh", "-c", &script]).collect();
        let said = said(command(&before, "write 0 1", &file).spawn().unwrap());
        assert_eq!(said, "1 1 Ok", "umask {umask}");
        let mode = |path: &str| fs::metadata(folder.path(path)).map(|meta| meta.mode() & 0o777);
        assert_eq!(mode("data").unwrap(), 0o700, "umask {umask}");
        assert_eq!(mode("data/cache.db").unwrap(), 0o600, "umask {umask}");
        assert_eq!(mode("data/cache.db.lock").unwrap(), 0o600, "umask {umask}");
    }
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    for end in ["-wal", "-shm"] {
        let meta = fs::metadata(folder.path(&format!("cache.db{end}"))).unwrap();
        assert_eq!(meta.mode() & 0o777, 0o600, "{end}");
    }
}

#[test]
fn rights_of_others_are_taken_from_a_file_that_is_there() {
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(has(&mut folder.open(), 1));
    assert_eq!(fs::metadata(folder.file()).unwrap().mode() & 0o777, 0o600);
}
