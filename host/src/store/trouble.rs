//! What is done when the file cannot be used, and when it can be again.
//!
//! The reader is told each kind of trouble once. The file is tried again with
//! each write; one that is left alone for what it is, only when another stands in
//! its place, and a folder that was deleted, only when it is there again. What the
//! memory took meanwhile goes into the file then.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::file::{Fault, Identity};
use super::notice::Trouble;
use super::{Mode, State, Store, WRITE_TRIES, open, schema, tables};

/// How long one piece of what is taken over of a damaged file may take.
const PIECE: Duration = Duration::from_millis(20);

/// Why this host is alone with its memory, as far as it bears on another try.
#[derive(Debug, Default)]
pub(super) struct Alone {
    /// The file that is left alone.
    left: Option<Identity>,
    /// Whether the folder was deleted.
    lost_folder: bool,
}

impl Store {
    /// Opens the file. `seen` is the damaged file that this process had open:
    /// if another stands there by now, somebody has already moved it aside.
    pub(super) fn attach(&mut self, seen: Option<Identity>) {
        self.file = None;
        self.alone = Alone::default();
        match open::open(&self.path, seen) {
            Ok(opened) => {
                for news in opened.news {
                    self.notices.add(news.code, &news.message, "");
                }
                if opened.salvage.is_some() {
                    self.salvage = opened.salvage;
                }
                self.file = Some(opened.file);
                match opened.fault {
                    None => self.is_well(),
                    Some(trouble) => self.fall_back(&trouble),
                }
            }
            Err(trouble) => {
                if trouble.lasts() {
                    self.alone.left = Identity::of(&self.path);
                }
                self.fall_back(&trouble);
            }
        }
    }

    /// Goes on in memory and says so, once.
    fn fall_back(&mut self, trouble: &Trouble) {
        let reason = trouble.words();
        self.notices.add(trouble.code, &reason, trouble.hint);
        self.state = State::Memory { reason };
    }

    /// The file takes writes, and the memory has nothing that it has not: says so,
    /// if the reader was told otherwise. While some of it is left, a small write
    /// that finds room says nothing of the others.
    fn is_well(&mut self) {
        let was_away = matches!(self.state, State::Memory { .. });
        if was_away && self.memory.is_some() {
            return;
        }
        if was_away && !self.notices.is_silent() {
            let file = self.path.display();
            let message = format!(
                "the cache {file} can be written again, and what was translated meanwhile is in it"
            );
            self.notices.add("cache_back", &message, "");
        }
        self.state = State::Ok;
    }

    /// Moves what only the memory has into the file, which has just been written.
    pub(super) fn bring_back(&mut self) {
        let (Some(file), Some(memory)) = (&mut self.file, &mut self.memory) else { return };
        if file.is_limited {
            return;
        }
        match tables::move_all(memory, &mut file.connection) {
            Ok(()) => {
                self.memory = None;
                self.is_well();
            }
            // It stays in memory and is tried again with the next write.
            Err(error) => tracing::debug!(%error, "the memory keeps what it has"),
        }
    }

    /// Ends what this host has to do with the file. It is given what only the
    /// memory has; and who closes it last writes the journal back, so that a copy
    /// of the file alone is whole.
    pub fn close(&mut self) {
        self.follow(true);
        self.bring_back();
        self.leave();
        self.file = None;
    }

    /// Takes over a piece of a damaged file; false when there is nothing to do.
    pub fn go_on(&mut self) -> bool {
        let goes_on = self.salvage.as_mut().is_some_and(|rest| rest.go_on(Instant::now() + PIECE));
        if !goes_on {
            self.salvage = None;
        }
        goes_on
    }

    /// Runs `work` on the file, with what a fault asks for: patience, a new
    /// file, or the memory.
    pub(super) fn on_file<T>(
        &mut self,
        work: &mut impl FnMut(&mut Connection) -> rusqlite::Result<T>,
        writing: bool,
    ) -> Result<T, ()> {
        let mut mended = false;
        let mut tries = 0;
        loop {
            let Some(file) = self.file.as_mut() else { return Err(()) };
            let worked = work(&mut file.connection);
            let changed = file.still.as_ref().is_some_and(|still| !still.holds(&self.path));
            tries += 1;
            let fault = match worked {
                // It was written while it was read as one that never is.
                _ if changed && tries < WRITE_TRIES => {
                    self.attach(None);
                    continue;
                }
                _ if changed => return Err(()),
                Ok(done) => {
                    if writing && !file.is_limited {
                        self.is_well();
                    }
                    return Ok(done);
                }
                Err(error) => Fault::of(&error),
            };
            match fault {
                Fault::Busy if tries < WRITE_TRIES => {}
                Fault::Damaged if !mended => {
                    mended = true;
                    let seen = file.identity;
                    self.attach(seen);
                }
                Fault::Busy => return Err(()),
                fault => {
                    self.fall_back(&fault.trouble(&self.path));
                    return Err(());
                }
            }
        }
    }

    /// Follows the file's name: another host may have moved a damaged file
    /// aside, or the reader may have deleted it. A file without a name would
    /// be written to and read by nobody else. A write tries again what could not
    /// be used.
    pub(super) fn follow(&mut self, writing: bool) {
        if self.mode == Mode::Off {
            return;
        }
        let there = Identity::of(&self.path);
        let again = match &self.file {
            // A newer version may have brought it up to date meanwhile.
            Some(file) if file.identity == there && there.is_some() => {
                writing && (file.is_limited || schema::is_newer(&file.connection))
            }
            Some(_) => true,
            None => writing && (self.alone.left.is_none() || self.alone.left != there),
        };
        if !again {
            return;
        }
        if self.path.parent().is_some_and(Path::is_dir) {
            self.attach(None);
        } else if !self.alone.lost_folder {
            self.file = None;
            self.alone.lost_folder = true;
            let folder = self.path.parent().unwrap_or(&self.path).display();
            let sentence = format!("the folder of the cache, {folder}, was deleted");
            let hint = "Make the folder again, or start the browser again.";
            self.fall_back(&Trouble::new("cache_folder_gone", sentence, hint));
        }
    }
}
