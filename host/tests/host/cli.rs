//! The command line, with the engine of the browser.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use jiff::Timestamp;
use scripted_provider::{Script, stand_in};
use webtranslator::segment::Key;
use webtranslator::store::{Mode, NewEntry, Store};

use crate::browser::{Home, serve};

fn run(home: &Home, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.args(arguments).env("WEBTRANSLATOR_HOME", home.dir.path());
    command.envs(home.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn each_line_is_translated_and_the_rest_stays() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let input = "  First line here\n\n\tSecond line there \r\nhttps://example.org/x\nlast line";
    let output = run(&home, &["translate", "--to", "ko", "-"], input);
    let first = stand_in::stand_in("First line here");
    let second = stand_in::stand_in("Second line there");
    let last = stand_in::stand_in("last line");
    assert_eq!(
        text(&output.stdout),
        format!("  {first}\n\n\t{second} \r\nhttps://example.org/x\n{last}")
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_long_line_is_cut_and_joined() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let line = "This is one sentence of many. ".repeat(600);
    let output = run(&home, &["translate", "--to", "ko"], &line);
    let translated = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(translated.matches("one sentence").count(), 600);
    assert!(translated.contains('가'), "it was translated");
    assert!(!translated.contains("가«가«"), "nothing was translated twice");
}

#[test]
fn a_failed_line_stays_and_is_told() {
    let server = serve(Script { refuse: vec!["zarglefrak".to_owned()], ..Script::default() });
    let home = Home::at(&server, "openai");
    let output = run(&home, &["translate", "--to", "ko"], "A good line\nA zarglefrak line\n");
    assert_eq!(
        text(&output.stdout),
        format!("{}\nA zarglefrak line\n", stand_in::stand_in("A good line"))
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("refused"), "{}", text(&output.stderr));
}

#[test]
fn without_a_provider_it_says_what_to_do() {
    let home = Home::new("");
    let output = run(&home, &["translate", "--to", "ko"], "A line\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("No provider is set up"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "A line\n");
}

#[test]
fn cache_stats_count_what_is_remembered() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    assert!(text(&run(&home, &["cache", "stats"], "").stdout).contains("Nothing is remembered"));
    run(&home, &["translate", "--to", "ko"], "One line\nAnother line\n");
    let stats = text(&run(&home, &["cache", "stats"], "").stdout);
    assert!(stats.contains("entries  2"), "{stats}");
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let home = Home::new("");
    for input in ["https://example.org/\n", "https://example.org/"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
        command.args(["translate", "--to", "ko"]).env("WEBTRANSLATOR_HOME", home.dir.path());
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{input:?}");
        assert!(text(&output.stderr).contains("written"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_cache_above_the_limit_of_the_settings_makes_room() {
    let home = Home::new("providers = [\"sample\"]\n[cache]\nmax_mb = 1\n");
    let (mut store, _) = Store::open(&home.path("cache.db"), Mode::On, Timestamp::now());
    let text = "x".repeat(1000);
    let keys: Vec<Key> = (0..3000).map(|n: u32| Key::of_text(&n.to_string())).collect();
    let entry = |key: &Key| NewEntry {
        key: *key,
        source: "source",
        translation: &text,
        source_language: "en",
        target_language: "ko",
        engine: "engine",
        site: None,
    };
    assert_eq!(store.put_many(&keys.iter().map(entry).collect::<Vec<_>>(), 1), 3000);
    drop(store);
    // A command ends soon, and takes its share of the work; a host does the rest.
    run(&home, &["translate", "--to", "ko"], "One line\n");
    let _browser = home.greeted();
    let (mut store, _) = Store::open(&home.path("cache.db"), Mode::On, Timestamp::now());
    crate::redis::wait_until(|| (1..1000).contains(&store.stats().entries));
}

#[test]
fn the_settings_path_is_printed() {
    let home = Home::new("");
    let output = run(&home, &["settings", "path"], "");
    assert_eq!(text(&output.stdout).trim(), home.path("settings.toml").display().to_string());
}

#[test]
fn a_wrong_word_is_a_usage_fault() {
    let home = Home::new("");
    assert_eq!(run(&home, &["dance"], "").status.code(), Some(2));
}

#[test]
fn doctor_names_a_mistake_in_the_settings_and_a_missing_key() {
    let home = Home::new(
        "target = \"ko\"\nproviders = [\"gemini\"]\n[provider.gemini]\nkind = \"gemini\"\n\
         requests_per_minute = \"many\"\n",
    );
    let user = tempfile::tempdir().unwrap();
    let doctor = || {
        let output = Command::new(env!("CARGO_BIN_EXE_webtranslator"))
            .arg("doctor")
            .env("HOME", user.path())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .env("WEBTRANSLATOR_HOME", home.dir.path())
            .output()
            .unwrap();
        (text(&output.stdout), output.status.success())
    };
    let (told, healthy) = doctor();
    assert!(told.contains("line 5") && told.contains("number"), "{told}");
    assert!(!healthy);
    std::fs::write(home.path("settings.toml"), "providers = [\"gemini\"]\n[provider.gemini]\n")
        .unwrap();
    let (told, healthy) = doctor();
    assert!(told.contains("No key is stored for gemini"), "{told}");
    assert!(!healthy);

    let ignored = "taget = \"ko\"\nproviders = [\"sample\"]\n[cache]\nsize = 5\n";
    std::fs::write(home.path("settings.toml"), ignored).unwrap();
    let (told, _) = doctor();
    let about: Vec<_> = told.lines().filter(|line| line.contains(" settings: ")).collect();
    assert_eq!(about.len(), 2, "{told}");
    assert!(about.iter().all(|line| line.starts_with("warning")), "{told}");
}
