//! Pauses, budgets, and the calls in flight.

use super::*;

fn limited(call: &Call, advice: Option<u64>) -> Verdict {
    Verdict { pause: advice.map(secs), ..verdict(call, Class::RateLimited, &[]) }
}

#[test]
fn refused_probes_wait_10_20_and_40_seconds_and_the_third_puts_the_provider_out() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    desk.finish(&call, &limited(&call, None));
    for until in [10, 30, 70] {
        assert_eq!(desk.sleep(), secs(until));
        let probe = desk.call();
        desk.finish(&probe, &limited(&probe, None));
    }
    assert_eq!(desk.failures(), [(1, Failure::RateLimited, Some(secs(70 + 300)))]);
}

#[test]
fn a_longer_advice_wins_and_a_shorter_one_does_not() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    desk.finish(&call, &limited(&call, Some(33)));
    assert_eq!(desk.sleep(), secs(33));
    let probe = desk.call();
    desk.finish(&probe, &limited(&probe, Some(12)));
    assert_eq!(desk.sleep(), secs(53));
}

#[test]
fn jitter_stretches_a_pause_by_up_to_a_fifth() {
    for (jitter, wait) in [(0.0, ms(10_000)), (0.5, ms(11_000)), (1.0, ms(12_000))] {
        let mut desk = Desk::with_jobs(1);
        let call = desk.call();
        desk.queue.finish(desk.now, call.id, &limited(&call, None), jitter);
        assert_eq!(desk.sleep(), wait);
    }
}

#[test]
fn absurd_times_do_not_overflow() {
    let mut desk = Desk::with_jobs(2);
    let call = desk.call();
    desk.queue.finish(desk.now, call.id, &limited(&call, Some(u64::MAX)), f64::NAN);
    assert!(desk.sleep() > secs(3600));
    let probe = desk.call();
    let far = Some(Duration::MAX);
    desk.finish(&probe, &Verdict { out_for: far, ..verdict(&probe, Class::QuotaExhausted, &[]) });
    assert_eq!(desk.failures().len(), 2);
}

#[test]
fn one_round_of_refusals_is_one_pause_and_then_one_probe() {
    let mut desk = Desk::with_jobs(80);
    for _ in 0..2 {
        let calls = desk.calls();
        for call in &calls {
            desk.succeed(call);
        }
    }
    let calls = desk.calls();
    assert_eq!(calls.len(), 4);
    for (late, call) in calls.iter().enumerate() {
        desk.now = secs(late as u64);
        desk.finish(call, &limited(call, None));
    }
    assert_eq!(desk.sleep(), secs(10));
    let probe = desk.call();
    assert_eq!(desk.next(), None, "one probe at a time");
    assert_eq!(desk.queue.next_wake(desk.now), None, "only its answer goes on");
    desk.succeed(&probe);
    let calls = desk.calls();
    assert_eq!(calls.len(), 2, "half of four");
}

#[test]
fn a_rate_limit_costs_no_attempt() {
    let mut desk = Desk::with_jobs(1);
    for _ in 0..20 {
        let call = desk.call();
        desk.finish(&call, &limited(&call, None));
        desk.sleep();
        let probe = desk.call();
        // A malformed reply with a good neighbour opens the gate again.
        let other = desk.now;
        desk.finish(&probe, &limited(&probe, None));
        desk.sleep();
        assert!(desk.now > other);
        let probe = desk.call();
        desk.answer(&probe, Class::FeatureError, &[]);
        let probe = desk.call();
        desk.succeed(&probe);
        assert_eq!(desk.outcomes(), [Outcome::Done(1)]);
        desk.push(wish(1));
    }
}

#[test]
fn the_calls_in_flight_grow_by_one_each_clean_round() {
    let mut desk = Desk::with_jobs(200);
    for expected in [2, 3, 4, 4] {
        let calls = desk.calls();
        assert_eq!(calls.len(), expected);
        for call in &calls {
            desk.succeed(call);
        }
    }
}

#[test]
fn an_unproven_provider_gets_one_small_call_until_it_has_succeeded() {
    let limits = Limits { first_segments: 3, ..line().limits };
    let mut desk = Desk::new(vec![Line { proven: false, limits, ..line() }]);
    (1..=40).for_each(|job| desk.push(wish(job)));
    let first = desk.call();
    assert_eq!(first.jobs.len(), 3);
    assert_eq!(desk.next(), None);
    desk.answer(&first, Class::Malformed, &[]);
    let second = desk.call();
    assert_eq!((second.jobs.len(), desk.next()), (3, None), "still not proven");
    desk.succeed(&second);
    assert!(desk.queue.proven(0));
    assert_eq!(desk.calls().len(), 2);
}

/// Runs a page of 60 whose first `empty` replies bring nothing; returns the calls.
fn calls_after_empty_replies(empty: usize) -> Vec<Vec<JobId>> {
    let limits = Limits { segments: 60, ..line().limits };
    let mut desk = Desk::new(vec![Line { proven: false, limits, ..line() }]);
    (1..=60).for_each(|job| desk.push(wish(job)));
    let mut calls = Vec::new();
    while !desk.queue.is_empty() {
        while let Some(call) = desk.next() {
            if calls.len() < empty {
                desk.answer(&call, Class::Empty, &[]);
            } else {
                desk.succeed(&call);
            }
            calls.push(call.jobs);
        }
        assert_eq!(desk.failures(), []);
        desk.now = desk.queue.next_wake(desk.now).unwrap_or(desk.now);
    }
    calls
}

#[test]
fn empty_replies_at_the_start_cost_themselves_and_their_halvings() {
    assert_eq!(calls_after_empty_replies(0).len(), 2);
    // The first batch again; the one that was tried meanwhile was small as well.
    assert_eq!(calls_after_empty_replies(1).len(), 2 + 1 + 1);
    // What was tried second goes back among its like: no small batch is left over.
    let calls = calls_after_empty_replies(2);
    assert_eq!(calls.len(), 2 + 2);
    assert_eq!(calls[3], (9..=60).collect::<Vec<_>>());
    // The first batch failed twice: it is halved.
    assert_eq!(calls_after_empty_replies(3).len(), 2 + 3 + 1);
}

#[test]
fn the_minute_of_a_provider_is_never_overdrawn() {
    let limits = Limits { requests_per_minute: Some(3), ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    (1..=80).for_each(|job| desk.push(wish(job)));
    let mut sent = Vec::new();
    while !desk.queue.is_empty() {
        while let Some(call) = desk.next() {
            sent.push(desk.now);
            desk.succeed(&call);
        }
        desk.outcomes();
        if let Some(wake) = desk.queue.next_wake(desk.now) {
            desk.now = wake;
        }
    }
    assert_eq!(sent.len(), 10);
    assert!(sent.windows(4).all(|w| w[3] > w[0] + secs(60)), "{sent:?}");
    assert!(sent[9] < secs(182), "{sent:?}");
}

#[test]
fn a_days_requests_that_are_used_up_end_like_a_quota() {
    let limits = Limits { requests_per_day: Some(1), segments: 1, ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    desk.push(wish(1));
    let call = desk.call();
    desk.succeed(&call);
    desk.push(wish(2));
    assert_eq!(desk.next(), None);
    let day = secs(24 * 3600);
    assert_eq!(desk.failures(), [(2, Failure::QuotaExhausted, Some(day))]);
}

/// An ideal client sends the small first batch, two calls, one more each round.
#[test]
fn a_page_of_600_needs_no_more_rounds_than_an_ideal_client() {
    let limits = Limits { segments: 40, first_segments: 12, concurrency: 6, ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    (1..=600).for_each(|job| desk.push(Wish { rank: (job > 30).into(), ..wish(job) }));
    let mut rounds = 0;
    desk.now = ms(50);
    while !desk.queue.is_empty() {
        let calls = desk.calls();
        rounds += 1;
        for call in &calls {
            desk.succeed(call);
        }
        desk.outcomes();
    }
    // 12 + 40, then 3, 4, 5 and the rest of 40 each: 52, 172, 332, 532, 600.
    assert_eq!(rounds, 5);
}
