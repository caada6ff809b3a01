use std::time::Duration;

use serde_json::json;

use super::*;
use crate::provider::{Answer, Key, TransportFault, make};

fn provider(kind: &str) -> Box<dyn crate::provider::Provider> {
    let keyless = ["apertium", "google-web", "edge-web"].contains(&kind);
    let key = (!keyless).then(|| Key("id:secret".to_owned()));
    make(&Config { kind: kind.to_owned(), key, ..Config::default() }).unwrap()
}

fn ask() -> Ask {
    let text = Text { text: "a".to_owned(), marked: false };
    Ask { target: "ko".to_owned(), texts: vec![text], ..Ask::default() }
}

fn refused(kind: &str, status: u16, body: &str) -> Reading {
    let answer = Answer {
        status,
        body: body.as_bytes().to_vec(),
        received: "2026-11-29T20:00:00Z".parse().unwrap(),
        ..Answer::default()
    };
    provider(kind).parse(&ask(), &Response::Answer(answer))
}

fn check(kind: &str, status: u16, message: &str, expected: (Class, &str)) {
    let reading = refused(kind, status, &json!({"message": message}).to_string());
    assert_eq!((reading.class, reading.reason), expected, "{kind} {status} {message}");
}

#[test]
fn what_engines_say_of_keys_and_languages_is_understood() {
    use Class::{ConfigError, QuotaExhausted};
    let supply = "Authorization failed. Please supply a valid DeepL-Auth-Key.";
    check("deepl", 403, supply, (ConfigError, "bad_key"));
    check("deepl", 403, "403 Forbidden.", (ConfigError, "bad_key"));
    check("deepl", 403, "Forbidden for this network", (ConfigError, "forbidden"));
    check("apertium", 403, "Forbidden", (ConfigError, "forbidden"));
    check("deepl", 400, "Value for 'target_lang' not supported.", (ConfigError, "language_pair"));
    check("deepl", 456, "Quota Exceeded", (QuotaExhausted, "monthly"));
    check("libretranslate", 403, "Invalid API key", (ConfigError, "bad_key"));
    check("libretranslate", 400, "pt-BR is not supported", (ConfigError, "language_pair"));
    check("libretranslate", 400, "xml format is not supported", (ConfigError, "bug"));
    check("libretranslate", 400, "en-US voice is not supported", (ConfigError, "bug"));
    check("google-cloud", 400, "Invalid Value", (ConfigError, "language_pair"));
    check("google-cloud", 400, "Invalid value at 'q[0]'", (ConfigError, "bug"));
    check("yandex", 401, "The token has expired", (ConfigError, "token_expired"));
    let region = "Access denied due to invalid subscription key or wrong API endpoint.";
    check("azure", 401, region, (ConfigError, "key_or_region"));
}

#[test]
fn quotas_of_engines_are_told_from_their_pauses() {
    use Class::{QuotaExhausted, RateLimited};
    check("libretranslate", 429, "Slowdown: 100 per 1 day", (QuotaExhausted, "rpd"));
    check("libretranslate", 429, "Slowdown: 80 per 1 minute", (RateLimited, "slow_down"));
    check("yandex", 429, "rate quota limit exceed: allowed 20 requests", (RateLimited, ""));
    check("papago", 429, "Quota Exceeded", (RateLimited, ""));
    let gateway = |code: &str, message: &str| {
        let body = json!({"error": {"errorCode": code, "message": message}}).to_string();
        refused("papago", 429, &body).reason
    };
    assert_eq!(gateway("400", "Quota Exceeded."), "app_quota");
    assert_eq!(gateway("420", "Quota Exceeded"), "");
    assert_eq!(gateway("400", "Quota exceeded for quota metric"), "");
    let soon = json!({"error": {"code": 408_001, "message": "It is being prepared. Please retry in a few minutes."}});
    assert_eq!(refused("azure", 408, &soon.to_string()).pause, Some(Duration::from_secs(60)));
}

#[test]
fn refused_markup_is_left_out_once() {
    let malformed = br#"{"message":"Tag handling parsing failed, please check input."}"#;
    let answer = Answer { status: 400, body: malformed.to_vec(), ..Answer::default() };
    let response = Response::Answer(answer);
    let reading = provider("deepl").parse(&ask(), &response);
    assert_eq!((reading.class, reading.feature), (Class::FeatureError, Some(Feature::Markup)));
    let dropped = Ask { dropped: [Feature::Markup].into(), ..ask() };
    let again = provider("deepl").parse(&dropped, &response);
    assert_eq!((again.class, again.reason), (Class::ConfigError, "bug"));
}

#[test]
fn a_body_that_broke_off_is_a_fault_of_the_connection() {
    let cut = Answer {
        status: 200,
        body: br#"{"translations":[{"text":"A"#.to_vec(),
        broken: Some(TransportFault::Broken),
        ..Answer::default()
    };
    let reading = provider("deepl").parse(&ask(), &Response::Answer(cut));
    assert_eq!((reading.class, reading.reason), (Class::Transient, "broken"));
    let whole = Answer {
        status: 200,
        body: br#"{"translations":[{"text":"A"}]}"#.to_vec(),
        broken: Some(TransportFault::Broken),
        ..Answer::default()
    };
    assert_eq!(provider("deepl").parse(&ask(), &Response::Answer(whole)).class, Class::Ok);
}
