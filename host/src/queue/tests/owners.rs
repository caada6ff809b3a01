//! Ranks, turns, coalescing, cancelling.

use super::*;

#[test]
fn visible_text_goes_at_once_and_the_rest_waits_50_ms_for_its_batch() {
    let mut desk = Desk::new(vec![line()]);
    desk.push(Wish { rank: 1, ..wish(1) });
    assert_eq!(desk.sleep(), ms(50));
    desk.call();
    desk.push(Wish { rank: 1, ..wish(2) });
    desk.push(Wish { rank: 0, ..wish(3) });
    assert_eq!(desk.call().jobs, [3, 2], "what is visible takes the rest along");
}

#[test]
fn a_full_batch_does_not_wait() {
    let mut desk = Desk::new(vec![line()]);
    (1..=7).for_each(|job| desk.push(Wish { rank: 2, ..wish(job) }));
    assert_eq!(desk.next(), None);
    desk.push(Wish { rank: 2, ..wish(8) });
    assert_eq!(desk.call().jobs.len(), 8);
}

#[test]
fn a_page_appears_in_its_own_order_whatever_its_groups() {
    let mut desk = Desk::new(vec![line()]);
    // Longer texts stand before labels and after them.
    for (job, group) in [(1, 9), (2, 4), (3, 4), (4, 9), (5, 4)] {
        desk.push(Wish { group, ..wish(job) });
    }
    assert_eq!(desk.call().jobs, [1, 4]);
    assert_eq!(desk.call().jobs, [2, 3, 5]);
}

#[test]
fn the_best_rank_goes_first() {
    let mut desk = Desk::new(vec![line()]);
    (1..=20).for_each(|job| desk.push(Wish { rank: 2, ..wish(job) }));
    (21..=28).for_each(|job| desk.push(Wish { rank: 1, owner: 2, group: 1, ..wish(job) }));
    (31..=38).for_each(|job| desk.push(Wish { rank: 0, owner: 3, group: 2, ..wish(job) }));
    assert_eq!(desk.call().group, 2);
    assert_eq!(desk.call().group, 1);
}

#[test]
fn owners_take_turns() {
    let limits = Limits { segments: 2, first_segments: 2, concurrency: 1, ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    for owner in 1..=3 {
        (0..6).for_each(|n| {
            desk.push(Wish { owner, group: owner, ..wish(owner * 10 + n) });
        });
    }
    let mut served = Vec::new();
    while let Some(call) = desk.next() {
        served.push(call.group);
        desk.succeed(&call);
    }
    assert_eq!(served, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

#[test]
fn the_first_batch_of_each_owner_is_small() {
    let limits = Limits { first_segments: 3, ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    (1..=20).for_each(|job| desk.push(wish(job)));
    assert_eq!(desk.call().jobs, [1, 2, 3]);
    assert_eq!(desk.call().jobs.len(), 8);
}

#[test]
fn groups_and_changed_texts_never_share_a_batch() {
    let mut desk = Desk::new(vec![line()]);
    desk.push(wish(1));
    desk.push(Wish { group: 7, ..wish(2) });
    let calls = [desk.call(), desk.call()];
    assert_eq!(calls.map(|call| (call.group, call.jobs)), [(0, vec![1]), (7, vec![2])]);

    let mut desk = Desk::with_jobs(1);
    desk.push(Wish { changed: true, ..wish(2) });
    let calls = [desk.call(), desk.call()];
    assert_eq!(calls.map(|call| (call.changed, call.jobs)), [(false, vec![1]), (true, vec![2])]);
}

#[test]
fn owners_of_one_group_fill_each_others_batches() {
    let mut desk = Desk::new(vec![line()]);
    (1..=2).for_each(|job| desk.push(wish(job)));
    desk.call();
    (3..=4).for_each(|job| desk.push(wish(job)));
    (5..=6).for_each(|job| desk.push(Wish { owner: 2, rank: 1, ..wish(job) }));
    assert_eq!(desk.call().jobs, [3, 4, 5, 6]);
}

#[test]
fn prioritized_jobs_go_first_also_when_they_wait_in_a_batch() {
    let mut desk = Desk::new(vec![line()]);
    (1..=20).for_each(|job| desk.push(Wish { rank: 2, ..wish(job) }));
    desk.queue.prioritize(1, &[20, 99], 0);
    desk.queue.prioritize(2, &[19], 0);
    assert_eq!(desk.call().jobs[0], 20);
    let waits = desk.call();
    desk.answer(&waits, Class::Partial, &[]);
    desk.queue.prioritize(1, &[waits.jobs[7]], 0);
    assert_eq!(desk.call().jobs, waits.jobs[4..]);
}

#[test]
fn a_text_that_two_want_has_the_better_rank_and_is_sent_once() {
    let mut desk = Desk::new(vec![line()]);
    desk.push(Wish { rank: 2, ..wish(1) });
    desk.queue.join(1, 2, 0);
    let call = desk.call();
    assert_eq!(call.jobs, [1]);
    desk.succeed(&call);
    assert_eq!(desk.outcomes(), [Outcome::Done(1)]);
    assert!(desk.queue.is_empty());
}

#[test]
fn cancel_drops_what_nobody_else_wants_and_lets_calls_go_on() {
    let mut desk = Desk::with_jobs(10);
    let call = desk.call();
    desk.queue.join(9, 2, 1);
    assert_eq!(desk.queue.cancel(1), [10]);
    let all: Vec<usize> = (1..8).collect();
    desk.answer(&call, Class::Partial, &all);
    let mut expected: Vec<Outcome> = vec![Outcome::Dropped(1)];
    expected.extend((2..=8).map(Outcome::Done));
    assert_eq!(desk.outcomes(), expected);
    desk.now = ms(50);
    assert_eq!(desk.call().jobs, [9]);
}

#[test]
fn cancel_takes_single_jobs_out_of_a_batch_that_waits() {
    let mut desk = Desk::with_jobs(3);
    desk.push(Wish { owner: 2, ..wish(4) });
    let call = desk.call();
    desk.answer(&call, Class::Empty, &[]);
    assert_eq!(desk.queue.cancel(1), [1, 2, 3]);
    desk.now = secs(3);
    assert_eq!(desk.call().jobs, [4]);
}

#[test]
fn an_owner_is_told_what_it_waits_for() {
    let mut desk = Desk::with_jobs(1);
    let call = desk.call();
    assert_eq!(desk.queue.waiting(desk.now, 1), None);
    desk.answer(&call, Class::RateLimited, &[]);
    let waiting = Waiting { failure: Failure::RateLimited, provider: 0, until: secs(10) };
    assert_eq!(desk.queue.waiting(desk.now, 1), Some(waiting));
    assert_eq!(desk.queue.waiting(desk.now, 2), None);
}

#[test]
fn a_hundred_thousand_jobs_are_no_trouble() {
    let mut desk = Desk::new(vec![line()]);
    for job in 1..=100_000 {
        desk.push(Wish { owner: job % 500, rank: (job % 3) as u8, ..wish(job) });
    }
    let started = std::time::Instant::now();
    let mut calls = 0;
    desk.now = ms(50);
    while let Some(call) = desk.next() {
        calls += 1;
        desk.succeed(&call);
        desk.outcomes();
    }
    assert!((12_500..12_600).contains(&calls), "{calls}");
    assert!(started.elapsed() < secs(10), "{:?}", started.elapsed());
}
