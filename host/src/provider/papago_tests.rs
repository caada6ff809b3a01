use serde_json::Value;

use super::*;
use crate::provider::{Answer, Key, Text, make};
use crate::verdict::{Class, Feature};

fn config(key: &str) -> Config {
    Config { kind: "papago".to_owned(), key: Some(Key(key.to_owned())), ..Config::default() }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "ko".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn sent(config: &Config, ask: &Ask) -> Value {
    serde_json::from_slice(&make(config).unwrap().build(ask).unwrap().body).unwrap()
}

fn read(ask: &Ask, translated: &str) -> Reading {
    let body = json!({"message": {"result": {"translatedText": translated}}});
    let answer = Answer { status: 200, body: body.to_string().into_bytes(), ..Answer::default() };
    make(&config("id:k")).unwrap().parse(ask, &Response::Answer(answer))
}

#[test]
fn the_key_is_an_id_and_a_secret() {
    let build = |key: &str| make(&config(key)).unwrap().build(&ask(&[("a", false)]));
    let request = build(" id : se:cret ").unwrap();
    assert_eq!(request.url, "https://papago.apigw.ntruss.com/nmt/v1/translation");
    let secret = |value: &str| HeaderValue::Secret(value.to_owned());
    assert!(request.headers.contains(&("x-ncp-apigw-api-key-id", secret("id"))));
    assert!(request.headers.contains(&("x-ncp-apigw-api-key", secret("se:cret"))));
    for key in ["", "id", "id:", ":secret", " : "] {
        assert_eq!(build(key).unwrap_err(), Failure::Unauthorized, "{key}");
    }
    let answer = Answer { status: 401, body: b"se:cret is wrong".to_vec(), ..Answer::default() };
    let reading = make(&config("id:se:cret")).unwrap();
    let reading = reading.parse(&ask(&[("a", false)]), &Response::Answer(answer));
    assert_eq!((reading.reason, &*reading.message), ("bad_key", "<key> is wrong"));
}

#[test]
fn a_batch_is_the_lines_of_one_text() {
    let texts = ask(&[("a & b", false), ("c\nd", false), ("<1>e</1> &lt; <2/>", true)]);
    let body = sent(&config("id:k"), &texts);
    assert_eq!(body["text"], "a & b\nc\nd\n<1>e</1> < <2/>");
    assert_eq!((&body["source"], &body["target"]), (&json!("auto"), &json!("ko")));
    let reading = read(&texts, "A & B\nC\r\nD\n<1>E</1> < <2/>\n");
    assert_eq!((reading.class, &*reading.items[&0]), (Class::Ok, "A & B"));
    assert_eq!((&*reading.items[&1], &*reading.items[&2]), ("C\nD", "<1>E</1> &lt; <2/>"));
    for lines in ["A\nB\nC", "A\nB\nC\nD\nE", "", "A"] {
        let reading = read(&texts, lines);
        assert_eq!((reading.reason, reading.items.len()), ("wrong_count", 0), "{lines}");
    }
    assert_eq!(read(&texts, "A\n\n\nD").class, Class::Partial);
    assert_eq!(read(&ask(&[("a", false)]), "A\nB").items[&0], "A\nB");
}

#[test]
fn words_that_look_like_tags_and_refused_marks_go_in_pieces() {
    let literal = ask(&[("<1>a</1> b &lt;1>", true), ("c", false)]);
    assert_eq!(sent(&config("id:k"), &literal)["text"], "a\nb <1>\nc");
    assert_eq!(read(&literal, "A\nB <1>\nC").items[&0], "<1>A</1> B &lt;1>");
    let dropped = Ask { dropped: [Feature::Markup].into(), ..ask(&[("<1>a</1> b", true)]) };
    assert_eq!(read(&dropped, "A\nB").items[&0], "<1>A</1> B");
}

#[test]
fn a_polite_style_is_asked_where_the_language_has_one() {
    let honorific = |style: Style, target: &str| {
        let ask = Ask { target: target.to_owned(), ..ask(&[("a", false)]) };
        sent(&Config { style, ..config("id:k") }, &ask).get("honorific").cloned()
    };
    assert_eq!(honorific(Style::Formal, "ko"), Some(json!(true)));
    assert_eq!(honorific(Style::Formal, "en"), None);
    assert_eq!(honorific(Style::Neutral, "ko"), None);
    assert!(make(&config("id:k")).unwrap().has_style());
}

#[test]
fn more_than_the_service_takes_is_not_sent() {
    let build = |texts: &[(&str, bool)]| make(&config("id:k")).unwrap().build(&ask(texts));
    assert!(build(&[(&"가".repeat(5_000), false)]).is_ok());
    assert_eq!(build(&[(&"가".repeat(5_001), false)]).unwrap_err(), Failure::TooLong);
    let half = "x".repeat(2_500);
    assert_eq!(build(&[(&half, false), (&half, false)]).unwrap_err(), Failure::TooLong);
}

#[test]
fn a_quota_of_the_first_call_tells_of_the_other_cause() {
    let body = br#"{"error":{"errorCode":"400","message":"Quota Exceeded"}}"#;
    let answer = Answer { status: 429, body: body.to_vec(), ..Answer::default() };
    let reading = make(&config("id:k")).unwrap();
    let reading = reading.parse(&ask(&[("a", false)]), &Response::Answer(answer));
    assert_eq!((reading.class, reading.reason), (Class::QuotaExhausted, "app_quota"));
    assert!(crate::provider::advice("app_quota").contains("not ticked"));
}
