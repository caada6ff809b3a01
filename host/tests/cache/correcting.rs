//! `correct`, and what `list` shows of it.

use std::fs;

use serde_json::Value;

use crate::home::{Home, Put, put};

#[test]
fn a_text_is_corrected_shown_as_such_and_given_back() {
    let home = Home::with(&[
        put("Sign in", "기호 안에"),
        Put { site: Some("other.org"), ..put("Sign in", "들어가기") },
        put("Load order", "불러오기 순서"),
    ]);
    fs::write(home.path("dictionary.toml"), "# mine\n").unwrap();
    let site = ["--site", "https://www.example.com/x"];
    let words = ["correct", " Sign  in ", "로그인", "--target", "ko", "--source", "en"];
    let told = home.cache(&[&words[..], &site].concat()).good();
    assert_eq!(told, "Corrected: en>ko  example.com\n");
    let file = fs::read_to_string(home.path("dictionary.toml")).unwrap();
    assert_eq!(
        file,
        "# mine\n\n[[correction]]\nsource = \"Sign in\"\ntranslation = \"로그인\"\n\
         pair = \"en>ko\"\nsite = \"example.com\"\n"
    );
    let listed = home.cache(&["list", "--grep", "sign"]).good();
    assert!(
        listed.starts_with("correction  en>ko  example.com\n    Sign in\n    로그인\n\n"),
        "{listed}"
    );
    assert!(listed.contains("m|p1|  example.com  corrected\n    Sign in\n"), "{listed}");
    assert!(listed.contains("m|p1|  other.org\n    Sign in\n"), "{listed}");
    for (words, is_there) in [
        (["--target", "ko"], true),
        (["--pair", "en>ko"], true),
        (["--pair", "und>ko"], false),
        (["--target", "de"], false),
        (["--site", "other.org"], false),
        (["--kind", "openai"], false),
        (["--grep", "Load"], false),
    ] {
        let listed = home.cache(&[&["list"][..], &words].concat()).good();
        assert_eq!(listed.starts_with("correction"), is_there, "{words:?}: {listed}");
    }
    let json = home.cache(&["list", "--json"]).good();
    let corrected = |line: &str| serde_json::from_str::<Value>(line).unwrap()["corrected"] == true;
    assert_eq!(json.lines().map(corrected).filter(|is| *is).count(), 1, "{json}");
    assert!(home.cache_with(&["import", "-"], json.as_bytes()).good().contains("0 refused"));

    let remove = ["correct", "--remove", "Sign in", "--target", "ko"];
    let told = home.cache(&remove).bad();
    assert!(told.contains("there are: en>ko  example.com"), "{told}");
    let whole = [&remove[..], &["--source", "en", "--site", "example.com"]].concat();
    assert_eq!(home.cache(&whole).good(), "Removed: en>ko  example.com\n");
    assert!(home.cache(&whole).bad().contains("no correction of this text"));
    assert_eq!(fs::read_to_string(home.path("dictionary.toml")).unwrap(), "# mine\n");
    assert!(!home.cache(&["list"]).good().contains("correct"));
}

#[test]
fn tags_count_in_a_marked_correction_only() {
    let home = Home::new();
    let correct = |words: &[&str]| home.cache(&[&["correct"], words, &["--target", "ko"]].concat());
    let told = correct(&["<1>Load</1> order", "순서", "--marked"]).bad();
    assert!(told.contains("tags"), "{told}");
    assert!(!home.path("dictionary.toml").exists());
    correct(&["<1>Load</1> order", "순서"]).good();
    correct(&["<1>Load</1> order", "<1>불러오기</1> 순서", "--marked"]).good();
    let listed = home.cache(&["list"]).good();
    assert_eq!(listed.matches("correction  *>ko  any site\n").count(), 2, "{listed}");
    assert!(listed.ends_with("is not there or is empty.\n"), "{listed}");
    assert!(correct(&["", "순서"]).bad().contains("no text"));
    assert!(correct(&["a", "b", "--source", "?"]).bad().contains("pair"));
    assert_eq!(home.cache(&["correct", "a", "b"]).code, Some(2), "a target is needed");
    assert_eq!(home.cache(&["correct", "a", "--target", "ko"]).code, Some(2));
    assert_eq!(home.cache(&["correct", "--remove", "a", "b"]).code, Some(2));
}

#[test]
fn a_broken_dictionary_is_told_and_left_as_it_is() {
    let home = Home::with(&[put("a", "b")]);
    let broken = "[[term]\nsource = \"a\"\n";
    fs::write(home.path("dictionary.toml"), broken).unwrap();
    let told = home.cache(&["correct", "a", "b", "--target", "ko"]).bad();
    assert!(told.contains("line 1") && told.contains("not changed"), "{told}");
    assert_eq!(fs::read_to_string(home.path("dictionary.toml")).unwrap(), broken);
    let listed = home.cache(&["list"]);
    assert_eq!(listed.code, Some(0));
    assert!(listed.err.contains("dictionary.toml, line 1"), "{listed:?}");
    fs::write(home.path("dictionary.toml"), b"\xff").unwrap();
    let told = home.cache(&["correct", "a", "b", "--target", "ko"]).bad();
    assert!(told.contains("UTF-8"), "{told}");
    assert_eq!(fs::read(home.path("dictionary.toml")).unwrap(), b"\xff");
}
