//! A real `redis-server`, started for one test on a free loopback port.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::{Browser, Home, PATIENCE};

/// The password of every server of the tests.
pub const PASSWORD: &str = "canary-password-77";

/// Where the certificate of the tests' own authority is, in a server's folder.
pub const AUTHORITY: &str = "authority.pem";

pub struct Redis {
    child: Child,
    dir: TempDir,
    port: u16,
    tls: bool,
}

/// Returns the server's program. Debian's package `redis-server` would start a
/// service; `redis-tools` has the same program under another name, and it goes
/// by the name that it is called.
fn program() -> PathBuf {
    let found = |name: &str| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
    };
    found("redis-server")
        .or_else(|| found("redis-check-rdb"))
        .expect("redis-server (Debian: apt-get install redis-tools)")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Redis {
    /// Starts a server with a password.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// The same, with more of its settings.
    pub fn with(settings: &[&str]) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), false, settings)
    }

    /// Starts one that speaks TLS only, with a certificate for `localhost`.
    pub fn with_tls() -> Self {
        let dir = tempfile::tempdir().unwrap();
        make_certificates(dir.path());
        let tls = [
            "--tls-cert-file",
            "server.pem",
            "--tls-key-file",
            "server.key",
            "--tls-ca-cert-file",
            AUTHORITY,
            "--tls-auth-clients",
            "no",
        ];
        Self::in_folder(dir, true, &tls)
    }

    /// Starts one in this folder. A port that was free may be another's by now:
    /// then the server ends at once, and there is another try.
    pub fn in_folder(dir: TempDir, tls: bool, settings: &[&str]) -> Self {
        let port = free_port();
        let mut redis = Self { child: spawn(dir.path(), port, tls, settings), dir, port, tls };
        let started = Instant::now();
        while !redis.is_up() {
            assert!(started.elapsed() < PATIENCE, "redis-server does not start");
            if redis.child.try_wait().unwrap().is_some() {
                redis.port = free_port();
                redis.child = spawn(redis.dir.path(), redis.port, tls, settings);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        redis
    }

    /// Whether this very process answers.
    fn is_up(&self) -> bool {
        let told = String::from_utf8(self.ask(&["INFO", "server"]).stdout).unwrap();
        let id = format!("process_id:{}", self.child.id());
        told.lines().any(|line| line == id)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the address, as the settings have it, without a password.
    pub fn address(&self) -> String {
        let (scheme, host) =
            if self.tls { ("rediss", "localhost") } else { ("redis", "127.0.0.1") };
        format!("{scheme}://{host}:{}/0", self.port)
    }

    /// Returns a reader's folder that asks this provider and shares this cache.
    pub fn home(&self, provider: &scripted_provider::Server) -> Home {
        let mut home = home_with(provider, &format!("remote = \"{}\"\n", self.address()));
        home.environment.push(("WEBTRANSLATOR_KEY_CACHE".into(), PASSWORD.into()));
        home
    }

    fn ask(&self, words: &[&str]) -> Output {
        let mut command = Command::new("redis-cli");
        command.args(["-h", if self.tls { "localhost" } else { "127.0.0.1" }]);
        command.args(["-p", &self.port.to_string(), "-a", PASSWORD, "--no-auth-warning"]);
        if self.tls {
            command.arg("--tls").arg("--cacert").arg(self.file(AUTHORITY));
        }
        command.args(words).stderr(Stdio::null()).output().expect("redis-cli")
    }

    /// Runs a command and returns what came back.
    pub fn run(&self, words: &[&str]) -> String {
        let output = self.ask(words);
        assert!(output.status.success(), "{words:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub fn names(&self) -> Vec<String> {
        self.run(&["KEYS", "*"]).lines().map(str::to_owned).filter(|n| !n.is_empty()).collect()
    }

    /// Waits until so many entries are there: they are written beside the page.
    pub fn holds(&self, entries: usize) {
        wait_until(|| self.names().len() >= entries);
        assert_eq!(self.names().len(), entries);
    }

    /// Returns how often a command was run, as the server counts.
    pub fn count_of(&self, command: &str) -> u64 {
        let stats = self.run(&["INFO", "commandstats"]);
        let line = stats.lines().find_map(|l| l.strip_prefix(&format!("cmdstat_{command}:calls=")));
        line.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

fn spawn(dir: &Path, port: u16, tls: bool, settings: &[&str]) -> Child {
    let number = port.to_string();
    let (plain, encrypted) = if tls { ("0", number.as_str()) } else { (number.as_str(), "0") };
    Command::new(program())
        .arg0("redis-server")
        .args(["--bind", "127.0.0.1", "--save", "", "--requirepass", PASSWORD])
        .args(["--port", plain, "--tls-port", encrypted, "--daemonize", "no"])
        .args(settings)
        .current_dir(dir)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a reader's folder with these lines under `[cache]`.
pub fn home_with(provider: &scripted_provider::Server, cache: &str) -> Home {
    let home = Home::at(provider, "openai");
    let path = home.path("settings.toml");
    let settings = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, format!("{settings}\n[cache]\n{cache}")).unwrap();
    home
}

pub fn wait_until(mut test: impl FnMut() -> bool) {
    let started = Instant::now();
    while !test() {
        assert!(started.elapsed() < PATIENCE, "it does not come to pass");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns what `status` says of the shared cache.
pub fn remote_state(browser: &mut Browser) -> Value {
    browser.send(&json!({"type": "status", "id": 9_000_000}));
    loop {
        let message = browser.next_word();
        if message["type"] == "status" {
            return message["cache"]["remote"].clone();
        }
    }
}

/// Starts a host and waits until it says this of the shared cache; returns why.
pub fn greeted(home: &Home, state: &str) -> (Browser, String) {
    let mut browser = home.greeted();
    let reason = becomes(&mut browser, state);
    (browser, reason)
}

/// Waits until a host says this of the shared cache; returns why.
pub fn becomes(browser: &mut Browser, state: &str) -> String {
    becomes_since(browser, state, "")
}

/// The same, with a reason that has these words in it.
pub fn becomes_since(browser: &mut Browser, state: &str, words: &str) -> String {
    let started = Instant::now();
    loop {
        let remote = remote_state(browser);
        let reason = remote["reason"].as_str().unwrap_or_default().to_owned();
        if remote["state"] == state && reason != "connecting" && reason.contains(words) {
            return reason;
        }
        assert!(started.elapsed() < PATIENCE, "{remote}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn make_certificates(dir: &Path) {
    let openssl = |arguments: &str| {
        let made = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(dir)
            .stderr(Stdio::null())
            .status()
            .expect("openssl (Debian: apt-get install openssl)");
        assert!(made.success(), "{arguments}");
    };
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "req -x509 {curve} -days 2 -subj /CN=Household -keyout authority.key -out {AUTHORITY}"
    ));
    openssl(&format!("req {curve} -subj /CN=localhost -keyout server.key -out server.csr"));
    std::fs::write(dir.join("names"), "subjectAltName=DNS:localhost\n").unwrap();
    openssl(&format!(
        "x509 -req -in server.csr -CA {AUTHORITY} -CAkey authority.key -CAcreateserial -days 2 \
         -extfile names -out server.pem"
    ));
}
