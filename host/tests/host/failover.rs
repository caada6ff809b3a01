//! One provider is out, the next one translates: who it was, why, and for how long.

use scripted_provider::{Answer, Script, Server};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};
use crate::changes::settings;

fn answer(status: u16, headers: &Value, error: &Value) -> Answer {
    let body = json!({"error": error});
    serde_json::from_value(json!({"status": status, "headers": headers, "body": body})).unwrap()
}

/// A server that gives this answer first, and another one that is always well.
fn pair(first: Answer) -> (Server, Server, Home) {
    let a = serve(Script { queue: vec![first], ..Script::default() });
    let b = serve(Script::default());
    let home = Home::new(&settings(&[("a", &a), ("b", &b)], 60));
    (a, b, home)
}

fn state_of_a(browser: &mut Browser) -> Value {
    browser.send(&json!({"type": "status", "id": 900}));
    let told = browser.next_word();
    assert_eq!(told["providers"][1]["state"], "ready", "{told}");
    told["providers"][0].clone()
}

#[test]
fn a_pair_that_a_server_does_not_have_costs_one_call_and_no_other_pair() {
    let refused: Answer = serde_json::from_value(json!({"status": 400,
        "headers": {"content-type": "application/json"},
        "body": {"status": "error", "code": 400, "message": "Bad Request",
            "explanation": "That pair is not installed"}}))
    .unwrap();
    let server = serve(Script { queue: vec![refused], latency_ms: 50, ..Script::default() });
    let mut browser = Home::at(&server, "apertium").greeted();
    let texts: Vec<String> = (0..120).map(|n| format!("Sentence number {n} of the page")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    browser.translate_as(1, &texts, &json!({"target": "fr"}));
    let finished = browser.finish(1);
    assert_eq!(finished.failed.len(), 120);
    assert!(finished.failed.values().all(|code| code == "unsupported_pair"));
    assert_eq!((server.calls().len(), &finished.done["calls"]), (1, &json!(1)));
    browser.translate_as(2, &texts[..3], &json!({"target": "es"}));
    assert_eq!(browser.finish(2).translated.len(), 3);
    browser.translate_as(3, &texts[..3], &json!({"target": "fr"}));
    assert_eq!(browser.finish(3).failed.len(), 3);
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn a_key_that_is_not_accepted_leaves_the_page_to_the_next_provider() {
    let a = serve(Script { key: Some("right-key-9876".to_owned()), ..Script::default() });
    let b = serve(Script::default());
    let home = Home::new(&settings(&[("a", &a), ("b", &b)], 60));
    let mut browser = home.greeted();
    let texts: Vec<String> = (0..30).map(|i| format!("A sentence with the number {i}.")).collect();
    browser.translate(1, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let finished = browser.finish(1);
    assert_eq!(finished.translated.len(), 30);
    assert!(finished.translated.values().all(|segment| segment["provider"] == "b"));
    assert_eq!(a.calls().len(), 1, "one call finds it out");

    let told = state_of_a(&mut browser);
    assert_eq!((&told["state"], &told["code"]), (&json!("misconfigured"), &json!("unauthorized")));
    let message = told["message"].as_str().unwrap();
    assert!(message.starts_with("a did not accept the key"), "{message}");
    assert!(message.contains("Incorrect API key provided"), "its own words: {message}");

    // The right key makes it the first again.
    browser.send(&json!({"type": "set_settings", "id": 2,
        "settings": {"provider": {"a": {"key": "right-key-9876"}}}}));
    assert_eq!(browser.next_word()["type"], "settings");
    assert_eq!(browser.translate_one("Another sentence."), "a");
    assert_eq!(state_of_a(&mut browser)["state"], "ready");
}

#[test]
fn a_quota_that_is_used_up_is_told_with_its_end() {
    let error = json!({"message": "You have had enough for now.", "code": "rate_limit_exceeded"});
    let (a, _b, home) = pair(answer(429, &json!({"retry-after": "7200"}), &error));
    let mut browser = home.greeted();
    let before = jiff::Timestamp::now().as_millisecond();
    assert_eq!(browser.translate_one("A sentence."), "b");
    assert_eq!(browser.translate_one("Another sentence."), "b");
    assert_eq!(a.calls().len(), 1);

    let told = state_of_a(&mut browser);
    assert_eq!((&told["state"], &told["code"]), (&json!("out"), &json!("quota_exhausted")));
    let ahead = told["until"].as_i64().unwrap() - before;
    assert!((7_199_000..7_300_000).contains(&ahead), "{ahead} ms ahead");
    let message = told["message"].as_str().unwrap();
    assert!(message.starts_with("The quota of a is used up."), "{message}");
    assert!(
        message.contains("You have had enough for now.") && message.contains("2 h"),
        "{message}"
    );
}

#[test]
fn when_its_time_has_come_the_first_provider_is_the_first_again() {
    // By the server's clock its day is over since long.
    let error = json!({"message": "Limit of requests per day reached."});
    let headers = json!({"date": "Mon, 02 Nov 2026 10:00:00 GMT"});
    let (a, _b, home) = pair(answer(429, &headers, &error));
    let mut browser = home.greeted();
    assert_eq!(browser.translate_one("A sentence."), "b");
    assert_eq!(browser.translate_one("Another sentence."), "a");
    assert_eq!(browser.translate_one("A third sentence."), "a");
    assert_eq!(a.calls().len(), 3);
}

#[test]
fn where_nobody_is_left_the_texts_fail_with_the_reason() {
    let error = json!({"message": "Limit of requests per day reached."});
    let a = serve(Script {
        queue: vec![answer(429, &json!({"retry-after": "7200"}), &error)],
        ..Script::default()
    });
    let b = serve(Script { key: Some("right".to_owned()), ..Script::default() });
    let home = Home::new(&settings(&[("a", &a), ("b", &b)], 60));
    let mut browser = home.greeted();
    browser.translate(1, &["A sentence.", "Another sentence."]);
    let finished = browser.finish(1);
    assert_eq!(finished.failed.len(), 2);
    assert_eq!(finished.failed[&0], "quota_exhausted", "who comes back first is told");
    assert!(finished.message.starts_with("The quota of a is used up."), "{}", finished.message);
    assert_eq!((a.calls().len(), b.calls().len()), (1, 1));
}
