//! Who holds claims: a host that is alive holds the OS lock on a file of its own.
//!
//! Who can take that lock knows that the host is gone, however it ended. The
//! files stand in one folder beside the store's file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::paths::private_dir;

/// A younger file may be that of a host which is about to take its lock.
const YOUNG: Duration = Duration::from_secs(60 * 60);

/// A host, as others see it. Its lock goes with it.
#[derive(Debug)]
pub(super) struct Owner {
    name: String,
    /// None where no lock can be had: then its claims run out by time alone.
    _lock: Option<File>,
    path: PathBuf,
}

impl Owner {
    /// Makes this process known beside the store's file.
    pub(super) fn new(store: &Path) -> Self {
        // Two hosts must not share a name; the hasher's keys are random.
        let name = RandomState::new().hash_one(std::process::id());
        let name = format!("{name:016x}");
        sweep(store);
        let path = file_of(store, &name);
        let lock = path
            .parent()
            .and_then(|dir| private_dir(dir).ok())
            .and_then(|()| {
                OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok()
            })
            .filter(|file| file.try_lock().is_ok());
        Self { name, _lock: lock, path }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // What cannot be removed is removed by the next who finds it free.
        let _ = fs::remove_file(&self.path);
    }
}

/// Tells whether a host is gone; its file is removed then. One without a file has
/// ended in order, or could not have a lock: its claims do not count.
pub(super) fn is_gone(store: &Path, name: &str) -> bool {
    let path = file_of(store, name);
    let Ok(file) = OpenOptions::new().write(true).open(&path) else { return !path.exists() };
    match file.try_lock() {
        Ok(()) => {
            let _ = fs::remove_file(&path);
            true
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

/// Removes what killed hosts left whose claims nobody asked for.
fn sweep(store: &Path) {
    // A file from the future is young.
    let is_old = |file: &fs::DirEntry| {
        let made = file.metadata().and_then(|meta| meta.modified()).ok();
        made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > YOUNG)
    };
    // Best effort: what cannot be read now is swept another time.
    let Ok(files) = fs::read_dir(folder_of(store)) else { return };
    for file in files.flatten().filter(is_old) {
        is_gone(store, &file.file_name().to_string_lossy());
    }
}

fn folder_of(store: &Path) -> PathBuf {
    store.with_file_name("hosts")
}

fn file_of(store: &Path, name: &str) -> PathBuf {
    // Names come out of a file that others write: no path may be made of one.
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    folder_of(store).join(plain)
}
