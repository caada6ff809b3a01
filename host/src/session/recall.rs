//! What the store remembers of providers, known before the first call: which
//! parts of a request they were found not to accept, and what today has cost.
//!
//! It is asked for when a conversation begins, when the settings change and
//! when a day does. Until it has answered no call is started; `welcome` does not
//! wait for it. It is no page's text, so private windows take part.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::segment::Engine;
use crate::store::{Capability, Store};
use crate::verdict::Feature;

use super::account::{Totals, totals};
use super::configured::Configured;
use super::core::{Core, Event};

/// What a server does not accept today it may in a week: then it is asked anew.
const DROPPED_DAYS: i64 = 7;

/// What [`Capability::value`] says of a feature that is left out.
const DROPPED: &str = "dropped";

/// How far the store has been asked.
#[derive(Debug, Default)]
pub struct Recall {
    asked: u64,
    heard: u64,
    day: i64,
}

impl Recall {
    /// Whether the store has answered the last question.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.asked > 0 && self.asked == self.heard
    }
}

/// What the store said.
pub struct Recalled {
    number: u64,
    /// Whether a day has begun, and what was learned before it counts no more.
    anew: bool,
    dropped: Vec<(String, BTreeSet<Feature>)>,
    totals: Totals,
}

impl Core {
    /// Asks the store, unless it was asked before.
    pub(super) fn recall_once(&mut self) {
        if self.recall.asked == 0 {
            self.recall(false);
        }
    }

    /// Asks again after the settings have changed, if anybody has asked.
    pub(super) fn recall_again(&mut self) {
        if self.recall.asked > 0 {
            self.recall(false);
        }
    }

    fn recall(&mut self, anew: bool) {
        self.recall.asked += 1;
        let number = self.recall.asked;
        let engines: BTreeSet<String> =
            self.setup.providers.iter().map(|configured| name_of(&configured.engine)).collect();
        let events = self.events.clone();
        self.storage.run(move |store| {
            let now = Timestamp::now();
            let known = |engine: String| {
                let dropped = dropped_of(store, &engine, now);
                (engine, dropped)
            };
            let dropped = engines.into_iter().map(known).collect();
            let totals = totals(store, super::day_of(now));
            // Fails only when the session has ended, and then nobody calls.
            let _ = events.send(Event::Recalled(Recalled { number, anew, dropped, totals }));
        });
    }

    /// Takes what the store said, unless it was asked again meanwhile.
    pub(super) fn recalled(&mut self, recalled: Recalled) {
        if recalled.number != self.recall.asked {
            return;
        }
        self.recall.heard = recalled.number;
        self.recall.day = recalled.totals.day;
        for configured in &self.setup.providers {
            let name = name_of(&configured.engine);
            let found = recalled.dropped.iter().find(|(engine, _)| *engine == name);
            if let Some((_, dropped)) = found {
                configured.recall_dropped(dropped, recalled.anew);
            }
        }
        self.account.take(recalled.totals);
    }

    /// Whether calls may be started: the store has said what it remembers, and
    /// who would go beyond the reader's limit is out.
    pub(super) fn may_start_calls(&mut self) -> bool {
        if self.recall.is_known() && self.recall.day != super::day_of(Timestamp::now()) {
            self.recall(true);
        }
        if self.recall.is_known() {
            self.keep_to_limit();
        }
        self.recall.is_known()
    }

    /// Leaves a feature out from now on, in later sessions and other browsers too.
    pub(super) fn drop_feature(&self, configured: &Configured, feature: Feature) {
        configured.drop_feature(feature);
        let Some((_, name)) = Feature::ALL.iter().find(|(known, _)| *known == feature) else {
            return;
        };
        let engine = name_of(&configured.engine);
        let found = Capability { feature: (*name).to_owned(), value: DROPPED.to_owned() };
        self.storage.run(move |store| {
            let until = Timestamp::now() + SignedDuration::from_hours(24 * DROPPED_DAYS);
            store.remember_capability(&engine, &found, until);
        });
    }
}

/// What a server and a model accept depends on neither the prompt nor the style.
fn name_of(engine: &Engine) -> String {
    Engine { prompt_revision: 0, style: String::new(), ..engine.clone() }.to_string()
}

fn dropped_of(store: &mut Store, engine: &str, now: Timestamp) -> BTreeSet<Feature> {
    let found = store.capabilities(engine, now);
    let is_dropped =
        |name: &str| found.iter().any(|known| known.feature == name && known.value == DROPPED);
    Feature::ALL.iter().filter(|(_, name)| is_dropped(name)).map(|(feature, _)| *feature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_accepted_belongs_to_a_server_and_its_model_alone() {
        let engine = Engine {
            kind: "openai".to_owned(),
            host_port: "api.example.org:443".to_owned(),
            model: "m".to_owned(),
            prompt_revision: 3,
            style: "formal".to_owned(),
        };
        let name = name_of(&engine);
        let same = Engine { prompt_revision: 4, style: "casual".to_owned(), ..engine.clone() };
        assert_eq!(name_of(&same), name);
        for other in [
            Engine { kind: "ollama".to_owned(), ..engine.clone() },
            Engine { host_port: "api.example.org:444".to_owned(), ..engine.clone() },
            Engine { model: "n".to_owned(), ..engine.clone() },
        ] {
            assert_ne!(name_of(&other), name, "{other}");
        }
    }
}
