//! Jobs that several ids share, in odd orders: cut up, taken apart, cancelled,
//! refused. Whatever comes first, every id ends.

use std::time::{Duration, Instant};

use scripted_provider::{Answer, Script, Server, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};

/// A chat completion with this content.
fn answer(content: &str, finish: &str) -> Answer {
    serde_json::from_value(json!({"status": 200, "headers": {"content-type": "application/json"},
        "body": {"choices": [{"index": 0, "finish_reason": finish,
            "message": {"role": "assistant", "content": content}}]}}))
    .unwrap()
}

fn lost_tags() -> Answer {
    answer(r#"{"0":"꼬리표를 잃었다"}"#, "stop")
}

fn cut_short() -> Answer {
    answer("{\"0\":\"너무", "length")
}

fn marked(browser: &mut Browser, id: u64, text: &str) {
    browser.send(&json!({"type": "translate", "id": id, "target": "ko", "source": "en",
        "page": {"origin": "https://example.org", "title": "A page"},
        "segments": [{"i": 0, "text": text, "tags": 1, "rank": 0}]}));
}

fn wait_until(test: impl Fn() -> bool) {
    let started = Instant::now();
    while !test() {
        assert!(started.elapsed() < Duration::from_secs(10), "it does not come to pass");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn call_under_way(server: &Server, calls: usize) {
    wait_until(|| server.calls().len() >= calls && server.stats().in_flight > 0);
}

fn cancel(browser: &mut Browser, id: u64) {
    browser.send(&json!({"type": "cancel", "id": id}));
    assert_eq!(browser.finish(id).done["cancelled"], 1, "{id}");
}

const MARKED: &str = "Click on <1>the button</1> now please";

#[test]
fn a_text_whose_tags_are_lost_after_its_cancel_can_be_asked_again() {
    let queue = vec![lost_tags(), lost_tags()];
    let server = serve(Script { latency_ms: 300, queue, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    marked(&mut browser, 1, MARKED);
    call_under_way(&server, 2);
    cancel(&mut browser, 1);
    wait_until(|| server.stats().in_flight == 0);
    std::thread::sleep(Duration::from_millis(200));
    marked(&mut browser, 2, MARKED);
    assert_eq!(browser.finish(2).done["translated"], 1);
}

#[test]
fn a_piece_is_asked_for_all_who_want_its_whole() {
    let queue = vec![lost_tags(), lost_tags(), answer("", "stop")];
    let server = serve(Script { latency_ms: 400, queue, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    marked(&mut browser, 1, MARKED);
    marked(&mut browser, 2, MARKED);
    call_under_way(&server, 2);
    browser.translate(3, &["the button"]);
    call_under_way(&server, 3);
    cancel(&mut browser, 3);
    cancel(&mut browser, 1);
    let finished = browser.finish(2);
    let piece = stand_in::stand_in("the button");
    assert!(finished.text(0).contains(&piece), "{}", finished.text(0));
}

#[test]
fn parts_of_a_failed_whole_can_be_asked_again() {
    let queue = vec![cut_short(), cut_short()];
    let refuse = vec!["zarglefrak".to_owned()];
    let server = serve(Script { refuse, queue: queue.clone(), ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let sentences = (0..200).map(|i| format!("This is sentence {i} of the text."));
    let text = format!("A zarglefrak. {}", sentences.collect::<Vec<_>>().join(" "));
    browser.translate(1, &[&text]);
    assert_eq!(browser.finish(1).failed[&0], "refused");
    std::thread::sleep(Duration::from_millis(200));
    server.set_script(Script { queue, ..Script::default() });
    browser.translate_as(2, &[&text], &json!({"retry": true}));
    let finished = browser.finish(2);
    assert!(finished.text(0).contains("sentence 199"), "{}", finished.text(0));
}

#[test]
fn what_is_left_of_a_failed_whole_is_not_asked_any_more() {
    let refuse = vec!["zarglefrak".to_owned()];
    let server = serve(Script { refuse, queue: vec![cut_short(); 2], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let sentences = (0..200).map(|i| format!("This is sentence {i} of the text."));
    let text = format!("A zarglefrak. {}", sentences.collect::<Vec<_>>().join(" "));
    browser.translate_as(1, &[&text], &json!({"more": true}));
    assert_eq!(browser.next_word()["segments"][0]["code"], "refused");
    std::thread::sleep(Duration::from_millis(200));
    let last = json!([{"i": 1, "text": "A text that comes after it", "rank": 0}]);
    browser.send(&json!({"type": "translate", "id": 1, "target": "ko", "segments": last}));
    assert_eq!(browser.finish(1).done["translated"], 1);
    let calls = server.calls();
    let parts = calls.iter().filter(|call| call.texts[0].contains("sentence"));
    assert_eq!(parts.count(), 3, "the whole twice, and the part that is refused");
}

#[test]
fn a_message_that_cannot_be_read_ends_its_id() {
    let server = serve(Script { latency_ms: 300, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let part = |segments: Value| json!({"type": "translate", "id": 1, "target": "ko", "more": true, "segments": segments});
    browser.send(&part(json!([{"i": 0, "text": "A text of the first part"}])));
    browser.send(&part(json!([{"i": "one", "text": "A text of the second part"}])));
    let error = browser.next_word();
    assert_eq!((&error["type"], &error["id"]), (&json!("error"), &json!(1)), "{error}");
    std::thread::sleep(Duration::from_millis(600));
    browser.send(&json!({"type": "ping", "id": 9}));
    assert_eq!(browser.next()["type"], "pong", "the error stands for the done");
    browser.translate(1, &["A text after the end"]);
    assert_eq!(browser.next_word()["code"], "bad_message", "the id is closed");
}

#[test]
fn a_text_is_cut_until_it_fits() {
    // The whole and its four parts, each twice: only parts of parts fit.
    let server = serve(Script { queue: vec![cut_short(); 10], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let sentences = (0..200).map(|i| format!("This is sentence {i} of the text."));
    let text = sentences.collect::<Vec<_>>().join(" ");
    browser.translate(1, &[&text]);
    let finished = browser.finish(1);
    assert!(finished.text(0).contains("sentence 199"), "{}", finished.text(0));
    browser.translate(2, &[&text]);
    assert_eq!(browser.finish(2).done["from_cache"], 1, "the whole is remembered");
}

#[test]
fn a_long_text_inside_one_pair_of_tags_is_cut_between_them() {
    let server = serve(Script { queue: vec![cut_short(), cut_short()], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let text = format!("<1>{}</1>", "This is one sentence of many. ".repeat(100).trim());
    marked(&mut browser, 1, &text);
    let finished = browser.finish(1);
    assert_eq!(finished.failed.len(), 0, "{}", finished.message);
    let answer = finished.text(0);
    assert!(answer.starts_with("<1>") && answer.ends_with("</1>"), "{answer}");
    assert_eq!(answer.matches("one sentence").count(), 100);
}

#[test]
fn a_text_that_is_cancelled_while_its_call_waits_for_leave_is_not_sent() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate_one("The file is there now");
    let mut file = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    let busy = file.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    browser.translate(2, &["Nobody wants this any more"]);
    browser.translate(3, &["Somebody wants this still"]);
    // Meanwhile the texts are looked up, and leave is asked for.
    for id in 10..60 {
        browser.send(&json!({"type": "ping", "id": id}));
        while browser.next()["type"] != "pong" {}
    }
    cancel(&mut browser, 2);
    drop(busy);
    assert_eq!(browser.finish(3).text(0), stand_in::stand_in("Somebody wants this still"));
    let sent: Vec<String> = server.calls().into_iter().flat_map(|call| call.texts).collect();
    assert_eq!(sent, ["The file is there now", "Somebody wants this still"]);
}
