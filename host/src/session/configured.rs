//! A provider that is set up: what the settings say of it, and what was found.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::Url;

use crate::http::{Deadlines, is_loopback};
use crate::pace::Limits;
use crate::provider::price::Price;
use crate::provider::{self, Ask, Capacity, Config, Provider, Style, Text, kinds};
use crate::queue::Line;
use crate::segment::{Engine, host_port};
use crate::settings::ProviderSettings;
use crate::verdict::{Failure, Feature};

use super::stream::Context;

/// A provider that is set up.
pub struct Configured {
    /// The reader's name for it.
    pub name: String,
    /// What it was made from.
    pub config: Config,
    /// Whose entries its translations are.
    pub engine: Engine,
    /// None: it cannot be used, and `ready` says why.
    pub provider: Option<Box<dyn Provider>>,
    /// Whether it can be used.
    pub ready: Result<(), Failure>,
    /// Why not, in words.
    pub trouble: Option<String>,
    /// What it takes.
    pub capacity: Capacity,
    /// What it costs, if that is known.
    pub price: Option<Price>,
    /// A whole call takes at most this long.
    pub deadline: Duration,
    /// Another value whenever anything of it changed.
    pub fingerprint: u64,
    /// The reader's ceilings.
    ceilings: ProviderSettings,
    local: bool,
    dropped: Mutex<BTreeSet<Feature>>,
    /// Whether a reply broke the schema that it was asked to keep.
    disordered: AtomicBool,
    refused_pairs: Mutex<BTreeSet<(Option<String>, String)>>,
}

impl Configured {
    /// Returns the features that it was found not to accept.
    #[must_use]
    pub fn dropped(&self) -> BTreeSet<Feature> {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves out what was found earlier; `anew`: that alone.
    pub fn recall_dropped(&self, earlier: &BTreeSet<Feature>, anew: bool) {
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        if anew {
            dropped.clear();
        }
        dropped.extend(earlier);
    }

    /// Leaves a feature out from now on.
    pub fn drop_feature(&self, feature: Feature) {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).insert(feature);
    }

    /// Whether its answers are asked for in parts.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.capacity.streams && !self.dropped().contains(&Feature::Stream)
    }

    /// Whether the ids of its replies are believed before a reply has ended.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        !self.disordered.load(Ordering::Relaxed)
    }

    /// Whether it was found not to know this pair of languages.
    #[must_use]
    pub fn refuses_pair(&self, source: Option<&str>, target: &str) -> bool {
        let pairs = self.refused_pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.contains(&(source.map(str::to_owned), target.to_owned()))
    }

    /// Asks for this pair of languages no more, until the settings are read anew.
    pub fn refuse_pair(&self, ask: &Ask) {
        let mut pairs = self.refused_pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.insert((ask.source.clone(), ask.target.clone()));
    }

    /// Waits for the end of each reply from now on.
    pub fn lose_order(&self) {
        self.disordered.store(true, Ordering::Relaxed);
    }

    /// Returns the deadlines of an answer in parts: a server on this machine may
    /// have to load its model first.
    #[must_use]
    pub fn deadlines(&self) -> Deadlines {
        Deadlines::in_parts(self.deadline, self.local)
    }

    /// Returns the source language that it is told: what was asked for, else,
    /// where one must be told, what the page says of itself.
    #[must_use]
    pub fn source<'a>(&self, context: &'a Context) -> Option<&'a str> {
        let told = context.source.as_deref();
        told.or_else(|| context.page_lang.as_deref().filter(|_| self.capacity.needs_source))
    }

    /// Returns the queue's view of it.
    #[must_use]
    pub fn line(&self) -> Line {
        let ceiling = self.ceilings.concurrency.map_or(usize::MAX, |most| most as usize);
        Line {
            fingerprint: self.fingerprint,
            limits: Limits {
                segments: self.capacity.segments,
                chars: self.capacity.chars,
                first_segments: self.capacity.first_segments,
                concurrency: self.capacity.concurrency.min(ceiling).max(1),
                requests_per_minute: self.ceilings.requests_per_minute,
                tokens_per_minute: self.ceilings.tokens_per_minute,
                requests_per_day: self.ceilings.requests_per_day,
            },
            local: self.local,
            proven: self.config.kind == "sample",
            ready: self.ready,
        }
    }
}

/// What a provider that cannot be made takes.
const UNUSABLE: Capacity = Capacity {
    segments: 1,
    chars: 1,
    first_segments: 1,
    concurrency: 1,
    independent: true,
    hints: false,
    believed: false,
    needs_source: false,
    streams: false,
};

/// Whether a request could be made at all: not without a key that is needed.
fn probe(provider: &dyn Provider) -> Result<(), Failure> {
    let ask = Ask {
        source: Some("en".to_owned()),
        target: "es".to_owned(),
        texts: vec![Text { text: "a".to_owned(), marked: false }],
        ..Ask::default()
    };
    match provider.offline(&ask).map_or_else(|| provider.build(&ask).map(drop), |_| Ok(())) {
        Err(failure @ (Failure::Unauthorized | Failure::Misconfigured)) => Err(failure),
        _ => Ok(()),
    }
}

fn engine_of(config: &Config, provider: Option<&dyn Provider>) -> Engine {
    let styled = provider.is_some_and(Provider::has_style);
    Engine {
        kind: config.kind.clone(),
        host_port: host_port(&config.base_url).unwrap_or_default(),
        model: config.model.clone(),
        prompt_revision: provider::prompt_revision(),
        style: if styled { config.style.name().to_owned() } else { String::new() },
    }
}

/// Returns the address that a provider is asked at.
#[must_use]
pub fn base_url_of(section: &ProviderSettings) -> String {
    let default = || kinds::find(&section.kind).map_or("", |kind| kind.base_url).to_owned();
    section.base_url.clone().unwrap_or_else(default)
}

fn trouble_of(config: &Config) -> String {
    match (config.key.is_none(), config.model.is_empty()) {
        (true, _) => format!("No key is stored for {}: enter it in the options.", config.name),
        (_, true) => format!("No model is set for {}: name one in the options.", config.name),
        _ => format!("The settings of {} are not complete.", config.name),
    }
}

fn fingerprint(config: &Config, section: &ProviderSettings) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&config.name, &config.kind, &config.model, &config.base_url, &config.style).hash(&mut hasher);
    config.key.as_ref().map(|key| &key.0).hash(&mut hasher);
    format!("{section:?}").hash(&mut hasher);
    hasher.finish()
}

/// Makes one provider; what was learned of an unchanged one stays.
///
/// `key` is the key, and why there is none.
#[must_use]
pub fn configure(
    name: &str,
    section: &ProviderSettings,
    style: &Style,
    key: (Option<provider::Key>, Option<String>),
    former: &[Arc<Configured>],
) -> Configured {
    let base_url = base_url_of(section);
    let (key, mut trouble) = key;
    let model = section
        .model
        .clone()
        .unwrap_or_else(|| kinds::find(&section.kind).map_or("", |kind| kind.model).to_owned());
    let config = Config {
        name: name.to_owned(),
        kind: section.kind.clone(),
        model,
        base_url,
        key,
        style: style.clone(),
        region: section.region.clone(),
        project: section.project.clone(),
        location: section.location.clone(),
        folder: section.folder.clone(),
        context_tokens: section.context_tokens,
    };
    let made = provider::make(&config);
    let terms = kinds::find(&config.kind).and_then(|kind| kind.terms);
    let ready = match &made {
        Err(failure) => Err(*failure),
        Ok(_) if terms.is_some() && !section.accept_terms => Err(Failure::Misconfigured),
        Ok(provider) => probe(provider.as_ref()),
    };
    if let Some(terms) = terms.filter(|_| !section.accept_terms) {
        trouble = Some(format!("{terms} Agree to this in the options to use it."));
    }
    if ready.is_err() && trouble.is_none() {
        trouble = Some(trouble_of(&config));
    }
    let fingerprint = fingerprint(&config, section);
    let same = former.iter().find(|old| old.fingerprint == fingerprint);
    let provider = made.ok();
    let local = Url::parse(&config.base_url).is_ok_and(|url| is_loopback(&url));
    Configured {
        name: name.to_owned(),
        engine: engine_of(&config, provider.as_deref()),
        capacity: provider.as_ref().map_or(UNUSABLE, |provider| provider.capacity()),
        price: Price::of(&config),
        deadline: section.timeout(local),
        local,
        dropped: Mutex::new(same.map(|old| old.dropped()).unwrap_or_default()),
        refused_pairs: Mutex::default(),
        disordered: AtomicBool::new(same.is_some_and(|old| !old.keeps_order())),
        ceilings: section.clone(),
        trouble: trouble.filter(|_| ready.is_err()),
        config,
        provider,
        ready,
        fingerprint,
    }
}
