//! Looking for many words at once.
//!
//! Every occurrence of every word is found in one pass over the folded text;
//! then the leftmost is taken, of those the longest that holds. So a longer
//! word that fails its boundary gives way to a shorter one.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Explanation;
use super::case::{Folded, fold, plain};
use super::protect;
use super::scope::{Pair, Scope};
use crate::language::is_unspaced;

/// Words to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The words.
    pub text: String,
    /// Whether case matters.
    pub match_case: bool,
    /// Where they are looked for.
    pub scope: Scope,
    /// Whose they are.
    pub item: usize,
}

/// Why an entry was used or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It was used.
    Used,
    /// Another entry took (some of) the words: an earlier or longer match, or
    /// one with a narrower scope.
    Overtaken,
    /// Its words stand in the text as a part of other words.
    Boundary,
    /// Its words stand in the text in another case.
    Case,
    /// Its words stand in an address or in code.
    Protected,
    /// It is for other languages or another site.
    Scope,
    /// Its words do not stand in the text.
    Absent,
}

/// A word that stands in the text and holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub range: Range<usize>,
    pub item: usize,
}

/// Words, ready to be looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Matcher {
    words: Vec<Word>,
    /// The words of each pattern, since several may fold to the same.
    patterns: Vec<Vec<usize>>,
    automaton: Option<AhoCorasick>,
}

impl Matcher {
    pub fn new(words: impl Iterator<Item = Word>) -> Self {
        let composed = |word: Word| Word { text: word.text.nfc().collect(), ..word };
        let words: Vec<Word> = words.map(composed).collect();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut folded = Vec::new();
        let mut patterns: Vec<Vec<usize>> = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let pattern: String = word.text.chars().flat_map(fold).collect();
            if pattern.is_empty() {
                continue;
            }
            let place = *places.entry(pattern.clone()).or_insert_with(|| {
                folded.push(pattern);
                patterns.push(Vec::new());
                patterns.len() - 1
            });
            patterns[place].push(index);
        }
        let automaton = if folded.is_empty() { None } else { AhoCorasick::new(&folded).ok() };
        Self { words, patterns, automaton }
    }

    pub fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// Returns the words that hold, none overlapping another, in order.
    pub fn matches(&self, text: &str, pair: Pair<'_>, site: Option<&str>) -> Vec<Hit> {
        let found = self.judged(text, pair, site);
        let held = found.into_iter().filter(|(_, why)| *why == Why::Used).map(|(hit, _)| hit);
        choose(held.collect(), &self.words)
    }

    /// Returns for each word the best that became of it.
    pub fn explain(&self, text: &str, pair: Pair<'_>, site: Option<&str>) -> Vec<Explanation> {
        let judged = self.judged(text, pair, site);
        let used = self.matches(text, pair, site);
        let mut out = Vec::new();
        for word in &self.words {
            let mine = judged.iter().filter(|(hit, _)| self.words[hit.item].item == word.item);
            let best = mine
                .map(|(hit, why)| {
                    let hit = Hit { range: hit.range.clone(), item: word.item };
                    let overtaken = *why == Why::Used && !used.contains(&hit);
                    (if overtaken { Why::Overtaken } else { *why }, hit.range)
                })
                .min_by_key(|(why, range)| (*why, range.start));
            let elsewhere = !word.scope.holds(pair, site);
            out.push(match best {
                Some((why, range)) => Explanation { item: word.item, range: Some(range), why },
                None if elsewhere => Explanation { item: word.item, range: None, why: Why::Scope },
                None => Explanation { item: word.item, range: None, why: Why::Absent },
            });
        }
        out
    }

    /// Returns every occurrence of every word, and whether it holds. The hits
    /// name places in `self.words`.
    fn judged(&self, text: &str, pair: Pair<'_>, site: Option<&str>) -> Vec<(Hit, Why)> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let folded = Folded::of(text);
        let mut protected = None;
        let mut out = Vec::new();
        for found in automaton.find_overlapping_iter(&folded.text) {
            let ends = (folded.origin(found.start()), folded.origin(found.end()));
            let (Some(start), Some(end)) = ends else { continue };
            let protected = protected.get_or_insert_with(|| protect::pieces(text));
            for place in &self.patterns[found.pattern().as_usize()] {
                let word = &self.words[*place];
                let why = if !word.scope.holds(pair, site) {
                    Why::Scope
                } else if reaches_into(protected, &(start..end)) {
                    Why::Protected
                } else if !is_free(text, &(start..end)) {
                    Why::Boundary
                } else if word.match_case
                    && !text[start..end].chars().map(plain).eq(word.text.chars().map(plain))
                {
                    Why::Case
                } else {
                    Why::Used
                };
                out.push((Hit { range: start..end, item: *place }, why));
            }
        }
        out
    }
}

/// Takes the leftmost, of those the longest, of those the first in rank; then
/// the next behind it. Turns places of words into items.
fn choose(mut hits: Vec<Hit>, words: &[Word]) -> Vec<Hit> {
    hits.sort_by_key(|hit| {
        let word = &words[hit.item];
        let rank = (std::cmp::Reverse(word.scope.narrowness()), !word.match_case, hit.item);
        (hit.range.start, std::cmp::Reverse(hit.range.end), rank)
    });
    let mut free_from = 0;
    hits.retain(|hit| {
        let taken = hit.range.start >= free_from;
        if taken {
            free_from = hit.range.end;
        }
        taken
    });
    hits.into_iter().map(|hit| Hit { item: words[hit.item].item, ..hit }).collect()
}

/// Whether a match overlaps a protected piece without covering it.
fn reaches_into(protected: &[Range<usize>], hit: &Range<usize>) -> bool {
    protected.iter().any(|piece| {
        piece.start < hit.end
            && hit.start < piece.end
            && !(hit.start <= piece.start && piece.end <= hit.end)
    })
}

/// Whether a match is not a part of a longer word.
fn is_free(text: &str, hit: &Range<usize>) -> bool {
    let inner = &text[hit.clone()];
    let (Some(first), Some(last)) = (inner.chars().next(), inner.chars().next_back()) else {
        return false;
    };
    let mut before = text[..hit.start].chars().rev();
    let mut after = text[hit.end..].chars();
    let next = after.next();
    // A mark belongs to the letter before it, in every script.
    if next.is_some_and(is_combining_mark) {
        return false;
    }
    !goes_on(first, before.next(), before.next()) && !goes_on(last, next, after.next())
}

/// Whether the word with this end goes on with `outer`. Where words have no
/// spaces between them there is no such thing.
fn goes_on(inner: char, outer: Option<char>, beyond: Option<char>) -> bool {
    let Some(outer) = outer else { return false };
    if is_unspaced(inner) || is_unspaced(outer) {
        return false;
    }
    let joins = matches!(outer, '-' | '_' | '\'' | '\u{2019}' | '\u{2010}' | '\u{2011}');
    is_word(outer) || (joins && beyond.is_some_and(is_word))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}
