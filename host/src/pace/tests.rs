use super::window::MINUTE;
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
    Heard { class, answered: true, window: false, tokens: 0, fresh: true, call, next }
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
        pace.sent(now, None, 10);
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
    pace.sent(secs(0), None, 1);
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
            pace.heard(secs(0), heard(Class::Ok, call, call + 1));
        }
    }
}

#[test]
fn one_round_of_refusals_halves_the_calls_once() {
    let mut pace = Pace::new(limits());
    for call in 0..20 {
        pace.heard(secs(0), heard(Class::Ok, call, call + 1));
    }
    assert_eq!(pace.calls(), 6);
    for call in 20..26 {
        pace.heard(secs(0), heard(Class::RateLimited, call, 26));
    }
    assert_eq!(pace.calls(), 3);
    pace.heard(secs(0), heard(Class::RateLimited, 26, 27));
    assert_eq!(pace.calls(), 1);
}

#[test]
fn one_bad_reply_is_an_accident_and_a_second_one_halves_the_batch() {
    let mut pace = Pace::new(limits());
    pace.heard(secs(0), heard(Class::Truncated, 0, 1));
    assert_eq!(pace.room(secs(0)).segments, 30);
    for (call, segments) in [(1, 37), (2, 40)] {
        pace.heard(secs(0), heard(Class::Ok, call, call + 1));
        assert_eq!(pace.room(secs(0)).segments, segments);
    }
    for (call, segments) in [(3, 30), (4, 15), (5, 7), (6, 3), (7, 1), (8, 1)] {
        pace.heard(secs(0), heard(Class::Malformed, call, call + 1));
        assert_eq!(pace.room(secs(0)).segments, segments);
    }
}

#[test]
fn a_size_that_fails_again_and_again_grows_back_ever_more_slowly() {
    let mut pace = Pace::new(limits());
    for expected in 1..=4 {
        pace.heard(secs(0), heard(Class::Malformed, 0, 1));
        pace.heard(secs(0), heard(Class::Malformed, 0, 1));
        let small = pace.room(secs(0)).segments;
        let mut clean = 0;
        while pace.room(secs(0)).segments == small {
            pace.heard(secs(0), heard(Class::Ok, 0, 1));
            clean += 1;
        }
        assert_eq!(clean, expected);
    }
}

#[test]
fn parts_of_a_batch_that_came_back_say_nothing_about_the_size() {
    let mut pace = Pace::new(limits());
    for call in 0..20 {
        pace.heard(secs(0), Heard { fresh: false, ..heard(Class::Truncated, call, call + 1) });
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
    assert_eq!((room.load.chars, room.first), (500, 40), "few requests, large ones");
    assert!(room.patient);
}

#[test]
fn tokens_of_a_minute_bound_the_batch_and_the_time() {
    let mut pace = Pace::new(Limits { tokens_per_minute: Some(2000), ..limits() });
    // The prompt takes 200, and each token of the source one there and one back.
    assert_eq!(pace.room(secs(0)).load.tokens, 900);
    pace.sent(secs(0), Some(1), 500);
    assert_eq!(pace.opens_at(secs(1)), secs(1));
    assert_eq!(pace.room(secs(1)).load.tokens, 300);
    pace.sent(secs(1), Some(2), 300);
    assert_eq!(pace.opens_at(secs(2)), MINUTE);
}

#[test]
fn what_calls_really_use_corrects_the_guess() {
    let mut pace = Pace::new(Limits { tokens_per_minute: Some(2000), ..limits() });
    pace.sent(secs(0), Some(1), 500);
    pace.heard(secs(1), Heard { tokens: 700, ..heard(Class::Ok, 1, 2) });
    // One for each of the source instead of two: from now on one and a half.
    assert_eq!(pace.room(secs(1)).load.tokens, (2000 - 700 - 200) * 100 / 150);
    for call in 2..9 {
        pace.sent(secs(1), Some(call), 0);
        pace.heard(secs(1), Heard { tokens: u64::MAX, ..heard(Class::Ok, call, call + 1) });
    }
    assert_eq!(pace.room(secs(70)).load.tokens, 1800 * 100 / 150, "without a source none is told");
}

#[test]
fn a_text_has_a_token_for_so_many_letters_of_its_script() {
    for (text, tokens) in [("", 0), ("abcd", 2), ("번역", 2), (&"a".repeat(360), 100)] {
        assert_eq!(Load::of(text).tokens, 8 + tokens, "{text}");
    }
    assert_eq!(Load::of(&"가".repeat(160)), Load { chars: 160, tokens: 108 });
    assert_eq!(Load::of(&("漢".repeat(80) + &"b".repeat(180))).tokens, 108);
}

#[test]
fn what_was_under_way_when_a_call_was_refused_confirms_no_limit() {
    let mut pace = Pace::new(limits());
    for call in 0..4 {
        pace.sent(secs(0), Some(call), 0);
    }
    pace.heard(secs(1), Heard { window: true, ..heard(Class::RateLimited, 3, 4) });
    for call in 0..3 {
        pace.heard(secs(2), heard(Class::Ok, call, 4));
    }
    assert_eq!(pace.opens_at(secs(11)), secs(11), "the probe goes");
}

#[test]
fn a_rest_that_a_reply_asks_for_is_kept() {
    let mut pace = Pace::new(limits());
    pace.rest(secs(5));
    pace.rest(secs(3));
    assert_eq!((pace.opens_at(secs(1)), pace.opens_at(secs(6))), (secs(5), secs(6)));
}

#[test]
fn a_days_requests_come_back_a_day_later() {
    let mut pace = Pace::new(Limits { requests_per_day: Some(2), ..limits() });
    pace.sent(secs(0), None, 1);
    assert_eq!(pace.day_spent_until(secs(1)), None);
    pace.sent(secs(9), None, 1);
    assert_eq!(pace.day_spent_until(secs(10)), Some(DAY));
    assert_eq!(pace.day_spent_until(DAY), None);
}
