//! What is counted of all calls: by whom, what came of it, and how it is told.

use std::collections::BTreeMap;
use std::process::Command;
use std::thread;

use jiff::Timestamp;
use scripted_provider::script::Faults;
use scripted_provider::{Answer, Outcome, Script};
use serde_json::{Value, json};
use webtranslator::session::day_of;
use webtranslator::session::usage::date;
use webtranslator::store::{Mode, Store, UsageRow};

use crate::browser::{Browser, Home, PATIENCE, serve};
use crate::changes::settings;
use crate::money::priced;

/// Asks a host for the usage of so many days.
fn usage(browser: &mut Browser, days: &Value) -> Value {
    browser.send(&json!({"type": "usage", "id": 800, "days": days}));
    let told = browser.next_word();
    assert_eq!((&told["type"], &told["id"]), (&json!("usage"), &json!(800)), "{told}");
    told
}

/// What the command line prints as JSON.
fn stats(home: &Home, words: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg("stats").args(words).env("WEBTRANSLATOR_HOME", home.dir.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn sum(told: &Value, field: &str) -> u64 {
    let days = told["days"].as_array().unwrap();
    days.iter().map(|day| day[field].as_u64().unwrap_or(0)).sum()
}

/// Sums up how calls failed.
fn by_class(told: &Value) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for day in told["days"].as_array().unwrap() {
        for (class, count) in day["failures_by_class"].as_object().into_iter().flatten() {
            *sums.entry(class.clone()).or_default() += count.as_u64().unwrap();
        }
    }
    sums
}

fn page(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|n| format!("This is sentence number {n} of the page")).collect()
}

/// Lets a host translate these texts, and returns its `done`. It is not killed:
/// what the cache did is counted after its answers.
fn translate(home: &Home, texts: &[String]) -> Value {
    let mut browser = home.greeted();
    browser.translate(1, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let done = browser.finish(1).done;
    browser.hang_up();
    browser.ends_within(PATIENCE);
    done
}

#[test]
fn the_counts_of_several_hosts_are_those_of_the_provider() {
    let faults = Faults { empty: 15.0, truncated: 20.0, dropped: 15.0, ..Faults::default() };
    let refuse = vec!["number 17 ".to_owned()];
    let server = serve(Script { seed: 3, faults, refuse, ..Script::default() });
    let home = Home::new(&settings(&[("main", &server)], 60));
    let done: Vec<Value> = thread::scope(|scope| {
        let hosts = (0..3).map(|host| (host, &home));
        let start =
            |(host, home): (usize, _)| scope.spawn(move || translate(home, &page(host * 100, 100)));
        let running: Vec<_> = hosts.map(start).collect();
        running.into_iter().map(|host| host.join().unwrap()).collect()
    });
    let all = |field: fn(&Value) -> &Value| -> u64 {
        done.iter().map(|done| field(done).as_u64().unwrap()).sum()
    };
    let told = usage(&mut home.greeted(), &Value::Null);
    let calls = server.calls();
    let characters =
        calls.iter().flat_map(|call| &call.texts).map(|text| text.chars().count() as u64);
    assert_eq!(sum(&told, "calls"), calls.len() as u64);
    assert_eq!(sum(&told, "calls"), all(|done| &done["calls"]));
    assert_eq!(sum(&told, "characters"), characters.sum::<u64>());
    assert_eq!(sum(&told, "input"), all(|done| &done["tokens"]["input"]));
    assert_eq!(sum(&told, "output"), all(|done| &done["tokens"]["output"]));
    assert_eq!((sum(&told, "texts"), sum(&told, "from_cache")), (299, 0), "one was refused");

    let by_outcome = server.stats().by_outcome;
    let count = |outcome| by_outcome.get(&outcome).map_or(0, |count| *count as u64);
    let mut classes = by_class(&told);
    assert_eq!(classes.remove("empty"), Some(count(Outcome::Empty)), "{by_outcome:?}");
    assert_eq!(classes.remove("truncated"), Some(count(Outcome::Truncated)), "{by_outcome:?}");
    assert_eq!(classes.remove("blocked"), Some(count(Outcome::Refused)), "{by_outcome:?}");
    // One that lost an item is partial; one that lost its only item has none.
    let dropped = classes.remove("partial").unwrap_or(0) + classes.remove("malformed").unwrap_or(0);
    assert_eq!((dropped, classes), (count(Outcome::Dropped), BTreeMap::new()), "{by_outcome:?}");
}

fn answer(parts: Value) -> Answer {
    serde_json::from_value(parts).unwrap()
}

#[test]
fn what_the_network_did_is_told_apart_from_what_a_server_said() {
    let plain = json!({"content-type": "application/json"});
    let queue = [
        json!({"status": 429, "headers": plain, "body": {"error": {"message": "Slow down"}}}),
        json!({"status": 200, "headers": {}, "body_text": "", "fault": "reset_before_headers"}),
        json!({"status": 502, "headers": plain, "body": {"error": {"message": "Bad gateway"}}}),
        json!({"status": 200, "headers": {}, "body_text": " ".repeat(10_000),
            "fault": "drip:50ms_per_byte"}),
        json!({"status": 401, "headers": plain, "body": {"error": {"message": "Bad key"}}}),
    ];
    let server = serve(Script { queue: queue.map(answer).into(), ..Script::default() });
    let home = Home::new(&settings(&[("main", &server)], 1));
    let mut browser = home.greeted();
    for (id, ok) in (1..).zip([false, false, false, false, false, true]) {
        browser.send(&json!({"type": "test_provider", "id": id, "provider": "main"}));
        assert_eq!(browser.next_word()["ok"], ok, "{id}");
    }
    let told = usage(&mut browser, &json!(1));
    let each = ["config_error", "network", "rate_limited", "timeout", "transient"];
    assert_eq!(by_class(&told), each.map(|class| (class.to_owned(), 1)).into());
    let counts = ["calls", "failures", "texts"].map(|field| sum(&told, field));
    assert_eq!(counts, [6, 5, 0], "the text of a test is nobody's");
    browser.send(&json!({"type": "status", "id": 9}));
    let status = browser.next_word();
    let by = &status["by_provider"][0];
    assert_eq!(by["failures_by_class"], told["days"][0]["failures_by_class"], "{status}");
}

#[test]
fn what_the_cache_did_is_counted_and_the_command_line_tells_the_same() {
    let free = serve(Script::default());
    let paid = serve(Script { queue: vec![priced(0.0123)], ..Script::default() });
    let home = Home::new(&settings(&[("free", &free), ("paid", &paid)], 60));
    for (texts, from_cache) in [(40, 0), (40, 40), (60, 40)] {
        assert_eq!(translate(&home, &page(0, texts))["from_cache"], from_cache);
    }
    let mut browser = home.greeted();
    browser.translate_as(1, &["A good text"], &json!({"provider": "paid"}));
    assert_eq!(browser.finish(1).done["cost"], 0.0123);
    let mut told = usage(&mut browser, &json!(7));
    let days = told["days"].as_array().unwrap();
    assert_eq!(days.len(), 2, "{told}");
    let of = |field: &str| [&days[0][field], &days[1][field]].map(Clone::clone);
    assert_eq!(of("provider"), [json!("free"), json!("paid")]);
    assert_eq!(of("from_cache"), [json!(80), json!(0)]);
    assert_eq!(of("texts"), [json!(60), json!(1)]);
    assert_eq!(of("cost"), [json!(0.0), json!(0.0123)]);
    assert_eq!(days[0]["saved"], json!(0.0), "it costs nothing");
    assert_eq!(days[0].get("failures_by_class"), None);

    let fields = told.as_object_mut().unwrap();
    fields.retain(|name, _| name != "type" && name != "id");
    assert_eq!(stats(&home, &["--json", "--days", "7"]), told);
}

#[test]
fn a_private_page_is_counted_as_any_other_and_leaves_no_text() {
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", &server)], 60));
    let mut browser = home.greeted();
    for id in [1, 2] {
        browser.translate_as(id, &["A private sentence"], &json!({"private": true}));
        browser.finish(id);
    }
    let told = usage(&mut browser, &Value::Null);
    let counts = ["calls", "texts", "from_cache"].map(|field| sum(&told, field));
    assert_eq!(counts, [2, 2, 0], "{told}");
    for name in ["cache.db", "cache.db-wal"] {
        let bytes = std::fs::read(home.path(name)).unwrap();
        let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(!holds("private sentence") && !holds("example.org"), "{name}");
    }
}

#[test]
fn so_many_days_are_told_as_are_asked_for() {
    let home = Home::new("providers = [\"sample\"]\n");
    let today = day_of(Timestamp::now());
    let mut store = Store::open(&home.path("cache.db"), Mode::On, Timestamp::now()).0;
    let row = |ago: i64| UsageRow {
        day: today - ago,
        provider: "old".to_owned(),
        calls: 1,
        cost_micros: Some(5),
        ..UsageRow::default()
    };
    // Days to come are those of a clock that was ahead.
    store.add_usage(&[-3, -1, 0, 6, 7, 29, 30, 399].map(row));
    drop(store);
    let mut browser = home.greeted();
    for (days, count, first) in [
        (Value::Null, 4, 29),
        (json!(7), 2, 6),
        (json!(8), 3, 7),
        (json!(0), 1, 0),
        (json!(400), 6, 399),
        (json!(4_000_000), 6, 399),
    ] {
        let told = usage(&mut browser, &days);
        assert_eq!(told["days"].as_array().unwrap().len(), count, "{days}: {told}");
        let range = [&told["first"], &told["last"]].map(|day| day.as_str().unwrap());
        assert_eq!(range, [date(today - first), date(today)], "{days}");
    }
    browser.send(&json!({"type": "status", "id": 9}));
    let status = browser.next_word();
    assert_eq!(status["usage"]["calls"], 1, "{status}");
    assert_eq!(status["by_provider"][0]["cost"], 0.000_005, "{status}");
    browser.send(&json!({"type": "usage", "id": 10, "days": -1}));
    assert_eq!(browser.next_word()["code"], "bad_message");
}
