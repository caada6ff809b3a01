//! The examples of the docs, read as the program reads a reader's files.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use webtranslator::dictionary::Dictionary;
use webtranslator::settings;

/// Returns the TOML blocks of a page.
fn examples(page: &str) -> Vec<String> {
    blocks(page, "toml")
}

/// Returns the blocks of a page in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join(page)).unwrap();
    let begin = format!("```{language}\n");
    let blocks = text.split(&begin).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_settings_of_the_docs_are_right() {
    for page in ["README.md", "docs/SETTINGS.md"] {
        let examples = examples(page);
        assert_eq!(examples.len(), 1, "{page}");
        let checked = settings::check(&examples[0]);
        assert_eq!((checked.problems, checked.warnings), (vec![], vec![]), "{page}");
        assert_eq!(checked.settings.unwrap().providers, ["gemini", "local"], "{page}");
    }
}

#[test]
fn the_dictionary_of_the_docs_is_right() {
    let examples = examples("docs/DICTIONARY.md");
    let (dictionary, problems) = Dictionary::parse_toml(&examples[0]);
    assert_eq!(problems, []);
    assert_eq!((dictionary.items().len(), dictionary.corrections().len()), (3, 1));
}

/// The commands run in a folder of their own, one after the other, on what the
/// page gives as an example of a file.
#[cfg(unix)]
#[test]
fn the_commands_of_the_page_on_the_cache_do_what_they_say() {
    let home = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_webtranslator");
    std::os::unix::fs::symlink(program, home.path().join("webtranslator")).unwrap();
    let path = format!("{}:{}", home.path().display(), std::env::var("PATH").unwrap());
    let run = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(home.path());
        let output =
            command.env("PATH", &path).env("WEBTRANSLATOR_HOME", home.path()).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{script}: {complaint}");
        assert_eq!(complaint, "", "{script}");
        told
    };
    let json = &blocks("docs/CACHE.md", "json")[0];
    fs::write(home.path().join("example.jsonl"), json).unwrap();
    let told = run("webtranslator cache import example.jsonl");
    assert!(told.starts_with("Imported 2 entries: 2 new"), "{told}");
    assert!(run("webtranslator cache export").contains(json.lines().next().unwrap()));
    let commands = &blocks("docs/CACHE.md", "sh")[0];
    assert!(commands.lines().count() > 8);
    commands.lines().for_each(|line| drop(run(line)));
    assert!(home.path().join("memory.tmx").exists());
}
