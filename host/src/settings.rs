//! The settings: text in, checked values out, and edits that keep comments.
//!
//! No file is read here, and no key is known. A mistake is answered with line,
//! column, what was found and what was expected; the caller keeps the last
//! good settings in force. What comes out needs no second check.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::provider::Style;

mod address;
mod check;
mod edit;
mod reader;
mod remote;

pub use address::Address;
pub use check::check;
pub use edit::{edit, without_keys};
pub use remote::RemoteAddress;

/// A call's total deadline when the settings name none.
pub const DEFAULT_TIMEOUT_S: u32 = 60;

/// The same for a server on this machine, which may have to load its model first.
pub const DEFAULT_LOCAL_TIMEOUT_S: u32 = 300;

/// The cache's size when the settings name none.
pub const DEFAULT_MAX_MB: u32 = 512;

/// The name under which the password of the shared cache is kept. No provider
/// has it.
pub const REMOTE_KEY: &str = "cache";

/// What the names in the shared cache begin with when the settings do not say.
pub const DEFAULT_REMOTE_PREFIX: &str = "wt:";

/// Something in the file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From one; zero when it is not in the file's text but in a change to it.
    pub line: usize,
    /// From one, in characters.
    pub column: usize,
    /// The setting, such as `provider.local.kind`; empty for a fault of form.
    pub key: String,
    /// The value as it stands in the file; never a key or a password.
    pub found: String,
    /// What should stand there.
    pub expected: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line > 0 {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        match (self.key.as_str(), self.found.as_str()) {
            ("", "") => {}
            ("", found) => write!(f, "{found}; ")?,
            (key, "") => write!(f, "{key}: ")?,
            (key, found) => write!(f, "{key} is {found}; ")?,
        }
        write!(f, "expected {}", self.expected)
    }
}

/// A key that stands in the settings, where it should not be: the caller moves
/// it to the store of keys and takes it out with [`without_keys`].
#[derive(Clone, PartialEq, Eq)]
pub struct StrayKey {
    /// The provider's name; [`REMOTE_KEY`] for the shared cache.
    pub provider: String,
    /// The key.
    pub key: crate::provider::Key,
}

impl std::fmt::Debug for StrayKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StrayKey({:?})", self.provider)
    }
}

/// What a settings file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The settings; none when there are problems.
    pub settings: Option<Settings>,
    /// What keeps the file from being used, in its order.
    pub problems: Vec<Problem>,
    /// What is ignored or doubtful.
    pub warnings: Vec<Problem>,
    /// Keys in the wrong place.
    pub stray_keys: Vec<StrayKey>,
}

/// How a page shows its translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageMode {
    /// The translation instead of the original.
    #[default]
    Translation,
    /// Both.
    Both,
    /// The original; the translation of what is pointed at.
    Hover,
}

/// Checked settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// BCP 47.
    pub target: String,
    /// BCP 47; none: the language is detected.
    pub source: Option<String>,
    /// How a page shows its translation.
    pub mode: PageMode,
    /// How translations shall sound.
    pub style: Style,
    /// The most that a day's calls may cost, in millionths of a US dollar; none:
    /// no limit.
    pub budget_micros: Option<u64>,
    /// In order of preference; each is in `provider`.
    pub providers: Vec<String>,
    /// By the reader's name for it.
    pub provider: BTreeMap<String, ProviderSettings>,
    /// What is remembered.
    pub cache: CacheSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: "en".to_owned(),
            source: None,
            mode: PageMode::default(),
            style: Style::Neutral,
            budget_micros: None,
            providers: Vec::new(),
            provider: BTreeMap::new(),
            cache: CacheSettings::default(),
        }
    }
}

/// One provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderSettings {
    /// One of [`crate::provider::kinds::KINDS`].
    pub kind: String,
    /// None: the provider's own default.
    pub model: Option<String>,
    /// Without a slash at its end; none: the provider's own.
    pub base_url: Option<String>,
    /// A ceiling.
    pub requests_per_minute: Option<u32>,
    /// A ceiling.
    pub tokens_per_minute: Option<u32>,
    /// A ceiling.
    pub requests_per_day: Option<u32>,
    /// A ceiling of calls at once.
    pub concurrency: Option<u32>,
    /// None: [`DEFAULT_TIMEOUT_S`], or [`DEFAULT_LOCAL_TIMEOUT_S`].
    pub timeout_s: Option<u32>,
    /// As in [`crate::provider::Config::region`].
    pub region: Option<String>,
    /// As in [`crate::provider::Config::project`].
    pub project: Option<String>,
    /// As in [`crate::provider::Config::location`].
    pub location: Option<String>,
    /// As in [`crate::provider::Config::folder`].
    pub folder: Option<String>,
    /// As in [`crate::provider::Config::context_tokens`].
    pub context_tokens: Option<u32>,
    /// Whether the reader agreed to the terms of an unofficial endpoint.
    pub accept_terms: bool,
}

impl ProviderSettings {
    /// Returns the total deadline of a call to a server that is on this machine
    /// or not.
    #[must_use]
    pub fn timeout(&self, local: bool) -> std::time::Duration {
        let default = if local { DEFAULT_LOCAL_TIMEOUT_S } else { DEFAULT_TIMEOUT_S };
        std::time::Duration::from_secs(self.timeout_s.unwrap_or(default).into())
    }
}

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// Whether it is looked at and written.
    pub mode: CacheMode,
    /// The most that the file may take.
    pub max_mb: u32,
    /// For how many days an entry serves; none: for ever.
    pub max_days: Option<u32>,
    /// Whose entries serve.
    pub reuse: Reuse,
    /// The cache of a household or a team behind it.
    pub remote: Option<RemoteAddress>,
    /// What its names there begin with.
    pub remote_prefix: String,
}

impl CacheSettings {
    /// Returns the most that the file may take, in bytes.
    #[must_use]
    pub fn max_bytes(&self) -> u64 {
        u64::from(self.max_mb) * 1024 * 1024
    }
}

impl CacheSettings {
    fn to_json(&self) -> Value {
        let mut out = json!({
            "mode": match self.mode {
                CacheMode::On => "on",
                CacheMode::Read => "read",
                CacheMode::Off => "off",
            },
            "max_mb": self.max_mb,
        });
        if let Some(days) = self.max_days {
            out["max_days"] = json!(days);
        }
        if self.reuse == Reuse::Any {
            out["reuse"] = json!("any");
        }
        if let Some(remote) = &self.remote {
            out["remote"] = json!(remote.to_string());
        }
        if self.remote_prefix != DEFAULT_REMOTE_PREFIX {
            out["remote_prefix"] = json!(self.remote_prefix);
        }
        out
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self {
            mode: CacheMode::default(),
            max_mb: DEFAULT_MAX_MB,
            max_days: None,
            reuse: Reuse::default(),
            remote: None,
            remote_prefix: DEFAULT_REMOTE_PREFIX.to_owned(),
        }
    }
}

/// Whether the cache is looked at and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Both.
    #[default]
    On,
    /// Looked at only.
    Read,
    /// Neither.
    Off,
}

/// Whose entries serve a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Those of the engine that would be asked.
    #[default]
    Engine,
    /// Those of any engine.
    Any,
}

impl Settings {
    /// Returns the form of the wire. Keys are not in it: the caller adds
    /// `has_key` and the last four characters.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let provider: serde_json::Map<String, Value> =
            self.provider.iter().map(|(name, one)| (name.clone(), one.to_json())).collect();
        let mut out = json!({
            "target": self.target,
            "page": {
                "mode": match self.mode {
                    PageMode::Translation => "translation",
                    PageMode::Both => "both",
                    PageMode::Hover => "hover",
                },
            },
            "providers": self.providers,
            "provider": provider,
            "cache": self.cache.to_json(),
        });
        if let Some(source) = &self.source {
            out["source"] = json!(source);
        }
        if self.style != Style::Neutral {
            out["style"] = json!(self.style.name());
        }
        if let Some(micros) = self.budget_micros {
            out["budget"] = json!({"usd_per_day": dollars(micros)});
        }
        out
    }
}

/// Turns millionths of a dollar into dollars.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "an amount is far below 2^52")]
pub fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

impl ProviderSettings {
    fn to_json(&self) -> Value {
        let fields = [
            ("kind", json!(self.kind)),
            ("model", json!(self.model)),
            ("base_url", json!(self.base_url)),
            ("requests_per_minute", json!(self.requests_per_minute)),
            ("tokens_per_minute", json!(self.tokens_per_minute)),
            ("requests_per_day", json!(self.requests_per_day)),
            ("concurrency", json!(self.concurrency)),
            ("timeout_s", json!(self.timeout_s)),
            ("region", json!(self.region)),
            ("project", json!(self.project)),
            ("location", json!(self.location)),
            ("folder", json!(self.folder)),
            ("context_tokens", json!(self.context_tokens)),
            ("accept_terms", json!(self.accept_terms.then_some(true))),
        ];
        let there = fields.into_iter().filter(|(_, value)| !value.is_null());
        Value::Object(there.map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
