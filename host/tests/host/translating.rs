//! The way of one text, and what the queue makes of bad replies.

use scripted_provider::script::Faults;
use scripted_provider::{Answer, Script, stand_in};
use serde_json::json;

use crate::browser::{Home, serve};

#[test]
fn texts_are_translated_and_remembered() {
    let server = serve(Script::default());
    for kind in ["openai", "gemini"] {
        let home = Home::at(&server, kind);
        let mut browser = home.greeted();
        browser.translate(1, &["Hello there", "Read more", "Hello there"]);
        let finished = browser.finish(1);
        assert_eq!(finished.text(0), stand_in::stand_in("Hello there"));
        assert_eq!(finished.text(1), stand_in::stand_in("Read more"));
        assert_eq!(finished.text(2), finished.text(0));
        assert_eq!(finished.done["translated"], 3);
        assert_eq!(finished.done["from_cache"], 0);
        let paid = server.calls().len();

        let mut second = home.greeted();
        second.translate(1, &["Hello there", "Read more"]);
        let again = second.finish(1);
        assert_eq!(again.text(0), finished.text(0));
        assert_eq!(again.done["from_cache"], 2);
        assert_eq!(server.calls().len(), paid, "{kind}: the second browser paid again");
    }
}

#[test]
fn under_faults_exactly_the_refused_texts_fail() {
    let server = serve(Script {
        latency_ms: 30,
        refuse: vec!["zarglefrak".to_owned()],
        faults: Faults {
            empty: 8.0,
            dropped: 4.0,
            short: 4.0,
            truncated: 3.0,
            // A 503 costs pauses of up to a minute: the guide has those.
            ..Faults::default()
        },
        ..Script::default()
    });
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    let texts: Vec<String> = (0..300)
        .map(|i| match i % 50 {
            7 => format!("The zarglefrak developers broke case {i} again."),
            8 => "Two equal texts stand side by side.".to_owned(),
            _ => format!("Report {i}: the new crafting bench resets my key bindings."),
        })
        .collect();
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    browser.translate(1, &borrowed);
    let finished = browser.finish(1);
    for (i, text) in texts.iter().enumerate() {
        let i = i as u64;
        if text.contains("zarglefrak") {
            assert_eq!(finished.failed[&i], "refused");
        } else {
            // A text whose answer was cut twice is translated in parts.
            assert!(stand_in::is_stand_in_of(text, finished.text(i)), "{}", finished.text(i));
        }
    }
    assert_eq!(finished.done["failed"], 6);
    assert_eq!(finished.progress["translated"], 294);

    let asked = server.calls().len();
    let mut second = home.greeted();
    second.translate(1, &borrowed);
    let again = second.finish(1);
    assert_eq!(again.done["from_cache"], 294);
    assert_eq!(again.failed.len(), 6);
    assert_eq!(server.calls().len(), asked, "a refusal is remembered");
    second.translate_as(2, &borrowed, &json!({"retry": true}));
    assert_eq!(second.finish(2).failed.len(), 6);
    assert!(server.calls().len() > asked, "the reader's retry asks again");
}

#[test]
fn an_engine_that_must_be_told_the_source_goes_by_the_page() {
    let server = serve(Script::default());
    let home = Home::at(&server, "apertium");
    let mut browser = home.greeted();
    let page = json!({"origin": "https://example.org", "title": "", "lang": "en"});
    browser.send(&json!({"type": "translate", "id": 1, "target": "es", "page": page,
        "segments": [{"i": 0, "text": "A good morning"}]}));
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("A good morning"));
    let page = json!({"origin": "https://example.org", "title": ""});
    browser.send(&json!({"type": "translate", "id": 2, "target": "es", "page": page,
        "segments": [{"i": 0, "text": "A good morning"}]}));
    assert_eq!(browser.finish(2).failed[&0], "unsupported_pair");
}

#[test]
fn of_a_reply_that_is_mostly_doubtful_nothing_is_believed() {
    let texts = [
        "Chapter 101 is about rivers",
        "Chapter 202 is about mountains",
        "Chapter 303 is about forests",
        "The sea has no chapter at all",
    ];
    // The right ids, each with its neighbour's text.
    let shifted: serde_json::Map<String, serde_json::Value> =
        (0..4).map(|i| (i.to_string(), json!(stand_in::stand_in(texts[(i + 1) % 4])))).collect();
    let content = serde_json::Value::from(shifted).to_string();
    let answer: Answer = serde_json::from_value(json!({"status": 200,
        "headers": {"content-type": "application/json"}, "body": {"choices": [{"index": 0,
            "finish_reason": "stop", "message": {"role": "assistant", "content": content}}]}}))
    .unwrap();
    let server = serve(Script { queue: vec![answer], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &texts);
    let finished = browser.finish(1);
    for (i, text) in (0..).zip(texts) {
        assert_eq!(finished.text(i), stand_in::stand_in(text));
    }
}

#[test]
fn half_a_character_in_a_reply_does_not_cost_the_others() {
    // Once in the reply of the server, once in what the model wrote.
    for content in [
        r#"{\"0\":\"반쪽 \ud83d 하나\",\"1\":\"둘째\"}"#,
        r#"{\"0\":\"반쪽 \\ud83d 하나\",\"1\":\"둘째\"}"#,
    ] {
        let body = format!(
            r#"{{"choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":"{content}"}}}}]}}"#
        );
        let half = serde_json::from_value(json!({"status": 200,
            "headers": {"content-type": "application/json"}, "body_text": body}))
        .unwrap();
        let server = serve(Script { queue: vec![half], ..Script::default() });
        let home = Home::at(&server, "openai");
        let mut browser = home.greeted();
        browser.translate(1, &["Half of one", "The second"]);
        let finished = browser.finish(1);
        assert_eq!(finished.text(0), "반쪽 \u{fffd} 하나", "{content}");
        assert_eq!(finished.done["calls"], 1);
    }
}
