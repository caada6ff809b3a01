//! What the reader's files say: settings, keys, dictionary; and the providers
//! that are made from them.
//!
//! A file is read again when it changes. A mistake in one never takes away
//! what was in force: the last good settings stay, and the problem is told.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use url::Url;

use crate::dictionary::Dictionary;
use crate::http::is_loopback;
use crate::pace::Limits;
use crate::paths::Paths;
use crate::provider::{self, Ask, Capacity, Config, Provider, Text};
use crate::queue::Line;
use crate::secrets::{Lookup, Secrets};
use crate::segment::{Engine, host_port};
use crate::settings::{self, CacheMode, ProviderSettings, Settings};
use crate::store::{Mode, Store};
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
    /// A whole call takes at most this long.
    pub deadline: Duration,
    /// Another value whenever anything of it changed.
    pub fingerprint: u64,
    /// The reader's ceilings.
    ceilings: ProviderSettings,
    local: bool,
    dropped: Mutex<BTreeSet<Feature>>,
}

impl Configured {
    /// Returns the features that it was found not to accept.
    #[must_use]
    pub fn dropped(&self) -> BTreeSet<Feature> {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves a feature out from now on.
    pub fn drop_feature(&self, feature: Feature) {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).insert(feature);
    }

    /// Returns the source language that it is told: what was asked for, else,
    /// where one must be told, what the page says of itself.
    #[must_use]
    pub fn source<'a>(&self, context: &'a Context) -> Option<&'a str> {
        let told = context.source.as_deref();
        told.or_else(|| context.page_lang.as_deref().filter(|_| self.capacity.needs_source))
    }

    fn line(&self) -> Line {
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

/// All that the files say.
pub struct Setup {
    /// The settings in force.
    pub settings: Settings,
    /// What is wrong with the settings file.
    pub problem: Option<String>,
    /// The reader's words.
    pub dictionary: Dictionary,
    /// What is wrong with them, a sentence each.
    pub dictionary_problems: Vec<String>,
    /// In the reader's order.
    pub providers: Vec<Arc<Configured>>,
}

impl Setup {
    /// Returns the queue's view of the providers.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.providers.iter().map(|configured| configured.line()).collect()
    }

    /// Returns whom texts of this context may be asked of, and why nobody.
    #[must_use]
    pub fn chain_for(&self, context: &Context) -> (Vec<usize>, Option<Failure>) {
        let all = self.all_for(context);
        if all.is_empty() {
            return (all, Some(Failure::NotConfigured));
        }
        let knows =
            |p: &usize| !matches!(self.try_pair(*p, context), Err(Failure::UnsupportedPair));
        let chain: Vec<usize> = all.into_iter().filter(knows).collect();
        let refusal = chain.is_empty().then_some(Failure::UnsupportedPair);
        (chain, refusal)
    }

    /// Returns where a provider of the former list is now: by its name; one that
    /// was only renamed stays in its place.
    #[must_use]
    pub fn place_after(&self, before: &Self, place: usize) -> Option<usize> {
        let name = |setup: &Self, place: usize| Some(setup.providers.get(place)?.name.clone());
        let place_in =
            |setup: &Self, name: &str| setup.providers.iter().position(|p| p.name == name);
        place_in(self, &name(before, place)?).or_else(|| {
            let newcomer = name(self, place)?;
            place_in(before, &newcomer).is_none().then_some(place)
        })
    }

    /// Returns all providers that the context allows.
    #[must_use]
    pub fn all_for(&self, context: &Context) -> Vec<usize> {
        let wanted = |p: &usize| {
            context.provider.as_ref().is_none_or(|name| self.providers[*p].name == *name)
        };
        (0..self.providers.len()).filter(wanted).collect()
    }

    fn try_pair(&self, provider: usize, context: &Context) -> Result<(), Failure> {
        let source = self.providers[provider].source(context).map(str::to_owned);
        let Some(provider) = &self.providers[provider].provider else { return Ok(()) };
        let ask = Ask {
            source,
            target: context.target.clone(),
            texts: vec![Text { text: "a".to_owned(), marked: false }],
            ..Ask::default()
        };
        if provider.offline(&ask).is_some() { Ok(()) } else { provider.build(&ask).map(drop) }
    }

    /// Whether each of these translates every text by itself.
    #[must_use]
    pub fn all_independent(&self, chain: &[usize]) -> bool {
        chain.iter().all(|p| self.providers[*p].capacity.independent)
    }
}

/// The files and when they changed.
pub struct Files {
    paths: Paths,
    secrets: Secrets,
    seen: Vec<Option<(SystemTime, u64)>>,
}

impl Files {
    /// Watches the files of these folders.
    #[must_use]
    pub fn new(paths: Paths) -> Self {
        let secrets = Secrets::new(paths.secrets());
        Self { paths, secrets, seen: Vec::new() }
    }

    /// Returns where things are.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Returns the store of keys.
    #[must_use]
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Takes note of the files' times; true when one has changed since.
    pub fn have_changed(&mut self) -> bool {
        let paths = [
            self.paths.settings(),
            self.paths.secrets(),
            self.paths.dictionary(),
            self.paths.dictionary_csv(),
        ];
        let now: Vec<_> = paths.iter().map(|path| stamp(path)).collect();
        let changed = !self.seen.is_empty() && self.seen != now;
        self.seen = now;
        changed
    }

    /// Reads all files. `before` stays in force where they are not right.
    #[must_use]
    pub fn load(&self, before: Option<&Setup>) -> Setup {
        let (text, unreadable) = read(&self.paths.settings());
        let checked = settings::check(&text);
        self.move_keys(&text, &checked);
        let gone = || {
            let was_set = before.is_some_and(|before| !before.settings.providers.is_empty());
            (was_set && text.trim().is_empty()).then(|| {
                let path = self.paths.settings();
                format!("{} is empty or gone; what it said before stays in force", path.display())
            })
        };
        let mistake = || checked.problems.first().map(ToString::to_string);
        let mut problem = unreadable.or_else(gone).or_else(mistake);
        let settings = match (checked.settings, before) {
            (Some(settings), _) if problem.is_none() => settings,
            (_, Some(before)) => before.settings.clone(),
            (Some(settings), None) => settings,
            (None, None) => Settings::default(),
        };
        if problem.is_none() {
            problem = checked.warnings.first().map(ToString::to_string);
        }
        let (dictionary, dictionary_problems) = self.load_dictionary();
        let providers = settings
            .providers
            .iter()
            .filter_map(|name| Some((name, settings.provider.get(name)?)))
            .map(|(name, section)| Arc::new(self.configure(name, section, before)))
            .collect();
        Setup { settings, problem, dictionary, dictionary_problems, providers }
    }

    /// Moves keys out of the settings file, where they do not belong.
    fn move_keys(&self, text: &str, checked: &settings::Checked) {
        let stray = &checked.stray_keys;
        if stray.is_empty() {
            return;
        }
        for found in stray {
            let Some(section) =
                checked.settings.as_ref().and_then(|s| s.provider.get(&found.provider))
            else {
                return;
            };
            let base_url = base_url_of(section);
            if let Err(error) = self.secrets.set(&found.provider, &found.key, &base_url) {
                tracing::warn!(%error, "a key stays in the settings file");
                return;
            }
        }
        let without = settings::without_keys(text).map_err(|problem| problem.to_string());
        let written = without.and_then(|text| {
            crate::paths::write_private(&self.paths.settings(), text.as_bytes())
                .map_err(|error| error.to_string())
        });
        if let Err(error) = written {
            tracing::warn!(error, "a key stays in the settings file");
        }
    }

    fn load_dictionary(&self) -> (Dictionary, Vec<String>) {
        let (toml, unreadable) = read(&self.paths.dictionary());
        let (dictionary, problems) = Dictionary::parse_toml(&toml);
        let (csv, csv_unreadable) = read(&self.paths.dictionary_csv());
        let (more, csv_problems) = Dictionary::parse_csv(&csv);
        let named = |file: &'static str| move |p| format!("{file}, {p}");
        let all = unreadable
            .into_iter()
            .chain(csv_unreadable)
            .chain(problems.into_iter().map(named("dictionary.toml")))
            .chain(csv_problems.into_iter().map(named("dictionary.csv")))
            .collect();
        (dictionary.join(more), all)
    }

    /// Makes one provider; what was learned of an unchanged one stays.
    fn configure(
        &self,
        name: &str,
        section: &ProviderSettings,
        before: Option<&Setup>,
    ) -> Configured {
        let base_url = base_url_of(section);
        let model = section.model.clone().unwrap_or_else(|| {
            provider::default_model(&section.kind).unwrap_or_default().to_owned()
        });
        let (key, mut trouble) = self.key(name, &base_url);
        let config =
            Config { name: name.to_owned(), kind: section.kind.clone(), model, base_url, key };
        let made = provider::make(&config);
        let ready = match &made {
            Err(failure) => Err(*failure),
            Ok(provider) => probe(provider.as_ref()),
        };
        if ready.is_err() && trouble.is_none() {
            trouble = Some(trouble_of(&config));
        }
        let fingerprint = fingerprint(&config, section);
        let same =
            before.and_then(|b| b.providers.iter().find(|old| old.fingerprint == fingerprint));
        let provider = made.ok();
        Configured {
            name: name.to_owned(),
            engine: engine_of(&config),
            capacity: provider.as_ref().map_or(UNUSABLE, |provider| provider.capacity()),
            deadline: section.timeout(),
            local: Url::parse(&config.base_url).is_ok_and(|url| is_loopback(&url)),
            dropped: Mutex::new(same.map(|old| old.dropped()).unwrap_or_default()),
            ceilings: section.clone(),
            trouble: trouble.filter(|_| ready.is_err()),
            config,
            provider,
            ready,
            fingerprint,
        }
    }

    fn key(&self, name: &str, base_url: &str) -> (Option<provider::Key>, Option<String>) {
        match self.secrets.lookup(name, base_url) {
            Ok(lookup @ Lookup::Found { .. }) => (lookup.key().cloned(), None),
            Ok(Lookup::Missing) => (None, None),
            Ok(other) => (None, Some(other.to_string())),
            Err(error) => (None, Some(error.to_string())),
        }
    }

    /// Returns what opens the store: called on the store's own thread.
    pub fn opener(&self, setup: &Setup) -> impl FnOnce() -> Store + Send + 'static + use<> {
        let path = self.paths.cache();
        let mode = mode_of(setup.settings.cache.mode);
        move || Store::open(&path, mode, Timestamp::now()).0
    }
}

/// The reader's word for the cache, as the store has it.
#[must_use]
pub fn mode_of(mode: CacheMode) -> Mode {
    match mode {
        CacheMode::On => Mode::On,
        CacheMode::Read => Mode::Read,
        CacheMode::Off => Mode::Off,
    }
}

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
};

fn engine_of(config: &Config) -> Engine {
    Engine {
        kind: config.kind.clone(),
        host_port: host_port(&config.base_url).unwrap_or_default(),
        model: config.model.clone(),
        prompt_revision: provider::prompt_revision(),
        style: String::new(),
    }
}

/// Returns the address that a provider is asked at.
#[must_use]
pub fn base_url_of(section: &ProviderSettings) -> String {
    let default = || provider::default_base_url(&section.kind).unwrap_or_default().to_owned();
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
    (&config.name, &config.kind, &config.model, &config.base_url).hash(&mut hasher);
    config.key.as_ref().map(|key| &key.0).hash(&mut hasher);
    format!("{section:?}").hash(&mut hasher);
    hasher.finish()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Reads a file; one that is not there is empty, one that cannot be read is a
/// problem in words.
#[must_use]
pub fn read(path: &Path) -> (String, Option<String>) {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(_) => (String::new(), Some(format!("{} is not UTF-8 text", path.display()))),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (String::new(), None),
        Err(error) => (String::new(), Some(format!("{} cannot be read: {error}", path.display()))),
    }
}
