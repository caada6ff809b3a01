//! Entries by their text.

use webtranslator::store::{Filter, Mode, NewEntry, Store, Wish};

use crate::fixture::{DAY, Folder, entry, open, put_one, reason};

fn wish(source: &str, target: &str, site: Option<&str>) -> Wish {
    Wish { source: source.into(), target: target.into(), site: site.map(str::to_owned) }
}

/// Returns all translations of a text to Korean, on no site.
pub fn translations(store: &mut Store, source: &str) -> Vec<String> {
    let found = store.find_texts(&[wish(source, "ko", None)], DAY).swap_remove(0);
    found.into_iter().map(|entry| entry.translation).collect()
}

#[test]
fn a_text_is_found_whatever_else_its_keys_are_made_of() {
    let folder = Folder::new();
    let mut store = folder.open();
    let of = |n, source, translation, target_language, site| NewEntry {
        source,
        target_language,
        site,
        ..entry(n, translation)
    };
    store.put_many(&[of(1, "a", "old", "ko", None)], DAY - 9);
    let entries = [
        of(2, "a", "new", "ko", None),
        of(3, "a", "mine", "ko", Some("example.com")),
        of(4, "a", "theirs", "ko", Some("example.org")),
        of(5, "a", "french", "fr", None),
        of(6, "b", "another", "ko", None),
    ];
    store.put_many(&entries, DAY);
    let wishes =
        [wish("a", "ko", Some("example.com")), wish("c", "ko", None), wish("b", "ko", None)];
    let found = store.find_texts(&wishes, DAY);
    let mut texts: Vec<Vec<&str>> =
        found.iter().map(|all| all.iter().map(|e| e.translation.as_str()).collect()).collect();
    assert_eq!(texts[0].pop(), Some("old"), "the newest come first");
    texts[0].sort_unstable();
    assert_eq!(texts, [vec!["mine", "new"], vec![], vec!["another"]]);
}

#[test]
fn a_text_is_found_without_reading_the_whole_file() {
    let folder = Folder::new();
    put_one(&mut folder.open(), 1);
    let plan = |query: &str| folder.plan(query);
    for query in [
        "SELECT translation FROM translation WHERE text = 1 AND source = 's' AND site IS NULL",
        "DELETE FROM translation WHERE true AND text = 1 AND source = 's'",
    ] {
        assert!(plan(query).contains("USING INDEX translation_by_text (text=?)"), "{query}");
    }
    let old = plan("SELECT key, 1 FROM translation WHERE created_day < 1");
    assert!(old.contains("COVERING INDEX translation_by_text"), "{old}");
}

#[test]
fn a_file_of_the_third_version_gets_its_texts() {
    let folder = Folder::new();
    let mut store = folder.open();
    let sources: Vec<String> = (0..3000).map(|n| format!("text {n}")).collect();
    let entries: Vec<_> = sources
        .iter()
        .enumerate()
        .map(|(n, source)| NewEntry { source, ..entry(n, "x") })
        .collect();
    store.put_many(&entries, DAY);
    drop(store);
    // A source that is no UTF-8 must not keep the file from being opened.
    folder.sql(
        "DROP TABLE failure; ALTER TABLE usage DROP COLUMN texts;
         DROP INDEX translation_by_text; ALTER TABLE translation DROP COLUMN text;
         UPDATE translation SET source = CAST(x'ff41' AS TEXT) WHERE source = 'text 7';
         PRAGMA user_version = 3",
    );
    let mut store = folder.open();
    assert_eq!(folder.number("SELECT count(*) FROM translation WHERE text IS NULL"), 0);
    let found = |store: &mut Store, n: usize| translations(store, &format!("text {n}")).len();
    assert_eq!([0, 7, 8, 2999].map(|n| found(&mut store, n)), [1, 0, 1, 1]);
    assert_eq!(folder.text("PRAGMA integrity_check"), "ok");
}

#[test]
fn a_text_is_forgotten_alone() {
    let folder = Folder::new();
    let mut store = folder.open();
    let of = |n, source| NewEntry { source, ..entry(n, "x") };
    store.put_many(&[of(1, "a"), of(2, "a"), of(3, "b"), of(4, "<1>a</1>")], DAY);
    let filter = Filter { source: Some("a".into()), ..Filter::default() };
    assert_eq!(store.clear(&filter), Some(2));
    let tagged = Filter { source: Some("<1>a</1>".into()), ..Filter::default() };
    assert_eq!((store.clear(&tagged), store.stats().entries), (Some(1), 1));
}

#[test]
fn what_the_memory_took_is_found_by_its_text() {
    let folder = Folder::new();
    std::fs::write(folder.path("folder"), "no folder").unwrap();
    let (mut store, state) = open(&folder.path("folder/cache.db"));
    reason(&state);
    assert!(put_one(&mut store, 1));
    assert_eq!(translations(&mut store, "source"), ["text 1"]);
}

#[test]
fn what_was_found_by_its_text_counts_as_used() {
    let folder = Folder::new();
    let mut store = folder.open();
    put_one(&mut store, 1);
    let found = store.find_texts(&[wish("source", "ko", None)], DAY + 2).swap_remove(0);
    store.use_found(&[(found[0].key, found[0].used_day)], DAY + 2);
    store.touch(DAY + 2);
    assert_eq!(folder.number("SELECT used_day FROM translation"), DAY + 2);
    assert_eq!(store.stats().hits, 1);
    store.set_mode(Mode::Off);
    assert_eq!(translations(&mut store, "source"), Vec::<String>::new());
}
