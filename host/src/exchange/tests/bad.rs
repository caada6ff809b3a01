//! Files in which something is wrong.

use super::*;

fn line(change: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>)) -> String {
    let bytes = written(&[record("<1>a</1>", "<1>가</1>", true)], Format::JsonLines);
    let mut object = serde_json::from_slice(&bytes).unwrap();
    change(&mut object);
    serde_json::to_string(&object).unwrap()
}

fn with(name: &str, value: serde_json::Value) -> String {
    line(|object| drop(object.insert(name.to_owned(), value)))
}

fn without(name: &str) -> String {
    line(|object| drop(object.remove(name)))
}

#[test]
fn each_bad_line_is_told_with_its_number_and_the_good_ones_are_taken() {
    let bad = [
        ("{".to_owned(), "no JSON"),
        ("\"text\"".to_owned(), "no JSON object"),
        ("{\"source\":\"\\ud800\"}".to_owned(), "no JSON"),
        (without("source"), "`source` is missing"),
        (with("translation", 1.into()), "`translation` is no text"),
        (with("translation", "<1>".into()), "tags"),
        (with("translation", " ".into()), "translation is empty"),
        (with("source", "<1>b</1>".into()), "key does not fit"),
        (with("site", "other.com".into()), "key does not fit"),
        (without("site"), "key does not fit"),
        (with("engine", "openai|api.example:443|m|p2|".into()), "key does not fit"),
        (with("engine", "openai".into()), "key does not fit"),
        (with("marked", false.into()), "key does not fit"),
        (with("marked", "yes".into()), "neither true nor false"),
        (with("key", "00".into()), "not 32 hexadecimal digits"),
        (with("key", "0123456789abcdef0123456789abcdeg".into()), "not 32 hexadecimal digits"),
        (with("created", "yesterday".into()), "`created` is no date"),
        (with("created", "1969-12-31".into()), "days are out of bounds"),
        (without("engine"), "a key but no engine"),
        ("x".repeat(MAX_ENTRY_BYTES + 1), "longer than"),
    ];
    let mut text = String::from("\n");
    for (line, _) in &bad {
        text += &[line.as_str(), "\n", &without("none"), "\n"].concat();
    }
    let (records, told) = taken(text.as_bytes());
    assert_eq!(told.len(), bad.len(), "{told:?}");
    assert_eq!(records, vec![record("<1>a</1>", "<1>가</1>", true); bad.len()]);
    for (place, ((line, expected), told)) in bad.iter().zip(&told).enumerate() {
        assert!(told.contains(expected), "{line:.100} was told as {told}");
        assert!(told.starts_with(&format!("{}: ", 2 * place + 2)), "{told}");
    }
}

#[test]
fn a_line_that_is_not_utf_8_is_told() {
    let mut bytes = written(&[record("a", "b", false)], Format::JsonLines);
    let at = bytes.iter().position(|byte| *byte == b'b').unwrap();
    let good = bytes.clone();
    bytes[at] = 0xff;
    bytes.extend(good);
    let (records, told) = taken(&bytes);
    assert_eq!((records.len(), told), (1, vec!["1: it is not UTF-8".to_owned()]));
}

#[test]
fn a_key_with_terms_is_believed_only_where_that_is_said() {
    let terms = [("a".to_owned(), "b".to_owned())];
    let with_terms = keyed(record("<1>a</1>", "<1>가</1>", true), true, &terms);
    let text =
        String::from_utf8(written(std::slice::from_ref(&with_terms), Format::JsonLines)).unwrap();
    assert!(text.contains("\"terms\":true"), "{text}");
    assert_eq!(taken(text.as_bytes()).0, [with_terms]);
    let silent = text.replace("\"terms\":true,", "");
    assert!(taken(silent.as_bytes()).1[0].contains("key does not fit"));
    let torn = text.replace("가</1>", "가");
    assert!(taken(torn.as_bytes()).1[0].contains("tags"));
}

#[test]
fn what_has_no_key_gets_one_and_a_day_to_come_is_today() {
    let text = "{\"source\":\" a \\t b\",\"translation\":\" 가\\n\",\"source_language\":\"en\",\
                \"target_language\":\"ko\",\"created\":\"9999-01-01\"}";
    let (records, told) = taken(text.as_bytes());
    assert_eq!(told, Vec::<String>::new());
    assert_eq!((records[0].source.as_str(), records[0].translation.as_str()), ("a b", "가"));
    assert_eq!(records[0].engine, "import|||p0|");
    assert_eq!((records[0].created_day, records[0].used_day), (TODAY, TODAY));
    assert_eq!(records[0].check(), Ok(Form { marked: false, terms: false }));
    let known = text.replace("\"source\"", "\"engine\":\"openai|h:1|m|p1|\",\"source\"");
    assert_eq!(taken(known.as_bytes()).0[0].engine, "openai|h:1|m|p1|");
    let unknown = text.replace("\"source\"", "\"engine\":\"openai\",\"source\"");
    assert!(taken(unknown.as_bytes()).1[0].contains("kind|host:port|model|p1|style"));
    let long = text.replace(" a ", &"long ".repeat(2000));
    assert!(taken(long.as_bytes()).1[0].contains("longer than 8000"));
}

fn units() -> Vec<String> {
    let texts = ["a", "b", "c"];
    let records: Vec<_> = texts.iter().map(|text| record(text, "가", false)).collect();
    let text = String::from_utf8(written(&records, Format::Tmx)).unwrap();
    text.split_inclusive("</tu>\n").map(str::to_owned).collect()
}

#[test]
fn a_bad_unit_costs_itself_alone() {
    let units = units();
    let first = 5;
    let good = format!("{}{}", units[1], units[2..].concat());
    for (from, to, expected) in [
        ("</seg></tuv>\n</tu>", "</tuv>\n</tu>", "do not fit into each other"),
        ("</tu>\n", "", "does not end"),
        ("</tuv>\n</tu>\n", "<x></tuv>\n</tu>\n", "do not fit into each other"),
        ("<seg>a", "<seg>a & b", "not well-formed"),
        ("<seg>a", "<seg>a&b;", "not one of XML's own"),
        ("<seg>a", "<seg>a&#0;", "a character that there is not"),
        ("<seg>a", "<seg>a<b>b</b>", "an element in its text that TMX does not have"),
        ("<seg>a", "<seg>a<ph/>", "has tags and is not marked"),
        ("<seg>a", "<seg>z", "key does not fit"),
        ("<seg>가", "<seg>", "translation is empty"),
        ("<tuv xml:lang=\"ko\">", "<tuv>", "has no language"),
        ("<tuv xml:lang=\"ko\"><seg>가</seg></tuv>", "", "not exactly two languages"),
        ("<seg>가</seg>", "<seg>가</seg><seg>가</seg>", "two texts"),
        ("xml:lang=\"ko\"", "xml:lang=\"ko", "no XML"),
        ("x-webtranslator-key\">", "x-webtranslator-key\">0", "its key is not a key"),
        ("x-webtranslator-engine\">", "x-webtranslator-engine\">%", "cannot be read"),
    ] {
        assert!(units[0].contains(from), "{from}");
        let text = format!("{}{good}", units[0].replacen(from, to, 1));
        let (records, told) = taken(text.as_bytes());
        assert!(told[0].contains(expected), "{to} was told as {told:?}");
        if expected == "no XML" {
            continue;
        }
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(&format!("{first}: ")), "{told:?}");
        let texts: Vec<_> = records.iter().map(|record| record.source.as_str()).collect();
        assert_eq!(texts, ["b", "c"], "{to}");
    }
}

#[test]
fn bytes_that_are_no_text_cost_their_unit() {
    let text = units().concat();
    let at = text.find("<seg>b").unwrap();
    let mut bytes = text.into_bytes();
    bytes[at + 5] = 0xff;
    let (records, told) = taken(&bytes);
    assert_eq!((records.len(), told.len()), (2, 1));
    assert!(told[0].ends_with("it is not UTF-8"), "{told:?}");
}

#[test]
fn a_file_that_is_cut_or_something_else_is_told() {
    let text = units().concat();
    let cut = &text[..text.find("<seg>c").unwrap()];
    let (records, told) = taken(cut.as_bytes());
    assert_eq!(records.len(), 2);
    assert!(told[0].contains("does not end") && told[1].contains("ends before its </tmx>"));
    assert!(taken(b"<html></html>").1[0].contains("XML, but not TMX"));
    let latin = text.replace("UTF-8", "ISO-8859-1");
    assert!(taken(latin.as_bytes()).1[0].contains("neither in UTF-8 nor in UTF-16"));
    assert_eq!(taken(b" \n"), (vec![], vec![]));
}

#[test]
fn what_is_too_long_is_not_kept_in_memory() {
    let units = units();
    let many = units[0].replacen("<seg>a", &format!("<seg>{}", "a&amp;".repeat(300_000)), 1);
    let (records, told) = taken(format!("{many}{}", units[1..].concat()).as_bytes());
    assert_eq!((records.len(), told.len()), (2, 1), "{told:?}");
    assert!(told[0].contains("longer than 1048576 bytes"), "{told:?}");
    let one = units[0].replacen("<seg>a", &format!("<seg>{}", "a".repeat(3_000_000)), 1);
    let (records, told) = taken(format!("{one}{}", units[1..].concat()).as_bytes());
    assert_eq!(records, []);
    assert!(told[0].contains("no XML from here on"), "{told:?}");
    let open = format!("<tmx>{}", "<a>".repeat(MAX_ENTRY_BYTES / 8));
    assert!(taken(open.as_bytes()).1[0].contains("too many elements"));
}

#[test]
fn an_entity_that_would_grow_is_not_looked_at() {
    let units = units();
    let bomb = "<!DOCTYPE tmx [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<tmx";
    let text = units.concat().replacen("<tmx", bomb, 1).replacen("<seg>a", "<seg>&b;", 1);
    let (records, told) = taken(text.as_bytes());
    assert_eq!((records.len(), told.len()), (2, 1), "{told:?}");
}
