//! JSON Lines: one object a line, in a fixed order of fields.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;
use serde_json::error::Category;
use serde_json::{Map, Value};

use super::{Draft, Form, Input, MAX_ENTRY_BYTES, Record, Told, date_of, days};
use crate::segment::Key;

#[derive(Serialize)]
struct Line<'a> {
    key: String,
    marked: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    terms: bool,
    source: &'a str,
    translation: &'a str,
    source_language: &'a str,
    target_language: &'a str,
    engine: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a str>,
    created: String,
    used: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    corrected: bool,
}

pub(super) fn write(
    out: &mut impl Write,
    record: &Record,
    form: Form,
    corrected: bool,
) -> io::Result<()> {
    let date = |day| date_of(day).map(|date| date.to_string()).unwrap_or_default();
    let line = Line {
        key: format!("{:?}", record.key),
        marked: form.marked,
        terms: form.terms,
        source: &record.source,
        translation: &record.translation,
        source_language: &record.source_language,
        target_language: &record.target_language,
        engine: &record.engine,
        site: record.site.as_deref(),
        created: date(record.created_day),
        used: date(record.used_day),
        corrected,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

/// The lines of a file.
pub(super) struct Lines<R> {
    input: Input<R>,
    line: Vec<u8>,
    ended: bool,
}

impl<R: Read> Lines<R> {
    pub fn new(input: Input<R>) -> Self {
        Self { input, line: Vec::new(), ended: false }
    }

    /// Reads a line; what is beyond the longest is read and not kept. Returns
    /// false at the end.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        loop {
            let text = self.input.fill_buf()?;
            if text.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = text.iter().position(|byte| *byte == b'\n');
            let piece = &text[..end.unwrap_or(text.len())];
            let room = (MAX_ENTRY_BYTES + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let taken = piece.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<Told, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let (line, faults) = (self.input.line(), self.input.faults());
            match self.next_line() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error.to_string()));
                }
            }
            if self.line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let what = if self.line.len() > MAX_ENTRY_BYTES {
                Err(format!("it is longer than {MAX_ENTRY_BYTES} bytes"))
            } else if self.input.faults() > faults {
                Err("it is not UTF-8".to_owned())
            } else {
                draft(&self.line)
            };
            return Some(Ok(Told { line, what }));
        }
        None
    }
}

/// The reasons never quote the line: it is page text.
fn draft(line: &[u8]) -> Result<Draft, String> {
    let object: Map<String, Value> =
        serde_json::from_slice(line).map_err(|error| match error.classify() {
            Category::Data => "it is no JSON object".to_owned(),
            _ => format!("it is no JSON: see column {}", error.column()),
        })?;
    let text = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is no text")),
    };
    let needed = |name: &str| text(name)?.ok_or_else(|| format!("`{name}` is missing"));
    let truth = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(truth)) => Ok(Some(*truth)),
        Some(_) => Err(format!("`{name}` is neither true nor false")),
    };
    let day = |name: &str| {
        let read = |text: String| {
            days::read(&text).ok_or_else(|| format!("`{name}` is no date such as 2024-10-04"))
        };
        text(name)?.map(read).transpose()
    };
    let key = |text: String| read_key(&text).ok_or("`key` is not 32 hexadecimal digits");
    Ok(Draft {
        key: text("key")?.map(key).transpose()?,
        marked: truth("marked")?,
        terms: truth("terms")?.unwrap_or(false),
        source: needed("source")?,
        translation: needed("translation")?,
        source_language: needed("source_language")?,
        target_language: needed("target_language")?,
        engine: text("engine")?,
        site: text("site")?,
        created_day: day("created")?,
        used_day: day("used")?,
    })
}

/// Reads a key from its hexadecimal digits.
pub(super) fn read_key(text: &str) -> Option<Key> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(|number| Key(number.to_be_bytes()))
}
