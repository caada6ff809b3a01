//! A shared cache that is away, frozen, locked, lying or another's: the page
//! goes on, and the reader can find out why.

use std::process::Command;
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server, stand_in};
use serde_json::json;

use crate::browser::{Browser, Home, serve};
use crate::redis::{
    AUTHORITY, PASSWORD, Redis, becomes, becomes_since, greeted, home_with, remote_state,
    wait_until,
};

/// Translates some texts that were never asked for before.
fn new_page(browser: &mut Browser, id: u64, count: usize) {
    let page: Vec<String> = (0..count).map(|i| format!("Text {i} of page number {id}")).collect();
    browser.translate(id, &page.iter().map(String::as_str).collect::<Vec<_>>());
}

fn doctor(home: &Home) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg("doctor").env("WEBTRANSLATOR_HOME", home.dir.path());
    command.envs(home.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().find(|line| line.contains("shared cache"));
    line.unwrap_or_else(|| panic!("{output}")).to_owned()
}

fn with_password(mut home: Home, password: &str) -> Home {
    home.environment.retain(|(name, _)| name != "WEBTRANSLATOR_KEY_CACHE");
    home.environment.push(("WEBTRANSLATOR_KEY_CACHE".into(), password.into()));
    home
}

#[test]
fn a_server_that_is_killed_in_mid_page_is_not_missed() {
    let provider = serve(Script { latency_ms: 50, ..Script::default() });
    let mut redis = Redis::start();
    let home = redis.home(&provider);
    let (mut browser, _) = greeted(&home, "ok");
    new_page(&mut browser, 1, 400);
    wait_until(|| redis.count_of("set") > 0);
    redis.kill();
    assert_eq!(browser.finish(1).done["translated"], 400);
    becomes_since(&mut browser, "away", "no connection");
    new_page(&mut browser, 2, 100);
    assert_eq!(browser.finish(2).done["translated"], 100);
    assert!(doctor(&home).contains("no connection"), "{}", doctor(&home));
}

#[test]
fn a_server_that_freezes_in_mid_page_costs_a_moment_and_then_nothing() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    let pages = 20;
    let mut run = |first: u64| {
        let started = Instant::now();
        for id in first..first + pages {
            new_page(&mut browser, id, 20);
            assert_eq!(browser.finish(id).done["translated"], 20);
        }
        started.elapsed()
    };
    let with = run(1);
    redis.freeze();
    let frozen = run(100);
    // One look-up finds out, and no other waits for what is known to be frozen.
    let one_patience = Duration::from_millis(50);
    assert!(frozen < with * 3 + one_patience * 10, "{frozen:?} instead of {with:?}");
    let reason = becomes(&mut browser, "away");
    assert!(reason.contains("no answer in time"), "{reason}");
    redis.thaw();
    let mut id = 200;
    wait_until(|| {
        // Where it was left alone meanwhile, a look-up finds it again.
        id += 1;
        new_page(&mut browser, id, 1);
        browser.finish(id);
        remote_state(&mut browser)["state"] == "ok"
    });
}

#[test]
fn what_freezes_for_long_is_left_alone() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    redis.freeze();
    let started = Instant::now();
    let mut id = 0;
    let reason = loop {
        id += 1;
        new_page(&mut browser, id, 3);
        assert_eq!(browser.finish(id).done["translated"], 3);
        let reason = becomes(&mut browser, "away");
        if reason.contains("left alone") {
            break reason;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{reason}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(reason.contains("no answer in time"), "{reason}");
}

#[test]
fn a_wrong_password_is_told_and_the_page_goes_on() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let home = with_password(redis.home(&provider), "wrong");
    let (mut browser, reason) = greeted(&home, "away");
    assert!(reason.contains("password") && !reason.contains("wrong"), "{reason}");
    new_page(&mut browser, 1, 10);
    assert_eq!(browser.finish(1).done["translated"], 10);
    assert!(doctor(&home).contains("did not accept"), "{}", doctor(&home));

    let none = home_with(&provider, &format!("remote = \"{}\"\n", redis.address()));
    let (_browser, reason) = greeted(&none, "away");
    assert!(reason.contains("NOAUTH"), "{reason}");
    assert!(doctor(&redis.home(&provider)).contains("answers"), "the right one is right");
    assert_eq!(redis.names().len(), 1, "what doctor wrote");
}

#[test]
fn a_password_in_the_address_is_moved_and_a_user_of_little_right_is_enough() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    redis.run(&["ACL", "SETUSER", "ann", "on", ">s3cret/word", "~wt:*", "+mget", "+set"]);
    let address = format!("redis://ann:s3cret%2Fword@127.0.0.1:{}/0", redis.port());
    let home = home_with(&provider, &format!("remote = \"{address}\" # ours\n"));
    let (mut browser, _) = greeted(&home, "ok");
    let settings = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    let line = format!("remote = \"redis://ann@127.0.0.1:{}/0\" # ours\n", redis.port());
    assert!(settings.contains(&line), "{settings}");
    let secrets = std::fs::read_to_string(home.path("secrets.toml")).unwrap();
    assert!(secrets.contains("[cache]") && secrets.contains("s3cret/word"), "{secrets}");
    browser.translate(1, &["A text"]);
    browser.finish(1);
    redis.holds(1);
    let changed = format!("redis://:s3cret-too@127.0.0.1:{}/0", redis.port());
    let change = json!({"cache": {"remote": changed}});
    browser.send(&json!({"type": "set_settings", "id": 4, "settings": change}));
    let told = browser.next_word();
    assert!(!told.to_string().contains("s3cret"), "{told}");
    let settings = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    assert!(!settings.contains("s3cret"), "{settings}");
    becomes_since(&mut browser, "away", "password");
    std::fs::write(home.path("settings.toml"), settings.replace("redis://", "redis://ann@"))
        .unwrap();
    browser.send(&json!({"type": "get_settings", "id": 5}));
    let told = browser.next_word();
    assert!(!told.to_string().contains("s3cret"), "{told}");
    assert_eq!(
        told["settings"]["cache"]["remote"],
        format!("redis://ann@127.0.0.1:{}/0", redis.port())
    );
}

#[test]
fn a_password_does_not_go_where_others_can_read_it() {
    let provider = serve(Script::default());
    let mut home = home_with(&provider, "remote = \"redis://192.0.2.1/0\"\n");
    home.environment.push(("WEBTRANSLATOR_KEY_CACHE".into(), PASSWORD.into()));
    let (_browser, reason) = greeted(&home, "off");
    assert!(reason.contains("rediss") && !reason.contains("canary"), "{reason}");
    assert!(doctor(&home).contains("is not used"), "{}", doctor(&home));
}

#[test]
fn over_tls_the_certificate_must_be_trusted() {
    let provider = serve(Script::default());
    let redis = Redis::with_tls();
    let trusting = |mut home: Home| {
        let authority = redis.file(AUTHORITY).display().to_string();
        home.environment.push(("SSL_CERT_FILE".into(), authority));
        home
    };
    for from_cache in [0, 1] {
        let (mut browser, _) = greeted(&trusting(redis.home(&provider)), "ok");
        browser.translate(1, &["A text"]);
        assert_eq!(browser.finish(1).done["from_cache"], from_cache);
        redis.holds(1);
    }
    let (_browser, reason) = greeted(&redis.home(&provider), "away");
    assert!(reason.contains("certificate"), "{reason}");
    let other_name = format!("remote = \"rediss://127.0.0.1:{}\"\n", redis.port());
    let (_browser, reason) = greeted(&trusting(home_with(&provider, &other_name)), "away");
    assert!(reason.contains("certificate"), "{reason}");
    let plain = Redis::start();
    let no_tls = format!("remote = \"rediss://localhost:{}\"\n", plain.port());
    let (_browser, reason) = greeted(&trusting(home_with(&provider, &no_tls)), "away");
    assert!(reason.contains("TLS"), "{reason}");
}

#[test]
fn a_copy_that_may_not_be_written_is_read_and_told() {
    let provider = serve(Script::default());
    let primary = Redis::start();
    let (mut browser, _) = greeted(&primary.home(&provider), "ok");
    browser.translate(1, &["A known text"]);
    browser.finish(1);
    let of = primary.port().to_string();
    let copy = Redis::with(&["--replicaof", "127.0.0.1", &of, "--masterauth", PASSWORD]);
    copy.holds(1);
    let home = copy.home(&provider);
    let (mut browser, _) = greeted(&home, "ok");
    browser.translate(1, &["A known text", "A new text"]);
    let finished = browser.finish(1);
    assert_eq!(
        (&finished.done["from_cache"], &finished.done["translated"]),
        (&json!(1), &json!(2))
    );
    becomes_since(&mut browser, "ok", "READONLY");
    assert!(doctor(&home).contains("takes no entries"), "{}", doctor(&home));
}

#[test]
fn a_member_of_a_cluster_is_told_and_left_alone() {
    let provider = serve(Script::default());
    let dir = tempfile::tempdir().unwrap();
    // It knows of another node that has all the slots.
    let (me, other) = ("a".repeat(40), "b".repeat(40));
    let nodes = format!(
        "{me} 127.0.0.1:1@2 myself,master - 0 0 1 connected\n\
         {other} 127.0.0.1:3@4 master - 0 0 2 connected 0-16383\n\
         vars currentEpoch 2 lastVoteEpoch 0\n"
    );
    std::fs::write(dir.path().join("nodes.conf"), nodes).unwrap();
    let settings = [
        "--cluster-enabled",
        "yes",
        "--cluster-config-file",
        "nodes.conf",
        "--cluster-allow-reads-when-down",
        "yes",
        "--cluster-port",
        "0",
    ];
    let redis = Redis::in_folder(dir, false, &settings[..6]);
    let home = redis.home(&provider);
    let (mut browser, reason) = greeted(&home, "away");
    assert!(reason.contains("cluster") && reason.contains("MOVED"), "{reason}");
    new_page(&mut browser, 1, 10);
    assert_eq!(browser.finish(1).done["translated"], 10);
}

/// Writes a value that is whole and of this name, whatever it says.
fn forge(redis: &Redis, name: &str, text: &str) {
    let hex = name.rsplit(':').next().unwrap();
    let key: Vec<u8> =
        (0..16).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let said = [&20_000_u32.to_be_bytes(), text.as_bytes()].concat();
    let check = blake3::hash(&[b"wtr1", &key[..], &said].concat());
    let value = [b"wtr1", &check.as_bytes()[..16], &said].concat();
    let escaped = value.iter().map(|byte| format!("\\{byte:03}")).collect::<Vec<_>>().concat();
    redis.run(&["EVAL", &format!("return redis.call('SET', KEYS[1], \"{escaped}\")"), "1", name]);
}

#[test]
fn what_was_translated_too_long_ago_does_not_serve_from_there_either() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (mut browser, _) = greeted(&redis.home(&provider), "ok");
    browser.translate(1, &["A text that gets old"]);
    browser.finish(1);
    redis.holds(1);
    // The day of `forge` is in 2024.
    forge(&redis, &redis.names()[0], "오래된 글");
    for (max_days, text, day, is_new) in [
        ("", "오래된 글", "= 20000", false),
        ("max_days = 90\n", "가«A text that gets old»", "> 20500", true),
    ] {
        let home = redis.home(&provider);
        let path = home.path("settings.toml");
        let settings = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, settings.replace("[cache]\n", &format!("[cache]\n{max_days}")))
            .unwrap();
        let calls = provider.calls().len();
        let (mut browser, _) = greeted(&home, "ok");
        browser.translate(1, &["A text that gets old"]);
        assert_eq!(browser.finish(1).text(0), text);
        assert_eq!(provider.calls().len() > calls, is_new);
        let file = rusqlite::Connection::open(home.path("cache.db")).unwrap();
        let query = format!("SELECT created_day {day} FROM translation");
        assert!(file.query_row(&query, [], |row| row.get::<_, bool>(0)).unwrap(), "{query}");
    }
}

const MARKED: &str = "Click <1>the button</1> at https://example.org/x now";

fn ask_marked(redis: &Redis, provider: &Server) -> (u64, String) {
    let (mut browser, _) = greeted(&redis.home(provider), "ok");
    let segments = json!([{"i": 0, "text": MARKED, "tags": 1, "rank": 0}]);
    browser.translate_as(1, &[], &json!({"segments": segments}));
    let finished = browser.finish(1);
    browser.hang_up();
    browser.ends_within(Duration::from_secs(2));
    (finished.done["from_cache"].as_u64().unwrap(), finished.text(0).to_owned())
}

#[test]
fn a_value_that_is_not_the_texts_own_translation_is_a_miss_and_is_replaced() {
    let provider = serve(Script::default());
    let redis = Redis::start();
    let (_, right) = ask_marked(&redis, &provider);
    redis.holds(1);
    let name = redis.names()[0].clone();
    let written = redis.run(&["GET", &name]);
    let back = || {
        wait_until(|| {
            redis.run(&["TYPE", &name]) == "string" && redis.run(&["GET", &name]) == written
        });
    };
    let check = |what: &str| {
        assert_eq!(ask_marked(&redis, &provider), (0, right.clone()), "{what}");
        back();
    };
    redis.run(&["SET", &name, "rubbish"]);
    check("rubbish");
    redis.run(&["SETRANGE", &name, "30", "xx"]);
    check("changed");
    redis.run(&["APPEND", &name, "x"]);
    check("longer");
    redis.run(&[
        "EVAL",
        "return redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], 0, -4))",
        "1",
        &name,
    ]);
    check("cut short");
    redis.run(&["DEL", &name]);
    redis.run(&["LPUSH", &name, "a list"]);
    check("a list");
    forge(&redis, "wt:1:00000000000000000000000000000000", &right);
    redis.run(&["COPY", "wt:1:00000000000000000000000000000000", &name, "REPLACE"]);
    redis.run(&["DEL", "wt:1:00000000000000000000000000000000"]);
    check("another text's");
    for text in [
        "단추 https://example.org/x 를 누르세요",
        "<1>단추</1> <1>또</1> https://example.org/x",
        "<1>단추</1> <7>또</7> https://example.org/x",
        "<1>단추</1>를 누르세요",
        "<1></1> https://example.org/x 를 누르세요",
        &format!("<1>단추</1> https://example.org/x {}", "아주 긴 말. ".repeat(200)),
    ] {
        forge(&redis, &name, text);
        check(text);
    }
    let good = "<1>단추</1>를 https://example.org/x 에서 누르세요";
    forge(&redis, &name, good);
    assert_eq!(ask_marked(&redis, &provider), (1, good.to_owned()));
}

#[test]
fn neither_password_nor_page_text_is_logged() {
    let provider = serve(Script::default());
    let mut redis = Redis::start();
    // A server repeats in its error what it was sent.
    redis.run(&["ACL", "SETUSER", "default", "-set"]);
    let home = redis.home(&provider);
    let (mut browser, _) = greeted(&home, "ok");
    browser.translate(1, &["canary page text"]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("canary page text"));
    wait_until(|| redis.run(&["ACL", "LOG"]).contains("set"));
    redis.kill();
    becomes(&mut browser, "away");
    for id in 2..6 {
        new_page(&mut browser, id, 1);
        browser.finish(id);
    }
    browser.hang_up();
    browser.ends_within(Duration::from_secs(2));
    let log = std::fs::read_to_string(home.path("webtranslator.log")).unwrap();
    assert!(log.contains("the shared cache"), "{log}");
    assert!(!log.contains("canary"), "{log}");
}
