//! Marked text in an engine's own XML or HTML, and back.
//!
//! Engines carry tags that look like those of a document, and keep them best in
//! a form of their own. An answer never meets a parser of HTML: what is not one
//! of the source's tags is text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::entities::decoded;
use crate::markup::{Part, escape, parts, unescape};
use crate::provider::Text;

/// How an engine likes a numbered tag.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// `<b1>…</b1>`: the number is a part of the name.
    Named(&'static str),
    /// `<x id="1">…</x>`: an attribute, quoted.
    Quoted(&'static str, &'static str),
    /// `<a i=1>…</a>`: an attribute without quotes.
    Unquoted(&'static str, &'static str),
    /// `<1>…</1>`: as on the wire.
    Bare,
}

/// How an engine is sent text, and how it answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Its tags.
    pub(super) shape: Shape,
    /// Whether a single tag is `<…/>`; else it is an empty pair, since HTML
    /// takes no notice of the stroke.
    pub(super) strokes: bool,
    /// Whether words are sent with entities.
    pub(super) escapes: bool,
    /// Whether words are answered with entities.
    pub(super) decodes: bool,
}

impl Form {
    /// Returns a text as the engine is sent it.
    pub(super) fn written(&self, text: &Text) -> String {
        if !text.marked {
            return self.words(&text.text);
        }
        let mut out = String::with_capacity(text.text.len() * 2);
        for part in parts(&text.text) {
            match part {
                Part::Text(raw) => out.push_str(&self.words(&unescape(raw))),
                Part::Open(n) => self.open(n, "", &mut out),
                Part::Close(n) => self.close(n, &mut out),
                Part::Void(n) if self.strokes => self.open(n, "/", &mut out),
                Part::Void(n) => {
                    self.open(n, "", &mut out);
                    self.close(n, &mut out);
                }
            }
        }
        out
    }

    fn open(&self, n: u32, stroke: &str, out: &mut String) {
        _ = match self.shape {
            Shape::Named(name) => write!(out, "<{name}{n}{stroke}>"),
            Shape::Quoted(name, attribute) => write!(out, "<{name} {attribute}=\"{n}\"{stroke}>"),
            Shape::Unquoted(name, attribute) => write!(out, "<{name} {attribute}={n}{stroke}>"),
            Shape::Bare => write!(out, "<{n}{stroke}>"),
        };
    }

    fn close(&self, n: u32, out: &mut String) {
        _ = match self.shape {
            Shape::Named(name) => write!(out, "</{name}{n}>"),
            Shape::Quoted(name, _) | Shape::Unquoted(name, _) => write!(out, "</{name}>"),
            Shape::Bare => write!(out, "</{n}>"),
        };
    }

    /// Writes words. Characters that XML forbids even as entities are left out:
    /// one of them would cost the whole batch.
    fn words(&self, run: &str) -> String {
        if !self.escapes {
            return run.to_owned();
        }
        let allowed = |c: &char| match *c {
            '\t' | '\n' | '\r' => true,
            c => c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'),
        };
        escape(&run.chars().filter(allowed).collect::<String>()).replace('>', "&gt;")
    }

    /// Returns the words of an answer.
    pub(super) fn plain(&self, raw: &str) -> String {
        if self.decodes { decoded(raw) } else { raw.to_owned() }
    }

    /// Tells whether a marked text's own words would be taken for tags in an
    /// answer, since the engine answers without entities.
    pub(super) fn is_ambiguous(&self, text: &Text) -> bool {
        let looks_tagged = |words: &str| {
            words.match_indices('<').any(|(at, _)| tag_at(&words[at..], self.shape).is_some())
        };
        !self.decodes
            && text.marked
            && parts(&text.text).any(|part| match part {
                Part::Text(raw) => looks_tagged(&unescape(raw)),
                _ => false,
            })
    }

    /// Returns an answer in the form that `text` came in; `words` has the last
    /// say about the words between the tags.
    pub(super) fn read(
        &self,
        text: &Text,
        answer: &str,
        words: impl Fn(String) -> String,
    ) -> String {
        if !text.marked {
            return words(self.plain(answer));
        }
        let mut out = String::with_capacity(answer.len());
        for part in merged(scan(text, answer, self.shape)) {
            match part {
                Part::Text(raw) => out.push_str(&escape(&words(self.plain(raw)))),
                tag => tag.write(&mut out),
            }
        }
        out
    }
}

/// Something in an answer that is written like one of our tags. A closing tag
/// has no number where the number is an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Open(Option<u32>),
    Close(Option<u32>),
    Single(Option<u32>),
}

/// A longer tag is none of ours, whatever an engine has added to it.
const LONGEST_TAG: usize = 256;

/// Reads a tag of this shape that starts here; returns it with its length.
fn tag_at(text: &str, shape: Shape) -> Option<(Seen, usize)> {
    let end = text.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let inner = text[..end].strip_prefix('<').filter(|inner| !inner.contains('<'))?;
    let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let (strokes, inner) = inner.strip_suffix('/').map_or((false, inner), |inner| (true, inner));
    let name_end = inner.find(|c: char| c.is_whitespace()).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(name_end);
    let is_name = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    let number = match shape {
        Shape::Bare => Some(number(name).filter(|_| rest.is_empty())?),
        Shape::Named(wanted) => {
            let (letters, digits) = name.split_at_checked(wanted.len())?;
            Some(number(digits).filter(|_| letters.eq_ignore_ascii_case(wanted))?)
        }
        Shape::Quoted(wanted, _) | Shape::Unquoted(wanted, _) if !is_name(wanted) => return None,
        Shape::Quoted(_, attribute) | Shape::Unquoted(_, attribute) => {
            rest.split_whitespace().find_map(|pair| valued(pair, attribute))
        }
    };
    let seen = match (closes, strokes) {
        (true, true) => return None,
        (true, false) => Seen::Close(number),
        (false, true) => Seen::Single(number),
        (false, false) => Seen::Open(number),
    };
    Some((seen, end + 1))
}

/// Reads `i=1`, `i="1"` and `i='1'`.
fn valued(pair: &str, attribute: &str) -> Option<u32> {
    let (name, value) = pair.split_once('=')?;
    let value = value.trim_matches(['"', '\'']);
    number(value).filter(|_| name.eq_ignore_ascii_case(attribute))
}

/// Reads a number as the wire's tags have it: no leading zero, six digits at most.
fn number(digits: &str) -> Option<u32> {
    let fits = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| fits && !digits.starts_with('0'))
}

/// Returns the answer's parts: the tags that `text` has, and text.
fn scan<'a>(text: &Text, answer: &'a str, shape: Shape) -> Vec<Part<'a>> {
    let mut own = Own { pairs: BTreeMap::new(), open: Vec::new() };
    for part in parts(&text.text) {
        if let Part::Open(n) | Part::Void(n) = part {
            own.pairs.insert(n, matches!(part, Part::Open(_)));
        }
    }
    let (mut out, mut done, mut from) = (Vec::new(), 0, 0);
    while let Some(at) = answer[from..].find('<').map(|at| from + at) {
        let Some((seen, len)) = tag_at(&answer[at..], shape) else {
            from = at + 1;
            continue;
        };
        from = at + len;
        let Some(tags) = own.resolve(seen) else { continue };
        if done < at {
            out.push(Part::Text(&answer[done..at]));
        }
        out.extend(tags.into_iter().flatten());
        done = from;
    }
    if done < answer.len() {
        out.push(Part::Text(&answer[done..]));
    }
    out
}

/// The tags of a source, and which are open in its answer.
struct Own {
    /// For each number whether it is a pair.
    pairs: BTreeMap<u32, bool>,
    /// What a closing tag without a number closes; none for a foreign tag.
    open: Vec<Option<u32>>,
}

impl Own {
    /// Returns what stands for a tag in marked text; none when it is text.
    fn resolve(&mut self, seen: Seen) -> Option<[Option<Part<'static>>; 2]> {
        let pair = |n: Option<u32>| n.and_then(|n| self.pairs.get(&n).map(|pair| (n, *pair)));
        match seen {
            Seen::Open(n) => {
                let known = pair(n);
                self.open.push(known.map(|(n, _)| n));
                known
                    .map(|(n, pair)| [Some(if pair { Part::Open(n) } else { Part::Void(n) }), None])
            }
            Seen::Single(n) => {
                let (n, pair) = pair(n)?;
                let closed = pair.then_some(Part::Close(n));
                Some([Some(if pair { Part::Open(n) } else { Part::Void(n) }), closed])
            }
            Seen::Close(n) => {
                let last = self.open.pop().flatten();
                let (n, pair) = self.closed(n.or(last)?)?;
                Some([pair.then_some(Part::Close(n)), None])
            }
        }
    }

    fn closed(&self, n: u32) -> Option<(u32, bool)> {
        self.pairs.get(&n).map(|pair| (n, *pair))
    }
}

/// Makes one pair of a pair that came back in several: an engine that moves
/// words opens a tag again where its words go on. Empty repetitions go, and two
/// with nothing but text between them become one; others are left to the check.
fn merged(all: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let (mut seen, mut repeated, mut worded) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (at, part) in all.iter().enumerate() {
        if let Part::Open(n) = part {
            if !seen.insert(*n) {
                repeated.insert(*n);
            }
            if all.get(at + 1) != Some(&Part::Close(*n)) {
                worded.insert(*n);
            }
        }
    }
    if repeated.is_empty() {
        return all;
    }
    let mut out: Vec<Part<'_>> = Vec::with_capacity(all.len());
    let mut tags: Vec<usize> = Vec::new();
    let mut rest = all.iter().copied().peekable();
    while let Some(part) = rest.next() {
        if let Part::Open(n) = part
            && repeated.contains(&n)
        {
            if worded.contains(&n) && rest.next_if_eq(&Part::Close(n)).is_some() {
                continue;
            }
            if let Some(&last) = tags.last()
                && out[last] == Part::Close(n)
            {
                out[last] = Part::Text("");
                tags.pop();
                continue;
            }
        }
        if matches!(part, Part::Open(_) | Part::Close(_)) {
            tags.push(out.len());
        }
        out.push(part);
    }
    out
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
