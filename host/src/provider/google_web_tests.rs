use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::markup::{Tags, read_tags};
use crate::provider::{Answer, Text, make};
use crate::verdict::Class;

fn provider() -> Box<dyn Provider> {
    make(&Config { kind: "google-web".to_owned(), ..Config::default() }).unwrap()
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "he".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn answered(ask: &Ask, status: u16, body: &str) -> Reading {
    let answer = Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() };
    provider().parse(ask, &Response::Answer(answer))
}

/// Reads an answer to `count` plain texts: the items in order, or the reason.
fn check(count: usize, body: &Value, expected: Result<&[&str], &str>) {
    let reading = answered(&ask(&vec![("a", false); count]), 200, &body.to_string());
    let items: BTreeMap<usize, String> = match expected {
        Ok(texts) => texts.iter().map(|text| (*text).to_owned()).enumerate().collect(),
        Err(reason) => {
            assert_eq!((reading.class, reading.reason), (Class::Malformed, reason), "{body}");
            BTreeMap::new()
        }
    };
    assert_eq!(reading.items, items, "{count} {body}");
}

#[test]
fn each_text_is_a_field_of_a_form() {
    let request = provider().build(&ask(&[("a & b", false), ("c", false)])).unwrap();
    let address = "https://translate.googleapis.com/translate_a/t";
    assert_eq!(request.url, format!("{address}?client=gtx&format=text&sl=auto&tl=iw"));
    assert_eq!(request.body, b"q=a+%26+b&q=c");
    let told = Ask { source: Some("zh-TW".to_owned()), ..ask(&[("<1>a</1> <2/>", true)]) };
    let request = provider().build(&told).unwrap();
    assert!(request.url.ends_with("?client=gtx&format=html&sl=zh-TW&tl=iw"), "{}", request.url);
    let form: Vec<_> = url::form_urlencoded::parse(&request.body).into_owned().collect();
    assert_eq!(form, [("q".to_owned(), "<a i=1>a</a> <a i=2></a>".to_owned())]);
    let long = "x".repeat(5_001);
    assert_eq!(provider().build(&ask(&[(&long, false)])).unwrap_err(), Failure::TooLong);
}

#[test]
fn all_its_shapes_are_read() {
    check(2, &json!(["A", "B"]), Ok(&["A", "B"]));
    check(2, &json!([["A", "en"], ["B", "zh-CN"]]), Ok(&["A", "B"]));
    check(1, &json!("A"), Ok(&["A"]));
    check(1, &json!(["A"]), Ok(&["A"]));
    check(1, &json!(["A", "en"]), Ok(&["A"]));
    check(1, &json!([["A", "en"]]), Ok(&["A"]));
    check(
        1,
        &json!([[["A. ", "a. ", null], [null, null, "x"], ["B.", "b."]], null, "en"]),
        Ok(&["A. B."]),
    );
    check(
        1,
        &json!({"sentences": [{"trans": "A. "}, {"orig": "b"}, {"trans": "B."}], "src": "en"}),
        Ok(&["A. B."]),
    );
    check(2, &json!([["Ahoj", "Svet"], ["en", "en"]]), Ok(&["Ahoj", "Svet"]));
    check(3, &json!([["A", "B", "C"]]), Ok(&["A", "B", "C"]));
    check(1, &json!([["A"], ["en"]]), Ok(&["A"]));
}

#[test]
fn another_number_of_texts_is_never_mapped() {
    check(2, &json!(["A"]), Err("wrong_count"));
    check(2, &json!(["A", "B", "C"]), Err("wrong_count"));
    check(1, &json!(["A", "Bravo"]), Err("wrong_count"));
    check(2, &json!([["A", "en"]]), Err("wrong_count"));
    check(3, &json!([["A", "en"], ["B", "en"]]), Err("wrong_count"));
    check(2, &json!([["A", "B", "C"], ["en", "en", "en"]]), Err("wrong_count"));
    check(2, &json!([[["A", "a"]], null, "en"]), Err("wrong_count"));
    check(2, &json!("A"), Err("wrong_count"));
    check(1, &json!([]), Err("wrong_count"));
    check(1, &json!({"src": "en"}), Err("wrong_shape"));
    check(1, &json!([{"a": 1}]), Err("wrong_shape"));
    check(1, &json!(7), Err("wrong_shape"));
}

#[test]
fn a_text_that_is_null_is_missing() {
    let two = ask(&[("a", false), ("b", false)]);
    for body in [json!([null, "B"]), json!([null, ["B", "en"]]), json!([[null, "en"], ["B", "en"]])]
    {
        let reading = answered(&two, 200, &body.to_string());
        assert_eq!((reading.class, &*reading.items[&1]), (Class::Partial, "B"), "{body}");
        assert!(!reading.items.contains_key(&0), "{body}");
    }
}

#[test]
fn sentences_that_are_said_twice_are_read_once() {
    let twice = "<i>a.</i> <b>A.</b> <i>b.</i> <b>B.</b>";
    check(1, &json!([twice]), Ok(&["A. B."]));
    let literal = ask(&[("<b>a</b>", false)]);
    assert_eq!(answered(&literal, 200, "[\"<b>A</b>\"]").items[&0], "<b>A</b>");
}

#[test]
fn tags_that_were_split_and_nested_are_still_the_sources() {
    let source = "<1>Für den </1><2>37. Wettbewerb</2><3> und den </3><4>18.</4>";
    let answer = "<a i=1></a>Artigos já podem ser indicados <a i=1>para o</a> <a i=2>37º Concurso <a i=3>e</a></a> <a i=4>18º</a>.";
    let reading = answered(&ask(&[(source, true)]), 200, &json!([answer]).to_string());
    assert_eq!(read_tags(source, &reading.items[&0]), Tags::Ok);
}

#[test]
fn a_block_is_told_from_a_missing_endpoint() {
    let one = ask(&[("a", false)]);
    let reason = |status, body| answered(&one, status, body).reason;
    assert_eq!(reason(429, "<html>We're sorry... unusual traffic</html>"), "ip_blocked");
    assert_eq!(reason(403, "<html>Error 403 (Forbidden)!!1</html>"), "keyless_blocked");
    assert_eq!(reason(404, "<html>Error 404 (Not Found)!!1</html>"), "keyless_endpoint_gone");
}
