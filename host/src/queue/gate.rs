//! Whether one provider may be called: open, paused, on probation, or out.
//!
//! It decides from verdicts alone and knows nothing of texts. What must stay
//! true: a gate that is not open lets one call through at a time.

use std::time::Duration;

use super::{CallId, LineState};
use crate::pace::{LONGEST, stretch};
use crate::verdict::{Class, Failure, ItemVerdict, Verdict};

/// The first pause after a rate limit; it doubles with each refused probe.
const PAUSE: Duration = Duration::from_secs(10);
/// 10, 20 and 40 s outlast a whole minute's window; then the provider is out.
const REFUSED_PROBES: u32 = 3;
/// The first out; the next ones are twice as long each.
const OUT: Duration = Duration::from_secs(5 * 60);
/// No out without a date is longer.
const LONGEST_OUT: Duration = Duration::from_secs(60 * 60);
/// So many calls in a row without any HTTP answer: there is no connection.
const SILENT: u32 = 3;
/// The same for a loopback address, where nothing lies between us.
const SILENT_LOCAL: u32 = 2;
/// Eight calls in a row without a usable segment: the provider is useless. What
/// failed before says half as much: its texts may be the cause, and after a
/// pause such batches come due one after the other.
const USELESS: u32 = 8 * FIRST;
const FIRST: u32 = 2;
const AGAIN: u32 = 1;
/// No less than the features that can be dropped one after the other: stream,
/// schema, JSON mode, three efforts, thinking, temperature, limit.
const FEATURES: u32 = 9;

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Open,
    /// A rate limit: until then nothing, afterwards one probe at a time.
    Paused {
        until: Duration,
        refused: u32,
        probe: Option<CallId>,
    },
    /// After an out: one probe at a time, and the first bad one ends it.
    Probation {
        from: Duration,
        probe: Option<CallId>,
    },
    Out {
        until: Option<Duration>,
        failure: Failure,
        /// A date or the settings decide; the reader's retry does not.
        fixed: bool,
    },
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    state: State,
    local: bool,
    proven: bool,
    outs: u32,
    silent: u32,
    useless: u32,
    features: u32,
    feature_mark: CallId,
}

/// Which call a verdict is on.
pub(super) struct Heard {
    /// The call.
    pub call: CallId,
    /// The number that the next call will have.
    pub next: CallId,
    /// Whether its texts had failed here before.
    pub again: bool,
}

impl Gate {
    pub(super) fn new(local: bool, proven: bool, ready: Result<(), Failure>) -> Self {
        let state = match ready {
            Ok(()) => State::Open,
            Err(failure) => State::Out { until: None, failure, fixed: true },
        };
        Self { state, local, proven, outs: 0, silent: 0, useless: 0, features: 0, feature_mark: 0 }
    }

    pub(super) fn proven(&self) -> bool {
        self.proven
    }

    /// Returns whether calls go out side by side.
    pub(super) fn steady(&self) -> bool {
        self.proven && self.state == State::Open
    }

    /// Returns whether only the small first batch may be sent.
    pub(super) fn cautious(&self) -> bool {
        !self.proven || matches!(self.state, State::Probation { .. })
    }

    pub(super) fn is_out(&self) -> bool {
        matches!(self.state, State::Out { .. })
    }

    /// Returns how many calls may be in flight, of those that `pace` allows;
    /// zero while a probe is.
    pub(super) fn allows(&self, now: Duration, pace: usize) -> usize {
        match self.state {
            State::Open if self.proven => pace,
            State::Open => 1,
            State::Paused { until, probe: None, .. } if until <= now => usize::MAX,
            State::Probation { from, probe: None } if from <= now => usize::MAX,
            _ => 0,
        }
    }

    /// Returns when a pause ends, while there is one.
    pub(super) fn opens_at(&self) -> Option<Duration> {
        match self.state {
            State::Paused { until, probe: None, .. } => Some(until),
            State::Probation { from, probe: None } => Some(from),
            _ => None,
        }
    }

    pub(super) fn line_state(&self, now: Duration) -> LineState {
        match self.state {
            State::Paused { until, .. } if until > now => {
                LineState::WaitingUntil { until, failure: Failure::RateLimited }
            }
            State::Out { until, failure, .. } if until.is_none_or(|until| until > now) => {
                LineState::OutUntil { until, failure }
            }
            _ => LineState::Ready,
        }
    }

    /// Returns the out, whether its time has come or not.
    pub(super) fn out(&self) -> Option<(Option<Duration>, Failure)> {
        match self.state {
            State::Out { until, failure, .. } => Some((until, failure)),
            _ => None,
        }
    }

    /// A text is wanted: an out whose time has come lets a probe through.
    pub(super) fn wanted(&mut self, now: Duration) {
        if let State::Out { until: Some(until), .. } = self.state
            && until <= now
        {
            self.state = State::Probation { from: until, probe: None };
        }
    }

    /// The reader asks for another try, and is believed unless a date or the
    /// settings say that it is in vain.
    pub(super) fn reader_retries(&mut self) {
        if let State::Out { fixed: false, .. } = self.state {
            self.state = State::Probation { from: Duration::ZERO, probe: None };
        }
    }

    pub(super) fn sent(&mut self, call: CallId) {
        match &mut self.state {
            State::Paused { probe, .. } | State::Probation { probe, .. } => *probe = Some(call),
            State::Open | State::Out { .. } => {}
        }
    }

    pub(super) fn put_out(&mut self, until: Option<Duration>, failure: Failure, fixed: bool) {
        self.state = State::Out { until, failure, fixed };
        self.silent = 0;
        self.useless = 0;
        self.features = 0;
    }

    /// Ends an out until this moment, and no other.
    pub(super) fn lift(&mut self, imposed: Duration) {
        if matches!(self.state, State::Out { until: Some(until), .. } if until == imposed) {
            self.state = State::Open;
        }
    }

    pub(super) fn pause_until(&mut self, until: Duration) {
        match &mut self.state {
            State::Open => self.state = State::Paused { until, refused: 0, probe: None },
            State::Paused { until: present, .. } => *present = until.max(*present),
            State::Probation { from, .. } => *from = until.max(*from),
            State::Out { .. } => {}
        }
    }

    /// Takes in the verdict on `call`; `next` is the number of the next call.
    pub(super) fn heard(
        &mut self,
        now: Duration,
        Heard { call, next, again }: Heard,
        verdict: &Verdict,
        jitter: f64,
    ) {
        let is_probe = self.end_probe(call);
        self.silent = if verdict.answered { 0 } else { self.silent + 1 };
        if verdict.class != Class::FeatureError {
            self.features = 0;
        }
        let usable = verdict.items.iter().any(|item| *item != ItemVerdict::Missing);
        match verdict.class {
            Class::RateLimited => self.refused(now, is_probe, verdict.pause, jitter),
            Class::QuotaExhausted => {
                let until = now + verdict.out_for.unwrap_or(LONGEST_OUT).min(LONGEST);
                self.put_out(Some(until), verdict.failure, true);
            }
            // It works; only not for these languages.
            Class::ConfigError if verdict.failure == Failure::UnsupportedPair => {
                self.succeeded(is_probe);
            }
            Class::ConfigError => {
                let until = verdict.out_for.map(|out_for| now + out_for.min(LONGEST));
                self.put_out(until, verdict.failure, until.is_none());
            }
            Class::FeatureError => self.dropped_feature(call, next),
            Class::Blocked | Class::TooLarge => self.succeeded(is_probe),
            // It works, and would not end with this one text, which is cut up then.
            Class::Truncated if verdict.items.len() == 1 => self.succeeded(is_probe),
            _ if usable => {
                self.useless = 0;
                self.succeeded(is_probe);
            }
            _ => {
                self.useless += if again { AGAIN } else { FIRST };
                self.failed(now, is_probe, jitter);
            }
        }
    }

    /// Forgets that a call was its probe; returns whether it was.
    pub(super) fn end_probe(&mut self, call: CallId) -> bool {
        match &mut self.state {
            State::Paused { probe, .. } | State::Probation { probe, .. }
                if *probe == Some(call) =>
            {
                *probe = None;
                true
            }
            _ => false,
        }
    }

    /// Calls that were in flight when the gate closed tell nothing new, except
    /// for an advice.
    fn refused(&mut self, now: Duration, is_probe: bool, advice: Option<Duration>, jitter: f64) {
        match self.state {
            State::Open => {
                let pause = PAUSE.max(advice.unwrap_or_default());
                let until = now + stretch(pause, jitter);
                self.state = State::Paused { until, refused: 0, probe: None };
            }
            State::Paused { until, refused, .. } if is_probe => {
                let refused = refused + 1;
                if refused >= REFUSED_PROBES {
                    self.out_again(now, Failure::RateLimited, jitter);
                    return;
                }
                let pause = (PAUSE * 2u32.pow(refused)).max(advice.unwrap_or_default());
                let until = until.max(now + stretch(pause, jitter));
                self.state = State::Paused { until, refused, probe: None };
            }
            State::Paused { until, refused, probe } => {
                let advised = advice.map_or(until, |advice| now + stretch(advice, jitter));
                self.state = State::Paused { until: until.max(advised), refused, probe };
            }
            State::Probation { .. } if is_probe => {
                self.out_again(now, Failure::RateLimited, jitter);
            }
            State::Probation { .. } | State::Out { .. } => {}
        }
    }

    fn succeeded(&mut self, is_probe: bool) {
        self.proven = true;
        self.outs = 0;
        // A late success says that the connection is back; it says nothing
        // about a window that closed after its call was sent.
        let was_down = matches!(
            self.state,
            State::Out { failure: Failure::Network | Failure::Unavailable, fixed: false, .. }
        );
        if is_probe || was_down {
            self.state = State::Open;
        }
    }

    fn failed(&mut self, now: Duration, is_probe: bool, jitter: f64) {
        let silent_limit = if self.local { SILENT_LOCAL } else { SILENT };
        let probation = is_probe && matches!(self.state, State::Probation { .. });
        let no_connection = self.silent >= silent_limit || (probation && self.silent > 0);
        if self.is_out() {
            return;
        }
        if no_connection {
            self.out_again(now, Failure::Network, jitter);
        } else if probation || self.useless >= USELESS {
            self.out_again(now, Failure::Unavailable, jitter);
        }
    }

    /// Calls of one round lack the same feature: they count once.
    fn dropped_feature(&mut self, call: CallId, next: CallId) {
        if call < self.feature_mark {
            return;
        }
        self.feature_mark = next;
        self.features += 1;
        if self.features > FEATURES && !self.is_out() {
            self.put_out(None, Failure::Misconfigured, true);
        }
    }

    fn out_again(&mut self, now: Duration, failure: Failure, jitter: f64) {
        let length = (OUT * 2u32.pow(self.outs.min(4))).min(LONGEST_OUT);
        self.outs += 1;
        self.put_out(Some(now + stretch(length, jitter)), failure, false);
    }
}
