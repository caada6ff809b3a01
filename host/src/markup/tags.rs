//! Whether an answer's tags are those of the source, and what can be repaired.

use super::joint::is_torn;
use super::scan::{Part, escape, parts, unescape};
use std::collections::BTreeMap;

/// What is wrong with the tags of an answer. Numbers are in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no text where the source has some.
    Blank,
    /// These tags are not there.
    Lost(Vec<u32>),
    /// These are there more than once.
    Repeated(Vec<u32>),
    /// These are opened and not closed, or the other way round.
    Unclosed(Vec<u32>),
    /// Two tags cross each other.
    Crossed,
    /// The words of these vanished.
    Empty(Vec<u32>),
    /// A word runs out of these, although nothing stands outside in the source.
    Torn(Vec<u32>),
    /// These came back as a pair instead of a single tag, or the other way round.
    Kind(Vec<u32>),
}

/// What the check of an answer's tags says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// As in the source.
    Ok,
    /// As in the source, after a repair.
    Repairable,
    /// As in the source; something that looks like HTML besides is text.
    ForeignHtml,
    /// The item counts as missing.
    Faulty(Fault),
}

/// Compares the tags of an answer with those of its source, both in marked form.
#[must_use]
pub fn read_tags(source: &str, answer: &str) -> Tags {
    let wanted = Wanted::of(source, u32::MAX);
    let exact: Vec<Part<'_>> = parts(answer).collect();
    if check(&wanted, &exact).is_ok() {
        let foreign = exact.iter().any(|part| match part {
            Part::Text(raw) => looks_like_html(raw),
            _ => false,
        });
        return if foreign { Tags::ForeignHtml } else { Tags::Ok };
    }
    match repair(source, u32::MAX, answer) {
        Ok(_) => Tags::Repairable,
        Err(fault) => Tags::Faulty(fault),
    }
}

fn looks_like_html(raw: &str) -> bool {
    raw.match_indices('<').any(|(at, _)| {
        raw[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'))
    })
}

/// Returns the answer in marked form with the source's tags, each exactly once;
/// it is taken as it stands if it can be, and repaired only if not. Numbers
/// above `own` are tokens: they count as words.
pub(super) fn repair(source: &str, own: u32, answer: &str) -> Result<String, Fault> {
    let wanted = Wanted::of(source, own);
    let exact: Vec<Part<'_>> = parts(answer).collect();
    let fault = match check(&wanted, &exact) {
        Ok(()) => return Ok(write(&wanted, &exact)),
        Err(fault) => fault,
    };
    let loose = lenient(answer, &wanted);
    let fixed = kinds(&wanted, parts(&loose).collect());
    if check(&wanted, &fixed).is_ok() { Ok(write(&wanted, &fixed)) } else { Err(fault) }
}

/// The tags of a source.
struct Wanted {
    /// For each number: whether it is a pair, and whether it has words.
    tags: BTreeMap<u32, (bool, bool)>,
    /// Numbers above this are tokens.
    own: u32,
    /// Whether there is any text or token.
    words: bool,
    /// Whether there is any text outside of every pair.
    outside: bool,
    /// Whether the text shows something like a tag, so that an escaped one in the
    /// answer may be text as well.
    shows_tags: bool,
    /// Whether the text says `&gt;` literally, so that it is no entity.
    literal_gt: bool,
}

impl Wanted {
    fn of(source: &str, own: u32) -> Self {
        let all: Vec<Part<'_>> = parts(source).collect();
        let mut tags = BTreeMap::new();
        let worded = worded(&all, own);
        for part in &all {
            match *part {
                Part::Open(n) => {
                    tags.insert(n, (true, worded.contains(&n)));
                }
                Part::Void(n) => {
                    tags.insert(n, (false, false));
                }
                Part::Close(_) | Part::Text(_) => {}
            }
        }
        let words = all.iter().any(|part| is_word(part, own));
        let outside = has_text_outside(&all);
        let shows_tags = source.match_indices("&lt;").any(|(at, lead)| {
            source[at + lead.len()..]
                .trim_start_matches('/')
                .starts_with(|c: char| c.is_ascii_digit())
        });
        Self { tags, own, words, outside, literal_gt: source.contains("&amp;gt;"), shows_tags }
    }

    fn knows(&self, part: &Part<'_>) -> bool {
        part.number().is_some_and(|n| self.tags.contains_key(&n))
    }
}

fn is_word(part: &Part<'_>, own: u32) -> bool {
    match part {
        Part::Text(raw) => !raw.trim().is_empty(),
        Part::Void(n) => *n > own,
        Part::Open(_) | Part::Close(_) => false,
    }
}

/// Returns the numbers of the pairs that enclose any word.
fn worded(all: &[Part<'_>], own: u32) -> Vec<u32> {
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut out = Vec::new();
    for part in all {
        match part {
            Part::Open(n) => open.push((*n, false)),
            Part::Close(n) => {
                if open.last().is_some_and(|(last, _)| last == n)
                    && let Some((n, true)) = open.pop()
                {
                    out.push(n);
                    if let Some(outer) = open.last_mut() {
                        outer.1 = true;
                    }
                }
            }
            word => {
                if is_word(word, own)
                    && let Some(inner) = open.last_mut()
                {
                    inner.1 = true;
                }
            }
        }
    }
    out
}

/// How often a number is opened, closed and single in an answer.
#[derive(Default)]
struct Count {
    opens: u32,
    closes: u32,
    voids: u32,
}

fn counted(wanted: &Wanted, answer: &[Part<'_>]) -> BTreeMap<u32, Count> {
    let mut counts: BTreeMap<u32, Count> = BTreeMap::new();
    for part in answer.iter().filter(|part| wanted.knows(part)) {
        let Some(number) = part.number() else { continue };
        let count = counts.entry(number).or_default();
        match part {
            Part::Open(_) => count.opens += 1,
            Part::Close(_) => count.closes += 1,
            _ => count.voids += 1,
        }
    }
    counts
}

fn check(wanted: &Wanted, answer: &[Part<'_>]) -> Result<(), Fault> {
    let counts = counted(wanted, answer);
    let those = |test: &dyn Fn(bool, &Count) -> bool| -> Vec<u32> {
        let none = Count::default();
        let seen = |n: &u32| counts.get(n).unwrap_or(&none);
        wanted.tags.iter().filter(|(n, (pair, _))| test(*pair, seen(n))).map(|(n, _)| *n).collect()
    };
    let found = |list: Vec<u32>, fault: fn(Vec<u32>) -> Fault| {
        if list.is_empty() { Ok(()) } else { Err(fault(list)) }
    };
    found(those(&|_, c| c.opens + c.closes + c.voids == 0), Fault::Lost)?;
    found(those(&|_, c| c.opens > 1 || c.closes > 1 || c.voids > 1), Fault::Repeated)?;
    found(
        those(&|pair, c| if pair { c.voids > 0 } else { c.voids == 0 || c.opens + c.closes > 0 }),
        Fault::Kind,
    )?;
    found(those(&|_, c| c.opens != c.closes), Fault::Unclosed)?;
    nested(wanted, answer)?;
    let known: Vec<Part<'_>> = answer
        .iter()
        .map(|p| if p.number().is_some() && !wanted.knows(p) { Part::Text("?") } else { *p })
        .collect();
    let full = worded(&known, wanted.own);
    let empty: Vec<u32> = wanted
        .tags
        .iter()
        .filter(|(n, (_, words))| *words && !full.contains(n))
        .map(|(n, _)| *n)
        .collect();
    found(empty, Fault::Empty)?;
    found(if wanted.outside { Vec::new() } else { torn(answer) }, Fault::Torn)?;
    let blank = wanted.words && !known.iter().any(|part| is_word(part, wanted.own));
    if blank { Err(Fault::Blank) } else { Ok(()) }
}

/// Returns the numbers of the outermost pairs out of which a word runs.
fn torn(answer: &[Part<'_>]) -> Vec<u32> {
    let mut depth = 0_u32;
    let mut out = Vec::new();
    for (at, part) in answer.iter().enumerate() {
        let before = depth;
        match part {
            Part::Open(_) => depth += 1,
            Part::Close(_) => depth = depth.saturating_sub(1),
            Part::Void(_) | Part::Text(_) => continue,
        }
        let near = (at.checked_sub(1).and_then(|left| answer.get(left)), answer.get(at + 1));
        if let (Some(Part::Text(left)), Some(Part::Text(right))) = near
            && before.min(depth) == 0
            && is_torn(left, right)
        {
            out.extend(part.number());
        }
    }
    out
}

/// Tells whether there is any text outside of every pair.
fn has_text_outside(all: &[Part<'_>]) -> bool {
    let mut depth = 0_u32;
    all.iter().any(|part| match part {
        Part::Open(_) => {
            depth += 1;
            false
        }
        Part::Close(_) => {
            depth = depth.saturating_sub(1);
            false
        }
        Part::Text(raw) => depth == 0 && !raw.trim().is_empty(),
        Part::Void(_) => false,
    })
}

fn nested(wanted: &Wanted, answer: &[Part<'_>]) -> Result<(), Fault> {
    let mut open = Vec::new();
    for part in answer.iter().filter(|part| wanted.knows(part)) {
        match part {
            Part::Open(n) => open.push(*n),
            Part::Close(n) if open.pop() != Some(*n) => return Err(Fault::Crossed),
            _ => {}
        }
    }
    Ok(())
}

/// Writes checked parts; tags that are not the source's become text.
fn write(wanted: &Wanted, answer: &[Part<'_>]) -> String {
    let mut out = String::new();
    for part in answer {
        let mut raw = String::new();
        part.write(&mut raw);
        if wanted.knows(part) {
            out.push_str(&raw);
            continue;
        }
        let text = unescape(&raw);
        let text = if wanted.literal_gt { text } else { text.replace("&gt;", ">") };
        out.push_str(&escape(&text));
    }
    out
}

/// Mends the kind of a tag where nothing is lost by it: `<2></2>` or a lone
/// `<2>` for a single tag, `<1/>` for a pair that was empty in the source.
fn kinds<'a>(wanted: &Wanted, answer: Vec<Part<'a>>) -> Vec<Part<'a>> {
    let closed: Vec<u32> = answer
        .iter()
        .filter_map(|p| if let Part::Close(n) = p { Some(*n) } else { None })
        .collect();
    let mut out: Vec<Part<'a>> = Vec::with_capacity(answer.len());
    for part in answer {
        let pair = part.number().and_then(|n| wanted.tags.get(&n)).copied();
        match (part, pair) {
            (Part::Close(n), Some((false, _))) if out.last() == Some(&Part::Open(n)) => {
                out.pop();
                out.push(Part::Void(n));
            }
            (Part::Open(n), Some((false, _))) if !closed.contains(&n) => out.push(Part::Void(n)),
            (Part::Void(n), Some((true, false))) => out.extend([Part::Open(n), Part::Close(n)]),
            (part, _) => out.push(part),
        }
    }
    out
}

/// Rewrites what was meant as a tag of the source: full-width or escaped
/// brackets, blanks inside, full-width digits.
fn lenient(answer: &str, wanted: &Wanted) -> String {
    let mut out = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(c) = rest.chars().next() {
        if let Some((tag, len)) = loose_tag(rest)
            && wanted.knows(&tag)
            && !(wanted.shows_tags && c == '&')
        {
            tag.write(&mut out);
            rest = &rest[len..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Longer than any damaged tag: a bound on what is looked at from each `<`.
const LONGEST_LOOSE_TAG: usize = 48;

fn loose_tag(text: &str) -> Option<(Part<'static>, usize)> {
    const OPENERS: &[&str] = &["<", "＜", "〈", "&lt;", "&amp;lt;", "\\<"];
    const CLOSERS: &[&str] = &[">", "＞", "〉", "&gt;", "&amp;gt;", "\\>"];
    let after = OPENERS.iter().find_map(|opener| text.strip_prefix(opener))?;
    let mut inner = blank(after);
    let closes = strip_slash(&mut inner);
    let mut number: u32 = 0;
    let mut digits = 0;
    while let Some(digit) = inner.chars().next().and_then(digit) {
        number = number.checked_mul(10)?.checked_add(digit)?;
        digits += 1;
        inner = &inner[inner.chars().next().map_or(0, char::len_utf8)..];
    }
    inner = blank(inner);
    let single = strip_slash(&mut inner);
    if digits == 0 || digits > 6 || (closes && single) {
        return None;
    }
    let rest = CLOSERS.iter().find_map(|closer| inner.strip_prefix(closer))?;
    let len = text.len() - rest.len();
    let tag = match (closes, single) {
        (true, _) => Part::Close(number),
        (_, true) => Part::Void(number),
        _ => Part::Open(number),
    };
    (len <= LONGEST_LOOSE_TAG).then_some((tag, len))
}

fn blank(text: &str) -> &str {
    let len: usize =
        text.chars().take(4).take_while(|c| c.is_whitespace()).map(char::len_utf8).sum();
    &text[len..]
}

fn strip_slash(text: &mut &str) -> bool {
    match text.strip_prefix(['/', '／']) {
        Some(rest) => {
            *text = blank(rest);
            true
        }
        None => false,
    }
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => c.to_digit(10),
        '０'..='９' => Some(u32::from(c) - u32::from('０')),
        _ => None,
    }
}
