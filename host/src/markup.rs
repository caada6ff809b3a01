//! Numbered tags and opaque tokens: what is sent, and whether it came back.
//!
//! Marked text is text with tags `<1>…</1>` and `<2/>`; a literal `<` or `&` is
//! `&lt;` or `&amp;`, and nothing else is an entity. Everything that is not such
//! a tag is text. Nothing here is ever given to an HTML parser, and nothing here
//! knows a provider's own form of markup.

mod cut;
mod joint;
mod pieces;
mod protect;
mod scan;
mod skeleton;
mod tags;

use std::ops::Range;

pub use cut::{Cuts, cut};
pub use pieces::{Pieces, pieces};
pub use scan::{Part, escape, map_text, parts, plain, unescape, validate};
pub use skeleton::{Skeleton, skeleton};
pub use tags::{Fault, Tags, read_tags};

/// What came into the text as `<n/>` and must come back exactly once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The text in the source.
    pub original: String,
    /// What comes back in its place: the original, or a term's translation.
    pub put_back: String,
}

/// Something to protect besides what [`prepare`] finds by itself, such as a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shield {
    /// Bytes in [`plain`] of the segment. A range that is empty, out of bounds,
    /// inside a character, across a tag, or across an earlier shield is ignored.
    pub range: Range<usize>,
    /// What comes back in its place; none for the text as it stands.
    pub put_back: Option<String>,
}

/// A segment in the form that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// What is sent.
    pub text: String,
    /// Whether `text` is in marked form.
    pub marked: bool,
    /// The highest number of the segment's own tags; tokens are above it.
    pub tags: u32,
    /// Whether the segment came in marked form, and is answered so.
    pub wire_marked: bool,
    /// The opaque tokens; the first has the number `tags + 1`.
    pub tokens: Vec<Token>,
}

impl Prepared {
    /// Tells whether anything with letters is left besides tags and tokens. If
    /// not, no provider needs to be asked: providers fail on a bare URL.
    #[must_use]
    pub fn is_translatable(&self) -> bool {
        plain(&self.text, self.marked).chars().any(char::is_alphabetic)
    }

    /// Returns the source with its tokens put back, in the form it came in.
    #[must_use]
    pub fn source(&self) -> String {
        self.put_back(&self.text, |token| &token.original)
    }

    /// Writes `text`, whose tags are checked, in the wire's form.
    fn put_back<'a>(&'a self, text: &str, pick: impl Fn(&'a Token) -> &'a String) -> String {
        if !self.marked {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for part in parts(text) {
            match part {
                Part::Text(raw) if self.wire_marked => out.push_str(&escape(&unescape(raw))),
                Part::Text(raw) => out.push_str(&unescape(raw)),
                Part::Void(n) if n > self.tags => {
                    let token = usize::try_from(n - self.tags - 1).ok();
                    if let Some(token) = token.and_then(|at| self.tokens.get(at)) {
                        let text = pick(token);
                        out.push_str(&if self.wire_marked { escape(text) } else { text.clone() });
                    }
                }
                tag => tag.write(&mut out),
            }
        }
        out
    }
}

/// Makes a segment ready to be sent.
///
/// URLs, e-mail addresses, mentions, code, long numbers and format variables,
/// and the given shields, become `<n/>` tags numbered above the segment's own;
/// a text that got any is in marked form. `tags` is the wire's field: present
/// means that `text` is marked. A shield wins over what is found here.
#[must_use]
pub fn prepare(text: &str, tags: Option<u32>, shields: &[Shield]) -> Prepared {
    let wire_marked = tags.is_some();
    let highest = parts_of(text, wire_marked).iter().filter_map(Part::number).max();
    let tags = tags.unwrap_or(0).max(highest.unwrap_or(0));
    let mut shields: Vec<&Shield> = shields.iter().collect();
    shields.sort_by_key(|shield| (shield.range.start, std::cmp::Reverse(shield.range.end)));
    let mut tokens = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for part in parts_of(text, wire_marked) {
        let Part::Text(raw) = part else {
            part.write(&mut out);
            continue;
        };
        let piece = if wire_marked { unescape(raw) } else { raw.to_owned() };
        let here = at..at + piece.len();
        at = here.end;
        let mut done = 0;
        for (range, put_back) in spans(&piece, &here, &shields) {
            out.push_str(&escape(&piece[done..range.start]));
            done = range.end;
            let original = piece[range].to_owned();
            tokens.push(Token { put_back: put_back.unwrap_or_else(|| original.clone()), original });
            let number = tags.saturating_add(u32::try_from(tokens.len()).unwrap_or(u32::MAX));
            Part::Void(number).write(&mut out);
        }
        out.push_str(&escape(&piece[done..]));
    }
    let marked = wire_marked || !tokens.is_empty();
    let text = if marked { out } else { text.to_owned() };
    Prepared { text, marked, tags, wire_marked, tokens }
}

fn parts_of(text: &str, marked: bool) -> Vec<Part<'_>> {
    if marked { parts(text).collect() } else { vec![Part::Text(text)] }
}

/// Returns what to protect in one piece of text, in order, without overlaps.
fn spans(
    piece: &str,
    here: &Range<usize>,
    shields: &[&Shield],
) -> Vec<(Range<usize>, Option<String>)> {
    let mut out: Vec<(Range<usize>, Option<String>)> = Vec::new();
    for shield in shields {
        let range = &shield.range;
        if range.start >= range.end || range.start < here.start || range.end > here.end {
            continue;
        }
        let range = range.start - here.start..range.end - here.start;
        let free = out.last().is_none_or(|(before, _)| before.end <= range.start);
        if free && piece.get(range.clone()).is_some() {
            out.push((range, shield.put_back.clone()));
        }
    }
    for range in protect::find(piece) {
        if out.iter().all(|(taken, _)| taken.end <= range.start || range.end <= taken.start) {
            out.push((range, None));
        }
    }
    out.sort_by_key(|(range, _)| range.start);
    out
}

/// Checks an answer, repairs it where it can be, and puts the tokens back.
///
/// Returns the translation in the form that the segment came in: marked when
/// `wire_marked`, else plain. Each tag and token must be there exactly once, of
/// the source's kind, properly nested, and not without its words.
///
/// # Errors
/// What is wrong with the answer's tags; [`Fault::Blank`] when it has no text.
pub fn settle(prepared: &Prepared, answer: &str) -> Result<String, Fault> {
    if !prepared.marked {
        let blank = answer.trim().is_empty() && !prepared.text.trim().is_empty();
        return if blank { Err(Fault::Blank) } else { Ok(answer.to_owned()) };
    }
    let repaired = tags::repair(&prepared.text, prepared.tags, answer)?;
    Ok(prepared.put_back(&repaired, |token| &token.put_back))
}

#[cfg(test)]
mod tests;
