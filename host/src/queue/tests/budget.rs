//! What the provider lets in, and what it says about it.

use super::*;

fn limited(call: &Call, window: bool) -> Verdict {
    Verdict { window, ..verdict(call, Class::RateLimited, &[]) }
}

#[test]
fn an_advice_is_waited_for_with_one_probe_at_its_end() {
    for (advice, jitter, wait) in
        [(17, 0.0, ms(17_000)), (17, 1.0, ms(20_400)), (7, 0.0, secs(10)), (7, 1.0, secs(12))]
    {
        let mut desk = Desk::with_jobs(40);
        let call = desk.call();
        let told = Verdict { pause: Some(secs(advice)), ..limited(&call, true) };
        desk.queue.finish(desk.now, call.id, &told, jitter);
        assert_eq!(desk.sleep(), wait);
        let probe = desk.call();
        assert!(probe.probe && desk.next().is_none(), "one probe");
    }
}

/// Ten texts a call, so that a hundred calls are there to be made.
fn many() -> Desk {
    let limits = Limits { segments: 1, first_segments: 1, ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    (1..=100).for_each(|job| desk.push(wish(job)));
    desk
}

#[test]
fn a_full_window_is_probed_once_and_then_waited_for() {
    let mut desk = many();
    // One call a second is let in, until there are ten in the minute.
    for second in 0..10 {
        desk.now = secs(second);
        let call = desk.call();
        desk.succeed(&call);
    }
    let call = desk.call();
    desk.finish(&call, &limited(&call, true));
    assert_eq!(desk.sleep(), secs(9 + 10));
    let probe = desk.call();
    desk.finish(&probe, &limited(&probe, true));
    assert_eq!(desk.sleep(), ms(60_250), "when the first call has left the window");
    for second in 60..70 {
        desk.now = ms(second * 1000 + 250);
        let call = desk.call();
        desk.succeed(&call);
        assert_eq!(desk.next(), None, "ten in a minute, as they were let in");
    }
}

#[test]
fn too_much_to_do_is_no_full_window() {
    let mut desk = many();
    let call = desk.call();
    desk.succeed(&call);
    for pause in [10, 20] {
        let call = desk.call();
        let before = desk.now;
        desk.finish(&call, &limited(&call, false));
        assert_eq!(desk.sleep(), before + secs(pause));
    }
    let probe = desk.call();
    desk.succeed(&probe);
    assert!(desk.next().is_some(), "no limit was found");
}

#[test]
fn another_cause_begins_the_pauses_anew_but_not_without_end() {
    let mut desk = many();
    let mut pauses = Vec::new();
    let mut window = true;
    while desk.queue.state(0, desk.now) == LineState::Ready {
        let call = desk.call();
        desk.finish(&call, &limited(&call, window));
        window = !window;
        if matches!(desk.queue.state(0, desk.now), LineState::WaitingUntil { .. }) {
            let before = desk.now;
            pauses.push(desk.sleep().as_secs() - before.as_secs());
        }
    }
    // What was answered by an overload had been let in: so a limit is found.
    assert_eq!((pauses.len(), &pauses[..4]), (6, &[10; 4][..]));
    assert_eq!(desk.failures().len(), 100);
}

#[test]
fn a_reply_that_used_up_the_budget_spares_the_next_call_its_refusal() {
    let mut desk = many();
    let call = desk.call();
    let stated = Stated { spent_for: Some(secs(25)), ..Stated::default() };
    desk.finish(&call, &Verdict { stated, ..verdict(&call, Class::Ok, &[0]) });
    assert_eq!(desk.outcomes(), [Outcome::Done(1)]);
    let failure = Failure::RateLimited;
    let until = secs(25);
    assert_eq!(desk.queue.state(0, desk.now), LineState::WaitingUntil { until, failure });
    assert_eq!(desk.sleep(), until);
    assert!(!desk.call().probe, "nothing was refused");
}

#[test]
fn a_budget_that_is_used_up_for_long_is_a_quota() {
    let mut desk = Desk::new(vec![line(), line()]);
    (1..=20).for_each(|job| desk.push(Wish { providers: vec![0, 1], ..wish(job) }));
    let call = desk.call();
    let stated = Stated { spent_for: Some(secs(7_000)), ..Stated::default() };
    let all: Vec<usize> = (0..call.jobs.len()).collect();
    desk.finish(&call, &Verdict { stated, ..verdict(&call, Class::Ok, &all) });
    assert_eq!(desk.outcomes().len(), call.jobs.len());
    let (until, failure) = (Some(secs(7_000)), Failure::QuotaExhausted);
    assert_eq!(desk.queue.state(0, desk.now), LineState::OutUntil { until, failure });
    assert_eq!(desk.call().provider, 1);
}

#[test]
fn tokens_of_a_minute_bound_a_batch() {
    let limits = Limits { tokens_per_minute: Some(300), ..line().limits };
    let mut desk = Desk::new(vec![Line { limits, ..line() }]);
    (1..=20).for_each(|job| desk.push(wish(job)));
    // The prompt takes 200; ten tokens of source make twenty.
    let call = desk.call();
    assert_eq!(call.jobs.len(), 5);
    let all: Vec<usize> = (0..5).collect();
    desk.finish(&call, &Verdict { tokens: 250, ..verdict(&call, Class::Ok, &all) });
    assert_eq!(desk.sleep(), ms(60_250));
    assert_eq!(desk.call().jobs.len(), 6, "a text really takes fifteen: it used 50 for 50");
}
