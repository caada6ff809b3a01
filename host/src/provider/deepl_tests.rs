use serde_json::{Value, json};

use super::*;
use crate::provider::{Answer, HeaderValue, Key, Text, make};
use crate::verdict::{Class, Feature};

fn config(key: &str) -> Config {
    Config { kind: "deepl".to_owned(), key: Some(Key(key.to_owned())), ..Config::default() }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "ko".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn sent(config: &Config, ask: &Ask) -> Value {
    serde_json::from_slice(&make(config).unwrap().build(ask).unwrap().body).unwrap()
}

fn read(ask: &Ask, body: &Value) -> Reading {
    let answer = Answer { status: 200, body: body.to_string().into_bytes(), ..Answer::default() };
    make(&config("k")).unwrap().parse(ask, &Response::Answer(answer))
}

#[test]
fn a_key_of_the_free_api_goes_to_its_own_host() {
    let url = |key: &str, base: &str| {
        let config = Config { base_url: base.to_owned(), ..config(key) };
        make(&config).unwrap().build(&ask(&[("x", false)])).unwrap().url
    };
    assert_eq!(url("k", ""), "https://api.deepl.com/v2/translate");
    assert_eq!(url("k:fx", ""), "https://api-free.deepl.com/v2/translate");
    assert_eq!(url(" k:fx ", "https://api.deepl.com/"), "https://api-free.deepl.com/v2/translate");
    assert_eq!(url("k:fx", "https://relay.test/v2/translate"), "https://relay.test/v2/translate");
}

#[test]
fn the_key_goes_into_a_secret_header_only() {
    let request = make(&config(" k ")).unwrap().build(&ask(&[("x", false)])).unwrap();
    let secret = HeaderValue::Secret("DeepL-Auth-Key k".to_owned());
    assert!(request.headers.contains(&("authorization", secret)));
    let keyless = Config { key: None, ..config("") };
    let refused = make(&keyless).unwrap().build(&ask(&[("x", false)]));
    assert_eq!(refused.unwrap_err(), Failure::Unauthorized);
}

#[test]
fn plain_texts_travel_as_they_are_and_marked_ones_as_xml() {
    let plain = sent(&config("k"), &ask(&[("a < b & c", false)]));
    assert_eq!(plain["text"], json!(["a < b & c"]));
    assert_eq!((&plain["target_lang"], plain.get("source_lang")), (&json!("KO"), None));
    assert_eq!(plain.get("tag_handling"), None);
    let both = sent(&config("k"), &ask(&[("a < b", false), ("<1>c</1> &amp; <2/>", true)]));
    let expected = json!(["a &lt; b", "<x id=\"1\">c</x> &amp; <x id=\"2\"/>"]);
    assert_eq!(both["text"], expected);
    assert_eq!(
        (&both["tag_handling"], &both["tag_handling_version"]),
        (&json!("xml"), &json!("v2"))
    );
}

#[test]
fn style_and_title_are_told() {
    let styled = |style: Style| sent(&Config { style, ..config("k") }, &ask(&[("x", false)]));
    assert_eq!(styled(Style::Formal)["formality"], "prefer_more");
    assert_eq!(styled(Style::Casual)["formality"], "prefer_less");
    assert_eq!(styled(Style::Own("x".to_owned())).get("formality"), None);
    let titled = Ask { title: Some("é".repeat(400)), ..ask(&[("x", false)]) };
    assert_eq!(sent(&config("k"), &titled)["context"], "é".repeat(300));
    assert!(make(&config("k")).unwrap().has_style());
}

#[test]
fn without_markup_a_text_goes_in_pieces_and_comes_back_whole() {
    let dropped = Ask {
        dropped: [Feature::Markup].into(),
        ..ask(&[("Click <1>here</1> &amp; <2/> now", true), ("a < b", false), ("<1/> 5", true)])
    };
    let body = sent(&config("k"), &dropped);
    assert_eq!(body["text"], json!(["Click", "here", "now", "a < b"]));
    assert_eq!(body.get("tag_handling"), None);
    let answer = |texts: &[&str]| {
        let list: Vec<Value> = texts.iter().map(|text| json!({"text": text})).collect();
        read(&dropped, &json!({"translations": list}))
    };
    let reading = answer(&["KLICK <", "HIER", "JETZT", "A < B"]);
    assert_eq!((reading.class, reading.items.len()), (Class::Ok, 3));
    assert_eq!(reading.items[&0], "KLICK &lt; <1>HIER</1> &amp; <2/> JETZT");
    assert_eq!((&*reading.items[&1], &*reading.items[&2]), ("A < B", "<1/> 5"));
    let partial = answer(&["KLICK", "", "JETZT", "A < B"]);
    assert_eq!((partial.class, partial.items.contains_key(&0)), (Class::Partial, false));
    assert_eq!(answer(&["KLICK", "HIER", "JETZT"]).reason, "wrong_count");
}

#[test]
fn what_the_service_does_not_take_is_not_sent() {
    let build = |texts: &[(&str, bool)]| make(&config("k")).unwrap().build(&ask(texts));
    assert!(build(&[("x", false); 50]).is_ok());
    assert_eq!(build(&[("x", false); 51]).unwrap_err(), Failure::TooLong);
    let long = "\u{1f600}".repeat(33_000);
    assert_eq!(build(&[(&long, false)]).unwrap_err(), Failure::TooLong);
    assert!(build(&[(&"\u{1f600}".repeat(30_000), false)]).is_ok());
    let same = Ask { source: Some("ko".to_owned()), ..ask(&[("x", false)]) };
    assert_eq!(make(&config("k")).unwrap().build(&same).unwrap_err(), Failure::UnsupportedPair);
}

#[test]
fn what_was_billed_is_summed() {
    let texts = ask(&[("a", false), ("b", false)]);
    let billed = json!({"translations": [
        {"text": "A", "billed_characters": 5}, {"text": "B", "billed_characters": 7}]});
    assert_eq!(read(&texts, &billed).usage.characters, Some(12));
    let silent = json!({"translations": [{"text": "A"}, {"text": "B"}]});
    assert_eq!(read(&texts, &silent).usage.characters, None);
}

#[test]
fn another_shape_is_no_answer() {
    let texts = ask(&[("a", false)]);
    for body in [json!({"translations": "A"}), json!({}), json!("A"), json!(null), json!([])] {
        let reading = read(&texts, &body);
        assert_eq!((reading.class, reading.items.len()), (Class::Malformed, 0), "{body}");
    }
    assert_eq!(read(&texts, &json!({"translations": [{"text": " "}]})).class, Class::Empty);
    let error = json!({"error": {"code": 429, "message": "Too many requests"}});
    assert_eq!(read(&texts, &error).class, Class::RateLimited);
}
