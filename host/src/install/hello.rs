//! Starts a registered program as a browser would, and says hello.
//!
//! Same arguments, same working directory, pipes on all three descriptors,
//! the caller's environment. Ends it by closing its stdin, as a browser does.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::browsers::Family;
use super::{EXTENSION_ID, GECKO_ID};
use crate::framing::{self, FrameError};
use crate::protocol::PROTOCOL;

/// How long a host may take: forty times what a slow disk needs.
const LIMIT: Duration = Duration::from_secs(5);

/// How long a host may live after its stdin closed; Chromium kills it then.
const GRACE: Duration = Duration::from_secs(2);

/// What a host said about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welcome {
    /// Its version.
    pub version: String,
    /// `ok`, `memory` or `off`.
    pub cache: String,
    /// Why the cache is not `ok`.
    pub cache_reason: Option<String>,
    /// The providers in their order: name, and why it is not ready.
    pub providers: Vec<(String, Option<String>)>,
    /// How long it took, from the start of the process.
    pub took: Duration,
}

/// Starts `host` for the manifest `file` and returns its `welcome`.
///
/// # Errors
/// A sentence that says what it did instead, with the first line that it
/// wrote to stderr.
pub fn hello(family: Family, file: &Path, host: &Path) -> Result<Welcome, String> {
    let begun = Instant::now();
    let mut child = command(family, file, host)
        .spawn()
        .map_err(|error| format!("it could not be started ({error})"))?;
    let answer = exchange(&mut child, family);
    let complaint = end(child);
    let mut welcome = answer.map_err(|what| match complaint {
        Some(line) => format!("{what}; it said: {line}"),
        None => what,
    })?;
    welcome.took = begun.elapsed();
    Ok(welcome)
}

fn command(family: Family, file: &Path, host: &Path) -> Command {
    let mut command = Command::new(host);
    match family {
        Family::Chromium => command.arg(format!("chrome-extension://{EXTENSION_ID}/")),
        Family::Firefox => command.arg(file).arg(GECKO_ID),
    };
    command
        .current_dir(host.parent().unwrap_or(Path::new("/")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn exchange(child: &mut Child, family: Family) -> Result<Welcome, String> {
    let version = env!("CARGO_PKG_VERSION");
    let hello = json!({
        "type": "hello",
        "protocol": PROTOCOL,
        "client": { "version": version, "browser": family.to_string() },
    });
    let (Some(stdin), Some(stdout)) = (child.stdin.as_mut(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    // A host that ended at once closed its end: the reading below says so.
    let _ = framing::write_frame(stdin, hello.to_string().as_bytes());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(read_answer(stdout)));
    let limit = LIMIT.as_secs();
    let frame = receiver
        .recv_timeout(LIMIT)
        .map_err(|_| format!("it started and did not answer within {limit} seconds"))??;
    welcome(&frame)
}

/// Reads the answer. A length that no frame has is text on stdout.
fn read_answer(mut stdout: impl Read) -> Result<Vec<u8>, String> {
    match framing::read_frame(&mut stdout) {
        Ok(Some(frame)) => Ok(frame),
        Ok(None) => Err("it ended without an answer".to_owned()),
        Err(FrameError::TooLarge(length)) => {
            let beginning = length.to_ne_bytes();
            let text = String::from_utf8_lossy(&beginning).escape_debug().to_string();
            Err(format!("it wrote something else than a frame to stdout, beginning \"{text}\""))
        }
        Err(FrameError::Cut | FrameError::Io(_)) => {
            Err("it ended in the middle of an answer".to_owned())
        }
    }
}

fn welcome(frame: &[u8]) -> Result<Welcome, String> {
    let value: Value = serde_json::from_slice(frame)
        .map_err(|error| format!("its answer is no JSON ({error})"))?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value["type"].as_str() {
        Some("welcome") => {}
        Some("error") => return Err(text(&value["message"]).unwrap_or_default()),
        _ => return Err("it did not answer with a welcome".to_owned()),
    }
    let provider = |value: &Value| {
        let reason = text(&value["reason"]).unwrap_or_else(|| "it is not ready".to_owned());
        let ready = value["ready"] == json!(true);
        (text(&value["name"]).unwrap_or_default(), (!ready).then_some(reason))
    };
    Ok(Welcome {
        version: text(&value["version"]).unwrap_or_default(),
        cache: text(&value["cache"]["state"]).unwrap_or_default(),
        cache_reason: text(&value["cache"]["reason"]),
        providers: value["providers"].as_array().into_iter().flatten().map(provider).collect(),
        took: Duration::ZERO,
    })
}

/// Closes the host's stdin, waits, kills if it stays, and returns the first
/// line of its stderr.
fn end(mut child: Child) -> Option<String> {
    drop(child.stdin.take());
    let deadline = Instant::now() + GRACE;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    // A grandchild may hold the pipe: what is there within a moment counts.
    let (sender, receiver) = mpsc::channel();
    let mut stderr = child.stderr.take()?;
    thread::spawn(move || {
        let mut bytes = [0; 400];
        let count = stderr.read(&mut bytes).unwrap_or(0);
        sender.send(String::from_utf8_lossy(&bytes[..count]).into_owned())
    });
    let text = receiver.recv_timeout(Duration::from_millis(200)).ok()?;
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
