//! `webtranslator cache` as the reader runs it: the built binary, real files,
//! real obstacles.
#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../host/browser.rs"]
#[allow(dead_code)]
mod browser;
mod correcting;
mod forgetting;
mod home;
mod looking;
#[cfg(target_os = "linux")]
mod obstacles;
mod stats;
mod taking_along;
mod trouble;
