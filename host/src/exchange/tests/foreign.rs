//! Memories that other programs wrote.

use super::*;

fn tmx(header: &str, units: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n\
         <header creationtool=\"OmegaT\" o-tmf=\"OmegaT TMX\" adminlang=\"EN-US\" {header} \
         segtype=\"sentence\" datatype=\"plaintext\"/>\n<body>\n{units}</body></tmx>"
    )
}

fn pairs(records: &[Record]) -> Vec<(&str, &str, &str, &str)> {
    records
        .iter()
        .map(|r| {
            (
                r.source_language.as_str(),
                r.target_language.as_str(),
                r.source.as_str(),
                r.translation.as_str(),
            )
        })
        .collect()
}

#[test]
fn each_translation_of_a_unit_is_an_entry_of_the_engine_import() {
    let text = tmx(
        "srclang=\"EN-US\"",
        "<!-- a comment --><tu><note>no text</note><prop type=\"project\">x</prop>\n\
         <tuv lang=\"ko\" changedate=\"20240101T120000Z\" creationdate=\"20230101T120000Z\">\
         <seg>불러오기</seg></tuv>\n\
         <tuv xml:lang=\"en-us\"><seg> Load\n   order &amp; <![CDATA[<b>]]></seg></tuv>\n\
         <tuv xml:lang=\"DE\"><note>n</note><seg>Reihenfolge</seg></tuv></tu>\n",
    );
    let (records, told) = taken(text.as_bytes());
    assert_eq!(told, Vec::<String>::new());
    let source = "Load\norder & <b>";
    assert_eq!(
        pairs(&records),
        [("en-US", "ko", source, "불러오기"), ("en-US", "de", source, "Reihenfolge")]
    );
    assert!(records.iter().all(|record| record.engine == import_engine().to_string()));
    assert!(records.iter().all(|record| record.check().is_ok() && record.site.is_none()));
    assert_eq!(date_of(records[0].created_day).unwrap().to_string(), "2024-01-01");
    assert_eq!(records[1].created_day, TODAY);
}

#[test]
fn the_codes_of_others_become_numbered_tags() {
    let check = |source: &str, target: &str, expected: Option<(&str, &str)>| {
        let unit = format!(
            "<tu><tuv xml:lang=\"en\"><seg>{source}</seg></tuv>\
             <tuv xml:lang=\"ko\"><seg>{target}</seg></tuv></tu>"
        );
        let (records, told) = taken(tmx("srclang=\"en\"", &unit).as_bytes());
        let found = records.first().map(|r| (r.source.as_str(), r.translation.as_str()));
        assert_eq!(found, expected, "{source}: {told:?}");
        assert_eq!(told.len(), usize::from(expected.is_none()));
        assert!(told.iter().all(|told| told.contains("tag")), "{told:?}");
    };
    check(
        "a &lt; <bpt i=\"7\">{\\b <sub>x</sub></bpt>b<ept i=\"7\">}</ept><ph><br/></ph>",
        "<ph>br</ph><bpt i=\"7\"/>가<ept i=\"7\"/>",
        Some(("a &lt; <1>b</1><2/>", "<2/><1>가</1>")),
    );
    check(
        "<bpt i=\"1\" x=\"5\"/>a<ept i=\"1\"/> <it pos=\"begin\" x=\"6\"/>",
        "<it pos=\"begin\" x=\"6\"/><bpt i=\"9\" x=\"5\"/>가<ept i=\"9\"/>",
        Some(("<1>a</1> <2/>", "<2/><1>가</1>")),
    );
    check(
        "<hi>a</hi> <hi>b</hi>",
        "<hi>가</hi> <hi>나</hi>",
        Some(("<1>a</1> <2>b</2>", "<1>가</1> <2>나</2>")),
    );
    check("a<ph/>", "가", None);
    check("a", "가<ph/>", None);
    check("<bpt i=\"1\"/>a", "<bpt i=\"1\"/>가", None);
    check("a<ept i=\"1\"/>", "가<ept i=\"1\"/>", None);
    check("<bpt>a</bpt>", "<bpt>a</bpt>", None);
}

#[test]
fn without_a_source_language_the_first_text_is_the_source() {
    let unit = |language: &str| {
        format!(
            "<tu {language}><tuv xml:lang=\"ja\"><seg>一</seg></tuv>\
             <tuv xml:lang=\"en-GB\"><seg>one</seg></tuv></tu>"
        )
    };
    let source = |header: &str, own: &str| {
        let (records, told) = taken(tmx(header, &unit(own)).as_bytes());
        records.first().map(|record| record.source.clone()).ok_or(told.join(" "))
    };
    assert_eq!(source("srclang=\"*all*\"", "").unwrap(), "一");
    assert_eq!(source("", "").unwrap(), "一");
    assert_eq!(source("srclang=\"ja\"", "srclang=\"en\"").unwrap(), "one");
    assert_eq!(source("srclang=\"en-US\"", "").unwrap(), "one");
    assert!(source("srclang=\"fr\"", "").unwrap_err().contains("no text in its source language"));
    let alone = "<tu><tuv xml:lang=\"en\"><seg>one</seg></tuv></tu>";
    assert!(taken(tmx("", alone).as_bytes()).1[0].contains("no translation"));
    let odd =
        "<tu><tuv xml:lang=\"en\"><seg>one</seg></tuv><tuv xml:lang=\"?\"><seg>x</seg></tuv></tu>";
    assert!(taken(tmx("", odd).as_bytes()).1[0].contains("a language of it is none"));
}

#[test]
fn utf_16_is_read() {
    let unit = "<tu><tuv xml:lang=\"en\"><seg>one</seg></tuv><tuv xml:lang=\"ko\"><seg>하나</seg></tuv></tu>";
    let text = tmx("", unit).replace("?>", " encoding=\"UTF-16\"?>");
    let bytes: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(pairs(&taken(&bytes).0), [("en", "ko", "one", "하나")]);
}
