use super::*;

const FILE: &str = "# my words\n\n[[term]]  # the first\nsource = \"raid\"\ntarget = '레이드' # kept\n\n\
    # how I like it\n[[correction]]\nsource = \"Sign in\" # the button\ntranslation   =  '로그인' # mine\n\
    pair = \"*>ko\"\n\n[[replacement]]\nfrom = \"a\"\nto = \"\"\n";

fn place(source: &str, pair: &str) -> Place {
    let mut scope = Scope::default();
    scope.set_pair(pair).unwrap();
    Place { source: source.to_owned(), marked: false, scope }
}

fn parse(text: &str) -> Dictionary {
    let (dictionary, problems) = Dictionary::parse_toml(text);
    assert_eq!(problems, [], "{text}");
    dictionary
}

#[test]
fn a_correction_is_found_by_its_whole_text_and_its_tags() {
    let dictionary = parse(
        "[[correction]]\nsource = \" Load  <1>order</1> \"\ntranslation = \"<1>가</1>\"\n\
         marked = true\n[[correction]]\nsource = \"Load <1>order</1>\"\ntranslation = \" 나 \"\n",
    );
    let find = |text: &str, marked| dictionary.correction(text, marked, ("en", "ko"), None);
    assert_eq!(find("Load <1>order</1>", true), Some("<1>가</1>"));
    assert_eq!(find("Load <1>order</1>", false), Some(" 나 "), "it stands as it is written");
    for text in ["load <1>order</1>", "Load", "Load <1>order</1>.", ""] {
        assert_eq!(find(text, true), None, "{text}");
    }
    assert_eq!(dictionary.count(), 2);
}

#[test]
fn the_narrower_scope_wins_then_the_earlier_entry() {
    let dictionary = parse(
        "[[correction]]\nsource = \"a\"\ntranslation = \"any\"\n\
         [[correction]]\nsource = \"a\"\ntranslation = \"ko\"\npair = \"*>ko\"\n\
         [[correction]]\nsource = \"a\"\ntranslation = \"later\"\npair = \"*>ko\"\n\
         [[correction]]\nsource = \"a\"\ntranslation = \"en>ko\"\npair = \"EN>ko\"\n\
         [[correction]]\nsource = \"a\"\ntranslation = \"site\"\nsite = \"www.example.com\"\n",
    );
    for (pair, site, expected) in [
        (("fr", "de"), None, "any"),
        (("fr", "ko"), None, "ko"),
        (("en-GB", "ko"), None, "en>ko"),
        (("und", "ko"), None, "en>ko"),
        (("en", "ko"), Some("example.com"), "site"),
        (("en", "ko"), Some("example.org"), "en>ko"),
    ] {
        assert_eq!(dictionary.correction("a", false, pair, site), Some(expected), "{pair:?}");
    }
}

#[test]
fn a_mistake_is_told_with_its_line_and_costs_no_other() {
    let check = |fields: &str, expected: &str| {
        let text = format!(
            "[[correction]]\nsource = \"good\"\ntranslation = \"좋다\"\n\n[[correction]]\n{fields}\n"
        );
        let (dictionary, problems) = Dictionary::parse_toml(&text);
        assert_eq!(dictionary.corrections().len(), 1, "{fields}");
        let [problem] = &problems[..] else { panic!("{fields}: {problems:?}") };
        assert!(problem.line >= 5 && problem.message.contains(expected), "{fields}: {problem}");
    };
    check("translation = \"x\"", "source is missing");
    check("source = \"  \"\ntranslation = \"x\"", "source is missing");
    check("source = \"x\"", "translation is missing");
    check("source = \"x\"\ntranslation = \" \"", "translation is missing");
    let marked = |source: &str, translation: &str| {
        format!("marked = true\nsource = \"{source}\"\ntranslation = \"{translation}\"")
    };
    check(&marked("<1>a</1>", "b"), "tags of translation");
    check(&marked("<1>a</1>", "<1/>b"), "tags of translation");
    check(&marked("<1>a</1>", "<1>b</1> <2/>"), "tags of translation");
    check(&marked("<1>a</1>", "<1>b</1> & c"), "tags of translation");
    check(&marked("<1>a</1>", "<1> </1>"), "translation is missing");
    check(&marked("<1>a", "<1>b"), "tags of source");
    check("source = \"x\"\ntranslation = \"y\"\nmatch_case = true", "match_case");
    check("source = \"x\"\ntranslation = \"y\"\npair = \"en\"", "pair");
    check("source = \"x\"\ntranslation = \"y\"\nmarked = 1", "marked");
    check("source = \"x\ntranslation = \"y\"", "");
    check(&format!("source = \"x\"\ntranslation = \"{}\"", "y".repeat(32_001)), "longer");
}

#[test]
fn corrections_are_written_as_they_are_read() {
    let dictionary = parse(
        "[[correction]]\nsource = \"<1>a</1>\\n\\\"b\\\"\"\ntranslation = \" <1>\\u0007</1>\\n[[\"\nmarked = true\npair = \"en>ko\"\nsite = \"a.example\"\n\n[[term]]\nsource = \"x\"\nkeep = true\n",
    );
    assert_eq!(parse(&dictionary.to_toml()), dictionary);
}

#[test]
fn a_correction_is_set_replaced_and_removed_and_all_other_bytes_stay() {
    let other = place("Sign out", "*>ko");
    let added = correct(FILE, &other, Some("로그\"아웃\\\n[끝]")).unwrap();
    let block = "\n[[correction]]\nsource = \"Sign out\"\n\
                 translation = \"로그\\\"아웃\\\\\\n[끝]\"\npair = \"*>ko\"\n";
    assert_eq!(added, format!("{FILE}{block}"));
    assert_eq!(correct(&added, &other, None).unwrap(), FILE, "and out again");

    let sign_in = place("Sign in", "*>KO");
    let replaced = correct(FILE, &sign_in, Some("들어가기")).unwrap();
    assert_eq!(replaced, FILE.replace("'로그인'", "\"들어가기\""));
    let removed = correct(FILE, &sign_in, None).unwrap();
    assert_eq!(parse(&removed).corrections(), []);
    for comment in ["# my words", "# the first", "# kept", "# how I like it"] {
        assert!(removed.contains(comment), "{removed}");
    }
    assert_eq!(parse(&removed).items(), parse(FILE).items());
    for elsewhere in [place("Sign in", "en>ko"), place("sign in", "*>ko")] {
        assert_eq!(correct(FILE, &elsewhere, None).unwrap(), FILE, "{elsewhere:?}");
    }
}

#[test]
fn line_breaks_and_the_end_of_a_file_are_kept_as_they_are() {
    let here = place("a", "*>*");
    let only = correct("", &here, Some("b")).unwrap();
    assert_eq!(only, "[[correction]]\nsource = \"a\"\ntranslation = \"b\"\n");
    assert_eq!(correct(&only, &here, None).unwrap(), "");
    let windows = FILE.replace('\n', "\r\n");
    let added = correct(&windows, &here, Some("b")).unwrap();
    assert!(added.starts_with(&windows) && !added.replace("\r\n", "").contains('\n'), "{added:?}");
    assert_eq!(correct(&added, &here, None).unwrap(), windows);
    let marked = format!("\u{feff}{FILE}");
    assert!(correct(&marked, &here, Some("b")).unwrap().starts_with(&marked));
    let sign_in = place("Sign in", "*>ko");
    assert_eq!(correct(&marked, &sign_in, Some("c")).unwrap(), marked.replace("'로그인'", "\"c\""));
    let open = "[[correction]]\nsource = \"x\"\ntranslation = \"y\"";
    assert!(correct(open, &here, Some("b")).unwrap().starts_with(&format!("{open}\n\n[[")));
}

#[test]
fn a_faulty_entry_stays_where_another_is_edited_and_is_mended_by_its_own() {
    let faulty = "[[correction]]\nsource = \"a\"\ntranslation = \"\" # later\n\n\
                  [[term]]\nsource = 3\n";
    let added = correct(faulty, &place("b", "*>*"), Some("c")).unwrap();
    assert!(added.starts_with(faulty));
    let mended = correct(faulty, &place("a", "*>*"), Some("c")).unwrap();
    assert_eq!(mended, faulty.replacen("\"\"", "\"c\"", 1));
    let without = "[[correction]] # so far\nsource = \"a\"\n";
    let mended = correct(without, &place("a", "*>*"), Some("c")).unwrap();
    assert_eq!(mended, "[[correction]] # so far\ntranslation = \"c\"\nsource = \"a\"\n");
}

#[test]
fn what_cannot_be_edited_safely_is_refused() {
    let here = place("a", "*>*");
    let check = |text: &str, expected: &str| {
        let refusal = correct(text, &here, Some("b")).unwrap_err();
        assert!(refusal.contains(expected), "{text}: {refusal}");
    };
    check("[[term]\nsource = \"a\"\n", "line 1");
    check("[[term]]\nsource = \"a\"\nkeep = true\nkeep = false\n", "mistake");
    check("correction = [{ source = \"a\", translation = \"x\" }]\n", "cannot be changed");
    let unknown = "[[correction]]\nsource = \"a\"\ntranslation = \"x\"\nlater = 1\n";
    check(unknown, "later");
}
