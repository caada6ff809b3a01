use super::*;
use crate::provider::{Answer, make};
use serde_json::json;

fn provider() -> Box<dyn Provider> {
    let config = Config {
        name: "a".to_owned(),
        kind: "apertium".to_owned(),
        model: String::new(),
        base_url: String::new(),
        key: None,
        ..Config::default()
    };
    make(&config).unwrap()
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask {
        source: Some("en-GB".to_owned()),
        target: "es".to_owned(),
        texts: texts.iter().map(text).collect(),
        ..Ask::default()
    }
}

fn answered(ask: &Ask, translated: &str) -> Reading {
    let body = json!({"responseData": {"translatedText": translated}, "responseStatus": 200});
    provider().parse(
        ask,
        &Response::Answer(Answer {
            status: 200,
            headers: Vec::new(),
            body: body.to_string().into_bytes(),
            oversize: false,
            received: "2026-11-29T20:00:00Z".parse().unwrap(),
            broken: None,
        }),
    )
}

#[test]
fn a_batch_is_one_document_in_one_form() {
    let ask = ask(&[("A <1>b &lt; c</1> <2/>", true), ("x < y & z", false)]);
    let request = provider().build(&ask).unwrap();
    assert_eq!(request.url, "http://127.0.0.1:2737/translate");
    let form: BTreeMap<String, String> =
        url::form_urlencoded::parse(&request.body).into_owned().collect();
    assert_eq!(form["langpair"], "eng|spa");
    assert_eq!(form["markUnknown"], "no");
    let expected = "<p id=\"0\">A <i1>b &lt; c</i1> <i2/></p><p id=\"1\">x &lt; y &amp; z</p>";
    assert_eq!(form["q"], expected);
}

#[test]
fn it_needs_to_know_the_source() {
    let asked = ask(&[("x", false)]);
    let without = Ask { source: None, ..asked.clone() };
    assert_eq!(provider().build(&without).unwrap_err(), Failure::UnsupportedPair);
    let same = Ask { target: "en".to_owned(), ..asked };
    assert_eq!(provider().build(&same).unwrap_err(), Failure::UnsupportedPair);
}

#[test]
fn tags_entities_and_marks_are_read_back() {
    let ask = ask(&[("A <1>b &lt; c</1> <2/>", true), ("x < y", false), ("2 * *x", false)]);
    let document = "<p id=\"0\">La <i1>*be &lt; ce&quot;</i1> <i2/></p>\n<p id=\"1\">x &lt; y &#233;</p><p id=\"2\">2 * *x</p>";
    let reading = answered(&ask, document);
    assert_eq!(reading.class, Class::Ok);
    assert_eq!(reading.items[&0], "La <1>be &lt; ce\"</1> <2/>");
    assert_eq!(reading.items[&1], "x < y é");
    assert_eq!(reading.items[&2], "2 * *x");
}

#[test]
fn ids_decide_which_text_is_which() {
    let ask = ask(&[("a", false), ("b", false)]);
    assert_eq!(answered(&ask, "<p id=\"1\">B</p><p id=\"0\">A</p>").items[&1], "B");
    let short = answered(&ask, "<p id=\"1\">B</p>");
    assert_eq!((short.class, short.items.len()), (Class::Partial, 1));
    assert_eq!(answered(&ask, "A B").class, Class::Malformed);
    assert_eq!(answered(&ask, "<p id=\"1\">B</p><p id=\"7\">A</p>").class, Class::Malformed);
    assert_eq!(answered(&ask, "<p id=\"1\">B</p><p id=\"1\">A</p>").class, Class::Malformed);
    assert_eq!(answered(&ask, "").class, Class::Empty);
}

#[test]
fn an_error_inside_a_good_answer_outranks_its_status() {
    let body = json!({"responseData": {"translatedText": null}, "responseStatus": 400,
        "responseDetails": "That pair is not installed"});
    let answer = Answer {
        status: 200,
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
        oversize: false,
        received: "2026-11-29T20:00:00Z".parse().unwrap(),
        broken: None,
    };
    let reading = provider().parse(&ask(&[("Hello", false)]), &Response::Answer(answer));
    assert_eq!((reading.class, reading.reason), (Class::ConfigError, "language_pair"));
}
