//! Plays the browser: starts the host, sends frames, waits for answers.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any wait of a passing test, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const ORIGIN: &str = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/";

/// A reader's folder, with settings.
pub struct Home {
    pub dir: TempDir,
    pub environment: Vec<(String, String)>,
}

impl Home {
    pub fn new(settings: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("settings.toml"), settings).unwrap();
        Self { dir, environment: Vec::new() }
    }

    /// Settings for one provider of this kind at the scripted server.
    pub fn at(server: &Server, kind: &str) -> Self {
        let base = match kind {
            "openai" => format!("{}/v1", server.url()),
            _ => server.url(),
        };
        let mut home = Self::new(&format!(
            "target = \"ko\"\nproviders = [\"main\"]\n\n[provider.main]\nkind = \"{kind}\"\n\
             base_url = \"{base}\"\nmodel = \"scripted\"\n"
        ));
        home.environment.push(("WEBTRANSLATOR_KEY_MAIN".into(), "canary-key-1234".into()));
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self) -> Command {
        host_command(self.dir.path(), &self.environment)
    }

    pub fn start(&self) -> Browser {
        Browser::start(self.command())
    }

    /// Starts a host and says hello.
    pub fn greeted(&self) -> Browser {
        let mut browser = self.start();
        browser.send(&json!({"type": "hello", "protocol": 1,
            "client": {"version": "0.1.0", "browser": "chromium"}}));
        assert_eq!(browser.next()["type"], "welcome");
        browser
    }
}

pub fn host_command(home: &Path, environment: &[(String, String)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg(ORIGIN).env("WEBTRANSLATOR_HOME", home);
    command.envs(environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    command
}

pub fn serve(script: Script) -> Server {
    Server::start(script).unwrap()
}

/// A host process and what it has said.
pub struct Browser {
    pub child: Child,
    stdin: Option<ChildStdin>,
    frames: Receiver<Vec<u8>>,
    asked: u64,
}

impl Browser {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, frames) = channel();
        thread::spawn(move || {
            let mut length = [0; 4];
            while stdout.read_exact(&mut length).is_ok() {
                let mut body = vec![0; u32::from_ne_bytes(length) as usize];
                if stdout.read_exact(&mut body).is_err() || sender.send(body).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, frames, asked: 0 }
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub fn send_frame(&mut self, body: &[u8]) {
        let length = u32::try_from(body.len()).unwrap();
        self.send_bytes(&[&length.to_ne_bytes(), body].concat());
    }

    pub fn send(&mut self, message: &Value) {
        self.send_frame(message.to_string().as_bytes());
    }

    /// Sends these texts under one id, all visible.
    pub fn translate(&mut self, id: u64, texts: &[&str]) {
        self.translate_as(id, texts, &json!({}));
    }

    /// The same, with more fields.
    pub fn translate_as(&mut self, id: u64, texts: &[&str], more: &Value) {
        let segments: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(i, text)| json!({"i": i, "text": text, "rank": 0}))
            .collect();
        let mut message = json!({"type": "translate", "id": id, "target": "ko", "source": "en",
            "page": {"origin": "https://example.org", "title": "A page"}, "segments": segments});
        for (name, value) in more.as_object().unwrap() {
            message[name] = value.clone();
        }
        self.send(&message);
    }

    /// Translates a text under an id of its own, and returns who did.
    pub fn translate_one(&mut self, text: &str) -> String {
        self.asked += 1;
        let id = 100_000 + self.asked;
        self.translate(id, &[text]);
        let finished = self.finish(id);
        assert!(finished.failed.is_empty(), "{text}: {}", finished.message);
        finished.translated[&0]["provider"].as_str().unwrap().to_owned()
    }

    pub fn next_frame(&mut self, patience: Duration) -> Result<Vec<u8>, RecvTimeoutError> {
        self.frames.recv_timeout(patience)
    }

    pub fn next(&mut self) -> Value {
        let frame = self.next_frame(PATIENCE).expect("the host says something");
        serde_json::from_slice(&frame).unwrap()
    }

    /// Returns the next message that is no progress.
    pub fn next_word(&mut self) -> Value {
        loop {
            let message = self.next();
            if message["type"] != "progress" {
                return message;
            }
        }
    }

    /// Collects a stream until its `done`; each segment must be answered once.
    pub fn finish(&mut self, id: u64) -> Finished {
        self.collect(id, &mut Vec::new())
    }

    /// The same, and what the reader was told meanwhile: until the host has
    /// nothing more to do, since it is told after the work that met it.
    pub fn finish_with_notices(&mut self, id: u64) -> (Finished, Vec<Value>) {
        let mut told = Vec::new();
        let finished = self.collect(id, &mut told);
        self.asked += 1;
        let status = 500_000 + self.asked;
        // The second is answered after all that the first has met was told.
        for id in [status, status + 1] {
            self.send(&json!({"type": "cache_stats", "id": id}));
            loop {
                let message = self.next();
                match message["type"].as_str() {
                    Some("notice") => told.push(message),
                    _ if message["id"] == id => break,
                    _ => {}
                }
            }
        }
        self.asked += 1;
        (finished, told)
    }

    fn collect(&mut self, id: u64, told: &mut Vec<Value>) -> Finished {
        let mut finished = Finished::default();
        loop {
            let message = self.next();
            if message["type"] == "notice" {
                told.push(message);
                continue;
            }
            if message["id"] != id {
                continue;
            }
            match message["type"].as_str().unwrap() {
                "translated" => {
                    for segment in message["segments"].as_array().unwrap() {
                        let i = segment["i"].as_u64().unwrap();
                        let before = finished.translated.insert(i, segment.clone());
                        assert!(before.is_none() && !finished.failed.contains_key(&i), "{i} twice");
                    }
                }
                "failed" => {
                    for segment in message["segments"].as_array().unwrap() {
                        let i = segment["i"].as_u64().unwrap();
                        let code = segment["code"].as_str().unwrap().to_owned();
                        let before = finished.failed.insert(i, code);
                        assert!(
                            before.is_none() && !finished.translated.contains_key(&i),
                            "{i} twice"
                        );
                    }
                    finished.message = message["message"].as_str().unwrap().to_owned();
                }
                "progress" => finished.progress = message,
                "done" => {
                    finished.done = message;
                    return finished;
                }
                other => panic!("{other}: {message}"),
            }
        }
    }

    /// Closes stdin, as a browser does that goes away.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process, at most so long.
    pub fn ends_within(&mut self, limit: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < limit, "the host still runs after {limit:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a stream came to.
#[derive(Default)]
pub struct Finished {
    pub translated: BTreeMap<u64, Value>,
    pub failed: BTreeMap<u64, String>,
    pub message: String,
    pub progress: Value,
    pub done: Value,
}

impl Finished {
    pub fn text(&self, i: u64) -> &str {
        self.translated[&i]["text"].as_str().unwrap()
    }
}
