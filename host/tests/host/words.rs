//! The reader's dictionary and the segments' markup, through the whole host.

use scripted_provider::{Answer, Script, stand_in};
use serde_json::{Value, json};

use crate::browser::{Home, serve};

fn marked(browser: &mut crate::browser::Browser, id: u64, text: &str, tags: u32) {
    browser.send(&json!({"type": "translate", "id": id, "target": "ko", "source": "en",
        "page": {"origin": "https://example.org", "title": ""},
        "segments": [{"i": 0, "text": text, "tags": tags, "rank": 0}]}));
}

/// A chat completion whose content is this object.
fn answer(content: &Value) -> Answer {
    serde_json::from_value(json!({"status": 200, "headers": {"content-type": "application/json"},
        "body": {"choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": content.to_string()}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5}}}))
    .unwrap()
}

#[test]
fn tags_and_tokens_come_back_in_their_places() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let text = "Read the <1>notes</1> at https://example.org/a?b=1&amp;c=2 first.<2/> 1 &lt; 2";
    marked(&mut browser, 1, text, 2);
    let finished = browser.finish(1);
    let answer = finished.text(0);
    assert!(answer.contains("https://example.org/a?b=1&amp;c=2"), "{answer}");
    assert!(answer.contains("<1>") && answer.contains("</1>") && answer.contains("<2/>"));
    assert!(!answer.contains("<3"), "{answer}");
    assert!(!server.calls()[0].texts[0].contains("https"), "{:?}", server.calls()[0].texts);
}

#[test]
fn a_text_whose_tags_keep_getting_lost_is_translated_between_them() {
    let lost = answer(&json!({"0": "꼬리표를 잃었다"}));
    let server = serve(Script { queue: vec![lost.clone(), lost], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    marked(&mut browser, 1, "Click <1>here</1> to <2>load</2> it.", 2);
    let finished = browser.finish(1);
    let piece = |text: &str| stand_in::stand_in(text);
    assert_eq!(
        finished.text(0),
        format!(
            "{} <1>{}</1> {} <2>{}</2> {}",
            piece("Click"),
            piece("here"),
            piece("to"),
            piece("load"),
            piece("it.")
        )
    );
    assert_eq!(finished.done["calls"], 3);
}

#[test]
fn an_answer_with_markup_is_text() {
    let hostile = answer(&json!({"0": "좋다 <img src=x onerror=alert(1)> <1>여기</1>"}));
    let server = serve(Script { queue: vec![hostile], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    marked(&mut browser, 1, "Good <1>here</1>", 1);
    let finished = browser.finish(1);
    assert_eq!(finished.text(0), "좋다 &lt;img src=x onerror=alert(1)> <1>여기</1>");
}

#[test]
fn a_replacement_takes_effect_at_once_and_costs_nothing() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["The load order matters."]);
    let before = browser.finish(1).text(0).to_owned();
    assert_eq!(before, stand_in::stand_in("The load order matters."));
    std::fs::write(
        home.path("dictionary.toml"),
        "[[replacement]]\nfrom = \"load order\"\nto = \"LOAD LIST\"\n",
    )
    .unwrap();
    browser.translate(2, &["The load order matters."]);
    let after = browser.finish(2);
    assert_eq!(after.text(0), before.replace("load order", "LOAD LIST"));
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn a_changed_term_asks_again_only_where_it_stands() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["The load order matters a lot.", "Nothing of it is in here."]);
    browser.finish(1);
    std::fs::write(
        home.path("dictionary.toml"),
        "[[term]]\nsource = \"load order\"\nkeep = true\n",
    )
    .unwrap();
    browser.translate(2, &["The load order matters a lot.", "Nothing of it is in here."]);
    let finished = browser.finish(2);
    assert!(finished.text(0).contains("load order"), "{}", finished.text(0));
    let calls = server.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1].texts.len(), 1);
    assert!(!calls[1].texts[0].contains("load order"), "it went as an opaque token");
}

#[test]
fn terms_reach_a_language_model_as_hints() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    std::fs::write(
        home.path("dictionary.toml"),
        "[[term]]\nsource = \"load order\"\ntarget = \"로드 순서\"\n",
    )
    .unwrap();
    let mut browser = home.greeted();
    browser.translate(1, &["The load order matters a lot."]);
    browser.finish(1);
    assert!(server.calls()[0].body.contains("로드 순서"), "{}", server.calls()[0].body);
}

#[test]
fn a_copy_of_the_source_is_shown_and_not_remembered() {
    let copy = answer(&json!({"0": "The whole sentence was copied."}));
    let server = serve(Script { queue: vec![copy.clone(), copy], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["The whole sentence was copied."]);
    let finished = browser.finish(1);
    assert_eq!(finished.text(0), "The whole sentence was copied.");
    assert_eq!(finished.done["calls"], 2);
    browser.translate(2, &["The whole sentence was copied."]);
    assert_eq!(browser.finish(2).done["from_cache"], 0);
}

#[test]
fn fresh_asks_anew_and_replaces_the_entry() {
    let first = answer(&json!({"0": "첫 번째 번역"}));
    let second = answer(&json!({"0": "두 번째 번역"}));
    let server = serve(Script { queue: vec![first, second], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["Some sentence to translate"]);
    assert_eq!(browser.finish(1).text(0), "첫 번째 번역");
    browser.translate_as(2, &["Some sentence to translate"], &json!({"fresh": true}));
    assert_eq!(browser.finish(2).text(0), "두 번째 번역");
    let calls = server.calls();
    assert_ne!(calls[0].body, calls[1].body, "nothing was changed in the request");
    browser.translate(3, &["Some sentence to translate"]);
    let finished = browser.finish(3);
    assert_eq!(finished.text(0), "두 번째 번역");
    assert_eq!(finished.done["from_cache"], 1);
}

#[test]
fn a_refused_feature_is_left_out_and_the_call_made_once_more() {
    let refused: Answer = serde_json::from_value(json!({"status": 400,
        "headers": {"content-type": "application/json"}, "body": {"error": {
            "message": "Invalid schema for response_format 't'", "type": "invalid_request_error",
            "param": "response_format", "code": null}}}))
    .unwrap();
    let server = serve(Script { queue: vec![refused], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["Some sentence to translate"]);
    let finished = browser.finish(1);
    assert_eq!(finished.text(0), stand_in::stand_in("Some sentence to translate"));
    let calls = server.calls();
    assert_eq!(calls.len(), 2);
    assert!(calls[0].body.contains("json_schema") && !calls[1].body.contains("json_schema"));
}

#[test]
fn the_dictionary_is_set_and_tested_over_the_wire() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "dictionary_set", "id": 1,
        "toml": "[[replacement]]\nfrom = \"cat\"\nto = \"feline\"\n"}));
    assert_eq!(browser.next_word()["entries"], 1);
    browser.send(&json!({"type": "dictionary_test", "id": 2, "target": "en",
        "translation": "A cat in a catalogue."}));
    let tested = browser.next_word();
    assert_eq!(tested["text"], "A feline in a catalogue.");
    assert_eq!(tested["fired"].as_array().unwrap().len(), 1);
    browser
        .send(&json!({"type": "dictionary_set", "id": 3, "toml": "[[replacement]]\nfrom = 3\n"}));
    let error = browser.next_word();
    assert!(error["message"].as_str().unwrap().contains("line"), "{error}");
    browser.send(&json!({"type": "dictionary_get", "id": 4}));
    assert_eq!(browser.next_word()["entries"], 1, "the good one stays");
}

#[test]
fn the_cache_is_counted_cleared_and_forgets_one_text() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["One sentence here", "Another sentence there"]);
    browser.finish(1);
    browser.send(&json!({"type": "cache_stats", "id": 2}));
    assert_eq!(browser.next_word()["entries"], 2);
    browser.send(&json!({"type": "cache_forget", "id": 3, "text": " One  sentence here "}));
    let cache = browser.next_word();
    assert_eq!((&cache["removed"], &cache["entries"]), (&json!(1), &json!(1)));
    browser.send(&json!({"type": "cache_clear", "id": 4, "filter": {"kind": "gemini"}}));
    assert_eq!(browser.next_word()["removed"], 0);
    browser.send(&json!({"type": "cache_clear", "id": 5, "filter": {"site": "example.org"}}));
    assert_eq!(browser.next_word()["removed"], 1);
    browser.send(&json!({"type": "status", "id": 6}));
    let status = browser.next_word();
    assert_eq!(status["usage"]["calls"], 1, "{status}");
    assert_eq!(status["providers"][0]["state"], "ready");
}

#[test]
fn a_language_is_the_same_however_it_is_written() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    std::fs::write(
        home.path("dictionary.toml"),
        "[[replacement]]\nfrom = \"cat\"\nto = \"feline\"\npair = \"en>nb\"\n",
    )
    .unwrap();
    let mut browser = home.greeted();
    let target = json!({"target": "no"});
    browser.translate_as(1, &["One sentence here", "Another sentence there"], &target);
    browser.finish(1);
    browser.send(&json!({"type": "cache_forget", "id": 2, "text": "One sentence here",
        "target": "no"}));
    assert_eq!(browser.next_word()["removed"], 1);
    browser.send(&json!({"type": "cache_clear", "id": 3, "filter": {"target": "NO"}}));
    assert_eq!(browser.next_word()["removed"], 1);
    browser.send(&json!({"type": "dictionary_test", "id": 4, "source": "EN", "target": "no",
        "translation": "A cat."}));
    assert_eq!(browser.next_word()["text"], "A feline.");
}
