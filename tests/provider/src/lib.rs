//! A provider that answers as it is told: it speaks Gemini, chat completions,
//! Anthropic's messages, Ollama's chat and Apertium on a loopback port, whole or
//! in parts, replays fixtures byte for byte, and runs schedules of latency,
//! limits, refusals and faults that are the same in every run. Tests and benches start it in-process ([`Server`]) or as a binary.
//!
//! The modules in reading order. A module uses only those before it; nothing
//! here knows the host.
//!
//! - [`stand_in`]: the visible, reversible stand-in for a translation
//! - [`stream`]: an answer in parts, and how it stops before its end
//! - [`answer`]: an HTTP answer as a value, read from a fixture
//! - [`script`]: what the provider is told to do
//! - [`schedule`]: decides what happens to a call; time is passed in
//! - [`content`]: what the engine says to a batch under a given outcome
//! - [`protocol`]: how each protocol carries a batch and an answer
//! - [`body`]: writes an answer's body, broken where the fault says so
//! - [`calls`]: the log and the counts
//! - [`server`]: the loopback port and the control pages
//! - [`ideal`]: the least time that a page can take under a script

pub mod answer;
pub mod body;
pub mod calls;
pub mod content;
pub mod ideal;
pub mod protocol;
pub mod schedule;
pub mod script;
pub mod server;
pub mod stand_in;
pub mod stream;

pub use answer::{Answer, Fault};
pub use calls::{Call, Stats};
pub use protocol::Protocol;
pub use schedule::Outcome;
pub use script::Script;
pub use server::Server;
pub use stream::{StreamFault, Streaming};
