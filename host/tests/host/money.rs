//! What a page costs, what the cache saves, and the reader's limit of a day.

use jiff::Timestamp;
use scripted_provider::{Answer, Script, Server};
use serde_json::{Value, json};
use webtranslator::provider::prompt_revision;
use webtranslator::segment::{Engine, Key, KeyParts};
use webtranslator::session::day_of;
use webtranslator::store::{Mode, NewEntry, Store};

use crate::browser::{Browser, Home, serve};
use crate::changes::settings;

/// A translation of one text whose cost the answer states.
fn priced(dollars: f64) -> Answer {
    let message = json!({"role": "assistant", "content": "{\"0\":\"좋은 글\"}"});
    let body = json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 6, "cost": dollars},
    });
    serde_json::from_value(json!({"status": 200, "headers": {"content-type": "application/json"},
        "body": body}))
    .unwrap()
}

fn paid(answers: &[f64]) -> Server {
    let queue = answers.iter().map(|dollars| priced(*dollars)).collect();
    serve(Script { queue, ..Script::default() })
}

/// Two providers, the first of which states what it costs, and a limit.
fn limited(paid: &Server, free: &Server, usd_per_day: f64) -> Home {
    let servers = settings(&[("paid", paid), ("free", free)], 60);
    Home::new(&format!("{servers}[budget]\nusd_per_day = {usd_per_day}\n"))
}

fn status(browser: &mut Browser) -> Value {
    browser.send(&json!({"type": "status", "id": 900}));
    let told = browser.next_word();
    assert_eq!(told["type"], "status", "{told}");
    told
}

#[test]
fn a_page_tells_what_its_calls_cost_and_the_day_what_all_did() {
    let (paid, free) = (paid(&[0.0123, 0.002]), serve(Script::default()));
    let home = Home::new(&settings(&[("paid", &paid), ("free", &free)], 60));
    let mut browser = home.greeted();
    browser.translate(1, &["A good text"]);
    assert_eq!(browser.finish(1).done["cost"], 0.0123);
    browser.translate(2, &["Another good text"]);
    assert_eq!(browser.finish(2).done["cost"], 0.002);
    browser.translate_as(3, &["A third good text"], &json!({"provider": "free"}));
    assert_eq!(browser.finish(3).done["cost"], 0.0, "it runs on this machine");
    browser.translate(4, &["A good text"]);
    let done = browser.finish(4).done;
    assert_eq!((&done["calls"], done.get("cost")), (&json!(0), None), "{done}");

    // Another browser counts what all browsers did.
    let told = status(&mut home.greeted());
    let by = told["by_provider"].as_array().unwrap();
    let names: Vec<_> = by.iter().map(|row| row["provider"].as_str().unwrap()).collect();
    assert_eq!(names, ["free", "paid"], "{told}");
    let row = &by[1];
    assert_eq!(
        (&row["model"], &row["calls"], &row["failures"]),
        (&json!("scripted"), &json!(2), &json!(0))
    );
    assert_eq!((&row["input"], &row["output"]), (&json!(80), &json!(12)));
    assert_eq!((&row["characters"], &row["from_cache"]), (&json!(11 + 17), &json!(1)));
    assert_eq!((&row["cost"], &row["saved"]), (&json!(0.0143), &json!(0.0)));
    assert_eq!((&by[0]["calls"], &by[0]["cost"]), (&json!(1), &json!(0.0)));
    assert_eq!((&told["usage"]["calls"], &told["usage"]["cost"]), (&json!(3), &json!(0.0143)));
    assert_eq!(told["usage"]["characters"], 11 + 17 + 17);
}

#[test]
fn what_is_not_known_to_cost_anything_is_not_called_free() {
    // Papago's price is in no list of ours.
    let home = Home::new("providers = [\"papago\"]\n");
    let mut store = Store::open(&home.path("cache.db"), Mode::On, Timestamp::now()).0;
    let row = webtranslator::store::UsageRow {
        day: day_of(Timestamp::now()),
        provider: "papago".to_owned(),
        calls: 1,
        ..Default::default()
    };
    store.add_usage(&[row]);
    drop(store);
    let told = status(&mut home.greeted());
    assert_eq!(told["by_provider"][0]["calls"], 1, "{told}");
    assert_eq!(told["by_provider"][0].get("cost"), None, "{told}");
}

#[test]
fn a_text_from_the_cache_saves_what_it_would_have_cost() {
    let mut home = Home::new("target = \"ko\"\nproviders = [\"gemini\"]\n");
    home.environment.push(("WEBTRANSLATOR_KEY_GEMINI".into(), "canary-key-1234".into()));
    let text = "Good morning, all!";
    let engine = Engine {
        kind: "gemini".to_owned(),
        host_port: "generativelanguage.googleapis.com:443".to_owned(),
        model: "gemini-3.5-flash-lite".to_owned(),
        prompt_revision: prompt_revision(),
        style: String::new(),
    };
    let key = Key::of(&KeyParts {
        normal: text,
        source: "en",
        target: "ko",
        engine: &engine,
        marked: false,
        terms: &[],
        site: Some("example.org"),
    });
    let (mut store, _) = Store::open(&home.path("cache.db"), Mode::On, Timestamp::now());
    let entry = NewEntry {
        key,
        source: text,
        translation: "좋은아침이네요요",
        source_language: "en",
        target_language: "ko",
        engine: &engine.to_string(),
        site: Some("example.org"),
    };
    assert_eq!(store.put_many(&[entry], day_of(Timestamp::now())), 1);
    drop(store);
    let mut browser = home.greeted();
    browser.translate(1, &[text, text]);
    let done = browser.finish(1).done;
    // Five tokens in and five out, and paid once for both.
    assert_eq!((&done["from_cache"], &done["saved"]), (&json!(2), &json!(0.000_014)), "{done}");
    assert_eq!(done.get("cost"), None);
    let told = status(&mut browser);
    assert_eq!(told["by_provider"][0]["saved"], 0.000_014, "{told}");
    assert_eq!(told["by_provider"][0]["from_cache"], 1);
    assert_eq!(told["usage"]["saved"], 0.000_014);
}

#[test]
fn the_readers_limit_stops_who_costs_money_and_nobody_else() {
    let (paid, free) = (paid(&[0.6, 0.01]), serve(Script::default()));
    let home = limited(&paid, &free, 0.5);
    let mut browser = home.greeted();
    browser.translate(1, &["A good text"]);
    assert_eq!(browser.finish(1).translated[&0]["provider"], "paid");
    browser.translate(2, &["Another good text"]);
    assert_eq!(browser.finish(2).translated[&0]["provider"], "free");

    let told = status(&mut browser);
    let (stopped, other) = (&told["providers"][0], &told["providers"][1]);
    assert_eq!((&stopped["state"], &stopped["code"]), (&json!("out"), &json!("quota_exhausted")));
    let message = stopped["message"].as_str().unwrap();
    assert!(message.starts_with("Your own limit of $0.50 a day is reached"), "{message}");
    assert!(message.contains("raise it in the options"), "{message}");
    assert_eq!(stopped["until"].as_i64().unwrap().rem_euclid(86_400_000) / 1000, 0, "midnight");
    assert_eq!(other["state"], "ready");

    browser.translate_as(3, &["A third good text"], &json!({"provider": "paid", "retry": true}));
    let finished = browser.finish(3);
    assert_eq!(finished.failed[&0], "quota_exhausted");
    assert_eq!(finished.message, message);
    assert_eq!(paid.calls().len(), 1);

    // A higher one lets it in again, at once.
    browser.send(
        &json!({"type": "set_settings", "id": 4, "settings": {"budget": {"usd_per_day": 5}}}),
    );
    assert_eq!(browser.next_word()["settings"]["budget"]["usd_per_day"], 5.0);
    browser.translate(5, &["A fourth good text"]);
    assert_eq!(browser.finish(5).translated[&0]["provider"], "paid");
    assert_eq!(status(&mut browser)["providers"][0]["state"], "ready");
}

#[test]
fn a_limit_that_another_browser_has_reached_holds_from_the_first_call() {
    let (paid, free) = (paid(&[0.5]), serve(Script::default()));
    let home = limited(&paid, &free, 0.5);
    home.greeted().translate_one("A good text");
    for private in [true, false] {
        // A private text asks the store for nothing on its way.
        let mut browser = home.greeted();
        browser.translate_as(1, &["Another good text"], &json!({"private": private}));
        assert_eq!(browser.finish(1).translated[&0]["provider"], "free", "private: {private}");
    }
    assert_eq!(paid.calls().len(), 1);
}

#[test]
fn what_another_browser_spends_meanwhile_counts_too() {
    let (paid, free) = (paid(&[0.1, 0.3, 0.2]), serve(Script::default()));
    let home = limited(&paid, &free, 0.5);
    let (mut one, mut other) = (home.greeted(), home.greeted());
    assert_eq!(one.translate_one("A good text"), "paid");
    assert_eq!(other.translate_one("Another good text"), "paid");
    assert_eq!(one.translate_one("A third good text"), "paid", "0.4 so far");
    assert_eq!(one.translate_one("A fourth good text"), "free");
    assert_eq!(other.translate_one("A fifth good text"), "free");
    assert_eq!(paid.calls().len(), 3);
}

#[test]
fn without_a_limit_nothing_is_stopped() {
    let (paid, free) = (paid(&[900.0, 900.0]), serve(Script::default()));
    let home = Home::new(&settings(&[("paid", &paid), ("free", &free)], 60));
    let mut browser = home.greeted();
    assert_eq!(browser.translate_one("A good text"), "paid");
    assert_eq!(browser.translate_one("Another good text"), "paid");
    // One that is set later counts what was spent before.
    browser.send(
        &json!({"type": "set_settings", "id": 7, "settings": {"budget": {"usd_per_day": 1}}}),
    );
    assert_eq!(browser.next_word()["type"], "settings");
    browser.translate_as(9, &["A third good text"], &json!({"private": true}));
    assert_eq!(browser.finish(9).translated[&0]["provider"], "free");
    // And none lets all in.
    browser.send(&json!({"type": "set_settings", "id": 8, "settings": {"budget": null}}));
    assert_eq!(browser.next_word()["type"], "settings");
    assert_eq!(browser.translate_one("A fourth good text"), "paid");
}

#[test]
fn a_test_of_a_provider_is_counted_and_is_not_stopped() {
    let (paid, free) = (paid(&[0.7, 0.1]), serve(Script::default()));
    let home = limited(&paid, &free, 0.5);
    let mut browser = home.greeted();
    for (id, cost) in [(1, 0.7), (2, 0.1)] {
        browser.send(&json!({"type": "test_provider", "id": id, "provider": "paid"}));
        let tested = browser.next_word();
        assert_eq!((&tested["ok"], &tested["cost"]), (&json!(true), &json!(cost)), "{tested}");
        assert_eq!(tested["tokens"], json!({"input": 40, "output": 6}));
    }
    let told = status(&mut browser);
    assert_eq!(told["by_provider"][0]["calls"], 2, "{told}");
    assert_eq!(told["providers"][0]["state"], "out", "what it cost counts");
}
