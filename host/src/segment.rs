//! A segment: its normal form, the key of its cache entry, the site it is on.
//!
//! The normal form is what is hashed *and* what is sent, so that two texts
//! with one key were the same question. A page's own spaces at the edges are
//! put back by whoever shows the text. Markup, JSON and SQL are none of its
//! business. The key's layout must stay true: a change makes every entry of
//! every reader a miss.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use url::{Host, Url};

/// Returns the form of a text that is hashed and sent.
///
/// NFC; runs of white space become one space, as a page shows them; a no-break
/// space counts as a space and a soft hyphen as nothing, since pages put them
/// in and take them out between two loads. Line breaks stay: the extension
/// sends them only where the page shows them.
#[must_use]
pub fn normal_form(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    if is_composed(text) { collapsed(text.chars()) } else { collapsed(composed(text)) }
}

/// Whether a text is ASCII with single spaces between words, as most are: then
/// there is nothing to do.
fn is_plain(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !byte.is_ascii_graphic() && (byte != b' ' || before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' '
}

/// Whether NFC would change nothing, as far as that is seen at a glance: most
/// texts are so, and composing takes ten times as long as the rest.
fn is_composed(text: &str) -> bool {
    !text.contains('\u{ad}') && is_nfc_quick(text.chars()) == IsNormalized::Yes
}

/// Collapses white space; a carriage return counts as a space.
fn collapsed(text: impl Iterator<Item = char>) -> String {
    let mut out = String::with_capacity(text.size_hint().0);
    let mut space = false;
    for c in text {
        match c {
            '\n' => {
                space = false;
                out.push('\n');
            }
            c if is_space(c) => space = true,
            c => {
                if space && !out.is_empty() && !out.ends_with('\n') {
                    out.push(' ');
                }
                space = false;
                out.push(c);
            }
        }
    }
    if out.starts_with('\n') || out.ends_with('\n') {
        return out.trim_matches('\n').to_owned();
    }
    out
}

/// White space that a page collapses, and the no-break spaces.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{a0}' | '\u{202f}' | '\u{2007}')
}

/// NFC without soft hyphens, each angle bracket by itself: a combining stroke
/// after a tag would otherwise turn the tag's `>` into U+226F.
fn composed(text: &str) -> impl Iterator<Item = char> + '_ {
    text.split_inclusive(['<', '>'])
        .flat_map(|piece| {
            let bracket = piece.ends_with(['<', '>']);
            let (inner, end) = piece.split_at(piece.len() - usize::from(bracket));
            [inner, end]
        })
        .flat_map(|piece| piece.chars().filter(|c| *c != '\u{ad}').nfc())
}

/// Returns the length as JavaScript counts it.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// What an entry belongs to: whose answer it is, whatever the reader calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Engine {
    /// `gemini`, `openai`, …
    pub kind: String,
    /// Host and port of the base URL, see [`host_port`].
    pub host_port: String,
    /// The model, empty where there is none.
    pub model: String,
    /// Counted up when the prompt changes in a way that changes answers.
    pub prompt_revision: u32,
    /// The wanted style, empty for none.
    pub style: String,
}

impl fmt::Display for Engine {
    /// The canonical form: `kind|host:port|model|p1|style`, with `|` and `\`
    /// of the parts escaped, so that no two engines have the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}|{}|{}|p{}|{}",
            escaped(&self.kind),
            escaped(&self.host_port),
            escaped(&self.model),
            self.prompt_revision,
            escaped(&self.style)
        )
    }
}

fn escaped(part: &str) -> Cow<'_, str> {
    if part.contains(['\\', '|']) {
        return part.replace('\\', "\\\\").replace('|', "\\|").into();
    }
    part.into()
}

/// A text that is not the canonical form of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an engine of the form kind|host:port|model|p1|style")]
pub struct NoEngine;

impl FromStr for Engine {
    type Err = NoEngine;

    /// Reads what is displayed, and nothing else: two texts never read as one
    /// engine.
    fn from_str(text: &str) -> Result<Self, NoEngine> {
        let mut parts = vec![String::new()];
        let mut escaped = false;
        for c in text.chars() {
            if c == '\\' && !escaped {
                escaped = true;
                continue;
            }
            if c == '|' && !escaped {
                parts.push(String::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(c);
            }
            escaped = false;
        }
        let parts = <[String; 5]>::try_from(parts).map_err(|_| NoEngine)?;
        let [kind, host_port, model, revision, style] = parts;
        let revision = revision.strip_prefix('p').and_then(|number| number.parse().ok());
        let prompt_revision = revision.ok_or(NoEngine)?;
        let engine = Self { kind, host_port, model, prompt_revision, style };
        if engine.to_string() == text { Ok(engine) } else { Err(NoEngine) }
    }
}

/// Returns `host:port` of an address, the port also when it is the usual one.
#[must_use]
pub fn host_port(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url).ok()?;
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// What a key is made from.
#[derive(Clone, Copy, Debug)]
pub struct KeyParts<'a> {
    /// The text in normal form, opaque tokens put back.
    pub normal: &'a str,
    /// The source language as sent; `und` when the provider detects it.
    pub source: &'a str,
    /// The target language.
    pub target: &'a str,
    /// The engine.
    pub engine: &'a Engine,
    /// Whether the text is in marked form.
    pub marked: bool,
    /// The dictionary's terms that were sent for this text, in any order.
    pub terms: &'a [(String, String)],
    /// The page's site, for engines that translate texts together.
    pub site: Option<&'a str>,
}

/// The name of a cache entry: 128 bits of BLAKE3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// Returns the key of these parts. Each part goes in with its length, so
    /// that no two lists of parts run together into the same bytes.
    #[must_use]
    pub fn of(parts: &KeyParts<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut feed = |part: &str| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        feed("webtranslator 1");
        feed(parts.normal);
        feed(parts.source);
        feed(parts.target);
        feed(&parts.engine.to_string());
        feed(if parts.marked { "marked" } else { "plain" });
        feed(if parts.site.is_some() { "site" } else { "any" });
        feed(parts.site.unwrap_or_default());
        let mut terms: Vec<_> = parts.terms.iter().collect();
        terms.sort_unstable();
        terms.dedup();
        for (source, target) in terms {
            feed(source);
            feed(target);
        }
        Self::first_half(&hasher.finalize())
    }

    /// Returns the hash of a text alone, for the memory of refusals.
    #[must_use]
    pub fn of_text(normal: &str) -> Self {
        Self::first_half(&blake3::hash(normal.as_bytes()))
    }

    fn first_half(hash: &blake3::Hash) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&hash.as_bytes()[..16]);
        Self(half)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Where a text stands, as far as one text may decide about another's
/// translation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// A registrable domain, else the host without port.
    Domain(String),
    /// The folder of a local file.
    Folder(String),
    /// The command line.
    Cli,
    /// An origin without a name: it is treated as private.
    Opaque,
}

impl Site {
    /// Returns the form that goes into a key and is compared with the scope of
    /// a dictionary entry; none for an opaque origin.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Domain(domain) => Some(domain.clone()),
            Self::Folder(folder) => Some(format!("file:{folder}")),
            // With a colon, since a host on the local network may be called cli.
            Self::Cli => Some("cli:".to_owned()),
            Self::Opaque => None,
        }
    }
}

/// Returns the site of an origin or address as the browser states it; `cli` is
/// the command line.
#[must_use]
pub fn site(origin: &str) -> Site {
    if origin == "cli" {
        return Site::Cli;
    }
    let Ok(url) = Url::parse(origin) else { return Site::Opaque };
    match url.scheme() {
        "file" => Site::Folder(folder(url.path())),
        "blob" => Url::parse(url.path()).map_or(Site::Opaque, |inner| host_site(&inner)),
        _ => host_site(&url),
    }
}

fn folder(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
    }
}

fn host_site(url: &Url) -> Site {
    match url.host() {
        Some(Host::Domain(host)) if matches!(url.scheme(), "http" | "https") => {
            let host = host.trim_end_matches('.').to_lowercase();
            let domain = psl::domain_str(&host).unwrap_or(&host).to_owned();
            if domain.is_empty() { Site::Opaque } else { Site::Domain(domain) }
        }
        // A number has no registrable part, whatever its dots look like.
        Some(host) if matches!(url.scheme(), "http" | "https") => Site::Domain(host.to_string()),
        // An extension's own pages and the like.
        Some(host) => Site::Domain(format!("{}://{host}", url.scheme())),
        None => Site::Opaque,
    }
}

/// Whether a host's name ends in a suffix under which domains are registered,
/// as in `example.com`, and not in any word, as in `end.Start`.
#[must_use]
pub fn is_domain_name(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host.split('.').all(|label| !label.is_empty())
        && psl::domain(host.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

#[cfg(test)]
#[path = "segment/tests.rs"]
mod tests;
