//! Answers in parts: segments are there before the answer has ended, and what
//! was complete is never paid for again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server, StreamFault, Streaming, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};

const KINDS: [&str; 4] = ["gemini", "openai", "anthropic", "ollama"];

/// So many texts are one call, also to a server on this machine.
pub const COUNT: usize = 4;

/// After so many parts of an answer to them two are sure, and no more.
const TWO: usize = 3;

pub fn texts(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("A sentence of some length, and it is number {i}.")).collect()
}

pub fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn with(faults: &[StreamFault]) -> Script {
    let stream = Streaming { faults: faults.to_vec(), ..Streaming::default() };
    Script { stream, ..Script::default() }
}

/// How often each text was asked for.
pub fn times_asked(server: &Server, text: &str) -> usize {
    server.calls().iter().flat_map(|call| &call.texts).filter(|asked| *asked == text).count()
}

/// Collects answers of a stream until so many are there; nothing may end it.
pub fn first(browser: &mut Browser, id: u64, count: usize) -> BTreeMap<u64, String> {
    let mut found = BTreeMap::new();
    while found.len() < count {
        let message = browser.next_word();
        if message["id"] != id {
            continue;
        }
        assert_eq!(message["type"], "translated", "{message}");
        for segment in message["segments"].as_array().unwrap() {
            let text = segment["text"].as_str().unwrap().to_owned();
            assert!(found.insert(segment["i"].as_u64().unwrap(), text).is_none());
        }
    }
    found
}

/// Checks that the early answers and those that followed are all of them, each
/// once and each its own.
pub fn check(texts: &[String], early: &BTreeMap<u64, String>, rest: &BTreeMap<u64, Value>) {
    for (i, text) in (0..).zip(texts) {
        let late = rest.get(&i).map(|segment| segment["text"].as_str().unwrap());
        let early = early.get(&i).map(String::as_str);
        assert!(early.is_none() || late.is_none(), "{i} twice");
        assert_eq!(early.or(late), Some(stand_in::stand_in(text).as_str()), "{i}");
    }
}

/// Gives the provider of these settings two seconds for a call.
fn hurry(home: &Home) {
    let path = home.path("settings.toml");
    let settings = std::fs::read_to_string(&path).unwrap() + "timeout_s = 2\n";
    std::fs::write(path, settings).unwrap();
}

/// Waits until so many entries are in the cache.
pub fn wait_for_entries(browser: &mut Browser, count: usize) {
    let started = Instant::now();
    loop {
        browser.send(&json!({"type": "cache_stats", "id": 900}));
        let entries = browser.next_word()["entries"].as_u64().unwrap();
        if entries == count as u64 {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "{entries} entries, not {count}");
    }
}

#[test]
fn the_first_segments_are_there_before_the_answer_has_ended() {
    for kind in KINDS {
        let server = serve(with(&[StreamFault::HoldAfterParts(TWO)]));
        let home = Home::at(&server, kind);
        let mut browser = home.greeted();
        let all = texts(COUNT);
        browser.translate(1, &borrowed(&all));
        let early = first(&mut browser, 1, 2);
        assert_eq!(server.stats().in_flight, 1, "{kind}: the rest is held");
        // They are in the cache by then: another browser has them, and so has
        // whoever starts this one after a crash.
        let mut second = home.greeted();
        second.translate(1, &borrowed(&all[..2]));
        assert_eq!(second.finish(1).done["from_cache"], 2, "{kind}");
        server.release();
        let finished = browser.finish(1);
        check(&all, &early, &finished.translated);
        assert_eq!(finished.done["translated"], COUNT);
        assert_eq!(finished.done["calls"], 1);
        assert!(finished.done["tokens"]["output"].as_u64().unwrap() > 0, "{}", finished.done);
        assert_eq!(server.calls().len(), 1, "{kind}");
    }
}

#[test]
fn a_stream_that_breaks_costs_no_second_payment_for_what_was_complete() {
    for (kind, fault) in KINDS.into_iter().flat_map(|kind| {
        // A line of Ollama's has half the bytes of an event.
        let bytes = if kind == "ollama" { 700 } else { 900 };
        let faults = [StreamFault::BreakAfterBytes(bytes), StreamFault::HangAfterParts(TWO)];
        faults.map(|fault| (kind, fault))
    }) {
        let server = serve(with(&[fault]));
        let home = Home::at(&server, kind);
        hurry(&home);
        let mut browser = home.greeted();
        let all = texts(COUNT);
        browser.translate(1, &borrowed(&all));
        let early = first(&mut browser, 1, 2);
        let finished = browser.finish(1);
        check(&all, &early, &finished.translated);
        let asked: Vec<usize> = all.iter().map(|text| times_asked(&server, text)).collect();
        let once = asked.iter().take_while(|times| **times == 1).count();
        assert!(once >= early.len() && once < all.len(), "{kind} {fault:?}: {asked:?}");
        assert!(asked[once..].iter().all(|times| *times == 2), "{kind} {fault:?}: {asked:?}");
    }
}

#[test]
fn after_an_error_in_the_middle_the_items_count_and_the_error_decides_the_rest() {
    // Ollama's errors in a stream name no status: they are faults that pass.
    for kind in KINDS.into_iter().filter(|kind| *kind != "ollama") {
        let server = serve(with(&[StreamFault::ErrorAfterParts(TWO)]));
        let home = Home::at(&server, kind);
        let mut browser = home.greeted();
        let all = texts(COUNT);
        browser.translate(1, &borrowed(&all));
        let early = first(&mut browser, 1, 2);
        let waiting = loop {
            let message = browser.next();
            if message["waiting"].is_object() {
                break message;
            }
        };
        assert_eq!(waiting["waiting"]["code"], "rate_limited", "{kind}: {waiting}");
        let translated = waiting["translated"].as_u64().unwrap();
        assert!(translated >= early.len() as u64 && translated < COUNT as u64, "{kind}: {waiting}");
        assert_eq!(server.calls().len(), 1);
    }
}

#[test]
fn a_slow_drip_is_given_up_in_time() {
    let server = serve(with(&[StreamFault::DripMs(40)]));
    let home = Home::at(&server, "gemini");
    hurry(&home);
    let mut browser = home.greeted();
    let started = Instant::now();
    let all = texts(COUNT);
    browser.translate(1, &borrowed(&all));
    let finished = browser.finish(1);
    check(&all, &BTreeMap::new(), &finished.translated);
    assert_eq!(finished.done["calls"], 2);
    assert!(started.elapsed() < Duration::from_secs(20), "the bytes that came do not count");
}

#[test]
fn a_server_that_answers_whole_all_the_same_is_understood() {
    for kind in KINDS {
        let stream = Streaming { ignored: true, ..Streaming::default() };
        let server = serve(Script { stream, ..Script::default() });
        let home = Home::at(&server, kind);
        let mut browser = home.greeted();
        let all = texts(COUNT);
        browser.translate(1, &borrowed(&all));
        let finished = browser.finish(1);
        check(&all, &BTreeMap::new(), &finished.translated);
        assert_eq!(finished.done["calls"], 1, "{kind}");
    }
}

#[test]
fn one_text_alone_and_a_test_are_asked_for_whole() {
    let server = serve(Script::default());
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    browser.translate(1, &["A text that is alone"]);
    browser.finish(1);
    browser.send(&json!({"type": "test_provider", "id": 2, "provider": "main"}));
    assert_eq!(browser.next_word()["ok"], true);
    browser.translate(3, &["A text that is not alone", "The other one of the two"]);
    browser.finish(3);
    let calls = server.calls();
    let in_parts: Vec<bool> = calls.iter().map(|call| call.path.contains("stream")).collect();
    assert_eq!(in_parts, [false, false, true]);
}

#[test]
fn a_stream_whose_segments_are_all_there_ends_when_its_cost_is_known() {
    let mut script = with(&[StreamFault::HoldAfterParts(TWO)]);
    script.latency_ms = 600;
    let server = serve(script);
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    let all = texts(COUNT);
    // Another tab wants the first two as well.
    browser.translate(1, &borrowed(&all));
    browser.translate(2, &borrowed(&all[..2]));
    first(&mut browser, 2, 2);
    browser.send(&json!({"type": "ping", "id": 901}));
    let next = loop {
        let message = browser.next_word();
        if message["type"] != "translated" {
            break message;
        }
    };
    assert_eq!(next["type"], "pong", "the call has not ended");
    server.release();
    let mut done = BTreeMap::new();
    while done.len() < 2 {
        let message = browser.next_word();
        if message["type"] == "done" {
            done.insert(message["id"].as_u64().unwrap(), message.clone());
        }
    }
    for (id, count) in [(1, COUNT), (2, 2)] {
        let done = &done[&id];
        assert_eq!((&done["translated"], &done["calls"]), (&json!(count), &json!(1)), "{done}");
        assert!(done["tokens"]["input"].as_u64().unwrap() > 0, "{done}");
    }
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn what_comes_after_a_cancel_is_remembered() {
    let server = serve(with(&[StreamFault::HoldAfterParts(TWO)]));
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    let all = texts(COUNT);
    browser.translate(1, &borrowed(&all));
    first(&mut browser, 1, 2);
    browser.send(&json!({"type": "cancel", "id": 1}));
    let done = browser.finish(1).done;
    assert!(done["cancelled"].as_u64().unwrap() >= 2, "{done}");
    server.release();
    wait_for_entries(&mut browser, COUNT);
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn private_segments_come_early_and_leave_nothing_behind() {
    let server = serve(with(&[StreamFault::HoldAfterParts(TWO)]));
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    let all = texts(COUNT);
    browser.translate_as(1, &borrowed(&all), &json!({"private": true}));
    let early = first(&mut browser, 1, 2);
    wait_for_entries(&mut browser, 0);
    server.release();
    check(&all, &early, &browser.finish(1).translated);
    wait_for_entries(&mut browser, 0);
}
