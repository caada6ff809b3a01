//! Answers in parts over the provider's port, as a client sees them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test file are tests as well")]

use scripted_provider::{Outcome, Script, Server, StreamFault, Streaming};
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const TEXTS: [&str; 3] = ["one text", "another text", "the last text"];

fn serve(latency_ms: u64, stream: Streaming) -> Server {
    Server::start(Script { latency_ms, stream, ..Script::default() }).unwrap()
}

/// Asks for an answer in parts.
fn ask(server: &Server) -> TcpStream {
    let texts: serde_json::Map<_, _> =
        TEXTS.iter().enumerate().map(|(n, text)| (n.to_string(), json!(text))).collect();
    let content = serde_json::Value::from(texts).to_string();
    let body = json!({"stream": true, "messages": [{"role": "user", "content": content}]});
    let body = body.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    stream
}

/// Reads until so many parts have come, and returns them.
fn read_parts(stream: &mut TcpStream, count: usize) -> String {
    let mut came = Vec::new();
    let mut byte = [0];
    while String::from_utf8_lossy(&came).matches("}\n\n").count() < count {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&came));
        came.push(byte[0]);
    }
    String::from_utf8(came).unwrap()
}

/// Reads to the end: what came, and whether the connection stayed.
fn rest(stream: &mut TcpStream, patience: Duration) -> (String, bool) {
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut came = Vec::new();
    let end = stream.read_to_end(&mut came);
    let stays = end.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    (String::from_utf8_lossy(&came).into_owned(), stays)
}

fn with(fault: StreamFault) -> Streaming {
    Streaming { faults: vec![fault], ..Streaming::default() }
}

#[test]
fn the_parts_come_one_after_the_other_in_the_time_of_the_whole() {
    let server = serve(400, Streaming::default());
    let started = Instant::now();
    let mut stream = ask(&server);
    read_parts(&mut stream, 1);
    let first = started.elapsed();
    assert_eq!(server.stats().in_flight, 1, "it runs until its last part");
    let (came, stays) = rest(&mut stream, Duration::from_secs(5));
    assert!(came.contains("data: [DONE]") && !stays, "{came}");
    let last = started.elapsed();
    assert!(first < last / 2, "{first:?} of {last:?}");
    assert!(last >= Duration::from_millis(400), "{last:?}");
    assert_eq!((server.stats().in_flight, server.calls()[0].outcome), (0, Outcome::Ok));
}

#[test]
fn what_is_held_goes_on_when_it_is_told() {
    let server = serve(0, with(StreamFault::HoldAfterParts(2)));
    let mut stream = ask(&server);
    let held = read_parts(&mut stream, 2);
    assert!(held.contains("one") && !held.contains("last text"), "{held}");
    assert_eq!(server.stats().in_flight, 1);
    server.release();
    let (came, stays) = rest(&mut stream, Duration::from_secs(5));
    assert!(came.contains("data: [DONE]") && !stays, "{came}");
}

#[test]
fn each_fault_stops_a_stream_as_it_says_and_only_one_stream() {
    let server = serve(0, with(StreamFault::HangAfterParts(2)));
    let (came, stays) = rest(&mut ask(&server), Duration::from_millis(300));
    assert!(came.matches("data:").count() == 2 && stays, "{came}");
    let (came, stays) = rest(&mut ask(&server), Duration::from_secs(5));
    assert!(came.contains("[DONE]") && !stays, "{came}");

    let server = serve(0, with(StreamFault::BreakAfterBytes(100)));
    let (came, stays) = rest(&mut ask(&server), Duration::from_secs(5));
    assert!(came.contains("data:") && !came.contains("[DONE]") && !stays, "{came}");

    let server = serve(0, with(StreamFault::ErrorAfterParts(1)));
    let (came, _) = rest(&mut ask(&server), Duration::from_secs(5));
    assert!(came.contains("overloaded") && came.matches("data:").count() == 2, "{came}");
    assert_eq!(server.calls()[0].outcome, Outcome::Interrupted);

    let server = serve(0, with(StreamFault::DripMs(1)));
    let started = Instant::now();
    let (came, _) = rest(&mut ask(&server), Duration::from_secs(5));
    assert!(came.ends_with("0\r\n\r\n") && server.calls()[0].outcome == Outcome::Ok, "{came}");
    assert!(started.elapsed() > Duration::from_millis(200));
}
