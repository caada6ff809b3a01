//! Calls that are not made after all.

use super::*;

#[test]
fn jobs_that_another_host_claimed_leave_their_call() {
    let mut desk = Desk::with_jobs(3);
    let mut call = desk.call();
    assert!(desk.queue.take_out(call.id, &[1, 3, 99]));
    call.jobs = vec![2];
    desk.answer(&call, Class::Blocked, &[]);
    let refused = Outcome::Refused { job: 2, provider: 0 };
    assert_eq!(desk.outcomes()[0], refused, "it stood alone in what was sent");
    assert!(desk.queue.is_empty());
    desk.push(wish(1));
    desk.call();
}

#[test]
fn a_call_without_jobs_costs_nothing() {
    let limits =
        Limits { requests_per_minute: Some(1), requests_per_day: Some(1), ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, proven: false, ..line() }]);
    desk.push(wish(1));
    desk.sleep();
    let call = desk.call();
    assert!(call.probe);
    assert!(!desk.queue.take_out(call.id, &[1]));
    assert!(desk.queue.is_empty());
    desk.push(wish(2));
    desk.sleep();
    assert_eq!(desk.call().jobs, [2]);
    assert!(!desk.queue.proven(0), "nothing was learned from it");
}

#[test]
fn a_probe_that_another_host_holds_is_put_back() {
    let mut desk = Desk::with_jobs(2);
    let call = desk.call();
    desk.answer(&call, Class::RateLimited, &[]);
    desk.sleep();
    let probe = desk.call();
    assert!(probe.probe);
    desk.queue.put_back(desk.now, probe.id, secs(25));
    assert_eq!(desk.sleep(), secs(25));
    let probe = desk.call();
    assert_eq!(probe.jobs, [1, 2]);
    desk.answer(&probe, Class::RateLimited, &[]);
    assert_eq!(desk.sleep(), secs(45), "what was put back was not refused");
}

#[test]
fn calls_of_other_hosts_count_in_the_minute() {
    let limits = Limits { requests_per_minute: Some(2), ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    desk.queue.count_call(desk.now, 0, 500);
    desk.push(wish(1));
    desk.call();
    desk.push(wish(2));
    assert!(desk.sleep() > secs(60));
}

#[test]
fn an_imposed_out_is_lifted_by_who_imposed_it_and_another_stays() {
    let mut desk = Desk::new(vec![line(), Line { fingerprint: 1, ..line() }]);
    let until = secs(3600);
    let wish = |job| Wish { providers: vec![0, 1], ..wish(job) };
    desk.push(wish(1));
    desk.queue.impose_out(desk.now, 0, Some(until), Failure::QuotaExhausted);
    assert_eq!(desk.call().provider, 1, "what waited moved on");
    desk.queue.reader_retries(desk.now);
    desk.push(wish(2));
    assert_eq!(desk.call().provider, 1, "a retry does not pass it by");

    desk.queue.lift_out(0, secs(3601));
    assert_eq!(
        desk.queue.state(0, desk.now),
        LineState::OutUntil { until: Some(until), failure: Failure::QuotaExhausted }
    );
    desk.queue.lift_out(0, until);
    desk.push(wish(3));
    let call = desk.call();
    assert_eq!((call.provider, call.probe), (0, false));

    desk.answer(&call, Class::ConfigError, &[]);
    desk.queue.lift_out(0, until);
    let out = LineState::OutUntil { until: None, failure: Failure::Misconfigured };
    assert_eq!(desk.queue.state(0, desk.now), out);
}

#[test]
fn when_an_imposed_out_ends_by_itself_the_first_provider_is_the_first_again() {
    let mut desk = Desk::new(vec![line(), Line { fingerprint: 1, ..line() }]);
    let wish = |job| Wish { providers: vec![0, 1], ..wish(job) };
    desk.queue.impose_out(desk.now, 0, Some(secs(60)), Failure::QuotaExhausted);
    desk.push(wish(1));
    let call = desk.call();
    assert_eq!(call.provider, 1);
    desk.succeed(&call);
    desk.now = secs(60);
    desk.push(wish(2));
    let call = desk.call();
    assert_eq!((call.provider, call.probe), (0, true));
    desk.succeed(&call);
    desk.push(wish(3));
    assert_eq!(desk.call().provider, 0);
}
