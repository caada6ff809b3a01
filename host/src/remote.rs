//! The cache of a household or a team: a Redis-compatible server behind the
//! local store.
//!
//! The only owner of the Redis client. It is a help and never a condition: a
//! look-up has [`PATIENCE`], connecting happens beside it, what is written is
//! written when there is time, and a server that fails again and again is left
//! alone for a while. Nothing that comes from there is believed: an answer is
//! bounded in length, and an entry counts only if it is whole and belongs to
//! the key that was asked for ([`value`]). It knows no queue and no provider.

mod breaker;
mod connection;
mod fault;
mod link;
mod value;

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

use crate::provider;
use crate::segment::Key;
use crate::settings::RemoteAddress;

pub use fault::Fault;
pub use value::Found;

use connection::Connection;
use link::Link;

/// A look-up takes at most this long; a page does not notice it.
const PATIENCE: Duration = Duration::from_millis(50);

/// So many keys go with one look-up; what is beyond is not looked up. A part of
/// a page that the extension sends is a fraction of it.
const MAX_KEYS: usize = 2048;

/// So much may wait to be written; what comes on top is not written.
const QUEUE_BYTES: usize = 1024 * 1024;

/// The same in lists of entries: a call's texts are one.
const QUEUE_LISTS: usize = 256;

/// What one writing carries at most.
const LISTS_AT_ONCE: usize = 16;

/// Where the server is, and what may be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where it is.
    pub address: RemoteAddress,
    /// What all names begin with.
    pub prefix: String,
    /// None where none is needed.
    pub password: Option<provider::Key>,
    /// Why it is not used at all, in words.
    pub trouble: Option<String>,
    /// Whether it is asked.
    pub reads: bool,
    /// Whether it is filled.
    pub writes: bool,
}

impl Config {
    fn is_used(&self) -> bool {
        self.reads && self.trouble.is_none()
    }

    /// Returns the name that an entry has on the server.
    fn name(&self, key: Key) -> String {
        format!("{}{}:{key:?}", self.prefix, value::VERSION)
    }
}

/// How the server is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It answers.
    Ok {
        /// Why it takes no entries, if it takes none.
        reason: Option<String>,
    },
    /// It is not there now; it is tried again by itself.
    Away {
        /// Why.
        reason: String,
    },
    /// It is not used.
    Off {
        /// Why, if the reader did not wish it so.
        reason: Option<String>,
    },
}

/// The way to the server. Its tasks end when this is dropped.
pub struct Remote {
    link: Arc<Link>,
    filler: Filler,
}

impl Remote {
    /// Begins to connect. Needs a running `tokio`.
    #[must_use]
    pub fn start(config: Config) -> Self {
        let (lists, work) = mpsc::channel(QUEUE_LISTS);
        let link = Arc::new(Link::new(config));
        let queued = Arc::new(AtomicUsize::new(0));
        let filler = Filler { link: link.clone(), lists, queued: queued.clone() };
        if link.config().is_used() {
            // The first look-up shall find it connected.
            let _ = link.connection();
            tokio::spawn(fill(Arc::downgrade(&link), work, queued));
        }
        Self { link, filler }
    }

    /// Returns what the reader's files said of it.
    #[must_use]
    pub fn config(&self) -> &Config {
        self.link.config()
    }

    /// Asks for all of these keys in one round trip. None when there is no
    /// connection now, so that nobody waits; else what was found, in the order
    /// of the keys.
    #[must_use]
    pub fn find(
        &self,
        keys: Vec<Key>,
    ) -> Option<impl Future<Output = Vec<Option<Found>>> + Send + use<>> {
        let link = self.link.clone();
        let connection = link.connection()?;
        Some(async move {
            let asked = keys.iter().take(MAX_KEYS);
            let names: Vec<String> = asked.map(|key| link.config().name(*key)).collect();
            let values = match read(&connection, &names).await {
                Ok(values) => {
                    link.answered();
                    values
                }
                Err(fault) => {
                    link.failed(connection.number, fault);
                    Vec::new()
                }
            };
            let values = values.into_iter().chain(std::iter::repeat(None));
            keys.iter().zip(values).map(|(key, value)| value::decode(*key, &value?)).collect()
        })
    }

    /// Returns what takes entries for the server, from any thread.
    #[must_use]
    pub fn filler(&self) -> Filler {
        self.filler.clone()
    }

    /// Waits until all that was handed to the filler is written, or until then.
    pub async fn flush(&self, until: Instant) {
        let (written, done) = oneshot::channel();
        if self.filler.lists.try_send(Work::Tell(written)).is_ok() {
            // Too late, or the filler is gone: there is nothing more to wait for.
            let _ = timeout_at(until, done).await;
        }
    }

    /// Tells how the server is doing.
    #[must_use]
    pub fn state(&self) -> State {
        self.link.state()
    }
}

/// Reads within [`PATIENCE`]. What has come while this thread was busy with
/// something else is taken: the timer must not be the server's fault then.
async fn read(connection: &Connection, names: &[String]) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    let mut answer = std::pin::pin!(connection.read(names));
    if let Ok(answer) = timeout(PATIENCE, &mut answer).await {
        return answer;
    }
    tokio::task::yield_now().await;
    timeout(Duration::ZERO, answer).await.unwrap_or(Err(Fault::Slow))
}

/// What the filler's task is told.
enum Work {
    /// Write these.
    Put(Vec<(String, Vec<u8>)>),
    /// Say, by dropping it, that all before is done.
    Tell(oneshot::Sender<()>),
}

/// Takes entries for the server: fire and forget.
#[derive(Clone)]
pub struct Filler {
    link: Arc<Link>,
    lists: mpsc::Sender<Work>,
    queued: Arc<AtomicUsize>,
}

impl Filler {
    /// Hands entries over. They are dropped when there are too many already,
    /// when one is too long, or when nothing is to be written.
    /// `day` is the one on which they were translated.
    pub fn put<'a>(&self, entries: impl IntoIterator<Item = (Key, &'a str)>, day: i64) {
        let config = self.link.config();
        if !config.is_used() || !config.writes {
            return;
        }
        let encoded = |(key, text)| Some((config.name(key), value::encode(key, day, text)?));
        let list: Vec<_> = entries.into_iter().filter_map(encoded).collect();
        let bytes = bytes_of(&list);
        let taken = bytes > 0
            && self.queued.fetch_add(bytes, Ordering::Relaxed) + bytes <= QUEUE_BYTES
            && self.lists.try_send(Work::Put(list)).is_ok();
        if !taken {
            self.queued.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

fn bytes_of(list: &[(String, Vec<u8>)]) -> usize {
    list.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// Writes what is handed over, many lists in one go, until nobody can hand over
/// any more.
async fn fill(link: Weak<Link>, mut work: mpsc::Receiver<Work>, queued: Arc<AtomicUsize>) {
    let mut taken = Vec::new();
    while work.recv_many(&mut taken, LISTS_AT_ONCE).await > 0 {
        let Some(link) = link.upgrade() else { return };
        let mut entries = Vec::new();
        let mut told = Vec::new();
        for work in taken.drain(..) {
            match work {
                Work::Put(list) => entries.extend(list),
                Work::Tell(done) => told.push(done),
            }
        }
        link.write(&entries).await;
        queued.fetch_sub(bytes_of(&entries), Ordering::Relaxed);
    }
}

/// Connects, reads and writes once: for the reader who asks what is wrong.
///
/// # Errors
/// What does not work, in words. `Ok` brings why it takes no entries, if it
/// takes none.
pub async fn examine(config: &Config) -> Result<Option<Fault>, Fault> {
    let (connection, _) = Link::open(config, 0).await?;
    if !config.writes {
        return Ok(None);
    }
    let probe = Key::of_text("webtranslator doctor");
    let entry = [(config.name(probe), value::encode(probe, 0, "doctor").unwrap_or_default())];
    let written = timeout(link::WRITE_DEADLINE, connection.write(&entry)).await;
    written.unwrap_or(Err(Fault::Slow))
}

#[cfg(test)]
mod tests;
