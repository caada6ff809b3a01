//! Files that are not what they should be.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::home::{Home, put};

/// Every command but those that only need an input.
const ALL: [&[&str]; 7] = [
    &["stats"],
    &["list"],
    &["verify"],
    &["export"],
    &["forget", "a"],
    &["clear", "--all"],
    &["compact"],
];

/// Checks that all commands fail with these words, and change nothing.
fn check(home: &Home, expected: &str) {
    let before = home.files();
    for words in ALL.iter().chain([&["import"][..]].iter()) {
        let told = home.cache(words);
        assert_eq!(told.code, Some(1), "{words:?} {told:?}");
        assert!(told.err.contains(expected), "{words:?} {told:?}");
        assert_eq!(told.err.lines().count(), 1, "one sentence: {told:?}");
    }
    let after: Vec<_> =
        home.files().into_iter().filter(|(path, _)| !path.ends_with("cache.db.lock")).collect();
    let before: Vec<_> =
        before.into_iter().filter(|(path, _)| !path.ends_with("cache.db.lock")).collect();
    assert!(before == after, "nothing was changed");
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let home = Home::with(&[put("a", "b")]);
    home.sql("PRAGMA user_version = 99");
    check(&home, "was written by a newer version");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let home = Home::new();
    home.sql("CREATE TABLE theirs (x)");
    check(&home, "is not a cache of this program and is left alone");
}

#[test]
fn what_is_no_database_is_told_and_kept_aside_only_to_write() {
    let home = Home::new();
    fs::write(home.path("cache.db"), "not a database at all".repeat(1000)).unwrap();
    let before = home.files();
    for words in ALL {
        assert!(home.cache(words).bad().contains("is damaged"), "{words:?}");
    }
    assert!(before == home.files(), "nothing was changed");
    let told = home.cache(&["import"]);
    assert!(told.err.contains("the old file is kept as"), "{told:?}");
    assert_eq!(told.code, Some(0));
    assert!(home.cache(&["verify"]).good().contains("in order: 0 entries"));
}

#[test]
fn a_torn_page_is_found_and_not_mended() {
    let long = "x".repeat(500);
    let texts: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    let home = Home::with(&texts.iter().map(|text| put(text, &long)).collect::<Vec<_>>());
    let pages = fs::metadata(home.path("cache.db")).unwrap().len() / 4096;
    let mut file = fs::OpenOptions::new().write(true).open(home.path("cache.db")).unwrap();
    file.seek(SeekFrom::Start((pages - 2) * 4096)).unwrap();
    file.write_all(&[0; 4096]).unwrap();
    let before = home.files();
    let told = home.cache(&["verify"]);
    assert!(!told.out.is_empty(), "what is wrong is named: {told:?}");
    assert!(told.bad().contains("is damaged"));
    assert!(home.cache(&["export"]).bad().contains("is damaged"));
    assert!(before == home.files(), "nothing was changed");

    let told = home.cache(&["mend"]).good();
    assert!(told.contains("could be read and were taken over"), "{told}");
    assert!(home.cache(&["verify"]).good().contains("in order: 1"), "most of 200 are left");
    assert_eq!(home.cache(&["mend"]).good(), "There is no damage.\n");
}

#[test]
fn the_journal_of_another_database_is_told_and_moved_away_by_mend() {
    let home = Home::with(&[put("a", "b")]);
    let other = rusqlite::Connection::open(home.path("other.db")).unwrap();
    other.pragma_update(None, "journal_mode", "WAL").unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    fs::copy(home.path("other.db-wal"), home.path("cache.db-wal")).unwrap();
    assert!(home.cache(&["list"]).bad().contains("the journal of another database"));
    assert!(home.cache(&["mend"]).good().contains("moved to"));
    assert!(home.cache(&["list"]).good().contains("    a\n    b\n"));
}

#[test]
fn doctor_says_of_each_trouble_what_it_is_and_what_mends_it() {
    let check = |home: &Home, sentence: &str, command: &str| {
        let before = home.files();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_webtranslator"))
            .args(["doctor"])
            .env("WEBTRANSLATOR_HOME", home.path(""))
            .env("HOME", home.path(""))
            .output()
            .unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let at = told.find("ERROR    cache: ").unwrap_or_else(|| panic!("{told}"));
        let lines: Vec<_> = told[at..].lines().take(2).collect();
        assert!(lines[0].contains(sentence), "{told}");
        assert!(lines[1].contains(command), "{told}");
        let file = |files: &[(std::path::PathBuf, Vec<u8>)]| {
            files.iter().find(|(path, _)| path.ends_with("cache.db")).cloned()
        };
        assert!(file(&before) == file(&home.files()), "it is only looked at");
    };
    let home = Home::with(&[put("a", "b")]);
    home.sql("PRAGMA user_version = 99");
    check(&home, "newer version", "installer/install.sh");
    let home = Home::new();
    home.sql("CREATE TABLE theirs (x)");
    check(&home, "not a cache of this program", "mv ");
    let home = Home::new();
    fs::write(home.path("cache.db"), "not a database at all".repeat(1000)).unwrap();
    check(&home, "is damaged", "webtranslator cache mend");
    let home = Home::with(&(0..200).map(|_| put("a", "b")).collect::<Vec<_>>());
    let texts: Vec<String> = (0..400).map(|n| format!("{n} {}", "x".repeat(300))).collect();
    home.put(&texts.iter().map(|text| put(text, "y")).collect::<Vec<_>>());
    let mut bytes = fs::read(home.path("cache.db")).unwrap();
    let middle = bytes.len() / 8192 * 4096;
    bytes[middle..middle + 4096].fill(0xff);
    fs::write(home.path("cache.db"), bytes).unwrap();
    check(&home, "is damaged", "webtranslator cache mend");
}

#[test]
fn a_folder_in_the_files_place_is_told() {
    let home = Home::new();
    fs::create_dir(home.path("cache.db")).unwrap();
    for words in ALL {
        assert!(home.cache(words).bad().contains("cannot be opened"), "{words:?}");
    }
}

#[test]
fn an_input_that_is_not_there_is_told_and_no_cache_is_made() {
    let home = Home::new();
    let missing = home.path("missing.jsonl");
    let told = home.cache(&["import", missing.to_str().unwrap()]).bad();
    assert!(told.contains("missing.jsonl") && told.contains("No such file"), "{told}");
    let folder = home.path("");
    let told = home.cache(&["import", folder.to_str().unwrap()]).bad();
    assert!(told.contains("directory"), "{told}");
    assert_eq!(home.files(), []);
}

#[test]
fn a_memory_that_was_cut_is_told_and_its_beginning_taken() {
    let texts = ["a", "b", "c"];
    let home = Home::with(&texts.map(|text| put(text, "x")));
    let export = home.cache(&["export", "--format", "tmx"]).good();
    let cut = &export[..export.rfind("<tuv").unwrap()];
    let other = Home::new();
    let told = other.cache_with(&["import"], cut.as_bytes());
    assert!(told.out.starts_with("Imported 2 entries"), "{told:?}");
    assert!(told.bad().contains("the file ends before its </tmx>"));
}

#[test]
fn an_output_that_cannot_be_written_is_told_and_one_that_is_not_read_is_no_fault() {
    let texts: Vec<String> = (0..3000).map(|n| n.to_string()).collect();
    let home = Home::with(&texts.iter().map(|text| put(text, "x")).collect::<Vec<_>>());
    for words in [&["export"][..], &["list", "--limit", "0"], &["stats"]] {
        let mut command = home.command(words);
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?} {told}");
        assert!(told.contains("the output cannot be written"), "{words:?} {told}");
    }
    let mut command = home.command(&["export"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0; 10]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn a_cache_that_is_replaced_during_an_import_is_told() {
    let line = |n: u32| {
        format!(
            "{{\"source\":\"{n}\",\"translation\":\"x\",\"source_language\":\"en\",\
             \"target_language\":\"ko\"}}\n"
        )
    };
    let part = |from: u32| (from..from + 20_000).map(line).collect::<String>();
    let home = Home::new();
    let mut command = home.command(&["import"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(part(0).as_bytes()).unwrap();
    stdin.flush().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    // The whole part is more than one write, so that the first is stored.
    while home.cache(&["list", "--json", "--limit", "1"]).out.is_empty() {
        assert!(Instant::now() < deadline, "the beginning is not stored");
    }
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(home.path(&format!("cache.db{end}"))).unwrap();
    }
    // It may stop before it has read all.
    let _ = stdin.write_all(part(20_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("replaced or deleted meanwhile"), "{told}");
    assert!(told.contains("entries stored before it"), "{told}");
}

#[test]
fn an_export_that_fails_leaves_the_old_file_and_nothing_else() {
    let home = Home::with(&[put("a", "b")]);
    let nowhere = home.path("missing/memory.jsonl");
    let told = home.cache(&["export", nowhere.to_str().unwrap()]).bad();
    assert!(told.contains("No such file"), "{told}");
    home.sql("PRAGMA user_version = 99");
    let file = home.path("memory.jsonl");
    fs::write(&file, "old").unwrap();
    let before = home.files();
    home.cache(&["export", file.to_str().unwrap()]).bad();
    assert!(before == home.files());
}
