//! WebTranslator's native host.
//!
//! A browser starts this program and speaks to it over stdin and stdout. It
//! remembers translations, decides what to ask which provider and when, and
//! answers every text by its index. `docs/ARCHITECTURE.md` draws the whole.
//!
//! The modules in reading order; a module uses only modules that are listed
//! before it. `tests/structure.rs` holds this rule.
//!
//! Pure, without I/O and clocks:
pub mod dictionary;
pub mod framing;
pub mod language;
pub mod markup;
pub mod pace;
pub mod protocol;
pub mod provider;
pub mod queue;
pub mod reply;
pub mod segment;
pub mod settings;
pub mod verdict;
// Thin edges, each the only owner of one outside thing:
pub mod http;
pub mod paths;
pub mod secrets;
pub mod store;
pub mod transport;
// What joins them:
pub mod cli;
pub mod install;
pub mod session;
