//! Frames and messages, good and bad, over real pipes.

use std::time::Duration;

use scripted_provider::Script;
use serde_json::json;

use crate::browser::{Home, PATIENCE, serve};

#[test]
fn hello_is_answered_with_welcome() {
    let home = Home::new("target = \"ko\"\n");
    let mut browser = home.start();
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "firefox"}}));
    let welcome = browser.next();
    assert_eq!(welcome["type"], "welcome");
    assert_eq!(welcome["protocol"], 1);
    assert_eq!(welcome["cache"], json!({"state": "ok"}));
    assert_eq!(welcome["target"], "ko");
    assert_eq!(welcome["providers"], json!([]));
}

#[test]
fn another_protocol_is_told_which_side_to_update() {
    let home = Home::new("");
    let mut browser = home.start();
    for (theirs, side) in [(2, "host"), (0, "extension")] {
        browser.send(&json!({"type": "hello", "protocol": theirs,
            "client": {"version": "9", "browser": "firefox"}}));
        let error = browser.next();
        assert_eq!(error["code"], "unsupported_protocol");
        assert!(error["hint"].as_str().unwrap().contains(side), "{error}");
    }
}

#[test]
fn a_frame_cut_at_any_byte_is_answered_once() {
    let home = Home::new("");
    let mut browser = home.greeted();
    let body = json!({"type": "ping", "id": 7}).to_string();
    let length = u32::try_from(body.len()).unwrap();
    let bytes = [&length.to_ne_bytes()[..], body.as_bytes()].concat();
    for cut in 1..bytes.len() {
        browser.send_bytes(&bytes[..cut]);
        browser.send_bytes(&bytes[cut..]);
        assert_eq!(browser.next(), json!({"type": "pong", "id": 7}), "cut at {cut}");
    }
}

#[test]
fn bad_messages_are_answered_and_the_connection_lives_on() {
    let home = Home::new("");
    let mut browser = home.greeted();
    let frames: [(&[u8], &str, Option<u64>); 9] = [
        (b"", "bad_message", None),
        (b"hello", "bad_message", None),
        (b"[]", "bad_message", None),
        (b"{}", "bad_message", None),
        (b"{\"type\":\"ping\",\"id\":1,\"x\":\"\xff\xfe\"}", "bad_message", None),
        (b"{\"type\":\"dance\",\"id\":5}", "unknown_type", Some(5)),
        (b"{\"type\":\"cancel\"}", "bad_message", None),
        (b"{\"type\":\"translate\",\"id\":6}", "bad_message", Some(6)),
        (b"{\"type\":\"test_provider\",\"id\":8,\"provider\":3}", "bad_message", Some(8)),
    ];
    for (frame, code, id) in frames {
        browser.send_frame(frame);
        let error = browser.next();
        assert_eq!(error["type"], "error", "{frame:?}");
        assert_eq!(error["code"], code, "{frame:?}: {error}");
        assert_eq!(error.get("id").and_then(serde_json::Value::as_u64), id, "{frame:?}");
        browser.send(&json!({"type": "ping", "id": 99, "later": true}));
        assert_eq!(browser.next()["type"], "pong");
    }
}

#[test]
fn half_an_emoji_does_not_cost_the_message() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.send_frame(
        br#"{"type":"translate","id":1,"target":"ko","page":{"origin":"https://example.org","title":""},"segments":[{"i":0,"text":"half \ud83d of it","rank":0}]}"#,
    );
    let finished = browser.finish(1);
    assert!(finished.text(0).contains("half \u{fffd} of it"), "{}", finished.text(0));
}

#[test]
fn a_frame_above_the_limit_ends_the_host_with_a_word() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.send_bytes(&(8 * 1024 * 1024 + 1_u32).to_ne_bytes());
    let error = browser.next();
    assert_eq!(error["code"], "frame_too_large");
    assert_eq!(browser.ends_within(Duration::from_secs(2)).code(), Some(0));
}

#[test]
fn a_huge_prefix_allocates_nothing() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.send_bytes(&[0xff, 0xff, 0xff, 0x7f]);
    assert_eq!(browser.next()["code"], "frame_too_large");
    assert_eq!(browser.ends_within(Duration::from_secs(2)).code(), Some(0));
}

#[test]
fn a_frame_of_eight_mebibytes_is_taken() {
    let home = Home::new("");
    let mut browser = home.greeted();
    let mut body = br#"{"type":"ping","id":3,"padding":""#.to_vec();
    body.resize(8 * 1024 * 1024 - 2, b'x');
    body.extend_from_slice(b"\"}");
    browser.send_frame(&body);
    assert_eq!(browser.next(), json!({"type": "pong", "id": 3}));
}

#[test]
fn replies_stay_below_half_a_mebibyte_and_split_at_segments() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    // Control characters grow six times when they are escaped.
    let texts: Vec<String> =
        (0..400).map(|i| format!("Text {i} {}", "\u{1}word ".repeat(600))).collect();
    let segments: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| json!({"i": i, "text": text, "rank": 2}))
        .collect();
    let page = json!({"origin": "https://example.org", "title": ""});
    for id in [1, 2] {
        browser.send(&json!({"type": "translate", "id": id, "target": "ko", "source": "en",
            "page": page, "segments": segments}));
        let mut seen = 0;
        loop {
            let frame = browser.next_frame(PATIENCE).unwrap();
            assert!(frame.len() <= 512 * 1024, "a frame of {}", frame.len());
            let message: serde_json::Value = serde_json::from_slice(&frame).unwrap();
            assert_ne!(message["type"], "failed", "{message}");
            seen += message["segments"].as_array().map_or(0, Vec::len);
            if message["type"] == "done" {
                break;
            }
        }
        assert_eq!(seen, 400, "id {id}");
    }
}

#[test]
fn an_id_or_index_used_twice_is_a_bad_message() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["One text"]);
    browser.finish(1);
    browser.translate(1, &["One text"]);
    let error = browser.next_word();
    assert_eq!((&error["code"], &error["id"]), (&json!("bad_message"), &json!(1)));

    let part = json!({"type": "translate", "id": 2, "target": "ko", "more": true,
        "segments": [{"i": 0, "text": "First"}]});
    browser.send(&part);
    browser.send(&part);
    let error = browser.next_word();
    assert_eq!((&error["code"], &error["id"]), (&json!("bad_message"), &json!(2)));
}

#[test]
fn a_reader_of_stdout_that_stops_does_not_make_memory_grow() {
    use std::io::Write;
    use std::process::Stdio;
    let home = Home::new("providers = [\"sample\"]\n[provider.sample]\nkind = \"sample\"\n");
    let mut child = home.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let pid = child.id();
    let writer = std::thread::spawn(move || {
        for id in 0..4000_u32 {
            let text = format!("word {id} ").repeat(1200);
            let segments: Vec<_> = (0..24)
                .map(|i| json!({"i": i, "text": format!("{i} {text}")[..7900].to_owned()}))
                .collect();
            let body = json!({"type": "translate", "id": id, "target": "ko",
                "page": {"origin": "https://example.org", "title": ""}, "segments": segments})
            .to_string();
            let length = u32::try_from(body.len()).unwrap().to_ne_bytes();
            if stdin.write_all(&length).and_then(|()| stdin.write_all(body.as_bytes())).is_err() {
                return id;
            }
        }
        4000
    });
    // Nobody reads; after a while the host must have stopped taking frames.
    let started = std::time::Instant::now();
    let mut last = 0;
    while started.elapsed() < Duration::from_secs(6) {
        std::thread::sleep(Duration::from_millis(200));
        last = resident_kib(pid);
    }
    assert!(last < 120 * 1024, "{last} KiB resident");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(writer.join().unwrap() < 4000, "the host took everything");
}

fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
