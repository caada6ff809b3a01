use super::*;

fn prepared(text: &str, tags: Option<u32>) -> Prepared {
    prepare(text, tags, &[])
}

#[test]
fn what_must_come_back_unchanged_becomes_a_token() {
    let check = |text: &str, sent: &str, originals: &[&str]| {
        let prepared = prepared(text, None);
        assert_eq!(prepared.text, sent);
        let found: Vec<&str> = prepared.tokens.iter().map(|t| t.original.as_str()).collect();
        assert_eq!(found, originals);
        assert_eq!(prepared.source(), text);
    };
    check("See https://x.test/a_b?q=1.", "See <1/>.", &["https://x.test/a_b?q=1"]);
    check("(https://x.test/a(b))", "(<1/>)", &["https://x.test/a(b)"]);
    check("https://x.test에서", "<1/>에서", &["https://x.test"]);
    check("Mail a.b@c.test now", "Mail <1/> now", &["a.b@c.test"]);
    check("by @name, 2 min", "by <1/>, 2 min", &["@name"]);
    check("call fs_open() here", "call <1/> here", &["fs_open()"]);
    check("id 1234567 of 99", "id <1/> of 99", &["1234567"]);
    check("12345.67 km", "<1/> km", &["12345.67"]);
    check(
        "Hi {name}, {{ n }} ${x} {0}",
        "Hi <1/>, <2/> <3/> <4/>",
        &["{name}", "{{ n }}", "${x}", "{0}"],
    );
    check("%s of %1$d at %.2f", "<1/> of <2/> at <3/>", &["%s", "%1$d", "%.2f"]);
    check("well :thumbs_up: done", "well <1/> done", &[":thumbs_up:"]);
    check("in /usr/local/bin only", "in <1/> only", &["/usr/local/bin"]);
    check("a < b & {c}", "a &lt; b &amp; <1/>", &["{c}"]);
}

#[test]
fn plain_prose_is_left_alone() {
    for text in [
        "100% discount today",
        "and/or, 24/7, 1,234 km",
        "at 10:30:45 or 2026-11-29",
        "a {b c} d",
        "He said: no: really",
        "B12345 is a word",
        "a < b",
        "5 % d",
        "x @ y",
    ] {
        let prepared = prepared(text, None);
        assert!(prepared.tokens.is_empty(), "{text}: {:?}", prepared.tokens);
        assert!(!prepared.marked);
        assert_eq!(prepared.text, text);
    }
}

#[test]
fn tokens_are_numbered_above_the_tags_and_never_inside_one() {
    let prepared = prepared("Go to <1>a@b.test</1> or <2/> 12345 &lt;x", Some(2));
    assert_eq!(prepared.text, "Go to <1><3/></1> or <2/> <4/> &lt;x");
    assert_eq!(prepared.tags, 2);
    let back = settle(&prepared, "<4/> &lt;x 또는 <2/>, <1><3/></1>");
    assert_eq!(back.unwrap(), "12345 &lt;x 또는 <2/>, <1>a@b.test</1>");
}

#[test]
fn a_shield_puts_back_its_translation() {
    let text = "Play <1>Half-Life</1> & more";
    let at = plain(text, true).find("Half-Life").unwrap();
    let shield = Shield { range: at..at + 9, put_back: Some("하프 <라이프>".to_owned()) };
    let prepared = prepare(text, Some(1), &[shield]);
    assert_eq!(prepared.text, "Play <1><2/></1> &amp; more");
    assert_eq!(settle(&prepared, "<1><2/></1> 하기").unwrap(), "<1>하프 &lt;라이프></1> 하기");
    let across = Shield { range: 0..8, put_back: None };
    assert!(prepare(text, Some(1), &[across]).tokens.is_empty());
}

#[test]
fn a_plain_text_comes_back_plain() {
    let with = prepared("a < b: {name}", None);
    assert!(with.marked && !with.wire_marked);
    assert_eq!(settle(&with, "<1/>: a &lt; b").unwrap(), "{name}: a < b");
    let without = prepared("a < b", None);
    assert_eq!(settle(&without, "가 < 나 &lt;").unwrap(), "가 < 나 &lt;");
    assert_eq!(settle(&without, "  "), Err(Fault::Blank));
}

#[test]
fn a_text_of_tokens_only_needs_no_provider() {
    assert!(!prepared("https://x.test/abc", None).is_translatable());
    assert!(prepared("See https://x.test/abc", None).is_translatable());
}

#[test]
fn damaged_tags_are_repaired_and_others_are_faults() {
    let source = "Click <1>here</1> to download the <2>latest version</2>.";
    let check = |answer: &str, expected: Tags| {
        assert_eq!(read_tags(source, answer), expected, "{answer}");
    };
    check("<2>최신</2>, <1>여기</1>", Tags::Ok);
    check("＜1＞여기＜/1＞, <2>최신</2>", Tags::Repairable);
    check("&lt;1&gt;여기&lt;/1&gt;, <2>최신</2>", Tags::Repairable);
    check("< 1 >여기</ 1>, <2>최신< /2 >", Tags::Repairable);
    check("<1>a</1> <2>b</2> <img src=x>", Tags::ForeignHtml);
    check("<1>a <2>b</1> c</2>", Tags::Faulty(Fault::Crossed));
    check("<1></1>a <2>b</2>", Tags::Faulty(Fault::Empty(vec![1])));
    check("a b", Tags::Faulty(Fault::Lost(vec![1, 2])));
    check("<1>a <2>b</2>", Tags::Faulty(Fault::Unclosed(vec![1])));
    check("<1>a</1><1>b</1> <2>c</2>", Tags::Faulty(Fault::Repeated(vec![1])));
    check("<1/>a <2>b</2>", Tags::Faulty(Fault::Kind(vec![1])));
}

#[test]
fn a_word_is_not_torn_where_the_source_has_nothing_outside_its_tags() {
    let torn = |source: &str, answer: &str| {
        matches!(read_tags(source, answer), Tags::Faulty(Fault::Torn(_)))
    };
    let source = "<1>Chapter II</1><2>Part two</2>";
    assert!(torn("<1>Chapter I</1>", "<1>Kapit</1>el I"));
    assert!(torn(source, "<1>Kapitel II</1>Te<2>il zwei</2>"));
    for good in
        ["<1>Kapitel II</1> und <2>Teil zwei</2>", "<1>2장</1>과 <2>2부</2>", "<1>A</1><2>B</2>"]
    {
        assert!(!torn(source, good), "{good}");
    }
    assert!(!torn("the <1>house</1> door", "die <1>Haus</1>tür"), "words outside may join");
}

#[test]
fn unknown_tags_and_bare_brackets_become_text() {
    let prepared = prepared("<1>x</1> y", Some(1));
    let check = |answer: &str, expected: &str| {
        assert_eq!(settle(&prepared, answer).unwrap(), expected);
    };
    check("<1>a</1> <7>b</7>", "<1>a</1> &lt;7>b&lt;/7>");
    check("<1>a</1> <b>c</b> & d", "<1>a</1> &lt;b>c&lt;/b> &amp; d");
    check("<1>a</1> &gt; &amp;", "<1>a</1> > &amp;");
    check("<1>a</1> &amp;lt;", "<1>a</1> &amp;lt;");
}

#[test]
fn single_tags_are_mended_by_their_kind() {
    let prepared = prepared("a <1/> b <2></2>", Some(2));
    assert_eq!(settle(&prepared, "가 <1></1> 나 <2/>").unwrap(), "가 <1/> 나 <2></2>");
    assert_eq!(settle(&prepared, "가 <1 /> 나 <2></2>").unwrap(), "가 <1/> 나 <2></2>");
    assert_eq!(settle(&prepared, "가 <1> 나 <2></2>").unwrap(), "가 <1/> 나 <2></2>");
    assert!(settle(&prepared, "가 <1>나</1> <2></2>").is_err());
}

#[test]
fn a_literal_tag_in_the_text_is_not_taken_for_one() {
    let prepared = prepared("The &lt;1&gt; tag <1>x</1>", Some(1));
    assert_eq!(settle(&prepared, "&lt;1> 태그 <1>엑스</1>").unwrap(), "&lt;1> 태그 <1>엑스</1>");
}

#[test]
fn the_wire_form_is_checked_strictly() {
    let check = |text: &str, tags: Option<u32>, expected: bool| {
        assert_eq!(validate(text, tags), expected, "{text}");
    };
    check("a < b", None, true);
    check("a <1>b</1> <2/> &lt; &amp;lt;", Some(2), true);
    check("a", Some(0), true);
    check("a <2>b</2>", Some(2), false);
    check("<1>b</1>", Some(2), false);
    check("<1>b<2>c</1></2>", Some(2), false);
    check("a < b", Some(0), false);
    check("a & b", Some(0), false);
    check("a &gt; b", Some(0), false);
    check("<1>a</1><1>b</1>", Some(1), false);
    check("<01>a</01>", Some(1), false);
    check("&l&lt;t;", Some(0), false);
}

#[test]
fn pieces_go_back_between_the_tags() {
    let apart = pieces(" Click <1>here &amp; now</1>, <2/> 12 <3>ok</3>! ");
    assert_eq!(apart.texts, ["Click", "here & now", "ok"]);
    let joined = apart.join(&["A<", "B & C", "D"]).unwrap();
    assert_eq!(joined, " A&lt; <1>B &amp; C</1>, <2/> 12 <3>D</3>! ");
    assert_eq!(apart.join(&["A"]), None);
}

#[test]
fn words_of_a_script_with_spaces_do_not_run_together_where_the_source_had_none() {
    let check = |source: &str, words: &[&str], expected: &str| {
        assert_eq!(pieces(source).join(words).unwrap(), expected);
    };
    let english = ["For details", "the document", "see"];
    check("詳細は<1>文書</1>を参照", &english, "For details <1>the document</1> see");
    check("문서<1>에서</1><2>보라</2>", &english, "For details <1>the document</1> <2>see</2>");
    check("文書<1/>を参照<2/>", &["The document", "see"], "The document <1/> see<2/>");
    check("文書<1>を参照</1>", &["문서", "를 보라"], "문서<1>를 보라</1>");
    check(
        "詳細は、<1>文書</1>",
        &["For details,", "(the document)"],
        "For details, <1>(the document)</1>",
    );
    check("详细<1>见文</1>", &["詳細", "は文書"], "詳細<1>は文書</1>");
    check("un<1>likely</1>", &["un", "wahrscheinlich"], "un<1>wahrscheinlich</1>");

    let cuts = cut("一つです。二つです。三つ", false, 6);
    assert_eq!(
        cuts.join(&["It is one.", "“It is two”.", "Three"]).unwrap(),
        "It is one. “It is two”. Three"
    );
    assert_eq!(cuts.join(&["하나다.", "둘이다.", "셋"]).unwrap(), "하나다. 둘이다. 셋");
    assert_eq!(cuts.join(&["一是。", "二是。", "三"]).unwrap(), "一是。二是。三");
}

#[test]
fn the_text_between_tags_is_mapped_unescaped() {
    let upper = map_text("a &lt; <1>b</1>&amp;", true, str::to_uppercase);
    assert_eq!(upper, "A &lt; <1>B</1>&amp;");
    assert_eq!(map_text("a &lt;", false, str::to_uppercase), "A &LT;");
}

#[test]
fn long_texts_are_cut_where_a_reader_pauses() {
    let check = |text: &str, marked: bool, max: usize, expected: &[&str]| {
        let cuts = cut(text, marked, max);
        assert_eq!(cuts.parts, expected);
        assert_eq!(cuts.join(&cuts.parts).unwrap(), text);
    };
    check("One two. Three four. Five.", false, 20, &["One two. Three four.", "Five."]);
    check(
        "One two.  Three four five six seven",
        false,
        14,
        &["One two.", "Three four", "five six seven"],
    );
    check("하나다。둘이다。셋이다。", false, 8, &["하나다。둘이다。", "셋이다。"]);
    check("abcdef", false, 4, &["abcd", "ef"]);
    check("👨‍👩‍👧👨‍👩‍👧", false, 8, &["👨‍👩‍👧", "👨‍👩‍👧"]);
    check("👨‍👩‍👧", false, 2, &["👨‍👩‍👧"]);
    check("ab <1>c d. e f</1> gh", true, 4, &["ab", "<1>c d. e f</1>", "gh"]);
    check("a&amp;b", true, 3, &["a", "&amp;", "b"]);
    check("", false, 3, &[]);
    check("  ", false, 1, &[]);
}

#[test]
fn cutting_a_long_text_takes_linear_time() {
    let text = "word ".repeat(200_000);
    assert_eq!(cut(&text, false, 8000).parts.len(), 125);
    let tags: Vec<String> = (1..=20_000).map(|n| format!("<{n}>a</{n}> ")).collect();
    let tags = tags.concat();
    assert!(cut(&tags, true, 100).parts.len() > 1000);
}

#[test]
fn hostile_answers_are_read_in_linear_time() {
    let prepared = prepared("<1>a</1>", Some(1));
    for answer in ["<".repeat(1 << 20), "<1>".repeat(300_000), "&lt;".repeat(300_000)] {
        assert!(settle(&prepared, &answer).is_err());
    }
    let _ = prepare(&"@a_".repeat(100_000), None, &[]);
    let _ = prepare(&"www.".repeat(100_000), None, &[]);
    let _ = prepare(&"{".repeat(300_000), None, &[]);
    let _ = prepare(&"a.".repeat(100_000), None, &[]);
}

fn texts() -> impl proptest::strategy::Strategy<Value = String> {
    proptest::string::string_regex("[<>&;/0-9{}%@:a-c_ltgamp.() \\n가。-]{0,60}").unwrap()
}

proptest::proptest! {
    #[test]
    fn a_text_that_comes_back_as_it_was_sent_is_the_source(text in texts()) {
        let prepared = prepare(&text, None, &[]);
        proptest::prop_assert_eq!(prepared.source(), text.clone());
        if !text.trim().is_empty() {
            proptest::prop_assert_eq!(settle(&prepared, &prepared.text), Ok(text));
        }
    }

    #[test]
    fn marked_text_that_comes_back_as_it_was_sent_is_the_source(a in texts(), b in texts()) {
        let text = format!("{}<1>{}</1><2/>{}", escape(&a), escape(&b), escape(&a));
        proptest::prop_assert!(validate(&text, Some(2)));
        let prepared = prepare(&text, Some(2), &[]);
        proptest::prop_assert_eq!(settle(&prepared, &prepared.text), Ok(text));
    }

    #[test]
    fn what_is_settled_is_what_the_wire_allows(a in texts(), answer in texts()) {
        let prepared = prepare(&format!("<1>{}</1>", escape(&a)), Some(1), &[]);
        if let Ok(text) = settle(&prepared, &format!("<1>x{answer}</1>")) {
            proptest::prop_assert!(validate(&text, Some(1)), "{}", text);
        }
    }

    #[test]
    fn parts_and_gaps_give_back_the_text(text in texts(), marked: bool, max in 1_usize..20) {
        let text = if marked { format!("{}<1>{}</1>", escape(&text), escape(&text)) } else { text };
        let cuts = cut(&text, marked, max);
        proptest::prop_assert_eq!(cuts.join(&cuts.parts), Some(text.clone()));
        let apart = pieces(&text);
        if marked {
            let same: Vec<String> = apart.texts.clone();
            proptest::prop_assert_eq!(apart.join(&same), Some(text));
        }
    }
}
