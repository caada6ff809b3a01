//! The reader's own translations, through the whole host: they win over the
//! cache and the provider, and are kept in the reader's file.

use std::fs;

use scripted_provider::{Script, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};

const TEXT: &str = "The load order matters.";

impl Browser {
    /// Sets or removes a correction, and returns what the host says.
    fn correct(&mut self, id: u64, source: &str, translation: Option<&str>) -> Value {
        self.send(&json!({"type": "cache_correct", "id": id, "source": source,
            "translation": translation, "target": "ko"}));
        self.next_word()
    }

    fn find_entries(&mut self, id: u64, text: &str) -> Value {
        self.send(&json!({"type": "cache_find", "id": id, "text": text}));
        self.next_word()
    }
}

#[test]
fn a_correction_wins_over_cache_and_provider_until_it_is_removed() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &[TEXT]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in(TEXT));
    let told = browser.correct(2, " The  load order matters. ", Some("순서가  중요하다"));
    assert_eq!(told, json!({"type": "cache_corrected", "id": 2, "corrections": 1}));
    fs::write(home.path("dictionary.csv"), "순서가,차례가,replacement\n").unwrap();

    for (id, more) in [
        (3, json!({})),
        (4, json!({"private": true})),
        (5, json!({"fresh": true})),
        (6, json!({"source": null})),
        (7, json!({"page": null})),
        (8, json!({"retry": true, "provider": "nobody"})),
    ] {
        browser.translate_as(id, &[TEXT], &more);
        let finished = browser.finish(id);
        assert_eq!(
            finished.translated[&0],
            json!({"i": 0, "text": "순서가  중요하다", "from": "cache"}),
            "{more}"
        );
        let done = &finished.done;
        assert_eq!((&done["from_cache"], &done["calls"]), (&json!(1), &json!(0)), "{more}");
        assert_eq!((done.get("cost"), done.get("saved")), (None, None), "{more}");
    }
    assert_eq!(server.calls().len(), 1);
    browser.send(&json!({"type": "cache_stats", "id": 9}));
    assert_eq!(browser.next_word()["entries"], 1, "it is not in the cache");

    assert_eq!(browser.correct(10, TEXT, None)["corrections"], 0);
    browser.translate(11, &[TEXT]);
    let finished = browser.finish(11);
    assert_eq!(finished.text(0), stand_in::stand_in(TEXT), "the machine's is back");
    assert_eq!((server.calls().len(), &finished.done["calls"]), (1, &json!(0)));
}

#[test]
fn a_text_that_nobody_translated_yet_is_answered_without_a_provider() {
    let home = Home::new("target = \"ko\"\n");
    let mut browser = home.greeted();
    browser.correct(1, TEXT, Some("고침"));
    browser.translate(2, &["Another text of this page.", TEXT]);
    let finished = browser.finish(2);
    assert_eq!(finished.text(1), "고침");
    assert_eq!(finished.failed[&0], "not_configured");
    assert_eq!((&finished.done["translated"], &finished.done["failed"]), (&json!(1), &json!(1)));
}

#[test]
fn what_the_reader_wrote_is_never_sent() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.correct(1, "It stands in the middle.", Some("비밀스러운 말"));
    let around = ["This one is before it.", "It stands in the middle.", "This one is after it."];
    browser.translate(2, &around);
    assert_eq!(browser.finish(2).text(1), "비밀스러운 말");
    let calls = server.calls();
    assert!(!calls.is_empty());
    for call in calls {
        assert!(!call.body.contains("비밀") && !call.body.contains("\\ube44"), "{}", call.body);
        assert!(call.texts.iter().all(|text| !text.contains("middle")), "{:?}", call.texts);
    }
}

#[test]
fn a_file_that_is_edited_while_the_host_runs_holds_at_once_for_marked_and_plain_text() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let ask = |browser: &mut Browser, id: u64, tags: Option<u32>| {
        let mut segment = json!({"i": 0, "text": "Load <1>order</1>", "rank": 0});
        if let Some(tags) = tags {
            segment["tags"] = json!(tags);
        }
        browser.send(&json!({"type": "translate", "id": id, "target": "ko", "source": "en",
            "page": {"origin": "https://www.example.org", "title": ""}, "segments": [segment]}));
        browser.finish(id).text(0).to_owned()
    };
    let machine = ask(&mut browser, 1, Some(1));
    let of = |translation: &str, rest: &str| {
        format!(
            "[[correction]]\nsource = \"Load <1>order</1>\"\ntranslation = \"{translation}\"\n{rest}\n"
        )
    };
    let marked = of("<1>불러오기</1> 순서", "marked = true\nsite = \"example.org\"");
    let file = format!("# by hand\n{marked}\n{}", of("평문", ""));
    fs::write(home.path("dictionary.toml"), &file).unwrap();
    assert_eq!(ask(&mut browser, 2, Some(1)), "<1>불러오기</1> 순서");
    assert_eq!(ask(&mut browser, 3, None), "평문");
    fs::write(home.path("dictionary.toml"), file.replace("example.org", "example.com")).unwrap();
    assert_eq!(ask(&mut browser, 4, Some(1)), machine, "another site's");
    assert_eq!(server.calls().len(), 1);
    browser.send(&json!({"type": "dictionary_get", "id": 5}));
    assert_eq!(browser.next_word()["entries"], 2);
}

#[test]
fn a_correction_that_could_not_be_shown_is_refused_and_comments_survive() {
    let home = Home::new("target = \"ko\"\n");
    let file = "# mine\n[[term]]\nsource = \"raid\"\nkeep = true # always\n";
    fs::write(home.path("dictionary.toml"), file).unwrap();
    let mut browser = home.greeted();
    let refused = |browser: &mut Browser, fields: Value, expected: &str| {
        let mut message = json!({"type": "cache_correct", "id": 9, "source": "a <1>b</1>",
            "marked": true, "target": "ko", "translation": "<1>가</1>"});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        browser.send(&message);
        let told = browser.next_word();
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("bad_message")));
        assert!(told["message"].as_str().unwrap().contains(expected), "{told}");
    };
    refused(&mut browser, json!({"translation": "가"}), "tags");
    refused(&mut browser, json!({"translation": " "}), "translation is missing");
    refused(&mut browser, json!({"source": " "}), "source is missing");
    refused(&mut browser, json!({"target": "한국어"}), "pair");
    refused(&mut browser, json!({"site": "/"}), "site");
    assert_eq!(fs::read_to_string(home.path("dictionary.toml")).unwrap(), file);
    browser.correct(10, "Sign in", Some("로그인"));
    let written = fs::read_to_string(home.path("dictionary.toml")).unwrap();
    assert!(written.starts_with(file), "{written}");
    browser.correct(11, "Sign in", None);
    assert_eq!(fs::read_to_string(home.path("dictionary.toml")).unwrap(), file);
    browser.send(&json!({"type": "cache_correct", "id": 12, "source": "Sign in"}));
    assert_eq!(browser.next_word()["code"], "bad_message", "null must be said");
}

#[test]
fn a_file_with_a_mistake_keeps_its_good_entries_and_is_never_destroyed() {
    let home = Home::new("target = \"ko\"\n");
    let path = home.path("dictionary.toml");
    let good = "[[correction]]\nsource = \"Sign in\"\ntranslation = \"로그인\"\n\n";
    let faulty = format!(
        "{good}[[correction]]\nsource = \"<1>a</1>\"\ntranslation = \"b\"\nmarked = true\n"
    );
    fs::write(&path, &faulty).unwrap();
    let mut browser = home.greeted();
    assert_eq!(browser.correct(1, "Sign out", Some("로그아웃"))["corrections"], 2);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&faulty));

    let broken = format!("{good}[[correction]\nsource = \"x\"\n");
    fs::write(&path, &broken).unwrap();
    browser.translate(2, &["Sign in"]);
    assert_eq!(browser.finish(2).text(0), "로그인", "the good one is in force");
    for translation in [Some("나가기"), None] {
        let told = browser.correct(3, "Sign in", translation);
        assert!(told["message"].as_str().unwrap().contains("line 5"), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
}

#[test]
fn two_hosts_that_correct_at_the_same_moment_lose_nothing() {
    let home = Home::new("target = \"ko\"\n");
    let mut browsers = [home.greeted(), home.greeted()];
    for round in 0..16 {
        for (who, browser) in browsers.iter_mut().enumerate() {
            browser.send(&json!({"type": "cache_correct", "id": round + 1, "target": "ko",
                "source": format!("text {round} of {who}"), "translation": "고침"}));
        }
    }
    for browser in &mut browsers {
        for _ in 0..16 {
            assert_eq!(browser.next_word()["type"], "cache_corrected");
        }
    }
    let file = fs::read_to_string(home.path("dictionary.toml")).unwrap();
    assert_eq!(file.matches("[[correction]]").count(), 32, "{file}");
    browsers[0].send(&json!({"type": "dictionary_get", "id": 99}));
    assert_eq!(browsers[0].next_word()["entries"], 32);
}

#[test]
fn what_is_found_begins_with_corrections_and_keeps_to_limit_and_frame() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["Load order of mods", "The LOAD ORDER matters", "Something else here"]);
    browser.finish(1);
    browser.correct(2, "Load order of mods", Some("모드 순서"));
    let found = browser.find_entries(3, "load  order");
    let entries = found["entries"].as_array().unwrap();
    assert_eq!((entries.len(), found.get("more")), (3, None), "{found}");
    assert_eq!(
        entries[0],
        json!({"source": "Load order of mods", "translation": "모드 순서",
            "source_language": "*", "target": "ko", "marked": false, "corrected": true})
    );
    for entry in &entries[1..] {
        let is_corrected = entry["source"] == "Load order of mods";
        assert_eq!(entry.get("corrected").is_some(), is_corrected, "{entry}");
        assert!(entry["engine"].as_str().unwrap().starts_with("openai|"), "{entry}");
        assert_eq!((&entry["site"], &entry["target"]), (&json!("example.org"), &json!("ko")));
        assert!(entry["used"].is_string() && entry["created"].is_string(), "{entry}");
    }
    for (fields, count, more) in [
        (json!({"limit": 1}), 1, true),
        (json!({"target": "de"}), 0, false),
        (json!({"source": "en", "target": "ko", "site": "www.example.org"}), 3, false),
        (json!({"source": "en", "site": "example.com"}), 1, false),
        (json!({"text": "모드"}), 1, false),
        (json!({"text": "%"}), 0, false),
        (json!({"text": ""}), 4, false),
    ] {
        let mut message = json!({"type": "cache_find", "id": 4, "text": "load order"});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        browser.send(&message);
        let found = browser.next_word();
        assert_eq!(found["entries"].as_array().unwrap().len(), count, "{fields}: {found}");
        assert_eq!(found["more"] == true, more, "{fields}");
    }
    browser.send(&json!({"type": "cache_find", "id": 5, "text": "", "site": "/"}));
    assert_eq!(browser.next_word()["code"], "bad_message");

    let long = "\u{1}".repeat(30_000);
    for number in 0..6 {
        browser.correct(6 + number, &format!("long {number}"), Some(&format!("x{long}")));
    }
    browser.send(&json!({"type": "cache_find", "id": 20, "text": "long"}));
    let frame = browser.next_frame(crate::browser::PATIENCE).unwrap();
    assert!(frame.len() <= 512 * 1024);
    let found: Value = serde_json::from_slice(&frame).unwrap();
    assert_eq!(found["more"], true);
    assert_eq!(found["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn where_nothing_is_remembered_nothing_is_found_and_no_file_is_made() {
    let mut home = Home::new("target = \"ko\"\n[cache]\nmode = \"off\"\n");
    home.environment.clear();
    let mut browser = home.greeted();
    let found = browser.find_entries(1, "a");
    assert_eq!(found, json!({"type": "cache_found", "id": 1, "entries": []}));
    assert!(!home.path("cache.db").exists());
}
