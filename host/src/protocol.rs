//! The messages of the wire, as `docs/PROTOCOL.md` fixes them.
//!
//! Shapes and codes only: framing is `framing`'s, behaviour is `session`'s.
//! Unknown fields are ignored, fields are only ever added, and codes are
//! append-only. `tests/protocol/*.json` hold one file a message; the host and
//! the extension are both tested against them.

mod cache;
mod providers;
mod read;
mod reply;
mod request;

use serde::{Deserialize, Serialize};

pub use cache::{CacheCorrect, CacheEntry, CacheFind};
pub use providers::{
    Found, KindInfo, ProviderInfo, ProviderStatus, ProviderUsage, UsageDay, UsageDays, UsageToday,
};
pub use read::{Unreadable, read_request};
pub use reply::{CacheState, Done, Failed, From, RemoteState, Reply, Tokens, Translated, Waiting};
pub use request::{CacheFilter, Client, Page, Request, Segment, Translate};

/// The version that `hello` and `welcome` exchange.
pub const PROTOCOL: u32 = 1;

/// A segment is at most this many UTF-16 units; a longer one is `too_long`.
pub const MAX_SEGMENT_UTF16: usize = 8000;

/// The number that all parts and answers of one request carry.
pub type Id = u64;

/// Why something did not work. Append-only; `docs/PROTOCOL.md` says for each
/// who can mend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The message does not fit its type.
    BadMessage,
    /// The type is not known.
    UnknownType,
    /// A frame above the limit.
    FrameTooLarge,
    /// Host and extension do not speak the same version.
    UnsupportedProtocol,
    /// No provider is set up.
    NotConfigured,
    /// The key is missing or was not accepted.
    Unauthorized,
    /// Another fault of the provider's settings.
    Misconfigured,
    /// The provider asks for a pause.
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
    /// The text cannot be cut further.
    TooLong,
    /// The provider does not know the language pair.
    UnsupportedPair,
    /// Nobody wants it any more.
    Cancelled,
    /// A fault of ours.
    Internal,
}
