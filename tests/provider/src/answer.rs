//! An HTTP answer as a value, in the form of `host/tests/fixtures/providers`:
//! status, headers, a body as JSON or as text, and what goes wrong on the way.

use crate::stream::Stream;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One answer. It is deserialised from a fixture; fields that only describe the
/// fixture (`case`, `expect`, …) are ignored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Fixture")]
pub struct Answer {
    /// The HTTP status; 0 only where a fault keeps it from being sent.
    pub status: u16,
    /// Names and values, sent as they are.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body. A JSON body keeps the bytes that it has in the
    /// file: order, duplicate keys and escapes may be what a fixture is about.
    pub body: Bytes,
    /// What goes wrong on the way, if anything.
    pub fault: Option<Fault>,
    /// The body in parts, which then stand for `body` and `fault`.
    pub stream: Option<Stream>,
}

/// What goes wrong with the bytes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection is reset without a byte of answer.
    ResetBeforeHeaders,
    /// The connection is reset after the headers and this many bytes of body.
    ResetAfterBytes(usize),
    /// The connection ends before the announced length has been sent.
    CloseBeforeContentLength,
    /// The request is taken, and nothing ever comes.
    HangBeforeHeaders,
    /// The headers come, and nothing else ever.
    HangAfterHeaders,
    /// One byte at a time, with this pause between two.
    Drip(Duration),
    /// The body is a plain one of so many bytes, sent in pieces.
    BodyBytes(u64),
}

/// Why an answer cannot be read or served.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// The file or folder cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file is not a fixture.
    #[error("{path}: {error}")]
    Form {
        /// The file.
        path: PathBuf,
        /// What the reader of JSON said.
        error: serde_json::Error,
    },
}

/// Reads the fixture `path`, or all fixtures of the folder `path` in the order
/// of their names.
///
/// What no listening server can do (`connect_refused`, `dns_failure`,
/// `tls_bad_certificate`) is an error for a file, and left out of a folder.
///
/// # Errors
/// When a file cannot be read or is not a fixture.
pub fn load(path: &Path) -> Result<Vec<Answer>, FixtureError> {
    if !path.is_dir() {
        return Ok(vec![load_file(path)?]);
    }
    let at = |error| FixtureError::File { path: path.to_owned(), error };
    let entries = fs::read_dir(path).map_err(at)?;
    let mut files =
        entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>().map_err(at)?;
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    let loaded = files.iter().map(|file| load_file(file));
    loaded.filter(|answer| !matches!(answer, Err(error) if is_not_servable(error))).collect()
}

fn load_file(path: &Path) -> Result<Answer, FixtureError> {
    let at = |error| FixtureError::File { path: path.to_owned(), error };
    let text = fs::read_to_string(path).map_err(at)?;
    serde_json::from_str(&text).map_err(|error| FixtureError::Form { path: path.to_owned(), error })
}

fn is_not_servable(error: &FixtureError) -> bool {
    matches!(error, FixtureError::Form { error, .. } if error.to_string().contains(NOT_SERVABLE))
}

const NOT_SERVABLE: &str = "cannot be served by a listening server";

/// The file's form of an answer.
#[derive(Deserialize)]
struct Fixture {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<Box<RawValue>>,
    body_text: Option<String>,
    fault: Option<String>,
}

impl TryFrom<Fixture> for Answer {
    type Error = String;

    fn try_from(fixture: Fixture) -> Result<Self, String> {
        let body = match (fixture.body_text, &fixture.body) {
            (Some(text), _) if !text.is_empty() => Bytes::from(text),
            (_, Some(json)) => Bytes::copy_from_slice(json.get().as_bytes()),
            _ => Bytes::new(),
        };
        let headers = fixture.headers.into_iter().collect();
        let answer = Self { status: fixture.status, headers, body, fault: None, stream: None };
        let answer = match fixture.fault {
            Some(name) => answer.with_fault(&name)?,
            None => answer,
        };
        let sends_a_head =
            !matches!(answer.fault, Some(Fault::HangBeforeHeaders | Fault::ResetBeforeHeaders));
        if sends_a_head && !(100..1000).contains(&answer.status) {
            return Err(format!("{} is not a status", answer.status));
        }
        Ok(answer)
    }
}

impl Answer {
    /// Returns an answer of JSON with nothing wrong on the way.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        let headers = vec![("content-type".into(), "application/json; charset=utf-8".into())];
        let body = Bytes::from(body.to_string());
        Self { status, headers, body, fault: None, stream: None }
    }

    /// Returns a good answer whose body comes in these parts.
    #[must_use]
    pub fn in_parts(content_type: &str, stream: Stream) -> Self {
        let headers = vec![("content-type".into(), content_type.into())];
        Self { status: 200, headers, body: Bytes::new(), fault: None, stream: Some(stream) }
    }

    /// Returns the answer with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns the answer with the fault that a fixture calls `name`.
    fn with_fault(mut self, name: &str) -> Result<Self, String> {
        let (kind, detail) = name.split_once(':').unwrap_or((name, ""));
        let wrong = || format!("`{name}` is not a fault");
        self.fault = Some(match kind {
            "reset_before_headers" => Fault::ResetBeforeHeaders,
            "reset_after_bytes" => Fault::ResetAfterBytes(detail.parse().map_err(|_| wrong())?),
            "close_before_content_length" => Fault::CloseBeforeContentLength,
            "hang_before_headers" => Fault::HangBeforeHeaders,
            "hang_after_headers" => Fault::HangAfterHeaders,
            "drip" => Fault::Drip(drip_pause(detail).ok_or_else(wrong)?),
            "body_bytes" => Fault::BodyBytes(detail.parse().map_err(|_| wrong())?),
            "raw_hex" => {
                self.body = bytes_of_hex(detail).ok_or_else(wrong)?;
                return Ok(self);
            }
            // The headers of the fixture already lie about the body.
            "content_encoding_gzip_but_plain" => return Ok(self),
            "connect_refused" | "dns_failure" | "tls_bad_certificate" => {
                return Err(format!("`{name}` {NOT_SERVABLE}"));
            }
            _ => return Err(wrong()),
        });
        Ok(self)
    }
}

/// Reads `20ms_per_byte`.
fn drip_pause(detail: &str) -> Option<Duration> {
    Some(Duration::from_millis(detail.strip_suffix("ms_per_byte")?.parse().ok()?))
}

fn bytes_of_hex(hex: &str) -> Option<Bytes> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).ok();
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(byte).collect::<Option<Bytes>>())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Answer, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    #[test]
    fn a_json_body_keeps_its_bytes() {
        let answer = read(r#"{"status":200,"body":{"b":1,  "a":"\u00e9","b":2}}"#).unwrap();
        assert_eq!(answer.body, r#"{"b":1,  "a":"\u00e9","b":2}"#);
    }

    #[test]
    fn every_fault_of_the_fixtures_is_understood() {
        let fault = |name: &str| read(&format!(r#"{{"status":200,"fault":"{name}"}}"#));
        assert_eq!(
            fault("reset_after_bytes:120").unwrap().fault,
            Some(Fault::ResetAfterBytes(120))
        );
        let drip = Fault::Drip(Duration::from_millis(20));
        assert_eq!(fault("drip:20ms_per_byte").unwrap().fault, Some(drip));
        assert_eq!(fault("raw_hex:7b ff").unwrap().body, &[0x7b, 0xff][..]);
        assert_eq!(fault("body_bytes:64").unwrap().fault, Some(Fault::BodyBytes(64)));
        assert_eq!(fault("content_encoding_gzip_but_plain").unwrap().fault, None);
        for wrong in ["connect_refused", "drip:2", "raw_hex:7", "raw_hex:zz", "nonsense"] {
            assert!(fault(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_status_of_zero_is_served_only_where_no_head_is_sent() {
        assert!(read(r#"{"status":0,"fault":"hang_before_headers"}"#).is_ok());
        assert!(read(r#"{"status":0}"#).is_err());
    }
}
