//! The translation engines from request to answer: what an engine returns as it
//! was sent reads back as the same text, and no bytes of an answer do harm.

#![allow(clippy::unwrap_used, reason = "a request that is not as described fails its test")]

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};
use webtranslator::markup;
use webtranslator::provider::{
    self, Answer, Ask, Config, Key, Provider, Request, Response, Text, kinds,
};
use webtranslator::verdict::{Class, Failure, Feature};

/// The kinds, and for `google-cloud` the version.
const ENGINES: [(&str, Option<&str>); 10] = [
    ("deepl", None),
    ("google-cloud", None),
    ("google-cloud", Some("project")),
    ("azure", None),
    ("libretranslate", None),
    ("apertium", None),
    ("papago", None),
    ("yandex", None),
    ("google-web", None),
    ("edge-web", None),
];

fn make(kind: &str, project: Option<&str>) -> Box<dyn Provider> {
    let config = Config {
        name: "test".to_owned(),
        kind: kind.to_owned(),
        key: Some(Key("id:secret".to_owned())),
        project: project.map(str::to_owned),
        ..Config::default()
    };
    provider::make(&config).unwrap()
}

fn ask(texts: Vec<Text>) -> Ask {
    Ask { source: Some("en".to_owned()), target: "ko".to_owned(), texts, ..Ask::default() }
}

/// Answers a request with the texts that it carries, as the engine would write them.
fn echo(kind: &str, request: &Request) -> Value {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let form = || url::form_urlencoded::parse(&request.body).into_owned();
    let each = |list: &Value, member: &str| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|text| json!({member: text})).collect()
    };
    match kind {
        "deepl" => json!({"translations": each(&body["text"], "text")}),
        "yandex" => json!({"translations": each(&body["texts"], "text")}),
        "google-cloud" if body.get("contents").is_some() => {
            json!({"translations": each(&body["contents"], "translatedText")})
        }
        "google-cloud" => {
            let html = body["format"] == "html";
            let list = body["q"].as_array().unwrap().iter().map(|text| {
                let text = text.as_str().unwrap();
                let quoted = text.replace('"', "&quot;").replace('\'', "&#39;");
                json!({"translatedText": if html { quoted } else { text.to_owned() }})
            });
            json!({"data": {"translations": list.collect::<Vec<_>>()}})
        }
        "azure" | "edge-web" => {
            let text = |entry: &Value| entry.get("Text").unwrap_or(entry).clone();
            let list = body.as_array().unwrap().iter();
            list.map(|entry| json!({"translations": [{"text": text(entry)}]})).collect()
        }
        "libretranslate" => {
            let html = body["format"] == "html";
            let list = body["q"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            let read = |text: &str| if html { unescaped(text) } else { text.to_owned() };
            json!({"translatedText": list.map(read).collect::<Vec<_>>()})
        }
        "papago" => json!({"message": {"result": {"translatedText": body["text"]}}}),
        "apertium" => {
            let (_, document) = form().find(|(name, _)| name == "q").unwrap();
            json!({"responseData": {"translatedText": document}, "responseStatus": 200})
        }
        "google-web" => {
            form().filter(|(name, _)| name == "q").map(|(_, text)| json!(text)).collect()
        }
        other => panic!("no echo for {other}"),
    }
}

/// What LibreTranslate does to the HTML that it made, quoted attributes and all.
fn unescaped(text: &str) -> String {
    let quoted = text.split('>').collect::<Vec<_>>().join("\">").replace("<a i=", "<a i=\"");
    let quoted = quoted.replace("</a\">", "</a>");
    quoted.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn answer(body: Vec<u8>) -> Response {
    Response::Answer(Answer { status: 200, body, ..Answer::default() })
}

/// A step in making a marked text.
#[derive(Clone, Debug)]
enum Step {
    Words(String),
    Open,
    Close,
    Single,
}

/// Words with everything in them that could be taken for a tag or an entity.
fn words() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "Click",
        " ",
        "here",
        "a",
        "é",
        "漢字",
        "😀",
        "🇰🇷",
        "\u{a0}",
        "\n",
        "<",
        ">",
        "&",
        "\"",
        "'",
        "/",
        "*",
        "&lt;",
        "&amp;",
        "&#39;",
        "&nbsp;",
        "<1>",
        "</1>",
        "<2/>",
        "<a i=1>",
        "</a>",
        "<b1>",
        "</b1>",
        "<x id=\"1\">",
        "</x>",
        "<i1>",
        "</i1>",
        "<b>",
        "<i>",
        "<p id=\"0\">",
        "</p>",
        "<script>",
        "i=1",
        "&lt;a i=1&gt;",
        "<1",
        "1>",
        "%3C",
        "\\",
        "{0}",
    ];
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => words().prop_map(Step::Words),
        1 => Just(Step::Open),
        1 => Just(Step::Close),
        1 => Just(Step::Single),
    ]
}

/// Makes a marked text as the wire allows it, with a word in each pair.
fn marked(steps: Vec<Step>) -> Text {
    let (mut out, mut open, mut last) = (String::from("go "), Vec::new(), 0);
    for step in steps {
        match step {
            Step::Words(words) => out.push_str(&markup::escape(&words)),
            Step::Open => {
                last += 1;
                open.push(last);
                _ = write!(out, "<{last}>w");
            }
            Step::Close => {
                if let Some(n) = open.pop() {
                    _ = write!(out, "</{n}>");
                }
            }
            Step::Single => {
                last += 1;
                _ = write!(out, "<{last}/>");
            }
        }
    }
    while let Some(n) = open.pop() {
        _ = write!(out, "</{n}>");
    }
    assert!(markup::validate(&out, Some(last)), "{out}");
    Text { text: out, marked: true }
}

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        3 => prop::collection::vec(step(), 0..10).prop_map(marked),
        1 => words().prop_map(|words| Text { text: format!("go {words}"), marked: false }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_an_engine_returns_as_sent_is_the_same_text(
        texts in prop::collection::vec(text(), 1..5),
        drops in any::<bool>(),
    ) {
        for (kind, project) in ENGINES {
            let provider = make(kind, project);
            // Apertium has no other way than its HTML.
            let dropped = drops.then_some(Feature::Markup).into_iter().collect();
            let ask = Ask { dropped, ..ask(texts.clone()) };
            let request = provider.build(&ask).unwrap();
            let body = echo(kind, &request).to_string().into_bytes();
            let reading = provider.parse(&ask, &answer(body));
            prop_assert_eq!(reading.class, Class::Ok, "{} {:?}", kind, reading);
            for (place, text) in texts.iter().enumerate() {
                prop_assert_eq!(&reading.items[&place], &text.text, "{}", kind);
            }
        }
    }

    #[test]
    fn no_bytes_of_an_answer_do_harm(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        status in prop_oneof![Just(200_u16), 200..600_u16],
    ) {
        for (kind, project) in ENGINES {
            let provider = make(kind, project);
            let ask = ask(vec![marked(vec![Step::Open, Step::Single]), marked(vec![])]);
            let response =
                Response::Answer(Answer { status, body: bytes.clone(), ..Answer::default() });
            let reading = provider.parse(&ask, &response);
            prop_assert!(reading.items.is_empty(), "{} {:?}", kind, reading);
        }
    }

    #[test]
    fn a_damaged_answer_never_has_items_for_other_places(
        texts in prop::collection::vec(text(), 1..4),
        at in any::<prop::sample::Index>(),
        insert in words(),
        removed in 0..40_usize,
    ) {
        for (kind, project) in ENGINES {
            let provider = make(kind, project);
            let ask = ask(texts.clone());
            let body = echo(kind, &provider.build(&ask).unwrap()).to_string();
            let mut bytes = body.into_bytes();
            let start = at.index(bytes.len());
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, insert.bytes());
            let reading = provider.parse(&ask, &answer(bytes));
            prop_assert!(reading.items.keys().all(|place| *place < texts.len()), "{}", kind);
            let whole = reading.items.len() == texts.len();
            prop_assert!(reading.class != Class::Ok || whole, "{} {:?}", kind, reading);
        }
    }
}

#[test]
fn every_kind_of_engine_is_here_and_within_its_own_limits() {
    for (kind, project) in ENGINES {
        assert!(kinds::find(kind).is_some(), "{kind}");
        let provider = make(kind, project);
        let capacity = provider.capacity();
        assert!(capacity.independent && !capacity.hints && !capacity.streams, "{kind}");
        assert!(capacity.first_segments <= capacity.segments, "{kind}");
        let count = capacity.segments;
        let each = (capacity.chars / count).max(1);
        let plain = |c: &str| Text { text: c.repeat(each), marked: false };
        for letter in ["a", "漢", "😀"] {
            let full = ask(vec![plain(letter); count]);
            assert!(provider.build(&full).is_ok(), "{kind} {letter}");
        }
    }
}

#[test]
fn a_language_is_never_translated_into_itself() {
    for (kind, project) in ENGINES {
        let same = Ask {
            target: "en-GB".to_owned(),
            ..ask(vec![Text { text: "a".to_owned(), marked: false }])
        };
        let refused = make(kind, project).build(&same);
        assert_eq!(refused.unwrap_err(), Failure::UnsupportedPair, "{kind}");
    }
}
