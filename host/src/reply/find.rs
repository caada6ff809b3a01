//! Finding the answer in a reply: which of its JSON values it is.

use super::json::{self, Json};

/// One item of a reply.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The id that was written.
    pub(super) id: usize,
    /// The text, or none where something else stands.
    pub(super) text: Option<String>,
}

/// A reply's items in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) pairs: Vec<Pair>,
    /// Whether the value was closed; if not, it was cut.
    pub(super) complete: bool,
    /// Whether the ids are sure: false for a list without ids of another length.
    pub(super) counted: bool,
}

impl Found {
    /// Returns texts whose id is their place.
    pub(super) fn by_place(texts: Vec<Option<String>>) -> Self {
        let pairs = texts.into_iter().enumerate().map(|(id, text)| Pair { id, text }).collect();
        Self { pairs, complete: true, counted: true }
    }

    /// Counts the known ids with a text.
    fn score(&self, count: usize) -> usize {
        if !self.counted {
            return 0;
        }
        let full = |pair: &&Pair| pair.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        self.pairs.iter().filter(|pair| pair.id < count).filter(full).count()
    }
}

/// The answer is one of the first values, or there is none.
const MAX_VALUES: usize = 64;

/// So many braces that start nothing are no prose around an answer.
const MAX_FALSE_STARTS: usize = 4096;

/// Returns the value with the most known ids that have a text; of equal ones the
/// last, since drafts come first.
///
/// Every brace may start a value; what fails is tried again one brace further,
/// so the bytes that are looked at are bounded by four times the text.
pub(super) fn best(text: &str, count: usize) -> Option<Found> {
    let mut budget = 4 * text.len() + 4096;
    let mut at = 0;
    let (mut values, mut false_starts) = (0, 0);
    let mut best: Option<Found> = None;
    let mut starts: &[char] = if text.starts_with('"') { &['{', '[', '"'] } else { &['{', '['] };
    while let Some(found) = text[at..].find(starts) {
        starts = &['{', '['];
        let start = at + found;
        let looked = match json::read(&text[start..]) {
            Ok(read) => {
                let meant = meaning(&read.value, read.complete, count, 0);
                best = better(best, meant, count);
                values += 1;
                at = start + read.end.max(1);
                read.end
            }
            Err(looked) => {
                at = start + 1;
                false_starts += 1;
                looked
            }
        };
        let Some(left) = budget.checked_sub(looked + 1) else { break };
        budget = left;
        if values == MAX_VALUES || false_starts == MAX_FALSE_STARTS {
            break;
        }
    }
    best
}

fn better(old: Option<Found>, new: Option<Found>, count: usize) -> Option<Found> {
    match (old, new) {
        (Some(old), Some(new)) if new.score(count) < old.score(count) => Some(old),
        (old, None) => old,
        (_, new) => new,
    }
}

/// How often a wrapper is opened: the schema around the answer is two deep.
const MAX_WRAPPERS: usize = 3;

fn meaning(value: &Json, complete: bool, count: usize, depth: usize) -> Option<Found> {
    match value {
        Json::Object(members) => {
            let pairs = keyed(members);
            if !pairs.is_empty() {
                return Some(Found { pairs, complete, counted: true });
            }
            if depth >= MAX_WRAPPERS {
                return None;
            }
            let inner = members.iter().map(|(_, v)| meaning(v, complete, count, depth + 1));
            inner.fold(None, |best, new| better(best, new, count))
        }
        Json::Array(elements) => list(elements, complete, count),
        Json::Text(text) if depth == 0 || text.trim_start().starts_with(['{', '[']) => {
            if depth >= MAX_WRAPPERS {
                return None;
            }
            let read = json::read(text.trim()).ok()?;
            match read.value {
                Json::Object(_) | Json::Array(_) => {
                    meaning(&read.value, read.complete, count, depth + 1)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the members whose key is an id.
fn keyed(members: &[(String, Json)]) -> Vec<Pair> {
    members
        .iter()
        .filter_map(|(key, value)| Some(Pair { id: id(key)?, text: text_of(value) }))
        .collect()
}

/// Reads an id: digits only; a huge one is an id all the same, and unknown.
fn id(key: &str) -> Option<usize> {
    let key = key.trim();
    let digits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| key.parse().unwrap_or(usize::MAX))
}

/// Returns an item's text: a string, or an object around one.
fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Object(members) => named_text(members),
        _ => None,
    }
}

/// The names under which models put a translation.
const TEXT_NAMES: &[&str] = &[
    "text",
    "translation",
    "translated",
    "translatedText",
    "translated_text",
    "t",
    "s",
    "value",
    "target",
    "output",
    "content",
];

/// The names under which models put an id.
const ID_NAMES: &[&str] = &["id", "i", "index", "key", "idx", "n"];

fn named_text(members: &[(String, Json)]) -> Option<String> {
    let named = TEXT_NAMES.iter().find_map(|name| members.iter().find(|(key, _)| key == name));
    let only = if let [one] = members { Some(one) } else { None };
    match named.or(only) {
        Some((_, Json::Text(text))) => Some(text.clone()),
        _ => None,
    }
}

fn named_id(members: &[(String, Json)]) -> Option<usize> {
    ID_NAMES.iter().find_map(|name| members.iter().find(|(key, _)| key == name)).and_then(
        |(_, value)| match value {
            Json::Number(number) | Json::Text(number) => id(number),
            _ => None,
        },
    )
}

/// Reads a list: objects with ids, keyed objects, or texts by place when their
/// number is exactly right and the list is complete.
fn list(elements: &[Json], complete: bool, count: usize) -> Option<Found> {
    let objects: Vec<&Vec<(String, Json)>> = elements
        .iter()
        .filter_map(
            |element| if let Json::Object(members) = element { Some(members) } else { None },
        )
        .collect();
    let with_ids: Vec<Pair> = objects
        .iter()
        .filter_map(|members| {
            let (id, text) = (named_id(members)?, named_text(members));
            // The last object of a cut list may lack its text.
            (complete || text.is_some()).then_some(Pair { id, text })
        })
        .collect();
    if !with_ids.is_empty() {
        return Some(Found { pairs: with_ids, complete, counted: true });
    }
    let pairs: Vec<Pair> = objects.iter().flat_map(|members| keyed(members)).collect();
    if !pairs.is_empty() {
        return Some(Found { pairs, complete, counted: true });
    }
    let texts: Vec<Option<String>> = elements.iter().map(text_of).collect();
    if texts.iter().all(Option::is_none) {
        return None;
    }
    let counted = complete && texts.len() == count;
    Some(Found { complete, counted, ..Found::by_place(texts) })
}
