use super::*;
use crate::provider::{Answer, Key, Text, TransportFault, make};
use crate::verdict::Class;

fn config() -> Config {
    Config {
        name: "o".to_owned(),
        kind: "ollama".to_owned(),
        model: "gemma4".to_owned(),
        ..Config::default()
    }
}

fn ask() -> Ask {
    let text = |text: &str| Text { text: text.to_owned(), marked: false };
    Ask { target: "de".to_owned(), texts: vec![text("Hello"), text("World")], ..Ask::default() }
}

fn built(config: &Config, ask: &Ask) -> (Request, Value) {
    let request = make(config).unwrap().build(ask).unwrap();
    let body = serde_json::from_slice(&request.body).unwrap();
    (request, body)
}

fn read(status: u16, kind: &str, body: &str, broken: Option<TransportFault>) -> Reading {
    let answer = Answer {
        status,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: body.as_bytes().to_vec(),
        oversize: false,
        received: "2026-11-29T20:00:00Z".parse().unwrap(),
        broken,
    };
    make(&config()).unwrap().parse(&ask(), &Response::Answer(answer))
}

const LINES: &str = "application/x-ndjson";

fn line(content: &str) -> String {
    json!({"model": "m", "message": {"role": "assistant", "content": content}, "done": false})
        .to_string()
        + "\n"
}

fn last(reason: &str) -> String {
    json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "prompt_eval_count": 120, "eval_count": 31})
    .to_string()
        + "\n"
}

#[test]
fn the_request_is_a_chat_with_a_schema_a_context_and_without_thinking() {
    let (request, body) = built(&config(), &ask());
    assert_eq!(request.url, "http://127.0.0.1:11434/api/chat");
    assert_eq!(request.headers.len(), 1);
    assert_eq!(body["format"]["required"], json!(["0", "1"]));
    assert_eq!((&body["stream"], &body["think"]), (&json!(false), &json!(false)));
    assert_eq!((&body["truncate"], &body["shift"]), (&json!(false), &json!(false)));
    assert_eq!(body["options"]["num_ctx"], 8_192);
    assert_eq!(body["options"]["temperature"], 0.2);
    assert!(body["options"]["num_predict"].is_u64());
    assert_eq!(body["messages"][1]["content"], r#"{"0":"Hello","1":"World"}"#);
    let oss = Config { model: "gpt-oss:20b".to_owned(), ..config() };
    assert_eq!(built(&oss, &ask()).1["think"], "low");
}

#[test]
fn a_key_is_sent_where_there_is_one_and_a_model_must_be_named() {
    for end in ["", "/", "/v1", "/api", "/api/chat"] {
        let base_url = format!("https://ollama.example{end}");
        let (request, _) = built(&Config { base_url: base_url.clone(), ..config() }, &ask());
        assert_eq!(request.url, "https://ollama.example/api/chat", "{end}");
        assert_eq!(request.headers.len(), 1);
        let key = Some(Key("secret".to_owned()));
        let (request, _) = built(&Config { base_url, key, ..config() }, &ask());
        assert_eq!(request.headers[1].1, HeaderValue::Secret("Bearer secret".to_owned()));
        assert!(!format!("{request:?}").contains("secret\""));
    }
    let nameless = Config { model: " ".to_owned(), ..config() };
    assert_eq!(make(&nameless).unwrap().build(&ask()).unwrap_err(), Failure::Misconfigured);
}

#[test]
fn the_context_holds_the_call_and_changes_seldom() {
    let size = |config: &Config, ask: &Ask| built(config, ask).1["options"]["num_ctx"].clone();
    let capacity = make(&config()).unwrap().capacity();
    for letter in ["a", "한"] {
        let text = letter.repeat(capacity.chars / capacity.segments);
        let texts = vec![Text { text, marked: false }; capacity.segments];
        assert_eq!(size(&config(), &Ask { texts, ..ask() }), 8_192, "{letter}");
    }
    let long = |raised| {
        let texts = vec![Text { text: "x".repeat(6_000), marked: false }];
        Ask { texts, raised, ..ask() }
    };
    assert_eq!(size(&config(), &long(false)), 16_384);
    assert_eq!(size(&config(), &long(true)), 32_768);
    let huge = Ask { texts: vec![Text { text: "한".repeat(60_000), marked: false }], ..ask() };
    assert_eq!(size(&config(), &huge), 32_768);
    let set = Config { context_tokens: Some(3_000), ..config() };
    assert_eq!(size(&set, &long(true)), 3_000);
    assert_eq!(make(&set).unwrap().capacity().chars, 1_000);
}

#[test]
fn what_was_refused_is_left_out() {
    let mut ask = Ask { stream: true, fresh: true, ..ask() };
    let (_, body) = built(&config(), &ask);
    assert_eq!((&body["stream"], &body["options"]["temperature"]), (&json!(true), &json!(1.0)));
    ask.dropped = [Feature::JsonSchema, Feature::Stream].into();
    let (_, body) = built(&config(), &ask);
    assert_eq!((&body["stream"], &body["format"]), (&json!(false), &json!("json")));
    ask.dropped.extend([
        Feature::JsonMode,
        Feature::Thinking,
        Feature::Temperature,
        Feature::MaxTokens,
    ]);
    let (_, body) = built(&config(), &ask);
    assert_eq!((body.get("format"), body.get("think")), (None, None));
    assert_eq!(body["options"].as_object().unwrap().len(), 1);
}

#[test]
fn a_whole_answer_and_one_in_lines_say_the_same() {
    let whole = json!({"message": {"content": r#"{"0":"Hallo","1":"Welt"}"#, "thinking": "{"},
        "done": true, "done_reason": "stop", "prompt_eval_count": 120, "eval_count": 31});
    let whole = read(200, JSON, &whole.to_string(), None);
    let lines = line(r#"{"0":"Hal"#) + &line(r#"lo","1":"Welt"}"#) + &last("stop");
    assert_eq!(read(200, LINES, &lines, None), whole);
    assert_eq!((whole.class, whole.usage.input, whole.usage.output), (Class::Ok, 120, 31));
}

#[test]
fn what_a_stream_broke_off_with_is_kept() {
    let check = |body: &str, broken, class: Class, items: usize, reason: &str| {
        let reading = read(200, LINES, body, broken);
        let found = (reading.class, reading.items.len(), reading.reason);
        assert_eq!(found, (class, items, reason), "{body}");
    };
    let broken = Some(TransportFault::Broken);
    let some = line(r#"{"0":"Hallo","1":"We"#);
    check(&some, broken, Class::Partial, 1, "stream_cut");
    check(&(some.clone() + r#"{"model":"m","mess"#), broken, Class::Partial, 1, "stream_cut");
    check(&(some.clone() + r#"{"model":"m","mess"#), None, Class::Partial, 1, "stream_cut");
    check(&line(r#"{"0":"Hal"#), broken, Class::Transient, 0, "stream_cut");
    check(&(some.clone() + &last("length")), None, Class::Truncated, 1, "");
    check(&last("load"), None, Class::Empty, 0, "");
    check(&(some + "{\"error\":\"server busy\"}\n"), None, Class::RateLimited, 1, "overloaded");
    let whole = json!({"message": {"content": "{}"}, "done": true}).to_string();
    let cut = read(200, JSON, &whole[..20], broken);
    assert_eq!(cut, crate::provider::fault(TransportFault::Broken));
}

#[test]
fn its_errors_are_told_apart() {
    let check = |status: u16, error: Value, class: Class, reason: &str| {
        let body = json!({ "error": error }).to_string();
        let reading = read(status, JSON, &body, None);
        assert_eq!((reading.class, reading.reason), (class, reason), "{body}");
        assert!(reason.is_empty() || !crate::provider::advice(reason).is_empty());
    };
    check(404, json!("model 'x' not found"), Class::ConfigError, "model_not_pulled");
    check(400, json!("\"nomic\" does not support chat"), Class::ConfigError, "not_a_chat_model");
    let memory = "model requires more system memory (5.6 GiB) than is available (3.2 GiB)";
    check(500, json!(memory), Class::ConfigError, "no_memory");
    let inner = json!({"error": {"code": 400, "message": "request (8889 tokens) exceeds the available context size (4096 tokens)"}});
    check(400, json!(inner.to_string()), Class::TooLarge, "");
    let longer = "the prompt is longer than the context length currently available to the model";
    check(400, json!(longer), Class::TooLarge, "");
    check(401, json!("unauthorized"), Class::ConfigError, "bad_key");
    check(429, json!("you've reached your weekly usage limit"), Class::QuotaExhausted, "weekly");
    let feature =
        |error: &str| read(400, JSON, &json!({ "error": error }).to_string(), None).feature;
    assert_eq!(feature("\"x\" does not support thinking"), Some(Feature::Thinking));
    assert_eq!(feature("think value \"low\" is not supported"), Some(Feature::Thinking));
    let old =
        "json: cannot unmarshal object into Go struct field ChatRequest.format of type string";
    assert_eq!(feature(old), Some(Feature::JsonSchema));
}

#[test]
fn odd_answers_are_read_without_panic() {
    for (body, class) in [
        ("{}", Class::Malformed),
        ("[]", Class::Empty),
        ("3", Class::Malformed),
        (r#"{"done":true}"#, Class::Empty),
        (r#"{"message":"x","done":"yes"}"#, Class::Empty),
        (r#"{"message":{"content":["x"]},"done":true}"#, Class::Empty),
    ] {
        assert_eq!(read(200, JSON, body, None).class, class, "{body}");
    }
}
