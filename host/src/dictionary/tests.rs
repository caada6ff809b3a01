use super::*;

const ANY: Pair<'static> = ("en", "de");

fn replacements(entries: &[(&str, &str)]) -> Dictionary {
    let item = |(from, to): &(&str, &str)| Item {
        words: (*from).to_owned(),
        action: Action::Replace((*to).to_owned()),
        match_case: false,
        scope: Scope::default(),
    };
    Dictionary::new(entries.iter().map(item).collect())
}

fn check(entries: &[(&str, &str)], text: &str, expected: &str) {
    assert_eq!(replacements(entries).replace(text, ANY, None), expected, "{text:?}");
}

fn toml(text: &str) -> Dictionary {
    let (dictionary, problems) = Dictionary::parse_toml(text);
    assert_eq!(problems, []);
    dictionary
}

#[test]
fn a_word_is_not_found_inside_compounds_and_paths() {
    check(
        &[("log", "LOG!"), ("cat", "CAT!")],
        "log-in, cat-log, log, /log/x, log_in, catalogue, naïve log.",
        "log-in, cat-log, LOG!, /log/x, log_in, catalogue, naïve LOG!.",
    );
    check(&[("add", "+")], "add-on, add, John's add", "add-on, +, John's +");
    check(&[("John", "Jan")], "John's John ’John’", "John's Jan ’Jan’");
}

#[test]
fn a_mark_belongs_to_its_letter() {
    // x with an acute has no composed form.
    check(&[("x", "y")], "x\u{301} x", "x\u{301} y");
    check(
        &[("x", "y")],
        "a\u{301}x q\u{302}x",
        "a\u{301}x q\u{302}x".replace("a\u{301}", "á").as_str(),
    );
}

#[test]
fn scripts_without_spaces_have_no_word_boundaries() {
    check(&[("東京", "京")], "東京都と東京", "京都と京");
    check(&[("API", "접속")], "이 API를 씁니다", "이 접속를 씁니다");
    check(&[("공격대", "레이드")], "공격대를 만든다", "레이드를 만든다");
    check(&[("แมว", "หมา")], "ฉันมีแมวดำ", "ฉันมีหมาดำ");
}

#[test]
fn the_leftmost_longest_word_wins_in_one_pass() {
    let entries = [("rail", "Schiene"), ("station", "Halt"), ("rail station", "Bahnhof")];
    check(&entries, "The rail station is near the rail.", "The Bahnhof is near the Schiene.");
    check(&[("A", "B"), ("B", "C")], "A B", "B C");
    check(&[("a", "a a")], "a a", "a a a a");
}

#[test]
fn a_longer_word_that_fails_gives_way_to_a_shorter() {
    check(&[("rail", "R"), ("rail station", "S")], "rail stations", "R stations");
    check(&[("new york", "NY"), ("york", "Y")], "renew york", "renew Y");
}

#[test]
fn words_and_replacements_are_literal() {
    let entries = [
        ("C++", "$1"),
        (".NET", "\\1"),
        ("Tax (VAT)", "&"),
        ("$5", "five"),
        ("a|b", "or"),
        ("\\d", "digit"),
    ];
    check(
        &entries,
        "C++ and .NET, Tax (VAT): $5 a|b \\d 7 $50",
        "$1 and \\1, &: five or digit 7 $50",
    );
}

#[test]
fn addresses_and_code_stay() {
    let entries = [("site", "Website")];
    let kept = "https://my-site.test/site?site=1 or site@site.test";
    check(&entries, &format!("see {kept}"), &format!("see {kept}"));
    check(&entries, "a site (https://a.test/site).", "a Website (https://a.test/site).");
    check(&entries, "`the site` site", "`the site` Website");
    check(&entries, "<a class=\"site\">site</a>", "<a class=\"site\">Website</a>");
    check(&entries, "@site ./site --site site() ::site", "@site ./site --site site() ::site");
    check(
        &entries,
        "주소는https://a.test/site입니다 site",
        "주소는https://a.test/site입니다 Website",
    );
    check(&entries, "1 < 2 site > 1", "1 < 2 Website > 1");
    check(&entries, "my.site.com", "my.site.com");
    check(&[("log", "l")], "the log.Log in", "the l.L in");
}

#[test]
fn a_term_may_be_a_whole_address() {
    check(&[("booking.com", "X")], "at booking.com.", "at X.");
}

#[test]
fn case_is_folded_and_carried_over() {
    let entries = [("raid", "jagd"), ("straße", "weg"), ("phone", "iPhone")];
    check(&entries, "raid Raid RAID rAid", "jagd Jagd JAGD jagd");
    check(&entries, "STRASSE Strasse straße", "WEG Weg weg");
    check(&entries, "Phone", "iPhone");
    check(&[("VAT", "USt"), ("İ", "i")], "vat VAT İ", "USt USt i");
    // Folding makes İ longer: the offsets behind it still fit.
    check(&[("raid", "jagd")], "İİİ raid ẞß", "İİİ jagd ẞß");
    // A match never ends inside a letter of the text.
    check(&[("s", "x")], "ß s", "ß x");
}

#[test]
fn an_entry_may_mind_the_case() {
    let dictionary = toml(
        "[[replacement]]\nfrom = 'IT'\nto = 'EDV'\nmatch_case = true\n\
         [[replacement]]\nfrom = 'it'\nto = 'es'\nmatch_case = true\n",
    );
    assert_eq!(dictionary.replace("IT it It", ANY, None), "EDV es It");
}

#[test]
fn composed_and_decomposed_text_are_the_same() {
    check(&[("cafe\u{301}", "bar")], "ein café", "ein bar");
    let dictionary = toml("[[replacement]]\nfrom = \"cafe\u{301}\"\nto = \"bar\"\n");
    assert_eq!(dictionary.replace("ein cafe\u{301}", ANY, None), "ein bar");
}

#[test]
fn terms_are_found_with_their_ranges() {
    let dictionary = toml(
        "[[term]]\nsource = 'raid'\ntarget = '레이드'\n\
         [[term]]\nsource = 'Steam'\nkeep = true\n",
    );
    let hits = dictionary.terms_in("A RAID on steam", ("en", "ko"), None);
    let hit = |range, source: &str, target: Option<&str>| TermHit {
        range,
        source: source.to_owned(),
        target: target.map(str::to_owned),
    };
    assert_eq!(hits, [hit(2..6, "RAID", Some("레이드")), hit(10..15, "steam", None)]);
}

#[test]
fn a_text_depends_only_on_the_terms_that_hold_in_it() {
    // ディー inside ディーゼル is not a term of that text.
    let long = "[[term]]\nsource = 'ディーゼル'\ntarget = 'diesel'\n";
    let with = |target| toml(&format!("{long}[[term]]\nsource = 'ディー'\ntarget = '{target}'\n"));
    let pair = ("ja", "en");
    let terms = |dictionary: &Dictionary, text| dictionary.terms_in(text, pair, None);
    let (before, after) = (with("D"), with("Dee"));
    assert_eq!(terms(&before, "ディーゼル車"), terms(&after, "ディーゼル車"));
    assert_ne!(terms(&before, "ディーの車"), terms(&after, "ディーの車"));
}

#[test]
fn a_scope_is_a_pair_or_a_site() {
    let dictionary = toml(
        "[[replacement]]\nfrom = 'x'\nto = 'all'\n\
         [[replacement]]\nfrom = 'x'\nto = 'pair'\npair = 'en>de'\n\
         [[replacement]]\nfrom = 'x'\nto = 'site'\nsite = 'store.example.com'\n",
    );
    let on = |pair, site| dictionary.replace("x", pair, site);
    assert_eq!(on(("fr", "de"), None), "all");
    assert_eq!(on(("en-GB", "de-AT"), None), "pair");
    assert_eq!(on(("und", "de"), None), "pair");
    assert_eq!(on(("eng", "de"), None), "all");
    assert_eq!(on(("en", "de"), Some("example.com")), "site");
    assert_eq!(on(("en", "de"), Some("example.org")), "pair");
}

#[test]
fn why_an_entry_was_not_used_can_be_asked() {
    let dictionary = toml(
        "[[term]]\nsource = 'штурмовик'\ntarget = 'stormtrooper'\n\
         [[term]]\nsource = 'VSU'\nkeep = true\nmatch_case = true\n\
         [[term]]\nsource = 'x'\ntarget = 'y'\npair = 'fr>en'\n\
         [[term]]\nsource = 'site'\ntarget = 'y'\n\
         [[term]]\nsource = 'raid'\ntarget = 'y'\n\
         [[term]]\nsource = 'raid boss'\ntarget = 'y'\n\
         [[term]]\nsource = 'nowhere'\ntarget = 'y'\n",
    );
    let text = "штурмовиков vsu x https://a.test/site raid boss";
    let why: Vec<Why> = dictionary
        .explain(Side::Source, text, ("ru", "en"), None)
        .into_iter()
        .map(|explanation| explanation.why)
        .collect();
    let expected = [
        Why::Boundary,
        Why::Case,
        Why::Scope,
        Why::Protected,
        Why::Overtaken,
        Why::Used,
        Why::Absent,
    ];
    assert_eq!(why, expected);
}

#[test]
fn a_bad_entry_is_reported_and_the_good_ones_stay() {
    let (dictionary, problems) = Dictionary::parse_toml(
        "[[term]]\nsource = 'a'\ntarget = 'b'\n\n[[term]]\nsource = 'c'\n\n\
         [[replacement]]\nfrom = 'd'\nto = 3\n[[trem]]\nx = 1\n[[term]]\nsource = 'e'\nkeep = true\n\
         [[term]]\nsource = 'f'\ntarget = 'g'\npair = 'en-ko'\n",
    );
    assert_eq!(dictionary.items().len(), 2);
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [5, 10, 11, 19], "{problems:#?}");
}

#[test]
fn a_slip_of_form_costs_one_entry() {
    let (dictionary, problems) = Dictionary::parse_toml(
        "[[term]]\nsource = 'a'\ntarget = 'b'\n[[term]]\nsource = 'c\ntarget = 'd'\n\
         [[term]]\nsource = 'e'\nkeep = true\n",
    );
    assert_eq!(dictionary.items().len(), 2);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].line, 5);
}

#[test]
fn the_toml_form_reads_back() {
    let dictionary = toml(
        "[[replacement]]\nfrom = 'a\"b'\nto = ''\nmatch_case = true\nsite = 'example.com'\n\
         [[term]]\nsource = 'c'\ntarget = 'd'\npair = '*>ko'\n\
         [[replacement]]\nfrom = 'e'\nto = 'f'\nsite = 'file:/home/x'\n\
         [[term]]\nsource = 'g'\nkeep = true\nsite = 'cli'\n",
    );
    assert_eq!(toml(&dictionary.to_toml()), dictionary, "{}", dictionary.to_toml());
}

#[test]
fn csv_is_read_a_line_an_entry() {
    let (dictionary, problems) = Dictionary::parse_csv(
        "\u{feff}a,b\r\n\"c, d\",\"say \"\"e\"\"\"\r\n\r\nf\r\n\"g,h\r\ni,j\r\n",
    );
    let terms: Vec<_> = dictionary.items().iter().map(|item| item.words.as_str()).collect();
    assert_eq!(terms, ["a", "c, d", "i"]);
    assert_eq!(dictionary.items()[1].action, Action::Translate("say \"e\"".to_owned()));
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [4, 5], "{problems:?}");
}

#[test]
fn csv_may_name_its_columns() {
    let (dictionary, problems) = Dictionary::parse_csv(
        "Kind;Source;Target;pair;match_case\nkeep;Steam;;;\nreplacement;a;b;en>de;true\nx;a;b;;\n",
    );
    assert_eq!(dictionary.items()[0].action, Action::Keep);
    assert_eq!(dictionary.items()[1].action, Action::Replace("b".to_owned()));
    assert!(dictionary.items()[1].match_case);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].line, 4);
}

#[test]
fn typed_and_typeset_signs_are_the_same() {
    let entries = [("don't", "nicht"), ("rail station", "Bahnhof"), ("e-mail", "Post")];
    check(&entries, "don’t rail\u{a0}station e\u{2011}mail", "nicht Bahnhof Post");
    let dictionary =
        toml("[[term]]\nsource = ' O\u{2019}Neill  Ltd '\nkeep = true\nmatch_case = true\n");
    assert_eq!(dictionary.items()[0].words, "O\u{2019}Neill Ltd");
    assert_eq!(dictionary.terms_in("at O'Neill\u{a0}Ltd", ANY, None).len(), 1);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(words in proptest::collection::vec("\\PC{1,4}|[sSßİé\u{301}.@/-]{1,3}", 1..6), text in "\\PC{0,40}|[sSßİé\u{301}.@/:<>`한 -]{0,30}") {
        let entries: Vec<(&str, &str)> = words.iter().map(|word| (word.as_str(), "ẞ")).collect();
        let dictionary = replacements(&entries);
        let _ = dictionary.replace(&text, ANY, None);
        let _ = dictionary.explain(Side::Translation, &text, ANY, None);
    }
}
