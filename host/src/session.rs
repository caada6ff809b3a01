//! One stdin–stdout conversation: the one `select!` loop, and what it drives.
//!
//! In reading order: `setup` is what the reader's files say, `configured` one
//! provider of theirs; `stream` is one `id`, `jobs` what is wanted; `admit` →
//! `lookup` (with `reuse`) → `second` → `calls` (with `early`, `verdicts` and `parts`) → `deliver`
//! is the way of one text, `sharing` what other hosts have to do with it; `recall`
//! is what is known before the first call, `account` what calls cost; `correct` is
//! what the reader says instead of a machine; `requests`, `preferences`, `find`,
//! `status`, `usage`, `trial` and `detect` are what is no translation; `core` holds
//! it all together; `storage` carries work to the store's thread.
//!
//! No decision about retries is taken here: that is the queue's.

mod account;
mod admit;
mod around;
mod calls;
pub mod configured;
mod core;
pub mod correct;
mod deliver;
pub mod detect;
mod early;
pub mod find;
mod jobs;
mod lookup;
mod parts;
mod preferences;
mod recall;
mod requests;
mod reuse;
mod second;
pub mod setup;
mod sharing;
mod status;
mod storage;
mod stream;
mod trial;
pub mod usage;
mod verdicts;
pub mod words;

use std::future::Future;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::paths::Paths;
use crate::protocol::Code;
use crate::transport::{HangUp, Incoming, Transport};

use self::core::Core;
use self::setup::Files;

/// Calls in flight may still end within this long after the browser has gone:
/// what was paid for is stored. Chromium kills after two seconds.
const GRACE: Duration = Duration::from_millis(1200);

/// The last frames may take this long to leave.
const FLUSH: Duration = Duration::from_millis(300);

/// Talks with one browser until it goes away or `terminated` is told; returns
/// when everything that was finished is stored.
///
/// # Errors
/// When the system has no thread left for the store.
pub async fn run(
    paths: Paths,
    transport: Transport,
    terminated: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let Transport { mut incoming, outbox, hang_up } = transport;
    let (events, mut happened) = mpsc::unbounded_channel();
    let mut core = Core::new(Files::new(paths), outbox.clone(), events)?;
    let mut ending: Option<Instant> = None;
    let mut no_more_frames = false;
    tokio::pin!(terminated);
    loop {
        let wake = core.advance(ending.is_none());
        if ending.is_some_and(|end| Instant::now() >= end || no_more_frames && core.is_idle()) {
            break;
        }
        let wake = wake.map(|at| Instant::now() + at.saturating_sub(core.now()));
        let wake = wake.into_iter().chain(ending).min();
        tokio::select! {
            biased;
            event = happened.recv() => {
                if let Some(event) = event {
                    core.on_event(event);
                }
            }
            () = hang_up.seen(), if ending.is_none() => ending = Some(Instant::now() + GRACE),
            () = &mut terminated, if ending.is_none() => {
                no_more_frames = true;
                ending = Some(Instant::now() + GRACE);
                core.drop_waiting();
            }
            next = incoming.recv(), if !no_more_frames && outbox.has_room() => match next {
                Some(Incoming::Frame(frame)) => core.on_frame(frame),
                other => {
                    refuse_oversize(&core, other.as_ref());
                    no_more_frames = true;
                    ending.get_or_insert(Instant::now() + GRACE);
                    core.drop_waiting();
                }
            },
            () = outbox.moved(), if !outbox.has_room() => {}
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
        }
    }
    core.close();
    let last = Instant::now() + FLUSH;
    core.flush_second(last).await;
    while outbox.unsent() > 0 && Instant::now() < last {
        // Whether it moved or timed out, the loop's own condition decides.
        let _ = tokio::time::timeout_at(last, outbox.moved()).await;
    }
    Ok(())
}

fn refuse_oversize(core: &Core, last: Option<&Incoming>) {
    if let Some(Incoming::TooLarge(length)) = last {
        let message = format!(
            "a frame of {length} bytes is larger than the {} that are taken",
            crate::framing::MAX_FRAME_FROM_BROWSER
        );
        core.error(None, Code::FrameTooLarge, message, None);
    }
}

pub use crate::store::day_of;

/// Makes a session's transport out of channels: for the command line.
#[must_use]
pub fn in_memory() -> (mpsc::Sender<Incoming>, crate::transport::Unsent, Transport) {
    let (sender, incoming) = mpsc::channel(1);
    let (outbox, unsent) = crate::transport::outbox();
    (sender, unsent, Transport { incoming, outbox, hang_up: HangUp::default() })
}
