//! The built binary over pipes, as a browser sees it, against the scripted
//! provider.

#![allow(clippy::unwrap_used, missing_docs)]

mod browser;
mod cache_trouble;
mod changes;
mod cli;
mod clock;
mod corrections;
mod distrust;
mod early;
mod ending;
mod failover;
mod hostile;
mod late;
mod money;
mod orders;
mod providers;
mod redis;
mod remembered;
mod reuse;
mod shared;
mod shared_trouble;
mod sharing;
mod streams;
mod tokens;
mod translating;
mod trouble;
mod usage;
mod waste;
mod wire;
mod words;
