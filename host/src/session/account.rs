//! What calls cost and what the cache saves; and the reader's own limit of a day.
//!
//! The store sums up what all browsers of the machine have spent. A call that
//! has ended counts here at once, and again when the store has it: nobody waits
//! for the store between two calls. The limit is looked at before a call is
//! started; what is under way then may go beyond it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;

use crate::provider::price::{self, Price, Size};
use crate::queue::LineState;
use crate::settings::dollars;
use crate::store::{Store, UsageRow};
use crate::verdict::{Class, Failure, ItemVerdict, Reading, Usage, Verdict};

use super::calls::Flight;
use super::configured::Configured;
use super::core::{Core, Event};
use super::verdicts::fault_of;
use super::words;

/// What the store says of a day.
#[derive(Debug)]
pub struct Totals {
    /// Days since 1970.
    pub day: i64,
    spent: u64,
    paid: HashSet<(String, String)>,
}

/// A call's cost that the store has taken in, and what it makes of the day.
#[derive(Debug)]
pub struct Spent {
    confirmed: u64,
    totals: Totals,
}

/// What today has cost so far, and who is out over it.
#[derive(Debug, Default)]
pub struct Account {
    /// As the store last said, all browsers together, in millionths of a dollar.
    spent: u64,
    /// Of our own calls, not in `spent` yet.
    unconfirmed: u64,
    /// Providers and models whose calls cost something today, whatever is known
    /// of their price.
    paid: HashSet<(String, String)>,
    /// Until when a provider is out over the limit, by its fingerprint.
    held: HashMap<u64, Duration>,
}

impl Account {
    pub(super) fn take(&mut self, totals: Totals) {
        self.spent = totals.spent;
        self.paid = totals.paid;
    }

    fn confirm(&mut self, spent: Spent) {
        self.unconfirmed = self.unconfirmed.saturating_sub(spent.confirmed);
        self.take(spent.totals);
    }

    fn reaches(&self, limit: u64) -> bool {
        self.spent.saturating_add(self.unconfirmed) >= limit
    }

    /// Whether calls to a provider cost money, as far as anybody knows.
    fn is_paid(&self, configured: &Configured) -> bool {
        let who = (configured.name.clone(), configured.config.model.clone());
        configured.price.is_some_and(|price| price != Price::Free) || self.paid.contains(&who)
    }
}

/// Sums up a day.
pub(super) fn totals(store: &mut Store, day: i64) -> Totals {
    let mut totals = Totals { day, spent: 0, paid: HashSet::new() };
    for row in store.usage_since(day) {
        let cost = row.cost_micros.filter(|cost| *cost > 0 && row.day == day);
        let Some(cost) = cost else { continue };
        totals.spent = totals.spent.saturating_add(cost);
        totals.paid.insert((row.provider, row.model));
    }
    totals
}

impl Core {
    /// Tells the streams of a call what it used, and returns its row: what it
    /// brought is known once it is judged.
    pub(super) fn note_usage(&mut self, flight: &Flight, reading: &Reading) -> UsageRow {
        let texts: Vec<&str> = flight.ask.texts.iter().map(|text| text.text.as_str()).collect();
        let row = row_of(&flight.configured, &texts, reading);
        let waiting = flight.jobs.iter().flat_map(|id| self.owners(*id));
        let mut streams: Vec<_> = waiting.chain(flight.early.owners()).collect();
        streams.sort_unstable();
        streams.dedup();
        for id in streams {
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.called(reading.usage, row.cost_micros);
            }
        }
        row
    }

    /// Counts a call with what it brought, whatever that is.
    pub(super) fn add_judged(&mut self, mut row: UsageRow, verdict: &Verdict) {
        let done = verdict.items.iter().filter(|item| **item == ItemVerdict::Done);
        row.texts = Some(done.count() as u64);
        count_fault(&mut row, verdict.class, verdict.failure);
        self.add_usage(row);
    }

    /// Hands what was used to the store.
    pub(super) fn add_usage(&mut self, row: UsageRow) {
        let events = self.events.clone();
        let limited = self.setup.settings.budget_micros.is_some();
        let cost = row.cost_micros.filter(|cost| *cost > 0 && limited);
        if let Some(cost) = cost {
            self.account.unconfirmed += cost;
            self.account.paid.insert((row.provider.clone(), row.model.clone()));
        }
        self.storage.run(move |store| {
            store.add_usage(&[row]);
            if let Some(confirmed) = cost {
                let totals = totals(store, super::day_of(Timestamp::now()));
                // Fails only when the session has ended, and then nobody spends.
                let _ = events.send(Event::Spent(Spent { confirmed, totals }));
            }
        });
    }

    /// Asks what today has cost by now, where there is a limit: another browser
    /// may have spent. The answer comes before that to any look-up after this.
    pub(super) fn recount(&self) {
        if self.setup.settings.budget_micros.is_none() {
            return;
        }
        let events = self.events.clone();
        self.storage.run(move |store| {
            let totals = totals(store, super::day_of(Timestamp::now()));
            let _ = events.send(Event::Spent(Spent { confirmed: 0, totals }));
        });
    }

    /// Takes the store's word on what today has cost. The day may be another one:
    /// after a night's sleep, or when the clock was set, a time that was waited for
    /// is still far away by the queue's own clock.
    pub(super) fn spent(&mut self, spent: Spent) {
        self.account.confirm(spent);
        self.keep_to_limit();
    }

    /// Puts those who cost money out until midnight when the reader's limit is
    /// reached, and lets them in again when it is not.
    pub(super) fn keep_to_limit(&mut self) {
        let limit = self.setup.settings.budget_micros;
        if limit.is_none() && self.account.held.is_empty() {
            return;
        }
        let now = self.now();
        let reached = limit.is_some_and(|limit| self.account.reaches(limit));
        for place in 0..self.setup.providers.len() {
            let configured = self.setup.providers[place].clone();
            let print = configured.fingerprint;
            let stops = reached && self.account.is_paid(&configured);
            match (stops, self.held_until(place)) {
                (true, None) if self.is_ready(place, now) => {
                    let until = now + until_midnight(Timestamp::now());
                    self.queue.impose_out(now, place, Some(until), Failure::QuotaExhausted);
                    self.account.held.insert(print, until);
                }
                (false, Some(until)) => {
                    self.queue.lift_out(place, until);
                    self.account.held.remove(&print);
                }
                _ => {}
            }
        }
    }

    /// Returns when a provider comes back that is out over the reader's limit;
    /// none when it is not, or out over something else.
    fn held_until(&self, place: usize) -> Option<Duration> {
        let configured = self.setup.providers.get(place)?;
        let until = *self.account.held.get(&configured.fingerprint)?;
        let state = self.queue.state(place, self.now());
        matches!(state, LineState::OutUntil { until: Some(end), .. } if end == until)
            .then_some(until)
    }

    /// Whether a text fails over the reader's own limit.
    pub(super) fn is_own_limit(&self, failure: Failure, provider: Option<usize>) -> bool {
        failure == Failure::QuotaExhausted
            && provider.is_some_and(|place| self.held_until(place).is_some())
    }

    /// Says that a provider is out over the reader's own limit, if it is.
    pub(super) fn limit_words(&self, place: usize) -> Option<String> {
        let limit = self.setup.settings.budget_micros?;
        let back_in = self.held_until(place)?.saturating_sub(self.now());
        Some(words::own_limit(dollars(limit), back_in))
    }
}

/// Returns what a call with these texts used, as a row of today.
pub(super) fn row_of(configured: &Configured, texts: &[&str], reading: &Reading) -> UsageRow {
    let characters: u64 = texts.iter().map(|text| text.chars().count() as u64).sum();
    let usage = billed(texts, reading);
    // Nothing is billed for what was not translated.
    let paid =
        matches!(reading.class, Class::Ok | Class::Partial | Class::Malformed | Class::Truncated);
    UsageRow {
        day: super::day_of(Timestamp::now()),
        provider: configured.name.clone(),
        model: configured.config.model.clone(),
        calls: 1,
        failures: u64::from(reading.items.is_empty()),
        input_tokens: reading.usage.input + reading.usage.cached,
        output_tokens: reading.usage.output,
        characters,
        texts: Some(0),
        cost_micros: price::cost(configured.price, &usage, if paid { characters } else { 0 }),
        ..UsageRow::default()
    }
}

/// Counts what was wrong with the call of a row, if anything was.
pub(super) fn count_fault(row: &mut UsageRow, class: Class, failure: Failure) {
    if let Some(fault) = fault_of(class, failure) {
        *row.by_class.entry(fault.to_owned()).or_default() += 1;
    }
}

/// Returns what was used; estimated where a server that translated does not say.
fn billed(texts: &[&str], reading: &Reading) -> Usage {
    let Usage { input, output, cached, .. } = reading.usage;
    if input + output + cached > 0 || reading.items.is_empty() {
        return reading.usage;
    }
    let tokens = |texts: &mut dyn Iterator<Item = &str>| {
        price::rounded(texts.map(|text| Size::of(text).tokens).sum())
    };
    Usage {
        input: tokens(&mut texts.iter().copied()),
        output: tokens(&mut reading.items.values().map(String::as_str)),
        ..reading.usage
    }
}

fn until_midnight(now: Timestamp) -> Duration {
    const DAY: i64 = 24 * 60 * 60;
    let left = DAY - now.as_second().rem_euclid(DAY);
    Duration::from_secs(left.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Key, Style};
    use crate::session::configured::configure;
    use crate::settings::ProviderSettings;
    use crate::store::Mode;

    fn configured(kind: &str) -> Configured {
        let section = ProviderSettings { kind: kind.to_owned(), ..ProviderSettings::default() };
        configure("p", &section, &Style::Neutral, (Some(Key("k".to_owned())), None), &[])
    }

    fn reading(class: Class, items: &[&str], usage: Usage) -> Reading {
        let items = items.iter().map(|text| (*text).to_owned()).enumerate().collect();
        Reading { items, usage, ..Reading::of(class) }
    }

    #[test]
    fn a_call_is_counted_with_what_it_cost() {
        let usage = Usage { input: 100, cached: 50, output: 10, ..Usage::default() };
        let read = reading(Class::Ok, &["하나"], usage);
        let row = row_of(&configured("gemini"), &["one"], &read);
        assert_eq!((row.calls, row.failures, row.characters), (1, 0, 3));
        assert_eq!((row.input_tokens, row.output_tokens), (150, 10));
        // 100 at 0.3, 50 at 0.03, 10 at 2.5: 56.5, rounded.
        assert_eq!(row.cost_micros, Some(57));
        let row = row_of(&configured("gemini"), &["one"], &Reading::of(Class::RateLimited));
        assert_eq!((row.failures, row.cost_micros), (1, Some(0)));
        assert_eq!(row_of(&configured("papago"), &["one"], &read).cost_micros, None);
    }

    #[test]
    fn tokens_that_a_server_does_not_tell_are_estimated() {
        let read = reading(Class::Ok, &["좋은아침이네요요"], Usage::default());
        let row = row_of(&configured("gemini"), &["Good morning, all!"], &read);
        // Five tokens at 0.3 and five at 2.5.
        assert_eq!((row.input_tokens, row.cost_micros), (0, Some(14)));
    }

    #[test]
    fn characters_are_paid_for_what_came_back_alone() {
        let cost = |class| {
            let read = reading(class, &[], Usage::default());
            row_of(&configured("deepl"), &["four", "words"], &read).cost_micros
        };
        for class in [Class::Ok, Class::Partial, Class::Malformed, Class::Truncated] {
            assert_eq!(cost(class), Some(225), "{class:?}");
        }
        for class in [Class::RateLimited, Class::Transient, Class::ConfigError, Class::Empty] {
            assert_eq!(cost(class), Some(0), "{class:?}");
        }
    }

    #[test]
    fn the_day_ends_at_midnight_utc() {
        let left = |time: &str| until_midnight(time.parse().unwrap()).as_secs();
        assert_eq!(left("2026-11-30T23:59:59.9Z"), 1);
        assert_eq!(left("2026-11-30T00:00:00Z"), 86_400);
        assert_eq!(left("2026-11-30T18:00:00+06:00"), 43_200);
    }

    #[test]
    fn a_day_is_summed_up_over_all_that_cost_something() {
        let (mut store, _) = Store::open("/nowhere".as_ref(), Mode::Off, Timestamp::UNIX_EPOCH);
        let row = |day, provider: &str, cost_micros| UsageRow {
            day,
            provider: provider.to_owned(),
            cost_micros,
            ..UsageRow::default()
        };
        store.add_usage(&[row(7, "a", Some(3)), row(7, "b", Some(4)), row(6, "a", Some(100))]);
        store.add_usage(&[row(7, "c", None), row(7, "d", Some(0)), row(8, "a", Some(200))]);
        let sums = totals(&mut store, 7);
        let paid = ["a", "b"].map(|name| (name.to_owned(), String::new()));
        assert_eq!((sums.day, sums.spent, sums.paid), (7, 7, HashSet::from(paid)));
    }

    #[test]
    fn what_the_store_has_taken_in_is_counted_once() {
        let totals = |spent| Totals { day: 1, spent, paid: HashSet::new() };
        let mut account = Account { unconfirmed: 70, ..Account::default() };
        account.take(totals(20));
        assert!(account.reaches(90) && !account.reaches(91));
        account.confirm(Spent { confirmed: 30, totals: totals(55) });
        assert!(account.reaches(95) && !account.reaches(96));
        account.confirm(Spent { confirmed: 40, totals: totals(95) });
        assert!(account.reaches(95) && !account.reaches(96));
    }
}
