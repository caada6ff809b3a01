use super::*;

mod bad;
mod foreign;
mod property;

/// Some day, and a later one that is today.
const DAY: i64 = 20_000;
const TODAY: i64 = 20_100;

const ENGINE: &str = "openai|api.example:443|m|p1|";

fn record(source: &str, translation: &str, marked: bool) -> Record {
    let record = Record {
        key: Key([0; 16]),
        source: source.to_owned(),
        translation: translation.to_owned(),
        source_language: "en".to_owned(),
        target_language: "ko".to_owned(),
        engine: ENGINE.to_owned(),
        site: Some("example.com".to_owned()),
        created_day: DAY,
        used_day: DAY + 1,
    };
    keyed(record, marked, &[])
}

fn keyed(record: Record, marked: bool, terms: &[(String, String)]) -> Record {
    let key = Key::of(&KeyParts {
        normal: &record.source,
        source: &record.source_language,
        target: &record.target_language,
        engine: &record.engine.parse().unwrap(),
        marked,
        terms,
        site: record.site.as_deref(),
    });
    Record { key, ..record }
}

fn written(records: &[Record], format: Format) -> Vec<u8> {
    let mut export = Export::new(Vec::new(), format, None).unwrap();
    for record in records {
        export.write(record, record.check().unwrap()).unwrap();
    }
    export.finish().unwrap()
}

/// Returns the records of a file and what is told about it, with its line.
fn taken(bytes: &[u8]) -> (Vec<Record>, Vec<String>) {
    let (mut records, mut told) = (Vec::new(), Vec::new());
    let (_, drafts) = read(bytes).unwrap();
    for one in drafts {
        let Ok(Told { line, what }) = one.map_err(|reason| told.push(reason)) else { continue };
        match what.and_then(|draft| draft.record(TODAY).map_err(|refused| refused.to_string())) {
            Ok(record) => records.push(record),
            Err(reason) => told.push(format!("{line}: {reason}")),
        }
    }
    (records, told)
}

#[test]
fn a_record_is_one_line_of_json() {
    let line = String::from_utf8(written(&[record("a\u{1}", "가", false)], Format::JsonLines));
    let key = record("a\u{1}", "가", false).key;
    assert_eq!(
        line.unwrap(),
        format!(
            "{{\"key\":\"{key:?}\",\"marked\":false,\"source\":\"a\\u0001\",\
             \"translation\":\"가\",\"source_language\":\"en\",\"target_language\":\"ko\",\
             \"engine\":\"{ENGINE}\",\"site\":\"example.com\",\"created\":\"2024-10-04\",\
             \"used\":\"2024-10-05\"}}\n"
        )
    );
}

#[test]
fn a_record_is_a_unit_of_tmx_whose_tags_others_can_read() {
    let marked = record("a <1>b &lt; c</1><2/>\u{1}", "<2/><1>가</1>", true);
    let text = String::from_utf8(written(std::slice::from_ref(&marked), Format::Tmx)).unwrap();
    let expected = format!(
        "<tu srclang=\"en\" creationdate=\"20241004T000000Z\" lastusagedate=\"20241005T000000Z\">\n\
         <prop type=\"x-webtranslator-key\">{:?}</prop>\n\
         <prop type=\"x-webtranslator-engine\">{ENGINE}</prop>\n\
         <prop type=\"x-webtranslator-site\">example.com</prop>\n\
         <prop type=\"x-webtranslator-marked\">yes</prop>\n\
         <tuv xml:lang=\"en\"><seg>a <bpt i=\"1\" x=\"1\">&lt;1&gt;</bpt>b &lt; c\
         <ept i=\"1\">&lt;/1&gt;</ept><ph x=\"2\">&lt;2/&gt;</ph>\
         <ph type=\"x-webtranslator-character\">1</ph></seg></tuv>\n\
         <tuv xml:lang=\"ko\"><seg><ph x=\"2\">&lt;2/&gt;</ph>\
         <bpt i=\"1\" x=\"1\">&lt;1&gt;</bpt>가<ept i=\"1\">&lt;/1&gt;</ept></seg></tuv>\n\
         </tu>\n",
        marked.key
    );
    assert!(text.contains(&expected), "{text}");
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n")
    );
    assert!(text.ends_with("</body>\n</tmx>\n"), "{text}");
    assert_eq!(taken(text.as_bytes()), (vec![marked], vec![]));
}

#[test]
fn a_detected_language_is_named_for_others_and_kept_for_us() {
    let und = Record { source_language: "und".to_owned(), ..record("a", "가", false) };
    let und = keyed(und, false, &[]);
    let mut export = Export::new(Vec::new(), Format::Tmx, Some("en".to_owned())).unwrap();
    export.write(&und, und.form()).unwrap();
    let bytes = export.finish().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("<tuv xml:lang=\"en\">") && text.contains("srclang=\"en\""), "{text}");
    assert_eq!(taken(&bytes), (vec![und], vec![]));
}

#[test]
fn what_may_not_serve_is_told() {
    let good = record("<1>a</1>", "<1>가</1>", true);
    let check = |record: Record, expected: Fault| assert_eq!(record.check(), Err(expected));
    assert!(good.check().is_ok());
    check(Record { translation: " \n".into(), ..good.clone() }, Fault::Translation);
    check(Record { source: String::new(), ..good.clone() }, Fault::Source);
    check(Record { target_language: String::new(), ..good.clone() }, Fault::Language);
    check(Record { used_day: i64::MAX, ..good.clone() }, Fault::Day);
    check(Record { created_day: -1, ..good.clone() }, Fault::Day);
    for translation in ["가", "<1>가", "<1>가</1><2/>", "<1/>가", "<1>가 & 나</1>"] {
        check(Record { translation: translation.into(), ..good.clone() }, Fault::Tags);
    }
}

#[test]
fn a_key_says_whether_the_text_is_marked_and_has_terms() {
    let form = |record: &Record| (record.form().marked, record.form().terms);
    assert_eq!(form(&record("<1>a</1>", "b", false)), (false, false));
    assert_eq!(form(&record("a", "b", true)), (true, false));
    let terms = [("a".to_owned(), "b".to_owned())];
    let with_terms = |record: Record| keyed(record, true, &terms);
    assert_eq!(form(&with_terms(record("<1>a</1>", "<1>b</1>", true))), (true, true));
    assert_eq!(form(&with_terms(record("a", "b", true))), (false, true), "it looks plain");
    assert_eq!(form(&Record { engine: "?".into(), ..record("a", "b", true) }), (false, true));
}
