//! The reader's files over the wire: settings, keys, dictionary; and what a
//! change of them does to a session that runs.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::dictionary::{Dictionary, Side};
use crate::protocol::{Code, Id, KindInfo, Reply};
use crate::provider::{Key, kinds};
use crate::secrets::last_four;
use crate::segment::normal_form;
use crate::settings;

use super::configured::base_url_of;
use super::core::Core;
use super::correct;
use super::setup::{self, mode_of};

impl Core {
    /// Reads the reader's files again if one has changed.
    pub(super) fn reload_if_changed(&mut self) {
        if self.files.have_changed() {
            self.reload();
        }
    }

    pub(super) fn reload(&mut self) {
        let setup = Arc::new(self.files.load(Some(&self.setup)));
        let before = std::mem::replace(&mut self.setup, setup);
        let prints = |setup: &setup::Setup| -> Vec<u64> {
            setup.providers.iter().map(|p| p.fingerprint).collect()
        };
        if prints(&before) != prints(&self.setup) {
            let now = self.now();
            let moved = |place| self.setup.place_after(&before, place);
            self.queue.replace_lines(now, self.setup.lines(), moved);
            self.forget_details();
            self.choose_anew();
            self.await_nothing();
        }
        let limit = |setup: &setup::Setup| setup.settings.budget_micros;
        if prints(&before) != prints(&self.setup) || limit(&before) != limit(&self.setup) {
            self.recall_again();
        }
        self.follow_second();
        let cache = &self.setup.settings.cache;
        if before.settings.cache != *cache {
            let (mode, limit) = (mode_of(cache.mode), cache.max_bytes());
            let days = cache.max_days;
            self.storage.run(move |store| {
                store.set_mode(mode);
                store.set_max_days(days, super::day_of(Timestamp::now()));
                store.set_limit(limit);
            });
        }
    }

    /// Works out again whom the texts under way may be asked of.
    pub(super) fn choose_anew(&mut self) {
        for stream in self.streams.values_mut() {
            let mut context = (*stream.context).clone();
            (context.chain, context.refusal) = self.setup.chain_for(&context);
            stream.context = Arc::new(context);
        }
        self.jobs.choose_anew(|context| self.setup.chain_for(context));
    }

    pub(super) fn tell_settings(&self, id: Id) {
        let mut settings = self.setup.settings.to_json();
        for (name, section) in &self.setup.settings.provider {
            let key = self.files.secrets().lookup(name, &base_url_of(section)).ok();
            let key = key.as_ref().and_then(crate::secrets::Lookup::key);
            settings["provider"][name]["has_key"] = json!(key.is_some());
            if let Some(key) = key {
                settings["provider"][name]["key_tail"] = json!(last_four(key));
            }
        }
        self.send(&Reply::Settings {
            id,
            settings,
            path: self.files.paths().settings().display().to_string(),
            problem: self.setup.problem.clone(),
            warnings: self.setup.warnings.clone(),
            kinds: kinds::KINDS.iter().map(kind_info).collect(),
        });
    }

    pub(super) fn set_settings(&mut self, id: Id, change: Map<String, Value>) {
        let mut change = Value::Object(change);
        let keys = take_keys(&mut change);
        let result = self.edit_settings(&change).and_then(|_| {
            self.reload();
            keys.into_iter().try_for_each(|(name, key)| self.set_key(&name, key))
        });
        self.files.have_changed();
        self.reload();
        match result {
            Ok(()) => self.tell_settings(id),
            Err(message) => self.error(Some(id), Code::BadMessage, message, None),
        }
    }

    /// Changes the file; where that is gone, what is in force, so that the change
    /// takes nothing else away.
    fn edit_settings(&self, change: &Value) -> Result<bool, String> {
        let words = |problem: settings::Problem| problem.to_string();
        setup::change(&self.files.paths().settings(), |text| {
            let is_gone = text.trim().is_empty() && !self.setup.settings.providers.is_empty();
            let text = if is_gone {
                settings::edit("", &self.setup.settings.to_json()).map_err(words)?
            } else {
                text.to_owned()
            };
            settings::edit(&text, change).map_err(words)
        })
    }

    pub(super) fn set_key(&self, name: &str, key: Option<String>) -> Result<(), String> {
        let secrets = self.files.secrets();
        let Some(section) = self.setup.settings.provider.get(name) else {
            return secrets.remove(name).map_err(|error| error.to_string());
        };
        match key {
            Some(key) => secrets.set(name, &Key(key), &base_url_of(section)),
            None => secrets.remove(name),
        }
        .map_err(|error| error.to_string())
    }

    pub(super) fn tell_dictionary(&self, id: Id) {
        let toml = setup::read(&self.files.paths().dictionary()).0;
        let entries = correct::count(self.setup.dictionary.count());
        let problems = self.setup.dictionary_problems.clone();
        self.send(&Reply::Dictionary { id, toml, entries, problems });
    }

    pub(super) fn set_dictionary(&mut self, id: Id, toml: &str) {
        if let Err((code, message)) = correct::replace(&self.files.paths().dictionary(), toml) {
            return self.error(Some(id), code, message, None);
        }
        self.files.have_changed();
        self.reload();
        self.tell_dictionary(id);
    }
}

fn kind_info(kind: &kinds::Kind) -> KindInfo {
    KindInfo {
        name: kind.name.to_owned(),
        title: kind.title.to_owned(),
        base_url: kind.base_url.to_owned(),
        model: kind.model.to_owned(),
        has_model: kind.has_model,
        key: match kind.key {
            kinds::KeyUse::Needed => "needed",
            kinds::KeyUse::Optional => "optional",
            kinds::KeyUse::Unused => "unused",
        }
        .to_owned(),
        fields: kind.fields.iter().map(|field| (*field).to_owned()).collect(),
        terms: kind.terms.map(str::to_owned),
    }
}

/// Takes `provider.<name>.key` out of a change; `null` removes a key, and so
/// does removing the provider.
fn take_keys(change: &mut Value) -> Vec<(String, Option<String>)> {
    let Some(providers) = change.get_mut("provider").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    for (name, section) in providers {
        match section {
            Value::Null => keys.push((name.clone(), None)),
            Value::Object(fields) => {
                if let Some(key) = fields.remove("key") {
                    let key = key.as_str().map(|key| key.trim().to_owned());
                    keys.push((name.clone(), key.filter(|key| !key.is_empty())));
                }
            }
            _ => {}
        }
    }
    keys
}

pub(super) fn tested(
    id: Id,
    dictionary: &Dictionary,
    (source, translation): (&str, &str),
    pair: (&str, &str),
    site: Option<&str>,
) -> Reply {
    let (mut fired, mut skipped) = dictionary.explained(Side::Source, source, pair, site);
    let (more_fired, more_skipped) =
        dictionary.explained(Side::Translation, translation, pair, site);
    fired.extend(more_fired);
    skipped.extend(more_skipped);
    let text = match dictionary.correction(&normal_form(source), false, pair, site) {
        Some(correction) => {
            fired = vec![format!("the whole text is corrected to \"{correction}\"")];
            skipped.clear();
            correction.to_owned()
        }
        None => dictionary.replace(translation, pair, site),
    };
    Reply::DictionaryTested { id, text, fired, skipped }
}
