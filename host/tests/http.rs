//! Answers in parts over HTTP: what is passed on, when it is given up, and what
//! is kept of a body that ends before its end.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use scripted_provider::{Answer as Scripted, Script, Server, StreamFault, Streaming};
use serde_json::json;
use webtranslator::http::{Deadlines, Http};
use webtranslator::provider::{
    self, Answer, Ask, Config, Key, Request, Response, Text, TransportFault,
};

/// Far above what any answer of these tests takes.
const LONG: Duration = Duration::from_secs(30);

fn request(server: &Server) -> Request {
    let config = Config {
        kind: "openai".to_owned(),
        model: "m".to_owned(),
        base_url: format!("{}/v1", server.url()),
        key: Some(Key("k".to_owned())),
        ..Config::default()
    };
    let text = |n: usize| Text { text: format!("A text, number {n}"), marked: false };
    let ask = Ask {
        target: "ko".to_owned(),
        texts: (0..6).map(text).collect(),
        stream: true,
        ..Ask::default()
    };
    provider::make(&config).unwrap().build(&ask).unwrap()
}

/// Sends a call: what came of it, what was passed on, and how long it took.
fn send(script: Script, deadlines: Deadlines) -> (Response, Vec<u8>, Duration) {
    let server = Server::start(script).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut passed = Vec::new();
    let mut parts = |bytes: &[u8]| passed.extend_from_slice(bytes);
    let started = Instant::now();
    let request = request(&server);
    let http = Http::default();
    let response = runtime.block_on(http.send_in_parts(&request, &deadlines, &mut parts));
    (response, passed, started.elapsed())
}

fn with(fault: StreamFault) -> Script {
    let stream = Streaming { faults: vec![fault], ..Streaming::default() };
    Script { stream, ..Script::default() }
}

fn answer(response: Response) -> Answer {
    match response {
        Response::Answer(answer) => answer,
        Response::Fault(fault) => panic!("{fault:?}"),
    }
}

#[test]
fn what_comes_is_passed_on_and_kept() {
    let deadlines = Deadlines::in_parts(LONG, false);
    let (response, passed, _) = send(Script { latency_ms: 50, ..Script::default() }, deadlines);
    let answer = answer(response);
    assert_eq!((answer.status, answer.broken), (200, None));
    assert!(passed.ends_with(b"data: [DONE]\n\n"));
    assert_eq!(passed, answer.body);
}

#[test]
fn a_first_byte_that_is_late_ends_the_call() {
    let deadlines = Deadlines { first_byte: Duration::from_millis(200), ..Deadlines::whole(LONG) };
    let (response, passed, took) =
        send(Script { latency_ms: 60_000, ..Script::default() }, deadlines);
    assert_eq!((response, passed.len()), (Response::Fault(TransportFault::Timeout), 0));
    assert!(took < LONG, "{took:?}");
}

#[test]
fn silence_in_the_middle_ends_the_call_and_what_came_is_kept() {
    let deadlines = Deadlines { between: Duration::from_millis(200), ..Deadlines::whole(LONG) };
    let (response, passed, took) = send(with(StreamFault::HangAfterParts(3)), deadlines);
    let answer = answer(response);
    assert_eq!(answer.broken, Some(TransportFault::Timeout));
    assert_eq!(String::from_utf8_lossy(&answer.body).matches("data:").count(), 3);
    assert_eq!(passed, answer.body);
    assert!(took < LONG, "{took:?}");
}

#[test]
fn a_drip_is_cut_by_the_total_deadline() {
    let total = Duration::from_millis(400);
    let deadlines = Deadlines { total, ..Deadlines::whole(LONG) };
    let (response, passed, took) = send(with(StreamFault::DripMs(20)), deadlines);
    let answer = answer(response);
    assert_eq!(answer.broken, Some(TransportFault::Timeout));
    assert!(passed.len() > 3 && passed == answer.body, "{}", passed.len());
    assert!(took >= total && took < LONG, "{took:?}");
}

#[test]
fn a_connection_that_breaks_keeps_what_came() {
    let deadlines = Deadlines::in_parts(LONG, false);
    let (response, passed, _) = send(with(StreamFault::BreakAfterBytes(333)), deadlines);
    let answer = answer(response);
    assert_eq!(answer.broken, Some(TransportFault::Broken));
    assert_eq!((answer.body.len(), passed.len()), (333, 333));
}

#[test]
fn an_answer_with_an_error_is_not_passed_on() {
    let error: Scripted =
        serde_json::from_value(json!({"status": 429, "headers": {}, "body_text": "slower"}))
            .unwrap();
    let script = Script { queue: vec![error], ..Script::default() };
    let (response, passed, _) = send(script, Deadlines::in_parts(LONG, false));
    assert_eq!((answer(response).body.as_slice(), passed.len()), (&b"slower"[..], 0));
}

#[test]
fn a_break_is_told_from_a_body_that_cannot_be_decoded() {
    let check = |fixture: serde_json::Value, expected: TransportFault| {
        let answer: Scripted = serde_json::from_value(fixture).unwrap();
        let script = Script { queue: vec![answer], ..Script::default() };
        let (response, _, _) = send(script, Deadlines::in_parts(LONG, false));
        let found = match response {
            Response::Answer(answer) => answer.broken.unwrap(),
            Response::Fault(fault) => fault,
        };
        assert_eq!(found, expected);
    };
    let body = "x".repeat(300);
    let with = |fault: &str| json!({"status": 200, "body_text": body, "fault": fault});
    check(with("reset_after_bytes:100"), TransportFault::Broken);
    check(with("close_before_content_length"), TransportFault::Broken);
    check(with("reset_before_headers"), TransportFault::Broken);
    let gzip = json!({"status": 200, "headers": {"content-encoding": "gzip"}, "body_text": body,
        "fault": "content_encoding_gzip_but_plain"});
    check(gzip, TransportFault::Undecodable);
}
