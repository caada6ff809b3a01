//! A provider that says "too many" and no more.

use super::*;

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Ten calls in the first ten seconds, and an eleventh that is refused.
fn refused_after_ten() -> Window {
    let mut window = Window::new();
    for call in 0..=10 {
        window.push(secs(call), Some(call), 0, 0);
    }
    window.refused(secs(10), 10, true);
    window
}

#[test]
fn nothing_is_believed_before_it_was_tried() {
    let window = refused_after_ten();
    assert_eq!(window.limit(), None);
    assert_eq!(window.requests_open_at(secs(20), None), secs(20), "the probe goes");
}

#[test]
fn a_refused_probe_makes_the_calls_that_were_let_in_the_limit() {
    let mut window = refused_after_ten();
    window.push(secs(20), Some(11), 0, 0);
    window.refused(secs(20), 11, true);
    assert_eq!(window.limit(), Some(10));
    assert_eq!(window.requests_open_at(secs(20), None), MINUTE);
    assert_eq!(window.requests_open_at(secs(20), Some(4)), secs(8) + MINUTE, "all count there");
}

#[test]
fn a_probe_that_passes_too_early_shows_another_window() {
    let mut window = refused_after_ten();
    window.push(secs(20), Some(11), 0, 0);
    window.passed(secs(20));
    assert_eq!((window.limit(), window.guess), (None, None));
}

#[test]
fn a_probe_that_passes_when_calls_have_left_the_window_confirms_it() {
    let mut window = refused_after_ten();
    window.push(secs(62), Some(11), 0, 0);
    window.passed(secs(62));
    assert_eq!(window.limit(), Some(10));
}

#[test]
fn what_was_in_flight_with_the_refused_call_is_not_counted_as_let_in() {
    let mut window = Window::new();
    for call in 0..8 {
        window.push(secs(0), Some(call), 0, 0);
    }
    for call in 5..8 {
        window.refused(secs(1), call, call == 5);
    }
    assert_eq!((window.guess, window.limit()), (Some(5), None));
}

#[test]
fn where_none_was_let_in_nothing_is_found() {
    let mut window = Window::new();
    for call in 0..3 {
        window.push(secs(call), Some(call), 0, 0);
        window.refused(secs(call), call, true);
    }
    assert_eq!(window.guess, None);
}

#[test]
fn a_found_limit_is_tried_again_after_ever_more_calls() {
    let mut window = refused_after_ten();
    window.push(secs(20), Some(11), 0, 0);
    window.refused(secs(20), 11, true);
    let mut now = secs(20);
    for expected in [20, 80, 320] {
        assert_eq!(window.limit(), Some(10));
        let mut passed = 0;
        while window.limit().is_some() {
            now = window.requests_open_at(now, None);
            window.push(now, None, 0, 0);
            window.passed(now);
            passed += 1;
        }
        assert_eq!(passed, expected);
        // The next call is one too many: found again, the limit needs no probe.
        window.push(now, Some(99), 0, 0);
        window.refused(now, 99, true);
    }
}
