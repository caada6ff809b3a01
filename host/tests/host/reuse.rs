//! `cache.reuse = "any"`: which entries of other engines serve, and which never.

use std::process::{Command, Stdio};

use scripted_provider::{Answer, Script, Server, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};

const MEMORY: &str = "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\
    <tu><tuv xml:lang=\"en\"><seg>Load order</seg></tuv>\
        <tuv xml:lang=\"ko\"><seg>불러오기 순서</seg></tuv></tu>\
    <tu><tuv xml:lang=\"en\"><seg>here</seg></tuv><tuv xml:lang=\"ko\"><seg>여기</seg></tuv></tu>\
    </body></tmx>";

/// Settings for providers by name, kind and server, and this of the cache.
fn settings(providers: &[(&str, &str, &Server)], cache: &str) -> String {
    let names: Vec<&str> = providers.iter().map(|(name, ..)| *name).collect();
    let sections = providers.iter().map(|(name, kind, server)| {
        let path = if *kind == "openai" { "/v1" } else { "" };
        let model = if *kind == "openai" { "model = \"scripted\"\n" } else { "" };
        format!(
            "[provider.{name}]\nkind = \"{kind}\"\nbase_url = \"{}{path}\"\n{model}",
            server.url()
        )
    });
    let sections: String = sections.collect();
    format!("target = \"ko\"\nproviders = {names:?}\n{sections}[cache]\n{cache}\n")
}

const ANY: &str = "reuse = \"any\"";

fn change(home: &Home, settings: &str) {
    std::fs::write(home.path("settings.toml"), settings).unwrap();
}

fn import(home: &Home, file: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    std::fs::write(home.path("memory"), file).unwrap();
    command.args(["cache", "import"]).arg(home.path("memory"));
    command.env("WEBTRANSLATOR_HOME", home.dir.path()).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
}

/// A language model's whole answer to one text.
fn said(text: &str) -> Answer {
    let content = json!({"0": text}).to_string();
    let message = json!({"role": "assistant", "content": content});
    let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
    let headers = json!({"content-type": "application/json"});
    let body = json!({"choices": [choice]});
    serde_json::from_value(json!({"status": 200, "headers": headers, "body": body})).unwrap()
}

fn rows(home: &Home, query: &str) -> i64 {
    let file = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    file.query_row(query, [], |row| row.get(0)).unwrap()
}

/// Translates one text and returns the answer, and how many calls that took.
fn answer(browser: &mut Browser, id: u64, text: &str, more: &Value) -> (Value, u64) {
    browser.translate_as(id, &[text], more);
    let mut finished = browser.finish(id);
    let calls = finished.done["calls"].as_u64().unwrap();
    (finished.translated.remove(&0).unwrap_or_default(), calls)
}

#[test]
fn an_imported_memory_serves_where_entries_of_any_engine_may() {
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", "openai", &server)], ""));
    import(&home, MEMORY);
    let mut browser = home.greeted();
    browser.translate(1, &["Load order"]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("Load order"));
    assert_eq!(server.calls().len(), 1, "entries of the engine only are the default");

    change(&home, &settings(&[("main", "openai", &server)], ANY));
    browser.translate(2, &["here"]);
    let finished = browser.finish(2);
    let told = json!({"i": 0, "text": "여기", "from": "cache", "provider": "import"});
    assert_eq!((&finished.translated[&0], &finished.done["calls"]), (&told, &json!(0)));
    assert_eq!((server.calls().len(), &finished.done["from_cache"]), (1, &json!(1)));
    browser.translate(3, &["Load order"]);
    let own = browser.finish(3);
    assert_eq!(own.text(0), stand_in::stand_in("Load order"), "one's own engine comes first");
    browser.send(&json!({"type": "status", "id": 4}));
    let status = browser.next_word();
    assert_eq!(
        status["by_provider"][0]["from_cache"], 2,
        "for the one who was not asked: {status}"
    );
}

#[test]
fn only_an_entry_of_the_same_question_serves() {
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", "openai", &server)], ANY));
    import(&home, MEMORY);
    let mut browser = home.greeted();
    let asked = |browser: &mut Browser, id, more: Value| {
        let (answer, calls) = answer(browser, id, "here", &more);
        assert!(answer["text"].is_string(), "{more}");
        // What was asked for must not serve the next one.
        let of_openai = "DELETE FROM translation WHERE engine LIKE 'openai%'";
        rusqlite::Connection::open(home.path("cache.db")).unwrap().execute(of_openai, []).unwrap();
        calls
    };
    let page = |origin: &str| json!({"page": {"origin": origin, "title": ""}});
    for (id, more, calls) in [
        (1, json!({}), 0),
        (2, json!({"source": "en-GB"}), 0),
        (3, json!({"source": null}), 0),
        (4, page("https://elsewhere.example"), 0),
        (5, json!({"retry": true}), 0),
        (6, json!({"source": "fr"}), 1),
        (7, json!({"target": "ja"}), 1),
        (8, json!({"fresh": true}), 1),
        (9, json!({"private": true}), 1),
        (10, page("null"), 1),
        (11, json!({"provider": "main"}), 1),
        (12, json!({"segments": [{"i": 0, "text": "here", "tags": 0}]}), 1),
    ] {
        assert_eq!(asked(&mut browser, id, more.clone()), calls, "{more}");
    }
    change(&home, &settings(&[("main", "openai", &server)], "reuse = \"any\"\nmode = \"off\""));
    assert_eq!(answer(&mut browser, 20, "here", &json!({})).1, 1);
    change(&home, &settings(&[("main", "openai", &server)], "reuse = \"any\"\nmode = \"read\""));
    assert_eq!(answer(&mut browser, 21, "here", &json!({})).1, 0);
}

#[test]
fn what_a_language_model_said_on_one_site_never_serves_another() {
    let server = serve(Script::default());
    let model = ("model", "openai", &server);
    let rules = ("rules", "apertium", &server);
    let home = Home::new(&settings(&[model], ANY));
    let mut browser = home.greeted();
    let on = |site: &str| json!({"page": {"origin": format!("https://{site}"), "title": ""}});
    assert_eq!(answer(&mut browser, 1, "Sign in here", &on("one.example")).1, 1);
    change(&home, &settings(&[rules], ANY));
    let (same, calls) = answer(&mut browser, 2, "Sign in here", &on("www.one.example"));
    assert_eq!((&same["provider"], calls), (&json!("openai"), 0));
    let (other, calls) = answer(&mut browser, 3, "Sign in here", &on("other.example"));
    assert_eq!((&other["provider"], calls), (&json!("rules"), 1));
    // An engine that takes each text by itself serves everywhere.
    change(&home, &settings(&[model], ANY));
    let (third, calls) = answer(&mut browser, 4, "Sign in here", &on("third.example"));
    assert_eq!((&third["provider"], calls), (&json!("apertium"), 0));
}

#[test]
fn a_term_that_has_changed_asks_again_whoever_translated() {
    let text = "The load order matters a lot.";
    let terms = |home: &Home, target: &str| {
        let toml = format!("[[term]]\nsource = \"load order\"\n{target}\n");
        std::fs::write(home.path("dictionary.toml"), toml).unwrap();
    };
    for (first, second) in [("openai", "apertium"), ("apertium", "openai")] {
        // What a language model makes of the term that it was told.
        let queue =
            if first == "openai" { vec![said("로드 순서가 중요하다.")] } else { vec![] };
        let server = serve(Script { queue, ..Script::default() });
        let home = Home::new(&settings(&[("first", first, &server)], ANY));
        let mut browser = home.greeted();
        terms(&home, "target = \"로드 순서\"");
        assert_eq!(answer(&mut browser, 1, text, &json!({})).1, 1);
        change(&home, &settings(&[("second", second, &server)], ANY));
        let (served, calls) = answer(&mut browser, 2, text, &json!({}));
        assert_eq!((&served["provider"], calls), (&json!(first), 0));
        for (id, target) in [(3, "target = \"적재 순서\""), (4, "keep = true")] {
            terms(&home, target);
            let (told, calls) = answer(&mut browser, id, text, &json!({}));
            assert_eq!((told["provider"].as_str(), calls > 0), (Some("second"), true), "{target}");
        }
    }
    // An imported text knows no terms.
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", "apertium", &server)], ANY));
    import(&home, MEMORY);
    std::fs::write(
        home.path("dictionary.toml"),
        "[[term]]\nsource = \"order\"\ntarget = \"순서\"\n",
    )
    .unwrap();
    let mut browser = home.greeted();
    assert_eq!(answer(&mut browser, 1, "here", &json!({})).1, 0);
    assert_eq!(answer(&mut browser, 2, "Load order", &json!({})).1, 1);
}

#[test]
fn a_language_model_that_passed_a_term_by_does_not_serve_for_an_engine_that_keeps_it() {
    let copies = vec![said("순서가 중요하다."), said("순서가 중요하다.")];
    let server = serve(Script { queue: copies, ..Script::default() });
    let home = Home::new(&settings(&[("model", "openai", &server)], ANY));
    let toml = "[[term]]\nsource = \"load order\"\ntarget = \"로드 순서\"\n";
    std::fs::write(home.path("dictionary.toml"), toml).unwrap();
    let mut browser = home.greeted();
    let text = "The load order matters.";
    assert_eq!(answer(&mut browser, 1, text, &json!({})).0["text"], "순서가 중요하다.");
    assert_eq!(answer(&mut browser, 2, text, &json!({})).1, 0, "its own entry serves it");
    change(&home, &settings(&[("rules", "apertium", &server)], ANY));
    let (told, calls) = answer(&mut browser, 3, text, &json!({}));
    assert_eq!(calls, 1);
    assert!(told["text"].as_str().unwrap().contains("로드 순서"), "{told}");
}

#[test]
fn the_readers_own_providers_come_first_and_then_the_newest() {
    let server = serve(Script::default());
    let (a, b) = (("a", "openai", &server), ("b", "apertium", &server));
    let home = Home::new(&settings(&[b], ANY));
    let mut browser = home.greeted();
    assert_eq!(answer(&mut browser, 1, "Some words", &json!({})).1, 1);
    let line = |translation: &str, day: &str, engine: &str| {
        let of = json!({"source": "Some words", "translation": translation, "created": day,
            "source_language": "en", "target_language": "ko", "engine": engine});
        format!("{of}\n")
    };
    let lines = [
        line("old", "2024-01-01", "deepl|api.deepl.com:443||p1|"),
        line("newest", "2025-01-01", "azure|x:443||p1|formal"),
        line("new", "2024-06-01", "import|||p0|"),
    ];
    import(&home, &lines.concat());
    change(&home, &settings(&[a, b], ANY));
    let (own, calls) = answer(&mut browser, 2, "Some words", &json!({}));
    assert_eq!((&own["provider"], calls), (&json!("b"), 0), "though the first one is ready");
    change(&home, &settings(&[a], ANY));
    browser.send(&json!({"type": "cache_clear", "id": 3, "filter": {"kind": "apertium"}}));
    assert_eq!(browser.next_word()["removed"], 1);
    let (newest, _) = answer(&mut browser, 4, "Some words", &json!({}));
    assert_eq!((&newest["text"], &newest["provider"]), (&json!("newest"), &json!("azure")));
}

#[test]
fn a_text_with_a_part_of_another_engine_is_nobodys_entry() {
    let lost = said("꼬리표를 잃었다");
    let server = serve(Script { queue: vec![lost.clone(), lost], ..Script::default() });
    let home = Home::new(&settings(&[("main", "openai", &server)], ANY));
    import(&home, MEMORY);
    let mut browser = home.greeted();
    let marked = json!({"segments": [{"i": 0, "text": "Click <1>here</1>", "tags": 1}]});
    let (told, _) = answer(&mut browser, 1, "", &marked);
    assert_eq!(told["text"], "가«Click» <1>여기</1>");
    assert_eq!(rows(&home, "SELECT count(*) FROM translation WHERE source LIKE '%<1>%'"), 0);
    assert_eq!(rows(&home, "SELECT count(*) FROM translation WHERE source = 'Click'"), 1);
}

#[test]
fn an_entry_that_was_translated_too_long_ago_is_asked_for_again() {
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", "openai", &server)], ANY));
    let line = |text: &str, days: i64| {
        let day = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * days);
        let of = json!({"source": text, "translation": "가", "source_language": "en",
            "target_language": "ko", "created": day.to_string()[..10]});
        format!("{of}\n")
    };
    import(&home, &(line("Good morning", 40) + &line("Good evening", 20)));
    let mut browser = home.greeted();
    assert_eq!(answer(&mut browser, 1, "Good morning", &json!({})).1, 0);
    change(&home, &settings(&[("main", "openai", &server)], "reuse = \"any\"\nmax_days = 30"));
    assert_eq!(answer(&mut browser, 2, "Good morning", &json!({})).1, 1);
    assert_eq!(answer(&mut browser, 3, "Good evening", &json!({})).1, 0);
    // It goes while nobody waits for the store.
    let imported = "SELECT count(*) FROM translation WHERE engine LIKE 'import%'";
    crate::redis::wait_until(|| rows(&home, imported) == 1);
}

#[test]
fn a_pair_of_languages_is_cleared_over_the_wire() {
    let server = serve(Script::default());
    let home = Home::new(&settings(&[("main", "openai", &server)], ""));
    let mut browser = home.greeted();
    browser.translate_as(1, &["One text", "Another text"], &json!({}));
    browser.finish(1);
    browser.translate_as(2, &["One text"], &json!({"source": null}));
    browser.finish(2);
    let mut removed = |id: u64, filter: Value| {
        browser.send(&json!({"type": "cache_clear", "id": id, "filter": filter}));
        browser.next_word()["removed"].as_u64().unwrap()
    };
    assert_eq!(removed(3, json!({"source": "fr", "target": "ko"})), 0);
    assert_eq!(removed(4, json!({"engine": "openai"})), 0);
    assert_eq!(removed(5, json!({"older_days": 1})), 0);
    assert_eq!(removed(6, json!({"source": "EN", "target": "ko"})), 2);
    assert_eq!(removed(7, json!({"source": "und"})), 1);
}
