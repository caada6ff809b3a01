//! `stats`, `list` and `verify`.

use serde_json::Value;

use crate::home::{DAY, Home, Put, put};

fn some() -> Home {
    Home::with(&[
        Put { day: DAY + 2, ..put("Sign in", "로그인") },
        put("Load order", "불러오기 순서"),
        Put { site: Some("other.org"), day: DAY + 1, ..put("Sign in", "들어가기") },
        Put {
            engine: "apertium|h:1||p0|",
            site: None,
            languages: ("en", "es"),
            ..put("Raid", "Asalto")
        },
    ])
}

/// Returns the sources of `list --json` with more words, in their order.
fn listed(home: &Home, words: &[&str]) -> Vec<String> {
    let told = home.cache(&[&["list", "--json"], words].concat()).good();
    let source = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        format!(
            "{} {}",
            entry["source"].as_str().unwrap(),
            entry["target_language"].as_str().unwrap()
        )
    };
    told.lines().map(source).collect()
}

#[test]
fn what_was_used_last_is_listed_first() {
    let told = some().cache(&["list"]).good();
    assert!(
        told.starts_with(
            "2024-10-06  en>ko  openai|api.example:443|m|p1|  example.com\n    Sign in\n    로그인\n\n\
             2024-10-05  en>ko  openai|api.example:443|m|p1|  other.org\n    Sign in\n    들어가기\n\n"
        ),
        "{told}"
    );
    assert!(
        told.contains("2024-10-04  en>es  apertium|h:1||p0|  any site\n    Raid\n    Asalto\n")
    );
}

#[test]
fn what_is_listed_fits_all_that_is_asked_for() {
    let home = some();
    let check = |words: &[&str], expected: &[&str]| {
        let mut listed = listed(&home, words);
        listed.sort();
        assert_eq!(listed, expected, "{words:?}");
    };
    check(&["--grep", "SIGN"], &["Sign in ko", "Sign in ko"]);
    check(&["--grep", "순서"], &["Load order ko"]);
    check(&["--grep", "%"], &[]);
    check(&["--site", "https://www.other.org/x"], &["Sign in ko"]);
    check(&["--pair", "en>es"], &["Raid es"]);
    check(&["--pair", "*>ko", "--grep", "load"], &["Load order ko"]);
    check(&["--target", "es"], &["Raid es"]);
    check(&["--kind", "apertium"], &["Raid es"]);
    check(&["--engine", "apertium|h:1||p0|"], &["Raid es"]);
    check(&["--engine", "apertium"], &[]);
    check(&["--unused-days", "100000"], &[]);
    assert_eq!(home.cache(&["list", "--pair", "en"]).code, Some(2));
}

#[test]
fn a_limit_says_what_it_leaves_out() {
    let home = some();
    let told = home.cache(&["list", "--limit", "1"]);
    assert_eq!(told.code, Some(0));
    assert!(told.out.contains("로그인") && !told.out.contains("들어가기"), "{}", told.out);
    assert!(told.err.contains("3 more"), "{}", told.err);
    assert_eq!(listed(&home, &["--limit", "0"]).len(), 4);
}

#[test]
fn a_text_cannot_steer_the_terminal() {
    let home = Home::with(&[put("\u{1b}[2Jgone\u{202e}", "a\nb\u{7}")]);
    let told = home.cache(&["list"]).good();
    assert!(told.contains("\\u{1b}[2Jgone\\u{202e}\n    a\\nb\\u{7}\n"), "{told}");
    let json = home.cache(&["list", "--json"]).good();
    assert!(json.contains("\\u001b[2J"), "{json}");
}

#[test]
fn stats_count_by_engine_and_languages() {
    let told = some().cache(&["stats"]).good();
    assert!(told.contains("entries  4\nbytes    "), "{told}");
    assert!(told.contains("\n         3  en>ko         openai|api.example:443|m|p1|\n"), "{told}");
    assert!(told.contains("\n         1  en>es         apertium|h:1||p0|\n"), "{told}");
}

#[test]
fn where_nothing_is_remembered_that_is_said_and_nothing_is_made() {
    let home = Home::new();
    for words in [
        &["stats"][..],
        &["list"],
        &["verify"],
        &["compact"],
        &["forget", "a"],
        &["clear", "--all"],
    ] {
        assert!(home.cache(words).good().starts_with("Nothing is remembered yet"), "{words:?}");
    }
    assert_eq!(home.cache(&["list", "--json"]).good(), "");
    assert_eq!(home.cache(&["export"]).good(), "");
    assert_eq!(home.files(), []);
}

#[test]
fn a_cache_in_order_is_verified_without_a_change() {
    let home = Home::with(&[
        put("a", "b"),
        Put { marked: true, ..put("<1>a</1>", "<1>b</1>") },
        Put { terms: true, ..put("word", "말") },
    ]);
    let before = home.files();
    let told = home.cache(&["verify"]).good();
    assert!(told.starts_with("The cache is in order: 3 entries.\n"), "{told}");
    assert!(told.contains("the keys of 1 entry"), "{told}");
    for words in [&["stats"][..], &["list"], &["export"]] {
        home.cache(words).good();
    }
    assert!(before == home.files(), "nothing was changed");
}

#[test]
fn the_journal_of_a_host_that_was_killed_is_read_and_left() {
    let home = Home::with(&[put("a", "b")]);
    let connection = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    connection
        .execute_batch("PRAGMA wal_autocheckpoint = 0; UPDATE translation SET translation = 'wal'")
        .unwrap();
    let crashed = Home::new();
    for end in ["", "-wal"] {
        let name = format!("cache.db{end}");
        std::fs::copy(home.path(&name), crashed.path(&name)).unwrap();
    }
    let journal = std::fs::read(crashed.path("cache.db-wal")).unwrap();
    let file = std::fs::read(crashed.path("cache.db")).unwrap();
    assert!(crashed.cache(&["list"]).good().contains("wal"));
    assert!(crashed.cache(&["verify"]).good().contains("in order"));
    assert_eq!(std::fs::read(crashed.path("cache.db-wal")).unwrap(), journal);
    assert_eq!(std::fs::read(crashed.path("cache.db")).unwrap(), file);
}

#[test]
fn each_faulty_entry_is_named_by_its_key() {
    let home = Home::with(&[
        put("fine", "b"),
        Put { marked: true, ..put("<1>a</1>", "<1>b") },
        put("day", "b"),
        put("empty", "b"),
        put("bytes", "b"),
    ]);
    home.sql("UPDATE translation SET used_day = -5 WHERE source = 'day'");
    home.sql("UPDATE translation SET translation = '' WHERE source = 'empty'");
    home.sql("UPDATE translation SET translation = CAST(x'ff' AS TEXT) WHERE source = 'bytes'");
    home.sql(
        "INSERT INTO translation (key, source, translation, source_language, target_language,
         engine, created_day, used_day) VALUES (x'00ff', 'short', 'b', 'en', 'ko', 'e', 1, 1)",
    );
    let told = home.cache(&["verify"]);
    for expected in [
        "the tags of its translation are not those of its source",
        "its days are out of bounds",
        "its translation is empty",
        "its translation is no text",
        "entry 00ff: its key is not 16 bytes long",
    ] {
        assert!(told.out.contains(expected), "{told:?}");
    }
    assert!(told.bad().contains("something is wrong with 5 of 6 entries"));

    let export = home.cache(&["export"]);
    assert_eq!(export.out.lines().count(), 1, "{export:?}");
    assert!(export.bad().contains("5 entries left out"));
    assert!(home.cache(&["list"]).err.contains("2 entries cannot be read"));
    assert_eq!(home.cache(&["clear", "--all"]).good(), "Forgot 6 entries.\n");
}
