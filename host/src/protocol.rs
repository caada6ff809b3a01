//! The messages of the wire, as `docs/PROTOCOL.md` fixes them.
//!
//! Shapes and codes only: framing is `framing`'s, behaviour is `session`'s.
//! Unknown fields are ignored, fields are only ever added, and codes are
//! append-only. `tests/protocol/*.json` hold one file a message; the host and
//! the extension are both tested against them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that `hello` and `welcome` exchange.
pub const PROTOCOL: u32 = 1;

/// A segment is at most this many UTF-16 units; a longer one is `too_long`.
pub const MAX_SEGMENT_UTF16: usize = 8000;

/// The number that all parts and answers of one request carry.
pub type Id = u64;

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
    /// One real call with a short text.
    TestProvider {
        /// Request number.
        id: Id,
        /// The reader's name for it.
        provider: String,
    },
    /// Ask for the state of everything.
    Status {
        /// Request number.
        id: Id,
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
    /// Target language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The site, such as `example.org`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Not used for so many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused_days: Option<u32>,
}

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
    },
    /// The answer to `ping`.
    Pong {
        /// Request number.
        id: Id,
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
}

/// A provider, as `welcome` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ProviderInfo {
    /// The reader's name.
    pub name: String,
    /// `gemini`, `openai`, …
    pub kind: String,
    /// Whether it can be asked.
    pub ready: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A provider, as `status` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ProviderStatus {
    /// The reader's name.
    pub name: String,
    /// `gemini`, `openai`, …
    pub kind: String,
    /// `ready`, `waiting`, `out` or `misconfigured`.
    pub state: String,
    /// Epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// Why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The same in words, with what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One day's usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct UsageToday {
    /// Calls to providers.
    pub calls: u64,
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Segments that the cache answered.
    pub from_cache: u64,
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
    /// In US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Tokens of a stream's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tokens {
    /// Input, cached ones included.
    pub input: u64,
    /// Output.
    pub output: u64,
}

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

/// A message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The request, where it could be read.
    pub id: Option<Id>,
    /// [`Code::BadMessage`] or [`Code::UnknownType`].
    pub code: Code,
    /// The fault in words; names fields, never carries page text.
    pub message: String,
}

/// All types of a request, in the order of the table.
const TYPES: [&str; 15] = [
    "hello",
    "translate",
    "prioritize",
    "cancel",
    "get_settings",
    "set_settings",
    "dictionary_get",
    "dictionary_set",
    "dictionary_test",
    "cache_stats",
    "cache_clear",
    "cache_forget",
    "test_provider",
    "status",
    "ping",
];

/// Reads one message of the extension from the bytes of a frame.
///
/// Lone surrogates are mended first; invalid UTF-8, invalid JSON, an unknown
/// type and a missing field are told apart.
///
/// # Errors
/// What is wrong, with the `id` if the message had one that could be read.
pub fn read_request(frame: &mut [u8]) -> Result<Request, Unreadable> {
    mend_lone_surrogates(frame);
    let bad = |id, message: String| Unreadable { id, code: Code::BadMessage, message };
    let value: Value = serde_json::from_slice(frame)
        .map_err(|e| bad(None, format!("not JSON in UTF-8: {}", place(&e))))?;
    let Value::Object(fields) = &value else {
        return Err(bad(None, "a message is a JSON object".to_owned()));
    };
    let id = fields.get("id").and_then(Value::as_u64);
    match fields.get("type").and_then(Value::as_str) {
        None => return Err(bad(id, "a message has a type".to_owned())),
        Some(name) if TYPES.contains(&name) => {}
        Some(_) => {
            let message = "this host does not know a message of this type".to_owned();
            return Err(Unreadable { id, code: Code::UnknownType, message });
        }
    }
    serde_json::from_value(value).map_err(|e| bad(id, without_values(&e.to_string())))
}

/// Names the place of a fault without quoting the message, which may hold page text.
fn place(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// Cuts what serde quotes of a value: `invalid type: string "…", expected u64`.
fn without_values(message: &str) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}…{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    }
}

/// Replaces each `\uD800`–`\uDFFF` escape without its partner by `\ufffd`, in place.
///
/// Browsers write half of a pair as such an escape, and `serde_json` refuses
/// the whole message over it. Returns how many were replaced.
pub fn mend_lone_surrogates(bytes: &mut [u8]) -> usize {
    let mut at = 0;
    let mut mended = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match escaped_unit(bytes, at) {
            Some(0xD800..=0xDBFF)
                if matches!(escaped_unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) =>
            {
                12
            }
            Some(0xD800..=0xDFFF) => {
                bytes[at + 2..at + 6].copy_from_slice(b"fffd");
                mended += 1;
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    mended
}

/// Returns the unit of the `\uXXXX` escape that starts at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_false(value: &bool) -> bool {
    !value
}

fn last_rank() -> u8 {
    2
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_last_rank(rank: &u8) -> bool {
    *rank == last_rank()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_surrogates(before: &str, after: &str) {
        let mut bytes = before.as_bytes().to_vec();
        mend_lone_surrogates(&mut bytes);
        assert_eq!(String::from_utf8(bytes).unwrap(), after, "{before}");
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        check_surrogates(r"a\ud83db", r"a\ufffdb");
        check_surrogates(r"\ude00", r"\ufffd");
        check_surrogates(r"\ude00\ud83d", r"\ufffd\ufffd");
        check_surrogates(r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00");
        check_surrogates(r"\ud83d\n", r"\ufffd\n");
        check_surrogates(r"\ud83", r"\ud83");
    }

    #[test]
    fn pairs_and_escaped_backslashes_stay() {
        check_surrogates(r"\ud83d\ude00", r"\ud83d\ude00");
        check_surrogates(r"\\ud83d", r"\\ud83d");
        check_surrogates(r"é \u00e9 \\", r"é \u00e9 \\");
    }

    fn check_fault(frame: &str, id: Option<Id>, code: Code) {
        let fault = read_request(&mut frame.as_bytes().to_vec()).unwrap_err();
        assert_eq!((fault.id, fault.code), (id, code), "{frame}");
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        check_fault("", None, Code::BadMessage);
        check_fault("{", None, Code::BadMessage);
        check_fault("[]", None, Code::BadMessage);
        check_fault("\"str\"", None, Code::BadMessage);
        check_fault("{}", None, Code::BadMessage);
        check_fault(r#"{"type":"dance","id":3}"#, Some(3), Code::UnknownType);
        check_fault(r#"{"type":"cancel"}"#, None, Code::BadMessage);
        check_fault(r#"{"type":"translate","id":3,"segments":[]}"#, Some(3), Code::BadMessage);
        check_fault(r#"{"type":"ping","id":-1}"#, None, Code::BadMessage);
    }

    #[test]
    fn a_fault_never_quotes_the_message() {
        let mut frame =
            br#"{"type":"translate","id":1,"target":"ko","segments":"secret page text"}"#.to_vec();
        let fault = read_request(&mut frame).unwrap_err();
        assert!(!fault.message.contains("secret"), "{}", fault.message);
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let mut frame = br#"{"type":"ping","id":7,"later":{"x":1}}"#.to_vec();
        assert_eq!(read_request(&mut frame), Ok(Request::Ping { id: 7 }));
    }

    #[test]
    fn invalid_utf8_is_a_bad_message() {
        let fault = read_request(&mut b"{\"type\":\"ping\",\"id\":1,\"x\":\"\xff\"}".to_vec());
        assert_eq!(fault.unwrap_err().code, Code::BadMessage);
    }
}
