//! The loopback port. A thread of its own runs it, so that a test without a
//! runtime can start it, ask it and stop it.

mod connection;
mod service;
mod state;

use crate::calls::{Call, Stats};
use crate::script::Script;
use service::Provider;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A provider that listens until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    port: u16,
    provider: Arc<Provider>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a provider on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When the port or the thread cannot be had.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on(0, script)
    }

    /// Starts a provider on this port of 127.0.0.1; 0 is any free one.
    ///
    /// # Errors
    /// When the port or the thread cannot be had.
    pub fn start_on(port: u16, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let provider = Arc::new(Provider::new(script));
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&provider);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Dropping the runtime at the end of the thread ends every connection.
        let thread =
            std::thread::Builder::new().name("scripted-provider".into()).spawn(move || {
                runtime.block_on(connection::accept(listener, serving, stopped));
            })?;
        Ok(Self { port, provider, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address with nothing after the port: `http://127.0.0.1:N`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the calls so far, in the order of their arrival.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.provider.calls()
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.provider.stats()
    }

    /// Replaces the script; calls and faults that were met are remembered.
    pub fn set_script(&self, script: Script) {
        self.provider.set_script(script);
    }

    /// Lets answers in parts go on that are held, and those that would be, until
    /// the script is replaced.
    pub fn release(&self) {
        self.provider.release();
    }

    /// Forgets the calls, the faults that were met and the window of the limit.
    pub fn reset(&self) {
        self.provider.reset();
    }

    /// Ends every connection and gives the port back.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended by itself; then there is nothing to do.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
