//! A wall clock that was a day or a year ahead while another host wrote, and is
//! right again: every time in the file is believed as far as its rule allows.

use jiff::ToSpan;
use webtranslator::segment::Key;
use webtranslator::store::{
    Capability, Claim, Departed, Departure, Failed, Heard, Limits, Outcome, UsageRow,
};

use crate::fixture::{DAY, Folder, entry, key, now, tidy};

const DAY_MS: i64 = 86_400_000;
const T: i64 = DAY * DAY_MS;
const LIMITS: Limits = Limits {
    requests_per_minute: Some(2),
    tokens_per_minute: Some(100),
    requests_per_day: Some(3),
};

/// How far a clock jumps.
const JUMPS: [i64; 4] = [1, -1, 365, -365];

fn departure(keys: &[(Key, bool)], limits: Limits) -> Departure<'_> {
    Departure { line: "line", keys, tokens: 40, limits }
}

fn asked(n: usize) -> [(Key, bool); 1] {
    [(key(n), false)]
}

#[test]
fn claims_and_outcomes_of_a_wrong_clock_hold_nobody() {
    for jump in JUMPS {
        let folder = Folder::new();
        let (mut wrong, mut right) = (folder.open(), folder.open());
        let there = T + jump * DAY_MS;
        wrong.depart(&departure(&asked(1), Limits::default()), there);
        wrong.depart(&departure(&asked(2), Limits::default()), there);
        let failed = Failed { code: "unavailable".into(), back_ms: Some(there) };
        wrong.settle(&[(key(2), Outcome::Failed(failed))], there);
        assert_eq!(right.look(&[key(1), key(2)], T), [Claim::Free, Claim::Free], "{jump}");
        // The same host, whose clock is set right in the middle of it.
        wrong.renew(T);
        assert_eq!(right.look(&[key(1)], T), [Claim::Taken], "{jump}");
    }
}

#[test]
fn pauses_probes_and_outs_of_a_wrong_clock_hold_nobody_for_long() {
    for jump in JUMPS {
        let there = T + jump * DAY_MS;
        let heard = |heard: &Heard| {
            let folder = Folder::new();
            let (mut wrong, mut right) = (folder.open(), folder.open());
            wrong.heard("line", heard, there);
            // The first that comes then is the probe.
            wrong.depart(&departure(&asked(1), Limits::default()), there + 200_000);
            right.depart(&departure(&asked(2), Limits::default()), T)
        };
        let out = |code: &str, after| {
            Heard::Out(Failed { code: code.into(), back_ms: Some(there + after) })
        };
        let went = |departed| matches!(departed, Some(Departed::Go(_)));
        assert!(went(heard(&Heard::Paused { until_ms: there + 10_000 })), "{jump}");
        assert!(went(heard(&out("unavailable", 300_000))), "{jump}");
        assert!(went(heard(&out("rate_limited", 3_600_000))), "{jump}");
        // A quota may last a month, and no longer.
        let quota = went(heard(&out("quota_exhausted", 3_600_000)));
        assert_eq!(quota, jump != 1, "{jump}");
    }
}

#[test]
fn calls_and_limits_of_a_wrong_clock_close_no_window() {
    for jump in JUMPS {
        let folder = Folder::new();
        let (mut wrong, mut right) = (folder.open(), folder.open());
        let there = T + jump * DAY_MS;
        for n in 0..2 {
            wrong.depart(&departure(&asked(n), LIMITS), there + i64::try_from(n).unwrap());
        }
        let full = wrong.depart(&departure(&asked(5), LIMITS), there + 10);
        assert!(matches!(full, Some(Departed::Wait(_))), "{jump}: {full:?}");
        wrong.learn("line", &Limits { requests_per_minute: Some(1), ..Limits::default() }, there);
        for n in 10..12 {
            let departed = right.depart(&departure(&asked(n), LIMITS), T + 20);
            assert!(matches!(departed, Some(Departed::Go(_))), "{jump}: {departed:?}");
        }
        // What was called at the right time counts as ever.
        let departed = right.depart(&departure(&asked(13), LIMITS), T + 20);
        assert!(matches!(departed, Some(Departed::Wait(until)) if until < T + DAY_MS + 60_000));
    }
}

#[test]
fn refusals_and_capabilities_of_a_clock_that_was_a_year_ahead_do_not_count() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = [Key::of_text("a")];
    let found = Capability { feature: "json_schema".into(), value: "dropped".into() };
    let year = 8760.hours();
    store.remember_refusals("e", &text, now() + year + 720.hours());
    store.remember_capability("e", &found, now() + year + 168.hours());
    assert_eq!(store.refused_many("e", &text, now()), [false]);
    assert_eq!(store.capabilities("e", now()), []);
    // Learned again, they do; and a clock that goes back a day forgets neither.
    store.remember_refusals("e", &text, now() + 720.hours());
    store.remember_capability("e", &found, now() + 168.hours());
    for then in [now(), now() - 24.hours()] {
        assert_eq!(store.refused_many("e", &text, then), [true]);
        assert_eq!(store.capabilities("e", then).len(), 1);
    }
}

#[test]
fn a_day_that_is_still_to_come_is_taken_as_today_when_the_entry_is_used() {
    let folder = Folder::new();
    let mut store = folder.open();
    store.put_many(&[entry(1, "a")], DAY + 365);
    store.get_many(&[key(1)], DAY);
    store.touch(DAY);
    assert_eq!(folder.number("SELECT used_day FROM translation"), DAY);
    assert_eq!(store.put_many(&[entry(1, "b")], DAY), 1);
    assert_eq!(folder.number("SELECT created_day FROM translation"), DAY, "anew, it is of today");
}

#[test]
fn entries_of_a_clock_that_was_ahead_do_not_outlive_those_that_are_used() {
    let folder = Folder::new();
    let mut store = folder.open();
    let text = "x".repeat(400);
    let ahead: Vec<_> = (0..5000).map(|n| entry(n, &text)).collect();
    store.put_many(&ahead, DAY + 365);
    let today: Vec<_> = (5000..10_000).map(|n| entry(n, &text)).collect();
    store.put_many(&today, DAY);
    store.get_many(&(5000..5500).map(key).collect::<Vec<_>>(), DAY + 2);
    store.touch(DAY + 2);
    store.put_many(&[entry(20_000, &text)], DAY + 2);
    store.set_limit(2 * 1024 * 1024);
    tidy(&mut store);
    let left = |range: std::ops::Range<usize>, store: &mut webtranslator::store::Store| {
        let keys: Vec<_> = range.map(key).collect();
        store.get_many(&keys, DAY + 2).iter().flatten().count()
    };
    assert!(store.stats().entries < 5000);
    assert!(left(0..5000, &mut store) < 4000, "they are not kept before all others");
}

#[test]
fn usage_of_a_day_that_is_still_to_come_stands_in_a_row_of_its_own() {
    let folder = Folder::new();
    let mut store = folder.open();
    for day in [DAY + 365, DAY, DAY - 365] {
        store.add_usage(&[UsageRow { day, calls: 1, ..UsageRow::default() }]);
    }
    let days: Vec<_> = store.usage_since(DAY).iter().map(|row| row.day).collect();
    assert_eq!(days, [DAY, DAY + 365], "who asks for today takes today's");
}
