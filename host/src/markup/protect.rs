//! What a translator must leave alone: addresses, code, long numbers, variables.
//!
//! Conservative on purpose: a word that is protected by mistake stays in the
//! source's language, and that is seen at once.

use std::ops::Range;

/// Returns the byte ranges to protect, in order, without overlaps.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    if has_sign(text) { search(text) } else { Vec::new() }
}

/// Whether a text has a sign that one of the patterns below needs. Most texts
/// have none, and need not be searched.
fn has_sign(text: &str) -> bool {
    let is_sign =
        |byte| matches!(byte, b':' | b'@' | b'_' | b'/' | b'\\' | b'{' | b'%' | b'0'..=b'9');
    text.bytes().any(is_sign) || has_www(text)
}

fn has_www(text: &str) -> bool {
    let ends = |at: usize| text.as_bytes()[..at].last_chunk::<3>();
    let mut dots = text.match_indices('.');
    dots.any(|(at, _)| ends(at).is_some_and(|three| three.eq_ignore_ascii_case(b"www")))
}

fn search(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let before = text[..at].chars().next_back();
        let rest = &text[at..];
        if let Some(len) = opaque(rest, before) {
            out.push(at..at + len);
            at += len;
            continue;
        }
        at += step(rest, before);
    }
    out
}

/// Returns how far to go on: past a whole word, so that each is looked at once.
fn step(rest: &str, before: Option<char>) -> usize {
    if !before.is_some_and(is_word) {
        let word = run(rest, is_word);
        if word > 0 {
            return word;
        }
    }
    rest.chars().next().map_or(1, char::len_utf8)
}

/// A letter or digit of the scripts that part words by spaces, or `_`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn run(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

fn opaque(rest: &str, before: Option<char>) -> Option<usize> {
    variable(rest, before).or_else(|| {
        let inside = before.is_some_and(|c| is_word(c) || matches!(c, '@' | '.'));
        if inside { None } else { starts_word(rest, before) }
    })
}

fn starts_word(rest: &str, before: Option<char>) -> Option<usize> {
    url(rest)
        .or_else(|| email(rest))
        .or_else(|| mention(rest))
        .or_else(|| snake(rest))
        .or_else(|| path(rest, before))
        .or_else(|| number(rest))
}

/// `https://…`, `www.…`, `mailto:…`, up to white space, a bracket, or a letter
/// that is not ASCII; punctuation at the end belongs to the sentence.
fn url(rest: &str) -> Option<usize> {
    const STARTS: &[&str] = &["https://", "http://", "ftp://", "www.", "mailto:"];
    let start = STARTS.iter().find(|start| {
        rest.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
    })?;
    let end = run(rest, |c| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '|'));
    let mut url = &rest[..end];
    loop {
        let open = url.matches('(').count() >= url.matches(')').count();
        let cut = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', ']', '}', '*']);
        let cut = if open { cut } else { cut.strip_suffix(')').unwrap_or(cut) };
        if cut.len() == url.len() {
            break;
        }
        url = cut;
    }
    (url.len() > start.len()).then_some(url.len())
}

fn email(rest: &str) -> Option<usize> {
    let local = run(rest, |c| is_word(c) || matches!(c, '.' | '+' | '-' | '%'));
    let domain = rest[local..].strip_prefix('@').filter(|_| local > 0)?;
    let end = run(domain, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let domain = domain[..end].trim_end_matches(['.', '-']);
    let (_, top) = domain.rsplit_once('.')?;
    let fits = top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic());
    fits.then_some(local + 1 + domain.len())
}

fn mention(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('@')?;
    let len = run(name, |c| is_word(c) || matches!(c, '.' | '-'));
    let name = name[..len].trim_end_matches(['.', '-']);
    (name.len() >= 2 && name.starts_with(|c: char| is_word(c))).then_some(1 + name.len())
}

/// `snake_case`, `MAX_SIZE`, `fs_open()`: an ASCII word with `_` inside.
fn snake(rest: &str) -> Option<usize> {
    let len = run(rest, is_word);
    let word = &rest[..len];
    let inner = word.trim_matches('_');
    if !inner.contains('_') || !inner.bytes().any(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    Some(if rest[len..].starts_with("()") { len + 2 } else { len })
}

/// `/usr/bin/env`, `~/notes`, `./run.sh`, `C:\Users\x`: a path by its start,
/// with two separators or a start that only paths have.
fn path(rest: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(|c| c.is_alphanumeric() || c == '/') {
        return None;
    }
    let drive = rest.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && rest.get(1..3).is_some_and(|next| next == ":\\");
    let home = ["~/", "./", "../"].iter().any(|start| rest.starts_with(start));
    if !drive && !home && !rest.starts_with('/') {
        return None;
    }
    let allowed = |c: char| {
        is_word(c) || matches!(c, '/' | '.' | '-' | '~' | '+' | '@') || drive && ":\\".contains(c)
    };
    let path = rest[..run(rest, allowed)].trim_end_matches(['.', '-', '+', '@', ':']);
    let separators = path.matches(['/', '\\']).count();
    let letters = path.bytes().any(|b| b.is_ascii_alphabetic());
    let deep = separators >= if drive || home { 1 } else { 2 };
    (letters && deep && !path.starts_with("//") && path.len() > 3).then_some(path.len())
}

/// A run of five digits and more, with the decimals or groups that follow; not
/// one that is a part of a word.
fn number(rest: &str) -> Option<usize> {
    let mut len = run(rest, |c| c.is_ascii_digit());
    if len < 5 {
        return None;
    }
    while rest[len..].starts_with(['.', ',']) {
        let more = run(&rest[len + 1..], |c| c.is_ascii_digit());
        if more == 0 {
            break;
        }
        len += 1 + more;
    }
    let joined = rest[len..].starts_with(is_word);
    (!joined).then_some(len)
}

fn variable(rest: &str, before: Option<char>) -> Option<usize> {
    match rest.as_bytes().first()? {
        b'{' | b'$' | b'#' => braces(rest),
        b'%' => percent(rest, before),
        b':' if !before.is_some_and(char::is_alphanumeric) => emoji_code(rest),
        _ => None,
    }
}

/// No variable has a longer name.
const MAX_VARIABLE_BYTES: usize = 64;

/// `{name}`, `{0}`, `{0:n2}`, `{}`, `{{ name }}`, `${x}`, `#{x}`.
fn braces(rest: &str) -> Option<usize> {
    let sigil = usize::from(!rest.starts_with('{'));
    let body = &rest[sigil..];
    let double = body.starts_with("{{");
    let (open, close) = if double { ("{{", "}}") } else { ("{", "}") };
    let inner = body.strip_prefix(open)?;
    let blanks_fit = double || sigil == 1;
    let fits = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || b"_.:-$#[]|()%".contains(byte)
            || blanks_fit && *byte == b' '
    };
    let end = inner.bytes().take(MAX_VARIABLE_BYTES).take_while(fits).count();
    let fits = inner[end..].starts_with(close) && (sigil == 0 || end > 0);
    fits.then_some(sigil + 2 * open.len() + end)
}

/// `%s`, `%1$d`, `%.2f`, `%(name)s`, `%@`; never `100% discount`.
fn percent(rest: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(|c| c.is_ascii_digit() || c == '%') {
        return None;
    }
    let mut at = 1;
    if rest[at..].starts_with('(') {
        at = rest.bytes().take(MAX_VARIABLE_BYTES).position(|byte| byte == b')')? + 1;
    }
    at += run(&rest[at..], |c| c.is_ascii_digit() || matches!(c, '$' | '.' | '-' | '+' | '#'));
    at += run(&rest[at..], |c| matches!(c, 'l' | 'h' | 'z'));
    let kind = rest[at..].chars().next()?;
    let fits = matches!(kind, 's' | 'd' | 'i' | 'u' | 'f' | 'x' | 'X' | 'e' | 'g' | 'c' | '@');
    let joined = rest[at + kind.len_utf8()..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (fits && !joined).then_some(at + 1)
}

/// `:emoji_code:` as chats write it.
fn emoji_code(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix(':')?;
    let len = run(inner, |c| {
        c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '+' | '-')
    });
    let closed = inner[len..].starts_with(':');
    let letters = inner[..len].bytes().any(|b| b.is_ascii_lowercase());
    (closed && len >= 2 && letters).then_some(len + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_without_a_sign_has_nothing_to_protect(
            text in "([ a-dA-D.,()$#~*-]|[:@_/\\\\{}%0-9]|[wW]{3}[.]|https?|%s|가){0,12}",
        ) {
            prop_assert_eq!(find(&text), search(&text));
        }
    }
}
