//! Whatever happens to a reply on its way, no text gets another text's translation.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// What goes wrong with one member of a keyed object.
#[derive(Clone, Debug)]
enum Slip {
    Lost,
    Twice,
    Renamed(String),
    Blank,
    Merged,
    Nested,
    Null,
}

fn slip() -> impl Strategy<Value = Slip> {
    prop_oneof![
        Just(Slip::Lost),
        Just(Slip::Twice),
        prop_oneof![(0..40_usize).prop_map(|n| n.to_string()), "[a-z\\-0-9 ]{0,4}"]
            .prop_map(Slip::Renamed),
        Just(Slip::Blank),
        Just(Slip::Merged),
        Just(Slip::Nested),
        Just(Slip::Null),
    ]
}

fn source(n: usize) -> String {
    format!("Paragraph {} of the page says something of its own", 1000 + 7 * n)
}

fn translation(n: usize) -> String {
    format!("이 쪽의 {}번째 문단은 제 나름의 것을 말한다", 1000 + 7 * n)
}

/// Writes the reply to `count` texts in which one member slipped.
fn written(count: usize, at: usize, slip: &Slip) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let member = |key: &str, text: &str| format!("{}:{}", quoted(key), quoted(text));
    let mut members = Vec::new();
    for n in 0..count {
        let (key, text) = (n.to_string(), translation(n));
        if n != at {
            members.push(member(&key, &text));
            continue;
        }
        match slip {
            Slip::Lost => {}
            Slip::Twice => members.extend([member(&key, &text), member(&key, &text)]),
            Slip::Renamed(other) => members.push(member(other, &text)),
            Slip::Blank => members.push(member(&key, "")),
            Slip::Merged => members.push(member(&key, &format!("{text} {}", translation(n + 1)))),
            Slip::Nested => members.push(format!("{}:{{{}}}", quoted(&key), member("0", &text))),
            Slip::Null => members.push(format!("{}:null", quoted(&key))),
        }
    }
    format!("{{{}}}", members.join(","))
}

/// Returns the items as the session accepts them: those of a reply that is mostly
/// doubtful are not, nor is one that is doubtful itself.
fn accepted(reply: &str, count: usize, cut: bool) -> BTreeMap<usize, String> {
    let sources: Vec<String> = (0..count).map(source).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let outcome = read(reply, Batch { sources: &sources, target: "ko" }, cut);
    assert!(outcome.items.keys().all(|id| *id < count), "{outcome:?}");
    let doubtful = |id: usize, text: &str| !doubts(sources[id], text, "ko", &[]).is_empty();
    let all = outcome.items.iter().filter(|(id, text)| doubtful(**id, text)).count();
    if mostly_doubtful(all, outcome.items.len()) {
        return BTreeMap::new();
    }
    outcome.items.into_iter().filter(|(id, text)| !doubtful(*id, text)).collect()
}

fn is_own(id: usize, text: &str) -> bool {
    text.starts_with(&translation(id)) || text == translation(id)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_slip_in_one_member_moves_no_text(count in 1..30_usize, at in 0..30_usize, slip in slip()) {
        for (id, text) in accepted(&written(count, at % count, &slip), count, false) {
            prop_assert!(is_own(id, &text), "{id}: {text}");
        }
    }

    #[test]
    fn members_that_are_lost_and_renumbered_move_no_text(
        count in 4..30_usize, lost in proptest::collection::btree_set(0..30_usize, 1..4),
    ) {
        let left: Vec<usize> = (0..count).filter(|n| !lost.contains(n)).collect();
        let members = left.iter().enumerate()
            .map(|(id, n)| format!("\"{id}\":{}", Value::from(translation(*n))));
        let reply = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        let sources: Vec<String> = (0..count).map(source).collect();
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        // Not even without what the numbers in the texts tell.
        for (id, text) in read(&reply, Batch { sources: &sources, target: "ko" }, false).items {
            prop_assert!(is_own(id, &text), "{id}: {text}");
        }
    }

    #[test]
    fn a_cut_and_a_change_of_any_byte_move_no_text(
        count in 1..12_usize, slip in slip(), at in 0..12_usize, byte in any::<u8>(),
        place in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = written(count, at % count, &slip).into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let reply = String::from_utf8_lossy(&bytes);
        for (id, text) in accepted(&reply, count, true) {
            // The byte may stand in the text itself; another's text it is not.
            let number = |n: usize| (1000 + 7 * n).to_string();
            let others = (0..=count).any(|n| n != id && text.contains(&number(n)));
            prop_assert!(!others || text.contains(&number(id)), "{id}: {text}");
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>(), count in 0..8_usize) {
        accepted(&text, count, false);
    }

    #[test]
    fn any_json_like_text_is_read_without_a_panic(
        text in "[\\[\\]{}\",:0-9 \\\\a-z가`<>/]{0,200}", count in 0..8_usize, cut in any::<bool>(),
    ) {
        accepted(&text, count, cut);
    }
}
