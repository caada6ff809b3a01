use super::*;
use crate::provider::{Answer, HeaderValue, Key, Text, make};
use crate::verdict::Class;

fn config(key: &str) -> Config {
    Config { kind: "yandex".to_owned(), key: Some(Key(key.to_owned())), ..Config::default() }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask {
        source: Some("nb".to_owned()),
        target: "ko".to_owned(),
        texts: texts.iter().map(text).collect(),
        ..Ask::default()
    }
}

#[test]
fn keys_and_tokens_have_their_own_names() {
    let lead = |key: &str| {
        let request = make(&config(key)).unwrap().build(&ask(&[("a", false)])).unwrap();
        assert_eq!(request.url, "https://translate.api.cloud.yandex.net/translate/v2/translate");
        request.headers.into_iter().find(|(name, _)| *name == "authorization").unwrap().1
    };
    assert_eq!(lead("AQVN1"), HeaderValue::Secret("Api-Key AQVN1".to_owned()));
    assert_eq!(lead("t1.9eu"), HeaderValue::Secret("Bearer t1.9eu".to_owned()));
}

#[test]
fn the_folder_is_named_where_there_is_one() {
    let body = |config: &Config, texts: &[(&str, bool)]| -> Value {
        serde_json::from_slice(&make(config).unwrap().build(&ask(texts)).unwrap().body).unwrap()
    };
    let expected = json!({"texts": ["a < b"], "sourceLanguageCode": "no",
        "targetLanguageCode": "ko", "format": "PLAIN_TEXT"});
    assert_eq!(body(&config("k"), &[("a < b", false)]), expected);
    let placed = Config { folder: Some("b1g".to_owned()), ..config("k") };
    let marked = body(&placed, &[("<1>a</1> &amp; <2/>", true)]);
    assert_eq!((&marked["folderId"], &marked["format"]), (&json!("b1g"), &json!("HTML")));
    assert_eq!(marked["texts"], json!(["<a i=1>a</a> &amp; <a i=2></a>"]));
}

#[test]
fn translations_are_read_in_order_and_never_by_half() {
    let read = |body: Value| {
        let texts = ask(&[("a", false), ("b", false)]);
        let body = body.to_string().into_bytes();
        let answer = Answer { status: 200, body, ..Answer::default() };
        make(&config("k")).unwrap().parse(&texts, &Response::Answer(answer))
    };
    let reading = read(json!({"translations": [{"text": "A"}, {"text": "B"}]}));
    assert_eq!((&*reading.items[&0], &*reading.items[&1]), ("A", "B"));
    let partial = read(json!({"translations": [{"detectedLanguageCode": "no"}, {"text": "B"}]}));
    assert_eq!((partial.class, partial.items.len()), (Class::Partial, 1));
    assert_eq!(read(json!({"translations": [{"text": "A"}]})).reason, "wrong_count");
    assert_eq!(read(json!({"text": "AB"})).reason, "wrong_shape");
}

#[test]
fn more_than_the_service_takes_is_not_sent() {
    let build = |texts: &[(&str, bool)]| make(&config("k")).unwrap().build(&ask(texts));
    assert!(build(&[(&"я".repeat(10_000), false)]).is_ok());
    assert_eq!(build(&[(&"я".repeat(10_001), false)]).unwrap_err(), Failure::TooLong);
}
