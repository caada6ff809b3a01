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
