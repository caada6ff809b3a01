//! The host manifest: what we write, and a strict reader of what is there.
//!
//! Firefox refuses a file with any key that it does not know, Chromium one
//! with a single malformed origin, and both only say "not found". So each
//! family gets a file of its own with the five keys that it knows, and the
//! reader here says what the browser would refuse, with line and column.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::browsers::Family;
use super::{EXTENSION_ID, GECKO_ID, HOST_NAME};

/// What the browsers show nowhere and yet require.
const DESCRIPTION: &str = "WebTranslator: translates web pages on this machine";

/// A place in a text, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// What a browser would refuse about a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", .at.map_or(String::new(), |at| format!("line {}, column {}: ", at.line, at.column)))]
pub struct Fault {
    /// Where, if it is one place.
    pub at: Option<Position>,
    /// What, as a clause without a full stop.
    pub what: String,
}

/// A manifest that its family accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The name that the extension asks for.
    pub name: String,
    /// The program.
    pub path: PathBuf,
    /// The origins or Gecko ids, as they stand in the file.
    pub allowed: Vec<String>,
}

/// Returns the id that belongs to a family, as it stands in the manifest, or
/// `None` when the id has the other family's form.
#[must_use]
pub fn allowed_entry(family: Family, id: &str) -> Option<String> {
    match family {
        Family::Chromium => is_chromium_id(id).then(|| format!("chrome-extension://{id}/")),
        Family::Firefox => is_gecko_id(id).then(|| id.to_owned()),
    }
}

/// Returns whether this is the id of an extension in the Chromium family.
#[must_use]
pub fn is_chromium_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'a'..=b'p'))
}

/// Returns whether this is the id of an add-on: `{guid}` or `name@place`.
#[must_use]
pub fn is_gecko_id(id: &str) -> bool {
    let plain = |text: &str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
    };
    if let Some(guid) = id.strip_prefix('{').and_then(|id| id.strip_suffix('}')) {
        return guid.len() == 36 && guid.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    }
    id.split_once('@').is_some_and(|(name, place)| !place.is_empty() && plain(name) && plain(place))
}

/// Returns the entries of a new manifest: ours first, then the others in
/// their order, each once. What the family would refuse is left out.
#[must_use]
pub fn entries(family: Family, ids: &[String], before: &[String]) -> Vec<String> {
    let own = match family {
        Family::Chromium => EXTENSION_ID,
        Family::Firefox => GECKO_ID,
    };
    let mut all: Vec<String> = allowed_entry(family, own).into_iter().collect();
    let more = ids.iter().filter_map(|id| allowed_entry(family, id));
    let kept = before.iter().filter(|entry| is_entry(family, entry)).cloned();
    for entry in more.chain(kept) {
        if !all.contains(&entry) {
            all.push(entry);
        }
    }
    all
}

fn is_entry(family: Family, entry: &str) -> bool {
    match family {
        Family::Chromium => entry
            .strip_prefix("chrome-extension://")
            .and_then(|rest| rest.strip_suffix('/'))
            .is_some_and(is_chromium_id),
        Family::Firefox => is_gecko_id(entry),
    }
}

/// Returns the text of a manifest, or `None` for a path that is not UTF-8:
/// JSON cannot carry it.
#[must_use]
pub fn write(family: Family, host: &Path, allowed: &[String]) -> Option<String> {
    let mut manifest = json!({
        "name": HOST_NAME,
        "description": DESCRIPTION,
        "path": host.to_str()?,
        "type": "stdio",
    });
    manifest[list_key(family)] = json!(allowed);
    serde_json::to_string_pretty(&manifest).ok().map(|text| text + "\n")
}

fn list_key(family: Family) -> &'static str {
    match family {
        Family::Chromium => "allowed_origins",
        Family::Firefox => "allowed_extensions",
    }
}

#[derive(Deserialize)]
struct Common {
    name: String,
    #[expect(dead_code, reason = "both browsers refuse a file without it")]
    description: String,
    path: String,
    #[serde(rename = "type")]
    kind: String,
    allowed_origins: Option<Vec<String>>,
    allowed_extensions: Option<Vec<String>>,
}

/// The keys that Firefox knows; any other makes it refuse the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read for its refusals alone")]
struct FirefoxKeys<'a> {
    #[serde(borrow)]
    name: Option<&'a serde_json::value::RawValue>,
    description: Option<&'a serde_json::value::RawValue>,
    path: Option<&'a serde_json::value::RawValue>,
    #[serde(rename = "type")]
    kind: Option<&'a serde_json::value::RawValue>,
    allowed_extensions: Option<&'a serde_json::value::RawValue>,
}

/// Reads a manifest as a browser of this family does.
///
/// # Errors
/// The first thing that the browser would refuse. Whether the path leads to
/// a program is not asked here.
pub fn read(family: Family, bytes: &[u8]) -> Result<Manifest, Fault> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Fault { at: None, what: "it is not UTF-8".to_owned() })?;
    // Both browsers take a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    if !value.is_object() {
        return Err(Fault { at: None, what: "it is not one JSON object".to_owned() });
    }
    if family == Family::Firefox {
        serde_json::from_str::<FirefoxKeys>(text).map_err(|error| of_json(&error))?;
    }
    let common: Common = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    check(family, text, common)
}

fn check(family: Family, text: &str, common: Common) -> Result<Manifest, Fault> {
    let at = |value: &str, what: String| Fault { at: position(text, value), what };
    if common.name != HOST_NAME {
        let what = format!("name is {:?}, and the file's name asks for {HOST_NAME:?}", common.name);
        return Err(at(&common.name, what));
    }
    if common.kind != "stdio" {
        return Err(at(&common.kind, format!("type is {:?} instead of \"stdio\"", common.kind)));
    }
    if !Path::new(&common.path).is_absolute() {
        return Err(at(&common.path, format!("path {:?} is not absolute", common.path)));
    }
    let list = match family {
        Family::Chromium => common.allowed_origins,
        Family::Firefox => common.allowed_extensions,
    };
    let key = list_key(family);
    let Some(allowed) = list else {
        return Err(Fault { at: None, what: format!("{key} is missing") });
    };
    if let Some(entry) = allowed.iter().find(|entry| !is_entry(family, entry)) {
        return Err(at(entry, format!("{key} has {entry:?}, {}", wrong(family, entry))));
    }
    Ok(Manifest { name: common.name, path: PathBuf::from(common.path), allowed })
}

fn wrong(family: Family, entry: &str) -> &'static str {
    match family {
        Family::Chromium if is_entry(family, &format!("{entry}/")) => "which lacks its last slash",
        Family::Chromium => "which is not chrome-extension://<32 letters a to p>/",
        Family::Firefox => "which is not the id of an add-on",
    }
}

/// `serde_json` ends its sentences with the place, which we tell apart.
fn of_json(error: &serde_json::Error) -> Fault {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let tail = format!(" at line {line} column {column}");
    let what = message.strip_suffix(&tail).unwrap_or(&message).to_owned();
    let at = (line > 0).then_some(Position { line, column });
    Fault { at, what }
}

/// Returns where a string value stands in a JSON text.
fn position(text: &str, value: &str) -> Option<Position> {
    let quoted = serde_json::to_string(value).ok()?;
    let before = &text[..text.find(&quoted)?];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(Position { line, column })
}

#[cfg(test)]
mod tests;
