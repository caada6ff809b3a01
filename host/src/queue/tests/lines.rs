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
