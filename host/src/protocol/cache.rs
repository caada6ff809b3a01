//! Looking into the cache, and correcting what it says.

use serde::{Deserialize, Serialize};

use super::Id;

/// Which entries are looked for; all given fields must fit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CacheFind {
    /// Request number.
    pub id: Id,
    /// What a source or a translation contains, in capitals or not.
    pub text: String,
    /// Target language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Source language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The site, such as `example.org`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// At most so many.
    #[serde(default = "usual_limit", skip_serializing_if = "is_usual_limit")]
    pub limit: usize,
}

/// The reader's translation of one text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CacheCorrect {
    /// Request number.
    pub id: Id,
    /// The whole text.
    pub source: String,
    /// Whether both texts are marked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marked: bool,
    /// What is shown; none takes the correction out. It must be said.
    #[serde(deserialize_with = "Option::deserialize")]
    pub translation: Option<String>,
    /// Only from this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_language: Option<String>,
    /// Only to this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only on this site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
}

/// An entry of the cache, or a correction, which has no engine and no days.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CacheEntry {
    /// The source in normal form.
    pub source: String,
    /// What the machine said, or the reader.
    pub translation: String,
    /// `und` when it was detected; `*` is any.
    pub source_language: String,
    /// `*` is any.
    pub target: String,
    /// Whose entry it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The site that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Whether both texts are marked.
    pub marked: bool,
    /// The day it was translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// The day it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<String>,
    /// Without an engine: this is a correction. With one: a correction is
    /// shown in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub corrected: bool,
}

fn usual_limit() -> usize {
    50
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_usual_limit(limit: &usize) -> bool {
    *limit == usual_limit()
}
