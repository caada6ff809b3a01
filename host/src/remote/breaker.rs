//! When a server that fails is asked again. Time is passed in.

use std::time::Duration;

/// So many failures in a row, and it is left alone.
const FAILURES: u32 = 3;

/// For so long the first time; twice as long after each trial that fails.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// At most for so long.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// Counts failures.
#[derive(Debug)]
pub struct Breaker {
    failures: u32,
    pause: Duration,
    until: Duration,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 0, pause: FIRST_PAUSE, until: Duration::ZERO }
    }
}

impl Breaker {
    /// Whether the server may be asked now.
    #[must_use]
    pub fn allows(&self, now: Duration) -> bool {
        now >= self.until
    }

    /// Returns how long it is still left alone; none when it is not.
    #[must_use]
    pub fn left(&self, now: Duration) -> Option<Duration> {
        (!self.allows(now)).then(|| self.until.saturating_sub(now))
    }

    /// Takes note of an answer.
    pub fn answered(&mut self) {
        *self = Self::default();
    }

    /// Takes note of a failure; returns the pause that begins with it, if one
    /// does. What fails during a pause was asked before it and says nothing new.
    pub fn failed(&mut self, now: Duration) -> Option<Duration> {
        if !self.allows(now) {
            return None;
        }
        self.failures += 1;
        if self.failures < FAILURES {
            return None;
        }
        let pause = self.pause;
        self.until = now + pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn three_failures_in_a_row_open_it_for_half_a_minute() {
        let mut breaker = Breaker::default();
        assert_eq!((breaker.failed(at(1)), breaker.failed(at(2))), (None, None));
        breaker.answered();
        assert_eq!((breaker.failed(at(3)), breaker.failed(at(4))), (None, None));
        assert!(breaker.allows(at(4)));
        assert_eq!(breaker.failed(at(5)), Some(at(30)));
        assert!(!breaker.allows(at(34)) && breaker.allows(at(35)));
        assert_eq!((breaker.left(at(10)), breaker.left(at(35))), (Some(at(25)), None));
    }

    #[test]
    fn each_failed_trial_doubles_the_pause_up_to_ten_minutes() {
        let mut breaker = Breaker::default();
        let mut now = at(0);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            if let Some(pause) = breaker.failed(now) {
                assert_eq!(breaker.failed(now + pause / 2), None, "what was asked before");
                pauses.push(pause.as_secs());
                now += pause;
            }
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600, 600]);
        breaker.answered();
        assert_eq!((breaker.failed(now), breaker.failed(now)), (None, None));
        assert_eq!(breaker.failed(now), Some(at(30)));
    }
}
