//! One verdict, and what is asked next.

use super::*;

/// After a first call of the jobs 1 to `n`: how long until the next calls, and
/// what they hold.
#[track_caller]
fn check(n: u64, class: Class, done: &[usize], pause: Duration, then: &[&[JobId]]) {
    let mut desk = Desk::with_jobs(n);
    let call = desk.call();
    desk.answer(&call, class, done);
    if !pause.is_zero() {
        assert_eq!(desk.sleep(), pause);
    }
    let calls: Vec<Vec<JobId>> = desk.calls().into_iter().map(|call| call.jobs).collect();
    assert_eq!(calls, then, "{class:?}");
}

#[test]
fn each_class_has_its_pause_and_its_split() {
    let none = Duration::ZERO;
    check(4, Class::Ok, &[0, 1, 2, 3], none, &[]);
    check(4, Class::Partial, &[0, 2], none, &[&[2, 4]]);
    check(4, Class::Partial, &[], none, &[&[1, 2], &[3, 4]]);
    check(4, Class::Malformed, &[], secs(3), &[&[1, 2, 3, 4]]);
    check(4, Class::Malformed, &[1], secs(3), &[&[1, 3, 4]]);
    check(4, Class::Truncated, &[0], none, &[&[2, 3], &[4]]);
    check(4, Class::Truncated, &[0, 1], none, &[&[3, 4]]);
    check(4, Class::Empty, &[], secs(3), &[&[1, 2, 3, 4]]);
    check(4, Class::Transient, &[], secs(3), &[&[1, 2, 3, 4]]);
    check(4, Class::RateLimited, &[], secs(10), &[&[1, 2, 3, 4]]);
    check(4, Class::RateLimited, &[0], secs(10), &[&[2, 3, 4]]);
    check(4, Class::Blocked, &[], none, &[&[1, 2], &[3, 4]]);
    check(4, Class::Blocked, &[0, 1, 2], none, &[&[4]]);
    check(4, Class::TooLarge, &[], none, &[&[1, 2], &[3, 4]]);
    check(4, Class::FeatureError, &[], none, &[&[1, 2, 3, 4]]);
}

#[test]
fn a_bad_reply_halves_the_batch_from_the_second_time_on() {
    for class in [Class::Malformed, Class::Empty, Class::Transient] {
        let mut desk = Desk::with_jobs(4);
        let first = desk.call();
        desk.answer(&first, class, &[]);
        desk.sleep();
        let second = desk.call();
        desk.answer(&second, class, &[]);
        assert_eq!(desk.sleep(), secs(6));
        assert_eq!(desk.call().jobs, [1, 2]);
        assert_eq!(desk.call().jobs, [3, 4]);
    }
}

#[test]
fn silence_never_halves_a_batch() {
    let mut desk = Desk::with_jobs(4);
    for turn in 1..=2 {
        let call = desk.call();
        assert_eq!(call.jobs, [1, 2, 3, 4]);
        desk.silence(&call);
        assert_eq!(desk.sleep(), secs(3 * turn));
    }
    assert_eq!(desk.call().jobs, [1, 2, 3, 4]);

    let mut desk = Desk::with_jobs(4);
    for class in [Class::Empty, Class::Empty] {
        let call = desk.call();
        desk.answer(&call, class, &[]);
        desk.sleep();
    }
    let half = desk.call();
    desk.silence(&half);
    desk.now += secs(3);
    assert!(desk.calls().iter().any(|call| call.jobs == half.jobs), "not from then on either");
}

#[test]
fn a_text_that_stays_away_is_asked_five_times_and_fails_alone() {
    let mut desk = Desk::with_jobs(4);
    let first = desk.call();
    desk.answer(&first, Class::Partial, &[0, 1, 3]);
    for asked in 1..=4 {
        let call = desk.call();
        assert_eq!(call.jobs, [3]);
        desk.answer(&call, Class::Partial, &[]);
        if asked < 4 {
            assert_eq!(desk.sleep(), secs(3 * asked), "only the first miss is forgiven");
        }
    }
    assert_eq!(desk.failures(), [(3, Failure::BadReply, None)]);
    assert!(desk.queue.is_empty());
}

#[test]
fn a_culprit_is_isolated_and_its_neighbours_lose_nothing() {
    let mut desk = Desk::with_jobs(8);
    let mut calls = 0;
    while !desk.queue.is_empty() {
        while let Some(call) = desk.next() {
            calls += 1;
            let all: Vec<usize> = (0..call.jobs.len()).collect();
            let bad = call.jobs.contains(&5);
            desk.answer(
                &call,
                if bad { Class::Empty } else { Class::Ok },
                if bad { &[] } else { &all },
            );
        }
        let failed = desk.failures();
        assert!(failed.iter().all(|(job, failure, _)| (*job, *failure) == (5, Failure::BadReply)));
        if let Some(wake) = desk.queue.next_wake(desk.now) {
            desk.now = wake;
        }
    }
    assert!(calls <= 4 + 2 * 3, "{calls}");
}

#[test]
fn a_batch_that_spent_its_attempts_is_split_without_a_pause() {
    let mut desk = Desk::with_jobs(8);
    for class in [Class::Empty, Class::Empty] {
        let call = desk.call();
        desk.answer(&call, class, &[]);
        desk.sleep();
    }
    // Halved to four and four; the second half is well.
    let (bad, good) = (desk.call(), desk.call());
    desk.succeed(&good);
    desk.answer(&bad, Class::Empty, &[]);
    desk.sleep();
    let (bad, good) = (desk.call(), desk.call());
    desk.succeed(&good);
    assert_eq!(bad.jobs, [1, 2]);
    desk.answer(&bad, Class::Empty, &[]);
    let (first, second) = (desk.call(), desk.call());
    desk.answer(&first, Class::Empty, &[]);
    assert_eq!((first.jobs, second.jobs.clone()), (vec![1], vec![2]));
    desk.succeed(&second);
    assert_eq!(desk.failures(), [(1, Failure::BadReply, None)]);
    assert!(desk.queue.is_empty());
}

#[test]
fn no_miss_is_forgiven_once_the_attempts_are_spent() {
    let mut desk = Desk::with_jobs(2);
    // Silence splits nothing; an answer in between keeps the provider in.
    for class in [None, None, Some(Class::Empty), None] {
        let call = desk.call();
        assert_eq!(call.jobs, [1, 2]);
        match class {
            Some(class) => desk.answer(&call, class, &[]),
            None => desk.silence(&call),
        }
        desk.now += secs(3);
    }
    for job in [1, 2] {
        let call = desk.call();
        assert_eq!(call.jobs, [job]);
        desk.answer(&call, Class::Partial, &[]);
        assert_eq!(desk.failures(), [(job, Failure::BadReply, None)]);
    }
    assert!(desk.queue.is_empty());
}

#[test]
fn a_single_cut_answer_raises_the_limit_once_and_then_cuts_the_text() {
    let mut desk = Desk::with_jobs(1);
    let first = desk.call();
    assert!(!first.raised);
    desk.answer(&first, Class::Truncated, &[]);
    let second = desk.call();
    assert!(second.raised);
    desk.answer(&second, Class::Truncated, &[]);
    assert_eq!(desk.outcomes(), [Outcome::Cut(1)]);
    assert!(desk.queue.is_empty());
}

#[test]
fn a_single_text_that_is_too_large_is_cut() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    desk.answer(&call, Class::TooLarge, &[]);
    assert_eq!(desk.outcomes(), [Outcome::Cut(1)]);
}

#[test]
fn a_limit_that_was_found_holds_for_what_comes_later() {
    // Eight jobs have 80 characters; what was not stated is taken as half.
    for (chars_per_call, fits) in [(Some(30), 3), (Some(0), 4), (None, 4)] {
        let mut desk = Desk::with_jobs(8);
        let call = desk.call();
        let stated = Stated { chars_per_call, ..Stated::default() };
        let told = Verdict { stated, ..verdict(&call, Class::TooLarge, &[]) };
        desk.finish(&call, &told);
        while let Some(call) = desk.next() {
            desk.succeed(&call);
        }
        (11..=18).for_each(|job| desk.push(wish(job)));
        assert_eq!(desk.call().jobs.len(), fits);
    }
}

#[test]
fn a_refused_text_stands_alone_before_it_is_refused() {
    let mut desk = Desk::with_jobs(4);
    let call = desk.call();
    desk.answer(&call, Class::Blocked, &[]);
    let (left, right) = (desk.call(), desk.call());
    desk.succeed(&left);
    desk.answer(&right, Class::Blocked, &[]);
    let (third, fourth) = (desk.call(), desk.call());
    desk.succeed(&third);
    desk.outcomes();
    desk.answer(&fourth, Class::Blocked, &[]);
    let failed =
        Outcome::Failed { job: 4, failure: Failure::Refused, until: None, provider: Some(0) };
    assert_eq!(desk.outcomes(), [Outcome::Refused { job: 4, provider: 0 }, failed]);
    assert_eq!(desk.now, Duration::ZERO, "without a pause");
}

#[test]
fn halves_stay_apart_also_after_a_rate_limit() {
    let mut desk = Desk::with_jobs(4);
    let call = desk.call();
    desk.answer(&call, Class::Blocked, &[]);
    for call in &desk.calls() {
        desk.answer(call, Class::RateLimited, &[]);
    }
    desk.sleep();
    assert_eq!(desk.call().jobs, [1, 2]);
}

#[test]
fn a_doubtful_item_is_asked_once_more_alone() {
    let mut desk = Desk::with_jobs(3);
    let call = desk.call();
    let mut told = verdict(&call, Class::Ok, &[0, 2]);
    told.items[1] = ItemVerdict::Doubtful;
    desk.finish(&call, &told);
    let again = desk.call();
    assert_eq!(again.jobs, [2]);
    desk.succeed(&again);
    assert_eq!(desk.outcomes(), [Outcome::Done(1), Outcome::Done(3), Outcome::Done(2)]);
}

#[test]
fn what_the_session_took_is_forgotten_without_a_word() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    let told = Verdict { items: vec![ItemVerdict::Taken], ..verdict(&call, Class::Ok, &[]) };
    desk.finish(&call, &told);
    assert_eq!(desk.outcomes(), []);
    assert!(desk.queue.is_empty());
}

#[test]
fn features_that_are_never_dropped_end_as_a_misconfiguration() {
    let mut desk = Desk::with_jobs(1);
    for _ in 0..10 {
        let call = desk.call();
        desk.answer(&call, Class::FeatureError, &[]);
    }
    assert_eq!(desk.failures(), [(1, Failure::Misconfigured, None)]);
}

#[test]
fn a_whole_round_that_lacks_one_feature_counts_once() {
    let mut desk = Desk::new(vec![Line {
        limits: Limits { segments: 1, first_segments: 1, concurrency: 9, ..line().limits },
        ..line()
    }]);
    (1..=60).for_each(|job| desk.push(wish(job)));
    for _ in 0..8 {
        let calls = desk.calls();
        for call in &calls {
            desk.succeed(call);
        }
    }
    let calls = desk.calls();
    assert!(calls.len() > 7);
    for call in &calls {
        desk.answer(call, Class::FeatureError, &[]);
    }
    assert_eq!(desk.failures(), []);
}
