//! What the host says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    CacheEntry, Code, Found, Id, KindInfo, ProviderInfo, ProviderStatus, ProviderUsage, UsageDays,
    UsageToday,
};

/// A message to the extension.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// The answer to `hello`.
    Welcome {
        /// The host's version of the protocol.
        protocol: u32,
        /// The host's version.
        version: String,
        /// Whether translations are remembered.
        cache: CacheState,
        /// In the reader's order.
        providers: Vec<ProviderInfo>,
        /// The reader's target language.
        target: String,
    },
    /// Translations, in any order.
    Translated {
        /// The stream.
        id: Id,
        /// What is known now.
        segments: Vec<Translated>,
    },
    /// Segments that stay in the original.
    Failed {
        /// The stream.
        id: Id,
        /// Which, and why.
        segments: Vec<Failed>,
        /// The reason in words.
        message: String,
    },
    /// Counts, at most four a second.
    Progress {
        /// The stream.
        id: Id,
        /// Answered and waiting.
        total: u32,
        /// Translated so far.
        translated: u32,
        /// Failed so far.
        failed: u32,
        /// What the rest waits for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting: Option<Waiting>,
    },
    /// The end of a stream; nothing follows.
    Done(Done),
    /// The settings as they are in force.
    Settings {
        /// Request number.
        id: Id,
        /// Without keys: `has_key` and `key_tail` instead.
        settings: Value,
        /// Where the file is.
        path: String,
        /// What is wrong with the file; the last good settings are in force.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
        /// What of it is ignored, a sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
        /// What can be set up.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kinds: Vec<KindInfo>,
    },
    /// The dictionary.
    Dictionary {
        /// Request number.
        id: Id,
        /// The whole dictionary as TOML.
        toml: String,
        /// How many entries are in force.
        entries: u32,
        /// What is wrong with it, a sentence each.
        problems: Vec<String>,
    },
    /// What the dictionary did.
    DictionaryTested {
        /// Request number.
        id: Id,
        /// The translation after replacements.
        text: String,
        /// Sentences: entries that fired.
        fired: Vec<String>,
        /// Sentences: entries that occur but did not fire, with the reason.
        skipped: Vec<String>,
    },
    /// The cache.
    Cache {
        /// Request number.
        id: Id,
        /// Entries now.
        entries: u64,
        /// Bytes of the file.
        bytes: u64,
        /// Look-ups that were answered, since the start of this host.
        hits: u64,
        /// Look-ups that were not.
        misses: u64,
        /// Entries removed by this request.
        removed: u64,
    },
    /// Entries and corrections.
    CacheFound {
        /// Request number.
        id: Id,
        /// Corrections first, then what was used last.
        entries: Vec<CacheEntry>,
        /// Whether there are more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        more: bool,
    },
    /// A correction is set or removed.
    CacheCorrected {
        /// Request number.
        id: Id,
        /// How many are in force now.
        corrections: u32,
    },
    /// How a provider answered.
    ProviderTested {
        /// Request number.
        id: Id,
        /// Whether it translated.
        ok: bool,
        /// How long it took.
        latency_ms: u64,
        /// The translation of the test's text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Why not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// The fault in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// What the call used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<Tokens>,
        /// In US dollars, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    /// What answers on this machine.
    ProvidersDetected {
        /// Request number.
        id: Id,
        /// Ready to be set up.
        found: Vec<Found>,
        /// Hosts and ports that were looked at.
        looked_at: Vec<String>,
    },
    /// The state of everything.
    Status {
        /// Request number.
        id: Id,
        /// The host's version.
        version: String,
        /// Whether translations are remembered.
        cache: CacheState,
        /// In the reader's order.
        providers: Vec<ProviderStatus>,
        /// Since midnight UTC, all hosts of this machine.
        usage: UsageToday,
        /// The same by provider and model, also of those that are set up no more.
        #[serde(default)]
        by_provider: Vec<ProviderUsage>,
    },
    /// What was used, all hosts of this machine.
    Usage {
        /// Request number.
        id: Id,
        /// By day.
        #[serde(flatten)]
        usage: UsageDays,
    },
    /// The answer to `ping`.
    Pong {
        /// Request number.
        id: Id,
    },
    /// Something about this machine that the reader should know; unasked.
    Notice {
        /// What it is about: a kind is told once by each host.
        code: String,
        /// In words.
        message: String,
        /// What to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// A fault of the conversation; with an `id` it ends that id.
    Error {
        /// The request, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<Id>,
        /// The code.
        code: Code,
        /// The fault in words.
        message: String,
        /// What to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
}

/// Whether translations are remembered.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CacheState {
    /// `ok`, `memory` or `off`.
    pub state: String,
    /// Why it is not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The shared cache behind it, where one is set up; only in `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteState>,
}

/// How the shared cache is doing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RemoteState {
    /// `ok`, `away` or `off`.
    pub state: String,
    /// Why it is not `ok`, or takes no entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One translation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Translated {
    /// The segment.
    pub i: u32,
    /// Marked if the segment was.
    pub text: String,
    /// `cache` or `provider`.
    pub from: From,
    /// Who translated, by the reader's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// Where a translation came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// It was remembered.
    Cache,
    /// It was asked for.
    Provider,
}

/// One segment that stays in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Failed {
    /// The segment.
    pub i: u32,
    /// Why.
    pub code: Code,
    /// Whether a retry may help.
    pub retryable: bool,
}

/// What a stream waits for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Waiting {
    /// Why.
    pub code: Code,
    /// The reader's name of the provider.
    pub provider: String,
    /// Epoch milliseconds.
    pub until: i64,
}

/// The account of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Done {
    /// The stream.
    pub id: Id,
    /// All segments.
    pub total: u32,
    /// Translated ones.
    pub translated: u32,
    /// Failed ones.
    pub failed: u32,
    /// Those that nobody wants any more.
    pub cancelled: u32,
    /// How many of `translated` were remembered.
    pub from_cache: u32,
    /// Calls to providers that carried a segment of this stream.
    pub calls: u32,
    /// What those calls used; calls shared with other streams count for each.
    pub tokens: Tokens,
    /// In US dollars, where the price of each call is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What the remembered ones would have cost, in US dollars, as far as the
    /// prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<f64>,
}

/// Tokens of a stream's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tokens {
    /// Input, cached ones included.
    pub input: u64,
    /// Output.
    pub output: u64,
}
