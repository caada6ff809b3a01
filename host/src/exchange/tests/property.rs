use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::markup::escape;

/// Any text, with the characters that formats stumble over in plenty.
fn text() -> impl Strategy<Value = String> {
    let odd = proptest::sample::select(vec![
        '\0',
        '\u{1}',
        '\t',
        '\n',
        '\r',
        '\u{b}',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{2028}',
        '\u{feff}',
        '\u{fffd}',
        '\u{fffe}',
        '\u{ffff}',
        '\u{1f600}',
        '<',
        '>',
        '&',
        ';',
        '"',
        '\'',
        '%',
        '{',
        '}',
        '|',
        '\\',
        '/',
        '1',
        ' ',
        ']',
    ]);
    let c = prop_oneof![3 => odd, 2 => any::<char>(), 1 => proptest::char::range('a', 'z')];
    vec(c, 0..12).prop_map(String::from_iter)
}

/// Texts of which neither is blank; with tags, their tags are the same in
/// another order.
fn sides() -> impl Strategy<Value = (String, String, bool)> {
    let plain = (text(), text()).prop_map(|(a, b)| (format!("a{a}"), format!("{b}b"), false));
    let marked = vec((text(), text(), any::<bool>()), 1..5).prop_map(|pieces| {
        let (mut source, mut translation) = ("a".to_owned(), String::new());
        for (n, (a, b, pair)) in (3..).zip(&pieces) {
            let (a, b) = (escape(a), escape(b));
            if *pair {
                source = format!("{source}<{n}>{a}</{n}>");
                translation = format!("{b}<{n}>{b}{translation}</{n}>");
            } else {
                source = format!("{source}{a}<{n}/>");
                translation = format!("<{n}/>{b}{translation}");
            }
        }
        (source, translation + "b", true)
    });
    prop_oneof![plain, marked]
}

fn records() -> impl Strategy<Value = Record> {
    let engine = (text(), text(), any::<u32>()).prop_map(|(model, style, prompt_revision)| {
        let (kind, host_port) = ("openai".to_owned(), "h:1".to_owned());
        Engine { kind, host_port, model, prompt_revision, style }.to_string()
    });
    let language = proptest::sample::select(vec!["und", "en", "pt-BR", "zh-Hant"]);
    let days = (0..=TODAY, 0..=TODAY);
    (sides(), engine, option::of(text()), language, days, any::<bool>()).prop_map(
        |((source, translation, marked), engine, site, language, days, has_terms)| {
            let record = Record {
                key: Key([0; 16]),
                source,
                translation,
                source_language: language.to_owned(),
                target_language: "ko".to_owned(),
                engine,
                site,
                created_day: days.0,
                used_day: days.1,
            };
            let terms = [("a".to_owned(), "b".to_owned())];
            keyed(record, marked, if has_terms { &terms } else { &[] })
        },
    )
}

/// Takes pieces out of a file, doubles them, and puts bytes in their place.
fn spoilt(mut bytes: Vec<u8>, changes: &[(usize, usize, Vec<u8>)]) -> Vec<u8> {
    for (at, count, instead) in changes {
        let at = at % (bytes.len() + 1);
        let end = (at + count % 40).min(bytes.len());
        bytes.splice(at..end, instead.iter().copied());
    }
    bytes
}

proptest! {
    #[test]
    fn what_was_written_is_read_as_the_same(records in vec(records(), 0..4)) {
        for format in [Format::JsonLines, Format::Tmx] {
            let bytes = written(&records, format);
            let (again, told) = taken(&bytes);
            prop_assert_eq!(&told, &Vec::<String>::new());
            prop_assert_eq!(&again, &records);
            prop_assert_eq!(written(&again, format), bytes);
        }
    }

    #[test]
    fn a_spoilt_file_is_told_and_nothing_worse(
        records in vec(records(), 1..4),
        changes in vec((any::<usize>(), any::<usize>(), vec(any::<u8>(), 0..6)), 1..6),
    ) {
        for format in [Format::JsonLines, Format::Tmx] {
            let bytes = spoilt(written(&records, format), &changes);
            for record in taken(&bytes).0 {
                prop_assert!(record.check().is_ok());
            }
        }
    }

    #[test]
    fn pieces_of_xml_in_any_order_are_told_and_nothing_worse(
        pieces in vec(proptest::sample::select(vec![
            "<tmx>", "</tmx>", "<tu>", "</tu>", "<tu", "<tuv xml:lang=\"en\">", "<tuv>", "</tuv>",
            "<seg>", "</seg>", "<seg/>", "<bpt i=\"1\">", "<bpt>", "</bpt>", "<ept i='1'/>", "<ph/>",
            "<hi>", "</hi>", "<sub>", "<prop type=\"x-webtranslator-engine\">", "</prop>", "&lt;",
            "&#0;", "&#xffffff;", "&x;", "&", "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE [", "]>",
            "<?xml", "?>", "<?x?>", "text", "\n", "<", ">", "\"", "\u{1}", "<x a=1>", "<!-->", "<!>",
        ]), 0..40),
    ) {
        taken(format!("<tmx>{}", pieces.concat()).as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        taken(&bytes);
        taken(&[b"<".as_slice(), &bytes].concat());
        taken(&[b"\xff\xfe".as_slice(), &bytes].concat());
    }
}
