//! One `tu` while it is read, and the entries that it says.

use std::collections::BTreeMap;

use super::seg::{Numbers, Piece, add, add_character, character_type, is_tagged, join};
use super::{PREFIX, uncarry};
use crate::exchange::jsonl::read_key;
use crate::exchange::{Draft, days};
use crate::language;

/// Elements whose content is another program's code and no text.
const CODE: [&str; 5] = ["bpt", "ept", "ph", "it", "ut"];

/// An element's attributes, in their order.
pub(super) type Attributes = Vec<(String, String)>;

fn attribute(attributes: &Attributes, name: &str) -> Option<String> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

/// When something was made and used, where the file says it.
#[derive(Clone, Copy, Debug, Default)]
struct Days {
    created: Option<i64>,
    used: Option<i64>,
}

impl Days {
    fn of(attributes: &Attributes) -> Self {
        let day = |name| attribute(attributes, name).and_then(|text| days::read_moment(&text));
        Self { created: day("changedate").or(day("creationdate")), used: day("lastusagedate") }
    }
}

/// One `tuv`.
#[derive(Debug, Default)]
struct Variant {
    language: String,
    days: Days,
    has_text: bool,
    pieces: Vec<Piece>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Unit {
    source_language: Option<String>,
    days: Days,
    props: BTreeMap<String, String>,
    variants: Vec<Variant>,
    /// The elements that are open, `tu` first.
    open: Vec<String>,
    /// The name of the prop that is open.
    prop: String,
    /// What stands in that prop, or in a `ph` that is a character.
    value: Option<String>,
    /// The `hi` that are open, each with a name of its own.
    marks: Vec<String>,
    marked_so_far: usize,
}

impl Unit {
    pub fn new(attributes: &Attributes) -> Self {
        Self {
            source_language: attribute(attributes, "srclang"),
            days: Days::of(attributes),
            props: BTreeMap::new(),
            variants: Vec::new(),
            open: vec!["tu".to_owned()],
            prop: String::new(),
            value: None,
            marks: Vec::new(),
            marked_so_far: 0,
        }
    }

    fn is_in_text(&self) -> bool {
        self.open.len() > 2 && self.open[1] == "tuv" && self.open[2] == "seg"
    }

    fn is_in_code(&self) -> bool {
        self.is_in_text() && self.open[3..].iter().any(|name| CODE.contains(&name.as_str()))
    }

    /// Takes the begin of an element.
    pub fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), String> {
        if self.is_in_code() {
            // Its content is not text.
        } else if self.is_in_text() {
            self.inline(name, attributes)?;
        } else if self.open.len() == 1 && name == "tuv" {
            let language = attribute(attributes, "xml:lang").or(attribute(attributes, "lang"));
            let language = language.ok_or("a text of it has no language")?;
            let days = Days::of(attributes);
            self.variants.push(Variant { language, days, ..Variant::default() });
        } else if self.open.len() == 1 && name == "prop" {
            self.prop = attribute(attributes, "type").unwrap_or_default();
            self.value = Some(String::new());
        } else if self.open.len() == 2 && self.open[1] == "tuv" && name == "seg" {
            let variant = self.variants.last_mut().filter(|variant| !variant.has_text);
            variant.ok_or("a language of it has two texts")?.has_text = true;
        }
        self.open.push(name.to_owned());
        Ok(())
    }

    fn inline(&mut self, name: &str, attributes: &Attributes) -> Result<(), String> {
        let across = attribute(attributes, "x");
        let pair = || attribute(attributes, "i").ok_or("a tag of it has no number");
        let piece = match name {
            "bpt" => Piece::Open { pair: pair()?, across },
            "ept" => Piece::Close { pair: pair()? },
            "ph" if attribute(attributes, "type") == Some(character_type()) => {
                self.value = Some(String::new());
                return Ok(());
            }
            "ph" | "it" | "ut" => Piece::Void { across },
            "hi" => {
                self.marked_so_far += 1;
                let pair = format!("hi {}", self.marked_so_far);
                self.marks.push(pair.clone());
                Piece::Open { pair, across }
            }
            _ => return Err("there is an element in its text that TMX does not have".to_owned()),
        };
        self.pieces().push(piece);
        Ok(())
    }

    fn pieces(&mut self) -> &mut Vec<Piece> {
        if self.variants.is_empty() {
            self.variants.push(Variant::default());
        }
        let last = self.variants.len() - 1;
        &mut self.variants[last].pieces
    }

    /// Takes words.
    pub fn text(&mut self, text: &str) {
        if let Some(value) = &mut self.value {
            value.push_str(text);
        } else if self.is_in_text() && !self.is_in_code() {
            add(self.pieces(), text);
        }
    }

    /// Takes the end of an element; returns whether it was the whole.
    pub fn close(&mut self, name: &str) -> Result<bool, String> {
        let last = self.open.pop();
        if last.as_deref() != Some(name) {
            return Err("its elements do not fit into each other".to_owned());
        }
        let is_text = self.is_in_text() && !self.is_in_code();
        match name {
            "prop" if self.open.len() == 1 => {
                let value = self.value.take().unwrap_or_default();
                self.props.insert(std::mem::take(&mut self.prop), value);
            }
            "ph" if is_text => {
                if let Some(number) = self.value.take() {
                    add_character(self.pieces(), &number)?;
                }
            }
            "hi" if is_text => {
                let pair = self.marks.pop().unwrap_or_default();
                self.pieces().push(Piece::Close { pair });
            }
            "seg" => self.marked_so_far = 0,
            _ => {}
        }
        Ok(self.open.is_empty())
    }

    /// Returns what it says: an entry of ours, or one for each translation of
    /// another program. `header` is the source language of the file.
    pub fn drafts(self, header: Option<&str>) -> Vec<Result<Draft, String>> {
        let ours = ["key", "engine"].iter().any(|name| self.prop(name).is_some());
        if ours {
            return vec![self.own()];
        }
        match self.source(header) {
            Ok(source) => (0..self.variants.len())
                .filter(|at| *at != source)
                .map(|target| self.foreign(source, target))
                .collect(),
            Err(reason) => vec![Err(reason)],
        }
    }

    fn prop(&self, name: &str) -> Option<&String> {
        self.props.get(&format!("{PREFIX}{name}"))
    }

    fn own(&self) -> Result<Draft, String> {
        let [source, target] = self.variants.as_slice() else {
            return Err("it has not exactly two languages".to_owned());
        };
        let read = |text: &String| uncarry(text).ok_or("a prop of it cannot be read");
        let value = |name: &str| self.prop(name).map(read).transpose();
        let key = value("key")?.map(|key| read_key(&key).ok_or("its key is not a key"));
        let marked = self.prop("marked").is_some();
        if !marked && (is_tagged(&source.pieces) || is_tagged(&target.pieces)) {
            return Err("it has tags and is not marked".to_owned());
        }
        let text = |side: &Variant| join(&side.pieces, marked, &mut Numbers::Ours, true);
        Ok(Draft {
            key: key.transpose()?,
            marked: Some(marked),
            terms: self.prop("terms").is_some(),
            source: text(source)?,
            translation: text(target)?,
            source_language: value("source")?.map_or_else(|| read(&source.language), Ok)?,
            target_language: read(&target.language)?,
            engine: value("engine")?,
            site: value("site")?,
            created_day: self.days.created,
            used_day: self.days.used,
        })
    }

    /// Returns the place of the source: in the language that the unit or the
    /// file names, else the first.
    fn source(&self, header: Option<&str>) -> Result<usize, String> {
        if self.variants.len() < 2 {
            return Err("it has no translation".to_owned());
        }
        let wanted = self.source_language.as_deref().or(header).unwrap_or("*all*");
        if wanted.eq_ignore_ascii_case("*all*") {
            return Ok(0);
        }
        let same =
            |variant: &Variant| language::normal(&variant.language) == language::normal(wanted);
        let akin = |variant: &Variant| {
            language::primary(&variant.language).eq_ignore_ascii_case(language::primary(wanted))
        };
        let place = self.variants.iter().position(same);
        place
            .or_else(|| self.variants.iter().position(akin))
            .ok_or_else(|| "it has no text in its source language".to_owned())
    }

    fn foreign(&self, source: usize, target: usize) -> Result<Draft, String> {
        let (source, target) = (&self.variants[source], &self.variants[target]);
        let marked = is_tagged(&source.pieces) || is_tagged(&target.pieces);
        let mut numbers = Numbers::Given(BTreeMap::new());
        let tag = |variant: &Variant| {
            language::normal(&variant.language).ok_or("a language of it is none")
        };
        Ok(Draft {
            marked: Some(marked),
            source: join(&source.pieces, marked, &mut numbers, true)?,
            translation: join(&target.pieces, marked, &mut numbers, false)?,
            source_language: tag(source)?,
            target_language: tag(target)?,
            created_day: target.days.created.or(self.days.created),
            used_day: target.days.used.or(self.days.used),
            ..Draft::default()
        })
    }
}
