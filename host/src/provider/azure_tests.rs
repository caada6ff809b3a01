use serde_json::{Value, json};

use super::*;
use crate::provider::{Answer, Key, Text, make};
use crate::verdict::Class;

fn config() -> Config {
    Config { kind: "azure".to_owned(), key: Some(Key("k".to_owned())), ..Config::default() }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "zh-TW".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn read(ask: &Ask, headers: &[(&str, &str)], body: &Value) -> Reading {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let answer = Answer {
        status: 200,
        headers: headers.iter().map(owned).collect(),
        body: body.to_string().into_bytes(),
        ..Answer::default()
    };
    make(&config()).unwrap().parse(ask, &Response::Answer(answer))
}

#[test]
fn key_and_region_are_headers_and_languages_are_in_the_address() {
    let request = make(&config()).unwrap().build(&ask(&[("a < b", false)])).unwrap();
    let address = "https://api.cognitive.microsofttranslator.com/translate";
    assert_eq!(request.url, format!("{address}?api-version=3.0&to=zh-Hant&textType=plain"));
    assert!(request.headers.iter().all(|(name, _)| *name != "ocp-apim-subscription-region"));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!([{"Text": "a < b"}]));
    let regional = Config { region: Some("koreacentral".to_owned()), ..config() };
    let told = Ask { source: Some("en-GB".to_owned()), ..ask(&[("<1>a</1> <2/>", true)]) };
    let request = make(&regional).unwrap().build(&told).unwrap();
    assert!(request.url.ends_with("&textType=html&from=en"), "{}", request.url);
    let region = HeaderValue::Plain("koreacentral".to_owned());
    assert!(request.headers.contains(&("ocp-apim-subscription-region", region)));
    let key = HeaderValue::Secret("k".to_owned());
    assert!(request.headers.contains(&("ocp-apim-subscription-key", key)));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body[0]["Text"], "<b1>a</b1> <b2></b2>");
}

#[test]
fn a_resource_with_its_own_host_has_its_own_path() {
    let own =
        Config { base_url: "https://mine.cognitiveservices.azure.com/".to_owned(), ..config() };
    let request = make(&own).unwrap().build(&ask(&[("a", false)])).unwrap();
    let address = "https://mine.cognitiveservices.azure.com/translator/text/v3.0/translate?";
    assert!(request.url.starts_with(address), "{}", request.url);
}

#[test]
fn an_answer_is_a_list_with_an_entry_for_each_text() {
    let texts = ask(&[("<1>a</1> &amp;", true), ("b", false)]);
    let body = json!([{"translations": [{"text": "<b1>A</b1> &amp;"}]}, {"translations": [{"text": "B &lt;"}]}]);
    let reading = read(&texts, &[("x-metered-usage", "12")], &body);
    assert_eq!((&*reading.items[&0], &*reading.items[&1]), ("<1>A</1> &amp;", "B <"));
    assert_eq!(reading.usage.characters, Some(12));
    let null = json!([{"translations": [{"text": null}]}, {"translations": [{"text": "B"}]}]);
    let reading = read(&texts, &[("x-metered-usage", "many")], &null);
    assert_eq!((reading.class, reading.usage.characters), (Class::Partial, None));
    for body in [json!({"translations": [{"text": "A"}]}), json!(["A", "B"]), json!("A")] {
        assert_eq!(read(&texts, &[], &body).reason, "wrong_shape", "{body}");
    }
    assert_eq!(read(&texts, &[], &json!([{"translations": []}])).reason, "wrong_count");
}

#[test]
fn an_error_in_a_good_answer_is_an_error() {
    let body = json!([{"error": {"code": 401_000, "message": "credentials are missing"}}]);
    let reading = read(&ask(&[("a", false)]), &[], &body);
    assert_ne!(reading.class, Class::Ok);
    assert!(reading.items.is_empty());
}

#[test]
fn more_than_the_service_takes_is_not_sent() {
    let build = |texts: &[(&str, bool)]| make(&config()).unwrap().build(&ask(texts));
    assert!(build(&vec![("x", false); 1000]).is_ok());
    assert_eq!(build(&vec![("x", false); 1001]).unwrap_err(), Failure::TooLong);
    assert_eq!(build(&[(&"x".repeat(50_001), false)]).unwrap_err(), Failure::TooLong);
}
