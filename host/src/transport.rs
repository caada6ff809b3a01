//! The only reader of stdin and the only writer of stdout.
//!
//! Two threads carry frames between the browser's pipes and the session's
//! channels; a third watches for a hang-up, so that the end is seen even while
//! no frame is taken. Descriptor 1 is taken away at the start and points to
//! stderr afterwards: a stray byte of a library would cut the connection.
//! Nothing here knows what a frame means.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc as threads;
use std::thread;

use tokio::sync::{Notify, mpsc};

use crate::framing::{self, FrameError};

/// Above this many bytes of unsent frames the session starts nothing new.
pub const MAX_UNSENT_BYTES: usize = 4 * 1024 * 1024;

/// Frames that wait between the reader and the session; together with the one
/// that the reader holds, at most 24 MiB can be there.
const INCOMING_FRAMES: usize = 2;

/// What comes from the browser.
#[derive(Debug)]
pub enum Incoming {
    /// One frame's body.
    Frame(Vec<u8>),
    /// A prefix above the limit; nothing follows.
    TooLarge(u32),
    /// The end of the stream, or it broke.
    End,
}

/// Whether one of the browser's pipes has closed.
#[derive(Clone, Default)]
pub struct HangUp(Arc<Notify>);

impl HangUp {
    /// Returns when a pipe has closed; frames that came before may still wait.
    pub async fn seen(&self) {
        self.0.notified().await;
    }

    fn tell(&self) {
        self.0.notify_one();
    }
}

/// The way to the browser: takes frames at once, and counts what is unsent.
#[derive(Clone)]
pub struct Outbox {
    frames: threads::Sender<Vec<u8>>,
    gauge: Arc<Gauge>,
}

#[derive(Default)]
struct Gauge {
    unsent: AtomicUsize,
    room: Notify,
}

/// The other end of an [`Outbox`]: what a writer takes from.
pub struct Unsent {
    frames: threads::Receiver<Vec<u8>>,
    gauge: Arc<Gauge>,
}

/// Returns an outbox and its other end.
#[must_use]
pub fn outbox() -> (Outbox, Unsent) {
    let (sender, receiver) = threads::channel();
    let gauge = Arc::new(Gauge::default());
    (Outbox { frames: sender, gauge: gauge.clone() }, Unsent { frames: receiver, gauge })
}

impl Outbox {
    /// Queues one frame's body. When the browser has gone it is dropped: the
    /// hang-up is told elsewhere.
    pub fn send(&self, body: Vec<u8>) {
        let length = body.len();
        self.gauge.unsent.fetch_add(length, Ordering::AcqRel);
        if self.frames.send(body).is_err() {
            self.gauge.unsent.fetch_sub(length, Ordering::AcqRel);
        }
    }

    /// Whether new work may be started.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.unsent() <= MAX_UNSENT_BYTES
    }

    /// Bytes that wait for the browser.
    #[must_use]
    pub fn unsent(&self) -> usize {
        self.gauge.unsent.load(Ordering::Acquire)
    }

    /// Returns when something was sent.
    pub async fn moved(&self) {
        self.gauge.room.notified().await;
    }
}

impl Unsent {
    /// Waits for the next frame; none when every outbox is gone.
    #[must_use]
    pub fn next(&self) -> Option<Vec<u8>> {
        self.frames.recv().ok()
    }

    /// Says that a frame of this length has left.
    pub fn sent(&self, length: usize) {
        self.gauge.unsent.fetch_sub(length, Ordering::AcqRel);
        self.gauge.room.notify_one();
    }
}

/// The browser's side of a session.
pub struct Transport {
    /// Frames from the browser.
    pub incoming: mpsc::Receiver<Incoming>,
    /// Frames to the browser.
    pub outbox: Outbox,
    /// The end of either pipe.
    pub hang_up: HangUp,
}

/// Takes stdin and stdout, and starts the threads that carry frames.
///
/// # Errors
/// What the system answers when descriptors or threads cannot be had.
pub fn start() -> io::Result<Transport> {
    let stdout = take_stdout()?;
    let watched = stdout.try_clone()?;
    let (sender, incoming) = mpsc::channel(INCOMING_FRAMES);
    let (outbox, unsent) = outbox();
    let hang_up = HangUp::default();
    thread::Builder::new().name("stdin".into()).spawn(move || read(&sender))?;
    let writer_end = hang_up.clone();
    thread::Builder::new().name("stdout".into()).spawn(move || {
        write(&unsent, stdout);
        writer_end.tell();
    })?;
    let reader_end = hang_up.clone();
    thread::Builder::new().name("hang-up".into()).spawn(move || {
        wait_for_hang_up(&watched);
        reader_end.tell();
    })?;
    Ok(Transport { incoming, outbox, hang_up })
}

fn read(to: &mpsc::Sender<Incoming>) {
    let mut stdin = io::stdin().lock();
    loop {
        let (next, last) = match framing::read_frame(&mut stdin) {
            Ok(Some(frame)) => (Incoming::Frame(frame), false),
            Err(FrameError::TooLarge(length)) => (Incoming::TooLarge(length), true),
            Ok(None) | Err(FrameError::Cut) => (Incoming::End, true),
            Err(FrameError::Io(error)) => {
                tracing::warn!(%error, "stdin");
                (Incoming::End, true)
            }
        };
        if to.blocking_send(next).is_err() || last {
            return;
        }
    }
}

/// Writes until the browser closes the pipe or every outbox is gone.
fn write(unsent: &Unsent, mut stdout: File) {
    while let Some(frame) = unsent.next() {
        if let Err(error) = framing::write_frame(&mut stdout, &frame) {
            if error.kind() != io::ErrorKind::BrokenPipe {
                tracing::warn!(%error, "stdout");
            }
            return;
        }
        unsent.sent(frame.len());
    }
}

/// Moves stdout to a private descriptor and points descriptor 1 at stderr.
#[cfg(unix)]
fn take_stdout() -> io::Result<File> {
    let private = rustix::io::dup(io::stdout())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(private))
}

/// Returns a handle of stdout; nothing else in this program writes to it.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// Returns when the writing end of stdin or the reading end of stdout has
/// closed, whether or not all was read.
#[cfg(unix)]
fn wait_for_hang_up(stdout: &File) {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = io::stdin();
    loop {
        let mut watched =
            [PollFd::new(&stdin, PollFlags::empty()), PollFd::new(stdout, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) if watched.iter().any(|end| !end.revents().is_empty()) => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::warn!(%error, "watching the pipes");
                return;
            }
        }
    }
}

/// Elsewhere the reader alone sees the end; it does so as soon as it reads.
#[cfg(not(unix))]
fn wait_for_hang_up(_stdout: &File) {
    loop {
        thread::park();
    }
}
