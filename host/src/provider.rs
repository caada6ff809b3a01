//! A provider: the reader's named way to a service that translates.
//!
//! A provider is two pure functions, `build` and `parse`, plus its limits. It
//! never does I/O, never retries, never sees the cache; a key reaches it as a
//! value and leaves it in a header that is marked secret.

mod address;
pub mod apertium;
mod body;
mod chat;
pub mod gemini;
mod hints;
pub mod openai;
mod prompt;
pub mod reason;
mod rules;
pub mod sample;
mod table;

use std::collections::BTreeSet;

use jiff::Timestamp;

pub use address::is_loopback;
pub use reason::advice;
pub use rules::fault;

use crate::verdict::{Failure, Feature, Reading};

/// One text of a batch, in the form that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text; when `marked`, in the wire's marked form (`<1>…</1>`, `<2/>`,
    /// `&lt;`, `&amp;`), opaque tokens among the tags.
    pub text: String,
    /// Whether `text` is in marked form.
    pub marked: bool,
}

/// What is asked of a provider in one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// BCP 47, or none when the provider shall detect it.
    pub source: Option<String>,
    /// BCP 47.
    pub target: String,
    /// The batch; replies are mapped by the place in it, from zero.
    pub texts: Vec<Text>,
    /// Terms that occur in this batch: source and wanted translation.
    pub terms: Vec<(String, String)>,
    /// The page's title, as context; never in private windows.
    pub title: Option<String>,
    /// Ask for another wording than last time.
    pub fresh: bool,
    /// Raise the output limit, since the last answer was cut.
    pub raised: bool,
    /// What this provider and model were found not to accept.
    pub dropped: BTreeSet<Feature>,
}

/// An HTTP request as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The whole address; never carries a key.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, HeaderValue)>,
    /// The body, empty for `GET`.
    pub body: Vec<u8>,
}

/// A header's value. Its `Debug` form never shows a secret.
#[derive(Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// May be shown.
    Plain(String),
    /// A key: sent over https or to loopback only, never shown.
    Secret(String),
}

impl std::fmt::Debug for HeaderValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain(value) => write!(f, "{value:?}"),
            Self::Secret(_) => f.write_str("<secret>"),
        }
    }
}

/// What came back: a whole answer, or the way in which none came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// An HTTP answer.
    Answer(Answer),
    /// No usable answer.
    Fault(TransportFault),
}

/// An HTTP answer as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, at most [`MAX_BODY_BYTES`].
    pub body: Vec<u8>,
    /// Whether the body was longer than that and was cut.
    pub oversize: bool,
    /// When it came.
    pub received: Timestamp,
}

impl Answer {
    /// Returns the first header of this name (lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// A longer body is no translation: 8 MiB is a hundred times the largest batch.
pub const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Why no usable HTTP answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportFault {
    /// Nobody listens.
    Refused,
    /// The name does not resolve.
    Dns,
    /// The certificate or the TLS handshake is not right.
    Tls,
    /// The connection broke before or in the answer.
    Broken,
    /// No answer within the deadline.
    Timeout,
    /// The body could not be decoded (such as plain text called gzip).
    Undecodable,
    /// A proxy refused the connection or asked for a login.
    Proxy,
}

/// What a provider can take in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Segments in one call, at most.
    pub segments: usize,
    /// Characters in one call, at most.
    pub chars: usize,
    /// Segments in the first call of a page.
    pub first_segments: usize,
    /// Calls at once, at most.
    pub concurrency: usize,
    /// Whether each text is translated by itself: then sites may share entries.
    pub independent: bool,
    /// Whether it takes its terms as hints; else terms travel as opaque tokens.
    pub hints: bool,
    /// Whether a copy of the source is believed at once (rule-based engines).
    pub believed: bool,
    /// Whether it must be told the source language.
    pub needs_source: bool,
}

/// What a provider is made from: a checked section of the settings, and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The reader's name for it.
    pub name: String,
    /// `gemini`, `openai`, `apertium`, `sample`.
    pub kind: String,
    /// The model, where there is one.
    pub model: String,
    /// Without a slash at its end.
    pub base_url: String,
    /// The key, where there is one.
    pub key: Option<Key>,
}

/// A key. Its `Debug` form never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(pub String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<key>")
    }
}

/// Two pure functions and their limits.
pub trait Provider: Send + Sync {
    /// Returns the request, or why it cannot be made (an unsupported pair, a
    /// missing key).
    ///
    /// # Errors
    /// The failure that every segment of the batch then has, at once.
    fn build(&self, ask: &Ask) -> Result<Request, Failure>;

    /// Reads what came back. Never panics, whatever the bytes.
    fn parse(&self, ask: &Ask, response: &Response) -> Reading;

    /// Returns what it can take.
    fn capacity(&self) -> Capacity;

    /// Returns the translations without any network, if it can make them so
    /// (`sample`). `build` and `parse` are not used then.
    fn offline(&self, _ask: &Ask) -> Option<Reading> {
        None
    }
}

/// The kinds that [`make`] knows, in the order in which they are offered.
pub const KINDS: &[&str] = &["gemini", "openai", "apertium", "sample"];

/// Returns the address of a kind's own service, or none for an unknown kind; an
/// empty one where there is no address.
#[must_use]
pub fn default_base_url(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "gemini" => "https://generativelanguage.googleapis.com",
        "openai" => "https://api.openai.com/v1",
        "apertium" => "http://127.0.0.1:2737",
        "sample" => "",
        _ => return None,
    })
}

/// Returns the model that a kind uses unless told otherwise; empty where there
/// are no models, none for an unknown kind.
#[must_use]
pub fn default_model(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "gemini" => "gemini-3.5-flash-lite",
        "openai" => "gpt-5.4-nano",
        "apertium" | "sample" => "",
        _ => return None,
    })
}

/// Returns the number of the prompt's wording, a part of the cache's key.
#[must_use]
pub const fn prompt_revision() -> u32 {
    prompt::revision()
}

/// Makes a provider. An empty address or model stands for the kind's default.
///
/// # Errors
/// [`Failure::Misconfigured`] for an unknown kind, and for an address that is
/// not http or https or carries a login.
pub fn make(config: &Config) -> Result<Box<dyn Provider>, Failure> {
    let mut config = config.clone();
    let base_url = default_base_url(&config.kind).ok_or(Failure::Misconfigured)?;
    if config.base_url.trim().is_empty() {
        base_url.clone_into(&mut config.base_url);
    }
    if config.model.trim().is_empty() {
        default_model(&config.kind).unwrap_or("").clone_into(&mut config.model);
    }
    if config.kind == "sample" {
        return Ok(Box::new(sample::Sample));
    }
    let url = url::Url::parse(&config.base_url).map_err(|_| Failure::Misconfigured)?;
    let plain = url.username().is_empty() && url.password().is_none() && url.has_host();
    if !matches!(url.scheme(), "http" | "https") || !plain {
        return Err(Failure::Misconfigured);
    }
    Ok(match config.kind.as_str() {
        "gemini" => Box::new(gemini::Gemini::new(config)),
        "openai" => Box::new(openai::OpenAi::new(config)),
        "apertium" => Box::new(apertium::Apertium::new(config)),
        _ => return Err(Failure::Misconfigured),
    })
}
