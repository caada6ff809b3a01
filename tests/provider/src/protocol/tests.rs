//! Batches read from each protocol's requests, and answers written.

use super::*;
use crate::content::Form;
use serde_json::{Value, json};
use std::time::Duration;

fn ids_and_texts(batch: &Batch) -> Vec<(&str, &str)> {
    batch.items.iter().map(|item| (item.id.as_str(), item.text.as_str())).collect()
}

fn gemini(text: &str) -> Vec<u8> {
    let contents = json!([{"role": "user", "parts": [{"text": text}]}]);
    json!({"systemInstruction": {"parts": [{"text": "{\"9\":\"no\"}"}]}, "contents": contents})
        .to_string()
        .into()
}

fn openai(content: &Value) -> Vec<u8> {
    let messages = json!([
        {"role": "system", "content": "Answer like {\"0\":\"…\"}"},
        {"role": "user", "content": content},
    ]);
    json!({"model": "m", "messages": messages}).to_string().into()
}

fn decision(outcome: Outcome) -> Decision {
    let retry_after = (outcome == Outcome::RateLimited).then(|| Duration::from_millis(25_300));
    Decision { outcome, takes: Duration::ZERO, retry_after, variant: 0 }
}

fn answer(protocol: Protocol, outcome: Outcome, advice: bool) -> (Answer, Value) {
    let batch = Protocol::OpenAi.batch(&openai(&json!("{\"0\":\"a b\",\"1\":\"c\"}"))).unwrap();
    let script = Script { advice, requests_per_minute: Some(15), ..Script::default() };
    let answer = protocol.answer(&batch, &decision(outcome), &script);
    let body = serde_json::from_slice(&answer.body).unwrap();
    (answer, body)
}

#[test]
fn the_last_object_of_the_last_user_message_is_the_batch() {
    let prompt = "Terms: {\"map\":\"지도\"}. Text: {\"0\":\"a {\\\"x\\\":\\\"y\\\"}\",\"10\":\"b\",\"2\":\"c\"} Go.";
    let expected = [("0", "a {\"x\":\"y\"}"), ("10", "b"), ("2", "c")];
    assert_eq!(ids_and_texts(&Protocol::Gemini.batch(&gemini(prompt)).unwrap()), expected);
    let parts = json!([{"type": "text", "text": "Translate"}, {"type": "text", "text": prompt}]);
    for content in [json!(prompt), parts] {
        assert_eq!(ids_and_texts(&Protocol::OpenAi.batch(&openai(&content)).unwrap()), expected);
    }
    let braces = gemini("{\"0\":\"write {} here\",\"1\":\"b\"}");
    let expected = [("0", "write {} here"), ("1", "b")];
    assert_eq!(ids_and_texts(&Protocol::Gemini.batch(&braces).unwrap()), expected);
    let wrapped = "{\"texts\":{\"0\":\"a\"}}";
    assert_eq!(ids_and_texts(&Protocol::Gemini.batch(&gemini(wrapped)).unwrap()), [("0", "a")]);
}

#[test]
fn a_request_without_a_batch_is_an_error() {
    for text in ["hello", "{}", "{\"0\":1}", "{\"0\":\"a"] {
        assert!(Protocol::Gemini.batch(&gemini(text)).is_err(), "{text}");
        assert!(Protocol::OpenAi.batch(&openai(&json!(text))).is_err(), "{text}");
    }
    for form in ["q=a", "langpair=eng&q=a", "langpair=eng%7Cspa"] {
        assert!(Protocol::Apertium.batch(form.as_bytes()).is_err(), "{form}");
    }
}

#[test]
fn apertium_takes_the_last_q_and_reads_its_parts() {
    let form = b"langpair=eng%7Cspa&q=lost&q=%3Cp+id%3D%220%22%3EThe+%3Ci1%3Ehouse%3C%2Fi1%3E%3C%2Fp%3E%3Cp+id%3D%221%22%3Eb%3C%2Fp%3E";
    let batch = Protocol::Apertium.batch(form).unwrap();
    assert_eq!(ids_and_texts(&batch), [("0", "The <i1>house</i1>"), ("1", "b")]);
    let bare = Protocol::Apertium.batch(b"langpair=en%7Ces&q=Hello+you").unwrap();
    assert_eq!((ids_and_texts(&bare), bare.form), (vec![("", "Hello you")], Form::Bare));
}

#[test]
fn each_protocol_wraps_what_the_engine_said() {
    let content = "{\"0\":\"가«a b»\",\"1\":\"가«c»\"}";
    let (_, body) = answer(Protocol::Gemini, Outcome::Ok, false);
    assert_eq!(body["candidates"][0]["content"]["parts"][0]["text"], content);
    assert_eq!(body["candidates"][0]["finishReason"], "STOP");
    let (_, body) = answer(Protocol::OpenAi, Outcome::Ok, false);
    assert_eq!(body["choices"][0]["message"]["content"], content);
    let (_, body) = answer(Protocol::Apertium, Outcome::Ok, false);
    assert_eq!(body["responseData"]["translatedText"], content);
}

#[test]
fn a_refusal_and_a_cut_answer_are_told_as_the_real_services_tell_them() {
    let (_, body) = answer(Protocol::Gemini, Outcome::Refused, false);
    assert_eq!(body["promptFeedback"]["blockReason"], "PROHIBITED_CONTENT");
    assert!(body.get("candidates").is_none());
    let (_, body) = answer(Protocol::OpenAi, Outcome::Refused, false);
    assert!(body["choices"][0]["message"]["refusal"].is_string());
    let (_, body) = answer(Protocol::Gemini, Outcome::Truncated, false);
    assert_eq!(body["candidates"][0]["finishReason"], "MAX_TOKENS");
    let (_, body) = answer(Protocol::OpenAi, Outcome::Truncated, false);
    assert_eq!(body["choices"][0]["finish_reason"], "length");
}

#[test]
fn a_limit_is_told_with_advice_only_if_the_script_says_so() {
    let (_, body) = answer(Protocol::Gemini, Outcome::RateLimited, true);
    assert_eq!(body["error"]["details"][0]["violations"][0]["quotaValue"], "15");
    assert_eq!(body["error"]["details"][1]["retryDelay"], "26s");
    for protocol in [Protocol::OpenAi, Protocol::Apertium] {
        let (told, _) = answer(protocol, Outcome::RateLimited, true);
        assert!(told.headers.contains(&("retry-after".into(), "26".into())));
    }
    for protocol in [Protocol::Gemini, Protocol::OpenAi, Protocol::Apertium] {
        let (bare, body) = answer(protocol, Outcome::RateLimited, false);
        assert_eq!((bare.status, bare.headers.len()), (429, 1));
        assert!(body["error"].get("details").is_none());
        assert_eq!(answer(protocol, Outcome::Unavailable, false).0.status, 503);
    }
}

#[test]
fn paths_tell_the_protocols_apart() {
    let of = Protocol::of_path;
    assert_eq!(of("/v1beta/models/some-model:generateContent"), Some(Protocol::Gemini));
    assert_eq!(of("/openai/v1/chat/completions"), Some(Protocol::OpenAi));
    assert_eq!(of("/translate"), Some(Protocol::Apertium));
    assert_eq!(of("/v1beta/models/some-model:countTokens"), None);
    assert!(Protocol::list("/v1/models").is_some());
    assert!(Protocol::list("/v1beta/models").is_some());
    assert!(Protocol::list("/elsewhere").is_none());
}
