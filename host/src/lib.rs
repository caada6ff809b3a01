//! WebTranslator's native host.
//!
//! A browser starts this program and speaks to it over stdin and stdout. It
//! remembers translations, decides what to ask which provider and when, and
//! answers every text by its index. `docs/ARCHITECTURE.md` draws the whole.
//!
//! The modules in reading order; a module uses only modules that are listed
//! before it. `tests/structure.rs` holds this rule.
//!
//! Pure, without I/O and clocks: from `surrogates` to `exchange`. Thin edges, each
//! the only owner of one outside thing: `paths`, `secrets`, `store`,
//! `remote`, `http`, `transport`. What joins them: `session`, `install`, `cli`.

pub mod surrogates;
pub mod language;
pub mod segment;
pub mod markup;
pub mod dictionary;
pub mod verdict;
pub mod reply;
pub mod provider;
pub mod pace;
pub mod queue;
pub mod protocol;
pub mod framing;
pub mod settings;
pub mod exchange;
pub mod paths;
pub mod secrets;
pub mod store;
pub mod remote;
pub mod http;
pub mod transport;
pub mod session;
pub mod install;
pub mod cli;
