//! `status`: what each provider is up to, and what today has used and cost.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::protocol::{CacheState, Id, ProviderStatus, ProviderUsage, Reply, UsageToday};
use crate::queue::LineState;
use crate::settings::dollars;
use crate::store::UsageRow;

use super::core::{Core, Event};
use super::requests::cache_state;
use super::words;

/// What the store adds to a `status`.
pub struct Counted {
    id: Id,
    cache: CacheState,
    rows: Vec<UsageRow>,
}

impl Core {
    /// Asks the store, which has said before what it remembers of providers.
    pub(super) fn status(&mut self, id: Id) {
        self.recall_once();
        let events = self.events.clone();
        self.storage.run(move |store| {
            let today = super::day_of(Timestamp::now());
            let mut rows = store.usage_since(today);
            // A clock that was ahead has left rows of days that are still to come.
            rows.retain(|row| row.day == today);
            let cache = cache_state(store);
            let _ = events.send(Event::Counted(Counted { id, cache, rows }));
        });
    }

    /// Answers with what the store said.
    pub(super) fn tell_status(&mut self, counted: Counted) {
        if self.recall.is_known() {
            self.keep_to_limit();
        }
        let providers = (0..self.setup.providers.len()).map(|p| self.provider_status(p)).collect();
        let by_provider = by_provider(&counted.rows);
        let mut today = UsageRow::default();
        counted.rows.iter().for_each(|row| today.add(row));
        self.send(&Reply::Status {
            id: counted.id,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cache: CacheState { remote: self.second_state(), ..counted.cache },
            providers,
            usage: UsageToday {
                calls: today.calls,
                input: today.input_tokens,
                output: today.output_tokens,
                from_cache: today.cache_hits,
                characters: today.characters,
                cost: dollars(today.cost_micros.unwrap_or(0)),
                saved: dollars(today.saved_micros.unwrap_or(0)),
            },
            by_provider,
        });
    }

    fn provider_status(&self, place: usize) -> ProviderStatus {
        let configured = &self.setup.providers[place];
        let now = self.now();
        let (state, until, failure) = match (configured.ready, self.queue.state(place, now)) {
            (Err(failure), _) => ("misconfigured", None, Some(failure)),
            (_, LineState::Ready) => ("ready", None, None),
            (_, LineState::WaitingUntil { until, failure }) => {
                ("waiting", Some(until), Some(failure))
            }
            (_, LineState::OutUntil { until: None, failure }) => {
                ("misconfigured", None, Some(failure))
            }
            (_, LineState::OutUntil { until, failure }) => ("out", until, Some(failure)),
        };
        let back_in = until.map(|until| until.saturating_sub(now));
        let sentence =
            |failure| words::sentence(failure, Some(&configured.name), self.detail(place), back_in);
        // What is wrong with the settings says it all by itself.
        let own = || configured.trouble.clone().or_else(|| self.limit_words(place));
        ProviderStatus {
            name: configured.name.clone(),
            kind: configured.config.kind.clone(),
            state: state.to_owned(),
            until: until.map(|until| Self::epoch_ms(now, until)),
            code: failure.map(words::code_of),
            message: own().or_else(|| failure.map(sentence)),
        }
    }
}

/// What was written to memory for want of a file stands in rows of its own.
fn by_provider(rows: &[UsageRow]) -> Vec<ProviderUsage> {
    let mut sums: BTreeMap<(&str, &str), UsageRow> = BTreeMap::new();
    for row in rows {
        sums.entry((&row.provider, &row.model)).or_default().add(row);
    }
    let told = |((provider, model), row): ((&str, &str), UsageRow)| ProviderUsage {
        provider: provider.to_owned(),
        model: model.to_owned(),
        calls: row.calls,
        failures: row.failures,
        input: row.input_tokens,
        output: row.output_tokens,
        characters: row.characters,
        cost: row.cost_micros.map(dollars),
        saved: row.saved_micros.map(dollars),
        from_cache: row.cache_hits,
    };
    sums.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_provider_and_model_are_told_as_one() {
        let row = |provider: &str, model: &str, calls, cost_micros| UsageRow {
            provider: provider.to_owned(),
            model: model.to_owned(),
            calls,
            cost_micros,
            ..UsageRow::default()
        };
        let rows = [
            row("b", "", 1, None),
            row("a", "m", 2, Some(500_000)),
            row("a", "m", 3, Some(1_000_000)),
            row("a", "n", 4, None),
        ];
        let told: Vec<_> = by_provider(&rows)
            .into_iter()
            .map(|usage| (usage.provider + "/" + &usage.model, usage.calls, usage.cost))
            .collect();
        let expected = [
            ("a/m".to_owned(), 5, Some(1.5)),
            ("a/n".to_owned(), 4, None),
            ("b/".to_owned(), 1, None),
        ];
        assert_eq!(told, expected);
    }
}
