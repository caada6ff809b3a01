//! The wire format is a document with fixtures: each of `tests/protocol/*.json`
//! is read and written back by the host without a change.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use serde_json::Value;
use webtranslator::protocol::{Reply, Request, read_request};

/// Reads every fixture: its name, direction and message.
fn fixtures() -> Vec<(String, String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/protocol");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let fixture: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let direction = fixture["direction"].as_str().unwrap().to_owned();
            (name, direction, fixture["message"].clone())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn every_message_survives_being_read_and_written() {
    let mut seen = 0;
    for (name, direction, message) in fixtures() {
        let written = if direction == "to_host" {
            let mut frame = serde_json::to_vec(&message).unwrap();
            let request: Request =
                read_request(&mut frame).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            serde_json::to_value(request)
        } else {
            let reply: Reply =
                serde_json::from_value(message.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
            serde_json::to_value(reply)
        };
        assert_eq!(written.unwrap(), message, "{name}");
        seen += 1;
    }
    assert!(seen >= 44, "only {seen} fixtures were found");
}

#[test]
fn every_type_of_the_wire_has_a_fixture() {
    let types: Vec<String> =
        fixtures().iter().map(|f| format!("{}:{}", f.1, f.2["type"].as_str().unwrap())).collect();
    for name in [
        "hello",
        "translate",
        "prioritize",
        "cancel",
        "get_settings",
        "set_settings",
        "dictionary_get",
        "dictionary_set",
        "dictionary_test",
        "cache_stats",
        "cache_clear",
        "cache_forget",
        "cache_find",
        "cache_correct",
        "test_provider",
        "detect_providers",
        "status",
        "usage",
        "ping",
    ] {
        assert!(types.contains(&format!("to_host:{name}")), "{name}");
    }
    for name in [
        "welcome",
        "translated",
        "failed",
        "progress",
        "done",
        "settings",
        "dictionary",
        "dictionary_tested",
        "cache",
        "cache_found",
        "cache_corrected",
        "provider_tested",
        "providers_detected",
        "status",
        "usage",
        "pong",
        "notice",
        "error",
    ] {
        assert!(types.contains(&format!("to_extension:{name}")), "{name}");
    }
}
