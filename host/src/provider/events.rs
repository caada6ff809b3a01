//! The values of an answer in parts: server-sent events, or one JSON value a
//! line.
//!
//! Bytes are taken in as they come, cut anywhere: inside a character, a line or
//! an event. What must stay true: a value that cannot be read ends the stream,
//! since the text that follows a lost piece is not what the model wrote.

use serde_json::Value;

use crate::surrogates::mend_lone_surrogates;

/// The form of an answer in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Server-sent events: `data:` lines count, several of them are one value.
    Events,
    /// One JSON object a line.
    Lines,
    /// Something that has no parts.
    Whole,
}

impl Form {
    /// Tells the form by the first line that is not blank.
    fn of(line: &[u8]) -> Self {
        if line.starts_with(b"{") {
            Self::Lines
        } else if starts_events(line) {
            Self::Events
        } else {
            Self::Whole
        }
    }
}

/// Tells whether a body that starts so is one of server-sent events.
pub(super) fn starts_events(body: &[u8]) -> bool {
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|start| body.starts_with(start))
}

/// The mark of UTF-8 that some servers put before their answers.
pub(super) const MARK: &[u8] = "\u{feff}".as_bytes();

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// None until a line has told it.
    form: Option<Form>,
    /// A line whose end has not come.
    line: Vec<u8>,
    /// Whether the last byte was a CR, so that a LF ends the same line.
    after_cr: bool,
    /// The `data:` lines of an event that is not a value yet.
    data: Vec<u8>,
    /// Whether a value could not be read.
    torn: bool,
}

impl Events {
    /// Returns the values of a whole body, and whether one could not be read.
    pub(super) fn all(form: Form, body: &[u8]) -> (Vec<Value>, bool) {
        let mut values = Vec::new();
        let mut events = Self { form: Some(form), ..Self::default() };
        events.take_in(body, &mut values);
        events.line_ends(&[], &mut values);
        events.event_ends(&mut values);
        (values, events.torn)
    }

    /// Takes in what has come, and adds the values that are complete now.
    pub(super) fn take_in(&mut self, bytes: &[u8], values: &mut Vec<Value>) {
        let mut rest = bytes;
        // A line ends with CR, LF or both, and a cut may be between the two.
        while !self.is_over() && !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return;
            };
            self.line_ends(&rest[..end], values);
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
    }

    /// Whether nothing that follows counts.
    pub(super) fn is_over(&self) -> bool {
        self.torn || self.form == Some(Form::Whole)
    }

    fn line_ends(&mut self, rest: &[u8], values: &mut Vec<Value>) {
        if self.is_over() {
            return;
        }
        let begun = std::mem::take(&mut self.line);
        if begun.is_empty() {
            self.take_line(rest, values);
        } else {
            self.take_line(&[&begun, rest].concat(), values);
        }
    }

    fn take_line(&mut self, line: &[u8], values: &mut Vec<Value>) {
        let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return self.event_ends(values);
        }
        match *self.form.get_or_insert_with(|| Form::of(line)) {
            Form::Events => {
                if let Some(data) = line.strip_prefix(b"data:") {
                    self.take_data(data.trim_ascii(), values);
                }
            }
            Form::Lines => match value(line).filter(Value::is_object) {
                Some(value) => values.push(value),
                None => self.torn = true,
            },
            Form::Whole => {}
        }
    }

    /// Most events are one line, and are a value as soon as it ends: some servers
    /// leave out the blank line between two.
    fn take_data(&mut self, data: &[u8], values: &mut Vec<Value>) {
        if self.data.is_empty() {
            match value(data) {
                Some(value) => values.push(value),
                None => self.data.extend_from_slice(data),
            }
        } else {
            self.data.push(b'\n');
            self.data.extend_from_slice(data);
        }
    }

    /// Reads the lines of an event as one value, or each by itself. Words such as
    /// `[DONE]` are none; an object that is none was torn.
    fn event_ends(&mut self, values: &mut Vec<Value>) {
        let data = std::mem::take(&mut self.data);
        if data.is_empty() {
            return;
        }
        if let Some(value) = value(&data) {
            return values.push(value);
        }
        for line in data.split(|b| *b == b'\n') {
            match value(line) {
                Some(value) => values.push(value),
                None if line.starts_with(b"{") => return self.torn = true,
                None => {}
            }
        }
    }
}

/// Reads one JSON value; half a character in it is mended.
fn value(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok().or_else(|| {
        let mut mended = text.to_vec();
        (mend_lone_surrogates(&mut mended) > 0).then(|| serde_json::from_slice(&mended).ok())?
    })
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
