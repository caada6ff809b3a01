//! Registers the host with browsers, takes it out again, and says what is
//! wrong: a table (`browsers`), a pure plan, its application, and a doctor.
//!
//! Returns values and texts; printing and arguments are `cli`'s, the place
//! where settings and cache lie is `paths`'. It never changes a file that is
//! not ours, and it downloads nothing.

pub mod apply;
pub mod browsers;
pub mod doctor;
pub mod environment;
pub mod guide;
pub mod hello;
pub mod manifest;
pub mod plan;

pub use apply::{Done, Outcome, apply, undo};
pub use browsers::{Browser, Family};
pub use doctor::{Finding, Level, Report, doctor};
pub use environment::{Disk, Environment, Look};
pub use plan::{Options, Plan, plan, plan_dir};

/// The name that the extension passes to `connectNative`.
pub const HOST_NAME: &str = "org.webtranslator.host";

/// The file name that follows from [`HOST_NAME`].
pub const MANIFEST_FILE: &str = "org.webtranslator.host.json";

/// The id that the `key` in the extension's manifest gives in the Chromium
/// family: the first half of the key's SHA-256, written in the letters a to p.
pub const EXTENSION_ID: &str = "kpopcgmoijlicjfahkcjmppaliiomibo";

/// The id in the extension's manifest for the Firefox family.
pub const GECKO_ID: &str = "webtranslator@example.org";

/// What a plan and the doctor say when the table finds nothing.
pub(crate) const NO_BROWSER: &str = "no browser was found; start yours once, or name it: --browser ID, or its folder: \
     --manifest-dir DIR --family chromium|firefox\n";
