//! The reader's settings change while a page is under way.

use std::time::{Duration, Instant};

use scripted_provider::{Script, Server};
use serde_json::json;

use crate::browser::{Home, serve};

/// Settings for these servers, by name and in this order.
pub fn settings(servers: &[(&str, &Server)], timeout: u32) -> String {
    let names: Vec<&str> = servers.iter().map(|(name, _)| *name).collect();
    let sections = servers.iter().map(|(name, server)| {
        format!(
            "[provider.{name}]\nkind = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"scripted\"\n\
             timeout_s = {timeout}\n",
            server.url()
        )
    });
    format!("target = \"ko\"\nproviders = {names:?}\n{}", sections.collect::<String>())
}

fn write(home: &Home, servers: &[(&str, &Server)], timeout: u32) {
    std::fs::write(home.path("settings.toml"), settings(servers, timeout)).unwrap();
}

fn slow() -> Server {
    serve(Script { latency_ms: 300, ..Script::default() })
}

fn call_under_way(server: &Server) {
    let started = Instant::now();
    while server.stats().in_flight == 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "no call came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_provider_that_was_asked_for_alone_stays_the_only_one_when_places_change() {
    let (one, other) = (slow(), slow());
    let home = Home::new(&settings(&[("one", &one), ("other", &other)], 60));
    let mut browser = home.greeted();
    let texts: Vec<String> = (0..40).map(|i| format!("A sentence with the number {i}.")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    browser.translate_as(1, &texts, &json!({"provider": "other"}));
    call_under_way(&other);
    write(&home, &[("other", &other), ("one", &one)], 60);
    browser.send(&json!({"type": "ping", "id": 9}));
    assert_eq!(browser.finish(1).translated.len(), 40);
    assert_eq!(one.calls().len(), 0, "another provider was asked");
    // The one that was asked for moves up when the other goes.
    browser.translate_as(2, &["Yet another sentence"], &json!({"provider": "one"}));
    call_under_way(&one);
    browser.translate_as(3, &["And one more sentence"], &json!({"provider": "one"}));
    write(&home, &[("one", &one)], 60);
    browser.send(&json!({"type": "ping", "id": 10}));
    let (mut done, mut translated) = (0, 0);
    while done < 2 {
        let message = browser.next();
        assert_ne!(message["type"], "failed", "{message}");
        done += usize::from(message["type"] == "done");
        translated += usize::from(message["type"] == "translated");
    }
    assert_eq!(translated, 2);
}

#[test]
fn what_was_in_flight_when_the_settings_changed_is_remembered() {
    let server = slow();
    let spare = slow();
    let home = Home::new(&settings(&[("main", &server)], 60));
    let mut browser = home.greeted();
    for (id, timeout, moved) in [(1, 50, false), (2, 50, true)] {
        let text = format!("A sentence under the id {id}.");
        browser.translate(id, &[&text]);
        call_under_way(&server);
        let both = [("spare", &spare), ("main", &server)];
        write(&home, if moved { &both } else { &both[1..] }, timeout);
        browser.send(&json!({"type": "ping", "id": 90 + id}));
        browser.finish(id);
        browser.translate_as(10 + id, &[&text], &json!({"provider": "main"}));
        assert_eq!(browser.finish(10 + id).done["from_cache"], 1, "{id}");
    }
}

#[test]
fn a_provider_that_is_not_there_is_named() {
    let server = slow();
    let home = Home::new(&settings(&[("main", &server)], 60));
    let mut browser = home.greeted();
    browser.translate_as(1, &["A sentence"], &json!({"provider": "gone"}));
    let finished = browser.finish(1);
    assert_eq!(finished.failed[&0], "not_configured");
    assert!(finished.message.contains("gone"), "{}", finished.message);
    assert!(!finished.message.contains("No provider is set up"), "{}", finished.message);
}

#[test]
fn a_mistake_in_the_settings_from_the_start_is_told_with_each_text() {
    let server = slow();
    let mistake = settings(&[("main", &server)], 60).replace("timeout_s = 60", "timeout_s = 0");
    let home = Home::new(&mistake);
    let mut browser = home.greeted();
    browser.translate(1, &["A sentence"]);
    let finished = browser.finish(1);
    assert_eq!(finished.failed[&0], "not_configured");
    assert!(finished.message.contains("timeout_s"), "{}", finished.message);
}

#[test]
fn a_key_that_is_missing_is_told_once() {
    let home = Home::new("providers = [\"gemini\"]\n");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "status", "id": 8}));
    let told = browser.next_word();
    let message = told["providers"][0]["message"].as_str().unwrap();
    assert_eq!(message, "No key is stored for gemini: enter it in the options.");
}

#[test]
fn settings_that_are_being_written_take_no_provider_away() {
    let server = slow();
    let good = settings(&[("main", &server)], 60);
    let home = Home::new(&good);
    let mut browser = home.greeted();
    let texts: Vec<String> = (0..30).map(|i| format!("A sentence with the number {i}.")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    browser.translate(1, &texts);
    // Editors empty a file, or move it away, before they write it.
    std::fs::write(home.path("settings.toml"), "").unwrap();
    browser.send(&json!({"type": "get_settings", "id": 8}));
    std::fs::remove_file(home.path("settings.toml")).unwrap();
    browser.send(&json!({"type": "ping", "id": 9}));
    assert_eq!(browser.finish(1).translated.len(), 30);
    browser.send(&json!({"type": "get_settings", "id": 10}));
    let told = browser.next_word();
    assert!(told["problem"].as_str().unwrap().contains("settings.toml"), "{told}");
    std::fs::write(home.path("settings.toml"), good).unwrap();
    browser.send(&json!({"type": "get_settings", "id": 11}));
    assert_eq!(browser.next_word().get("problem"), None);
}

#[test]
fn what_is_ignored_in_the_settings_takes_nothing_out_of_force() {
    let home = Home::new("tarjet = \"ja\"\ntarget = \"ko\"\n");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "get_settings", "id": 5}));
    let settings = browser.next_word();
    assert_eq!(settings["settings"]["target"], "ko");
    assert!(settings.get("problem").is_none(), "{settings}");
    let warning = settings["warnings"][0].as_str().unwrap();
    assert!(warning.contains("line 1") && warning.contains("target"), "{warning}");
}

#[test]
fn a_change_after_the_settings_file_was_deleted_loses_no_provider() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    std::fs::remove_file(home.path("settings.toml")).unwrap();
    browser.send(&json!({"type": "set_settings", "id": 2, "settings": {"target": "ja"}}));
    let settings = browser.next_word();
    assert_eq!(settings["settings"]["target"], "ja", "{settings}");
    assert_eq!(settings["settings"]["providers"], json!(["main"]), "{settings}");
    let file = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    assert!(file.contains("[provider.main]") && file.contains(&server.url()), "{file}");
}

#[test]
fn two_hosts_that_change_the_settings_at_the_same_moment_lose_nothing() {
    let home = Home::new("# by hand\ntarget = \"ko\"\n");
    let mut browsers = [home.greeted(), home.greeted()];
    for round in 0..16 {
        for (who, browser) in browsers.iter_mut().enumerate() {
            let name = format!("p{round}-{who}");
            browser.send(&json!({"type": "set_settings", "id": round + 1,
                "settings": {"provider": {name: {"kind": "sample"}}}}));
        }
    }
    for browser in &mut browsers {
        for _ in 0..16 {
            assert_eq!(browser.next_word()["type"], "settings");
        }
    }
    let file = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    assert_eq!(file.matches("[provider.").count(), 32, "{file}");
    assert!(file.starts_with("# by hand\n"), "{file}");
}
