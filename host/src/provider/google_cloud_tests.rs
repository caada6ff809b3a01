use serde_json::{Value, json};

use super::*;
use crate::provider::{Answer, Key, Text, make};
use crate::verdict::Class;

fn config(project: Option<&str>) -> Config {
    Config {
        kind: "google-cloud".to_owned(),
        key: Some(Key("k".to_owned())),
        project: project.map(str::to_owned),
        ..Config::default()
    }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask {
        source: Some("he".to_owned()),
        target: "zh-TW".to_owned(),
        texts: texts.iter().map(text).collect(),
        ..Ask::default()
    }
}

fn built(config: &Config, ask: &Ask) -> (Request, Value) {
    let request = make(config).unwrap().build(ask).unwrap();
    let body = serde_json::from_slice(&request.body).unwrap();
    (request, body)
}

fn read(config: &Config, ask: &Ask, body: &Value) -> Reading {
    let answer = Answer { status: 200, body: body.to_string().into_bytes(), ..Answer::default() };
    make(config).unwrap().parse(ask, &Response::Answer(answer))
}

#[test]
fn an_api_key_asks_version_2_and_is_in_no_address() {
    let (request, body) = built(&config(None), &ask(&[("a < b", false)]));
    assert_eq!(request.url, "https://translation.googleapis.com/language/translate/v2");
    let key = HeaderValue::Secret("k".to_owned());
    assert!(request.headers.contains(&("x-goog-api-key", key)));
    let expected = json!({"q": ["a < b"], "source": "iw", "target": "zh-TW", "format": "text"});
    assert_eq!(body, expected);
}

#[test]
fn a_project_asks_version_3_at_its_place() {
    let (request, body) = built(&config(Some("p 1")), &ask(&[("<1>a</1> &lt; <2/>", true)]));
    let path = "/v3/projects/p%201/locations/global:translateText";
    assert_eq!(request.url, format!("https://translation.googleapis.com{path}"));
    let token = HeaderValue::Secret("Bearer k".to_owned());
    assert!(request.headers.contains(&("authorization", token)));
    assert_eq!(body["contents"], json!(["<a i=1>a</a> &lt; <a i=2></a>"]));
    assert_eq!(
        (&body["mimeType"], &body["sourceLanguageCode"]),
        (&json!("text/html"), &json!("iw"))
    );
    let placed = Config { location: Some("us-central1".to_owned()), ..config(Some("p")) };
    let (request, _) = built(&placed, &ask(&[("a", false)]));
    assert!(request.url.ends_with("/v3/projects/p/locations/us-central1:translateText"));
}

#[test]
fn both_versions_are_read() {
    let texts = ask(&[("<1>a</1>", true), ("b", false)]);
    let list = json!([{"translatedText": "<a i=1>A&#39;</a>"}, {"translatedText": "B &lt;"}]);
    for (config, body) in [
        (config(None), json!({"data": {"translations": list}})),
        (config(Some("p")), json!({"translations": list})),
    ] {
        let reading = read(&config, &texts, &body);
        assert_eq!((&*reading.items[&0], &*reading.items[&1]), ("<1>A'</1>", "B <"));
    }
    let plain = ask(&[("b", false)]);
    let body = json!({"data": {"translations": [{"translatedText": "B &lt;"}]}});
    assert_eq!(read(&config(None), &plain, &body).items[&0], "B &lt;");
    assert_eq!(read(&config(None), &plain, &json!({"data": {}})).class, Class::Malformed);
}

#[test]
fn each_version_has_its_limits() {
    let build =
        |project, texts: &[(&str, bool)]| make(&config(project)).unwrap().build(&ask(texts));
    assert!(build(None, &[("x", false); 128]).is_ok());
    assert_eq!(build(None, &[("x", false); 129]).unwrap_err(), Failure::TooLong);
    assert!(build(Some("p"), &[("x", false); 129]).is_ok());
    let wide = "漢".repeat(30_001);
    assert!(build(None, &[(&wide, false)]).is_ok());
    assert_eq!(build(Some("p"), &[(&wide, false)]).unwrap_err(), Failure::TooLong);
    assert_eq!(build(None, &[(&"漢".repeat(33_400), false)]).unwrap_err(), Failure::TooLong);
}
