//! What no entry reaches into: addresses and what looks like code.
//!
//! An entry that covers such a piece as a whole still counts: `Booking.com`
//! may be a term.

use std::ops::Range;

use crate::language::is_unspaced;
use crate::segment::is_domain_name;

/// Returns the protected pieces, in order.
pub(super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = quoted(text);
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        // An address ends where a script without spaces goes on.
        let inside = !c.is_whitespace() && !is_unspaced(c);
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                pieces.extend(in_word(text, from..at));
                start = None;
            }
            _ => {}
        }
    }
    pieces.sort_by_key(|piece| piece.start);
    pieces
}

/// `code` in backticks, and `<tags …>` that stand in the text as text.
fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut rest = 0;
    while let Some(at) = text[rest..].find(['`', '<']).map(|at| at + rest) {
        let end = if text.as_bytes()[at] == b'`' {
            text[at + 1..].find('`').map(|end| at + end + 2)
        } else {
            let name = text[at + 1..].trim_start_matches('/');
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                .then(|| text[at..].find(['>', '\n']).map(|end| at + end))
                .flatten()
                .filter(|end| text.as_bytes()[*end] == b'>')
                .map(|end| end + 1)
        };
        if let Some(end) = end {
            pieces.push(at..end);
        }
        rest = end.unwrap_or(at + 1);
    }
    pieces
}

/// The protected part of one word, with the punctuation around it left out.
fn in_word(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let whole = &text[word.clone()];
    let open = |c: char| matches!(c, '(' | '[' | '"' | '\'' | '«' | '“' | '‘' | '<' | '>');
    let close = |c: char| {
        matches!(
            c,
            '.' | ','
                | ';'
                | ':'
                | '!'
                | '?'
                | ')'
                | ']'
                | '"'
                | '\''
                | '»'
                | '”'
                | '’'
                | '>'
                | '…'
        )
    };
    let inner = whole.trim_start_matches(open);
    let start = word.start + (whole.len() - inner.len());
    // `f()` keeps its brackets.
    let trimmed = if inner.ends_with("()") { inner } else { inner.trim_end_matches(close) };
    if let Some(at) = inner.find("://") {
        let scheme = inner[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |at| at + inner[at..].chars().next().map_or(1, char::len_utf8));
        return Some(start + scheme..start + trimmed.len().max(at + 3));
    }
    is_address_or_code(trimmed).then(|| start..start + trimmed.len())
}

fn is_address_or_code(word: &str) -> bool {
    let letter_after = |mark: &str| {
        word.strip_prefix(mark).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    };
    let host = word.split(['/', '?', '#', ':']).next().unwrap_or(word);
    let email =
        word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let path = letter_after("/")
        || ["~/", "./", "../"].iter().any(|start| word.starts_with(start))
        || word.matches('/').count() > 1
        || word.get(1..3) == Some(":\\");
    let code = letter_after("--")
        || word.contains("::")
        || word.ends_with("()")
        || word.contains("${")
        || (word.starts_with('{') && word.ends_with('}'));
    email || path || code || letter_after("@") || word.starts_with("www.") || is_domain_name(host)
}
