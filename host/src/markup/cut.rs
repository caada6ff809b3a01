//! Cutting a long text where a reader would pause.

use super::joint::{joint, needs_space};
use super::scan::{Part, parts};
use unicode_segmentation::UnicodeSegmentation;

/// A text cut up, and what stood between its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// The parts in order, none blank; tags keep their numbers.
    pub parts: Vec<String>,
    /// White space before each part and after the last: one more than parts.
    pub gaps: Vec<String>,
}

impl Cuts {
    /// Puts the parts' translations together with the original white space, and
    /// a space where sentences followed each other without one; none when their
    /// number is not that of the parts.
    #[must_use]
    pub fn join(&self, translations: &[impl AsRef<str>]) -> Option<String> {
        if translations.len() != self.parts.len() {
            return None;
        }
        let mut out = String::new();
        for (at, gap) in self.gaps.iter().enumerate() {
            out.push_str(gap);
            let Some(text) = translations.get(at) else { continue };
            if gap.is_empty() && at > 0 {
                let source = joint(&self.parts[at - 1], &self.parts[at]);
                let answer = joint(translations[at - 1].as_ref(), text.as_ref());
                out.push_str(if needs_space(source, answer) { " " } else { "" });
            }
            out.push_str(text.as_ref());
        }
        Some(out)
    }
}

/// Cuts a text into parts of at most `max_utf16` UTF-16 units: at sentence ends,
/// else at white space, else between characters as a reader sees them.
///
/// Marked text is cut only outside every pair of tags, never in an entity. A
/// part that cannot be cut further stays longer than asked; the caller sees it.
#[must_use]
pub fn cut(text: &str, marked: bool, max_utf16: usize) -> Cuts {
    let places = places(text, marked);
    let mut cuts = Cuts { parts: Vec::new(), gaps: vec![String::new()] };
    let (mut start, mut next) = (0, 0);
    while next < places.len() {
        let found = last_that_fits(text, start, &places[next..], max_utf16);
        cuts.push(&text[start..places[next + found].at]);
        start = places[next + found].at;
        next += found + 1;
    }
    cuts
}

/// Returns the index of the best place in reach: of the highest rank, of these
/// the last; the next one when none is in reach, the end when it is.
fn last_that_fits(text: &str, start: usize, places: &[Place], max_utf16: usize) -> usize {
    let (mut units, mut spaces, mut before) = (0, 0, start);
    let mut best = 0;
    for (index, place) in places.iter().enumerate() {
        let piece = &text[before..place.at];
        before = place.at;
        if piece.trim().is_empty() {
            // White space at the edges of a part goes to the gaps.
            spaces += if units == 0 { 0 } else { utf16(piece) };
        } else {
            units += spaces + utf16(piece);
            spaces = 0;
        }
        if units > max_utf16 && index > 0 {
            return best;
        }
        if place.rank >= places[best].rank {
            best = index;
        }
    }
    places.len() - 1
}

impl Cuts {
    fn push(&mut self, part: &str) {
        let inner = part.trim();
        let lead = part.len() - part.trim_start().len();
        if let Some(gap) = self.gaps.last_mut() {
            gap.push_str(&part[..lead]);
        }
        if !inner.is_empty() {
            self.parts.push(inner.to_owned());
            self.gaps.push(part[lead + inner.len()..].to_owned());
        }
    }
}

fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A place where the text may be cut.
#[derive(Clone, Copy)]
struct Place {
    /// Bytes from the start.
    at: usize,
    /// 2 after a sentence, 1 after white space, 0 between characters.
    rank: u8,
}

/// Returns every place, in order, the end of the text included.
fn places(text: &str, marked: bool) -> Vec<Place> {
    let mut free = free_ranges(text, marked).into_iter().peekable();
    let mut sentences = text.split_sentence_bound_indices().map(|(at, _)| at).peekable();
    let mut out = Vec::new();
    let mut space = false;
    for (at, cluster) in text.grapheme_indices(true) {
        while free.next_if(|range| range.1 < at).is_some() {}
        let mut sentence = false;
        while let Some(found) = sentences.next_if(|found| *found <= at) {
            sentence |= found == at;
        }
        let allowed = free.peek().is_some_and(|range| range.0 <= at && at <= range.1);
        if at > 0 && allowed {
            let rank = if sentence { 2 } else { u8::from(space) };
            out.push(Place { at, rank });
        }
        space = cluster.chars().all(char::is_whitespace);
    }
    out.push(Place { at: text.len(), rank: 2 });
    out
}

/// Returns the byte ranges, ends included, in which a cut breaks nothing.
fn free_ranges(text: &str, marked: bool) -> Vec<(usize, usize)> {
    if !marked {
        return vec![(0, text.len())];
    }
    let mut out = Vec::new();
    let mut depth = 0_u32;
    let mut at = 0;
    for part in parts(text) {
        let mut written = String::new();
        part.write(&mut written);
        let end = at + written.len();
        match part {
            Part::Text(raw) if depth == 0 => outside_entities(raw, at, &mut out),
            Part::Open(_) => depth += 1,
            Part::Close(_) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    out.push((end, end));
                }
            }
            Part::Void(_) if depth == 0 => out.push((end, end)),
            Part::Text(_) | Part::Void(_) => {}
        }
        at = end;
    }
    out
}

fn outside_entities(raw: &str, base: usize, out: &mut Vec<(usize, usize)>) {
    let mut start = 0;
    for (at, _) in raw.match_indices('&') {
        for entity in ["&lt;", "&amp;"] {
            if raw[at..].starts_with(entity) {
                out.push((base + start, base + at));
                start = at + entity.len();
            }
        }
    }
    out.push((base + start, base + raw.len()));
}
