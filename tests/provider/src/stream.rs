//! An answer in parts, as a model writes it: what is sent when, and how it
//! stops before its end.
//!
//! What must stay true: where the script says nothing else, the last part is
//! sent when a whole answer would have been, so that a schedule takes the same
//! time for clients that ask for parts and for those that do not.

use bytes::Bytes;
use serde::Deserialize;
use std::time::Duration;

/// How calls are answered that ask for parts. The default spreads the parts
/// evenly over the time of the call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Streaming {
    /// Time to the first byte, the head included; none is an even share.
    pub first_byte_ms: Option<u64>,
    /// Time between two parts. With it the call takes as long as its parts do.
    pub between_ms: Option<u64>,
    /// Whether every call is answered whole, as by a server that knows no parts.
    pub ignored: bool,
    /// What goes wrong, in this order, one for each answer in parts that would
    /// otherwise have been good.
    pub faults: Vec<StreamFault>,
}

/// What goes wrong in the middle of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamFault {
    /// The connection ends after so many bytes of the body.
    BreakAfterBytes(usize),
    /// Nothing comes after so many parts, and the connection stays.
    HangAfterParts(usize),
    /// Nothing comes after so many parts until `Server::release` is called.
    HoldAfterParts(usize),
    /// After so many parts comes an error, in the protocol's own way.
    ErrorAfterParts(usize),
    /// One byte at a time, with so many milliseconds between two.
    DripMs(u64),
}

impl StreamFault {
    /// Whether the answer never comes to its end.
    #[must_use]
    pub fn interrupts(self) -> bool {
        !matches!(self, Self::HoldAfterParts(_) | Self::DripMs(_))
    }
}

/// An answer's body in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// Each part, and when it is sent, counted from the call's arrival.
    pub parts: Vec<(Duration, Bytes)>,
    /// What goes wrong.
    pub fault: Option<StreamFault>,
}

impl Stream {
    /// Returns these parts at their times, for a call that takes so long.
    #[must_use]
    pub fn new(parts: Vec<String>, takes: Duration, streaming: &Streaming) -> Self {
        let last = parts.len().saturating_sub(1);
        let timed = |(at, part)| (streaming.time(at, last, takes), Bytes::from(part));
        Self { parts: parts.into_iter().enumerate().map(timed).collect(), fault: None }
    }

    /// Returns the time to the first byte.
    #[must_use]
    pub fn begins(&self) -> Duration {
        self.parts.first().map_or(Duration::ZERO, |(time, _)| *time)
    }

    /// Returns the stream with this fault; `error` is the part that tells an
    /// error in the protocol's own way.
    #[must_use]
    pub fn with_fault(mut self, fault: StreamFault, error: String) -> Self {
        if let StreamFault::ErrorAfterParts(count) = fault {
            self.parts.truncate(count);
            let time = self.parts.last().map_or(Duration::ZERO, |(time, _)| *time);
            self.parts.push((time, error.into()));
        }
        self.fault = Some(fault);
        self
    }
}

impl Streaming {
    fn time(&self, at: usize, last: usize, takes: Duration) -> Duration {
        let part = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let first = match (self.first_byte_ms, self.between_ms) {
            (Some(first), _) => Duration::from_millis(first),
            (None, Some(_)) => takes,
            (None, None) => takes / part(last + 1),
        };
        let between = match self.between_ms {
            Some(between) => Duration::from_millis(between),
            None => takes.saturating_sub(first) / part(last.max(1)),
        };
        first + between * part(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(streaming: &Streaming, count: usize) -> Vec<u128> {
        let parts = vec![String::new(); count];
        let stream = Stream::new(parts, Duration::from_millis(100), streaming);
        stream.parts.iter().map(|(time, _)| time.as_millis()).collect()
    }

    #[test]
    fn the_last_part_comes_when_a_whole_answer_would() {
        assert_eq!(times(&Streaming::default(), 4), [25, 50, 75, 100]);
        assert_eq!(times(&Streaming::default(), 1), [100]);
        let late = Streaming { first_byte_ms: Some(80), ..Streaming::default() };
        assert_eq!(times(&late, 3), [80, 90, 100]);
    }

    #[test]
    fn a_script_may_say_how_fast_the_parts_follow() {
        let slow = Streaming { between_ms: Some(300), ..Streaming::default() };
        assert_eq!(times(&slow, 3), [100, 400, 700]);
        let both =
            Streaming { first_byte_ms: Some(5), between_ms: Some(2), ..Streaming::default() };
        assert_eq!(times(&both, 3), [5, 7, 9]);
    }

    #[test]
    fn an_error_takes_the_place_of_the_parts_that_follow() {
        let parts = ["a", "b", "c"].map(String::from).into();
        let stream = Stream::new(parts, Duration::ZERO, &Streaming::default());
        let stream = stream.with_fault(StreamFault::ErrorAfterParts(2), "e".into());
        let sent: Vec<&[u8]> = stream.parts.iter().map(|(_, part)| &part[..]).collect();
        assert_eq!(sent, [b"a", b"b", b"e"]);
    }
}
