//! `webtranslator providers`, and the same over the wire.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server};
use serde_json::{Value, json};

use crate::browser::{Home, serve};
use crate::changes::settings;

fn run(home: &Home, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
    command.arg("providers").args(arguments).env("WEBTRANSLATOR_HOME", home.dir.path());
    command.envs(home.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    command.output().unwrap()
}

/// Returns what a command printed, and its exit code.
fn told(home: &Home, arguments: &[&str]) -> (String, i32) {
    let output = run(home, arguments);
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn settings_of(home: &Home) -> String {
    std::fs::read_to_string(home.path("settings.toml")).unwrap()
}

/// A port of this machine where nobody listens.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts a server that answers each path as a recorded one did, others with 404.
fn engine(address: &str, pages: &'static [(&'static str, &'static str)]) -> Option<u16> {
    let listener = TcpListener::bind((address, 0)).ok()?;
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || answer(&mut stream, pages));
        }
    });
    Some(port)
}

fn answer(stream: &mut TcpStream, pages: &[(&str, &str)]) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    // The rest of the head; a client that is gone has none.
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let page = pages.iter().find(|(known, _)| *known == path).map(|(_, name)| recorded(name));
    let (status, body) = page.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // Whoever has gone wants no answer.
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}

fn recorded(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/providers");
    let text = std::fs::read(folder.join(name).with_extension("json")).unwrap();
    let fixture: Value = serde_json::from_slice(&text).unwrap();
    let text = fixture["body_text"].as_str().map(|text| text.as_bytes().to_vec());
    text.unwrap_or_else(|| serde_json::to_vec(&fixture["body"]).unwrap())
}

const OLLAMA: &[(&str, &str)] = &[("/", "ollama/detect_root"), ("/api/tags", "ollama/detect_tags")];
const LLAMA_CPP: &[(&str, &str)] = &[
    ("/health", "llamacpp/detect_health_ok"),
    ("/v1/models", "llamacpp/detect_models"),
    ("/props", "llamacpp/detect_props"),
];
const APERTIUM: &[(&str, &str)] = &[("/listPairs", "apertium/list_pairs")];

#[test]
fn the_list_says_who_is_ready_and_why_not_with_key_and_price() {
    let mut home = Home::new(
        "providers = [\"deepl\", \"gemini\", \"openai\", \"local\", \"sample\"]\n\
         [provider.local]\nkind = \"openai\"\nmodel = \"qwen\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
    );
    home.environment.push(("WEBTRANSLATOR_KEY_GEMINI".into(), "canary-key-1234".into()));
    let (list, code) = told(&home, &["list"]);
    let line = |name: &str| {
        let found = list.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
        found.unwrap_or_else(|| panic!("{name}: {list}")).to_owned()
    };
    assert_eq!(code, 0);
    assert!(line("deepl").starts_with('1') && line("sample").starts_with('5'), "{list}");
    assert!(
        line("deepl").contains("misconfigured")
            && line("deepl").ends_with("$25.00 a million characters")
    );
    let gemini = line("gemini");
    assert!(gemini.contains("gemini-3.5-flash-lite  ready  "), "{gemini}");
    assert!(
        gemini.contains("has a key  ") && gemini.ends_with("$2.50 out a million tokens"),
        "{gemini}"
    );
    assert!(line("openai").contains("misconfigured") && line("openai").contains("no key"));
    assert!(list.contains("No key is stored for openai"), "{list}");
    assert!(line("local").contains("qwen") && line("local").ends_with("free"));
    assert!(line("sample").contains("needs no key"));
    assert!(!list.contains("canary"));
}

#[test]
fn the_list_says_that_the_readers_limit_is_reached() {
    let home = Home::new("providers = [\"sample\", \"gemini\"]\n[budget]\nusd_per_day = 0.01\n");
    let mut store = webtranslator::store::Store::open(
        &home.path("cache.db"),
        webtranslator::store::Mode::On,
        jiff::Timestamp::now(),
    )
    .0;
    store.add_usage(&[webtranslator::store::UsageRow {
        day: webtranslator::session::day_of(jiff::Timestamp::now()),
        provider: "gemini".to_owned(),
        cost_micros: Some(10_000),
        ..Default::default()
    }]);
    drop(store);
    let home = Home {
        environment: vec![("WEBTRANSLATOR_KEY_GEMINI".into(), "canary-key-1234".into())],
        ..home
    };
    let (list, _) = told(&home, &["list"]);
    assert!(list.contains("out") && list.contains("Your own limit of $0.01 a day"), "{list}");
}

#[test]
fn without_a_provider_the_list_says_how_to_get_one() {
    let (list, code) = told(&Home::new(""), &["list"]);
    assert!(list.contains("webtranslator providers detect"), "{list}");
    assert_eq!(code, 0);
    let broken = Home::new("providers = 7\n");
    let output = run(&broken, &["list"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("line 1"));
}

#[test]
fn a_test_tells_text_time_tokens_and_cost() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let (said, code) = told(&home, &["test", "main"]);
    assert!(said.starts_with("main: \"가«Good morning»\" in "), "{said}");
    assert!(said.trim_end().ends_with(" ms, 6 tokens in, 6 out, $0.00"), "{said}");
    assert_eq!(code, 0);
}

#[test]
fn a_test_of_all_tells_each_fault_and_what_to_do() {
    let good = serve(Script::default());
    let locked = serve(Script { key: Some("right".to_owned()), ..Script::default() });
    let text = settings(&[("good", &good), ("locked", &locked)], 60);
    let text =
        text.replace("[\"good\", \"locked\"]", "[\"good\", \"locked\", \"closed\", \"gemini\"]");
    let closed = format!(
        "[provider.closed]\nkind = \"apertium\"\nbase_url = \"http://127.0.0.1:{}\"\n",
        closed_port()
    );
    let home = Home::new(&(text + &closed));
    let (said, code) = told(&home, &["test"]);
    let line = |name: &str| {
        said.lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")))
            .unwrap_or_else(|| panic!("{said}"))
    };
    assert_eq!((code, said.lines().count()), (1, 4), "{said}");
    assert!(line("good").starts_with("\"가«Good morning»\""));
    assert!(line("locked").contains("did not accept the key"), "{said}");
    assert!(line("locked").contains("Enter it again, or make a new one"), "{said}");
    assert!(line("closed").contains("Start the server"), "{said}");
    assert_eq!(line("gemini"), "No key is stored for gemini: enter it in the options.");
}

#[test]
fn a_test_of_an_unknown_name_and_of_none_at_all_fail() {
    let (said, code) = told(&Home::new("providers = [\"sample\"]\n"), &["test", "nobody"]);
    assert!(said.contains("no provider of the name nobody"), "{said}");
    assert_eq!(code, 1);
    assert_eq!(told(&Home::new(""), &["test"]).1, 1);
}

#[test]
fn nothing_is_sent_to_an_endpoint_whose_terms_were_not_agreed_to() {
    let server = serve(Script::default());
    let home = Home::new(&format!(
        "providers = [\"web\"]\n[provider.web]\nkind = \"google-web\"\nbase_url = \"{}\"\n",
        server.url()
    ));
    let (said, code) = told(&home, &["test"]);
    assert!(said.contains("Unofficial") && said.contains("Agree to this"), "{said}");
    assert_eq!((code, server.calls().len()), (1, 0));
}

#[test]
fn an_engine_that_is_found_is_shown_with_the_settings_for_it() {
    let port = engine("127.0.0.1", OLLAMA).unwrap().to_string();
    let home = Home::new("# mine\ntarget = \"ko\"\nproviders = [\"sample\"]\n");
    let before = settings_of(&home);
    let (said, code) = told(&home, &["detect", "--port", &port]);
    assert_eq!(code, 0);
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("Ollama  http://127.0.0.1:"), "{said}");
    assert!(first.ends_with("gemma3:4b (of 2 models)  ollama"), "{said}");
    let toml = format!(
        "[provider.ollama]\nkind = \"ollama\"\nmodel = \"gemma3:4b\"\nbase_url = \
         \"http://127.0.0.1:{port}\"\nconcurrency = 1\n"
    );
    assert!(said.contains(&toml), "{said}");
    assert_eq!(settings_of(&home), before, "it was only shown");

    let (said, _) = told(&home, &["detect", "--port", &port, "--add"]);
    assert!(said.contains("Added ollama to ") && said.contains("settings.toml"), "{said}");
    let after = settings_of(&home);
    assert!(after.starts_with("# mine\n") && after.contains(&toml), "{after}");
    assert!(after.contains("providers = [\"sample\", \"ollama\"]"), "{after}");
    let (said, _) = told(&home, &["detect", "--port", &port, "--add"]);
    assert!(said.contains("set up as ollama") && said.contains("nothing to add"), "{said}");
    assert_eq!(settings_of(&home), after);
}

#[test]
fn several_engines_are_added_in_one_go() {
    let ports = [LLAMA_CPP, APERTIUM].map(|pages| engine("127.0.0.1", pages).unwrap().to_string());
    let home = Home::new("");
    let (said, _) = told(&home, &["detect", "--add", "--port", &ports[0], "--port", &ports[1]]);
    assert!(said.contains("Added llama-cpp, apertium to "), "{said}");
    let after = settings_of(&home);
    assert!(after.contains("providers = [\"llama-cpp\", \"apertium\"]"), "{after}");
    assert!(after.contains(&format!("base_url = \"http://127.0.0.1:{}/v1\"", ports[0])), "{after}");
}

#[test]
fn a_server_of_ours_that_is_detected_and_added_translates() {
    let server = serve(Script::default());
    let home = Home::new("target = \"ko\"\n");
    let port = server.port().to_string();
    let (said, _) = told(&home, &["detect", "--add", "--port", &port]);
    assert!(said.contains("Added local-server to "), "{said}");
    assert_eq!(home.greeted().translate_one("A text"), "local-server");
}

#[test]
fn an_engine_in_the_other_family_of_addresses_is_found_too() {
    let Some(port) = engine("::1", APERTIUM) else {
        eprintln!("this machine has no IPv6");
        return;
    };
    let (said, _) = told(&Home::new(""), &["detect", "--port", &port.to_string()]);
    assert!(said.starts_with(&format!("Apertium  http://[::1]:{port}")), "{said}");
}

#[test]
fn where_nobody_or_something_else_listens_nothing_is_found() {
    let other =
        engine("127.0.0.1", &[("/", "apertium/list_pairs"), ("/health", "ollama/detect_root")]);
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = [other.unwrap(), closed_port(), hanging.local_addr().unwrap().port()];
    let started = Instant::now();
    for port in ports.map(|port| port.to_string()) {
        let home = Home::new("");
        let (said, code) = told(&home, &["detect", "--add", "--port", &port]);
        assert!(said.starts_with("Nothing that translates answers at 127.0.0.1:"), "{said}");
        assert_eq!((code, settings_of(&home).as_str()), (0, ""));
    }
    assert!(started.elapsed() < Duration::from_secs(7), "one that hangs is asked once");
}

#[test]
fn the_wire_detects_and_tells_what_can_be_set_up() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "detect_providers", "id": 3}));
    let told = browser.next_word();
    assert_eq!((&told["type"], &told["id"]), (&json!("providers_detected"), &json!(3)), "{told}");
    let looked_at = told["looked_at"].as_array().unwrap();
    assert_eq!(looked_at.len(), 12, "{told}");
    for place in ["127.0.0.1:11434", "[::1]:2737", "127.0.0.1:8080"] {
        assert!(looked_at.contains(&json!(place)), "{told}");
    }
    assert!(told["found"].is_array());

    browser.send(&json!({"type": "get_settings", "id": 4}));
    let told = browser.next_word();
    let kinds = told["kinds"].as_array().unwrap();
    let kind = |name: &str| kinds.iter().find(|kind| kind["name"] == name).unwrap();
    assert_eq!(kinds.len(), webtranslator::provider::kinds::KINDS.len());
    assert_eq!(
        (&kind("gemini")["key"], &kind("gemini")["has_model"]),
        (&json!("needed"), &json!(true))
    );
    assert_eq!(
        (&kind("ollama")["key"], &kind("apertium")["key"]),
        (&json!("optional"), &json!("unused"))
    );
    assert_eq!(kind("azure")["fields"], json!(["region"]));
    assert_eq!(kind("deepl").get("terms"), None);
    assert!(kind("edge-web")["terms"].as_str().unwrap().starts_with("Unofficial"));
}

#[test]
fn a_session_that_looks_around_still_answers() {
    let server: Server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "detect_providers", "id": 3}));
    browser.send(&json!({"type": "test_provider", "id": 4, "provider": "main"}));
    browser.send(&json!({"type": "ping", "id": 5}));
    let mut types: Vec<String> =
        (0..3).map(|_| browser.next_word()["type"].as_str().unwrap().to_owned()).collect();
    types.sort();
    assert_eq!(types, ["pong", "provider_tested", "providers_detected"]);
}
