//! The stand-in for a translation: each run of text between two tags comes
//! back as `가«run»`, with the white space at its edges left outside.
//!
//! It is visible in a screenshot, it can be undone, and it can be counted: a
//! text that was translated twice shows two layers, and a translation that
//! landed at the wrong place undoes to another source. It starts with a Hangul
//! letter and keeps digits and URLs, so that the checks for a Korean
//! translation accept it.
//!
//! `tests/pages/stand-in.mjs` is the same function; `tests/pages/stand-in.json`
//! holds the pairs that both are tested with.

const OPEN: &str = "가«";
const CLOSE: char = '»';

/// Returns the stand-in translation of `text`, its tags (`<1>`, `</1>`, `<2/>`)
/// at their places.
///
/// A run without a letter stays as it is. A guillemet inside a run is doubled,
/// which is what makes [`original`] exact.
#[must_use]
pub fn stand_in(text: &str) -> String {
    mark(text, numbered_tag)
}

/// Returns the stand-in of a piece of HTML, any tag of it kept as it is.
#[must_use]
pub fn stand_in_html(html: &str) -> String {
    mark(html, html_tag)
}

/// Returns what `translated` is the stand-in of: one layer of marks is undone.
#[must_use]
pub fn original(translated: &str) -> String {
    let mut source = String::with_capacity(translated.len());
    let mut rest = translated;
    while let Some(start) = rest.find(OPEN) {
        source.push_str(&rest[..start]);
        rest = &rest[start + OPEN.len()..];
        if let Some((run, length)) = unmark(rest) {
            source.push_str(&run);
            rest = &rest[length..];
        } else {
            source.push_str(OPEN);
        }
    }
    source.push_str(rest);
    source
}

/// Says whether `translated` is the stand-in of `source` and of nothing else.
///
/// Where the host put an opaque token back (a URL, a piece of code), the marks
/// end before it and begin again after it; such a text passes as well.
#[must_use]
pub fn is_stand_in_of(source: &str, translated: &str) -> bool {
    let is_marked = translated != source;
    original(translated) == source && is_marked == has_letters(source)
}

/// Returns the run that `marked` starts with and the length it had, its end
/// included; nothing where the end is missing.
fn unmark(marked: &str) -> Option<(String, usize)> {
    let mut run = String::new();
    let mut chars = marked.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_guillemet = matches!(c, '«' | CLOSE);
        if is_guillemet && chars.next_if(|&(_, next)| next == c).is_none() && c == CLOSE {
            return Some((run, at + CLOSE.len_utf8()));
        }
        run.push(c);
    }
    None
}

fn mark(text: &str, tag_length: fn(&str) -> Option<usize>) -> String {
    let mut marked = String::with_capacity(text.len() + 16);
    let (mut run, mut at) = (0, 0);
    while let Some(found) = text[at..].find('<') {
        let tag = at + found;
        let Some(length) = tag_length(&text[tag..]) else {
            at = tag + 1;
            continue;
        };
        mark_run(&text[run..tag], &mut marked);
        at = tag + length;
        run = at;
        marked.push_str(&text[tag..at]);
    }
    mark_run(&text[run..], &mut marked);
    marked
}

fn mark_run(run: &str, marked: &mut String) {
    if !has_letters(run) {
        marked.push_str(run);
        return;
    }
    let body = run.trim();
    let start = run.len() - run.trim_start().len();
    marked.push_str(&run[..start]);
    marked.push_str(OPEN);
    for c in body.chars() {
        marked.push(c);
        if matches!(c, '«' | CLOSE) {
            marked.push(c);
        }
    }
    marked.push(CLOSE);
    marked.push_str(&run[start + body.len()..]);
}

/// Says whether there is a letter outside the two entities of marked text.
fn has_letters(run: &str) -> bool {
    run.replace("&lt;", " ").replace("&amp;", " ").contains(char::is_alphabetic)
}

/// Returns the length of the numbered tag that `text` starts with.
fn numbered_tag(text: &str) -> Option<usize> {
    let length = text.find('>')? + 1;
    let inner = &text[1..length - 1];
    let number = inner.strip_prefix('/').or_else(|| inner.strip_suffix('/')).unwrap_or(inner);
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(length)
}

/// Returns the length of the HTML tag that `text` starts with.
fn html_tag(text: &str) -> Option<usize> {
    Some(text.find('>')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Vectors {
        stand_ins: Vec<Pair>,
        also_accepted: Vec<Pair>,
        not_accepted: Vec<Pair>,
    }

    #[derive(serde::Deserialize)]
    struct Pair {
        source: String,
        translated: String,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../../pages/stand-in.json")).unwrap()
    }

    #[test]
    fn a_stand_in_is_what_the_shared_vectors_say_and_undoes_to_its_source() {
        for Pair { source, translated } in vectors().stand_ins {
            assert_eq!(stand_in(&source), translated);
            assert_eq!(original(&translated), source);
            assert!(is_stand_in_of(&source, &translated), "{source}");
        }
    }

    #[test]
    fn marks_that_leave_out_an_opaque_token_are_accepted() {
        for Pair { source, translated } in vectors().also_accepted {
            assert!(is_stand_in_of(&source, &translated), "{source}");
        }
    }

    #[test]
    fn a_double_a_shifted_and_a_missing_translation_are_not_accepted() {
        for Pair { source, translated } in vectors().not_accepted {
            assert!(!is_stand_in_of(&source, &translated), "{source}");
        }
    }

    #[test]
    fn html_tags_with_attributes_stay_outside_the_marks() {
        let translated = stand_in_html("Hello <b id=\"1\">big</b> world &lt; 3");
        assert_eq!(translated, "가«Hello» <b id=\"1\">가«big»</b> 가«world &lt; 3»");
    }
}
