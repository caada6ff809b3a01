//! What a language model wrote, read leniently and checked strictly.
//!
//! A batch goes out as `{"0":"…","1":"…"}` and should come back so. Whatever
//! else comes is read if its meaning is certain; a shift of texts against ids is
//! never accepted. Tags are not checked here (that is [`crate::markup`]'s), and
//! no provider is known here. Reading takes linear time and bounded stack.

mod doubt;
mod find;
mod growing;
mod json;
mod number;
mod phrases;
mod prelude;

use std::collections::{BTreeMap, BTreeSet};

pub use doubt::{Doubt, doubts, mostly_doubtful};
pub use growing::Growing;
pub use phrases::is_refusal;

use crate::language::{self, Script};
use crate::markup;
use crate::verdict::Class;
use find::{Found, Pair};

/// What was asked, as far as the reading needs it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The texts as they were sent, by their place.
    pub sources: &'a [&'a str],
    /// The target language, BCP 47.
    pub target: &'a str,
}

/// What a reply says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// [`Class::Ok`], [`Class::Partial`], [`Class::Malformed`] or
    /// [`Class::Empty`]; [`Class::Truncated`] is for the caller to say, who knows
    /// why the model stopped.
    pub class: Class,
    /// The items that passed, by their place in the batch, as they were written.
    pub items: BTreeMap<usize, String>,
    /// Why not all of them: `not_json`, `unclosed_think`, `refusal_prose`,
    /// `one_based`, `extra_ids`, `duplicate_id`, `tail_missing_shift`,
    /// `wrong_count`, `untranslated`, `rejected_items`, `missing_ids`, or empty.
    pub reason: &'static str,
}

impl Outcome {
    fn nothing(class: Class, reason: &'static str) -> Self {
        Self { class, items: BTreeMap::new(), reason }
    }
}

/// Reads a reply to a batch. `cut` says that the model was stopped before its
/// end, so that what is missing at the end means nothing.
#[must_use]
pub fn read(text: &str, batch: Batch<'_>, cut: bool) -> Outcome {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Outcome::nothing(Class::Empty, "");
    }
    let Ok(body) = prelude::strip(text, batch.sources) else {
        return Outcome::nothing(Class::Malformed, "unclosed_think");
    };
    let count = batch.sources.len();
    let Some(found) = find::best(body, count).or_else(|| separated(body, batch.sources)) else {
        let refused = is_refusal(body, batch.sources);
        let reason = if refused { "refusal_prose" } else { "not_json" };
        return Outcome::nothing(Class::Malformed, reason);
    };
    match trusted(found, count, cut) {
        Ok((pairs, reason)) => judged(&pairs, reason, batch),
        Err(outcome) => outcome,
    }
}

/// Reads texts that are separated by `%%`, if their number is right and no
/// source has `%%` itself.
fn separated(body: &str, sources: &[&str]) -> Option<Found> {
    if sources.len() < 2 || sources.iter().any(|source| source.contains("%%")) {
        return None;
    }
    let texts: Vec<&str> = body.split("%%").map(str::trim).collect();
    let fits = texts.len() == sources.len() && texts.iter().all(|text| !text.is_empty());
    fits.then(|| Found::by_place(texts.into_iter().map(|text| Some(text.to_owned())).collect()))
}

/// Drops what cannot be trusted because of its ids; an error is the outcome for
/// the whole reply.
fn trusted(found: Found, count: usize, cut: bool) -> Result<(Vec<Pair>, &'static str), Outcome> {
    let Found { pairs, complete, counted } = found;
    if !counted {
        return Err(Outcome::nothing(Class::Malformed, "wrong_count"));
    }
    let ids: BTreeSet<usize> = pairs.iter().map(|pair| pair.id).collect();
    if !ids.contains(&0) && ids.contains(&1) {
        return Err(Outcome::nothing(Class::Malformed, "one_based"));
    }
    match ids.iter().filter(|id| **id >= count).count() {
        0 => {}
        1 => return Err(Outcome::nothing(Class::Partial, "extra_ids")),
        _ => return Err(Outcome::nothing(Class::Malformed, "extra_ids")),
    }
    let last_missing = count > 0 && !ids.contains(&(count - 1));
    if complete && !cut && count >= LEAST_FOR_A_SHIFT && last_missing {
        return Err(Outcome::nothing(Class::Malformed, "tail_missing_shift"));
    }
    Ok(before_duplicates(pairs))
}

/// A complete reply to so many texts, without the last ids, is a shift; a
/// shorter one is only short.
const LEAST_FOR_A_SHIFT: usize = 4;

/// An id that comes twice is distrusted, and so is all that follows its first.
fn before_duplicates(mut pairs: Vec<Pair>) -> (Vec<Pair>, &'static str) {
    let mut first = BTreeMap::new();
    let twice = pairs.iter().enumerate().filter_map(|(place, pair)| {
        let before = *first.entry(pair.id).or_insert(place);
        (before != place).then_some(before)
    });
    match twice.min() {
        Some(place) => {
            pairs.truncate(place);
            (pairs, "duplicate_id")
        }
        None => (pairs, ""),
    }
}

/// Checks each item by itself, then the batch.
fn judged(pairs: &[Pair], reason: &'static str, batch: Batch<'_>) -> Outcome {
    let sources = batch.sources;
    let mut items = BTreeMap::new();
    let (mut blank, mut refused) = (BTreeSet::new(), 0);
    for pair in pairs {
        let Some(source) = sources.get(pair.id) else { continue };
        let Some(text) = &pair.text else { continue };
        match single(source, text) {
            Single::Blank => _ = blank.insert(pair.id),
            Single::Refusal => refused += 1,
            Single::Good => _ = items.insert(pair.id, text.clone()),
            Single::Unfit => {}
        }
    }
    for id in blank.iter().filter(|id| !sources[**id].trim().is_empty()) {
        drop_merged_neighbours(*id, sources, &mut items);
    }
    if items.len() == sources.len() {
        return if untranslated(&items, batch) {
            Outcome::nothing(Class::Malformed, "untranslated")
        } else {
            Outcome { class: Class::Ok, items, reason: "" }
        };
    }
    if !items.is_empty() || reason == "duplicate_id" {
        let reason = if reason.is_empty() { "missing_ids" } else { reason };
        return Outcome { class: Class::Partial, items, reason };
    }
    if refused > 0 {
        return Outcome::nothing(Class::Malformed, "refusal_prose");
    }
    if pairs.is_empty() || blank.len() == pairs.len() {
        return Outcome::nothing(Class::Empty, "");
    }
    Outcome::nothing(Class::Malformed, "rejected_items")
}

/// What an item is, looked at by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Single {
    /// It may be the translation.
    Good,
    /// There is nothing in it.
    Blank,
    /// A refusal in prose.
    Refusal,
    /// No translation of this source is like it.
    Unfit,
}

/// Judges an item by itself, as [`read`] does with each item of a reply.
#[must_use]
pub fn single(source: &str, text: &str) -> Single {
    if text.trim().is_empty() {
        Single::Blank
    } else if is_refusal(text, &[source]) {
        Single::Refusal
    } else if fits(source, text) {
        Single::Good
    } else {
        Single::Unfit
    }
}

/// Tells whether a text can be a translation of this source by its length.
///
/// At most 8 times as long and 80 more; a text of less than 30 characters is
/// answered instead of translated when the answer is longer than 40 and than
/// 4 times it; and no short run repeated without end. A character of Han says
/// as much as four Latin letters, one of kana or Hangul as three.
#[must_use]
pub fn fits(source: &str, text: &str) -> bool {
    let (from, to) = (source.chars().count(), text.chars().count());
    let answered = from < 30 && to > (4 * in_letters(source)).max(40);
    to <= 8 * from + 80 && !answered && !repeats(source, text)
}

/// Returns the length of a text in Latin letters, roughly.
fn in_letters(text: &str) -> usize {
    let weight = |c: char| match language::script_of(c) {
        Some(Script::Han) => 4,
        Some(Script::Kana | Script::Hangul) => 3,
        _ => 1,
    };
    text.chars().map(weight).sum()
}

/// Tells whether the text is one short run over and over, and the source not.
fn repeats(source: &str, text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 24 {
        return false;
    }
    let distinct = |text: &str| text.split_whitespace().collect::<BTreeSet<_>>().len();
    let (from, to) = (source.split_whitespace().count(), distinct(text));
    to * 8 <= words.len() && (from < 24 || distinct(source) * 8 > from)
}

/// A neighbour of a blank item may carry both texts: it is dropped when it has
/// more words than its source, or is half as long again.
fn drop_merged_neighbours(id: usize, sources: &[&str], items: &mut BTreeMap<usize, String>) {
    for near in [id.checked_sub(1), id.checked_add(1)].into_iter().flatten() {
        let (Some(text), Some(source)) = (items.get(&near), sources.get(near)) else { continue };
        let words = text.split_whitespace().count() > source.split_whitespace().count();
        let length = 2 * text.chars().count() > 3 * source.chars().count();
        if words || length {
            items.remove(&near);
        }
    }
}

/// Tells whether the whole batch came back as it was sent. One text alone may be
/// a name; for several, one that is prose is enough.
fn untranslated(items: &BTreeMap<usize, String>, batch: Batch<'_>) -> bool {
    let pairs = || items.iter().filter_map(|(id, text)| Some((*batch.sources.get(*id)?, text)));
    batch.sources.len() > 1
        && pairs().all(|(source, text)| source.trim() == text.trim())
        && pairs().any(|(source, text)| {
            let (source, text) = (markup::plain(source, true), markup::plain(text, true));
            doubts(&source, &text, batch.target, &[]).contains(&Doubt::Copy)
        })
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
