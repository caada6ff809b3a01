use super::*;
use crate::provider::{Answer, Key, Text, TransportFault, make};
use crate::verdict::{Class, Usage};

fn config(model: &str) -> Config {
    Config {
        name: "a".to_owned(),
        kind: "anthropic".to_owned(),
        model: model.to_owned(),
        key: Some(Key("sk-ant-secret".to_owned())),
        ..Config::default()
    }
}

fn ask() -> Ask {
    let text = |text: &str| Text { text: text.to_owned(), marked: false };
    Ask { target: "de".to_owned(), texts: vec![text("Hello"), text("World")], ..Ask::default() }
}

fn built(model: &str, ask: &Ask) -> (Request, Value) {
    let request = make(&config(model)).unwrap().build(ask).unwrap();
    let body = serde_json::from_slice(&request.body).unwrap();
    (request, body)
}

fn answer(status: u16, kind: &str, body: &str) -> Answer {
    Answer {
        status,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: body.as_bytes().to_vec(),
        oversize: false,
        received: "2026-11-29T20:00:00Z".parse().unwrap(),
        broken: None,
    }
}

fn read(ask: &Ask, answer: Answer) -> Reading {
    make(&config("")).unwrap().parse(ask, &Response::Answer(answer))
}

/// Writes a stream whose text comes in these parts, without its end.
fn beginning(parts: &[&str]) -> String {
    let start = json!({"type": "message_start", "message": {"type": "message", "content": [], "stop_reason": null,
        "usage": {"input_tokens": 120, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 7, "output_tokens": 1}}});
    let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let mut events = vec![start, json!({"type": "ping"}), block];
    events.extend(parts.iter().map(|part| {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}})
    }));
    events.iter().map(sse).collect()
}

fn sse(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

fn ending(reason: &str) -> String {
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 31}});
    sse(&json!({"type": "content_block_stop", "index": 0}))
        + &sse(&delta)
        + &sse(&json!({"type": "message_stop"}))
}

#[test]
fn the_request_is_a_message_with_a_schema_and_without_thinking() {
    let (request, body) = built("", &ask());
    assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
    assert!(!format!("{request:?}").contains("sk-ant"));
    let header = |name: &str| request.headers.iter().find(|(n, _)| *n == name).unwrap().1.clone();
    assert_eq!(header("x-api-key"), HeaderValue::Secret("sk-ant-secret".to_owned()));
    assert_eq!(header("anthropic-version"), HeaderValue::Plain(VERSION.to_owned()));
    assert_eq!(body["model"], "claude-haiku-5-5");
    assert_eq!(body["output_config"]["format"]["schema"]["required"], json!(["0", "1"]));
    assert_eq!(body["output_config"].get("effort"), None);
    assert_eq!(body["thinking"], json!({"type": "disabled"}));
    assert_eq!(body["messages"][0]["content"], r#"{"0":"Hello","1":"World"}"#);
    assert_eq!((body.get("temperature"), body.get("stream")), (None, None));
}

#[test]
fn an_address_may_be_that_of_the_service_or_of_its_messages() {
    for end in ["", "/", "/v1", "/v1/", "/v1/messages"] {
        let base_url = format!("http://127.0.0.1:9{end}");
        let config = Config { base_url, key: None, ..config("m") };
        let request = make(&config).unwrap().build(&ask()).unwrap();
        assert_eq!(request.url, "http://127.0.0.1:9/v1/messages", "{end}");
        assert_eq!(request.headers.len(), 2);
    }
    let config = Config { key: None, ..config("m") };
    assert_eq!(make(&config).unwrap().build(&ask()).unwrap_err(), Failure::Unauthorized);
}

#[test]
fn each_model_is_told_in_its_way_not_to_think() {
    let check = |model: &str, dropped: &[Feature], thinking: Value, effort: Value| {
        let ask = Ask { dropped: dropped.iter().copied().collect(), ..ask() };
        let (_, body) = built(model, &ask);
        assert_eq!(body["thinking"]["type"], thinking, "{model} {dropped:?}");
        assert_eq!(body["output_config"]["effort"], effort, "{model} {dropped:?}");
    };
    check("claude-haiku-4-5", &[], json!("disabled"), Value::Null);
    check("claude-sonnet-5-5", &[], json!("between_tools"), Value::Null);
    check("claude-opus-5-5", &[], Value::Null, json!("low"));
    check("claude-haiku-5-5", &[Feature::EffortLow], Value::Null, json!("low"));
    check("claude-haiku-5-5", &[Feature::EffortLow, Feature::Thinking], Value::Null, Value::Null);
    check("claude-opus-5-5", &[Feature::Thinking], Value::Null, Value::Null);
}

#[test]
fn what_was_refused_is_left_out_but_for_the_limit_that_must_be_there() {
    let mut ask = Ask { fresh: true, raised: true, stream: true, ..ask() };
    ask.texts[0].text = "x".repeat(8_000);
    let (_, body) = built("m", &ask);
    assert_eq!((&body["stream"], &body["temperature"]), (&json!(true), &json!(1.0)));
    assert_eq!(body["max_tokens"], 32_000);
    ask.dropped = [
        Feature::JsonSchema,
        Feature::Thinking,
        Feature::Temperature,
        Feature::MaxTokens,
        Feature::Stream,
    ]
    .into();
    let (_, body) = built("m", &ask);
    assert_eq!(body["max_tokens"], 4_096);
    let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["max_tokens", "messages", "model", "system"]);
}

#[test]
fn a_refused_switch_of_thinking_becomes_the_lowest_effort() {
    let refused = |message: &str| {
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        answer(400, JSON, &error.to_string())
    };
    let thinking = "thinking.type: disabled is not supported on this model";
    assert_eq!(read(&ask(), refused(thinking)).feature, Some(Feature::EffortLow));
    let mut next = ask();
    next.dropped.insert(Feature::EffortLow);
    let effort = "This model does not support the effort parameter.";
    assert_eq!(read(&next, refused(effort)).feature, Some(Feature::Thinking));
    next.dropped.insert(Feature::Thinking);
    assert_eq!(read(&next, refused(effort)).class, Class::ConfigError);
    let format = "output_config.format: Extra inputs are not permitted";
    assert_eq!(read(&ask(), refused(format)).feature, Some(Feature::JsonSchema));
    let limit = "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens";
    assert_eq!(read(&ask(), refused(limit)).feature, Some(Feature::MaxTokens));
}

#[test]
fn a_stream_is_put_together_with_its_usage() {
    let body = beginning(&[r#"{"0":"Hal"#, r#"lo","1":"Welt"}"#]) + &ending("end_turn");
    let reading = read(&ask(), answer(200, "text/event-stream", &body));
    assert_eq!((reading.class, reading.items.len()), (Class::Ok, 2));
    let usage = Usage { input: 127, output: 31, cached: 30, ..Usage::default() };
    assert_eq!(reading.usage, usage);
}

#[test]
fn what_a_stream_broke_off_with_is_kept() {
    let check = |body: &str, broken, class: Class, items: usize, reason: &str| {
        let answer = Answer { broken, ..answer(200, "text/event-stream", body) };
        let reading = read(&ask(), answer);
        let found = (reading.class, reading.items.len(), reading.reason);
        assert_eq!(found, (class, items, reason), "{body}");
    };
    let some = beginning(&[r#"{"0":"Hallo","1":"We"#]);
    let broken = Some(TransportFault::Broken);
    check(&some, broken, Class::Partial, 1, "stream_cut");
    check(&(some.clone() + "data: {\"type\":\"content_bl"), None, Class::Partial, 1, "stream_cut");
    check(&beginning(&[]), Some(TransportFault::Timeout), Class::Transient, 0, "timeout");
    check(&beginning(&[r#"{"0":"Hallo","1":"Welt"}"#]), broken, Class::Ok, 2, "");
    check(&(some.clone() + &ending("max_tokens")), None, Class::Truncated, 1, "");
    check(&(some.clone() + &ending("refusal")), None, Class::Blocked, 1, "refusal");
    let error =
        |kind: &str| sse(&json!({"type": "error", "error": {"type": kind, "message": "?"}}));
    check(&(some.clone() + &error("overloaded_error")), None, Class::RateLimited, 1, "overloaded");
    check(&(some + &error("api_error")), broken, Class::Transient, 1, "");
}

#[test]
fn a_forced_tools_input_is_the_answer_whole_or_in_parts() {
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "input": {}}});
    let part = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": r#"{"0":"Hallo","1":"Welt"}"#}});
    let thought = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "{"}});
    let body = sse(&thought) + &sse(&start) + &sse(&part) + &ending("tool_use");
    let reading = read(&ask(), answer(200, "text/event-stream", &body));
    assert_eq!((reading.class, reading.items.len()), (Class::Ok, 2));
}

#[test]
fn limits_are_learned_from_the_headers() {
    let headers = [
        ("anthropic-ratelimit-requests-limit", "50"),
        ("anthropic-ratelimit-input-tokens-limit", "50000"),
        ("anthropic-ratelimit-output-tokens-limit", "10000"),
    ];
    let mut answer =
        answer(200, JSON, r#"{"type":"message","content":[],"stop_reason":"pause_turn"}"#);
    answer.headers.extend(headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let reading = read(&ask(), answer);
    assert_eq!(reading.class, Class::Empty);
    assert_eq!(reading.stated.requests_per_minute, Some(50));
    assert_eq!(reading.stated.tokens_per_minute, Some(20_000));
}

#[test]
fn odd_answers_are_read_without_panic() {
    for (body, class) in [
        ("{}", Class::Malformed),
        ("null", Class::Malformed),
        (r#"{"content":{}}"#, Class::Malformed),
        (r#"{"type":"message_delta","delta":7}"#, Class::Empty),
        (r#"{"content":[null,{"text":3},{"input":[]}],"stop_reason":"new"}"#, Class::Empty),
        (r#"{"type":"error"}"#, Class::Transient),
    ] {
        assert_eq!(read(&ask(), answer(200, JSON, body)).class, class, "{body}");
    }
}
