//! A page through a host, from the first frame in to the last frame out: over
//! pipes, as a browser has it, and in this process, where nothing but the host
//! takes time. Texts are sent as the extension sends them: at most 512
//! unanswered, in parts of 256.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;
use webtranslator::paths::Paths;
use webtranslator::session;
use webtranslator::transport::{Incoming, Unsent};

use crate::Table;
use crate::browser::Home;
use crate::filled::{Filled, PAGE};

const OPEN: usize = 512;
const PART: usize = 256;
const MOST_MIB: f64 = 40.0;

/// The two ends of a conversation.
pub trait Line {
    fn send(&self, frame: Vec<u8>);
    fn next(&self) -> Vec<u8>;

    fn greet(&self) {
        self.send(
            json!({"type": "hello", "protocol": 1,
                "client": {"version": "0.1.0", "browser": "chromium"}})
            .to_string()
            .into(),
        );
        assert!(self.next().starts_with(br#"{"type":"welcome""#));
    }
}

/// Sends a page, all of it remembered or all of it new; returns how long it
/// took. What the browser itself does with frames is left out as far as it can.
pub fn walk(line: &impl Line, texts: &[String], id: u64) -> Duration {
    let mut frames = frames(texts, id).into_iter();
    let (mut sent, mut answered) = (0, 0);
    let started = Instant::now();
    loop {
        while sent < texts.len() && sent - answered <= OPEN - PART {
            line.send(frames.next().unwrap());
            sent = texts.len().min(sent + PART);
        }
        let frame = line.next();
        if frame.starts_with(br#"{"type":"done""#) {
            let took = started.elapsed();
            let done: Value = serde_json::from_slice(&frame).unwrap();
            assert_eq!(done["translated"], texts.len());
            return took;
        }
        answered += answers_in(&frame);
    }
}

/// Counts the segments of a frame without reading it: no text has a brace.
fn answers_in(frame: &[u8]) -> usize {
    let frame = frame.strip_prefix(br#"{"type":"translated""#).unwrap_or_default();
    frame.iter().filter(|byte| **byte == b'{').count()
}

fn frames(texts: &[String], id: u64) -> Vec<Vec<u8>> {
    let segments: Vec<Value> =
        texts.iter().enumerate().map(|(i, text)| json!({"i": i, "text": text})).collect();
    let parts = segments.chunks(PART);
    let last = parts.len() - 1;
    let part = |(at, part): (usize, &[Value])| {
        json!({"type": "translate", "id": id, "target": "ko", "source": "en",
            "page": {"origin": "https://example.org", "title": "A page"},
            "segments": part, "more": at < last})
        .to_string()
        .into_bytes()
    };
    parts.enumerate().map(part).collect()
}

/// The built program, as a browser starts it.
pub struct Piped {
    child: Child,
    ends: Mutex<(ChildStdin, ChildStdout)>,
}

impl Piped {
    pub fn start(home: &Home) -> Self {
        let mut command = home.command();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let ends = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let host = Self { child, ends: Mutex::new(ends) };
        host.greet();
        host
    }

    /// The processor time of all its threads so far.
    pub fn busy(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let nanoseconds = tasks.map(|task| {
            let stat = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
            stat.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        });
        Duration::from_nanos(nanoseconds.sum())
    }

    /// A line of the process's status, in MiB.
    fn memory(&self, name: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

impl Line for Piped {
    fn send(&self, frame: Vec<u8>) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.0.write_all(&u32::try_from(frame.len()).unwrap().to_ne_bytes()).unwrap();
        ends.0.write_all(&frame).unwrap();
    }

    fn next(&self) -> Vec<u8> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let mut length = [0; 4];
        ends.1.read_exact(&mut length).unwrap();
        let mut body = vec![0; u32::from_ne_bytes(length) as usize];
        ends.1.read_exact(&mut body).unwrap();
        body
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session in this process, over channels.
pub struct Inside {
    incoming: Sender<Incoming>,
    unsent: Unsent,
}

impl Inside {
    pub fn start(home: &Home) -> Self {
        let (incoming, unsent, transport) = session::in_memory();
        let paths = Paths::under(home.dir.path());
        let run = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(session::run(paths, transport, std::future::pending())).unwrap();
        };
        // A name, for a profiler.
        std::thread::Builder::new().name("session".into()).spawn(run).unwrap();
        let host = Self { incoming, unsent };
        host.greet();
        host
    }
}

impl Line for Inside {
    fn send(&self, frame: Vec<u8>) {
        self.incoming.blocking_send(Incoming::Frame(frame)).unwrap();
    }

    fn next(&self) -> Vec<u8> {
        let frame = self.unsent.next().unwrap();
        self.unsent.sent(frame.len());
        frame
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = self.incoming.blocking_send(Incoming::End);
    }
}

/// The most that a host takes which looks up the page.
pub fn memory(table: &mut Table, page: &Filled, million: &Filled) {
    for (among, filled) in [("10,000", page), ("1,000,000", million)] {
        let host = Piped::start(&filled.home);
        walk(&host, &filled.texts, 1);
        let first = host.memory("VmHWM:");
        for id in 2..6 {
            walk(&host, &filled.texts, id);
        }
        let name = format!("peak memory of a host, {PAGE} texts among {among}");
        table.bounded(&name, (first, MOST_MIB), "MiB");
        Table::figure("  the same after five such pages", host.memory("VmHWM:"), "MiB");
    }
}
