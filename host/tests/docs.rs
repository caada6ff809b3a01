//! The examples of the docs, read as the program reads a reader's files.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use webtranslator::dictionary::Dictionary;
use webtranslator::settings;

/// Returns the TOML blocks of a page.
fn examples(page: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join(page)).unwrap();
    let blocks = text.split("```toml\n").skip(1);
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
    assert_eq!(dictionary.items().len(), 3);
}
