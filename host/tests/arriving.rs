//! Recorded answers in parts, cut anywhere: what is used of them early is what
//! the whole answer says.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use scripted_provider::content::{Batch, Form, Item};
use scripted_provider::protocol::Wishes;
use scripted_provider::schedule::Decision;
use scripted_provider::{Outcome, Protocol, Script};
use serde_json::Value;
use webtranslator::provider::{
    self, Answer, Arriving, Ask, Config, Key, Provider, Response, Text, TransportFault,
};
use webtranslator::reply::{Single, single};
use webtranslator::verdict::{Feature, Reading};

const KINDS: [(&str, Protocol); 4] = [
    ("gemini", Protocol::Gemini),
    ("openai", Protocol::OpenAi),
    ("anthropic", Protocol::Anthropic),
    ("ollama", Protocol::Ollama),
];

const TEXTS: [&str; 6] = [
    "Hello there",
    "Read \"more\" of it <1>here</1>",
    "안녕 — 세계 🎉",
    "C:\\temp\\new",
    "A longer text,\nin two lines, of which there is not much to say.",
    "Sign in",
];

fn make(kind: &str) -> Box<dyn Provider> {
    let config = Config {
        kind: kind.to_owned(),
        model: "m".to_owned(),
        base_url: "http://127.0.0.1:1".to_owned(),
        key: Some(Key("k".to_owned())),
        ..Config::default()
    };
    provider::make(&config).unwrap()
}

fn ask(texts: &[&str]) -> Ask {
    let text = |text: &&str| Text { text: (*text).to_owned(), marked: false };
    let texts = texts.iter().map(text).collect();
    Ask { target: "ko".to_owned(), texts, stream: true, ..Ask::default() }
}

/// The body of an answer in parts, as the scripted provider sends it.
fn recorded(protocol: Protocol, outcome: Outcome) -> Vec<u8> {
    let item = |(n, text): (usize, &&str)| Item { id: n.to_string(), text: (*text).to_owned() };
    let items = TEXTS.iter().enumerate().map(item).collect();
    let decision = Decision { outcome, takes: Duration::ZERO, retry_after: None, variant: 0 };
    let wishes = Wishes { parts: true, strict: false };
    let batch = Batch { items, form: Form::KeyedJson };
    let answer = protocol.answer_in_parts(&batch, &decision, wishes, &Script::default()).unwrap();
    answer.stream.unwrap().parts.iter().flat_map(|(_, part)| part.to_vec()).collect()
}

/// What is sure of a body that comes in these pieces.
fn sure<'a>(
    provider: &dyn Provider,
    ask: &Ask,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Vec<(usize, String)> {
    let mut arriving = Arriving::new(provider, ask).unwrap();
    pieces.flat_map(|piece| arriving.take_up(piece)).collect()
}

fn read(provider: &dyn Provider, ask: &Ask, body: &[u8], broken: bool) -> Reading {
    let kind = if body.starts_with(b"{") { "application/x-ndjson" } else { "text/event-stream" };
    let answer = Answer {
        status: 200,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: body.to_vec(),
        broken: broken.then_some(TransportFault::Broken),
        ..Answer::default()
    };
    provider.parse(ask, &Response::Answer(answer))
}

/// Checks that what is sure is in the whole answer, letter by letter.
fn agrees(
    provider: &dyn Provider,
    ask: &Ask,
    body: &[u8],
    broken: bool,
) -> Result<(), TestCaseError> {
    const REFUSED: [&str; 4] = ["duplicate_id", "extra_ids", "tail_missing_shift", "untranslated"];
    let reading = read(provider, ask, body, broken);
    if REFUSED.contains(&reading.reason) {
        return Ok(());
    }
    for (place, text) in sure(provider, ask, std::iter::once(body)) {
        if single(&ask.texts[place].text, &text) == Single::Good {
            prop_assert_eq!(reading.items.get(&place), Some(&text), "{}", reading.reason);
        }
    }
    Ok(())
}

#[test]
fn all_items_but_the_last_are_sure_before_the_end() {
    for (kind, protocol) in KINDS {
        let (provider, ask) = (make(kind), ask(&TEXTS));
        let body = recorded(protocol, Outcome::Ok);
        let whole = read(provider.as_ref(), &ask, &body, false);
        assert_eq!(whole.items.len(), TEXTS.len(), "{kind}: {}", whole.reason);
        for length in 1..40 {
            let sure = sure(provider.as_ref(), &ask, body.chunks(length));
            let expected: Vec<_> = whole.items.clone().into_iter().take(TEXTS.len() - 1).collect();
            assert_eq!(sure, expected, "{kind} in pieces of {length}");
        }
    }
}

#[test]
fn a_body_that_breaks_anywhere_keeps_what_was_complete() {
    for (kind, protocol) in KINDS {
        let (provider, ask) = (make(kind), ask(&TEXTS));
        let body = recorded(protocol, Outcome::Ok);
        let mut most = 0;
        for end in 0..body.len() {
            let reading = read(provider.as_ref(), &ask, &body[..end], true);
            agrees(provider.as_ref(), &ask, &body[..end], true).unwrap();
            assert!(reading.items.len() >= most, "{kind} at {end}: {}", reading.reason);
            most = reading.items.len();
        }
        assert_eq!(most, TEXTS.len(), "{kind}");
    }
}

#[test]
fn nothing_is_sure_without_parts_or_without_a_schema() {
    let provider = make("openai");
    let whole = Ask { stream: false, ..ask(&TEXTS) };
    assert!(Arriving::new(provider.as_ref(), &whole).is_none());
    let loose = Ask { dropped: [Feature::JsonSchema].into(), ..ask(&TEXTS) };
    assert!(Arriving::new(provider.as_ref(), &loose).is_none());
    assert!(Arriving::new(make("sample").as_ref(), &ask(&TEXTS)).is_none());
}

#[test]
fn an_error_in_the_middle_is_no_text_and_ends_what_is_sure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/providers");
    for (kind, file) in [
        ("gemini", "gemini/stream_sse_error_midway.json"),
        ("openai", "openrouter/err200_sse_error.json"),
    ] {
        let fixture: Value =
            serde_json::from_slice(&std::fs::read(folder.join(file)).unwrap()).unwrap();
        let body = fixture["body_text"].as_str().unwrap().as_bytes();
        let (provider, ask) = (make(kind), ask(&["Hello", "Read more", "Sign in"]));
        let salvage = fixture["expect"]["salvage"].as_object().unwrap().len();
        assert!(sure(provider.as_ref(), &ask, body.chunks(7)).len() <= salvage);
        agrees(provider.as_ref(), &ask, body, false).unwrap();
    }
}

proptest! {
    #[test]
    fn any_cut_of_a_recorded_stream_gives_the_same_items(
        kind in 0..KINDS.len(),
        outcome in prop::sample::select(vec![Outcome::Ok, Outcome::Dropped, Outcome::Truncated, Outcome::Shifted]),
        lengths in prop::collection::vec(1..200_usize, 1..60),
    ) {
        let (kind, protocol) = KINDS[kind];
        let (provider, ask) = (make(kind), ask(&TEXTS));
        let body = recorded(protocol, outcome);
        let mut rest = body.as_slice();
        let pieces = lengths.iter().map(|length| {
            let (piece, after) = rest.split_at((*length).min(rest.len()));
            rest = after;
            piece
        });
        let pieces: Vec<&[u8]> = pieces.collect();
        let in_pieces = sure(provider.as_ref(), &ask, pieces.into_iter().chain([rest]));
        let whole = sure(provider.as_ref(), &ask, std::iter::once(body.as_slice()));
        prop_assert_eq!(in_pieces, whole);
    }

    #[test]
    fn a_damaged_stream_says_nothing_early_that_it_does_not_say_in_the_end(
        kind in 0..KINDS.len(),
        damage in prop::collection::vec((0..2000_usize, any::<u8>()), 1..4),
        end in 0..2500_usize,
    ) {
        let (kind, protocol) = KINDS[kind];
        let (provider, ask) = (make(kind), ask(&TEXTS));
        let mut body = recorded(protocol, Outcome::Ok);
        for (at, byte) in damage {
            let at = at % body.len();
            body[at] = byte;
        }
        body.truncate(end);
        agrees(provider.as_ref(), &ask, &body, false)?;
        agrees(provider.as_ref(), &ask, &body, true)?;
    }

    #[test]
    fn random_bytes_never_panic(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..10),
    ) {
        for (kind, _) in KINDS {
            let (provider, ask) = (make(kind), ask(&TEXTS));
            let pieces = pieces.iter().map(Vec::as_slice);
            prop_assert!(sure(provider.as_ref(), &ask, pieces).is_empty());
        }
    }
}
