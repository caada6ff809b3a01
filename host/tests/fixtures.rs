//! Every recorded answer of every provider, read by its provider's parser.
//!
//! A fixture fixes the meaning of an answer: its class, the items that count,
//! the pause or the end of a quota, the tokens. See `docs/PROVIDERS.md`.

#![allow(clippy::unwrap_used, reason = "a fixture that is not as described fails its test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use webtranslator::markup::{self, Fault, Part, Tags, read_tags};
use webtranslator::provider::{
    self, Answer, Ask, Config, Key, Provider, Response, Text, TransportFault,
};
use webtranslator::verdict::{Class, Feature, Reading, Until};

/// The time at which answers without a `date` header came.
const CLOCK: &str = "2026-11-29T20:00:00Z";

/// The base URL that the fixtures of a folder came from, and the kind that reads them.
const FOLDERS: &[(&str, &str, &str)] = &[
    ("_llm_text", "openai", "https://api.openai.com/v1"),
    ("_transport", "openai", "https://api.openai.com/v1"),
    ("gemini", "gemini", "https://generativelanguage.googleapis.com"),
    ("openai", "openai", "https://api.openai.com/v1"),
    ("apertium", "apertium", "http://127.0.0.1:2737"),
    ("openrouter", "openai", "https://openrouter.ai/api/v1"),
    ("deepseek", "openai", "https://api.deepseek.com"),
    ("groq", "openai", "https://api.groq.com/openai/v1"),
    ("mistral", "openai", "https://api.mistral.ai/v1"),
    ("vllm", "openai", "http://127.0.0.1:8000/v1"),
    ("lmstudio", "openai", "http://127.0.0.1:1234/v1"),
    ("llamacpp", "openai", "http://127.0.0.1:8080/v1"),
    ("llama_cpp_python", "openai", "http://127.0.0.1:8000/v1"),
    ("anthropic", "anthropic", "https://api.anthropic.com"),
    ("ollama", "ollama", "http://127.0.0.1:11434"),
    ("deepl", "deepl", "https://api.deepl.com"),
    ("azure", "azure", "https://api.cognitive.microsofttranslator.com"),
    ("google_v2", "google-cloud", "https://translation.googleapis.com"),
    ("google_v3", "google-cloud", "https://translation.googleapis.com"),
    ("google_gtx", "google-web", "https://translate.googleapis.com"),
    ("google_pa", "google-web", "https://translate.googleapis.com"),
    ("libretranslate", "libretranslate", "http://127.0.0.1:5000"),
    ("msedge", "edge-web", "https://edge.microsoft.com"),
    ("papago", "papago", "https://papago.apigw.ntruss.com"),
    ("yandex", "yandex", "https://translate.api.cloud.yandex.net"),
];

/// Where a server has two APIs, whose answers lie in one folder: the kind that
/// reads those of the other one.
const OTHER_API: &[(&str, &str, &str)] = &[("ollama", "openai", "http://127.0.0.1:11434/v1")];

/// Whether an answer is one of chat completions.
fn is_of_chat_completions(fixture: &Value) -> bool {
    let named = fixture["case"].as_str().is_some_and(|case| case.ends_with("_v1"));
    named || fixture["body"]["object"] == "chat.completion"
}

/// The kinds whose endpoints take no key.
const KEYLESS: [&str; 2] = ["google-web", "edge-web"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/providers")
}

fn make(folder: &str, kind: &str, base_url: &str) -> Box<dyn Provider> {
    let key = Key("id:sk-secret-key".to_owned());
    let config = Config {
        name: "test".to_owned(),
        kind: kind.to_owned(),
        model: "model".to_owned(),
        base_url: base_url.to_owned(),
        key: Some(key).filter(|_| !KEYLESS.contains(&kind)),
        project: (folder == "google_v3").then(|| "p".to_owned()),
        ..Config::default()
    };
    provider::make(&config).unwrap()
}

fn ask(fixture: &Value) -> Option<Ask> {
    let request = &fixture["request"];
    let texts = request["texts"].as_array()?;
    let marked = request["tag_handling"] == "xml" || request["format"] == "html";
    let text = |text: &Value| sent(text.as_str().unwrap(), marked);
    Some(Ask {
        source: request["from"].as_str().filter(|from| *from != "auto").map(str::to_owned),
        target: request["to"].as_str().unwrap().to_owned(),
        texts: texts.iter().map(text).collect(),
        ..Ask::default()
    })
}

/// Turns a text as an engine was sent it into the wire's form.
fn sent(text: &str, marked: bool) -> Text {
    if text.starts_with("<b10>") {
        let text = text.replace("<b", "<").replace("</b", "</");
        return Text { text, marked: true };
    }
    let text = if marked {
        text.replace("<x id=\"1\">", "<1>").replace("</x>", "</1>").replace("&gt;", ">")
    } else {
        text.to_owned()
    };
    Text { text, marked }
}

fn response(fixture: &Value) -> Response {
    let fault = fixture["fault"].as_str().unwrap_or("");
    let (name, detail) = fault.split_once(':').unwrap_or((fault, ""));
    let transport = match name {
        "connect_refused" => Some(TransportFault::Refused),
        "dns_failure" => Some(TransportFault::Dns),
        "tls_bad_certificate" => Some(TransportFault::Tls),
        "reset_after_bytes" | "close_before_content_length" | "reset_before_headers" => {
            Some(TransportFault::Broken)
        }
        "hang_before_headers" | "hang_after_headers" => Some(TransportFault::Timeout),
        "content_encoding_gzip_but_plain" => Some(TransportFault::Undecodable),
        _ => None,
    };
    if let Some(fault) = transport {
        return Response::Fault(fault);
    }
    let headers = fixture["headers"].as_object().unwrap().iter();
    let mut answer = Answer {
        status: u16::try_from(fixture["status"].as_u64().unwrap()).unwrap(),
        headers: headers.map(|(n, v)| (n.clone(), v.as_str().unwrap().to_owned())).collect(),
        body: body(fixture),
        oversize: false,
        received: CLOCK.parse().unwrap(),
        broken: None,
    };
    match name {
        "raw_hex" => {
            let hex: Vec<u8> = detail.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte =
                |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            answer.body = hex.chunks(2).map(byte).collect();
        }
        "body_bytes" => {
            answer.body = vec![b'x'; provider::MAX_BODY_BYTES];
            answer.oversize = true;
        }
        "" => {}
        other => panic!("unknown fault {other}"),
    }
    Response::Answer(answer)
}

fn body(fixture: &Value) -> Vec<u8> {
    match (&fixture["body"], fixture["body_text"].as_str()) {
        (_, Some(text)) => text.as_bytes().to_vec(),
        (Value::Null, None) => Vec::new(),
        (body, None) => serde_json::to_vec(body).unwrap(),
    }
}

fn class(name: &str) -> Class {
    match name {
        "ok" => Class::Ok,
        "partial" => Class::Partial,
        "malformed" => Class::Malformed,
        "truncated" => Class::Truncated,
        "empty" => Class::Empty,
        "transient" => Class::Transient,
        "rate_limited" => Class::RateLimited,
        "quota_exhausted" => Class::QuotaExhausted,
        "blocked" => Class::Blocked,
        "too_large" => Class::TooLarge,
        "feature_error" => Class::FeatureError,
        "config_error" => Class::ConfigError,
        other => panic!("unknown class {other}"),
    }
}

fn feature(name: &str) -> Feature {
    match name {
        "json_schema" | "response_json_schema" => Feature::JsonSchema,
        "json_object" => Feature::JsonMode,
        "thinking" => Feature::Thinking,
        // The least effort that the error names.
        "reasoning_effort" => Feature::EffortNone,
        "temperature" => Feature::Temperature,
        "max_tokens" => Feature::MaxTokens,
        "cached_content" => Feature::CachedContent,
        "prefill" => Feature::Prefill,
        "glossary_id" => Feature::Glossary,
        "tag_handling" => Feature::Markup,
        other => panic!("unknown feature {other}"),
    }
}

/// Returns everything in which a reading is not what the fixture expects.
fn differences(expect: &Value, ask: &Ask, reading: &Reading) -> Vec<String> {
    let mut out = Vec::new();
    let wanted = class(expect["class"].as_str().unwrap());
    if reading.class != wanted {
        out.push(format!("class {:?} ({}), not {wanted:?}", reading.class, reading.reason));
    }
    let found = shown(expect, ask, reading);
    if let Some(items) = items(expect)
        && items != found
    {
        out.push(format!("items {found:?}, not {items:?}"));
    }
    if let Some(reason) = expect["user_msg"].as_str()
        && reading.reason != reason
    {
        out.push(format!("reason {:?}, not {reason:?}", reading.reason));
    }
    // Reasons that are not ours stand in some fixtures as notes.
    if let Some(reason) = expect["reason"].as_str()
        && !provider::advice(reason).is_empty()
        && reading.reason != reason
    {
        out.push(format!("reason {:?}, not {reason:?}", reading.reason));
    }
    if let Some(name) = expect["feature"].as_str()
        && reading.feature != Some(feature(name))
    {
        out.push(format!("feature {:?}, not {name}", reading.feature));
    }
    let advice = provider::advice(reading.reason);
    if expect["or_config"].is_string() && !advice.contains("application") {
        out.push(format!("the advice does not name the other cause: {advice}"));
    }
    let usage = &expect["usage"];
    let sent = ask.texts.iter().map(|text| text.text.chars().count() as u64).sum();
    if let Some(chars) = usage["chars"].as_u64()
        && reading.usage.characters.unwrap_or(sent) != chars
    {
        out.push(format!("characters {:?}, not {chars}", reading.usage.characters));
    }
    if let Some(usage) = usage.as_object().filter(|usage| usage.contains_key("in")) {
        let found = [
            reading.usage.input,
            reading.usage.output,
            reading.usage.cached,
            reading.usage.reasoning,
        ];
        let wanted = ["in", "out", "cached", "reasoning"].map(|name| usage[name].as_u64().unwrap());
        if found != wanted {
            out.push(format!("usage {found:?}, not {wanted:?}"));
        }
    }
    out.extend(waiting(expect, wanted, reading));
    if !reading.reason.is_empty() && provider::advice(reading.reason).is_empty() {
        out.push(format!("no advice for {:?}", reading.reason));
    }
    out
}

/// Returns the items as a reader sees them: without tags and entities, and the
/// runs of text apart where the fixture has them so.
fn shown(expect: &Value, ask: &Ask, reading: &Reading) -> BTreeMap<usize, String> {
    let apart = expect["translations"].as_array().is_some_and(|t| t.len() > ask.texts.len());
    if let Some(item) = reading.items.get(&0).filter(|_| apart) {
        let run = |part: Part<'_>| match part {
            Part::Text(raw) => Some(markup::unescape(raw)),
            _ => None,
        };
        return markup::parts(item).filter_map(run).enumerate().collect();
    }
    let plain = |(at, item): (&usize, &String)| (*at, markup::plain(item, ask.texts[*at].marked));
    reading.items.iter().map(plain).collect()
}

fn items(expect: &Value) -> Option<BTreeMap<usize, String>> {
    if let Some(list) = expect["translations"].as_array() {
        return Some(list.iter().map(|t| t.as_str().unwrap().to_owned()).enumerate().collect());
    }
    let salvage = expect["salvage"].as_object()?;
    let read =
        |(id, text): (&String, &Value)| (id.parse().unwrap(), text.as_str().unwrap().to_owned());
    Some(salvage.iter().map(read).collect())
}

fn waiting(expect: &Value, class: Class, reading: &Reading) -> Option<String> {
    let now: Timestamp = CLOCK.parse().unwrap();
    let (found, wanted) = match class {
        Class::RateLimited => {
            let wanted = match &expect["cooldown_ms"] {
                Value::String(text) if text.starts_with("http-date") => 30_000,
                Value::String(text) if text.contains("X-RateLimit-Reset") => 30_000,
                number => number.as_u64().unwrap(),
            };
            (format!("{:?}", reading.pause), format!("{:?}", Some(Duration::from_millis(wanted))))
        }
        Class::QuotaExhausted => {
            let text = expect["until"].as_str().unwrap();
            let wanted: Timestamp = if text == "now+1h" {
                now + jiff::SignedDuration::from_hours(1)
            } else if text.contains("Asia/Seoul") {
                "2026-11-30T15:00:00Z".parse().unwrap()
            } else if text.starts_with("monthly") {
                "2026-12-01T00:00:00Z".parse().unwrap()
            } else if let Some(seconds) = text.strip_prefix("now+") {
                let seconds: f64 = seconds.trim_end_matches('s').parse().unwrap();
                now + jiff::SignedDuration::try_from_secs_f64(seconds).unwrap()
            } else if let Some(ms) = text.strip_prefix("epoch_ms:") {
                Timestamp::from_millisecond(ms.parse().unwrap()).unwrap()
            } else if text == "next midnight America/Los_Angeles" {
                "2026-11-30T08:00:00Z".parse().unwrap()
            } else if text == "first day of next month 00:00 UTC" {
                "2026-12-01T00:00:00Z".parse().unwrap()
            } else {
                text.parse().unwrap()
            };
            let found = reading.until.map(|until| match until {
                Until::After(duration) => now + duration,
                Until::At(moment) => moment,
            });
            (format!("{found:?}"), format!("{:?}", Some(wanted)))
        }
        _ => return None,
    };
    (found != wanted).then(|| format!("waits {found}, not {wanted}"))
}

/// The one answer that is read otherwise: it says `retry-after: 12`, which is
/// obeyed; the fixture names the least pause.
fn known(name: &str) -> Option<&'static str> {
    (name == "openrouter/err429_upstream.json").then_some("waits Some(12s), not Some(10s)")
}

#[test]
fn every_recorded_answer_is_read_as_what_it_means() {
    let mut failures = Vec::new();
    let mut read = 0;
    for (folder, kind, base_url) in FOLDERS {
        let provider = make(folder, kind, base_url);
        let files = std::fs::read_dir(root().join(folder)).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            let fixture: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            // Lists of models and pairs are not answers to a batch.
            let Some(ask) = ask(&fixture) else { continue };
            read += 1;
            let reading = provider.parse(&ask, &response(&fixture));
            let expect = &fixture["expect"];
            if let Some((_, kind, base_url)) = OTHER_API.iter().find(|other| other.0 == *folder)
                && is_of_chat_completions(&fixture)
            {
                let other = make(folder, kind, base_url).parse(&ask, &response(&fixture));
                assert_eq!(other, reading, "{}", file.display());
            }
            let name = file.strip_prefix(root()).unwrap().display();
            let found = differences(expect, &ask, &reading);
            if !found.is_empty() && known(&name.to_string()) != Some(found[0].as_str()) {
                failures.extend(found.iter().map(|d| format!("{name}: {d}")));
            }
            if let Some(tags) = expect["tags"].as_str() {
                let found = tags_of(&ask.texts[0].text, &reading.items[&0]);
                let kind = found.split(':').next() == Some(tags);
                if found != tags && !kind {
                    failures.push(format!("{name}: tags {found}, not {tags}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(read > 290, "only {read} fixtures were found");
}

/// Writes what the check of tags says as the fixtures do.
fn tags_of(source: &str, answer: &str) -> String {
    let numbers = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    match read_tags(source, answer) {
        Tags::Ok => "ok".to_owned(),
        Tags::Repairable => "repairable".to_owned(),
        Tags::ForeignHtml => "foreign_html".to_owned(),
        Tags::Faulty(Fault::Crossed) => "crossed".to_owned(),
        Tags::Faulty(Fault::Empty(list)) => format!("empty:{}", numbers(&list)),
        Tags::Faulty(Fault::Lost(list)) => format!("lost:{}", numbers(&list)),
        Tags::Faulty(Fault::Unclosed(list)) => format!("unclosed:{}", numbers(&list)),
        Tags::Faulty(other) => format!("{other:?}"),
    }
}
