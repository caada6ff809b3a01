//! Answers that bring nothing, and outages: when is a provider put out?

use super::*;

#[test]
fn an_answer_in_between_ends_the_row() {
    let mut desk = Desk::with_jobs(16);
    let calls = [desk.call(), desk.call()];
    desk.silence(&calls[0]);
    desk.answer(&calls[1], Class::Empty, &[]);
    desk.sleep();
    let calls = [desk.call(), desk.call()];
    desk.silence(&calls[0]);
    desk.silence(&calls[1]);
    assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
}

#[test]
fn eight_useless_calls_in_a_row_put_the_provider_out() {
    let mut desk = Desk::new(vec![Line { proven: false, ..line() }]);
    (1..=64).for_each(|job| desk.push(wish(job)));
    let mut sent = Vec::new();
    while desk.queue.state(0, desk.now) == LineState::Ready {
        let call = desk.next().unwrap_or_else(|| {
            desk.sleep();
            desk.call()
        });
        sent.push(desk.now);
        assert!(sent.len() < 100, "a useless provider is found out");
        desk.answer(&call, Class::Malformed, &[]);
    }
    assert_eq!(sent, [0, 0, 3, 6, 6, 9, 9, 9].map(secs));
    let failed = desk.failures();
    assert_eq!(failed.len(), 64);
    assert!(failed.iter().all(|(_, failure, _)| *failure == Failure::Unavailable));
}

/// Runs a page of 80 against a server that answers within 20 ms, and with an
/// error from 1 s on, for as long as is said.
fn through_an_outage(length: Duration, answered: bool) -> (Vec<Duration>, Desk) {
    let mut desk =
        Desk::new(vec![Line { limits: Limits { segments: 4, ..line().limits }, ..line() }]);
    (1..=80).for_each(|job| desk.push(wish(job)));
    desk.now = secs(1);
    let mut useless = Vec::new();
    while !desk.queue.is_empty() {
        let calls = desk.calls();
        if calls.is_empty() {
            desk.now = desk.queue.next_wake(desk.now).expect("something is left");
        }
        desk.now += ms(20);
        for call in &calls {
            if desk.now >= secs(1) + length {
                desk.succeed(call);
            } else {
                useless.push(desk.now);
                assert!(useless.len() < 100, "a useless provider is found out");
                let told = verdict(call, Class::Transient, &[]);
                desk.finish(call, &Verdict { answered, failure: Failure::Network, ..told });
            }
        }
        desk.told.extend(std::iter::from_fn(|| desk.queue.poll_outcome()));
    }
    (useless, desk)
}

#[test]
fn an_outage_of_two_seconds_puts_no_provider_out() {
    for answered in [true, false] {
        let (useless, mut desk) = through_an_outage(secs(2), answered);
        assert_eq!(desk.failures(), []);
        assert_eq!(useless.len(), 2, "new batches wait: {useless:?}");
    }
}

#[test]
fn an_outage_that_lasts_is_found_out() {
    let (_, mut desk) = through_an_outage(secs(3600), false);
    assert_eq!(desk.failures().len(), 80);
    assert!(desk.now < secs(5), "a connection that is not there: {:?}", desk.now);
    let (useless, mut desk) = through_an_outage(secs(3600), true);
    assert_eq!(desk.failures().len(), 80);
    assert!(desk.now < secs(15) && useless.len() <= 16, "{:?} {useless:?}", desk.now);
}

#[test]
fn calls_that_fell_silent_together_are_no_lost_connection() {
    let mut desk = Desk::with_jobs(80);
    for _ in 0..2 {
        for call in desk.calls() {
            desk.succeed(&call);
        }
    }
    let calls = desk.calls();
    assert_eq!(calls.len(), 4);
    for call in &calls {
        desk.silence_of(call, Failure::Network);
    }
    assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
    desk.outcomes();
    desk.sleep();
    let call = desk.call();
    desk.silence_of(&call, Failure::Network);
    assert!(matches!(desk.queue.state(0, desk.now), LineState::OutUntil { .. }));
}

#[test]
fn calls_that_were_waited_for_in_vain_together_are() {
    let mut desk = Desk::with_jobs(80);
    for _ in 0..2 {
        for call in desk.calls() {
            desk.succeed(&call);
        }
    }
    for call in &desk.calls() {
        desk.silence_of(call, Failure::Timeout);
    }
    assert!(matches!(desk.queue.state(0, desk.now), LineState::OutUntil { .. }));
}

#[test]
fn what_failed_before_counts_half_towards_a_useless_provider() {
    let mut desk = Desk::with_jobs(12);
    let mut calls = 0;
    while desk.queue.state(0, desk.now) == LineState::Ready {
        let due = desk.next();
        let call = due.unwrap_or_else(|| {
            desk.sleep();
            desk.call()
        });
        desk.answer(&call, Class::Malformed, &[]);
        calls += 1;
        assert!(calls < 16, "a provider that never answers is found out");
    }
    assert!(calls > 8, "one batch whose texts may be the cause: {calls}");
}

#[test]
fn cut_replies_to_single_texts_put_a_provider_out_only_when_they_are_many() {
    let mut desk = Desk::with_jobs(1);
    let mut calls = 0;
    for job in 1..=14 {
        desk.push(wish(job));
        while let Some(call) = desk.next() {
            desk.answer(&call, Class::Truncated, &[]);
            calls += 1;
        }
        if job < 14 {
            assert_eq!(desk.outcomes(), [Outcome::Cut(job)]);
            assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
        }
    }
    assert_eq!(calls, 16, "the limit is raised for the first two only");
    assert_eq!(desk.failures().len(), 1);
}

#[test]
fn a_cut_reply_is_forgotten_with_the_next_good_one() {
    let mut desk = Desk::with_jobs(1);
    for job in (1..=60).step_by(2) {
        desk.push(wish(job));
        for raised in [false, true] {
            let call = desk.call();
            assert_eq!(call.raised, raised);
            desk.answer(&call, Class::Truncated, &[]);
        }
        desk.push(wish(job + 1));
        let call = desk.call();
        desk.succeed(&call);
        assert_eq!(desk.outcomes(), [Outcome::Cut(job), Outcome::Done(job + 1)]);
    }
}
