//! A reply that is still being written: its items, as soon as they are sure.
//!
//! Only the very form that was asked for is read here: one object whose keys
//! are the ids from zero on, in order, each with a text. Anything else waits
//! for the end of the reply, where [`super::read`] is lenient. A character is
//! looked at once.

use super::json::{self, Json};

/// See the module.
#[derive(Debug, Default)]
pub struct Growing {
    place: Place,
    /// How many texts were asked for.
    count: usize,
    /// The id that must come next.
    next: usize,
    /// What has come of a key, or of a text with its quotes and escapes.
    token: String,
    /// The last complete item. It is sure when the next one has begun.
    last: Option<(usize, String)>,
}

/// Where the reading stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the object.
    #[default]
    Start,
    /// Before a key.
    Before,
    /// In a key.
    Key,
    /// Before a colon.
    Colon,
    /// Before a text.
    Open,
    /// In a text.
    Text,
    /// After a backslash in a text.
    Escape,
    /// After a text.
    After,
    /// Nothing more is sure.
    Over,
}

impl Growing {
    /// Returns the reading of a reply to so many texts.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// Takes in what was written since, and returns the items that are sure by
    /// now: each once, in order.
    ///
    /// An item is sure when the next one has its first letter. Before that, its
    /// closing quote may be a bare quote inside of it, its id may come twice,
    /// and it may carry the text of its neighbour, which is blank then. So the
    /// last item is never among them.
    pub fn take_in(&mut self, text: &str) -> Vec<(usize, String)> {
        let mut sure = Vec::new();
        for c in text.chars() {
            if self.place == Place::Over {
                break;
            }
            self.place = self.step(c, &mut sure);
        }
        sure
    }

    /// Whether nothing that follows can be sure.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.place == Place::Over
    }

    fn step(&mut self, c: char, sure: &mut Vec<(usize, String)>) -> Place {
        match (self.place, c) {
            (Place::Text, '\\') => {
                self.token.push(c);
                Place::Escape
            }
            (Place::Text, '"') => self.text_ends(sure),
            (Place::Text | Place::Escape, c) => {
                // The white space that escapes stand for is no letter.
                if self.place == Place::Text && !c.is_whitespace()
                    || matches!(c, '"' | '\\' | '/') && self.place == Place::Escape
                {
                    sure.extend(self.last.take());
                }
                self.token.push(c);
                Place::Text
            }
            (Place::Key, '"') => self.key_ends(),
            (Place::Key, c) if c.is_ascii_digit() && self.token.len() < MAX_DIGITS => {
                self.token.push(c);
                Place::Key
            }
            (Place::Key | Place::Over, _) => Place::Over,
            (Place::Start, '\u{feff}') => Place::Start,
            (place, c) if c.is_whitespace() => place,
            (Place::Start, '{') | (Place::After, ',') => Place::Before,
            (Place::Before, '"') => Place::Key,
            (Place::Colon, ':') => Place::Open,
            (Place::Open, '"') => Place::Text,
            _ => Place::Over,
        }
    }

    fn key_ends(&mut self) -> Place {
        let key = std::mem::take(&mut self.token);
        let is_next = self.next < self.count && key == self.next.to_string();
        if is_next { Place::Colon } else { Place::Over }
    }

    fn text_ends(&mut self, sure: &mut Vec<(usize, String)>) -> Place {
        let token = format!("\"{}\"", std::mem::take(&mut self.token));
        let text = match json::read(&token).map(|read| read.value) {
            Ok(Json::Text(text)) if !text.trim().is_empty() => text,
            _ => return Place::Over,
        };
        sure.extend(self.last.replace((self.next, text)));
        self.next += 1;
        Place::After
    }
}

/// No batch has so many texts that an id needs more.
const MAX_DIGITS: usize = 9;

#[cfg(test)]
#[path = "growing_tests.rs"]
mod tests;
