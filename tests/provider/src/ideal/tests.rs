//! Times that can be worked out by hand.

use super::*;
use crate::script::Faults;

const CEILINGS: Ceilings = Ceilings { batch: 10, chars: 10_000, first_batch: 4, concurrency: 4 };

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n:04}")).collect()
}

fn run(script: &Script, texts: &[String], ceilings: Ceilings) -> Least {
    least(script, texts, ceilings, true).unwrap()
}

fn seconds(latency: u64) -> Script {
    Script { latency_ms: latency * 1000, ..Script::default() }
}

fn always(faults: Faults) -> Script {
    Script { faults, ..seconds(1) }
}

#[test]
fn without_faults_the_rounds_grow_by_one_call() {
    // 4 texts alone, then rounds of 2, 3, 4 and 4 batches of ten.
    let done = run(&seconds(1), &texts(4 + 130), CEILINGS);
    assert_eq!((done.first, done.last), (Duration::from_secs(1), Duration::from_secs(5)));
    assert_eq!((done.calls, done.translated, done.refused), (14, 134, 0));
}

#[test]
fn labels_travel_apart_from_longer_texts() {
    let mut mixed = texts(10);
    mixed.extend((0..10).map(|n| format!("a text of five words {n}")));
    // Four labels alone, then six labels and ten longer ones side by side.
    let done = run(&seconds(1), &mixed, CEILINGS);
    assert_eq!((done.calls, done.last), (3, Duration::from_secs(2)));
}

#[test]
fn a_batch_keeps_to_its_characters() {
    let ceilings = Ceilings { chars: 25, ..CEILINGS };
    // Nine characters a text: two a batch; one longer than the ceiling alone.
    let mut all = texts(4);
    all.push("long ".repeat(6).trim().to_owned());
    let script = Script { max_concurrent: Some(1), ..seconds(1) };
    let done = run(&script, &all, ceilings);
    assert_eq!((done.calls, done.translated), (3, 5));
    assert_eq!(bare_bound(&seconds(4), &all, ceilings), Duration::from_secs(3));
}

#[test]
fn equal_texts_are_sent_once() {
    let twice = [texts(20), texts(20)].concat();
    assert_eq!(run(&seconds(1), &twice, CEILINGS), run(&seconds(1), &texts(20), CEILINGS));
}

#[test]
fn a_full_window_is_waited_for_and_never_run_into() {
    let script = Script { requests_per_minute: Some(3), ..seconds(1) };
    // Calls at 0, 1 and 1; the first leaves the window at 60, the others at 61.
    let done = run(&script, &texts(4 + 40), CEILINGS);
    assert_eq!((done.calls, done.last), (5, Duration::from_secs(62)));
}

#[test]
fn the_servers_concurrency_is_never_exceeded() {
    let script = Script { max_concurrent: Some(1), ..seconds(1) };
    let done = run(&script, &texts(4 + 30), CEILINGS);
    assert_eq!((done.calls, done.last), (4, Duration::from_secs(4)));
}

#[test]
fn refused_texts_are_isolated_by_halving_and_the_rest_is_translated() {
    let script = Script { refuse: vec!["text 0003".into()], ..seconds(1) };
    let ceilings = Ceilings { first_batch: 8, ..CEILINGS };
    // 0-7 refused, 0-3 in, 4-7 and (once 0-3 has succeeded) nothing beside it;
    // then 0 to 3 alone: 1 + 2 + 4 calls, at most three at a time at the end.
    let done = run(&script, &texts(8), ceilings);
    assert_eq!((done.calls, done.translated, done.refused), (7, 7, 1));
    assert_eq!(done.last, Duration::from_secs(5));
}

#[test]
fn an_empty_answer_waits_three_seconds_and_the_second_time_is_halved() {
    let script = always(Faults { empty: 100.0, ..Faults::default() });
    // 0-1 empty, 4-5 empty, then at 8 the halves, one and then the other.
    let done = run(&script, &texts(4), CEILINGS);
    assert_eq!((done.calls, done.last), (4, Duration::from_secs(10)));
}

#[test]
fn a_dropped_item_goes_back_at_once() {
    let script = always(Faults { dropped: 100.0, ..Faults::default() });
    // 3 of 4 at 1; the fourth alone brings nothing at 2, is sent at 5.
    let done = run(&script, &texts(4), CEILINGS);
    assert_eq!((done.calls, done.translated), (3, 4));
    assert_eq!((done.first, done.last), (Duration::from_secs(1), Duration::from_secs(6)));
}

#[test]
fn the_rest_of_a_cut_answer_goes_back_at_once() {
    let script = always(Faults { truncated: 100.0, ..Faults::default() });
    // 2 of 4 at 1, then 1 of 2 at 2, the last at 3.
    let done = run(&script, &texts(4), CEILINGS);
    assert_eq!((done.calls, done.last), (3, Duration::from_secs(3)));
}

#[test]
fn a_503_closes_the_gate_for_ten_seconds_and_twenty_after_a_refused_probe() {
    let script = always(Faults { unavailable: 100.0, ..Faults::default() });
    // Refused at 1, probed 11-12, probed 32-33.
    let done = run(&script, &texts(4), CEILINGS);
    assert_eq!((done.calls, done.last), (3, Duration::from_secs(33)));
}

#[test]
fn under_the_faults_of_the_guide_exactly_the_refused_texts_fail() {
    let faults = Faults {
        empty: 8.0,
        dropped: 4.0,
        short: 4.0,
        shifted: 1.0,
        truncated: 3.0,
        unavailable: 3.0,
    };
    let ceilings = Ceilings { batch: 20, chars: 10_000, first_batch: 8, concurrency: 4 };
    for seed in 0..200 {
        let refuse = (0..6).map(|n| format!("text {:04}", n * 97)).collect();
        let limit = Some(60);
        let script = Script { seed, faults, refuse, requests_per_minute: limit, ..seconds(1) };
        let done = run(&script, &texts(600), ceilings);
        assert_eq!((done.translated, done.refused), (594, 6), "seed {seed}");
        assert!(done.last > bare_bound(&script, &texts(600), ceilings));
        assert!(done.last < Duration::from_secs(240), "seed {seed}: {:?}", done.last);
    }
}

#[test]
fn a_script_that_admits_nothing_has_no_least_time() {
    let script = Script { requests_per_minute: Some(0), ..Script::default() };
    assert_eq!(least(&script, &texts(1), CEILINGS, true), None);
}

#[test]
fn the_bare_bound_is_calls_by_ceiling_times_latency() {
    let bound = bare_bound(&seconds(2), &texts(80), CEILINGS);
    assert_eq!(bound, Duration::from_secs(4));
}
