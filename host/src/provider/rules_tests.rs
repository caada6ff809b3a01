use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-11-29T20:00:00Z";

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Answer {
        status,
        headers: headers.iter().map(owned).collect(),
        body: body.as_bytes().to_vec(),
        oversize: false,
        received: NOW.parse().unwrap(),
        broken: None,
    }
}

fn reading_of(answer: &Answer) -> Reading {
    let context = Context {
        key: Some("sk-secret"),
        pacific: true,
        slow_503: false,
        daily_requests: false,
        dropped: &BTreeSet::new(),
    };
    refused(answer, &Body::of(answer), &context)
}

fn class_of(status: u16, body: &Value) -> (Class, &'static str) {
    let reading = reading_of(&answer(status, &[], &body.to_string()));
    (reading.class, reading.reason)
}

#[test]
fn every_status_has_its_class() {
    use Class::{ConfigError, QuotaExhausted, RateLimited, TooLarge, Transient};
    let mut body = 0;
    for text in ["", "?", r#"{"message":"?"}"#, r#"{"error":{"message":"?"}}"#, "[]", "\u{0}"] {
        for status in (100..=199).chain(300..=599) {
            let expected = match status {
                300..=399 | 404..=405 | 407 | 410 | 511 | 401 | 402 | 403 | 451 => ConfigError,
                413 | 414 => TooLarge,
                429 | 498 | 503 | 529 => RateLimited,
                456 => QuotaExhausted,
                // With words they are ours to mend, without they may pass.
                400 | 406 | 411 | 412 | 415..=417 | 422 | 431 if !["", "[]"].contains(&text) => {
                    continue;
                }
                _ => Transient,
            };
            let reading = reading_of(&answer(status, &[], text));
            assert_eq!(reading.class, expected, "{status} {text:?}");
            assert_eq!(reading.pause.is_some(), expected == RateLimited, "{status}");
            assert_eq!(reading.until.is_some(), expected == QuotaExhausted, "{status}");
            if expected == ConfigError {
                assert!(!super::super::reason::advice(reading.reason).is_empty(), "{status}");
            }
            body += 1;
        }
    }
    assert!(body > 1000);
}

#[test]
fn every_rule_has_an_advice_or_no_reason() {
    for rule in table::RULES {
        let known = rule.reason.is_empty() || !super::super::reason::advice(rule.reason).is_empty();
        assert!(known, "{}", rule.reason);
        for word in rule.words {
            assert_eq!(**word, word.to_lowercase(), "words are compared in lower case");
        }
    }
}

#[test]
fn the_body_outranks_the_status() {
    let check = |status: u16, body: Value, expected: (Class, &str)| {
        assert_eq!(class_of(status, &body), expected, "{status} {body}");
    };
    let relay = json!({"error": {"message": "blocked: prompt: BlockedReasonProhibitedContent", "type": "one_api_error", "code": "do_request_failed"}});
    check(429, relay.clone(), (Class::Blocked, "prohibited_content"));
    check(500, relay, (Class::Blocked, "prohibited_content"));
    let nested = json!({"error": {"message": "{\n \"error\":{\"code\":503,\"status\":\"UNAVAILABLE\"}}", "code": 500}});
    check(500, nested.clone(), (Class::RateLimited, "overloaded"));
    let twice = json!({"error": {"message": nested.to_string(), "code": 400}});
    check(400, twice, (Class::RateLimited, "overloaded"));
    let prefixed = json!({"error": {"message": "got status: 429. {\"error\":{\"code\":429,\"message\":\"x\"}}", "code": 500}});
    check(500, prefixed, (Class::RateLimited, ""));
    let disabled = json!([{"error": {"code": 403, "status": "PERMISSION_DENIED", "details": [{"reason": "SERVICE_DISABLED"}]}}]);
    check(403, disabled, (Class::ConfigError, "api_disabled"));
    check(
        400,
        json!({"error": "Invalid request: request (5461) exceeds text limit (5000)"}),
        (Class::TooLarge, ""),
    );
    check(413, json!({"error": "x"}), (Class::TooLarge, ""));
    check(
        403,
        json!({"error": {"message": "User Rate Limit Exceeded", "errors": [{"reason": "userRateLimitExceeded"}]}}),
        (Class::RateLimited, ""),
    );
    check(
        403,
        json!({"error": {"message": "Daily Limit Exceeded", "errors": [{"reason": "dailyLimitExceeded"}]}}),
        (Class::QuotaExhausted, "rpd"),
    );
    check(
        429,
        json!({"error": {"message": "TPM: Limit 30000, Used 100, Requested 45120"}}),
        (Class::TooLarge, ""),
    );
    check(
        429,
        json!({"error": {"message": "TPM: Limit 8000, Used 7900, Requested 900"}}),
        (Class::RateLimited, ""),
    );
    check(429, json!({"error": {"message": "limit: 0.5 a minute"}}), (Class::RateLimited, ""));
    check(
        404,
        json!({"error": {"message": "No endpoints found that can handle the requested parameters."}}),
        (Class::FeatureError, ""),
    );
}

#[test]
fn a_captcha_page_is_a_block_whatever_its_status() {
    for status in [200, 302, 403, 429, 503] {
        let page = "<!DOCTYPE html><title>https://translate</title><form id=\"captcha-form\">";
        let reading = reading_of(&answer(status, &[("content-type", "text/html")], page));
        assert_eq!((reading.class, reading.reason), (Class::RateLimited, "ip_blocked"), "{status}");
        assert_eq!(reading.pause, Some(Duration::from_secs(60)));
        assert!(!reading.message.contains("://"), "{}", reading.message);
    }
    let moved = [("location", "https://www.google.com/sorry/index?continue=x")];
    assert_eq!(reading_of(&answer(302, &moved, "")).reason, "ip_blocked");
}

#[test]
fn web_pages_are_no_answers() {
    let check = |status: u16, page: &str, expected: (Class, &str)| {
        let reading = reading_of(&answer(status, &[("content-type", "text/html")], page));
        assert_eq!((reading.class, reading.reason), expected, "{status} {page}");
    };
    check(200, "<!doctype html><title>API</title>", (Class::ConfigError, "bad_base_url"));
    check(200, "<html><a href='/login'>", (Class::ConfigError, "captive_portal"));
    check(404, "<html>404</html>", (Class::ConfigError, "bad_base_url"));
    check(502, "<html>nginx</html>", (Class::Transient, ""));
    check(520, "<html>rate limit of the web server</html>", (Class::Transient, ""));
    check(503, "<html>x</html>", (Class::RateLimited, "overloaded"));
    check(403, "<html>not in your country", (Class::ConfigError, "region"));
}

#[test]
fn a_feature_is_dropped_once() {
    let error = ErrorBody::of(
        &json!({"error": {"code": 400, "message": "response_format is not supported"}}),
    );
    let answer = answer(400, &[], "");
    let read = |dropped: &[Feature]| {
        let dropped = dropped.iter().copied().collect();
        let context = Context {
            key: None,
            pacific: false,
            slow_503: false,
            daily_requests: false,
            dropped: &dropped,
        };
        let reading = reading(&answer, &error, false, &context);
        (reading.class, reading.feature)
    };
    assert_eq!(read(&[]), (Class::FeatureError, Some(Feature::JsonSchema)));
    assert_eq!(read(&[Feature::JsonSchema]), (Class::FeatureError, Some(Feature::JsonMode)));
    assert_eq!(read(&[Feature::JsonSchema, Feature::JsonMode]), (Class::ConfigError, None));
}

#[test]
fn a_server_that_knows_no_parts_is_asked_for_the_whole() {
    for message in [
        "Unrecognized request argument supplied: stream_options",
        "Streaming is not supported for this model",
        "this model does not support streaming",
    ] {
        let error = ErrorBody::of(&json!({"error": {"code": 400, "message": message}}));
        let context = Context {
            key: None,
            pacific: false,
            slow_503: false,
            daily_requests: false,
            dropped: &std::collections::BTreeSet::new(),
        };
        let reading = reading(&answer(400, &[], ""), &error, false, &context);
        assert_eq!(reading.feature, Some(Feature::Stream), "{message}");
    }
}

#[test]
fn hints_are_read_in_their_order() {
    let check = |headers: &[(&str, &str)], message: &str, expected: Option<u64>| {
        let error = ErrorBody::of(&json!({"error": {"message": message}}));
        let found = hints::pause(&answer(429, headers, ""), Some(&error));
        assert_eq!(found, expected.map(Duration::from_millis), "{headers:?} {message}");
    };
    check(&[("retry-after-ms", "1500"), ("retry-after", "9")], "", Some(1500));
    check(&[("retry-after", "2.5")], "", Some(2500));
    check(&[("retry-after", "Sun, 29 Nov 2026 20:00:30 GMT")], "", Some(30_000));
    check(
        &[
            ("retry-after", "Sun, 29 Nov 2026 20:00:30 GMT"),
            ("date", "Sun, 29 Nov 2026 20:00:10 GMT"),
        ],
        "",
        Some(20_000),
    );
    check(&[("retry-after", "Sun, 29 Nov 2026 19:00:00 GMT")], "", None);
    for nonsense in ["soon", "-5", "0", "NaN", "inf", "-inf", ""] {
        check(&[("retry-after", nonsense)], "Try again in 7s", Some(7000));
    }
    check(&[("retry-after", "1e300")], "", Some(366 * 86_400_000));
    check(&[], "Please retry in 1h2m3.5s.", Some(3_723_500));
    check(&[], "Please try again in 1m38s", Some(98_000));
    check(&[], "Try again in 20 seconds", Some(20_000));
    check(&[], "try again in 1 hour and 5 minutes", Some(3_900_000));
    check(&[], "Please try again in 350ms.", Some(350));
    check(&[], "try again in a while, retry in 3s", Some(3000));
    check(
        &[("x-ratelimit-remaining-requests", "5"), ("x-ratelimit-reset-requests", "2h0m0s")],
        "",
        None,
    );
    check(
        &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6ms")],
        "",
        Some(6),
    );
    check(
        &[
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-11-29T20:00:40Z"),
        ],
        "",
        Some(40_000),
    );
    check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795982450")], "", Some(50_000));
    check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1760000000000")], "", None);
}

#[test]
fn a_long_pause_is_the_end_of_a_quota() {
    let read = |value: &str| reading_of(&answer(429, &[("retry-after", value)], "{}"));
    assert_eq!(read("120").pause, Some(Duration::from_secs(120)));
    assert_eq!(read("3").pause, Some(Duration::from_secs(10)));
    let long = read("121");
    assert_eq!(long.class, Class::QuotaExhausted);
    assert_eq!(long.until, Some(Until::After(Duration::from_secs(121))));
    assert_eq!(long.pause, None);
}

#[test]
fn days_end_at_midnight_in_california_and_months_in_utc() {
    let day =
        |now: &str, pacific| hints::next_day(now.parse().unwrap(), pacific).unwrap().to_string();
    assert_eq!(day("2026-11-29T20:00:00Z", true), "2026-11-30T08:00:00Z");
    assert_eq!(day("2026-07-01T06:59:59Z", true), "2026-07-01T07:00:00Z");
    assert_eq!(day("2026-11-01T12:00:00Z", true), "2026-11-02T08:00:00Z");
    assert_eq!(day("2026-11-29T20:00:00Z", false), "2026-11-30T00:00:00Z");
    let month = hints::next_month("2026-12-31T20:00:00Z".parse().unwrap()).unwrap();
    assert_eq!(month.to_string(), "2027-01-01T00:00:00Z");
    let cap = json!({"error": {"message": "You will regain access on 2026-12-05 at 00:00 UTC."}});
    let reading = reading_of(&answer(400, &[], &cap.to_string()));
    assert_eq!(reading.until, Some(Until::At("2026-12-05T00:00:00Z".parse().unwrap())));
}

#[test]
fn stated_limits_are_learned() {
    let body = json!({"error": {"code": 429, "details": [{"violations": [
        {"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "quotaValue": "15"},
        {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "20"},
        {"quotaId": "GenerateContentInputTokensPerModelPerMinute-FreeTier", "quotaValue": "250000"},
    ]}]}});
    let stated = reading_of(&answer(429, &[], &body.to_string())).stated;
    assert_eq!(stated.requests_per_minute, Some(15));
    assert_eq!(stated.requests_per_day, Some(20));
    assert_eq!(stated.tokens_per_minute, Some(250_000));
    let limit = json!({"error": "request (5461) exceeds text limit (5000)"});
    assert_eq!(reading_of(&answer(400, &[], &limit.to_string())).stated.chars_per_call, Some(5000));
    let headers = [("x-ratelimit-limit-requests", "500"), ("x-ratelimit-limit-tokens", "200000")];
    let stated = reading_of(&answer(429, &headers, "{}")).stated;
    assert_eq!((stated.requests_per_minute, stated.tokens_per_minute), (Some(500), Some(200_000)));
}

#[test]
fn a_message_never_shows_key_or_address_and_is_short() {
    let long = "word ".repeat(100);
    let text = format!("bad key sk-secret at\n(https://api.test/v1?key=sk-secret) {long}");
    let body = json!({"error": {"message": text}});
    let message = reading_of(&answer(401, &[], &body.to_string())).message;
    assert!(message.starts_with("bad key <key> at (<address> word"), "{message}");
    assert!(message.chars().count() <= 200 && !message.contains("secret"));
}

#[test]
fn hostile_error_bodies_are_read_without_panic() {
    let deep = "{\"error\":".repeat(100_000);
    let wide = format!("{{\"error\":{{\"message\":\"{}\"}}}}", "[".repeat(1 << 20));
    let long = json!({"error": {"message": "limit: ".repeat(100_000), "code": 1e300}}).to_string();
    for body in [
        deep.as_str(),
        wide.as_str(),
        long.as_str(),
        "{\"error\":[]}",
        "[[[]]]",
        "{\"error\":{\"details\":{}}}",
    ] {
        for status in [200, 400, 429, 500] {
            let _ = reading_of(&answer(status, &[], body));
        }
    }
}

#[test]
fn a_fault_of_the_transport_says_nothing_about_the_texts() {
    let check = |kind: TransportFault, class: Class, reason: &str, answered: bool| {
        let reading = fault(kind);
        assert_eq!((reading.class, reading.reason, reading.answered), (class, reason, answered));
    };
    check(TransportFault::Refused, Class::Transient, "refused", false);
    check(TransportFault::Dns, Class::Transient, "dns", false);
    check(TransportFault::Broken, Class::Transient, "broken", false);
    check(TransportFault::Timeout, Class::Transient, "timeout", false);
    check(TransportFault::Undecodable, Class::Transient, "undecodable", true);
    check(TransportFault::Tls, Class::ConfigError, "tls", false);
    check(TransportFault::Proxy, Class::ConfigError, "proxy_auth", false);
}

#[test]
fn a_quota_of_zero_is_a_matter_of_set_up() {
    let body = json!({"error": {"code": 429, "details": [{"violations": [
        {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "0"},
    ]}]}});
    let reading = reading_of(&answer(429, &[], &body.to_string()));
    assert_eq!((reading.class, reading.reason), (Class::ConfigError, "model_not_in_tier"));
}

#[test]
fn a_page_in_another_encoding_is_a_page() {
    let portal =
        b"\r\n<html><head><title>\xb7\xce\xb1\xd7\xc0\xce</title><meta http-equiv='refresh'>";
    let page = Answer { body: portal.to_vec(), ..answer(200, &[], "") };
    let reading = reading_of(&page);
    assert_eq!((reading.class, reading.reason), (Class::ConfigError, "captive_portal"));
}
