//! A provider: the reader's named way to a service that translates.
//!
//! A provider is two pure functions, `build` and `parse`, plus its limits. It
//! never does I/O, never retries, never sees the cache; a key reaches it as a
//! value and leaves it in a header that is marked secret.

mod address;
pub mod anthropic;
pub mod apertium;
mod arriving;
pub mod azure;
mod body;
mod chat;
mod codes;
pub mod deepl;
pub mod detect;
pub mod edge_web;
mod effort;
mod engine;
mod entities;
mod events;
pub mod gemini;
pub mod google_cloud;
pub mod google_web;
mod hints;
mod html;
pub mod kinds;
pub mod libretranslate;
pub mod ollama;
pub mod openai;
pub mod papago;
pub mod price;
mod prompt;
pub mod reason;
mod rules;
pub mod sample;
mod table;
pub mod yandex;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use address::{is_loopback, is_this_machine};
pub use arriving::Arriving;
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
    /// For short texts, by their place: what stands before and after on the page.
    /// Only context; what the batch itself shows is left out.
    pub neighbours: BTreeMap<usize, [String; 2]>,
    /// How the translation shall sound.
    pub style: Style,
    /// Ask for another wording than last time.
    pub fresh: bool,
    /// Raise the output limit, since the last answer was cut.
    pub raised: bool,
    /// Have the answer sent in parts, as it is written.
    pub stream: bool,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, at most [`MAX_BODY_BYTES`].
    pub body: Vec<u8>,
    /// Whether the body was longer than that and was cut.
    pub oversize: bool,
    /// What ended the body before its end; what had come by then is in `body`.
    pub broken: Option<TransportFault>,
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
    /// Whether a copy of the source is believed at once: engines that would only
    /// answer the same again.
    pub believed: bool,
    /// Whether it must be told the source language.
    pub needs_source: bool,
    /// Whether it can send its answer in parts, as it is written.
    pub streams: bool,
}

impl Capacity {
    /// What language models have in common: texts are translated together, terms
    /// are hints, answers come as they are written.
    pub const MODEL: Self = Self {
        segments: 40,
        chars: 8_000,
        first_segments: 8,
        concurrency: 4,
        independent: false,
        hints: true,
        believed: false,
        needs_source: false,
        streams: true,
    };
    /// What translation engines have in common: each text by itself, and so the
    /// same answer whenever it is asked.
    pub const ENGINE: Self = Self {
        segments: 50,
        chars: 10_000,
        first_segments: 16,
        concurrency: 4,
        independent: true,
        hints: false,
        believed: true,
        needs_source: false,
        streams: false,
    };
}

/// What a provider is made from: a checked section of the settings, and its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The reader's name for it.
    pub name: String,
    /// One of [`kinds::KINDS`].
    pub kind: String,
    /// The model, where there is one.
    pub model: String,
    /// Without a slash at its end.
    pub base_url: String,
    /// The key, where there is one.
    pub key: Option<Key>,
    /// How it shall write.
    pub style: Style,
    /// The region of the resource, for `azure`.
    pub region: Option<String>,
    /// The project, for `google-cloud`: with one its version 3 is asked.
    pub project: Option<String>,
    /// Where the project's model is, for `google-cloud`; none = `global`.
    pub location: Option<String>,
    /// The folder, for `yandex`.
    pub folder: Option<String>,
    /// The tokens of context that a local model is loaded with, for `ollama`.
    pub context_tokens: Option<u32>,
}

/// How a translation shall sound. Providers that cannot choose ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// As the source does.
    #[default]
    Neutral,
    /// Polite.
    Formal,
    /// As among friends.
    Casual,
    /// In the reader's words, which only language models understand.
    Own(String),
}

impl Style {
    /// Returns the style as the settings have it; empty for the neutral one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Neutral => "",
            Self::Formal => "formal",
            Self::Casual => "casual",
            Self::Own(words) => words,
        }
    }
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
    /// Returns how one value of an answer in parts is taken up, if its answers
    /// can come so (see [`Ask::stream`]).
    fn take(&self) -> Option<chat::Take> {
        None
    }

    /// Whether the request carries a strict schema, which holds the ids of the
    /// reply in order.
    fn is_strict(&self, ask: &Ask) -> bool {
        !ask.dropped.contains(&Feature::JsonSchema)
    }

    /// Whether what it writes depends on the [`Style`].
    fn has_style(&self) -> bool {
        false
    }

    /// Returns the translations without any network, if it can make them so
    /// (`sample`). `build` and `parse` are not used then.
    fn offline(&self, _ask: &Ask) -> Option<Reading> {
        None
    }
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
    let kind = kinds::find(&config.kind).ok_or(Failure::Misconfigured)?;
    if config.base_url.trim().is_empty() {
        kind.base_url.clone_into(&mut config.base_url);
    }
    if config.model.trim().is_empty() {
        kind.model.clone_into(&mut config.model);
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
        "anthropic" => Box::new(anthropic::Anthropic::new(config)),
        "ollama" => Box::new(ollama::Ollama::new(config)),
        "apertium" => Box::new(apertium::Apertium::new(config)),
        "deepl" => Box::new(deepl::DeepL::new(config)),
        "google-cloud" => Box::new(google_cloud::GoogleCloud::new(config)),
        "azure" => Box::new(azure::Azure::new(config)),
        "libretranslate" => Box::new(libretranslate::LibreTranslate::new(config)),
        "papago" => Box::new(papago::Papago::new(config)),
        "yandex" => Box::new(yandex::Yandex::new(config)),
        "google-web" => Box::new(google_web::GoogleWeb::new(config)),
        "edge-web" => Box::new(edge_web::EdgeWeb::new(config)),
        _ => return Err(Failure::Misconfigured),
    })
}
