//! The space between two translations whose sources stood side by side without
//! one: scripts such as Han write words and sentences together, others do not.

use super::scan::{Part, parts};
use crate::language::is_unspaced;

/// Two characters that meet, white space and tags aside.
pub(super) type Joint = (Option<char>, Option<char>);

/// Returns the joint of two texts, in marked form or not.
pub(super) fn joint(left: &str, right: &str) -> Joint {
    let last = |text: &str| text.chars().next_back();
    let ends =
        parts(left).filter_map(|part| if let Part::Text(raw) = part { last(raw) } else { None });
    let mut starts = parts(right)
        .filter_map(|part| if let Part::Text(raw) = part { raw.chars().next() } else { None });
    (ends.last(), starts.next())
}

/// Tells whether a space belongs between two translations that their sources
/// did not need.
pub(super) fn needs_space(source: Joint, answer: Joint) -> bool {
    let (Some(left), Some(right)) = source else { return false };
    (is_joined(left) || is_joined(right)) && !stands_apart(source) && stands_apart(answer)
}

/// Returns the tags between two texts with the spaces that their translations
/// need: outside of the pairs around them. An opaque thing counts as a word.
pub(super) fn spaced(tags: &str, source: Joint, answer: Joint) -> String {
    let all: Vec<Part<'_>> = parts(tags).collect();
    if all.iter().any(|part| matches!(part, Part::Text(_))) {
        return tags.to_owned();
    }
    let after_closing = all.iter().take_while(|part| matches!(part, Part::Close(_))).count();
    let opening = all.iter().rev().take_while(|part| matches!(part, Part::Open(_))).count();
    let before_opening = all.len() - opening;
    let (first, second) = if all.iter().any(|part| matches!(part, Part::Void(_))) {
        let word = Some('a');
        let first = needs_space((source.0, word), (answer.0, word));
        (first, needs_space((word, source.1), (word, answer.1)))
    } else {
        (needs_space(source, answer), false)
    };
    let mut out = String::new();
    for at in 0..=all.len() {
        if (at == after_closing && first) || (at == before_opening && second) {
            out.push(' ');
        }
        if let Some(part) = all.get(at) {
            part.write(&mut out);
        }
    }
    out
}

/// Tells whether one word runs through a joint. Korean particles follow a tag.
pub(super) fn is_torn(left: &str, right: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() && !is_joined(c);
    left.chars().next_back().is_some_and(is_letter) && right.chars().next().is_some_and(is_letter)
}

/// Scripts without spaces, and the wide marks that go with them.
fn is_joined(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff65}')
}

/// Tells whether two characters would have a space between them where words
/// have. A Korean particle follows its word without one, a sentence does not.
fn stands_apart((left, right): Joint) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return false };
    let is_word = |c: char| c.is_ascii_digit() || (c.is_alphabetic() && !is_joined(c));
    let closes = matches!(left, '.' | ',' | '!' | '?' | ';' | ':' | '…' | ')' | '”' | '»');
    let opens = matches!(right, '(' | '“' | '‘' | '«' | '¿' | '¡');
    let is_korean = matches!(right, '\u{ac00}'..='\u{d7a3}');
    (is_word(left) && (is_word(right) || opens))
        || (closes && (is_word(right) || opens || is_korean))
}
