//! Putting a correction into the file's text, or taking it out: all other
//! bytes stay.
//!
//! The text is cut and joined at the places that the TOML reader tells, not
//! written anew. What comes out is read again, and is refused unless it says
//! what the old one said, but for this one correction.

use std::fmt::Write as _;
use std::ops::Range;

use toml_edit::{Document, Item as Value, Table};

use super::toml::{flag, scope, text};
use super::{Correction, Dictionary, Place, Problem};
use crate::segment::normal_form;

/// Returns the text of `dictionary.toml` with a correction at this place, or
/// without one where `translation` is none.
///
/// # Errors
/// Why it cannot be, in words for the reader; the file shall stay as it is.
pub fn correct(file: &str, place: &Place, translation: Option<&str>) -> Result<String, String> {
    let document = Document::parse(file).map_err(|_| broken(file))?;
    let there = tables(document.as_table(), place);
    let text = match (translation, there.first()) {
        (None, _) => without(file, &there),
        (Some(translation), Some(table)) => replaced(file, table, translation)?,
        (Some(translation), None) => added(file, place, translation),
    };
    let (before, _) = Dictionary::parse_toml(file);
    let (after, problems) = Dictionary::parse_toml(&text);
    let is_whole = Document::parse(&*text).is_ok() && before.items == after.items;
    if is_whole && fits(&before, &after, place, translation) {
        return Ok(text);
    }
    let hint = problems.first().map(|problem| format!(" ({problem})")).unwrap_or_default();
    Err(format!("dictionary.toml cannot be changed here without losing entries{hint}"))
}

fn broken(file: &str) -> String {
    let problem = Dictionary::parse_toml(file).1.into_iter().next();
    let unknown = || Problem { line: 1, message: "it is not TOML".to_owned() };
    let problem = problem.unwrap_or_else(unknown);
    format!("dictionary.toml has a mistake and was not changed: {problem}")
}

/// Whether the one correction is what was wanted, and the others are the same.
fn fits(before: &Dictionary, after: &Dictionary, place: &Place, wanted: Option<&str>) -> bool {
    let others = |dictionary: &Dictionary| -> Vec<Correction> {
        let all = dictionary.corrections().iter();
        all.filter(|one| one.place != *place).cloned().collect()
    };
    let mut here = after.corrections().iter().filter(|one| one.place == *place);
    here.next().map(|one| one.translation.as_str()) == wanted && others(before) == others(after)
}

/// Returns the tables that stand for this place, right or not.
fn tables<'a>(root: &'a Table, place: &Place) -> Vec<&'a Table> {
    let is_here = |table: &&Table| {
        let source = text(table, "source").ok().flatten();
        source.is_some_and(|source| normal_form(&source) == place.source)
            && flag(table, "marked").is_ok_and(|marked| marked == place.marked)
            && scope(table).is_ok_and(|scope| scope == place.scope)
    };
    let all = root.get("correction").and_then(Value::as_array_of_tables);
    all.into_iter().flatten().filter(is_here).collect()
}

fn replaced(file: &str, table: &Table, translation: &str) -> Result<String, String> {
    let written = quoted(translation);
    if let Some(range) = table.get("translation").and_then(Value::span) {
        return Ok([&file[..range.start], &written, &file[range.end..]].concat());
    }
    // A table without one is a mistake; the line after its head mends it.
    let head = table.span().ok_or("dictionary.toml cannot be changed here")?;
    let end = line_end(file, head.end);
    let before = &file[..end];
    let break_before = if before.ends_with('\n') { "" } else { line_break(file) };
    let line = format!("{break_before}translation = {written}{}", line_break(file));
    Ok([before, &line, &file[end..]].concat())
}

fn added(file: &str, place: &Place, translation: &str) -> String {
    let end = line_break(file);
    let mut text = file.to_owned();
    if !text.is_empty() {
        if !text.ends_with('\n') {
            text.push_str(end);
        }
        text.push_str(end);
    }
    let mut line = |words: String| {
        text.push_str(&words);
        text.push_str(end);
    };
    line("[[correction]]".to_owned());
    line(format!("source = {}", quoted(&place.source)));
    line(format!("translation = {}", quoted(translation)));
    if place.marked {
        line("marked = true".to_owned());
    }
    if let Some(pair) = place.scope.pair() {
        line(format!("pair = {}", quoted(&pair)));
    }
    if let Some(site) = &place.scope.site {
        line(format!("site = {}", quoted(site)));
    }
    text
}

/// Takes tables out, each from its head to its last value; a comment that
/// stands before or after it stays, as does one blank line between neighbours.
fn without(file: &str, tables: &[&Table]) -> String {
    let mut text = file.to_owned();
    for range in tables.iter().rev().filter_map(|table| lines_of(file, table)) {
        let (before, after) = (&text[..range.start], &text[range.end..]);
        let end = line_break(file);
        let is_gap = after.is_empty() || after.starts_with(end);
        let blank = is_gap.then(|| before.strip_suffix(end)).flatten();
        let before = blank.filter(|before| before.is_empty() || before.ends_with('\n'));
        text = [before.unwrap_or(&text[..range.start]), after].concat();
    }
    text
}

fn lines_of(file: &str, table: &Table) -> Option<Range<usize>> {
    let head = table.span()?;
    let start = file[..head.start].rfind('\n').map_or(0, |at| at + 1);
    let values = table.iter().filter_map(|(_, value)| value.span());
    let last = values.map(|span| span.end).fold(head.end, usize::max);
    Some(start..line_end(file, last))
}

/// Returns where the line after this place begins.
fn line_end(file: &str, at: usize) -> usize {
    file[at..].find('\n').map_or(file.len(), |found| at + found + 1)
}

fn line_break(file: &str) -> &'static str {
    if file.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Writes a text on one line: a broken file is cut at lines that begin with a
/// bracket, and none of a text's own shall be one.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => _ = write!(out, "\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
