//! Providers, as the host tells of them: what can be set up, what is, and what
//! it did and cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Code;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct UsageToday {
    /// Calls to providers.
    pub calls: u64,
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Texts that the cache answered.
    pub from_cache: u64,
    /// Characters that were sent.
    #[serde(default)]
    pub characters: u64,
    /// In US dollars, as far as the prices are known.
    #[serde(default)]
    pub cost: f64,
    /// What the texts from the cache would have cost, in the same way.
    #[serde(default)]
    pub saved: f64,
}

/// The usage of one provider and model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ProviderUsage {
    /// The reader's name.
    pub provider: String,
    /// The model, empty where there is none.
    pub model: String,
    /// Calls.
    pub calls: u64,
    /// Calls of them that brought nothing.
    pub failures: u64,
    /// Calls that were not wholly good, by what was wrong.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures_by_class: BTreeMap<String, u64>,
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Characters that were sent.
    pub characters: u64,
    /// In US dollars, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What the texts from the cache would have cost, in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<f64>,
    /// Texts that the cache answered.
    pub from_cache: u64,
    /// Texts that the calls brought, where they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<u64>,
}

/// The usage of one provider and model on one day.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct UsageDay {
    /// The day (UTC), such as `2026-11-30`.
    pub day: String,
    /// What was used.
    #[serde(flatten)]
    pub usage: ProviderUsage,
}

/// The usage of some days.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct UsageDays {
    /// The first day that was asked for.
    pub first: String,
    /// The last one: today.
    pub last: String,
    /// By day, provider and model; days without usage are not there.
    pub days: Vec<UsageDay>,
    /// Whether the oldest days were left out, since a frame has no room for them.
    #[serde(default, skip_serializing_if = "super::request::is_false")]
    pub more: bool,
}

/// A kind of provider that can be set up.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct KindInfo {
    /// Its name in the settings.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The address of its own service; empty where there is no address.
    pub base_url: String,
    /// The model that is used unless told otherwise; empty where there are none.
    pub model: String,
    /// Whether it has models to choose from.
    pub has_model: bool,
    /// `needed`, `optional` or `unused`.
    pub key: String,
    /// The settings beside address, model and key that it knows.
    pub fields: Vec<String>,
    /// What the reader agrees to by using it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}

/// An engine that answers on this machine: the settings that it needs, under a
/// name that is free.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Found {
    /// The kind that speaks to it.
    pub kind: String,
    /// What people call it.
    pub title: String,
    /// The name that it would have in the settings; one that is there already
    /// is that of the same engine.
    pub name: String,
    /// Its address.
    pub base_url: String,
    /// The models that it has.
    pub models: Vec<String>,
    /// The one of them to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Calls that it answers at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// The tokens of context that a call has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
}
