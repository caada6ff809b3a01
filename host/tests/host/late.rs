//! What the store says of a text comes after the reader's providers have
//! changed places.

use rusqlite::Connection;
use scripted_provider::{Script, Server, stand_in};
use serde_json::json;
use webtranslator::segment::Key;

use crate::browser::{Browser, Home, serve};
use crate::changes::settings;

/// Translates a text while the providers change places: the store is held up
/// by a lock until the new order is in force.
fn with_changed_places(browser: &mut Browser, home: &Home, text: &str, order: &[&str]) {
    let holder = Connection::open(home.path("cache.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    // A write, which waits for the lock, and the look-up behind it.
    browser.send(&json!({"type": "cache_clear", "id": 50, "filter": {"kind": "none"}}));
    browser.translate(51, &[text]);
    browser.send(&json!({"type": "set_settings", "id": 52, "settings": {"providers": order}}));
    assert_eq!(browser.next_word()["type"], "settings", "it overtakes the look-up");
    holder.execute_batch("ROLLBACK").unwrap();
}

fn pair() -> (Server, Server, Home) {
    let (a, b) = (serve(Script::default()), serve(Script::default()));
    let home = Home::new(&settings(&[("a", &a), ("b", &b)], 60));
    (a, b, home)
}

#[test]
fn an_entry_that_is_found_late_bears_the_name_of_who_made_it() {
    let (a, b, home) = pair();
    let mut browser = home.greeted();
    browser.translate(1, &["A text to be found late"]);
    assert_eq!(browser.finish(1).translated[&0]["provider"], "a");
    with_changed_places(&mut browser, &home, "A text to be found late", &["b", "a"]);
    let finished = browser.finish(51);
    assert_eq!(finished.translated[&0]["provider"], "a");
    assert_eq!((a.calls().len(), b.calls().len()), (1, 0));
}

#[test]
fn who_refused_a_text_is_passed_by_wherever_it_stands_now() {
    let (a, b, home) = pair();
    let mut browser = home.greeted();
    let text = "A text that one of them refuses";
    browser.translate(1, &["Another text"]);
    browser.finish(1);
    let file = Connection::open(home.path("cache.db")).unwrap();
    file.execute(
        "INSERT INTO refusal SELECT engine, ?1, unixepoch() + 9999 FROM translation",
        [Key::of_text(text).0],
    )
    .unwrap();
    with_changed_places(&mut browser, &home, text, &["b", "a"]);
    let finished = browser.finish(51);
    assert_eq!(finished.text(0), stand_in::stand_in(text));
    assert_eq!((finished.translated[&0]["provider"].as_str(), b.calls().len()), (Some("b"), 1));
    assert_eq!(a.calls().len(), 1, "it had refused it");
}
