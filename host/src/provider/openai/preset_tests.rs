//! What is sent to each server, and what its refusals lead to.

use serde_json::{Value, json};

use crate::provider::{Answer, Ask, Config, Key, Response, Text, make};
use crate::verdict::{Class, Feature, Reading};

fn config(base_url: &str, model: &str) -> Config {
    Config {
        name: "o".to_owned(),
        kind: "openai".to_owned(),
        model: model.to_owned(),
        base_url: base_url.to_owned(),
        key: Some(Key("sk-secret".to_owned())),
        ..Config::default()
    }
}

fn ask(dropped: &[Feature]) -> Ask {
    let text = |text: &str| Text { text: text.to_owned(), marked: false };
    let texts = vec![text("Hello"), text("World")];
    let dropped = dropped.iter().copied().collect();
    Ask { target: "de".to_owned(), texts, stream: true, dropped, ..Ask::default() }
}

fn built(base_url: &str, model: &str, dropped: &[Feature]) -> Value {
    let request = make(&config(base_url, model)).unwrap().build(&ask(dropped)).unwrap();
    serde_json::from_slice(&request.body).unwrap()
}

fn refused(base_url: &str, message: &str, dropped: &[Feature]) -> Reading {
    let answer = Answer {
        status: 400,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: json!({"error": {"message": message}}).to_string().into_bytes(),
        oversize: false,
        received: "2026-11-29T20:00:00Z".parse().unwrap(),
        broken: None,
    };
    make(&config(base_url, "m")).unwrap().parse(&ask(dropped), &Response::Answer(answer))
}

const OPENAI: &str = "https://api.openai.com/v1";
const OPENROUTER: &str = "https://openrouter.ai/api/v1";
const DEEPSEEK: &str = "https://api.deepseek.com";
const GROQ: &str = "https://api.groq.com/openai/v1";
const MISTRAL: &str = "https://api.mistral.ai/v1";
const LM_STUDIO: &str = "http://localhost:1234/v1";
const OLLAMA: &str = "http://127.0.0.1:11434/v1";
const LLAMA_CPP: &str = "http://127.0.0.1:8080/v1";
const VLLM: &str = "http://127.0.0.1:8000/v1";
const OTHER: &str = "https://x.test/v1";

#[test]
fn each_server_is_told_in_its_way_not_to_think() {
    let check = |base_url: &str, model: &str, expected: Value| {
        let body = built(base_url, model, &[]);
        let names = ["reasoning_effort", "reasoning", "thinking", "chat_template_kwargs"];
        let found: serde_json::Map<String, Value> =
            names.iter().filter_map(|n| Some(((*n).to_owned(), body.get(n)?.clone()))).collect();
        assert_eq!(Value::Object(found), expected, "{base_url} {model}");
        let left = built(base_url, model, &[Feature::Thinking]);
        assert!(names.iter().all(|name| left.get(name).is_none()), "{base_url} {model}");
    };
    check(OPENAI, "gpt-5.4-nano", json!({"reasoning_effort": "none"}));
    check(OPENAI, "gpt-5-mini", json!({"reasoning_effort": "minimal"}));
    check(OPENAI, "o4-mini", json!({"reasoning_effort": "low"}));
    check(OPENAI, "gpt-4.1", json!({}));
    check(OPENROUTER, "x/y", json!({"reasoning": {"effort": "none"}}));
    check(DEEPSEEK, "deepseek-v4-flash", json!({"thinking": {"type": "disabled"}}));
    check(GROQ, "openai/gpt-oss-20b", json!({"reasoning_effort": "low"}));
    check(GROQ, "qwen/qwen3-32b", json!({"reasoning_effort": "none"}));
    check(GROQ, "llama-3.3-70b-versatile", json!({}));
    check(MISTRAL, "mistral-small-latest", json!({}));
    check(LM_STUDIO, "gemma", json!({}));
    check(OLLAMA, "gemma4", json!({"reasoning_effort": "none"}));
    for local in [LLAMA_CPP, VLLM, "http://[::1]:5001/v1", "https://gpu.test:8000/v1"] {
        check(local, "qwen", json!({"chat_template_kwargs": {"enable_thinking": false}}));
    }
    check(OTHER, "gpt-5.4-nano", json!({}));
    check("https://openai.com.test/v1", "gpt-5.4-nano", json!({}));
}

#[test]
fn each_server_is_asked_for_the_strictest_form_that_it_has() {
    let check = |base_url: &str, expected: [&str; 2]| {
        let kind = |dropped: &[Feature]| {
            let body = built(base_url, "m", dropped);
            body["response_format"]["type"].as_str().unwrap_or("").to_owned()
        };
        let found = [kind(&[]), kind(&[Feature::JsonSchema])];
        assert_eq!(found, expected, "{base_url}");
        assert_eq!(kind(&[Feature::JsonSchema, Feature::JsonMode]), "", "{base_url}");
    };
    for base_url in [OPENAI, OPENROUTER, GROQ, MISTRAL, OLLAMA, LLAMA_CPP, VLLM, OTHER] {
        check(base_url, ["json_schema", "json_object"]);
    }
    check(DEEPSEEK, ["json_object", "json_object"]);
    check(LM_STUDIO, ["json_schema", ""]);
    let schema = |base_url| {
        built(base_url, "m", &[Feature::JsonSchema])["response_format"]["schema"].clone()
    };
    assert_eq!(schema(VLLM)["required"], json!(["0", "1"]));
    assert_eq!(schema(OTHER), Value::Null);
    let refused = refused(DEEPSEEK, "response_format is not supported", &[]);
    assert_eq!(refused.feature, Some(Feature::JsonMode));
}

#[test]
fn all_stream_but_groq_and_count_if_they_must_be_asked() {
    let counted = json!({"include_usage": true});
    for base_url in [OPENAI, DEEPSEEK, LM_STUDIO, OLLAMA, LLAMA_CPP, VLLM, OTHER] {
        let body = built(base_url, "m", &[]);
        assert_eq!(
            (&body["stream"], &body["stream_options"]),
            (&json!(true), &counted),
            "{base_url}"
        );
    }
    for base_url in [OPENROUTER, MISTRAL] {
        let body = built(base_url, "m", &[]);
        assert_eq!(
            (&body["stream"], body.get("stream_options")),
            (&json!(true), None),
            "{base_url}"
        );
    }
    assert_eq!(built(OPENROUTER, "m", &[])["usage"], json!({"include": true}));
    assert_eq!(built(OTHER, "m", &[]).get("usage"), None);
    for (base_url, dropped) in [(GROQ, &[][..]), (OPENAI, &[Feature::Stream])] {
        let body = built(base_url, "m", dropped);
        assert_eq!((body.get("stream"), body.get("stream_options")), (None, None), "{base_url}");
    }
    for (base_url, expected) in [(GROQ, false), (OPENAI, true)] {
        let provider = make(&config(base_url, "m")).unwrap();
        let found = (provider.capacity().streams, provider.take().is_some());
        assert_eq!(found, (expected, expected), "{base_url}");
    }
    let verified = "Your organization must be verified to stream this model.";
    assert_eq!(refused(OPENAI, verified, &[]).feature, Some(Feature::Stream));
}

#[test]
fn the_limit_of_output_has_the_name_that_the_server_knows() {
    for (base_url, new, old) in [(OPENAI, true, false), (GROQ, true, false), (OTHER, false, true)] {
        let body = built(base_url, "m", &[]);
        let found = ["max_completion_tokens", "max_tokens"].map(|n| body.get(n).is_some());
        assert_eq!(found, [new, old], "{base_url}");
    }
    for (base_url, model, warm) in [
        (OPENAI, "gpt-5.4-nano", false),
        (OPENAI, "gpt-4.1", true),
        (GROQ, "openai/gpt-oss-20b", true),
        (OLLAMA, "m", true),
    ] {
        assert_eq!(built(base_url, model, &[]).get("temperature").is_some(), warm, "{model}");
    }
}

#[test]
fn of_a_refused_effort_the_least_supported_one_is_asked_next() {
    let message = "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none', 'low', 'medium', 'high'.";
    assert_eq!(refused(OPENAI, message, &[]).feature, Some(Feature::EffortNone));
    let effort =
        |dropped: &[Feature]| built(OPENAI, "gpt-5-mini", dropped)["reasoning_effort"].clone();
    assert_eq!(effort(&[Feature::EffortNone]), "none");
    assert_eq!(effort(&[Feature::EffortNone, Feature::EffortLow]), "low");
    let again = refused(OPENAI, message, &[Feature::EffortNone]);
    assert_eq!((again.class, again.feature), (Class::FeatureError, Some(Feature::Thinking)));
    let never = refused(OPENAI, message, &[Feature::EffortNone, Feature::Thinking]);
    assert_eq!((never.class, never.feature), (Class::ConfigError, None));
    let unknown = "Unrecognized request argument supplied: reasoning_effort";
    assert_eq!(refused(OPENAI, unknown, &[]).feature, Some(Feature::Thinking));
}

#[test]
fn a_model_of_openrouter_that_must_think_is_asked_to_think_least() {
    let message = "Reasoning is mandatory for this endpoint and cannot be disabled.";
    let mut dropped = Vec::new();
    for (step, effort) in [
        (Feature::EffortMinimal, json!({"effort": "minimal"})),
        (Feature::EffortLow, json!({"effort": "low"})),
        (Feature::Thinking, Value::Null),
    ] {
        assert_eq!(refused(OPENROUTER, message, &dropped).feature, Some(step));
        dropped.push(step);
        assert_eq!(built(OPENROUTER, "m", &dropped)["reasoning"], effort);
    }
    assert_eq!(refused(OPENROUTER, message, &dropped).class, Class::ConfigError);
}

#[test]
fn what_a_template_does_not_take_is_dropped() {
    let message = "Extra inputs are not permitted: chat_template_kwargs";
    assert_eq!(refused(VLLM, message, &[]).feature, Some(Feature::Thinking));
}
