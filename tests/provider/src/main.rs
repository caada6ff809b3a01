//! The scripted provider as a process: prints `{"port":N}` when it listens, and
//! ends on SIGTERM, SIGINT, or (with `--stdin`) when its stdin closes.

use clap::Parser;
use scripted_provider::answer::load;
use scripted_provider::script::Faults;
use scripted_provider::{Script, Server, Streaming};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use tokio::io::AsyncReadExt;

/// A provider on 127.0.0.1 that answers as it is told: Gemini, chat completions,
/// Anthropic, Ollama and Apertium, with stand-in translations.
#[derive(Parser)]
#[command(version)]
struct Flags {
    /// Port to listen on; 0 is any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// End when stdin closes
    #[arg(long)]
    stdin: bool,
    /// Fixture, or folder of fixtures, to serve first, one answer a call; may be repeated
    #[arg(long, value_name = "PATH")]
    fixture: Vec<PathBuf>,
    /// Start again when all fixtures have been served
    #[arg(long)]
    repeat: bool,
    /// Chooses which batches meet a fault
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Time of a call
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// Time of a call for each character
    #[arg(long, default_value_t = 0.0)]
    ms_per_char: f64,
    /// Time to the first byte of an answer in parts
    #[arg(long)]
    first_byte_ms: Option<u64>,
    /// Time between two parts of an answer
    #[arg(long)]
    between_ms: Option<u64>,
    /// Calls admitted in any 60 seconds
    #[arg(long)]
    requests_per_minute: Option<u32>,
    /// Tell in a 429 when to come back
    #[arg(long)]
    advice: bool,
    /// Calls at a time, 429 above
    #[arg(long)]
    max_concurrent: Option<u32>,
    /// Refuse batches with a text that contains this; may be repeated
    #[arg(long, value_name = "TEXT")]
    refuse: Vec<String>,
    /// Key that calls must bring
    #[arg(long)]
    key: Option<String>,
    #[command(flatten)]
    shares: Shares,
}

/// Shares of batches that meet a fault, in percent.
#[derive(clap::Args)]
struct Shares {
    /// Percent answered with nothing
    #[arg(long, default_value_t = 0.0)]
    empty: f64,
    /// Percent answered without a middle item
    #[arg(long, default_value_t = 0.0)]
    dropped: f64,
    /// Percent answered without the last items, or with an array that is too short
    #[arg(long, default_value_t = 0.0)]
    short: f64,
    /// Percent answered with texts shifted by one
    #[arg(long, default_value_t = 0.0)]
    shifted: f64,
    /// Percent cut in the middle
    #[arg(long, default_value_t = 0.0)]
    truncated: f64,
    /// Percent answered with 503
    #[arg(long, default_value_t = 0.0)]
    unavailable: f64,
}

impl Flags {
    fn script(self) -> Result<Script, Box<dyn Error>> {
        let Shares { empty, dropped, short, shifted, truncated, unavailable } = self.shares;
        let mut queue = Vec::new();
        for path in &self.fixture {
            queue.extend(load(path)?);
        }
        Ok(Script {
            seed: self.seed,
            latency_ms: self.latency_ms,
            ms_per_char: self.ms_per_char,
            requests_per_minute: self.requests_per_minute,
            advice: self.advice,
            max_concurrent: self.max_concurrent,
            refuse: self.refuse,
            key: self.key,
            faults: Faults { empty, dropped, short, shifted, truncated, unavailable },
            queue,
            repeat: self.repeat,
            stream: Streaming {
                first_byte_ms: self.first_byte_ms,
                between_ms: self.between_ms,
                ..Streaming::default()
            },
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let flags = Flags::parse();
    let (port, ends_with_stdin) = (flags.port, flags.stdin);
    let server = Server::start_on(port, flags.script()?)?;
    let mut stdout = io::stdout();
    writeln!(stdout, "{{\"port\":{}}}", server.port())?;
    stdout.flush()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(told_to_end(ends_with_stdin))?;
    // A read of stdin may still wait; it must not keep the process.
    runtime.shutdown_background();
    server.stop();
    Ok(())
}

async fn told_to_end(with_stdin: bool) -> io::Result<()> {
    tokio::select! {
        told = terminated() => told,
        told = tokio::signal::ctrl_c() => told,
        () = stdin_closed(), if with_stdin => Ok(()),
    }
}

#[cfg(unix)]
async fn terminated() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}

/// Windows has no SIGTERM: there a process is ended, not asked.
#[cfg(not(unix))]
async fn terminated() -> io::Result<()> {
    std::future::pending().await
}

async fn stdin_closed() {
    let mut ignored = [0; 256];
    let mut stdin = tokio::io::stdin();
    while matches!(stdin.read(&mut ignored).await, Ok(count) if count > 0) {}
}
