//! Answers in parts that are not what they seem: what is wrong is never shown,
//! and what may be wrong waits for the end.

use std::collections::BTreeMap;

use scripted_provider::script::Faults;
use scripted_provider::{Answer, Outcome, Script, stand_in};
use serde_json::json;

use crate::browser::{Home, serve};
use crate::early::{COUNT, borrowed, check, first, texts, times_asked, wait_for_entries};

/// An answer in parts that says this, piece by piece.
pub fn stream_of(pieces: &[&str]) -> Answer {
    let event = |piece: &&str| {
        let choice = json!({"index": 0, "delta": {"content": piece}, "finish_reason": null});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let body: String = pieces.iter().map(event).collect();
    let body = format!("{body}data: {end}\n\ndata: [DONE]\n\n");
    serde_json::from_value(json!({"status": 200, "headers": {"content-type": "text/event-stream"},
        "body_text": body}))
    .unwrap()
}

#[test]
fn a_shifted_stream_without_a_schema_shows_nothing_wrong() {
    let refusal: Answer = serde_json::from_value(json!({"status": 400, "headers": {},
        "body": {"error": {"message": "Unknown name responseJsonSchema", "code": 400}}}))
    .unwrap();
    let faults = Faults { shifted: 100.0, ..Faults::default() };
    let server = serve(Script { queue: vec![refusal], faults, ..Script::default() });
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    let words = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    let all = words.map(|word| format!("{word} of the sentences that stand here without a number"));
    browser.translate(1, &borrowed(&all));
    let finished = browser.finish(1);
    check(&all, &BTreeMap::new(), &finished.translated);
    let calls = server.calls();
    assert_eq!((calls[0].outcome, calls[1].outcome), (Outcome::Scripted, Outcome::Shifted));
    assert!(calls[1].path.contains("stream"), "it came in parts");
    assert_eq!(calls[1].texts.len(), all.len());
}

#[test]
fn a_reply_that_breaks_its_schema_ends_the_trust_and_is_not_remembered() {
    let all = texts(COUNT);
    let own = |i: usize| format!("\"{i}\":{}", json!(stand_in::stand_in(&all[i])));
    // The last id is missing: whatever stands before it may be shifted.
    let short = stream_of(&["{", &own(0), ",", &own(1), ",", &own(2), "}"]);
    let server = serve(Script { queue: vec![short], latency_ms: 100, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &borrowed(&all));
    let early = first(&mut browser, 1, 2);
    wait_for_entries(&mut browser, 0);
    // The others are asked again, and nothing is used of that before its end.
    let message = browser.next_word();
    assert_eq!(message["segments"].as_array().unwrap().len(), 2, "{message}");
    assert_eq!((early.len(), browser.finish(1).done["translated"].as_u64()), (2, Some(4)));
    let calls = server.calls();
    assert!(calls.len() == 2 && calls[1].body.contains("\"stream\":true"), "{calls:?}");
    wait_for_entries(&mut browser, 2);
}

#[test]
fn an_id_that_comes_twice_is_distrusted_and_what_stood_before_it_is_not() {
    let all = texts(4);
    let own = |i: usize| format!("\"{i}\":{}", json!(stand_in::stand_in(&all[i])));
    let twice = format!("\"1\":{}", json!(stand_in::stand_in(&all[2])));
    let reply = ["{", &own(0), ",", &own(1), ",", &twice, ",", &own(2), ",", &own(3), "}"];
    let server = serve(Script { queue: vec![stream_of(&reply)], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &borrowed(&all));
    let early = first(&mut browser, 1, 1);
    assert_eq!(early.keys().collect::<Vec<_>>(), [&0]);
    let finished = browser.finish(1);
    check(&all, &early, &finished.translated);
    assert_eq!(times_asked(&server, &all[0]), 1);
    assert!((1..4).all(|i| times_asked(&server, &all[i]) == 2));
    wait_for_entries(&mut browser, 4);
}

#[test]
fn of_a_stream_that_is_mostly_doubtful_no_more_is_used() {
    let all: Vec<String> = (1..=6).map(|i| format!("Chapter {i}{i}{i} is about the sea")).collect();
    // Each with its neighbour's text, and the third by chance its own.
    let shifted: Vec<String> = [1, 2, 2, 4, 5, 0]
        .iter()
        .enumerate()
        .map(|(id, of)| format!("\"{id}\":{}", json!(stand_in::stand_in(&all[*of]))))
        .collect();
    let reply = format!("{{{}}}", shifted.join(","));
    let server = serve(Script { queue: vec![stream_of(&[&reply])], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &borrowed(&all));
    let finished = browser.finish(1);
    check(&all, &BTreeMap::new(), &finished.translated);
    assert_eq!(times_asked(&server, &all[2]), 2, "nothing of it was believed");
}
