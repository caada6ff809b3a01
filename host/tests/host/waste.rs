//! What a fault costs, counted in calls, and that none of it is shown.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use scripted_provider::{Answer, Script, Server, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Finished, Home, serve};

const CULPRIT: &str = "zarglefrak";

/// Returns so many paragraphs, too long to be labels.
fn paragraphs(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("Paragraph {i} tells of the garden behind the house.")).collect()
}

fn translate(browser: &mut Browser, texts: &[String]) -> Finished {
    browser.translate(1, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    browser.finish(1)
}

/// Translates a page with a fresh host.
fn page(server: &Server, texts: &[String]) -> Finished {
    translate(&mut Home::at(server, "gemini").greeted(), texts)
}

/// Holds that what is shown is each text's own translation.
#[track_caller]
fn shows_its_own(finished: &Finished, texts: &[String], missing: &[u64]) {
    for (i, text) in (0..).zip(texts).filter(|(i, _)| !missing.contains(i)) {
        assert_eq!(finished.text(i), stand_in::stand_in(text), "{:?}", finished.failed);
    }
    assert_eq!(finished.failed.keys().copied().collect::<Vec<_>>(), missing);
}

fn calls(server: &Server) -> usize {
    server.calls().len()
}

/// Returns an answer of Gemini's in which the model says this.
fn said(text: &str, finish: &str) -> Answer {
    Answer::json(
        200,
        &json!({
            "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": finish}],
        }),
    )
}

/// Returns the translations of these texts as one JSON object.
fn keyed(texts: &[String]) -> Value {
    let pair = |(i, text): (usize, &String)| (i.to_string(), json!(stand_in::stand_in(text)));
    Value::Object(texts.iter().enumerate().map(pair).collect())
}

fn limited(retry_after: u64) -> Answer {
    let error = json!({"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}});
    Answer::json(429, &error).with_header("retry-after", retry_after.to_string())
}

/// A home with two providers, `main` before `second`.
fn home_of_two(main: &Server, second: &Server) -> Home {
    let provider = |name: &str, server: &Server| {
        format!("[provider.{name}]\nkind = \"gemini\"\nbase_url = \"{}\"\n", server.url())
    };
    let mut home = Home::new(&format!(
        "target = \"ko\"\nproviders = [\"main\", \"second\"]\n{}{}",
        provider("main", main),
        provider("second", second)
    ));
    for name in ["MAIN", "SECOND"] {
        home.environment.push((format!("WEBTRANSLATOR_KEY_{name}"), "a-key".into()));
    }
    home
}

#[test]
fn one_refused_text_among_32_costs_at_most_eleven_calls() {
    for culprit in [0, 7, 8, 19, 31] {
        let server = serve(Script { refuse: vec![CULPRIT.to_owned()], ..Script::default() });
        let mut texts = paragraphs(32);
        texts[culprit].push_str(CULPRIT);
        let finished = page(&server, &texts);
        shows_its_own(&finished, &texts, &[culprit as u64]);
        assert_eq!(finished.failed[&(culprit as u64)], "refused");
        assert!(calls(&server) <= 2 * 5 + 1, "{culprit}: {}", calls(&server));
    }
}

#[test]
fn a_reply_that_lacks_one_text_costs_one_call_with_that_one() {
    let texts = paragraphs(20);
    let mut second = keyed(&texts[8..]);
    second.as_object_mut().unwrap().remove("5");
    let queue =
        vec![said(&keyed(&texts[..8]).to_string(), "STOP"), said(&second.to_string(), "STOP")];
    let server = serve(Script { queue, ..Script::default() });
    let finished = page(&server, &texts);
    shows_its_own(&finished, &texts, &[]);
    let sent: Vec<Vec<String>> = server.calls().into_iter().map(|call| call.texts).collect();
    assert_eq!(sent, [&texts[..8], &texts[8..], &texts[13..14]]);
}

#[test]
fn a_wrong_key_costs_one_call_for_the_whole_page() {
    let closed = || serve(Script { key: Some("another".to_owned()), ..Script::default() });
    let (main, second, texts) = (closed(), closed(), paragraphs(600));
    let finished = translate(&mut home_of_two(&main, &second).greeted(), &texts);
    assert_eq!(finished.failed.len(), 600);
    assert!(finished.failed.values().all(|code| code == "unauthorized"));
    assert_eq!((calls(&main), calls(&second)), (1, 1));

    let open = serve(Script::default());
    let finished = translate(&mut home_of_two(&second, &open).greeted(), &texts);
    shows_its_own(&finished, &texts, &[]);
    assert_eq!((calls(&second), calls(&open)), (2, 11), "8 and ten times 60");
}

#[test]
fn a_days_quota_costs_one_call_and_then_the_next_provider_is_asked() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/fixtures/providers/gemini/err429_per_day.json");
    let queue = scripted_provider::answer::load(&path).unwrap();
    let main = serve(Script { queue, repeat: true, ..Script::default() });
    let (second, texts) = (serve(Script::default()), paragraphs(100));
    let finished = translate(&mut home_of_two(&main, &second).greeted(), &texts);
    shows_its_own(&finished, &texts, &[]);
    assert_eq!(finished.translated[&0]["provider"], "second");
    assert_eq!((calls(&main), calls(&second)), (1, 3));
}

#[test]
fn an_advice_of_17_seconds_is_told_and_kept() {
    let server = serve(Script { queue: vec![limited(17)], ..Script::default() });
    let home = Home::at(&server, "gemini");
    let mut browser = home.greeted();
    browser.translate(1, &["A paragraph that has to wait for a while."]);
    let waiting = loop {
        let message = browser.next();
        if message["type"] == "progress" && message["waiting"].is_object() {
            break message["waiting"].clone();
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let ahead = i128::from(waiting["until"].as_i64().unwrap()) - i128::try_from(now).unwrap();
    // The message comes up to a quarter of a second after the refusal, and more
    // on a busy machine; a fifth is for the jitter.
    assert!((14_000..=20_400).contains(&ahead), "{ahead} ms");
    assert_eq!(waiting["code"], "rate_limited");
    browser.send(&json!({"type": "cancel", "id": 1}));
    assert_eq!(browser.finish(1).done["cancelled"], 1);
    assert_eq!(calls(&server), 1);
}

#[test]
fn an_advice_of_7_seconds_is_a_pause_of_ten_and_one_probe() {
    let server = serve(Script { queue: vec![limited(7)], ..Script::default() });
    let texts = paragraphs(4);
    shows_its_own(&page(&server, &texts), &texts, &[]);
    let at: Vec<u64> = server.calls().iter().map(|call| call.time_ms).collect();
    assert_eq!(at.len(), 2);
    assert!((10_000..16_000).contains(&(at[1] - at[0])), "{at:?}");
}

#[test]
fn three_empty_replies_cost_themselves_and_their_halvings() {
    let texts = paragraphs(100);
    let well = serve(Script::default());
    shows_its_own(&page(&well, &texts), &texts, &[]);
    let empty = || said("", "STOP");
    let server = serve(Script { queue: vec![empty(), empty(), empty()], ..Script::default() });
    shows_its_own(&page(&server, &texts), &texts, &[]);
    let most = calls(&well) + 3 + 1;
    assert!(calls(&server) <= most, "{}, the first batch is halved once", calls(&server));
}

#[test]
fn a_text_that_always_empties_the_reply_fails_alone() {
    let server = serve(Script { empties: vec![CULPRIT.to_owned()], ..Script::default() });
    let mut texts = paragraphs(20);
    texts[13].push_str(CULPRIT);
    let finished = page(&server, &texts);
    shows_its_own(&finished, &texts, &[13]);
    assert_eq!(finished.failed[&13], "bad_reply");
    // Two batches, four attempts, and two calls for each halving of the twelve.
    assert!(calls(&server) <= 2 + 4 + 2 * 4, "{}", calls(&server));
}

#[test]
fn a_model_that_is_always_cut_off_is_found_out() {
    let cut = said(r#"{"0":"가나다"#, "MAX_TOKENS");
    let long = vec!["This sentence is one of many in the text. ".repeat(100)];
    for (texts, most) in [(paragraphs(100), 9), (long, 13)] {
        let server = serve(Script { queue: vec![cut.clone()], repeat: true, ..Script::default() });
        let finished = page(&server, &texts);
        assert_eq!((finished.translated.len(), finished.failed.len()), (0, texts.len()));
        assert!(calls(&server) <= most, "{} calls for {} texts", calls(&server), texts.len());
    }
}

#[test]
fn a_server_of_this_machine_gets_one_call_at_a_time_or_as_many_as_it_has_slots() {
    let texts = paragraphs(120);
    for (setting, most) in [("", 1), ("concurrency = 3\n", 3)] {
        let server = serve(Script { latency_ms: 60, ..Script::default() });
        let home = Home::at(&server, "openai");
        let path = home.path("settings.toml");
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + setting).unwrap();
        let finished = translate(&mut home.greeted(), &texts);
        shows_its_own(&finished, &texts, &[]);
        assert_eq!(server.stats().max_concurrent, most);
    }
}

/// Each form that a reply without the sixth of twelve texts can take.
fn without_one(texts: &[String]) -> [String; 5] {
    let all: Vec<String> = texts.iter().map(|text| stand_in::stand_in(text)).collect();
    let rest = || all.iter().enumerate().filter(|(i, _)| *i != 5);
    let values: Vec<&String> = rest().map(|(_, text)| text).collect();
    let objects: Vec<Value> = rest().map(|(i, text)| json!({"id": i, "text": text})).collect();
    let mut gap = keyed(texts);
    gap.as_object_mut().unwrap().remove("5");
    // Numbered anew, as a model does that counts what it writes.
    let renumbered: Value =
        Value::Object(values.iter().enumerate().map(|(i, t)| (i.to_string(), json!(t))).collect());
    let lines: Vec<String> =
        values.iter().enumerate().map(|(i, text)| format!("{}. {text}", i + 1)).collect();
    [
        gap.to_string(),
        json!(values).to_string(),
        json!(objects).to_string(),
        renumbered.to_string(),
        lines.join("\n"),
    ]
}

#[test]
fn no_neighbours_translation_is_shown_when_one_of_twenty_is_missing() {
    let texts = paragraphs(20);
    thread::scope(|scope| {
        for form in without_one(&texts[8..]) {
            let texts = &texts;
            scope.spawn(move || {
                let first = said(&keyed(&texts[..8]).to_string(), "STOP");
                let queue = vec![first, said(&form, "STOP")];
                let server = serve(Script { queue, ..Script::default() });
                shows_its_own(&page(&server, texts), texts, &[]);
            });
        }
    });
}

#[test]
fn no_refusal_is_shown_as_a_translation() {
    const SORRY: &str = "I'm sorry, but I can't translate this text.";
    let texts = paragraphs(4);
    let mut partly = keyed(&texts);
    partly["2"] = json!(SORRY);
    let queue = vec![said(SORRY, "STOP"), said(&partly.to_string(), "STOP")];
    let server = serve(Script { queue, ..Script::default() });
    shows_its_own(&page(&server, &texts), &texts, &[]);
    assert_eq!(calls(&server), 3, "the third with the one text");

    let server =
        serve(Script { queue: vec![said(SORRY, "STOP")], repeat: true, ..Script::default() });
    let finished = page(&server, &texts);
    shows_its_own(&finished, &texts, &[0, 1, 2, 3]);
    assert!(finished.failed.values().all(|code| code == "refused"), "{:?}", finished.failed);
}
