//! The cache that a household shares, on a real Redis server.

use scripted_provider::{Script, StreamFault, Streaming, stand_in};
use serde_json::json;

use crate::browser::{Finished, serve};
use crate::distrust::stream_of;
use crate::early::{COUNT, borrowed, check, first, texts as sentences};
use crate::redis::{PASSWORD, Redis, becomes, greeted, home_with};

fn page(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("This is text number {i} of the page")).collect()
}

fn texts(page: &[String]) -> Vec<&str> {
    page.iter().map(String::as_str).collect()
}

fn all_from(finished: &Finished, from: &str, page: &[String]) {
    assert_eq!(finished.translated.len(), page.len());
    for (i, source) in (0..).zip(page) {
        assert_eq!(finished.text(i), stand_in::stand_in(source));
        assert_eq!(finished.translated[&i]["from"], from, "{source}");
        assert_eq!(finished.translated[&i]["provider"], "main");
    }
}

#[test]
fn what_one_household_member_paid_for_the_other_gets_for_nothing() {
    let provider = serve(Script::default());
    let mut redis = Redis::start();
    let page = page(120);
    let (first, second) = (redis.home(&provider), redis.home(&provider));
    let (mut browser, _) = greeted(&first, "ok");
    browser.translate(1, &texts(&page));
    all_from(&browser.finish(1), "provider", &page);
    redis.holds(page.len());
    let calls = provider.calls().len();

    let (mut browser, _) = greeted(&second, "ok");
    let round_trips = redis.count_of("mget");
    browser.translate(1, &texts(&page));
    let finished = browser.finish(1);
    all_from(&finished, "cache", &page);
    assert_eq!((&finished.done["calls"], &finished.done["from_cache"]), (&json!(0), &json!(120)));
    assert_eq!(provider.calls().len(), calls);
    assert_eq!(redis.count_of("mget"), round_trips + 1, "one round trip for the whole part");
    assert_eq!(redis.count_of("set"), 120, "what came from there does not go back");
    drop(browser);

    redis.kill();
    let (mut browser, _) = greeted(&second, "away");
    browser.translate(1, &texts(&page));
    all_from(&browser.finish(1), "cache", &page);
    assert_eq!(provider.calls().len(), calls, "it is in the reader's own cache by now");
}

#[test]
fn what_is_known_there_in_part_is_asked_for_in_part() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let page = page(40);
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &texts(&page[..25]));
    browser.finish(1);
    redis.holds(25);
    let second = redis.home(&provider);
    let (mut browser, _) = greeted(&second, "ok");
    browser.translate(1, &texts(&page));
    let finished = browser.finish(1);
    assert_eq!(finished.done["from_cache"], 25);
    assert_eq!(finished.done["translated"], 40);
    redis.holds(40);
}

#[test]
fn entries_have_an_end_and_carry_no_source_and_no_site() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &["Some text of a page"]);
    browser.finish(1);
    redis.holds(1);
    let name = &redis.names()[0];
    assert!(name.starts_with("wt:1:") && name.len() == 37, "{name}");
    let left: u64 = redis.run(&["TTL", name]).parse().unwrap();
    assert!((7_775_000..=7_776_000).contains(&left), "{left}");
    let value = redis.run(&["GET", name]);
    assert!(
        value.starts_with("wtr1") && value.ends_with(&stand_in::stand_in("Some text of a page"))
    );
    assert!(!value.contains("example.org"));
}

#[test]
fn a_prefix_and_a_database_of_ones_own_are_kept_to() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let cache = |number| {
        format!(
            "remote = \"redis://127.0.0.1:{}/{number}\"\nremote_prefix = \"us:\"\n",
            redis.port()
        )
    };
    for number in [0, 3] {
        let mut home = home_with(&provider, &cache(number));
        home.environment.push(("WEBTRANSLATOR_KEY_CACHE".into(), PASSWORD.into()));
        let (mut browser, _) = greeted(&home, "ok");
        browser.translate(1, &["A text"]);
        assert_eq!(browser.finish(1).done["from_cache"], 0, "another database knows nothing");
        browser.hang_up();
        browser.ends_within(crate::browser::PATIENCE);
        let names = redis.run(&["-n", &number.to_string(), "KEYS", "*"]);
        assert!(names.starts_with("us:1:"), "written before the end: {names:?}");
    }
}

#[test]
fn a_private_window_never_touches_it() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    let round_trips = redis.count_of("mget");
    browser.translate_as(1, &["A private text"], &json!({"private": true}));
    browser.finish(1);
    browser.translate_as(2, &["Another one"], &json!({"page": {"origin": "null", "title": ""}}));
    browser.finish(2);
    // What is asked and written after them would come after them.
    browser.translate(3, &["A public text"]);
    browser.finish(3);
    redis.holds(1);
    assert_eq!((redis.count_of("mget"), redis.count_of("set")), (round_trips + 1, 1));
}

#[test]
fn a_cache_that_is_only_read_adds_nothing_there_either() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &["A known text"]);
    browser.finish(1);
    redis.holds(1);

    let reader = redis.home(&provider);
    let path = reader.path("settings.toml");
    let settings = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{settings}mode = \"read\"\n")).unwrap();
    let (mut browser, _) = greeted(&reader, "ok");
    browser.translate(1, &["A known text", "A new text"]);
    let finished = browser.finish(1);
    assert_eq!(
        (finished.done["from_cache"].as_u64(), finished.done["calls"].as_u64()),
        (Some(1), Some(1))
    );
    browser.translate(2, &["A known text", "A new text"]);
    let finished = browser.finish(2);
    assert_eq!(finished.done["from_cache"], 1, "nothing was kept here, it was asked for again");
    assert_eq!(redis.count_of("set"), 1);

    std::fs::write(&path, format!("{settings}mode = \"off\"\n")).unwrap();
    assert_eq!(becomes(&mut browser, "off"), "");
    let round_trips = redis.count_of("mget");
    browser.translate(3, &["A known text"]);
    assert_eq!(browser.finish(3).done["from_cache"], 0);
    assert_eq!((redis.count_of("mget"), redis.count_of("set")), (round_trips, 1));
}

#[test]
fn what_is_asked_anew_is_not_looked_up_and_replaces() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &["A text"]);
    browser.finish(1);
    redis.holds(1);
    let name = redis.names()[0].clone();
    let value = redis.run(&["GET", &name]);
    redis.run(&["SET", &name, "rubbish"]);
    let round_trips = redis.count_of("mget");
    browser.translate_as(2, &["A text"], &json!({"fresh": true}));
    assert_eq!(browser.finish(2).done["calls"], 1);
    crate::redis::wait_until(|| redis.run(&["GET", &name]) == value);
    assert_eq!(redis.count_of("mget"), round_trips);
}

#[test]
fn marked_text_with_protected_parts_is_shared() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let segments = json!([
        {"i": 0, "text": "Click <1>the button</1> at https://example.org/x now", "tags": 1, "rank": 0},
        {"i": 1, "text": "Fish &amp; <1>chips</1><2/> for {name}", "tags": 2, "rank": 0},
    ]);
    for (home, from) in [(redis.home(&provider), "provider"), (redis.home(&provider), "cache")] {
        let (mut browser, _) = greeted(&home, "ok");
        browser.translate_as(1, &[], &json!({"segments": segments}));
        let finished = browser.finish(1);
        assert_eq!(finished.translated.len(), 2);
        for i in 0..2 {
            assert_eq!(finished.translated[&i]["from"], from, "{:?}", finished.translated);
        }
        assert!(finished.text(0).contains("https://example.org/x"));
        redis.holds(2);
    }
}

#[test]
fn what_comes_early_goes_there_when_its_call_has_ended() {
    let redis = Redis::start();
    let all = sentences(COUNT);
    for ends in [false, true] {
        let faults = vec![StreamFault::HoldAfterParts(3)];
        let stream = Streaming { faults, ..Streaming::default() };
        let provider = serve(Script { stream, ..Script::default() });
        let (mut browser, _) = greeted(&redis.home(&provider), "ok");
        browser.translate(1, &borrowed(&all));
        let early = first(&mut browser, 1, 2);
        if ends {
            provider.release();
            check(&all, &early, &browser.finish(1).translated);
            redis.holds(COUNT);
        } else {
            // What was handed over is written before the host's end.
            browser.hang_up();
            browser.ends_within(crate::browser::PATIENCE);
            assert_eq!(redis.count_of("set"), 0);
        }
    }
}

#[test]
fn what_came_early_and_was_refuted_never_goes_there() {
    let all = sentences(COUNT);
    let own = |i: usize| format!("\"{i}\":{}", json!(stand_in::stand_in(&all[i])));
    let short = stream_of(&["{", &own(0), ",", &own(1), ",", &own(2), "}"]);
    let provider = serve(Script { queue: vec![short], latency_ms: 100, ..Script::default() });
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &borrowed(&all));
    let early = first(&mut browser, 1, 2);
    check(&all, &early, &browser.finish(1).translated);
    redis.holds(2);
    assert_eq!(redis.count_of("set"), 2, "the others were never written");
}
