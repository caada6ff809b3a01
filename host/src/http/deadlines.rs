//! How long a call is waited for.

use std::time::Duration;

/// How long a call is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Until the first byte of the body has come.
    pub first_byte: Duration,
    /// Between two bytes of the body.
    pub between: Duration,
    /// For all of it.
    pub total: Duration,
}

impl Deadlines {
    /// Returns the deadlines of an answer that comes whole, when it is written.
    #[must_use]
    pub const fn whole(total: Duration) -> Self {
        Self { first_byte: total, between: total, total }
    }

    /// Returns the deadlines of an answer that comes as it is written. A server
    /// that is `patient` with its first byte may load its model first.
    #[must_use]
    pub fn in_parts(total: Duration, patient: bool) -> Self {
        let first_byte = if patient { total } else { (total / 2).max(LEAST_FIRST_BYTE) };
        let between = (total / 4).max(LEAST_BETWEEN);
        Self { first_byte: first_byte.min(total), between: between.min(total), total }
    }
}

/// A model that is asked not to think has begun by then, also in a rush.
const LEAST_FIRST_BYTE: Duration = Duration::from_secs(30);

/// No model that writes at all pauses for so long between two words.
const LEAST_BETWEEN: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(total_s: u64, patient: bool, first_byte_s: u64, between_s: u64) {
        let found = Deadlines::in_parts(Duration::from_secs(total_s), patient);
        let seconds = [found.first_byte, found.between, found.total].map(|d| d.as_secs());
        assert_eq!(seconds, [first_byte_s, between_s, total_s]);
    }

    #[test]
    fn the_deadlines_of_a_stream_follow_the_total_one() {
        check(60, false, 30, 15);
        check(300, false, 150, 75);
        check(300, true, 300, 75);
        check(40, false, 30, 15);
        check(20, false, 20, 15);
        check(1, true, 1, 1);
    }
}
