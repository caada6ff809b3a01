//! What the reader's files say: settings, keys, dictionary; and the providers
//! that are made from them.
//!
//! A file is read again when it changes. A mistake in one never takes away
//! what was in force: the last good settings stay, and the problem is told.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::dictionary::Dictionary;
use crate::paths::{Paths, locked, write_private};
use crate::provider::{self, Ask, Text};
use crate::queue::Line;
use crate::remote;
use crate::secrets::{Lookup, Secrets};
use crate::settings::{self, CacheMode, Settings};
use crate::store::{Mode, Store};
use crate::verdict::Failure;

use super::configured::{Configured, base_url_of, configure};
use super::second;
use super::stream::Context;

/// All that the files say.
pub struct Setup {
    /// The settings in force.
    pub settings: Settings,
    /// What is wrong with the settings file.
    pub problem: Option<String>,
    /// What of it is ignored, a sentence each: it takes nothing out of force.
    pub warnings: Vec<String>,
    /// The reader's words.
    pub dictionary: Dictionary,
    /// What is wrong with them, a sentence each.
    pub dictionary_problems: Vec<String>,
    /// In the reader's order.
    pub providers: Vec<Arc<Configured>>,
    /// The shared cache, where one is set up.
    pub remote: Option<remote::Config>,
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
        if self.providers[provider].refuses_pair(source.as_deref(), &context.target) {
            return Err(Failure::UnsupportedPair);
        }
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
        let problem = unreadable.or_else(gone).or_else(mistake);
        let settings = match (checked.settings, before) {
            (Some(settings), _) if problem.is_none() => settings,
            (_, Some(before)) => before.settings.clone(),
            (Some(settings), None) => settings,
            (None, None) => Settings::default(),
        };
        let warnings = checked.warnings.iter().map(ToString::to_string).collect();
        let (dictionary, dictionary_problems) = self.dictionary();
        let former = before.map_or(&[][..], |before| &before.providers);
        let providers = settings
            .providers
            .iter()
            .filter_map(|name| Some((name, settings.provider.get(name)?)))
            .map(|(name, section)| {
                let key = self.key(name, &base_url_of(section));
                Arc::new(configure(name, section, &settings.style, key, former))
            })
            .collect();
        let remote = second::configured(&settings.cache, &self.secrets);
        Setup { settings, problem, warnings, dictionary, dictionary_problems, providers, remote }
    }

    /// Moves keys out of the settings file, where they do not belong.
    fn move_keys(&self, text: &str, checked: &settings::Checked) {
        let stray = &checked.stray_keys;
        if stray.is_empty() {
            return;
        }
        let Some(settings) = &checked.settings else { return };
        for found in stray {
            let section = settings.provider.get(&found.provider);
            let remote = settings.cache.remote.as_ref();
            let stored = match (section, remote) {
                (Some(section), _) => {
                    self.secrets.set(&found.provider, &found.key, &base_url_of(section))
                }
                (None, Some(address)) => self.secrets.set_remote(&found.key, address),
                (None, None) => return,
            };
            if let Err(error) = stored {
                tracing::warn!(%error, "a key stays in the settings file");
                return;
            }
        }
        let written = change(&self.paths.settings(), |now| {
            if now != text {
                return Err("it was changed meanwhile".to_owned());
            }
            settings::without_keys(text).map_err(|problem| problem.to_string())
        });
        if let Err(error) = written {
            tracing::warn!(error, "a key stays in the settings file");
        }
    }

    /// Reads the reader's words, and what is wrong with them, a sentence each.
    #[must_use]
    pub fn dictionary(&self) -> (Dictionary, Vec<String>) {
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
        let (days, limit) = (setup.settings.cache.max_days, setup.settings.cache.max_bytes());
        move || {
            let now = Timestamp::now();
            let mut store = Store::open(&path, mode, now).0;
            store.set_max_days(days, super::day_of(now));
            store.set_limit(limit);
            store
        }
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

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Changes a file of the reader's while no other process does, as a whole or not
/// at all. Returns whether there was anything to change.
///
/// # Errors
/// Why it stays as it was, in words.
pub fn change(
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, String>,
) -> Result<bool, String> {
    let unwritten = |error| format!("{} cannot be written: {error}", path.display());
    let changed = locked(path, || {
        let (before, unreadable) = read(path);
        unreadable.map_or(Ok(()), Err)?;
        let after = edit(&before)?;
        if after == before {
            return Ok(false);
        }
        write_private(path, after.as_bytes()).map(|()| true).map_err(unwritten)
    });
    changed.map_err(unwritten)?
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
