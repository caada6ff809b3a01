//! Bytes of a file as UTF-8 text, with the line that is being read.
//!
//! UTF-8 and UTF-16 are told apart by the byte order mark; a console of Windows
//! writes UTF-16, and so do some programs for translators. What comes out is
//! always valid UTF-8: what could not be read is U+FFFD and is counted, so that
//! one bad byte costs one entry and not the file.

use std::io::{self, BufRead, Read};

const CHUNK: usize = 64 * 1024;

#[derive(Clone, Copy)]
enum Encoding {
    Unknown,
    Utf8,
    /// With the bytes of a unit in this order.
    Utf16(fn([u8; 2]) -> u16),
}

/// See the module.
pub(super) struct Input<R> {
    from: R,
    encoding: Encoding,
    /// What was read and is not text yet, from `raw_at` on.
    raw: Vec<u8>,
    raw_at: usize,
    ended: bool,
    /// Text that is not taken yet, from `text_at` on.
    text: String,
    text_at: usize,
    /// Whether `text` ends in what could not be read.
    broken: bool,
    line: u64,
    faults: u64,
    taken: u64,
    /// Where taking more than a bound since then is an error.
    bounded_from: Option<(u64, usize)>,
}

impl<R: Read> Input<R> {
    pub fn new(from: R) -> Self {
        Self {
            from,
            encoding: Encoding::Unknown,
            raw: Vec::new(),
            raw_at: 0,
            ended: false,
            text: String::new(),
            text_at: 0,
            broken: false,
            line: 1,
            faults: 0,
            taken: 0,
            bounded_from: None,
        }
    }

    /// Returns the line of the next byte; the first is 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns how often what was taken could not be read.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Returns how many bytes of text were taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// From here on at most so many bytes can be taken, until the next call.
    pub fn bound(&mut self, bytes: usize) {
        self.bounded_from = Some((self.taken, bytes));
    }

    /// Reads on, and keeps what is not text yet.
    fn more(&mut self) -> io::Result<()> {
        self.raw.drain(..self.raw_at);
        self.raw_at = 0;
        let before = self.raw.len();
        self.raw.resize(before + CHUNK, 0);
        let read = loop {
            match self.from.read(&mut self.raw[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.raw.truncate(before + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }

    /// Decides by the mark at the beginning, which is not text.
    fn detect(&mut self) -> io::Result<()> {
        while self.raw.len() < 3 && !self.ended {
            self.more()?;
        }
        let (encoding, mark) = match self.raw.as_slice() {
            [0xff, 0xfe, ..] => (Encoding::Utf16(u16::from_le_bytes), 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16(u16::from_be_bytes), 2),
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
            _ => (Encoding::Utf8, 0),
        };
        self.encoding = encoding;
        self.raw_at = mark;
        Ok(())
    }

    /// Makes text of what was read, up to the first fault.
    fn decode(&mut self) {
        let raw = &self.raw[self.raw_at..];
        let (used, broken) = match self.encoding {
            Encoding::Utf16(unit) => from_utf16(raw, unit, self.ended, &mut self.text),
            Encoding::Utf8 | Encoding::Unknown => from_utf8(raw, self.ended, &mut self.text),
        };
        self.raw_at += used;
        self.broken = broken;
        if broken {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Appends text; returns how many bytes it took, and whether the last of them
/// are none.
fn from_utf8(raw: &[u8], ended: bool, text: &mut String) -> (usize, bool) {
    match std::str::from_utf8(raw) {
        Ok(all) => {
            text.push_str(all);
            (raw.len(), false)
        }
        Err(error) => {
            let good = error.valid_up_to();
            text.push_str(std::str::from_utf8(&raw[..good]).unwrap_or_default());
            match error.error_len() {
                Some(bad) => (good + bad, true),
                None if ended => (raw.len(), true),
                None => (good, false),
            }
        }
    }
}

fn from_utf16(
    raw: &[u8],
    unit: fn([u8; 2]) -> u16,
    ended: bool,
    text: &mut String,
) -> (usize, bool) {
    let units = raw.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let last = raw.len() / 2;
    let mut used = 0;
    for c in char::decode_utf16(units) {
        match c {
            Ok(c) => {
                text.push(c);
                used += c.len_utf16();
            }
            // The other half is still to come.
            Err(_) if used + 1 == last && !ended => return (2 * used, false),
            Err(_) => return (2 * (used + 1), true),
        }
    }
    let half = raw.len() % 2 == 1 && ended;
    (if half { raw.len() } else { 2 * used }, half)
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut text = self.fill_buf()?;
        let read = text.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if let Some((from, bytes)) = self.bounded_from
            && self.taken - from > bytes as u64
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("something is longer than {bytes} bytes"),
            ));
        }
        if matches!(self.encoding, Encoding::Unknown) {
            self.detect()?;
        }
        while self.text_at == self.text.len() {
            self.text.clear();
            self.text_at = 0;
            self.decode();
            if self.text.is_empty() {
                if self.ended {
                    break;
                }
                self.more()?;
            }
        }
        Ok(&self.text.as_bytes()[self.text_at..])
    }

    fn consume(&mut self, bytes: usize) {
        let to = self.text.len().min(self.text_at + bytes);
        let taken = &self.text.as_bytes()[self.text_at..to];
        self.line += taken.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.taken += taken.len() as u64;
        self.text_at = to;
        if to == self.text.len() {
            self.faults += u64::from(std::mem::take(&mut self.broken));
        }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
