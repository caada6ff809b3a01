//! What the provider is told to do. A script is given to `Server::start`, built
//! from the binary's flags, or posted to `/__script` as JSON: a field that is
//! absent has its default, an unknown field is an error.

use crate::answer::Answer;
use crate::stream::Streaming;
use serde::Deserialize;

/// A schedule. The default answers every batch at once and without a fault.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Chooses which batches meet a fault.
    pub seed: u64,
    /// Time that a call takes, whatever is in it.
    pub latency_ms: u64,
    /// Time that a call takes for each character of its texts.
    pub ms_per_char: f64,
    /// Calls that are admitted in any 60 seconds; a refused one is not counted.
    pub requests_per_minute: Option<u32>,
    /// Whether a 429 tells when to come back and what the limit is.
    pub advice: bool,
    /// Calls that may run at a time; one above it is answered with 429.
    pub max_concurrent: Option<u32>,
    /// Texts that contain one of these get their batch refused as blocked.
    /// Apertium refuses nothing.
    pub refuse: Vec<String>,
    /// Key that a call must bring; without it every call is let in.
    pub key: Option<String>,
    /// How many batches of a hundred meet which fault.
    pub faults: Faults,
    /// Answers that are served first, in this order, one a call.
    pub queue: Vec<Answer>,
    /// Whether `queue` starts again when it has been served.
    pub repeat: bool,
    /// How calls are answered that ask for parts.
    pub stream: Streaming,
}

/// Shares of batches in percent. Together they stay at most 100.
///
/// An engine under a strict schema leaves no id out. A call that asks for parts
/// under one and meets `dropped`, `short` or `shifted` is answered whole, as by
/// a server that knows neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// An answer with nothing in it.
    pub empty: f64,
    /// One item in the middle is left out.
    pub dropped: f64,
    /// The last items are left out, or an array has too few.
    pub short: f64,
    /// From the middle on each item carries its neighbour's text, and the last
    /// is missing; only batches of four and more.
    pub shifted: f64,
    /// The answer stops in the middle of an item.
    pub truncated: f64,
    /// 503.
    pub unavailable: f64,
}
