use super::*;
use std::path::Path;

/// Returns a recorded answer, none where the connection was refused, and what
/// it is expected to mean.
fn recorded(name: &str) -> (Option<Answer>, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/providers");
    let text = std::fs::read(folder.join(name).with_extension("json")).unwrap();
    let fixture: Value = serde_json::from_slice(&text).unwrap();
    let body = match (&fixture["body"], fixture["body_text"].as_str()) {
        (_, Some(text)) => text.as_bytes().to_vec(),
        (body, None) => serde_json::to_vec(body).unwrap(),
    };
    let status = u16::try_from(fixture["status"].as_u64().unwrap()).unwrap();
    let answer = Answer { status, body, ..Answer::default() };
    (fixture["fault"].is_null().then_some(answer), fixture["expect"].clone())
}

/// Returns what the engine at this port is, by these recorded answers.
fn at(port: u16, names: &[&str]) -> Option<Engine> {
    let answers: Vec<_> = names.iter().map(|name| recorded(name).0).collect();
    PLACES.iter().find(|place| place.port == port).unwrap().recognise(&answers)
}

fn models(name: &str) -> Vec<String> {
    let models = recorded(name).1["models"].clone();
    models.as_array().unwrap().iter().map(|m| m.as_str().unwrap().to_owned()).collect()
}

#[test]
fn ollama_is_known_by_its_root_and_names_its_models() {
    let found = at(11434, &["ollama/detect_root", "ollama/detect_tags"]).unwrap();
    assert_eq!((found.kind, found.path, found.concurrency), ("ollama", "", Some(1)));
    assert_eq!(found.models, models("ollama/detect_tags"));
    assert_eq!(found.model.as_deref(), recorded("ollama/detect_tags").1["model"].as_str());
}

#[test]
fn ollama_without_a_model_is_found_without_one() {
    let found = at(11434, &["ollama/detect_root", "ollama/detect_tags_empty"]).unwrap();
    assert_eq!((found.models, found.model), (vec![], None));
    assert!(at(11434, &["ollama/detect_root", "ollama/detect_refused"]).is_some());
}

#[test]
fn nobody_is_found_where_nobody_listens() {
    for place in PLACES {
        assert_eq!(place.recognise(&[recorded("ollama/detect_refused").0]), None);
        assert_eq!(place.recognise(&[]), None);
    }
}

#[test]
fn embedding_models_are_not_offered() {
    let found = at(1234, &["lmstudio/detect_models"]).unwrap();
    assert_eq!((found.kind, found.title, found.path), ("openai", "LM Studio", "/v1"));
    assert_eq!(found.models, models("lmstudio/detect_models"));
    assert_eq!(found.model.as_deref(), Some("gemma-3-4b"));
}

#[test]
fn llama_cpp_says_its_slots_and_its_window() {
    let answers = ["llamacpp/detect_health_ok", "llamacpp/detect_models", "llamacpp/detect_props"];
    let found = at(8080, &answers).unwrap();
    let expected = recorded("llamacpp/detect_props").1;
    assert_eq!(u64::from(found.concurrency.unwrap()), expected["slots"]);
    assert_eq!(u64::from(found.context_tokens.unwrap()), expected["n_ctx"]);
    assert_eq!(found.models, models("llamacpp/detect_models"));
    assert_eq!((found.kind, found.title), ("openai", "llama.cpp"));
    // An older one has no such page.
    let found = at(8080, &answers[..2]).unwrap();
    assert_eq!((found.concurrency, found.context_tokens), (Some(1), None));
}

#[test]
fn the_window_of_llama_cpp_is_shared_out_among_its_slots() {
    let json = |text: &str| {
        Some(Answer { status: 200, body: text.as_bytes().to_vec(), ..Answer::default() })
    };
    let place = PLACES.iter().find(|place| place.port == 8080).unwrap();
    let with = |props: &str| {
        let health = recorded("llamacpp/detect_health_ok").0;
        place.recognise(&[health, recorded("llamacpp/detect_models").0, json(props)]).unwrap()
    };
    let found = with(r#"{"total_slots":4,"default_generation_settings":{"n_ctx":8192}}"#);
    assert_eq!((found.concurrency, found.context_tokens), (Some(4), Some(2048)));
    for nonsense in [
        r#"{"total_slots":0,"default_generation_settings":{"n_ctx":0}}"#,
        r#"{"total_slots":-1,"default_generation_settings":7}"#,
        r#"{"total_slots":1e300,"default_generation_settings":{"n_ctx":"many"}}"#,
        "[]",
        "",
    ] {
        let found = with(nonsense);
        assert_eq!((found.concurrency, found.context_tokens), (Some(1), None), "{nonsense}");
    }
}

#[test]
fn another_program_at_a_usual_port_is_no_engine() {
    let page = |status, body: &str| {
        Some(Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() })
    };
    let health = || recorded("llamacpp/detect_health_ok").0;
    for body in ["<html>Hello</html>", "{}", "[]", "null", "{\"data\":[]}", "\"ok\"", "\u{0}"] {
        for place in PLACES {
            let answers: Vec<_> = place.paths.iter().map(|_| page(200, body)).collect();
            assert_eq!(place.recognise(&answers), None, "{} {body}", place.port);
        }
        let llama = PLACES.iter().find(|place| place.port == 8080).unwrap();
        assert_eq!(llama.recognise(&[health(), page(200, body), None]), None, "{body}");
    }
    let refused = page(403, &String::from_utf8(health().unwrap().body).unwrap());
    let models = || recorded("llamacpp/detect_models").0;
    let llama = PLACES.iter().find(|place| place.port == 8080).unwrap();
    assert_eq!(llama.recognise(&[refused, models(), None]), None);
    assert_eq!(llama.recognise(&[page(200, r#"{"status":"UP"}"#), models(), None]), None);
}

#[test]
fn servers_of_chat_completions_are_told_apart() {
    let found = at(8000, &["vllm/detect_models"]).unwrap();
    assert_eq!((found.kind, found.title, found.path), ("openai", "vLLM", "/v1"));
    assert_eq!(found.models, models("vllm/detect_models"));
    assert_eq!(u64::from(found.context_tokens.unwrap()), recorded("vllm/detect_models").1["n_ctx"]);
    let found = at(8000, &["llama_cpp_python/detect_models"]).unwrap();
    assert_eq!((found.title, found.context_tokens), ("llama-cpp-python", None));
    // Who it is, it says itself; its port does not.
    assert_eq!(at(1234, &["vllm/detect_models"]).unwrap().title, "vLLM");
    assert_eq!(at(8000, &["lmstudio/detect_models"]).unwrap().title, "LM Studio");
    assert_eq!(at(8000, &["openai/models_list"]).unwrap().title, LOCAL);
}

#[test]
fn engines_by_rule_are_known_by_their_lists() {
    let found = at(2737, &["apertium/list_pairs"]).unwrap();
    assert_eq!((found.kind, found.model, found.concurrency), ("apertium", None, None));
    let found = at(5000, &["libretranslate/detect_languages"]).unwrap();
    assert_eq!((found.kind, found.title, found.path), ("libretranslate", "LibreTranslate", ""));
    assert_eq!(at(5000, &["apertium/list_pairs"]), None);
    assert_eq!(at(2737, &["libretranslate/detect_languages"]), None);
}

#[test]
fn what_was_not_sent_whole_is_not_read() {
    let mut answer = recorded("apertium/list_pairs").0.unwrap();
    answer.oversize = true;
    let place = PLACES.iter().find(|place| place.port == 2737).unwrap();
    assert_eq!(place.recognise(&[Some(answer)]), None);
}

#[test]
fn a_name_is_that_of_the_engine_or_the_next_that_is_free() {
    assert_eq!(free_name("LM Studio", |_| false), "lm-studio");
    assert_eq!(free_name("llama.cpp", |name| name == "llama-cpp"), "llama-cpp-2");
    let taken = |name: &str| ["ollama", "ollama-2", "ollama-3"].contains(&name);
    assert_eq!(free_name("Ollama", taken), "ollama-4");
}
