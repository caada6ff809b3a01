use serde_json::Value;

use super::*;
use crate::provider::{Answer, Text, make};
use crate::verdict::{Class, Feature};

fn provider() -> Box<dyn Provider> {
    make(&Config { kind: "edge-web".to_owned(), ..Config::default() }).unwrap()
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "ko".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn answered(ask: &Ask, status: u16, body: &str) -> Reading {
    let answer = Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() };
    provider().parse(ask, &Response::Answer(answer))
}

#[test]
fn a_list_of_texts_goes_without_a_key_and_always_as_html() {
    let told = Ask { source: Some("en".to_owned()), ..ask(&[("a < b", false)]) };
    let request = provider().build(&told).unwrap();
    let address = "https://edge.microsoft.com/translate/translatetext";
    assert_eq!(request.url, format!("{address}?from=en&to=ko&isEnterpriseClient=false"));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!(["a &lt; b"]));
    let detected = provider().build(&ask(&[("<1>a</1>", true)])).unwrap();
    assert!(detected.url.contains("?from=&to=ko&"), "{}", detected.url);
    let dropped = Ask { dropped: [Feature::Markup].into(), ..ask(&[("<1>a</1> &lt; b", true)]) };
    let request = provider().build(&dropped).unwrap();
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!(["a", "&lt; b"]));
}

#[test]
fn entities_are_read_in_plain_texts_as_well() {
    let texts = ask(&[("a < b", false)]);
    let body = r#"[{"translations":[{"text":"A &lt; &quot;B&quot; <b>"}]}]"#;
    assert_eq!(answered(&texts, 200, body).items[&0], "A < \"B\" <b>");
}

#[test]
fn a_refusal_is_the_endpoints_and_no_key_is_to_blame() {
    let texts = ask(&[("a", false)]);
    let check = |status: u16, body: &str, expected: (Class, &str)| {
        let reading = answered(&texts, status, body);
        assert_eq!((reading.class, reading.reason), expected, "{status} {body}");
    };
    check(401, "", (Class::Transient, ""));
    check(403, "{}", (Class::ConfigError, "keyless_blocked"));
    check(403, r#"{"error":{"message":"Forbidden"}}"#, (Class::ConfigError, "keyless_blocked"));
    check(404, "", (Class::ConfigError, "keyless_endpoint_gone"));
    check(410, "<html>gone</html>", (Class::ConfigError, "keyless_endpoint_gone"));
    check(403, "<html>not in your country</html>", (Class::ConfigError, "region"));
    check(429, "", (Class::RateLimited, ""));
    check(200, "<html>log in</html>", (Class::ConfigError, "captive_portal"));
}

#[test]
fn more_than_was_seen_to_pass_is_not_sent() {
    let long = "x".repeat(5_001);
    assert_eq!(provider().build(&ask(&[(&long, false)])).unwrap_err(), Failure::TooLong);
    let escaped = "&".repeat(1_200);
    assert_eq!(provider().build(&ask(&[(&escaped, false)])).unwrap_err(), Failure::TooLong);
}
