//! Whatever the bytes of an answer: a reading, never a panic, never an item for a
//! text that was not asked, never a word without advice.

#![allow(clippy::unwrap_used, reason = "a fixture that is not as described fails its test")]

use std::sync::LazyLock;
use std::time::Duration;

use proptest::prelude::*;
use webtranslator::provider::{self, Answer, Ask, Provider, Response, TransportFault};
use webtranslator::verdict::{Class, Reading};

#[allow(dead_code, reason = "the readings of the fixtures have a test of their own")]
#[path = "fixtures/recorded.rs"]
mod recorded;

/// A provider with an answer that was recorded, and what was asked.
struct Recorded {
    provider: Box<dyn Provider>,
    ask: Ask,
    answer: Answer,
}

static ALL: LazyLock<Vec<Recorded>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (folder, kind, base_url) in recorded::FOLDERS {
        for (_, fixture) in recorded::files(folder) {
            let Some(ask) = recorded::ask(&fixture) else { continue };
            let Response::Answer(answer) = recorded::response(&fixture) else { continue };
            // The largest one costs seconds each time, and is cut by its size alone.
            if !answer.oversize {
                all.push(Recorded {
                    provider: recorded::make(folder, kind, base_url),
                    ask,
                    answer,
                });
            }
        }
    }
    assert!(all.len() > 300, "only {} answers were found", all.len());
    all
});

/// What happens to an answer on its way.
#[derive(Clone, Debug)]
enum Damage {
    Byte(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Twice(prop::sample::Index, prop::sample::Index),
    Without(prop::sample::Index, prop::sample::Index),
    Status(u16),
    NoHeaders,
    Header(usize, String),
    Broken,
    Another(prop::sample::Index),
    Random(Vec<u8>),
}

const HEADERS: [&str; 6] = [
    "retry-after",
    "retry-after-ms",
    "content-type",
    "x-ratelimit-reset-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-limit-requests",
];

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        2 => index().prop_map(Damage::Cut),
        2 => (index(), index()).prop_map(|(from, to)| Damage::Twice(from, to)),
        2 => (index(), index()).prop_map(|(from, to)| Damage::Without(from, to)),
        2 => (100_u16..600).prop_map(Damage::Status),
        1 => Just(Damage::NoHeaders),
        2 => (0..HEADERS.len(), "[ -~]{0,20}").prop_map(|(n, value)| Damage::Header(n, value)),
        1 => Just(Damage::Broken),
        1 => index().prop_map(Damage::Another),
        1 => proptest::collection::vec(any::<u8>(), 0..200).prop_map(Damage::Random),
    ]
}

fn damaged(answer: &Answer, damage: &[Damage]) -> Answer {
    let mut answer = answer.clone();
    for one in damage {
        let body = &mut answer.body;
        let range = |from: &prop::sample::Index, to: &prop::sample::Index, len: usize| {
            let (from, to) = (from.index(len), to.index(len));
            from.min(to)..from.max(to)
        };
        match one {
            Damage::Byte(at, byte) if !body.is_empty() => {
                let at = at.index(body.len());
                body[at] = *byte;
            }
            Damage::Cut(at) if !body.is_empty() => body.truncate(at.index(body.len())),
            Damage::Twice(from, to) if !body.is_empty() => {
                let piece = body[range(from, to, body.len())].to_vec();
                body.splice(0..0, piece);
            }
            Damage::Without(from, to) if !body.is_empty() => {
                body.drain(range(from, to, body.len()));
            }
            Damage::Status(status) => answer.status = *status,
            Damage::NoHeaders => answer.headers.clear(),
            Damage::Header(name, value) => {
                answer.headers.push((HEADERS[*name].to_owned(), value.clone()));
            }
            Damage::Broken => answer.broken = Some(TransportFault::Broken),
            Damage::Another(at) => answer.body.clone_from(&ALL[at.index(ALL.len())].answer.body),
            Damage::Random(bytes) => answer.body.clone_from(bytes),
            _ => {}
        }
    }
    answer
}

/// Says what of a reading must not be.
fn fault(ask: &Ask, reading: &Reading) -> Option<&'static str> {
    let paused = reading.pause.is_some_and(|pause| pause >= Duration::from_secs(10));
    [
        ("an item for another text", reading.items.keys().any(|at| *at >= ask.texts.len())),
        ("an empty item", reading.items.values().any(|text| text.trim().is_empty())),
        (
            "all items, and not ok",
            reading.class == Class::Ok && reading.items.len() != ask.texts.len(),
        ),
        ("a pause that is too short", reading.class == Class::RateLimited && !paused),
        (
            "a quota without an end",
            reading.class == Class::QuotaExhausted && reading.until.is_none(),
        ),
        (
            "a feature error without one",
            reading.class == Class::FeatureError && reading.feature.is_none(),
        ),
        ("a long message", reading.message.chars().count() > 200),
        ("a key in the message", reading.message.contains("sk-secret-key")),
        (
            "a reason without advice",
            !reading.reason.is_empty() && provider::advice(reading.reason).is_empty(),
        ),
    ]
    .into_iter()
    .find_map(|(name, found)| found.then_some(name))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_answer_is_read_as_something_and_does_no_harm(
        at in any::<prop::sample::Index>(), damage in proptest::collection::vec(damage(), 1..4),
    ) {
        let Recorded { provider, ask, answer } = &ALL[at.index(ALL.len())];
        let answer = damaged(answer, &damage);
        let reading = provider.parse(ask, &Response::Answer(answer));
        prop_assert_eq!(fault(ask, &reading), None, "{:?}", reading);
    }
}
