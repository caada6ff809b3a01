//! The figures of the shipped program: its size, the time to its `welcome`,
//! its memory with the Steam guide. Prints a table: figure, bound, holds or not.
//!
//! Absolute times are the best of twenty, since machines are noisy.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server};
use serde_json::{Value, json};

const HOST: &str = env!("CARGO_BIN_EXE_webtranslator");
const MIB: u64 = 1024 * 1024;

struct Host {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Host {
    fn start(home: &Path) -> Self {
        let mut child = Command::new(HOST)
            .arg("chrome-extension://abcdefghijklmnopabcdefghijklmnop/")
            .env("WEBTRANSLATOR_HOME", home)
            .env("WEBTRANSLATOR_KEY_MAIN", "bench")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.stdin.write_all(&u32::try_from(body.len()).unwrap().to_ne_bytes()).unwrap();
        self.stdin.write_all(body.as_bytes()).unwrap();
    }

    fn next(&mut self) -> Value {
        let mut length = [0; 4];
        self.stdout.read_exact(&mut length).unwrap();
        let mut body = vec![0; u32::from_ne_bytes(length) as usize];
        self.stdout.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn greet(&mut self) {
        self.send(&json!({"type": "hello", "protocol": 1,
            "client": {"version": "0.1.0", "browser": "chromium"}}));
        assert_eq!(self.next()["type"], "welcome");
    }

    /// The largest resident size so far.
    fn peak_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    // `cargo test --benches` only asks whether it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!("{:<44} {:>12} {:>12}  ", "figure", "measured", "bound");
    let mut all_hold = true;
    let mut row = |name: &str, measured: f64, bound: f64, unit: &str| {
        let holds = measured <= bound;
        all_hold &= holds;
        let word = if holds { "holds" } else { "does not hold" };
        println!("{name:<44} {measured:>8.1} {unit:<3} {bound:>8.1} {unit:<3} {word}");
    };
    row("release binary", mib(std::fs::metadata(HOST).unwrap().len()), 15.0, "MiB");
    row("start to welcome, best of 20", welcome().as_secs_f64() * 1000.0, 30.0, "ms");
    let (peak, segments) = guide();
    row(&format!("peak memory, guide of {segments} segments"), mib(peak), 40.0, "MiB");
    assert!(all_hold, "a bound does not hold");
}

#[allow(clippy::cast_precision_loss)] // sizes far below 2^52
fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB as f64
}

fn welcome() -> Duration {
    let home = tempfile::tempdir().unwrap();
    (0..20)
        .map(|_| {
            let started = Instant::now();
            let mut host = Host::start(home.path());
            host.greet();
            started.elapsed()
        })
        .min()
        .unwrap()
}

/// Translates the whole guide in parts, as the extension sends it.
fn guide() -> (u64, usize) {
    let server = Server::start(Script { latency_ms: 20, ..Script::default() }).unwrap();
    let home = tempfile::tempdir().unwrap();
    let settings = format!(
        "providers = [\"main\"]\n[provider.main]\nkind = \"gemini\"\nbase_url = \"{}\"\n",
        server.url()
    );
    std::fs::write(home.path().join("settings.toml"), settings).unwrap();
    let texts = guide_texts();
    let mut host = Host::start(home.path());
    host.greet();
    let segments: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| json!({"i": i, "text": text, "rank": if i < 20 { 0 } else { 2 }}))
        .collect();
    let parts: Vec<&[Value]> = segments.chunks(256).collect();
    for (at, part) in parts.iter().enumerate() {
        host.send(&json!({"type": "translate", "id": 1, "target": "ko", "source": "en",
            "page": {"origin": "https://example.org", "title": "A guide"},
            "segments": part, "more": at + 1 < parts.len()}));
    }
    loop {
        let message = host.next();
        if message["type"] == "done" {
            assert_eq!(message["translated"], texts.len());
            return (host.peak_bytes(), texts.len());
        }
    }
}

fn guide_texts() -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/pages/steam-guide.mjs");
    let output = Command::new("node").arg(script).arg("--texts").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
