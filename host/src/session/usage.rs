//! `usage`: what was used, day by day.
//!
//! The command line tells the same from the file alone, so the shape is made
//! here from the rows and the day of today.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::Timestamp;

use crate::exchange::date_of;
use crate::framing::MAX_FRAME_TO_BROWSER;
use crate::protocol::{Id, ProviderUsage, Reply, UsageDay, UsageDays};
use crate::settings::dollars;
use crate::store::{KEPT_DAYS, UsageRow};

use super::core::{Core, Event};

/// So many days are told unless others are asked for.
pub const DEFAULT_DAYS: u32 = 30;

/// A frame's room beside the days.
const FRAME_BYTES: usize = 256;

impl Core {
    /// Answers with what the store has.
    pub(super) fn tell_usage(&self, id: Id, days: Option<u32>) {
        let events = self.events.clone();
        self.storage.run(move |store| {
            let days = last_days(super::day_of(Timestamp::now()), days.unwrap_or(DEFAULT_DAYS));
            let mut usage = told_days(&store.usage_since(*days.start()), &days);
            keep_to(&mut usage, MAX_FRAME_TO_BROWSER - FRAME_BYTES);
            // Fails only when the session has ended, and then nobody asks.
            let _ = events.send(Event::Reply(Reply::Usage { id, usage }));
        });
    }
}

/// Returns the last so many days, of those that are kept, today among them.
#[must_use]
pub fn last_days(today: i64, count: u32) -> RangeInclusive<i64> {
    today - i64::from(count.clamp(1, KEPT_DAYS)) + 1..=today
}

/// Returns what was used on these days. What was written to memory for want of
/// a file stands in rows of its own, and days that are still to come are those
/// of a clock that was ahead.
#[must_use]
pub fn told_days(rows: &[UsageRow], days: &RangeInclusive<i64>) -> UsageDays {
    let mut sums: BTreeMap<(i64, &str, &str), UsageRow> = BTreeMap::new();
    for row in rows.iter().filter(|row| days.contains(&row.day)) {
        sums.entry((row.day, &row.provider, &row.model)).or_default().add(row);
    }
    let day_of = |((day, provider, model), row)| UsageDay {
        day: date(day),
        usage: told(provider, model, row),
    };
    UsageDays {
        first: date(*days.start()),
        last: date(*days.end()),
        days: sums.into_iter().map(day_of).collect(),
        more: false,
    }
}

/// Returns a day as people write it; one that no calendar has is not told.
#[must_use]
pub fn date(day: i64) -> String {
    date_of(day).map(|date| date.to_string()).unwrap_or_default()
}

/// Returns what a provider and model did, as the wire tells it.
pub(super) fn told(provider: &str, model: &str, row: UsageRow) -> ProviderUsage {
    ProviderUsage {
        provider: provider.to_owned(),
        model: model.to_owned(),
        calls: row.calls,
        failures: row.failures,
        failures_by_class: row.by_class,
        input: row.input_tokens,
        output: row.output_tokens,
        characters: row.characters,
        cost: row.cost_micros.map(dollars),
        saved: row.saved_micros.map(dollars),
        from_cache: row.cache_hits,
        texts: row.texts,
    }
}

/// Leaves the oldest days out, each as a whole, until so many bytes are enough.
fn keep_to(usage: &mut UsageDays, mut room: usize) {
    let fits = |day: &&UsageDay| {
        let bytes = serde_json::to_vec(day).map_or(usize::MAX, |body| body.len() + 1);
        let left = room.checked_sub(bytes);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept = usage.days.iter().rev().take_while(fits).count();
    let cut = usage.days.len() - kept;
    let Some(last) = cut.checked_sub(1).map(|at| usage.days[at].day.clone()) else { return };
    usage.days.retain(|day| day.day > last);
    usage.more = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some day: 2024-10-04.
    const DAY: i64 = 20_000;

    fn row(day: i64, provider: &str, calls: u64) -> UsageRow {
        UsageRow { day, provider: provider.to_owned(), calls, ..UsageRow::default() }
    }

    #[test]
    fn so_many_days_are_told_as_are_kept_and_at_least_today() {
        for (count, first) in [(0, DAY), (1, DAY), (30, DAY - 29), (400, DAY - 399)] {
            assert_eq!(last_days(DAY, count), first..=DAY, "{count}");
        }
        assert_eq!(last_days(DAY, u32::MAX), DAY - 399..=DAY);
    }

    #[test]
    fn rows_of_one_day_provider_and_model_are_told_as_one() {
        let failed = |day, class: &str| UsageRow {
            by_class: [(class.to_owned(), 2)].into(),
            cost_micros: Some(500_000),
            ..row(day, "a", 3)
        };
        let rows = [failed(DAY - 1, "empty"), row(DAY, "b", 1), failed(DAY, "empty")];
        let more = [failed(DAY, "network"), row(DAY + 1, "a", 9), row(DAY - 2, "a", 9)];
        let told = told_days(&[&rows[..], &more].concat(), &(DAY - 1..=DAY));
        assert_eq!((told.first.as_str(), told.last.as_str()), ("2024-10-03", "2024-10-04"));
        let days: Vec<_> = told
            .days
            .iter()
            .map(|day| (day.day.as_str(), day.usage.provider.as_str(), day.usage.calls))
            .collect();
        assert_eq!(days, [("2024-10-03", "a", 3), ("2024-10-04", "a", 6), ("2024-10-04", "b", 1)]);
        let both = [("empty".to_owned(), 2), ("network".to_owned(), 2)];
        assert_eq!(told.days[1].usage.failures_by_class, both.into());
        assert_eq!((told.days[1].usage.cost, told.days[2].usage.cost), (Some(1.0), None));
        assert!(!told.more);
    }

    #[test]
    fn what_a_frame_has_no_room_for_is_whole_days_and_the_oldest() {
        let rows: Vec<_> = (DAY - 399..=DAY)
            .flat_map(|day| (0..12).map(move |n| row(day, &format!("provider-{n}"), 1)))
            .collect();
        let mut usage = told_days(&rows, &last_days(DAY, 400));
        keep_to(&mut usage, MAX_FRAME_TO_BROWSER - FRAME_BYTES);
        assert!(usage.more);
        let reply = Reply::Usage { id: u64::MAX, usage: usage.clone() };
        let bytes = serde_json::to_vec(&reply).unwrap().len();
        assert!(
            (MAX_FRAME_TO_BROWSER - 12 * 200..=MAX_FRAME_TO_BROWSER).contains(&bytes),
            "{bytes}"
        );
        assert_eq!(usage.days.len() % 12, 0);
        assert_eq!(usage.days.last().unwrap().day, "2024-10-04");

        let mut usage = told_days(&rows[..24], &last_days(DAY, 400));
        keep_to(&mut usage, MAX_FRAME_TO_BROWSER);
        assert!(!usage.more && usage.days.len() == 24, "what fits stays");
    }
}
