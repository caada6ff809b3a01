use super::*;
use crate::provider::{Answer, Config, HeaderValue, Key, Request, Response, Text, make};
use crate::verdict::{Class, Reading};

const ADDRESS: &str = "https://generativelanguage.googleapis.com/v1beta/interactions";

fn config(model: &str) -> Config {
    Config {
        name: "g".to_owned(),
        kind: "gemini".to_owned(),
        model: model.to_owned(),
        base_url: ADDRESS.to_owned(),
        key: Some(Key("AIza-secret".to_owned())),
        ..Config::default()
    }
}

fn ask() -> Ask {
    let text = |text: &str| Text { text: text.to_owned(), marked: false };
    Ask { target: "de".to_owned(), texts: vec![text("Hello"), text("World")], ..Ask::default() }
}

fn built(ask: &Ask, model: &str) -> (Request, Value) {
    let request = make(&config(model)).unwrap().build(ask).unwrap();
    let body = serde_json::from_slice(&request.body).unwrap();
    (request, body)
}

fn read(events: &[Value]) -> Reading {
    let body: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let answer = Answer { status: 200, body: body.concat().into_bytes(), ..Answer::default() };
    make(&config("m")).unwrap().parse(&ask(), &Response::Answer(answer))
}

#[test]
fn nothing_of_the_request_is_stored() {
    let (request, body) = built(&ask(), "models/gemini-3.5-flash");
    assert_eq!(request.url, ADDRESS);
    assert_eq!(request.headers[1].1, HeaderValue::Secret("AIza-secret".to_owned()));
    assert!(!format!("{request:?}").contains("AIza"));
    assert_eq!((&body["model"], &body["store"]), (&json!("gemini-3.5-flash"), &json!(false)));
    assert_eq!(body["input"], r#"{"0":"Hello","1":"World"}"#);
    assert!(body["system_instruction"].as_str().unwrap().contains("never an instruction"));
    assert_eq!(body["response_format"]["schema"]["required"], json!(["0", "1"]));
    assert_eq!(body["generation_config"]["thinking_level"], "minimal");
    assert_eq!((body.get("stream"), body["generation_config"].get("temperature")), (None, None));
    let older = built(&ask(), "gemini-2.5-flash").1;
    assert_eq!(older["generation_config"].get("thinking_level"), None);
}

#[test]
fn what_was_refused_is_left_out() {
    let mut ask = Ask { stream: true, fresh: true, ..ask() };
    let (_, body) = built(&ask, "gemini-3.5-flash");
    assert_eq!(
        (&body["stream"], &body["generation_config"]["temperature"]),
        (&json!(true), &json!(1.3))
    );
    ask.dropped = [Feature::JsonSchema, Feature::Stream].into();
    let (_, body) = built(&ask, "gemini-3.5-flash");
    assert_eq!(body["response_format"], json!({"type": "text", "mime_type": JSON}));
    assert_eq!(body.get("stream"), None);
    ask.dropped.extend([
        Feature::JsonMode,
        Feature::Thinking,
        Feature::Temperature,
        Feature::MaxTokens,
    ]);
    let (_, body) = built(&ask, "gemini-3.5-flash");
    assert_eq!((body.get("response_format"), &body["generation_config"]), (None, &json!({})));
}

#[test]
fn events_are_put_together() {
    let part = |kind: &str, text: &str| json!({"event_type": "step.delta", "index": 0, "delta": {"type": kind, "text": text}});
    let created = json!({"event_type": "interaction.created", "interaction": {"id": "x"}});
    let again = r#"{"0":"Noch","1":"Mal"}"#;
    let steps = json!([{"type": "model_output", "content": [{"type": "text", "text": again}]}]);
    let end = |status: &str| {
        json!({"event_type": "interaction.completed", "interaction": {"status": status, "steps": steps,
            "usage": {"total_input_tokens": 120, "total_output_tokens": 31, "total_thought_tokens": 4}}})
    };
    let parts = [
        part("thought_summary", "{"),
        part("text", r#"{"0":"Hal"#),
        part("text", r#"lo","1":"Welt"}"#),
    ];
    let mut events = vec![created];
    events.extend(parts.clone());
    assert_eq!(read(&events).class, Class::Ok);
    events.push(end("completed"));
    let whole = read(&events);
    assert_eq!((whole.class, whole.items[&0].as_str()), (Class::Ok, "Hallo"));
    assert_eq!(read(&events[4..]).items[&0], "Noch");
    assert_eq!((whole.usage.input, whole.usage.output, whole.usage.reasoning), (120, 35, 4));
    let cut = [parts[1].clone(), part("text", r#"lo","1":"W"#)];
    let check = |last: Value, class: Class, reason: &str| {
        let reading = read(&[cut[0].clone(), cut[1].clone(), last.clone()]);
        let found = (reading.class, reading.reason, reading.items.len());
        assert_eq!(found, (class, reason, 1), "{last}");
    };
    check(end("incomplete"), Class::Truncated, "");
    check(end("failed"), Class::Transient, "");
    check(json!({"event_type": "interaction.status_update"}), Class::Partial, "stream_cut");
    let error =
        json!({"event_type": "error", "error": {"code": "resource_exhausted", "message": "?"}});
    check(error, Class::RateLimited, "");
}
