//! What the extension says.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CacheCorrect, CacheFind, Id};

/// A message from the extension.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// The first message.
    Hello {
        /// The sender's version of the protocol.
        protocol: u32,
        /// Who it is.
        client: Client,
    },
    /// A part of a page's stream.
    Translate(Translate),
    /// What is waiting gets this rank.
    Prioritize {
        /// The stream.
        id: Id,
        /// Indices of segments; unknown and answered ones are ignored.
        segments: Vec<u32>,
        /// 0 visible now, 1 near, 2 the rest.
        rank: u8,
    },
    /// Drop what has not been sent to a provider.
    Cancel {
        /// The stream.
        id: Id,
    },
    /// Ask for the settings.
    GetSettings {
        /// Request number.
        id: Id,
    },
    /// Change some settings; absent fields stay, `null` removes.
    SetSettings {
        /// Request number.
        id: Id,
        /// A partial settings object; `provider.<name>.key` sets a key.
        settings: Map<String, Value>,
    },
    /// Ask for the dictionary.
    DictionaryGet {
        /// Request number.
        id: Id,
    },
    /// Replace the dictionary.
    DictionarySet {
        /// Request number.
        id: Id,
        /// The whole dictionary as TOML.
        toml: String,
    },
    /// Show what the dictionary does to a text.
    DictionaryTest {
        /// Request number.
        id: Id,
        /// A source text, for terms.
        #[serde(default)]
        source_text: String,
        /// A translation, for replacements.
        #[serde(default)]
        translation: String,
        /// Source language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Target language.
        target: String,
        /// The page's origin, for entries with a site.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// Ask for sizes and hits.
    CacheStats {
        /// Request number.
        id: Id,
    },
    /// Remove what matches the filter; an empty filter removes all.
    CacheClear {
        /// Request number.
        id: Id,
        /// What to remove.
        #[serde(default)]
        filter: CacheFilter,
    },
    /// Forget one text, whatever engine translated it.
    CacheForget {
        /// Request number.
        id: Id,
        /// The source text, as it was sent.
        text: String,
        /// Only this target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
    /// Look for entries and corrections.
    CacheFind(CacheFind),
    /// Set or remove the reader's translation of a text.
    CacheCorrect(CacheCorrect),
    /// One real call with a short text.
    TestProvider {
        /// Request number.
        id: Id,
        /// The reader's name for it.
        provider: String,
    },
    /// Look for engines on this machine.
    DetectProviders {
        /// Request number.
        id: Id,
    },
    /// Ask for the state of everything.
    Status {
        /// Request number.
        id: Id,
    },
    /// Ask for what was used.
    Usage {
        /// Request number.
        id: Id,
        /// So many days, today among them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        days: Option<u32>,
    },
    /// Answered by `pong`.
    Ping {
        /// Request number.
        id: Id,
    },
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Client {
    /// The extension's version.
    pub version: String,
    /// `chromium` or `firefox`.
    pub browser: String,
}

/// A part of a page's stream.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Translate {
    /// The stream; several parts may carry it.
    pub id: Id,
    /// BCP 47.
    pub target: String,
    /// BCP 47; absent: the provider detects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The segments of this part.
    pub segments: Vec<Segment>,
    /// Where they come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// Whether other parts follow.
    #[serde(default, skip_serializing_if = "is_false")]
    pub more: bool,
    /// Ask anew, with something changed, and replace the entry.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fresh: bool,
    /// The reader pressed "retry": remembered refusals are passed by, and a
    /// provider that is out is probed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub retry: bool,
    /// A private window: nothing is remembered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// Ask only this provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// One text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Segment {
    /// Its index in the stream.
    pub i: u32,
    /// The text, marked when `tags` is there.
    pub text: String,
    /// How many tags it has; 0 is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<u32>,
    /// 0 visible now, 1 near, 2 the rest.
    #[serde(default = "last_rank", skip_serializing_if = "is_last_rank")]
    pub rank: u8,
    /// `ui` for a button, menu item or label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Segment {
    /// Whether it is a button, menu item or label.
    #[must_use]
    pub fn is_ui(&self) -> bool {
        self.kind.as_deref() == Some("ui")
    }
}

/// The page that a stream comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Page {
    /// Scheme, host and port; for files the whole address.
    #[serde(default)]
    pub origin: String,
    /// The title; empty in private windows.
    #[serde(default)]
    pub title: String,
    /// What the page says of its language (BCP 47). Only engines that must be
    /// told the source go by it, since pages often lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
}

/// Which entries of the cache; all given fields must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct CacheFilter {
    /// The provider's kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The engine, as the command line names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Source language; `und` where the provider detected it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Target language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The site, such as `example.org`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Not used for so many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused_days: Option<u32>,
    /// Translated more than so many days ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_days: Option<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
pub(super) fn is_false(value: &bool) -> bool {
    !value
}

fn last_rank() -> u8 {
    2
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_last_rank(rank: &u8) -> bool {
    *rank == last_rank()
}
