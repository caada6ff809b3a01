//! The text of a `tuv`: our tags as its inline elements, and back.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

use super::{PREFIX, Xml, character, is_forbidden};
use crate::markup::{Part, escape, parts, unescape};

/// The tags of marked text have at most six digits.
const MAX_NUMBER: u32 = 999_999;

/// Returns the type of a `ph` that stands for a character which XML cannot
/// carry; its content is the character's number.
pub(super) fn character_type() -> String {
    format!("{PREFIX}character")
}

/// Writes a text, marked or plain.
pub(super) fn write<W: Write>(xml: &mut Xml<'_, W>, text: &str, marked: bool) -> io::Result<()> {
    if !marked {
        return words(xml, text);
    }
    for part in parts(text) {
        let mut raw = String::new();
        part.write(&mut raw);
        let (name, attributes) = match part {
            Part::Text(_) => {
                words(xml, &unescape(&raw))?;
                continue;
            }
            Part::Open(n) => ("bpt", vec![("i", n.to_string()), ("x", n.to_string())]),
            Part::Close(n) => ("ept", vec![("i", n.to_string())]),
            Part::Void(n) => ("ph", vec![("x", n.to_string())]),
        };
        inline(xml, name, &attributes, &raw)?;
    }
    Ok(())
}

fn words<W: Write>(xml: &mut Xml<'_, W>, text: &str) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(is_forbidden) {
        xml.write_event(Event::Text(BytesText::new(&rest[..at])))?;
        let mut after = rest[at..].chars();
        let number = after.next().map(|c| format!("{:x}", u32::from(c))).unwrap_or_default();
        inline(xml, "ph", &[("type", character_type())], &number)?;
        rest = after.as_str();
    }
    xml.write_event(Event::Text(BytesText::new(rest)))
}

fn inline<W: Write>(
    xml: &mut Xml<'_, W>,
    name: &str,
    attributes: &[(&str, String)],
    content: &str,
) -> io::Result<()> {
    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    let start = BytesStart::new(name).with_attributes(attributes);
    xml.write_event(Event::Start(start))?;
    xml.write_event(Event::Text(BytesText::new(content)))?;
    xml.write_event(Event::End(BytesEnd::new(name)))
}

/// What a `seg` is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words.
    Text(String),
    /// The begin of a pair: what its end names, and what pairs the languages.
    Open { pair: String, across: Option<String> },
    /// The end of a pair.
    Close { pair: String },
    /// A single tag.
    Void { across: Option<String> },
}

/// The numbers of the tags of a unit, which its languages share.
#[derive(Debug)]
pub(super) enum Numbers {
    /// They are ours, and stand in the file.
    Ours,
    /// They are given in the order of the source.
    Given(BTreeMap<String, u32>),
}

impl Numbers {
    /// Returns the number of a tag. A text that is not the source has no new
    /// ones.
    fn of(&mut self, name: &str, is_source: bool) -> Result<u32, String> {
        let unknown = || "its tags are not those of its source".to_owned();
        match self {
            Self::Ours => name
                .strip_prefix("x ")
                .and_then(|number| number.parse().ok())
                .filter(|number| (1..=MAX_NUMBER).contains(number))
                .ok_or_else(|| "a tag of it has no number".to_owned()),
            Self::Given(known) => {
                if is_source && !known.contains_key(name) {
                    let next = u32::try_from(known.len()).map_or(MAX_NUMBER, |count| count + 1);
                    known.insert(name.to_owned(), next);
                }
                known.get(name).copied().ok_or_else(unknown)
            }
        }
    }
}

/// Whether there is any tag.
pub(super) fn is_tagged(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)))
}

/// Puts a text together, in marked form when it is marked.
///
/// # Errors
/// What is wrong with its tags.
pub(super) fn join(
    pieces: &[Piece],
    marked: bool,
    numbers: &mut Numbers,
    is_source: bool,
) -> Result<String, String> {
    let mut out = String::new();
    let mut open: BTreeMap<&str, u32> = BTreeMap::new();
    let mut singles = 0;
    for piece in pieces {
        match piece {
            Piece::Text(text) if marked => out.push_str(&escape(text)),
            Piece::Text(text) => out.push_str(text),
            Piece::Open { pair, across } => {
                let name = across.as_ref().map_or(format!("i {pair}"), |name| format!("x {name}"));
                let number = numbers.of(&name, is_source)?;
                open.insert(pair, number);
                Part::Open(number).write(&mut out);
            }
            Piece::Close { pair } => {
                let number =
                    open.remove(pair.as_str()).ok_or("a tag of it ends before it begins")?;
                Part::Close(number).write(&mut out);
            }
            Piece::Void { across } => {
                singles += 1;
                let name = across.as_ref().map_or(format!("n {singles}"), |n| format!("x {n}"));
                Part::Void(numbers.of(&name, is_source)?).write(&mut out);
            }
        }
    }
    Ok(out)
}

/// Adds words to the last piece, if that is words.
pub(super) fn add(pieces: &mut Vec<Piece>, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(Piece::Text(last)) = pieces.last_mut() {
        last.push_str(text);
    } else {
        pieces.push(Piece::Text(text.to_owned()));
    }
}

/// Adds a character that XML cannot carry, from its number.
pub(super) fn add_character(pieces: &mut Vec<Piece>, number: &str) -> Result<(), String> {
    let c = character(number).filter(|c| is_forbidden(*c));
    let c = c.ok_or("a character of it has no number")?;
    add(pieces, c.encode_utf8(&mut [0; 4]));
    Ok(())
}
