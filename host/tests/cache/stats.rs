//! `webtranslator stats` on real files and in real terminals' widths.

use std::process::{Command, Output};

use jiff::Timestamp;
use serde_json::{Value, json};
use webtranslator::session::day_of;
use webtranslator::store::{Mode, Store, UsageRow};

use crate::home::{Home, put};

/// Runs it with these words and this environment.
fn run(home: &Home, words: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg("stats").args(words).env("WEBTRANSLATOR_HOME", home.path(""));
    for name in ["COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command.envs(environment.iter().copied()).output().unwrap()
}

fn good(home: &Home, words: &[&str], environment: &[(&str, &str)]) -> String {
    let output = run(home, words, environment);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A home where ten calls were made today.
fn used() -> Home {
    let home = Home::new();
    let row = UsageRow {
        day: day_of(Timestamp::now()),
        provider: "gemini".to_owned(),
        model: "gemini-3.5-flash-lite".to_owned(),
        calls: 10,
        failures: 1,
        by_class: [("empty".to_owned(), 1)].into(),
        input_tokens: 3400,
        output_tokens: 2100,
        characters: 9100,
        cache_hits: 800,
        cost_micros: Some(6270),
        saved_micros: Some(41_800),
        texts: Some(200),
    };
    Store::open(&home.path("cache.db"), Mode::On, Timestamp::now()).0.add_usage(&[row]);
    home
}

#[test]
fn a_table_and_a_plot_are_printed_and_nothing_is_changed() {
    let home = used();
    let before = home.files();
    let told = good(&home, &[], &[("COLUMNS", "120")]);
    let line = "\ngemini gemini-3.5-flash-lite     10       1    200  3,400   2,100  9,100  \
                $0.00627     800  $0.0418\n";
    assert!(told.contains(line), "{told}");
    assert!(told.contains("The cache answered 800 of 1,000 texts (80 %)."), "{told}");
    assert!(
        told.contains("\nCalls by day (UTC), at most 10\n10 ┤                             █\n")
    );
    for (words, expected) in [
        (&["--plot", "cost"][..], "Cost by day (UTC), at most $0.00627\n"),
        (&["--plot", "tokens", "--days", "400"], "Tokens by 6 days (UTC), at most 5,500\n"),
        (&["--plot", "hits"], "Texts from the cache by day (UTC), at most 800\n"),
    ] {
        let told = good(&home, words, &[]);
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("\ngemini gemini-3.5-flash-lite\n     10  "), "80 wide: {told}");
    }
    assert!(before == home.files(), "nothing was changed");
}

#[test]
fn a_locale_without_unicode_gets_ascii() {
    let home = used();
    assert!(good(&home, &[], &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).is_ascii());
    assert!(!good(&home, &[], &[("LC_ALL", "C.UTF-8"), ("LANG", "C")]).is_ascii());
}

#[test]
fn days_are_counted_from_one_to_those_that_are_kept() {
    let home = used();
    for days in ["0", "401", "-1", "many"] {
        assert_eq!(run(&home, &["--days", days], &[]).status.code(), Some(2), "{days}");
    }
    assert!(good(&home, &["--days", "400"], &[]).contains("gemini"));
}

#[test]
fn where_nothing_was_used_that_is_said_and_nothing_is_made() {
    let home = Home::new();
    let told = good(&home, &[], &[]);
    assert!(told.starts_with("Nothing is remembered yet"), "{told}");
    let empty: Value = serde_json::from_str(&good(&home, &["--json"], &[])).unwrap();
    assert_eq!(empty["days"], json!([]));
    assert!(empty["first"].as_str() < empty["last"].as_str());
    assert_eq!(home.files(), []);
    home.put(&[put("a", "b")]);
    assert!(good(&home, &[], &[]).starts_with("Nothing was used from "));
}

#[test]
fn a_file_that_cannot_be_looked_at_is_told() {
    let check = |home: &Home, expected: &str| {
        let before = home.files();
        for words in [&[][..], &["--json"]] {
            let output = run(home, words, &[]);
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{told}");
            assert!(told.contains(expected) && told.lines().count() == 1, "{told}");
        }
        assert!(before == home.files(), "nothing was changed");
    };
    let newer = used();
    newer.sql("PRAGMA user_version = 99");
    check(&newer, "was written by a newer version");
    let damaged = Home::new();
    std::fs::write(damaged.path("cache.db"), "no database".repeat(1000)).unwrap();
    check(&damaged, "is damaged");
    let foreign = Home::new();
    foreign.sql("CREATE TABLE theirs (x)");
    check(&foreign, "is not a cache of this program");
}

#[test]
fn a_host_that_is_writing_is_not_in_the_way() {
    let home = used();
    let writer = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE usage SET calls = 99").unwrap();
    assert!(good(&home, &[], &[]).contains("at most 10\n"), "what was there before");
    writer.execute_batch("COMMIT").unwrap();
    assert!(good(&home, &[], &[]).contains("at most 99\n"));
}
