//! Entries on their way out of one cache and into another: JSON Lines and TMX.
//!
//! A [`Record`] is an entry with all that the store has of it; a [`Draft`] is
//! what a file says, before it is believed. Reading streams: no more than one
//! entry of a file is in memory, and no bytes make it panic. What must stay
//! true: what was written here is read as the same records, and a translation
//! is a record only if its tags are those of its source. It opens no file and
//! asks for no time.

use std::io::{self, BufRead, Read, Write};

use crate::markup::skeleton;
use crate::segment::{Engine, Key, KeyParts};

mod days;
mod draft;
mod input;
mod jsonl;
mod tmx;

pub use days::{LAST_DAY, date_of};
pub use draft::{Draft, Refused, import_engine};

use input::Input;

/// An entry, or a line of a file, is at most this long: a hundred times the
/// longest that the wire allows.
const MAX_ENTRY_BYTES: usize = 1024 * 1024;

/// An entry with all its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its key.
    pub key: Key,
    /// The source in normal form.
    pub source: String,
    /// The provider's raw translation.
    pub translation: String,
    /// The source language, `und` when it was detected.
    pub source_language: String,
    /// The target language.
    pub target_language: String,
    /// The engine in its canonical form.
    pub engine: String,
    /// The site, where it is part of the key.
    pub site: Option<String>,
    /// When it was translated, in days since 1970.
    pub created_day: i64,
    /// When it was last used.
    pub used_day: i64,
}

/// What a record's key says about its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether source and translation are in marked form.
    pub marked: bool,
    /// Whether the key has parts that the record does not have: the terms of
    /// the reader's dictionary that were sent. It cannot be made again, and
    /// `marked` is what the text looks like.
    pub terms: bool,
}

/// Why a record is no entry that may serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is nothing to translate.
    #[error("its source is empty")]
    Source,
    /// There is no translation.
    #[error("its translation is empty")]
    Translation,
    /// A language is missing.
    #[error("it names no language")]
    Language,
    /// A day that no clock shows.
    #[error("its days are out of bounds")]
    Day,
    /// The tags differ, or are none.
    #[error("the tags of its translation are not those of its source")]
    Tags,
}

impl Record {
    /// Returns what its key says about its text.
    #[must_use]
    pub fn form(&self) -> Form {
        let engine = self.engine.parse::<Engine>().ok();
        let fits = |marked| {
            let key = engine.as_ref().map(|engine| self.key_of(engine, marked));
            key == Some(self.key)
        };
        if fits(false) {
            return Form { marked: false, terms: false };
        }
        if fits(true) {
            return Form { marked: true, terms: false };
        }
        let tagged = skeleton(&self.source).is_some_and(|tags| !tags.is_empty());
        Form { marked: tagged && self.shares_tags(), terms: true }
    }

    fn key_of(&self, engine: &Engine, marked: bool) -> Key {
        Key::of(&KeyParts {
            normal: &self.source,
            source: &self.source_language,
            target: &self.target_language,
            engine,
            marked,
            terms: &[],
            site: self.site.as_deref(),
        })
    }

    /// Whether both are marked text with the same tags.
    fn shares_tags(&self) -> bool {
        let source = skeleton(&self.source);
        source.is_some() && source == skeleton(&self.translation)
    }

    /// Returns its form, if it may serve.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self) -> Result<Form, Fault> {
        let day = |day: i64| (0..=LAST_DAY).contains(&day);
        if self.source.trim().is_empty() {
            return Err(Fault::Source);
        }
        if self.translation.trim().is_empty() {
            return Err(Fault::Translation);
        }
        if self.source_language.is_empty() || self.target_language.is_empty() {
            return Err(Fault::Language);
        }
        if !day(self.created_day) || !day(self.used_day) {
            return Err(Fault::Day);
        }
        let form = self.form();
        if form.marked && !self.shares_tags() { Err(Fault::Tags) } else { Ok(form) }
    }
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    JsonLines,
    /// TMX 1.4b, the exchange format of translation memories.
    Tmx,
}

/// Writes a record as a JSON line that says whether the reader has corrected
/// it. Who reads it again is not told: a correction is in the dictionary.
///
/// # Errors
/// What `out` answers.
pub fn write_line(out: &mut impl Write, record: &Record, corrected: bool) -> io::Result<()> {
    jsonl::write(out, record, record.form(), corrected)
}

/// Writes records one after the other.
pub struct Export<W: Write> {
    out: W,
    format: Format,
    detected_as: Option<String>,
}

impl<W: Write> Export<W> {
    /// Begins. In TMX, texts whose language was detected are said to be in
    /// `detected_as`, which tells other programs what they would not guess.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn new(mut out: W, format: Format, detected_as: Option<String>) -> io::Result<Self> {
        if format == Format::Tmx {
            tmx::begin(&mut out)?;
        }
        Ok(Self { out, format, detected_as })
    }

    /// Writes a record that [`Record::check`] found to have this form.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write(&mut self, record: &Record, form: Form) -> io::Result<()> {
        match self.format {
            Format::JsonLines => jsonl::write(&mut self.out, record, form, false),
            Format::Tmx => tmx::write(&mut self.out, record, form, self.detected_as.as_deref()),
        }
    }

    /// Ends, and gives `out` back.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn finish(mut self) -> io::Result<W> {
        if self.format == Format::Tmx {
            tmx::end(&mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// What one place of a file says: a draft, or what is wrong there.
#[derive(Debug)]
pub struct Told {
    /// The line on which it begins; the first is 1.
    pub line: u64,
    /// The draft, or a reason in words.
    pub what: Result<Draft, String>,
}

/// Drafts as they are read. An error ends it: what comes after cannot be read.
pub type Drafts<'a> = Box<dyn Iterator<Item = Result<Told, String>> + 'a>;

/// Reads a file of either format, in UTF-8 or UTF-16; the first character tells
/// which format it is.
///
/// # Errors
/// When not even the beginning can be read.
pub fn read<'a>(from: impl Read + 'a) -> Result<(Format, Drafts<'a>), String> {
    let mut input = Input::new(from);
    loop {
        let text = input.fill_buf().map_err(|error| error.to_string())?;
        let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match text.get(blank) {
            Some(b'<') => return Ok((Format::Tmx, Box::new(tmx::Units::new(input)))),
            Some(_) => return Ok((Format::JsonLines, Box::new(jsonl::Lines::new(input)))),
            None if blank == 0 => return Ok((Format::JsonLines, Box::new(std::iter::empty()))),
            None => input.consume(blank),
        }
    }
}

#[cfg(test)]
mod tests;
