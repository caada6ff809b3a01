//! The provider over its port, as a client sees it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test file are tests as well")]

use scripted_provider::script::Faults;
use scripted_provider::{Outcome, Script, Server};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What came back before the connection ended, and how it ended.
struct Came {
    status: u16,
    body: Vec<u8>,
    end: Result<(), ErrorKind>,
}

impl Came {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

fn send(port: u16, method: &str, path: &str, body: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}");
    write!(stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
    stream
}

fn receive(stream: TcpStream) -> Came {
    receive_within(Duration::from_secs(5), stream)
}

/// Receives until the end, or until nothing has come for so long.
fn receive_within(patience: Duration, mut stream: TcpStream) -> Came {
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes).map(|_| ()).map_err(|error| error.kind());
    let cut = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let head = String::from_utf8_lossy(&bytes[..cut.unwrap_or(0)]).into_owned();
    let status = head.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(0);
    Came { status, body: cut.map(|at| bytes[at + 4..].to_vec()).unwrap_or_default(), end }
}

fn ask(port: u16, method: &str, path: &str, body: &str) -> Came {
    receive(send(port, method, path, body, ""))
}

fn chat(texts: &[&str]) -> String {
    let object: Vec<String> =
        texts.iter().enumerate().map(|(n, text)| format!("\"{n}\":{}", json!(text))).collect();
    let content = format!("{{{}}}", object.join(","));
    json!({"model": "m", "messages": [{"role": "user", "content": content}]}).to_string()
}

fn translate(server: &Server, texts: &[&str]) -> Came {
    ask(server.port(), "POST", "/v1/chat/completions", &chat(texts))
}

fn served(answer: &Value) -> Came {
    let script = json!({"queue": [answer]}).to_string();
    let server = Server::start(serde_json::from_str(&script).unwrap()).unwrap();
    let sent = send(server.port(), "POST", "/v1/chat/completions", &chat(&["a"]), "");
    receive_within(Duration::from_millis(400), sent)
}

#[test]
fn a_batch_comes_back_as_stand_ins_and_is_logged() {
    let server = Server::start(Script::default()).unwrap();
    let body = translate(&server, &["Hello", "Read <1>more</1>"]).json();
    let content = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!(content, "{\"0\":\"가«Hello»\",\"1\":\"가«Read» <1>가«more»</1>\"}");
    let calls = server.calls();
    assert_eq!((calls.len(), calls[0].n, calls[0].outcome), (1, 1, Outcome::Ok));
    assert_eq!(calls[0].texts, ["Hello", "Read <1>more</1>"]);
    assert!(calls[0].body.contains("\"model\":\"m\""));
    let line = ask(server.port(), "GET", "/__log", "").json();
    assert_eq!((&line["protocol"], &line["outcome"]), (&json!("openai"), &json!("ok")));
}

#[test]
fn the_script_is_replaced_and_the_counts_are_reset_over_the_port() {
    let server = Server::start(Script::default()).unwrap();
    let script = json!({"refuse": ["bad"], "faults": {"empty": 100}}).to_string();
    assert_eq!(ask(server.port(), "POST", "/__script", &script).status, 200);
    translate(&server, &["a bad one"]);
    for _ in 0..3 {
        translate(&server, &["a good one"]);
    }
    let stats = ask(server.port(), "GET", "/__stats", "").json();
    assert_eq!(stats["by_outcome"], json!({"empty": 2, "ok": 1, "refused": 1}));
    assert_eq!(stats["texts"], json!({"distinct": 2, "total": 4, "answered": 1, "paid": 1}));
    assert_eq!(ask(server.port(), "GET", "/__paid", "").json(), json!({"a good one": 1}));
    assert_eq!(ask(server.port(), "POST", "/__reset", "").status, 200);
    assert_eq!(server.stats().calls, 0);
    translate(&server, &["a good one"]);
    assert_eq!(server.calls()[0].outcome, Outcome::Empty);
    let wrong = ask(server.port(), "POST", "/__script", "{\"latency\":5}");
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"].as_str().unwrap().contains("unknown field `latency`"));
}

#[test]
fn queued_answers_are_served_byte_for_byte_and_then_the_schedule_goes_on() {
    let script = json!({"queue": [
        {"status": 429, "headers": {"retry-after": "26"}, "body_text": "{\"b\" : 1, \"b\":2}"},
        {"status": 200, "fault": "raw_hex:7b2230223a22ff fe227d", "body_text": ""},
    ]});
    let server = Server::start(Script::default()).unwrap();
    ask(server.port(), "POST", "/__script", &script.to_string());
    let first = translate(&server, &["a"]);
    assert_eq!((first.status, first.body), (429, b"{\"b\" : 1, \"b\":2}".to_vec()));
    assert_eq!(translate(&server, &["a"]).body, b"{\"0\":\"\xff\xfe\"}");
    assert_eq!(translate(&server, &["a"]).status, 200);
    let outcomes: Vec<_> = server.calls().iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, [Outcome::Scripted, Outcome::Scripted, Outcome::Ok]);
}

#[test]
fn each_fault_breaks_the_answer_as_it_says() {
    let body = "x".repeat(200);
    let with = |fault: &str| served(&json!({"status": 200, "body_text": body, "fault": fault}));
    let reset = with("reset_after_bytes:120");
    assert_eq!((reset.body.len(), reset.end), (120, Err(ErrorKind::ConnectionReset)));
    let reset = with("reset_before_headers");
    assert_eq!((reset.status, reset.end), (0, Err(ErrorKind::ConnectionReset)));
    let short = with("close_before_content_length");
    assert_eq!((short.body.len(), short.end), (200, Ok(())));
    let hangs = with("hang_before_headers");
    assert_eq!((hangs.status, hangs.end), (0, Err(ErrorKind::WouldBlock)));
    let hangs = with("hang_after_headers");
    assert_eq!((hangs.status, hangs.end), (200, Err(ErrorKind::WouldBlock)));
    let drips = with("drip:1ms_per_byte");
    assert_eq!((drips.status, drips.end), (200, Ok(())));
    let long = with("body_bytes:1000000");
    assert_eq!((long.body.len(), long.end), (1_000_000, Ok(())));
}

#[test]
fn calls_run_at_a_time_and_one_above_the_most_is_refused() {
    let script = Script { latency_ms: 150, max_concurrent: Some(2), ..Script::default() };
    let server = Server::start(script).unwrap();
    let started = Instant::now();
    let sent: Vec<TcpStream> = ["a", "b", "c"]
        .iter()
        .map(|text| send(server.port(), "POST", "/v1/chat/completions", &chat(&[text]), ""))
        .collect();
    let mut statuses: Vec<u16> = sent.into_iter().map(|stream| receive(stream).status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 429]);
    assert!(started.elapsed() >= Duration::from_millis(150));
    let stats = server.stats();
    assert_eq!((stats.max_concurrent, stats.in_flight), (3, 0));
}

#[test]
fn a_client_that_hangs_up_gives_its_place_back() {
    let script = Script { latency_ms: 60_000, ..Script::default() };
    let server = Server::start(script).unwrap();
    let stream = send(server.port(), "POST", "/v1/chat/completions", &chat(&["a"]), "");
    until(|| server.stats().in_flight == 1);
    drop(stream);
    until(|| server.stats().in_flight == 0);
}

#[test]
fn a_call_without_the_key_is_turned_away() {
    let script = Script { key: Some("k1".into()), ..Script::default() };
    let server = Server::start(script).unwrap();
    let ask = |headers| {
        let sent = send(server.port(), "POST", "/v1/chat/completions", &chat(&["a"]), headers);
        receive(sent).status
    };
    assert_eq!([ask(""), ask("authorization: Bearer k2\r\n")], [401, 401]);
    assert_eq!(ask("authorization: Bearer k1\r\n"), 200);
}

#[test]
fn a_stopped_server_refuses_connections() {
    let server = Server::start(Script::default()).unwrap();
    let port = server.port();
    server.stop();
    let refused = TcpStream::connect(("127.0.0.1", port)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn two_runs_meet_the_same_faults_whatever_the_order() {
    let faults = Faults { empty: 30.0, truncated: 30.0, ..Faults::default() };
    let script = Script { seed: 3, faults, ..Script::default() };
    let run = |texts: &[String]| {
        let server = Server::start(script.clone()).unwrap();
        for text in texts {
            translate(&server, &[text]);
        }
        let mut met: Vec<_> =
            server.calls().into_iter().map(|call| (call.texts, call.outcome)).collect();
        met.sort();
        met
    };
    let mut texts: Vec<String> = (0..20).map(|n| format!("text {n}")).collect();
    let forwards = run(&texts);
    texts.reverse();
    assert_eq!(forwards, run(&texts));
}

#[test]
fn the_program_tells_its_port_serves_its_fixtures_and_ends_with_its_stdin() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("b.json", r#"{"status": 418, "expect": {}}"#);
    write("a.json", r#"{"status": 503, "body": null}"#);
    write("never.json", r#"{"status": 0, "fault": "connect_refused"}"#);
    let mut child = Command::new(env!("CARGO_BIN_EXE_scripted-provider"))
        .args(["--stdin", "--fixture"])
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let port = u16::try_from(told["port"].as_u64().unwrap()).unwrap();
    let status = || ask(port, "POST", "/v1/chat/completions", &chat(&["a"])).status;
    assert_eq!([status(), status(), status()], [503, 418, 200]);
    drop(child.stdin.take());
    until(|| child.try_wait().unwrap().is_some_and(|status| status.success()));
}

/// Polls until `holds`, at most five seconds.
fn until(mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !holds() {
        assert!(Instant::now() < deadline, "it did not come true in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}
