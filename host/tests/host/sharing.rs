//! Several hosts on one file, as several browsers have them: paid once, held
//! back together, and nobody waits for one that is gone.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use scripted_provider::{Answer, Script, Server, StreamFault, Streaming, stand_in};
use serde_json::json;

use crate::browser::{Browser, Finished, Home, serve};
use crate::changes::settings;
use crate::early::first;
use crate::money::{priced, saying};

fn texts(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("Sentence number {} of a page that all of them read", 1000 + n))
        .collect()
}

/// Lets so many hosts translate the same page at the same moment. None is ended
/// before all have finished: what a killed host was about to tell is lost.
fn all_at_once(home: &Home, hosts: usize, texts: &[String]) -> Vec<Finished> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    thread::scope(|scope| {
        let start = || {
            scope.spawn(|| {
                let mut browser = home.greeted();
                browser.translate(1, &texts);
                let finished = browser.finish(1);
                (browser, finished)
            })
        };
        let running: Vec<_> = (0..hosts).map(|_| start()).collect();
        let ended: Vec<_> = running.into_iter().map(|host| host.join().unwrap()).collect();
        ended.into_iter().map(|(_, finished)| finished).collect()
    })
}

/// Returns how often the text that was paid for most often was.
fn most_paid(server: &Server) -> usize {
    let mut paid: HashMap<String, usize> = HashMap::new();
    for text in server.calls().into_iter().flat_map(|call| call.texts) {
        *paid.entry(text).or_default() += 1;
    }
    paid.into_values().max().unwrap_or(0)
}

fn assert_whole(finished: &Finished, texts: &[String]) {
    for (i, text) in texts.iter().enumerate() {
        assert_eq!(finished.text(i as u64), stand_in::stand_in(text));
    }
}

/// Asks the file that all hosts share for a number.
fn number(home: &Home, sql: &str) -> u32 {
    let file = Connection::open(home.path("cache.db")).unwrap();
    file.busy_timeout(Duration::from_secs(5)).unwrap();
    file.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Returns the code that a text fails with.
fn failure(browser: &mut Browser, id: u64, text: &str) -> String {
    browser.translate(id, &[text]);
    browser.finish(id).failed[&0].clone()
}

fn limit(home: &Home, server: &Server, usd_per_day: f64) {
    let settings = settings(&[("paid", server)], 60);
    let settings = format!("{settings}[budget]\nusd_per_day = {usd_per_day}\n");
    std::fs::write(home.path("settings.toml"), settings).unwrap();
}

#[test]
fn eight_hosts_pay_once_for_a_page() {
    let server = serve(Script { latency_ms: 300, ..Script::default() });
    let home = Home::at(&server, "gemini");
    let texts = texts(300);
    for finished in all_at_once(&home, 8, &texts) {
        assert_whole(&finished, &texts);
    }
    assert_eq!(most_paid(&server), 1);
    // Each begins with its own small batch, and shares what is left.
    assert!(server.calls().len() <= 30, "{} calls", server.calls().len());
}

#[test]
fn what_a_killed_host_was_at_is_taken_over_at_once() {
    let server = serve(Script { latency_ms: 1500, ..Script::default() });
    let home = Home::at(&server, "gemini");
    let texts = texts(8);
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut first = home.greeted();
    first.translate(1, &borrowed);
    let started = Instant::now();
    while server.stats().in_flight == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "no call was made");
        thread::sleep(Duration::from_millis(5));
    }
    let mut second = home.greeted();
    second.translate(1, &borrowed);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(server.calls().len(), 1, "it waits for the first");
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let finished = second.finish(1);
    assert_whole(&finished, &texts);
    // A claim alone would have lasted thirty seconds.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_refusal_is_handed_on_to_those_who_wait() {
    let refuse = vec!["zarglefrak".to_owned()];
    let server = serve(Script { latency_ms: 800, refuse, ..Script::default() });
    let home = Home::at(&server, "gemini");
    let texts = vec!["A zarglefrak that no model will ever translate".to_owned()];
    for finished in all_at_once(&home, 4, &texts) {
        assert_eq!(finished.failed[&0], "refused");
    }
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn one_hosts_rate_limit_holds_the_others_back() {
    let limited: Answer = serde_json::from_value(json!({"status": 429,
        "headers": {"content-type": "application/json"},
        "body": {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down"}}}))
    .unwrap();
    let server = serve(Script { queue: vec![limited], ..Script::default() });
    let home = Home::at(&server, "gemini");
    let mut first = home.greeted();
    first.translate(1, &["The first text of them all"]);
    let started = Instant::now();
    while server.calls().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20), "no call was made");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(200));
    let mut second = home.greeted();
    second.translate(1, &["Quite another text for the other"]);
    assert_eq!(first.finish(1).done["translated"], 1);
    assert_eq!(second.finish(1).done["translated"], 1);
    let calls = server.calls();
    assert_eq!(calls.len(), 3);
    assert!(calls[1].time_ms - calls[0].time_ms >= 10_000, "{:?}", calls[1].time_ms);
}

#[test]
fn ten_hosts_together_keep_to_a_limit_of_the_settings() {
    let server = serve(Script::default());
    let home = Home::at(&server, "gemini");
    let settings = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    std::fs::write(home.path("settings.toml"), settings + "requests_per_minute = 4\n").unwrap();
    let mut hosts: Vec<_> = (0..10).map(|_| home.greeted()).collect();
    for (n, host) in hosts.iter_mut().enumerate() {
        host.translate(1, &[&format!("Text number {} of its own", 1000 + n)]);
    }
    thread::sleep(Duration::from_secs(3));
    assert_eq!(server.calls().len(), 4);
}

#[test]
fn who_waits_has_the_first_segments_while_the_call_goes_on() {
    let faults = vec![StreamFault::HoldAfterParts(3)];
    let stream = Streaming { first_byte_ms: Some(1500), faults, ..Streaming::default() };
    let server = serve(Script { stream, ..Script::default() });
    let home = Home::at(&server, "gemini");
    let texts = texts(4);
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut payer = home.greeted();
    payer.translate(1, &borrowed);
    let started = Instant::now();
    while server.stats().in_flight == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "no call was made");
        thread::sleep(Duration::from_millis(5));
    }
    let mut other = home.greeted();
    other.translate(1, &borrowed);
    let early = first(&mut other, 1, 2);
    assert_eq!(early[&0], stand_in::stand_in(&texts[0]));
    assert_eq!(server.stats().in_flight, 1, "the rest is held");
    let started = Instant::now();
    while number(&home, "SELECT count(*) FROM claim") != 2 {
        assert!(started.elapsed() < Duration::from_secs(10), "two texts are still to come");
        thread::sleep(Duration::from_millis(5));
    }
    server.release();
    assert_whole(&payer.finish(1), &texts);
    assert_eq!(other.finish(1).done["translated"], 4);
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn the_readers_own_limit_is_told_to_nobody() {
    let queue = vec![priced(0.1), priced(0.3), priced(0.3), saying("no", 0.1), priced(0.1)];
    let server = serve(Script { queue, ..Script::default() });
    let home = Home::new("");
    limit(&home, &server, 0.6);
    let mut first = home.greeted();
    assert_eq!(first.translate_one("A good text"), "paid");
    // A sentence and a label are two calls; the second ends after the limit.
    first.translate(2, &["Another good text of this page", "A label"]);
    assert_eq!(first.finish(2).done["translated"], 2);
    assert_eq!(failure(&mut first, 3, "A third good text"), "quota_exhausted");
    assert_eq!(number(&home, "SELECT count(*) FROM pace WHERE out_code IS NOT NULL"), 0);

    // The limit is reached while a text waits for its second attempt.
    limit(&home, &server, 0.75);
    assert_eq!(failure(&mut first, 4, "A fourth good text"), "quota_exhausted");
    assert_eq!(server.calls().len(), 4);
    limit(&home, &server, 5.0);
    assert_eq!(home.greeted().translate_one("A fourth good text"), "paid");
}
