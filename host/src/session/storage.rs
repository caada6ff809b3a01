//! The store on a thread of its own: a busy file never holds up the session.
//!
//! Work is done in the order in which it was handed in, so that what was
//! stored is found by the look-up after it. What the reader should know is told
//! after the work that met it: never before the greeting, which is the first.

use std::sync::mpsc::{self, TryRecvError};
use std::thread;

use crate::store::{Notice, Store};

type Work = Box<dyn FnOnce(&mut Store) + Send>;

/// The way to the store.
pub struct Storage {
    work: mpsc::Sender<Work>,
}

impl Storage {
    /// Opens the store on a new thread. `tell` gets what the reader should know.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(
        open: impl FnOnce() -> Store + Send + 'static,
        tell: impl Fn(Notice) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (work, todo) = mpsc::channel::<Work>();
        thread::Builder::new().name("store".into()).spawn(move || {
            let mut store = open();
            while let Some(work) = next(&todo, &mut store) {
                work(&mut store);
                std::iter::from_fn(|| store.take_notice()).for_each(&tell);
            }
        })?;
        Ok(Self { work })
    }

    /// Hands work in. It is lost only if the store's thread has panicked, and
    /// then the process ends with it.
    pub fn run(&self, work: impl FnOnce(&mut Store) + Send + 'static) {
        if self.work.send(Box::new(work)).is_err() {
            tracing::error!("the store's thread is gone");
        }
    }
}

/// Returns the next work, none when there will be no more. While there is none,
/// the store goes on with what it has to do by itself, and is tidied, in steps that
/// hardly hold up what comes meanwhile.
fn next(todo: &mpsc::Receiver<Work>, store: &mut Store) -> Option<Work> {
    loop {
        match todo.try_recv() {
            Ok(work) => return Some(work),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if store.go_on() || store.tidy() => {}
            Err(TryRecvError::Empty) => return todo.recv().ok(),
        }
    }
}
