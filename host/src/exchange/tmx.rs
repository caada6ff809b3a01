//! TMX 1.4b (LISA, 2005): what programs for translators exchange.
//!
//! An entry is a `tu` with two `tuv`. What TMX has no place for stands in props
//! whose names begin with [`PREFIX`]. Tags travel as `bpt`, `ept` and `ph`, whose
//! content is the tag as it stands, so that other programs show a tag and
//! nobody reads the text as markup. There is no document type: a reader that
//! checks it would have to fetch it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use jiff::civil::Date;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{Form, Record, date_of};

mod read;
mod seg;
mod unit;

pub(super) use read::Units;

/// What the names of our props begin with.
const PREFIX: &str = "x-webtranslator-";

/// Who writes, as the header says it.
const PROGRAM: &str = "WebTranslator";

type Xml<'a, W> = Writer<&'a mut W>;

/// Writes what stands before the entries.
pub(super) fn begin(out: &mut impl Write) -> io::Result<()> {
    let mut xml = Writer::new(out);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    new_line(&mut xml)?;
    let root = BytesStart::new("tmx").with_attributes([("version", "1.4")]);
    xml.write_event(Event::Start(root))?;
    new_line(&mut xml)?;
    let header = BytesStart::new("header").with_attributes([
        ("creationtool", PROGRAM),
        ("creationtoolversion", env!("CARGO_PKG_VERSION")),
        ("segtype", "block"),
        ("o-tmf", PROGRAM),
        ("adminlang", "en"),
        ("srclang", "*all*"),
        ("datatype", "html"),
    ]);
    xml.write_event(Event::Empty(header))?;
    new_line(&mut xml)?;
    xml.write_event(Event::Start(BytesStart::new("body")))?;
    new_line(&mut xml)
}

/// Writes what stands after them.
pub(super) fn end(out: &mut impl Write) -> io::Result<()> {
    let mut xml = Writer::new(out);
    for name in ["body", "tmx"] {
        xml.write_event(Event::End(BytesEnd::new(name)))?;
        new_line(&mut xml)?;
    }
    Ok(())
}

/// Writes an entry.
pub(super) fn write(
    out: &mut impl Write,
    record: &Record,
    form: Form,
    detected_as: Option<&str>,
) -> io::Result<()> {
    let mut xml = Writer::new(out);
    let detected = record.source_language == "und";
    let language = detected_as.filter(|_| detected).unwrap_or(&record.source_language);
    let language = carry(language);
    let moment = |day| date_of(day).map(moment).unwrap_or_default();
    let unit = BytesStart::new("tu").with_attributes([
        ("srclang", &*language),
        ("creationdate", &moment(record.created_day)),
        ("lastusagedate", &moment(record.used_day)),
    ]);
    xml.write_event(Event::Start(unit))?;
    new_line(&mut xml)?;
    prop(&mut xml, "key", &format!("{:?}", record.key))?;
    prop(&mut xml, "engine", &record.engine)?;
    if let Some(site) = &record.site {
        prop(&mut xml, "site", site)?;
    }
    if form.marked {
        prop(&mut xml, "marked", "yes")?;
    }
    if form.terms {
        prop(&mut xml, "terms", "yes")?;
    }
    if *language != *carry(&record.source_language) {
        prop(&mut xml, "source", &record.source_language)?;
    }
    variant(&mut xml, &language, &record.source, form.marked)?;
    variant(&mut xml, &carry(&record.target_language), &record.translation, form.marked)?;
    xml.write_event(Event::End(BytesEnd::new("tu")))?;
    new_line(&mut xml)
}

fn variant<W: Write>(
    xml: &mut Xml<'_, W>,
    language: &str,
    text: &str,
    marked: bool,
) -> io::Result<()> {
    let start = BytesStart::new("tuv").with_attributes([("xml:lang", language)]);
    xml.write_event(Event::Start(start))?;
    xml.write_event(Event::Start(BytesStart::new("seg")))?;
    seg::write(xml, text, marked)?;
    xml.write_event(Event::End(BytesEnd::new("seg")))?;
    xml.write_event(Event::End(BytesEnd::new("tuv")))?;
    new_line(xml)
}

fn prop<W: Write>(xml: &mut Xml<'_, W>, name: &str, value: &str) -> io::Result<()> {
    let name = format!("{PREFIX}{name}");
    let start = BytesStart::new("prop").with_attributes([("type", name.as_str())]);
    xml.write_event(Event::Start(start))?;
    xml.write_event(Event::Text(BytesText::new(&carry(value))))?;
    xml.write_event(Event::End(BytesEnd::new("prop")))?;
    new_line(xml)
}

fn new_line<W: Write>(xml: &mut Xml<'_, W>) -> io::Result<()> {
    xml.write_event(Event::Text(BytesText::from_escaped("\n")))
}

/// `YYYYMMDDThhmmssZ`, the one form of a moment in TMX.
fn moment(date: Date) -> String {
    format!("{:04}{:02}{:02}T000000Z", date.year(), date.month(), date.day())
}

/// Whether XML 1.0 has no way to say this character, not even by its number.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns a value that XML can carry: `%` and what XML has no way to say stand
/// as `%` and their number in braces.
fn carry(text: &str) -> Cow<'_, str> {
    let escapes = |c: char| c == '%' || is_forbidden(c);
    if !text.contains(escapes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if escapes(c) {
            let _ = write!(out, "%{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Reads what [`carry`] wrote; none when it did not write this.
fn uncarry(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        let (number, rest) = piece.strip_prefix('{')?.split_once('}')?;
        out.push(character(number)?);
        out.push_str(rest);
    }
    Some(out)
}

/// Reads a character from its number in hexadecimal digits.
fn character(number: &str) -> Option<char> {
    let digits = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(number, 16).ok().filter(|_| digits).and_then(char::from_u32)
}
