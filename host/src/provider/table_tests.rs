//! The words of servers with language models, as they say them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::body::Body;
use super::super::rules::{Context, refused};
use crate::provider::Answer;
use crate::verdict::{Class, Feature, Reading};

fn read(status: u16, headers: &[(&str, &str)], body: &str) -> Reading {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let answer = Answer {
        status,
        headers: headers.iter().map(owned).collect(),
        body: body.as_bytes().to_vec(),
        ..Answer::default()
    };
    let context = Context {
        key: None,
        pacific: false,
        slow_503: false,
        daily_requests: false,
        dropped: &BTreeSet::new(),
    };
    refused(&answer, &Body::of(&answer), &context)
}

#[test]
fn a_refused_part_of_the_request_is_named() {
    let check = |status: u16, error: Value, feature: Option<Feature>| {
        let reading = read(status, &[], &error.to_string());
        assert_eq!(reading.feature, feature, "{error}");
        assert_eq!(reading.class == Class::FeatureError, feature.is_some(), "{error}");
    };
    let message =
        |message: &str| json!({"error": {"message": message, "type": "invalid_request_error"}});
    let stream = Some(Feature::Stream);
    check(400, json!({"error": {"message": "Not allowed.", "param": "stream"}}), stream);
    check(
        422,
        json!({"detail": [{"loc": ["body", "stream"], "msg": "Input should be false"}]}),
        stream,
    );
    check(400, message("Unrecognized request argument supplied: stream_options"), stream);
    check(400, message("Streaming is not supported with json_schema"), stream);
    check(500, message("upstream closed the stream"), None);
    let prefill = Some(Feature::Prefill);
    check(400, message("This model does not support assistant message prefill."), prefill);
    check(500, message("the prefill of the batch failed"), None);
    let thinking = Some(Feature::Thinking);
    check(400, message("Unknown parameter: 'reasoning'."), thinking);
    check(400, message("This model does not support the effort parameter."), thinking);
    let forbidden = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "chat_template_kwargs"], "msg": "Extra inputs are not permitted"}]});
    check(422, json!({"object": "error", "message": forbidden}), thinking);
    let schema = Some(Feature::JsonSchema);
    check(400, message("output_config.format: not supported"), schema);
    check(400, message("This model does not support response format `json_schema`."), schema);
}

#[test]
fn a_sentence_is_found_where_a_form_was_checked() {
    let detail = json!([{"type": "missing", "loc": ["body", "x"], "msg": "Field required"}]);
    for body in
        [json!({"detail": detail}), json!({"object": "error", "message": {"detail": detail}})]
    {
        let reading = read(422, &[], &body.to_string());
        let found = (reading.class, reading.reason, reading.message.as_str());
        assert_eq!(found, (Class::ConfigError, "bug", "Field required"), "{body}");
    }
    let deep = format!("{}\"x\"{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(read(422, &[], &format!("{{\"detail\":{deep}}}")).class, Class::Transient);
}

#[test]
fn no_request_a_minute_is_a_model_outside_of_the_plan() {
    let body = r#"{"message":"Rate limit exceeded","code":"1300"}"#;
    let of = |headers: &[(&str, &str)]| read(429, headers, body);
    let none = of(&[("x-ratelimit-limit-req-minute", "0")]);
    assert_eq!((none.class, none.reason), (Class::ConfigError, "model_not_in_tier"));
    for (name, value) in [
        ("x-ratelimit-remaining-req-minute", "0"),
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("x-ratelimit-limit-req-minute", "4"),
    ] {
        assert_eq!(of(&[(name, value)]).class, Class::RateLimited, "{name}");
    }
    let headers =
        [("x-ratelimit-limit-req-minute", "4"), ("x-ratelimit-limit-tokens-minute", "50000")];
    let stated = of(&headers).stated;
    assert_eq!((stated.requests_per_minute, stated.tokens_per_minute), (Some(4), Some(50_000)));
}

#[test]
fn what_only_the_reader_can_mend_says_how() {
    let check = |status: u16, message: &str, class: Class, reason: &str| {
        let reading = read(status, &[], &json!({"error": {"message": message}}).to_string());
        assert_eq!((reading.class, reading.reason), (class, reason), "{message}");
    };
    check(403, "Request not allowed", Class::ConfigError, "region");
    check(403, "Forbidden", Class::ConfigError, "forbidden");
    check(404, "model \"a:b\" not found", Class::ConfigError, "model_not_pulled");
    check(404, "model a was not found", Class::ConfigError, "model_gone");
    check(404, "This is not a chat model", Class::ConfigError, "not_a_chat_model");
    let memory = "Model loading was stopped due to insufficient system resources.";
    check(400, memory, Class::ConfigError, "no_memory");
    check(400, "Model was unloaded while the request was still in queue.", Class::Transient, "");
    check(429, "You have used this week's quota (weekly limit)", Class::QuotaExhausted, "weekly");
}
