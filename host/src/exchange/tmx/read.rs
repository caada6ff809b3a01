//! Reading a TMX, one `tu` at a time.
//!
//! What is wrong inside a `tu` costs that one: the next `tu` is a new start,
//! whatever is still open. Entities are those of XML itself; what a document
//! type declares is not looked at, so that nothing expands.

use std::collections::VecDeque;
use std::io::Read;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::errors::Error;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

use super::unit::{Attributes, Unit};
use crate::exchange::{Input, MAX_ENTRY_BYTES, Told};

/// So many elements may be open: a file may leave them open, and each is
/// remembered by the reader of XML.
const MAX_OPEN: usize = 100_000;

/// No element of TMX has as many attributes.
const MAX_ATTRIBUTES: usize = 64;

/// A `tu` that is being read, and what was true where it began.
struct Begun {
    unit: Unit,
    line: u64,
    taken: u64,
    faults: u64,
}

/// The entries of a file.
pub(in crate::exchange) struct Units<R> {
    xml: Reader<Input<R>>,
    buffer: Vec<u8>,
    source_language: Option<String>,
    begun: Option<Begun>,
    /// Whether what comes belongs to a `tu` that was given up.
    skips: bool,
    open: usize,
    is_tmx: bool,
    complete: bool,
    ended: bool,
    ready: VecDeque<Told>,
    /// Why nothing comes after what is ready.
    broken: Option<String>,
}

impl<R: Read> Units<R> {
    pub fn new(input: Input<R>) -> Self {
        let mut xml = Reader::from_reader(input);
        let config = xml.config_mut();
        config.expand_empty_elements = true;
        // The ends are compared here, unit by unit: one that is missing must
        // not spoil all that follow.
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        Self {
            xml,
            buffer: Vec::new(),
            source_language: None,
            begun: None,
            skips: false,
            open: 0,
            is_tmx: false,
            complete: false,
            ended: false,
            ready: VecDeque::new(),
            broken: None,
        }
    }

    fn input(&self) -> &Input<R> {
        self.xml.get_ref()
    }

    /// Reads one event.
    fn step(&mut self) -> Result<(), String> {
        self.xml.get_mut().bound(MAX_ENTRY_BYTES);
        let line = self.input().line();
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        match self.xml.read_event_into(&mut buffer) {
            Ok(event) => self.take(event, line)?,
            Err(Error::IllFormed(_)) => self.spoil("its XML is not well-formed", line),
            Err(error) => return Err(format!("line {line}: it is no XML from here on: {error}")),
        }
        self.buffer = buffer;
        let taken = self.input().taken();
        if self.begun.as_ref().is_some_and(|begun| taken - begun.taken > MAX_ENTRY_BYTES as u64) {
            self.spoil(&format!("it is longer than {MAX_ENTRY_BYTES} bytes"), line);
        }
        Ok(())
    }

    fn take(&mut self, event: Event<'_>, line: u64) -> Result<(), String> {
        let done = match event {
            // Empty elements come as begin and end.
            Event::Start(start) | Event::Empty(start) => {
                self.open += 1;
                if self.open > MAX_OPEN {
                    return Err(format!("line {line}: too many elements are left open"));
                }
                self.start(&start, line)
            }
            Event::End(end) => {
                self.open = self.open.saturating_sub(1);
                self.end(end.local_name().as_ref())
            }
            Event::Text(text) => {
                self.words(&text.xml10_content());
                Ok(())
            }
            Event::CData(text) => {
                self.words(&text.xml10_content());
                Ok(())
            }
            Event::GeneralRef(reference) => character(&reference).map(|text| self.words(&text)),
            Event::Decl(declaration) => return encoding(&declaration),
            Event::Eof => return self.eof(),
            Event::Comment(_) | Event::PI(_) | Event::DocType(_) => Ok(()),
        };
        if let Err(reason) = done {
            self.spoil(&reason, line);
        }
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>, line: u64) -> Result<(), String> {
        let attributes = attributes(start)?;
        let name = start.local_name();
        match (name.as_ref(), &mut self.begun) {
            ("tu", _) => {
                self.give_up();
                self.skips = false;
                let (taken, faults) = (self.input().taken(), self.input().faults());
                self.begun = Some(Begun { unit: Unit::new(&attributes), line, taken, faults });
            }
            (name, Some(begun)) => begun.unit.open(name, &attributes)?,
            ("tmx", None) => self.is_tmx = true,
            ("header", None) => {
                let language = attributes.into_iter().find(|(key, _)| key == "srclang");
                self.source_language = language.map(|(_, value)| value);
            }
            _ => {}
        }
        Ok(())
    }

    fn words(&mut self, text: &str) {
        if let Some(begun) = &mut self.begun {
            begun.unit.text(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<(), String> {
        let Some(begun) = &mut self.begun else {
            self.skips &= name != "tu";
            self.complete |= name == "tmx";
            return Ok(());
        };
        if !begun.unit.close(name)? {
            return Ok(());
        }
        let faults = self.input().faults();
        let Some(begun) = self.begun.take() else { return Ok(()) };
        let line = begun.line;
        if faults > begun.faults {
            self.ready.push_back(Told { line, what: Err("it is not UTF-8".to_owned()) });
            return Ok(());
        }
        let drafts = begun.unit.drafts(self.source_language.as_deref());
        self.ready.extend(drafts.into_iter().map(|what| Told { line, what }));
        Ok(())
    }

    /// Gives up the `tu` that is being read; outside of one, tells what is
    /// wrong once.
    fn spoil(&mut self, reason: &str, line: u64) {
        let line = match self.begun.take() {
            Some(begun) => begun.line,
            None if self.skips => return,
            None => line,
        };
        self.skips = true;
        self.ready.push_back(Told { line, what: Err(reason.to_owned()) });
    }

    /// Gives up a `tu` whose end does not come.
    fn give_up(&mut self) {
        if let Some(begun) = &self.begun {
            self.spoil("it does not end", begun.line);
        }
    }

    fn eof(&mut self) -> Result<(), String> {
        self.ended = true;
        self.give_up();
        match (self.is_tmx, self.complete) {
            (true, true) => Ok(()),
            (true, false) => {
                Err("the file ends before its </tmx>: it may have been cut".to_owned())
            }
            (false, _) => Err("the file is XML, but not TMX".to_owned()),
        }
    }
}

impl<R: Read> Iterator for Units<R> {
    type Item = Result<Told, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            if let Err(reason) = self.step() {
                self.ended = true;
                self.broken = Some(reason);
            }
        }
        self.ready.pop_front().map(Ok).or_else(|| self.broken.take().map(Err))
    }
}

fn attributes(start: &BytesStart<'_>) -> Result<Attributes, String> {
    let mut all = start.attributes();
    // Comparing each with each takes long where there are many.
    all.with_checks(false);
    let wrong = || "an attribute of it is no XML".to_owned();
    all.take(MAX_ATTRIBUTES)
        .map(|attribute| {
            let attribute = attribute.map_err(|_| wrong())?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| wrong())?;
            Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
        })
        .collect()
}

fn character(reference: &BytesRef<'_>) -> Result<String, String> {
    match reference.resolve_char_ref() {
        Ok(Some(c)) => Ok(c.to_string()),
        Ok(None) => resolve_predefined_entity(reference)
            .map(str::to_owned)
            .ok_or_else(|| "it has an entity that is not one of XML's own".to_owned()),
        Err(_) => Err("it has a character that there is not".to_owned()),
    }
}

/// Refuses what says itself that it is in another encoding.
fn encoding(declaration: &BytesDecl<'_>) -> Result<(), String> {
    let Some(Ok(name)) = declaration.encoding() else { return Ok(()) };
    let known = ["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso646-us"];
    if known.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    Err("the file is neither in UTF-8 nor in UTF-16: save it in one of these".to_owned())
}
