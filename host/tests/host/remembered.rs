//! What a model was found not to accept is left out later, and elsewhere.

use std::process::Command;

use scripted_provider::{Answer, Script, Server};
use serde_json::json;

use crate::browser::{Home, serve};

/// A server that refuses its first call for the schema in it.
fn without_schemas() -> Server {
    let error = json!({"message": "'response_format' of type 'json_schema' is not supported",
        "type": "invalid_request_error"});
    let refusal = json!({"status": 400, "headers": {}, "body": {"error": error}});
    let refusal: Answer = serde_json::from_value(refusal).unwrap();
    serve(Script { queue: vec![refusal], ..Script::default() })
}

/// Which of the calls so far had a schema.
fn schemas(server: &Server) -> Vec<bool> {
    server.calls().iter().map(|call| call.body.contains("json_schema")).collect()
}

#[test]
fn another_browser_leaves_out_what_was_refused_from_its_first_call_on() {
    let server = without_schemas();
    let home = Home::at(&server, "openai");
    home.greeted().translate_one("A text");
    assert_eq!(schemas(&server), [true, false]);
    // A private text asks the store for nothing on its way.
    for private in [true, false] {
        let mut browser = home.greeted();
        browser.translate_as(1, &["Another text"], &json!({"private": private}));
        assert_eq!(browser.finish(1).done["calls"], 1);
    }
    assert_eq!(schemas(&server), [true, false, false, false]);

    // Neither the reader's name for it nor the wording belongs to it.
    let path = home.path("settings.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("style = \"formal\"\n{}", text.replace("main", "other")))
        .unwrap();
    home.greeted().translate_one("A third text");
    assert_eq!(schemas(&server)[4..], [false]);
    // Another model may accept it.
    std::fs::write(&path, text.replace("scripted", "another")).unwrap();
    home.greeted().translate_one("A fourth text");
    assert_eq!(schemas(&server)[5..], [true]);
}

#[test]
fn after_its_time_it_is_tried_again() {
    let server = without_schemas();
    let home = Home::at(&server, "openai");
    home.greeted().translate_one("A text");
    let file = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    let (value, days): (String, i64) = file
        .query_row(
            "SELECT value, (until_s - unixepoch()) / 86400 FROM capability WHERE feature = 'json_schema'",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(value, "dropped");
    assert!((6..=7).contains(&days), "{days} days");
    file.execute("UPDATE capability SET until_s = unixepoch() - 1", []).unwrap();
    home.greeted().translate_one("Another text");
    assert_eq!(schemas(&server), [true, false, true]);
}

#[test]
fn a_change_of_the_settings_forgets_nothing() {
    let server = without_schemas();
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate_one("A text");
    for settings in [json!({"provider": {"main": {"timeout_s": 50}}}), json!({"style": "casual"})] {
        browser.send(&json!({"type": "set_settings", "id": 700, "settings": settings}));
        assert_eq!(browser.next_word()["type"], "settings");
        browser.translate_one(&format!("A text after {settings}"));
    }
    assert_eq!(schemas(&server), [true, false, false, false]);
}

#[test]
fn what_a_test_finds_out_is_remembered_and_its_success_forgets_nothing() {
    let server = without_schemas();
    let home = Home::at(&server, "openai");
    let test = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
        command.args(["providers", "test", "main"]).env("WEBTRANSLATOR_HOME", home.dir.path());
        assert!(command.output().unwrap().status.success());
    };
    test();
    assert_eq!(schemas(&server), [true, false]);
    test();
    home.greeted().translate_one("A text");
    assert_eq!(schemas(&server), [true, false, false, false]);
}
