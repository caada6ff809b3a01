//! The schedule, with made-up time.

use super::*;

fn faulty(seed: u64) -> Schedule {
    let faults = Faults {
        empty: 8.0,
        dropped: 4.0,
        short: 4.0,
        shifted: 0.0,
        truncated: 3.0,
        unavailable: 3.0,
    };
    Schedule::new(Script { seed, faults, ..Script::default() })
}

fn outcome(schedule: &mut Schedule, texts: &[&str]) -> Outcome {
    schedule.decide(Duration::ZERO, texts, true).outcome
}

#[test]
fn a_fault_depends_on_the_set_of_texts_and_not_on_their_order_or_time() {
    let texts: Vec<String> = (0..300).map(|n| format!("text {n}")).collect();
    let pairs: Vec<[&str; 2]> = texts.chunks(2).map(|p| [p[0].as_str(), p[1].as_str()]).collect();
    let mut forwards = faulty(7);
    let there: Vec<_> = pairs.iter().map(|pair| outcome(&mut forwards, pair)).collect();
    let mut backwards = faulty(7);
    let back: Vec<_> = pairs
        .iter()
        .rev()
        .map(|&[a, b]| backwards.decide(Duration::from_secs(900), &[b, a], true).outcome)
        .collect();
    assert!(there.iter().eq(back.iter().rev()));
    let mut other = faulty(8);
    assert!(!pairs.iter().map(|pair| outcome(&mut other, pair)).eq(there));
}

#[test]
fn the_shares_of_faults_are_those_of_the_script() {
    let mut schedule = faulty(1);
    let mut counts: HashMap<Outcome, u32> = HashMap::new();
    for n in 0..10_000 {
        *counts.entry(outcome(&mut schedule, &[&format!("text {n}")])).or_default() += 1;
    }
    for (share, kind) in [(800, Outcome::Empty), (400, Outcome::Short), (300, Outcome::Truncated)] {
        assert!(counts[&kind].abs_diff(share) < 80, "{kind:?}: {counts:?}");
    }
}

#[test]
fn a_text_meets_at_most_two_faults_in_a_run_and_a_reset_forgets_them() {
    let faults = Faults { empty: 100.0, ..Faults::default() };
    let mut schedule = Schedule::new(Script { faults, ..Script::default() });
    let outcomes = |schedule: &mut Schedule| {
        [["a", "b"], ["a", "c"], ["a", "d"], ["c", "e"]].map(|texts| outcome(schedule, &texts))
    };
    let expected = [Outcome::Empty, Outcome::Empty, Outcome::Ok, Outcome::Empty];
    assert_eq!(outcomes(&mut schedule), expected);
    schedule.reset();
    assert_eq!(outcomes(&mut schedule), expected);
}

#[test]
fn a_text_that_stands_twice_in_a_batch_meets_one_fault() {
    let faults = Faults { empty: 100.0, ..Faults::default() };
    let mut schedule = Schedule::new(Script { faults, ..Script::default() });
    assert_eq!(outcome(&mut schedule, &["a", "a"]), Outcome::Empty);
    assert_eq!(outcome(&mut schedule, &["a"]), Outcome::Empty);
    assert_eq!(outcome(&mut schedule, &["a"]), Outcome::Ok);
}

#[test]
fn a_refused_batch_is_no_fault_and_is_refused_for_ever() {
    let mut schedule = Schedule::new(Script { refuse: vec!["bad".into()], ..Script::default() });
    for _ in 0..5 {
        assert_eq!(outcome(&mut schedule, &["good", "a bad one"]), Outcome::Refused);
    }
    assert_eq!(outcome(&mut schedule, &["good"]), Outcome::Ok);
    assert_eq!(schedule.decide(Duration::ZERO, &["bad"], false).outcome, Outcome::Ok);
}

#[test]
fn a_text_that_empties_its_batch_does_so_for_ever() {
    let mut schedule = Schedule::new(Script { empties: vec!["hole".into()], ..Script::default() });
    for _ in 0..5 {
        assert_eq!(outcome(&mut schedule, &["good", "a hole"]), Outcome::Empty);
    }
    assert_eq!(outcome(&mut schedule, &["good"]), Outcome::Ok);
}

#[test]
fn the_window_slides_and_a_refused_call_does_not_count_in_it() {
    let script = Script { requests_per_minute: Some(2), ..Script::default() };
    let mut schedule = Schedule::new(script);
    let mut at = |secs| {
        let decision = schedule.decide(Duration::from_secs(secs), &["a"], true);
        (decision.outcome == Outcome::Ok, decision.retry_after.map(|d| d.as_secs()))
    };
    assert_eq!(at(0), (true, None));
    assert_eq!(at(10), (true, None));
    assert_eq!(at(20), (false, Some(40)));
    assert_eq!(at(59), (false, Some(1)));
    assert_eq!(at(60), (true, None));
    assert_eq!(at(61), (false, Some(9)));
    assert_eq!(at(70), (true, None));
}

#[test]
fn a_call_above_the_concurrency_is_refused_until_one_has_ended() {
    let script = Script { max_concurrent: Some(1), ..Script::default() };
    let mut schedule = Schedule::new(script);
    schedule.begin();
    assert_eq!(outcome(&mut schedule, &["a"]), Outcome::Ok);
    schedule.begin();
    assert_eq!(outcome(&mut schedule, &["b"]), Outcome::TooMany);
    schedule.end();
    assert_eq!(outcome(&mut schedule, &["b"]), Outcome::Ok);
}

#[test]
fn a_call_takes_its_latency_and_the_time_of_its_characters() {
    let script = Script { latency_ms: 100, ms_per_char: 2.0, ..Script::default() };
    let decision = Schedule::new(script).decide(Duration::ZERO, &["ab", "가나다"], true);
    assert_eq!(decision.takes, Duration::from_millis(110));
}
