//! What a provider's reply means: the vocabulary between parsing and the queue.
//!
//! A provider's parser turns bytes into a [`Reading`]; the session checks each
//! item of it and tells the queue a [`Verdict`]. Nothing here decides what is
//! done about it: that is the queue's.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

/// The classes of `docs/PROVIDERS.md`, a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Every item is there.
    Ok,
    /// Some items are there; the others are asked again.
    Partial,
    /// Nothing of it can be trusted, or its shape is wrong.
    Malformed,
    /// Cut by a token limit; complete items count.
    Truncated,
    /// An answer without content.
    Empty,
    /// Network fault or a server error that passes.
    Transient,
    /// The provider asks for a pause.
    RateLimited,
    /// A day's, month's or money quota is used up.
    QuotaExhausted,
    /// The content was refused; the same request is never sent again.
    Blocked,
    /// The request was too large; smaller ones may pass.
    TooLarge,
    /// A feature of the request is not supported; it is dropped.
    FeatureError,
    /// Only the reader can mend it.
    ConfigError,
}

impl Class {
    /// Returns the name under which calls of this class are counted.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Transient => "transient",
            Self::RateLimited => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Blocked => "blocked",
            Self::TooLarge => "too_large",
            Self::FeatureError => "feature_error",
            Self::ConfigError => "config_error",
        }
    }
}

/// A part of a request that a model may refuse, and that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A strict JSON schema for the reply.
    JsonSchema,
    /// "Any JSON object".
    JsonMode,
    /// A setting of thinking or reasoning effort.
    Thinking,
    /// A temperature.
    Temperature,
    /// The name or presence of the output limit.
    MaxTokens,
    /// Cached content of the prompt.
    CachedContent,
    /// Permissive safety thresholds.
    Safety,
    /// An answer in parts, as it is written.
    Stream,
    /// The provider's own way to carry tags: its XML or HTML mode.
    Markup,
    /// A glossary of the provider's.
    Glossary,
    /// A beginning of the answer that we write.
    Prefill,
    /// Every effort of reasoning but `none`, which is the least that is taken.
    EffortNone,
    /// Every effort of reasoning but `minimal`.
    EffortMinimal,
    /// Every effort of reasoning but `low`.
    EffortLow,
}

impl Feature {
    /// Every feature, with the name under which it is remembered.
    pub const ALL: &[(Self, &str)] = &[
        (Self::JsonSchema, "json_schema"),
        (Self::JsonMode, "json_mode"),
        (Self::Thinking, "thinking"),
        (Self::Temperature, "temperature"),
        (Self::MaxTokens, "max_tokens"),
        (Self::CachedContent, "cached_content"),
        (Self::Safety, "safety"),
        (Self::Stream, "stream"),
        (Self::Markup, "markup"),
        (Self::Glossary, "glossary"),
        (Self::Prefill, "prefill"),
        (Self::EffortNone, "effort_none"),
        (Self::EffortMinimal, "effort_minimal"),
        (Self::EffortLow, "effort_low"),
    ];
}

/// What one call used. Tokens are in the common reading: `input` without what was
/// cached, `output` with what was thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were billed in full.
    pub input: u64,
    /// Output tokens, thinking included.
    pub output: u64,
    /// Input tokens that came from the provider's cache.
    pub cached: u64,
    /// The part of `output` that was thought.
    pub reasoning: u64,
    /// Characters that were billed, where the answer says so.
    pub characters: Option<u64>,
    /// What the call cost, in millionths of a US dollar, where the answer says so.
    pub cost_micros: Option<u64>,
}

/// When a provider that is out comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// So long after the reply.
    After(Duration),
    /// At this moment of the wall clock.
    At(Timestamp),
}

/// Limits that a reply stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// Requests in any minute.
    pub requests_per_minute: Option<u32>,
    /// Requests in a day.
    pub requests_per_day: Option<u32>,
    /// Tokens in any minute.
    pub tokens_per_minute: Option<u32>,
    /// Characters in one request.
    pub chars_per_call: Option<u32>,
    /// How long nothing more is let in: a budget is used up with this reply.
    pub spent_for: Option<Duration>,
}

/// What one reply says, before its items are checked against their segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What happened.
    pub class: Class,
    /// Usable items by their place in the batch, as the provider wrote them.
    pub items: BTreeMap<usize, String>,
    /// The pause that was advised, for [`Class::RateLimited`]; at least 10 s.
    pub pause: Option<Duration>,
    /// The end of a quota, for [`Class::QuotaExhausted`].
    pub until: Option<Until>,
    /// A short machine-readable cause, such as `bad_key` or `one_based`; empty
    /// when there is none. Append-only: the popup and `doctor` explain it.
    pub reason: &'static str,
    /// The provider's own words, at most 200 characters, without key and URL.
    /// Shown to the reader, never logged, never rendered as HTML.
    pub message: String,
    /// What to leave out, for [`Class::FeatureError`].
    pub feature: Option<Feature>,
    /// What the call used.
    pub usage: Usage,
    /// Limits that the reply stated.
    pub stated: Stated,
    /// Whether any HTTP answer came. Without one, nothing is said about the texts.
    pub answered: bool,
}

impl Reading {
    /// Returns a reading of this class with nothing else in it.
    #[must_use]
    pub fn of(class: Class) -> Self {
        Self {
            class,
            items: BTreeMap::new(),
            pause: None,
            until: None,
            reason: "",
            message: String::new(),
            feature: None,
            usage: Usage::default(),
            stated: Stated::default(),
            answered: true,
        }
    }
}

/// What became of one segment of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemVerdict {
    /// Translated, checked, stored: the queue forgets it.
    Done,
    /// Not there, or failed its check: the queue asks again by its rules.
    Missing,
    /// There, but doubtful: asked once more, alone; costs no attempt.
    Doubtful,
    /// The session took it over (cut it up, or asked for its pieces): the
    /// queue forgets it and reports nothing.
    Taken,
}

/// What the session tells the queue about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What happened to the call as a whole.
    pub class: Class,
    /// One for each job of the call, in the call's order.
    pub items: Vec<ItemVerdict>,
    /// As in [`Reading::answered`].
    pub answered: bool,
    /// As in [`Reading::pause`].
    pub pause: Option<Duration>,
    /// How long the provider is out, if the reply said so.
    pub out_for: Option<Duration>,
    /// What a segment that fails over this call fails with.
    pub failure: Failure,
    /// As in [`Reading::stated`].
    pub stated: Stated,
    /// Whether a rate limit counts calls or tokens, and they are used up; else
    /// the provider has too much to do.
    pub window: bool,
    /// The tokens that the call used, all together; zero when that was not said.
    pub tokens: u64,
}

impl Verdict {
    /// Returns whether the call brought anything for any of its segments.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.items.iter().any(|item| *item != ItemVerdict::Missing)
    }
}

/// Why a segment was not translated. The session maps it to a wire code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// No provider is set up.
    NotConfigured,
    /// The key is missing or was not accepted.
    Unauthorized,
    /// Another fault that only the reader can mend.
    Misconfigured,
    /// The provider kept asking for a pause.
    RateLimited,
    /// The quota is used up.
    QuotaExhausted,
    /// The content was refused.
    Refused,
    /// The provider is down or useless.
    Unavailable,
    /// No connection.
    Network,
    /// No answer in time.
    Timeout,
    /// Answers came, none could be used.
    BadReply,
    /// It cannot be cut further.
    TooLong,
    /// The provider does not know the language pair.
    UnsupportedPair,
    /// A fault of ours.
    Internal,
}

impl Failure {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::NotConfigured,
        Self::Unauthorized,
        Self::Misconfigured,
        Self::RateLimited,
        Self::QuotaExhausted,
        Self::Refused,
        Self::Unavailable,
        Self::Network,
        Self::Timeout,
        Self::BadReply,
        Self::TooLong,
        Self::UnsupportedPair,
        Self::Internal,
    ];
}
