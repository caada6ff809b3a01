//! The connection that is there, or is being made, or must not be tried yet.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::breaker::Breaker;
use super::connection::Connection;
use super::{Config, Fault, State};

/// Connecting and logging in take longer only when nobody will answer. No
/// look-up waits for it.
const CONNECT_DEADLINE: Duration = Duration::from_secs(3);

/// The same for writing.
pub const WRITE_DEADLINE: Duration = Duration::from_secs(2);

/// A server that takes no entries is not sent any for so long.
const REFUSAL_PAUSE: Duration = Duration::from_secs(300);

/// A connection that ends after so long was in order: many servers end idle ones.
const LASTING: Duration = Duration::from_secs(60);

/// The connection.
enum Way {
    Down,
    Connecting,
    Up(Connection),
}

/// What was learned of the server.
#[derive(Default)]
struct Health {
    breaker: Breaker,
    fault: Option<Fault>,
    refusal: Option<(Fault, Duration)>,
}

/// See the module.
pub struct Link {
    config: Config,
    started: Instant,
    numbers: AtomicU64,
    health: Mutex<Health>,
    way: watch::Sender<Way>,
}

impl Link {
    /// Returns a link that is not connected.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            started: Instant::now(),
            numbers: AtomicU64::new(0),
            health: Mutex::default(),
            way: watch::channel(Way::Down).0,
        }
    }

    /// Returns where the server is.
    pub fn config(&self) -> &Config {
        &self.config
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connection if there is one; else one is begun, unless that
    /// is under way, or the server is left alone.
    pub fn connection(self: &Arc<Self>) -> Option<Connection> {
        if !self.config.is_used() || !self.health().breaker.allows(self.now()) {
            return None;
        }
        let mut there = None;
        let begin = self.way.send_if_modified(|way| match way {
            Way::Up(connection) => {
                there = Some(connection.clone());
                false
            }
            Way::Connecting => false,
            Way::Down => {
                *way = Way::Connecting;
                true
            }
        });
        if begin {
            tokio::spawn(self.clone().connect());
        }
        there
    }

    /// Connects within the deadline.
    pub async fn open(config: &Config, number: u64) -> Result<(Connection, JoinHandle<()>), Fault> {
        let opened = timeout(CONNECT_DEADLINE, Connection::open(config, number)).await;
        opened.unwrap_or(Err(Fault::Slow))
    }

    async fn connect(self: Arc<Self>) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        match Self::open(&self.config, number).await {
            Ok((connection, driver)) => {
                self.health().fault = None;
                self.way.send_replace(Way::Up(connection));
                let (link, since) = (Arc::downgrade(&self), Instant::now());
                drop(self);
                // However it ends, be it by a panic, it has ended.
                let _ = driver.await;
                let Some(link) = link.upgrade() else { return };
                let lasted = since.elapsed() >= LASTING;
                link.give_up(number, (!lasted).then_some(Fault::Broken));
            }
            Err(fault) => {
                self.note(fault);
                self.way.send_replace(Way::Down);
            }
        }
    }

    /// Takes note that a look-up was answered.
    pub fn answered(&self) {
        self.health().breaker.answered();
    }

    /// Gives up a connection and begins the next, so that no look-up waits for
    /// the old one. What others find wrong with the same connection is the same
    /// failure.
    pub fn failed(self: &Arc<Self>, number: u64, fault: Fault) {
        self.give_up(number, Some(fault));
    }

    fn give_up(self: &Arc<Self>, number: u64, fault: Option<Fault>) {
        let was_up = self.way.send_if_modified(|way| {
            let same = matches!(way, Way::Up(connection) if connection.number == number);
            if same {
                *way = Way::Down;
            }
            same
        });
        if was_up {
            if let Some(fault) = fault {
                self.note(fault);
            }
            let _ = self.connection();
        }
    }

    fn note(&self, fault: Fault) {
        let mut health = self.health();
        if let Some(pause) = health.breaker.failed(self.now()) {
            let seconds = pause.as_secs();
            tracing::warn!(%fault, seconds, "the shared cache is left alone");
        }
        health.fault = Some(fault);
    }

    /// Writes entries, if there is a connection or one is about to be.
    pub async fn write(self: &Arc<Self>, entries: &[(String, Vec<u8>)]) {
        if entries.is_empty() || self.refusal().is_some() {
            return;
        }
        let Some(connection) = self.connection_soon().await else { return };
        let written = timeout(WRITE_DEADLINE, connection.write(entries)).await;
        match written.unwrap_or(Err(Fault::Slow)) {
            Ok(None) => self.health().refusal = None,
            Ok(Some(fault)) => {
                tracing::warn!(%fault, "the shared cache takes no entries");
                self.health().refusal = Some((fault, self.now() + REFUSAL_PAUSE));
            }
            Err(fault) => self.failed(connection.number, fault),
        }
    }

    /// Returns why nothing is written now.
    fn refusal(&self) -> Option<Fault> {
        let health = self.health();
        let (fault, until) = health.refusal.as_ref()?;
        (self.now() < *until).then(|| fault.clone())
    }

    async fn connection_soon(self: &Arc<Self>) -> Option<Connection> {
        if let Some(connection) = self.connection() {
            return Some(connection);
        }
        let mut way = self.way.subscribe();
        // The sender is ours, and connecting has a deadline of its own.
        let settled = way.wait_for(|way| !matches!(way, Way::Connecting)).await.ok()?;
        match &*settled {
            Way::Up(connection) => Some(connection.clone()),
            Way::Down | Way::Connecting => None,
        }
    }

    /// Tells how the server is doing.
    pub fn state(&self) -> State {
        if !self.config.is_used() {
            return State::Off { reason: self.config.trouble.clone() };
        }
        if matches!(*self.way.borrow(), Way::Up(_)) {
            return State::Ok { reason: self.refusal().map(|fault| fault.to_string()) };
        }
        let health = self.health();
        let fault = health.fault.as_ref().map_or_else(|| "connecting".to_owned(), Fault::to_string);
        let reason = match health.breaker.left(self.now()) {
            Some(left) => format!("{fault}; left alone for {} s", left.as_secs() + 1),
            None => fault,
        };
        State::Away { reason }
    }
}
