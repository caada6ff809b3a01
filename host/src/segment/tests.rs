use proptest::prelude::*;

use super::*;

fn engine() -> Engine {
    Engine {
        kind: "openai".into(),
        host_port: "a:1".into(),
        model: "m".into(),
        prompt_revision: 1,
        style: String::new(),
    }
}

fn parts<'a>(
    normal: &'a str,
    engine: &'a Engine,
    terms: &'a [(String, String)],
    site: Option<&'a str>,
) -> KeyParts<'a> {
    KeyParts { normal, source: "en", target: "ko", engine, marked: false, terms, site }
}

#[test]
fn what_a_page_shows_alike_has_one_normal_form() {
    // Layout white space, no-break spaces, soft hyphens and NFD differ
    // between two loads of one page.
    for text in [
        "caf\u{e9} au lait",
        "cafe\u{301} au lait",
        "  caf\u{e9}\u{a0}au \t lait\r",
        "ca\u{ad}f\u{e9} au\u{ad} lait",
        "cafe\u{ad}\u{301} au lait",
        "\n\tcaf\u{e9} au lait\n\t",
    ] {
        assert_eq!(normal_form(text), "caf\u{e9} au lait", "{text:?}");
    }
}

#[test]
fn line_breaks_stay_and_spaces_around_them_go() {
    assert_eq!(normal_form("a \r\n\n  b c "), "a\n\nb c");
}

#[test]
fn a_combining_stroke_does_not_eat_a_tag() {
    assert_eq!(normal_form("<1>\u{338}a</1>"), "<1>\u{338}a</1>");
}

#[test]
fn utf16_units_are_counted_as_javascript_does() {
    assert_eq!(utf16_len("a😀한"), 4);
}

#[test]
fn each_part_of_a_key_makes_another_entry() {
    let engine = engine();
    let terms = [("a".to_owned(), "b".to_owned())];
    let base = parts("x", &engine, &[], None);
    let other = Engine { prompt_revision: 2, ..engine.clone() };
    let keys = [
        Key::of(&base),
        Key::of(&KeyParts { normal: "y", ..base }),
        Key::of(&KeyParts { source: "und", ..base }),
        Key::of(&KeyParts { target: "ja", ..base }),
        Key::of(&KeyParts { engine: &other, ..base }),
        Key::of(&KeyParts { marked: true, ..base }),
        Key::of(&KeyParts { terms: &terms, ..base }),
        Key::of(&KeyParts { site: Some("a.test"), ..base }),
        Key::of(&KeyParts { site: Some(""), ..base }),
    ];
    let distinct: std::collections::HashSet<_> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
}

#[test]
fn parts_do_not_run_together() {
    let engine = engine();
    let joined = [("ab".to_owned(), "c".to_owned())];
    let cut = [("a".to_owned(), "bc".to_owned())];
    assert_ne!(
        Key::of(&parts("x", &engine, &joined, None)),
        Key::of(&parts("x", &engine, &cut, None))
    );
    let one = Engine { model: "m|p1".into(), ..engine.clone() };
    let two = Engine { model: "m".into(), style: "p1|".into(), ..engine };
    assert_ne!(one.to_string(), two.to_string());
}

#[test]
fn the_order_of_terms_does_not_matter() {
    let engine = engine();
    let a = ("a".to_owned(), "1".to_owned());
    let b = ("b".to_owned(), "2".to_owned());
    assert_eq!(
        Key::of(&parts("x", &engine, &[a.clone(), b.clone()], None)),
        Key::of(&parts("x", &engine, &[b, a], None))
    );
}

#[test]
fn a_site_is_the_registrable_domain() {
    let domain = |name: &str| Site::Domain(name.to_owned());
    for (origin, expected) in [
        ("https://store.example.co.uk:8443", domain("example.co.uk")),
        ("https://alice.github.io", domain("alice.github.io")),
        ("https://github.io", domain("github.io")),
        ("http://localhost:8080", domain("localhost")),
        ("http://192.168.0.1:80/x", domain("192.168.0.1")),
        ("http://[::1]:80", domain("[::1]")),
        ("https://EXAMPLE.com.", domain("example.com")),
        ("blob:https://a.example.com/uuid", domain("example.com")),
        ("file:///home/x/page.html", Site::Folder("/home/x".to_owned())),
        ("file:///page.html", Site::Folder("/".to_owned())),
        ("cli", Site::Cli),
        ("http://cli", domain("cli")),
        ("null", Site::Opaque),
        ("", Site::Opaque),
        ("data:text/html,x", Site::Opaque),
        ("about:blank", Site::Opaque),
    ] {
        assert_eq!(site(origin), expected, "{origin}");
    }
    assert_ne!(site("cli").name(), site("http://cli").name());
}

proptest! {
    #[test]
    fn the_normal_form_of_a_normal_form_is_itself(text in "\\PC{0,40}|[ \\n\\t<>\u{338}\u{ad}\u{a0}ae\u{301}]{0,20}") {
        let once = normal_form(&text);
        prop_assert_eq!(normal_form(&once), once);
    }

    #[test]
    fn a_text_that_needs_no_composing_is_what_composing_makes_of_it(
        text in "\\PC{0,40}|[ \\n\\r<>\u{338}\u{ad}\u{a0}ae\u{301}\u{327}\u{e9}\u{1100}\u{1161}가]{0,20}",
    ) {
        prop_assert_eq!(normal_form(&text), collapsed(composed(&text)));
    }
}

#[test]
fn only_the_canonical_form_is_an_engine() {
    assert_eq!("import|||p0|".parse::<Engine>().unwrap().kind, "import");
    for text in [
        "",
        "engine",
        "a|b|c|1|",
        "a|b|c|p1",
        "a|b|c|p1||",
        "a|b|c|p01|",
        "a|b|c|p+1|",
        "a\\b|b|c|p1|",
        "a|b|c|p1|\\",
        "a|b|c|p99999999999|",
    ] {
        assert_eq!(text.parse::<Engine>(), Err(NoEngine), "{text}");
    }
}

proptest! {
    #[test]
    fn an_engine_is_read_from_its_canonical_form(
        texts in proptest::array::uniform4("[a|\\\\:p1 ]{0,6}"),
        prompt_revision: u32,
    ) {
        let [kind, host_port, model, style] = texts;
        let engine = Engine { kind, host_port, model, prompt_revision, style };
        prop_assert_eq!(engine.to_string().parse::<Engine>().unwrap(), engine);
    }
}
