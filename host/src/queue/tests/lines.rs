//! Providers that go out and come back, and those that take over.

use super::*;

fn both(job: JobId) -> Wish {
    Wish { providers: vec![0, 1], ..wish(job) }
}

/// Lets the provider fall silent until it is out, at 6 s.
fn go_silent(desk: &mut Desk) {
    for _ in 0..3 {
        let call = desk.call();
        assert_eq!(call.provider, 0);
        desk.silence(&call);
        desk.now = desk.queue.next_wake(desk.now).unwrap_or(desk.now);
    }
}

#[test]
fn three_silent_calls_in_a_row_mean_no_connection() {
    let mut desk = Desk::with_jobs(4);
    go_silent(&mut desk);
    let until = Some(secs(6 + NETWORK_OUT));
    assert_eq!(
        desk.queue.state(0, desk.now),
        LineState::OutUntil { until, failure: Failure::Network }
    );
    let failed = [1, 2, 3, 4].map(|job| (job, Failure::Network, until));
    assert_eq!(desk.failures(), failed);
    desk.push(wish(9));
    assert_eq!(desk.failures(), [(9, Failure::Network, until)], "at once");
}

#[test]
fn a_local_server_is_given_up_after_two() {
    let mut desk = Desk::new(vec![Line { local: true, ..line() }]);
    desk.push(wish(1));
    for _ in 0..2 {
        let call = desk.call();
        desk.silence(&call);
        desk.now = secs(3);
    }
    assert_eq!(desk.failures(), [(1, Failure::Network, Some(secs(303)))]);
}

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
fn an_out_that_ended_lets_one_probe_through_and_lasts_longer_each_time() {
    let mut desk = Desk::with_jobs(1);
    go_silent(&mut desk);
    desk.outcomes();
    for minutes in [10, 20, 40, 60, 60] {
        let LineState::OutUntil { until: Some(until), .. } = desk.queue.state(0, desk.now) else {
            panic!("the provider is out");
        };
        desk.now = until;
        (1..=20).for_each(|job| desk.push(wish(job)));
        let probe = desk.call();
        assert_eq!(desk.next(), None, "one probe");
        desk.silence(&probe);
        let until = Some(desk.now + secs(minutes * 60));
        assert_eq!(desk.failures().len(), 20);
        let failure = Failure::Network;
        assert_eq!(desk.queue.state(0, desk.now), LineState::OutUntil { until, failure });
    }
}

#[test]
fn a_probe_that_succeeds_ends_the_out_and_its_ladder() {
    let mut desk = Desk::with_jobs(1);
    go_silent(&mut desk);
    desk.outcomes();
    desk.now += secs(NETWORK_OUT);
    (1..=40).for_each(|job| desk.push(wish(job)));
    let probe = desk.call();
    desk.succeed(&probe);
    let calls = desk.calls();
    assert_eq!(calls.len(), 2);
    for call in &calls {
        desk.silence(call);
    }
    let call = {
        desk.now += secs(3);
        desk.call()
    };
    desk.silence(&call);
    let until = Some(desk.now + secs(NETWORK_OUT));
    assert_eq!(
        desk.queue.state(0, desk.now),
        LineState::OutUntil { until, failure: Failure::Network }
    );
}

#[test]
fn what_waits_for_a_provider_that_is_out_goes_to_the_next() {
    let mut desk = Desk::new(vec![line(), line()]);
    (1..=20).for_each(|job| desk.push(both(job)));
    let call = desk.call();
    let quota = Verdict { out_for: Some(secs(999)), ..verdict(&call, Class::QuotaExhausted, &[]) };
    let late = desk.call();
    desk.finish(&call, &quota);
    assert_eq!(desk.failures(), []);
    let next = desk.call();
    assert_eq!(next.provider, 1);
    // The call that was in flight is welcome, and does not end the quota.
    desk.succeed(&late);
    assert_eq!(desk.outcomes().len(), 8);
    assert!(matches!(desk.queue.state(0, desk.now), LineState::OutUntil { .. }));
    desk.push(both(30));
    desk.succeed(&next);
    while let Some(call) = desk.next() {
        assert_eq!(call.provider, 1);
        desk.succeed(&call);
    }
    assert_eq!(desk.outcomes().len(), 13);
}

#[test]
fn what_one_provider_refuses_goes_to_the_next() {
    let mut desk = Desk::new(vec![line(), line()]);
    desk.push(both(1));
    let call = desk.call();
    desk.answer(&call, Class::Blocked, &[]);
    assert_eq!(desk.outcomes(), [Outcome::Refused { job: 1, provider: 0 }]);
    let call = desk.call();
    assert_eq!(call.provider, 1);
    desk.succeed(&call);
    assert_eq!(desk.outcomes(), [Outcome::Done(1)]);
}

#[test]
fn attempts_are_counted_for_each_provider() {
    let mut desk = Desk::new(vec![line(), line()]);
    desk.push(both(1));
    for asked in 0..8 {
        let call = desk.call();
        assert_eq!(call.provider, asked / 4);
        desk.answer(&call, Class::Malformed, &[]);
        desk.now += secs(3);
    }
    assert_eq!(desk.failures(), [(1, Failure::BadReply, None)]);
}

#[test]
fn the_out_that_ends_first_is_named_when_none_is_ready() {
    let mut desk = Desk::new(vec![line(), line(), line()]);
    desk.queue.impose_out(desk.now, 0, None, Failure::Unauthorized);
    desk.queue.impose_out(desk.now, 1, Some(secs(900)), Failure::QuotaExhausted);
    desk.queue.impose_out(desk.now, 2, Some(secs(300)), Failure::Network);
    desk.push(Wish { providers: vec![0, 2, 1], ..wish(1) });
    assert_eq!(desk.failures(), [(1, Failure::Network, Some(secs(300)))]);
    desk.push(Wish { providers: vec![], ..wish(2) });
    assert_eq!(desk.failures(), [(2, Failure::NotConfigured, None)]);
}

#[test]
fn only_other_settings_end_a_config_error() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    desk.answer(&call, Class::ConfigError, &[]);
    assert_eq!(desk.failures(), [(1, Failure::Misconfigured, None)]);
    desk.now = secs(1_000_000);
    desk.queue.reader_retries(desk.now);
    desk.push(wish(2));
    assert_eq!(desk.failures(), [(2, Failure::Misconfigured, None)]);
    desk.queue.replace_lines(desk.now, vec![line()], Some);
    desk.push(wish(3));
    assert_eq!(desk.call().jobs, [3]);
}

#[test]
fn a_line_that_is_misconfigured_from_the_start_is_never_asked() {
    let mut desk = Desk::new(vec![Line { ready: Err(Failure::Unauthorized), ..line() }, line()]);
    desk.push(both(1));
    assert_eq!(desk.call().provider, 1);
}

#[test]
fn the_readers_retry_probes_what_is_out_but_no_quota() {
    for (class, probed) in [(Class::ConfigError, true), (Class::QuotaExhausted, false)] {
        let mut desk = Desk::with_jobs(1);
        let call = desk.call();
        let told = Verdict { out_for: Some(secs(300)), ..verdict(&call, class, &[]) };
        desk.finish(&call, &told);
        assert_eq!(desk.failures().len(), 1);
        desk.queue.reader_retries(desk.now);
        desk.push(wish(2));
        desk.push(Wish { group: 5, ..wish(3) });
        assert_eq!(desk.next().is_some(), probed);
        assert_eq!(desk.next(), None, "one probe only");
    }
}

#[test]
fn other_lines_take_over_what_waits() {
    let slow = Line { fingerprint: 7, ..line() };
    let mut desk = Desk::new(vec![slow.clone()]);
    (1..=20).for_each(|job| desk.push(both(job)));
    let (first, second) = (desk.call(), desk.call());
    desk.answer(&first, Class::RateLimited, &[]);
    // The line moves to the second place, and takes its pause and call along.
    desk.queue.replace_lines(desk.now, vec![Line { fingerprint: 8, ..line() }, slow], Some);
    assert!(matches!(desk.queue.state(1, desk.now), LineState::WaitingUntil { .. }));
    assert_eq!(desk.call().provider, 0);
    desk.succeed(&second);
    assert_eq!(desk.outcomes().len(), 8);
    assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
}

#[test]
fn a_late_verdict_of_a_line_that_is_gone_touches_no_other() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    desk.queue.replace_lines(desk.now, vec![Line { fingerprint: 1, ..line() }], Some);
    desk.answer(&call, Class::ConfigError, &[]);
    assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
    let call = desk.call();
    desk.succeed(&call);
    assert_eq!(desk.outcomes(), [Outcome::Done(1)]);
    assert!(desk.queue.is_empty());
}

#[test]
fn what_waits_follows_its_providers_to_their_new_places() {
    let mut desk = Desk::new(vec![line(), Line { fingerprint: 7, ..line() }]);
    desk.push(Wish { providers: vec![1], ..wish(1) });
    desk.push(Wish { providers: vec![0], ..wish(2) });
    let kept = vec![Line { fingerprint: 7, ..line() }];
    desk.queue.replace_lines(desk.now, kept, |place| (place == 1).then_some(0));
    assert_eq!(desk.failures(), [(2, Failure::NotConfigured, None)]);
    assert_eq!(desk.call().jobs, [1]);
}

#[test]
fn cut_replies_to_single_texts_put_a_provider_out_only_when_they_are_many() {
    let mut desk = Desk::with_jobs(1);
    let mut calls = 0;
    for job in 1..=15 {
        desk.push(wish(job));
        while let Some(call) = desk.next() {
            desk.answer(&call, Class::Truncated, &[]);
            calls += 1;
        }
        if job < 15 {
            assert_eq!(desk.outcomes(), [Outcome::Cut(job)]);
            assert_eq!(desk.queue.state(0, desk.now), LineState::Ready);
        }
    }
    assert_eq!(calls, 16, "the limit is raised for the first one only");
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
