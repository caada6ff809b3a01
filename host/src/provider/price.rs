//! What providers cost: list prices, and what a call comes to.
//!
//! The prices are those of `prices.json` and of the engines' price lists. They
//! know no free tier, no discount and no tax: what is shown is an estimate, and
//! a cost that an answer states outranks it. Pure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Config;
use super::address::{is_host, is_loopback};
use super::kinds::{self, KeyUse};
use crate::language;
use crate::verdict::Usage;

/// What a provider takes for its work. A dollar for a million is a millionth of
/// a dollar for one, so the amounts are both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Price {
    /// Nothing: it runs on this machine, or it has no account.
    Free,
    /// By tokens.
    Tokens {
        /// Of the input that is billed in full.
        input: f64,
        /// Of the input that comes from the provider's cache.
        cached: f64,
        /// Of the output, thinking included.
        output: f64,
    },
    /// By characters of the source.
    Characters(f64),
}

/// How much a text is, before anybody has counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Tokens, by the rule of thumb.
    pub tokens: f64,
    /// Characters.
    pub characters: u64,
}

/// Characters that make a token: in alphabets, and in Han, kana and Hangul.
const CHARS_A_TOKEN: f64 = 3.6;
const DENSE_CHARS_A_TOKEN: f64 = 1.6;

impl Size {
    /// Estimates a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut characters, mut dense) = (0_u32, 0_u32);
        for c in text.chars() {
            characters += 1;
            dense += u32::from(!c.is_ascii() && language::is_unspaced(c));
        }
        let tokens =
            f64::from(dense) / DENSE_CHARS_A_TOKEN + f64::from(characters - dense) / CHARS_A_TOKEN;
        Self { tokens, characters: characters.into() }
    }
}

impl Price {
    /// Returns the price of a provider; none when it is not known.
    #[must_use]
    pub fn of(config: &Config) -> Option<Self> {
        if is_free(config) {
            return Some(Self::Free);
        }
        let by_characters = CHARACTERS.iter().find(|(kind, _)| *kind == config.kind);
        by_characters.map(|(_, price)| Self::Characters(*price)).or_else(|| of_model(config))
    }

    /// Returns the cost of a call, in millionths of a dollar. `characters` are
    /// those that were sent, for an answer that does not say what it billed.
    #[must_use]
    pub fn cost(self, usage: &Usage, characters: u64) -> u64 {
        rounded(match self {
            Self::Free => 0.0,
            Self::Tokens { input, cached, output } => {
                number(usage.input) * input
                    + number(usage.cached) * cached
                    + number(usage.output) * output
            }
            Self::Characters(price) => number(usage.characters.unwrap_or(characters)) * price,
        })
    }

    /// Returns what a translation that need not be asked for would have cost,
    /// in millionths of a dollar: the texts alone, without what surrounds them.
    #[must_use]
    pub fn worth(self, source: Size, translation: Size) -> f64 {
        match self {
            Self::Free => 0.0,
            Self::Tokens { input, output, .. } => {
                source.tokens * input + translation.tokens * output
            }
            Self::Characters(price) => number(source.characters) * price,
        }
    }

    /// Says the price as a reader would compare it.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Free => "free".to_owned(),
            Self::Tokens { input, output, .. } => {
                format!("{} in, {} out a million tokens", dollars(input), dollars(output))
            }
            Self::Characters(price) => format!("{} a million characters", dollars(price)),
        }
    }
}

/// Returns what a call cost, in millionths of a dollar; none when it is not known.
#[must_use]
pub fn cost(price: Option<Price>, usage: &Usage, characters: u64) -> Option<u64> {
    usage.cost_micros.or_else(|| price.map(|price| price.cost(usage, characters)))
}

/// Writes an amount of dollars, to the millionth where there are some: `$0.50`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    let exact = format!("{amount:.6}");
    let short = exact.trim_end_matches('0');
    let cents = exact.len() - 4;
    format!("${}", &exact[..short.len().max(cents)])
}

/// Rounds an amount in millionths of a dollar.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub fn rounded(micros: f64) -> u64 {
    micros.round() as u64
}

#[allow(clippy::cast_precision_loss, reason = "a count of a call is far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

/// List prices of the engines that count characters, in dollars for a million.
const CHARACTERS: &[(&str, f64)] = &[("deepl", 25.0), ("google-cloud", 20.0), ("azure", 10.0)];

/// Whose models a server of the OpenAI kind carries: its host, what it writes
/// before a model's name, and what `prices.json` writes there.
const HOSTS: &[(&str, &str, &str)] = &[
    ("api.openai.com", "", ""),
    ("api.anthropic.com", "", ""),
    ("generativelanguage.googleapis.com", "", "gemini/"),
    ("api.deepseek.com", "", "deepseek/"),
    ("api.groq.com", "", "groq/"),
    ("api.mistral.ai", "", "mistral/"),
    ("openrouter.ai", "google/", "gemini/"),
    ("openrouter.ai", "openai/", ""),
    ("openrouter.ai", "deepseek/", "deepseek/"),
];

fn is_free(config: &Config) -> bool {
    let Some(kind) = kinds::find(&config.kind) else { return false };
    let key = config.key.as_ref().map_or("", |key| key.0.trim());
    match kind.key {
        KeyUse::Unused => return true,
        KeyUse::Optional if key.is_empty() => return true,
        KeyUse::Optional | KeyUse::Needed => {}
    }
    let address = address(config);
    is_loopback(address)
        || kind.name == "deepl" && (key.ends_with(":fx") || is_host(address, "api-free.deepl.com"))
        || is_host(address, "openrouter.ai") && config.model.ends_with(":free")
}

fn address(config: &Config) -> &str {
    let own = config.base_url.trim();
    if own.is_empty() { kinds::find(&config.kind).map_or("", |kind| kind.base_url) } else { own }
}

fn of_model(config: &Config) -> Option<Price> {
    let model = config.model.trim().to_lowercase();
    let model = model.strip_prefix("models/").unwrap_or(&model);
    match config.kind.as_str() {
        "gemini" => named(&format!("gemini/{model}")),
        "anthropic" => named(model),
        "openai" => {
            let carried = |(host, theirs, ours): &(&str, &str, &str)| {
                let model = model.strip_prefix(theirs)?;
                is_host(address(config), host).then(|| format!("{ours}{model}"))
            };
            named(&HOSTS.iter().find_map(carried)?)
        }
        _ => None,
    }
}

/// One model of `prices.json`.
#[derive(Clone, Copy, Deserialize)]
struct Listed {
    #[serde(rename = "in")]
    input: f64,
    cached_in: f64,
    out: f64,
}

#[derive(Default, Deserialize)]
struct List {
    models: BTreeMap<String, Listed>,
}

/// The file is ours; `tests` hold that it can be read.
static LIST: LazyLock<List> =
    LazyLock::new(|| serde_json::from_str(include_str!("prices.json")).unwrap_or_default());

/// Returns the price of a model, or of the one that it is an edition of.
fn named(model: &str) -> Option<Price> {
    let family = || {
        let mut names = LIST.models.iter().rev();
        names.find(|(name, _)| model.strip_prefix(name.as_str()).is_some_and(is_edition))
    };
    let found = LIST.models.get_key_value(model).or_else(family);
    found.map(|(_, listed)| Price::Tokens {
        input: listed.input,
        cached: listed.cached_in,
        output: listed.out,
    })
}

/// Whether this is what follows a model's name in that of one of its editions,
/// such as `-2025-08-07`, `-001` or `-preview-09-2025`; a single digit would be
/// another version.
fn is_edition(rest: &str) -> bool {
    let mut parts = rest.split(['-', '@']);
    let is_word = |part: &str| matches!(part, "preview" | "latest" | "exp" | "experimental");
    let is_date = |part: &str| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next() == Some("") && parts.all(|part| is_word(part) || is_date(part))
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
