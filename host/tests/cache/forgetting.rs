//! `forget`, `clear` and `compact`.

use std::process::Stdio;

use crate::home::{DAY, Home, Put, put};

fn sources(home: &Home) -> Vec<String> {
    let told = home.cache(&["list", "--json", "--limit", "0"]).good();
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let mut sources: Vec<_> =
        told.lines().map(|line| value(line)["source"].as_str().unwrap().to_owned()).collect();
    sources.sort();
    sources
}

#[test]
fn a_text_is_forgotten_whatever_its_engine_and_tags() {
    let home = Home::with(&[
        put("Sign in", "로그인"),
        Put { engine: "apertium|h:1||p0|", ..put("Sign in", "들어가기") },
        Put { marked: true, ..put("Sign <1>in</1>", "<1>로그</1>인") },
        Put { languages: ("en", "de"), ..put("Sign in", "Anmelden") },
        put("Sign in now", "지금"),
    ]);
    assert_eq!(home.cache(&["forget", "Sign in", "--target", "ko"]).good(), "Forgot 3 entries.\n");
    assert_eq!(sources(&home), ["Sign in", "Sign in now"]);
    assert_eq!(home.cache(&["forget", "  Sign\u{a0}in "]).good(), "Forgot 1 entry.\n");
    assert_eq!(home.cache(&["forget", "Sign"]).good(), "Nothing is remembered for this text.\n");
    assert!(home.cache(&["forget", " "]).bad().contains("no text"));
    assert_eq!(sources(&home), ["Sign in now"]);
}

#[test]
fn everything_is_forgotten_only_when_that_is_said() {
    let home = Home::with(&[put("a", "b"), put("c", "d")]);
    assert!(home.cache(&["clear"]).bad().contains("say --all"));
    assert!(home.cache(&["clear", "--all", "--kind", "openai"]).bad().contains("--all"));
    assert_eq!(sources(&home).len(), 2);
    assert_eq!(home.cache(&["clear", "--all"]).good(), "Forgot 2 entries.\n");
    assert_eq!(sources(&home), [""; 0]);
}

#[test]
fn what_fits_is_forgotten_and_the_room_given_back() {
    let texts: Vec<String> = (0..6000).map(|n| format!("{n} {}", "x".repeat(200))).collect();
    let mut entries: Vec<_> = texts.iter().map(|text| put(text, "b")).collect();
    entries.push(Put { site: Some("other.org"), day: DAY + 1_000_000, ..put("stays", "b") });
    let home = Home::with(&entries);
    let bytes = || std::fs::metadata(home.path("cache.db")).unwrap().len();
    let before = bytes();
    assert_eq!(home.cache(&["clear", "--site", "third.org"]).good(), "Forgot 0 entries.\n");
    assert_eq!(home.cache(&["clear", "--unused-days", "30"]).good(), "Forgot 6000 entries.\n");
    assert_eq!(sources(&home), ["stays"]);
    assert!(bytes() < before / 4, "{before} {}", bytes());
}

#[test]
fn a_host_that_runs_asks_again_for_what_was_forgotten() {
    use crate::browser::{Home, serve};
    let server = serve(scripted_provider::Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let mut translate = |id| {
        browser.translate(id, &["A line of text"]);
        browser.finish(id);
    };
    translate(1);
    translate(2);
    assert_eq!(server.calls().len(), 1, "the second came from the cache");
    let words = ["forget", "A line of text"];
    let told = crate::home::run(crate::home::command(home.dir.path(), &words), b"");
    assert_eq!(told.good(), "Forgot 1 entry.\n");
    translate(3);
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn a_file_with_gaps_is_written_anew_while_a_host_has_it_open() {
    let texts: Vec<String> = (0..3000).map(|n| format!("{n} {}", "x".repeat(500))).collect();
    let home = Home::with(&texts.iter().map(|text| put(text, "b")).collect::<Vec<_>>());
    let host = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    let count = || {
        let count = "SELECT count(*) FROM translation";
        host.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(), 3000);
    host.execute_batch("DELETE FROM translation WHERE source > '2'").unwrap();
    let left = count();
    let told = home.cache(&["compact"]).good();
    let numbers: Vec<u64> = told.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[1] < numbers[0] / 2, "{told}");
    assert_eq!(count(), left);
    assert!(home.cache(&["verify"]).good().contains("in order"));

    host.execute_batch("BEGIN; SELECT count(*) FROM translation").unwrap();
    home.put(&[put("new", "b")]);
    let told = home.cache(&["compact"]).good();
    assert!(told.contains("A browser is reading just now"), "{told}");
}

#[test]
fn what_is_locked_is_told_and_not_changed() {
    let home = Home::with(&[put("a", "b")]);
    let host = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    host.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started: Vec<_> = [&["compact"][..], &["clear", "--all"], &["import"]]
        .iter()
        .map(|words| {
            let mut command = home.command(words);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let line = home.cache(&["export"]).good().replace("2024", "2025");
            let mut stdin = child.stdin.take().unwrap();
            let _ = std::io::Write::write_all(&mut stdin, line.as_bytes());
            child
        })
        .collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("is locked by another program"), "{told}");
    }
    host.execute_batch("ROLLBACK").unwrap();
    assert_eq!(sources(&home), ["a"]);
}
