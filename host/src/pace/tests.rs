use super::*;

fn limits() -> Limits {
    Limits {
        segments: 40,
        chars: 4000,
        first_segments: 8,
        concurrency: 6,
        requests_per_minute: None,
        tokens_per_minute: None,
        requests_per_day: None,
    }
}

fn heard(class: Class, call: u64, next: u64) -> Heard {
    Heard { class, answered: true, fresh: true, call, next }
}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn no_minute_holds_more_calls_than_the_limit() {
    let mut pace = Pace::new(Limits { requests_per_minute: Some(5), ..limits() });
    let mut sent: Vec<Duration> = Vec::new();
    let mut now = Duration::ZERO;
    while sent.len() < 40 {
        now = pace.opens_at(now);
        pace.sent(now, 10);
        sent.push(now);
        now += Duration::from_millis(137 * (sent.len() as u64 % 7));
    }
    for window in sent.windows(6) {
        assert!(window[5] > window[0] + secs(60), "{window:?}");
    }
    assert_eq!(sent[4], Duration::from_millis(137 * (1 + 2 + 3 + 4)), "the first five are a burst");
}

#[test]
fn asking_costs_nothing_of_the_budget() {
    let mut pace = Pace::new(Limits { requests_per_minute: Some(1), ..limits() });
    pace.sent(secs(0), 1);
    for asked in 1..60 {
        assert_eq!(pace.opens_at(secs(asked)), MINUTE);
    }
    assert_eq!(pace.opens_at(secs(61)), secs(61));
}

#[test]
fn a_clean_round_allows_one_more_call_up_to_the_ceiling() {
    let mut pace = Pace::new(limits());
    let mut call = 0;
    for round in 2..=9 {
        assert_eq!(pace.calls(), round.min(6));
        for _ in 0..pace.calls() {
            call += 1;
            pace.heard(heard(Class::Ok, call, call + 1));
        }
    }
}

#[test]
fn one_round_of_refusals_halves_the_calls_once() {
    let mut pace = Pace::new(limits());
    for call in 0..20 {
        pace.heard(heard(Class::Ok, call, call + 1));
    }
    assert_eq!(pace.calls(), 6);
    for call in 20..26 {
        pace.heard(heard(Class::RateLimited, call, 26));
    }
    assert_eq!(pace.calls(), 3);
    pace.heard(heard(Class::RateLimited, 26, 27));
    assert_eq!(pace.calls(), 1);
}

#[test]
fn a_batch_shrinks_after_a_cut_reply_and_grows_back() {
    let mut pace = Pace::new(limits());
    pace.heard(heard(Class::Truncated, 0, 1));
    assert_eq!(pace.room(secs(0)).segments, 20);
    for call in 1..5 {
        pace.heard(heard(Class::Ok, call, call + 1));
    }
    assert_eq!(pace.room(secs(0)).segments, 40);
    for call in 5..20 {
        pace.heard(heard(Class::Malformed, call, call + 1));
    }
    assert_eq!(pace.room(secs(0)).segments, 1);
}

#[test]
fn parts_of_a_batch_that_came_back_say_nothing_about_the_size() {
    let mut pace = Pace::new(limits());
    for call in 0..20 {
        pace.heard(Heard { fresh: false, ..heard(Class::Truncated, call, call + 1) });
    }
    assert_eq!(pace.room(secs(0)).segments, 40);
}

#[test]
fn stated_limits_tighten_and_never_loosen() {
    let mut pace = Pace::new(Limits { requests_per_minute: Some(10), ..limits() });
    let stated = Stated {
        requests_per_minute: Some(60),
        requests_per_day: Some(20),
        chars_per_call: Some(500),
        ..Stated::default()
    };
    pace.learn(&stated);
    assert_eq!(pace.limits().requests_per_minute, Some(10));
    let room = pace.room(secs(0));
    assert_eq!((room.chars, room.first, room.patient), (500, 40, true), "few requests, large ones");
}

#[test]
fn tokens_of_a_minute_bound_the_batch_and_the_time() {
    let mut pace = Pace::new(Limits { tokens_per_minute: Some(2000), ..limits() });
    assert_eq!(pace.room(secs(0)).chars, 1900);
    pace.sent(secs(0), 1000);
    assert_eq!(pace.opens_at(secs(1)), secs(1));
    assert_eq!(pace.room(secs(1)).chars, 800);
    pace.sent(secs(1), 800);
    assert_eq!(pace.opens_at(secs(2)), MINUTE);
}

#[test]
fn a_days_requests_come_back_a_day_later() {
    let mut pace = Pace::new(Limits { requests_per_day: Some(2), ..limits() });
    pace.sent(secs(0), 1);
    assert_eq!(pace.day_spent_until(secs(1)), None);
    pace.sent(secs(9), 1);
    assert_eq!(pace.day_spent_until(secs(10)), Some(DAY));
    assert_eq!(pace.day_spent_until(DAY), None);
}
