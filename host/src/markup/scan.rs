//! The strict reading of marked text: tags, and the text between them.

use std::fmt::Write as _;

/// A part of marked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text as it stands, entities and all.
    Text(&'a str),
    /// `<n>`.
    Open(u32),
    /// `</n>`.
    Close(u32),
    /// `<n/>`.
    Void(u32),
}

impl Part<'_> {
    /// Returns a tag's number.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        match *self {
            Part::Text(_) => None,
            Part::Open(n) | Part::Close(n) | Part::Void(n) => Some(n),
        }
    }

    /// Writes the part as it stands.
    pub fn write(&self, out: &mut String) {
        match *self {
            Part::Text(text) => out.push_str(text),
            Part::Open(n) => _ = write!(out, "<{n}>"),
            Part::Close(n) => _ = write!(out, "</{n}>"),
            Part::Void(n) => _ = write!(out, "<{n}/>"),
        }
    }
}

/// Returns the parts of marked text in order. What is not exactly a tag is text,
/// and neighbouring text is one part.
pub fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    let mut next = None;
    std::iter::from_fn(move || {
        if let Some(tag) = next.take() {
            return Some(tag);
        }
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(found) = rest[from..].find('<') {
            let at = from + found;
            let Some((tag, len)) = tag_at(&rest[at..]) else {
                from = at + 1;
                continue;
            };
            let before = &rest[..at];
            rest = &rest[at + len..];
            if before.is_empty() {
                return Some(tag);
            }
            next = Some(tag);
            return Some(Part::Text(before));
        }
        Some(Part::Text(std::mem::take(&mut rest)))
    })
}

/// Reads a tag that starts here; returns it with its length in bytes.
///
/// A number has at most six digits and no leading zero: a longer one is text.
fn tag_at(text: &str) -> Option<(Part<'static>, usize)> {
    let inner = text.strip_prefix('<')?;
    let (closes, inner) = match inner.strip_prefix('/') {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    let digits = inner.bytes().take(7).take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 6 || inner.starts_with('0') {
        return None;
    }
    let number = inner[..digits].parse().ok()?;
    let after = &inner[digits..];
    let start = 1 + usize::from(closes) + digits;
    if after.starts_with('>') {
        let tag = if closes { Part::Close(number) } else { Part::Open(number) };
        return Some((tag, start + 1));
    }
    (!closes && after.starts_with("/>")).then_some((Part::Void(number), start + 2))
}

/// Writes `<` and `&` as entities.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Reads the two entities of marked text; everything else stays.
#[must_use]
pub fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&amp;", "&")
}

/// Returns the text without tags and entities. Byte offsets into it are what
/// [`super::Shield`] counts in; tags leave nothing behind, so that a word that
/// runs through a tag is one word.
#[must_use]
pub fn plain(text: &str, marked: bool) -> String {
    if !marked {
        return text.to_owned();
    }
    parts(text).fold(String::new(), |mut out, part| {
        if let Part::Text(raw) = part {
            out.push_str(&unescape(raw));
        }
        out
    })
}

/// Applies `f` to the un-escaped text between tags; tags stay as they are.
pub fn map_text(text: &str, marked: bool, mut f: impl FnMut(&str) -> String) -> String {
    if !marked {
        return f(text);
    }
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(raw) => out.push_str(&escape(&f(&unescape(raw)))),
            tag => tag.write(&mut out),
        }
    }
    out
}

/// Tells whether a segment from the extension is what the wire allows: tags
/// numbered 1 to `tags` in order of first appearance, each once, properly
/// nested; no bare `<`, and `&` only in `&lt;` and `&amp;`. Plain text always is.
#[must_use]
pub fn validate(text: &str, tags: Option<u32>) -> bool {
    let Some(tags) = tags else { return true };
    let mut last = 0;
    let mut open = Vec::new();
    for part in parts(text) {
        match part {
            Part::Text(raw) => {
                if has_stray(raw) {
                    return false;
                }
            }
            Part::Open(n) | Part::Void(n) => {
                if n != last + 1 {
                    return false;
                }
                last = n;
                if matches!(part, Part::Open(_)) {
                    open.push(n);
                }
            }
            Part::Close(n) => {
                if open.pop() != Some(n) {
                    return false;
                }
            }
        }
    }
    open.is_empty() && last == tags
}

/// Tells whether there is a bare `<`, or an `&` outside of the two entities.
pub(super) fn has_stray(raw: &str) -> bool {
    raw.match_indices(['<', '&'])
        .any(|(at, _)| !raw[at..].starts_with("&lt;") && !raw[at..].starts_with("&amp;"))
}
