//! Calls in a row that brought nothing, and when they are too many.

use std::time::Duration;

use crate::pace::stretch;
use crate::verdict::{Class, Failure, Verdict};

/// The first pause after a rate limit; it doubles with each refused probe.
pub(super) const PAUSE: Duration = Duration::from_secs(10);
/// 10, 20 and 40 s outlast a whole minute's window; then the provider is out.
const REFUSED_PROBES: u32 = 3;
/// The most refused probes, however their causes change.
const MOST_PROBES: u32 = 2 * REFUSED_PROBES;
/// So many calls in a row without any HTTP answer: there is no connection.
const SILENT: u32 = 3;
/// The same for a loopback address, where nothing lies between us.
const SILENT_LOCAL: u32 = 2;
/// Eight calls in a row without a usable segment: the provider is useless. What
/// failed before, where others had not, says half as much: its texts may be the
/// cause, and after a pause such batches come due one after the other.
const USELESS: u32 = 8 * FIRST;
const FIRST: u32 = 2;
const AGAIN: u32 = 1;
/// From this many useless answers in a row on, new batches go one at a time, each
/// [`TROUBLE`] after the last of them.
const SLOW: u32 = 2;
/// Trouble that is over sooner puts no provider out: a server that starts anew,
/// a change of networks.
const TROUBLE: Duration = Duration::from_secs(3);
/// So many texts in a row were cut although they stood alone, and no call in
/// between brought anything. A long text for a model that writes little takes
/// fourteen.
const CUT: u32 = 16;

/// The refused probes of one pause.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ladder {
    /// Those in a row that had the same cause.
    rung: u32,
    /// Whether the cause is a full window, and not too much to do.
    window: bool,
    probes: u32,
}

impl Ladder {
    /// Returns the ladder of a pause that begins.
    pub(super) fn new(window: bool) -> Self {
        Self { window, ..Self::default() }
    }

    /// Returns the pause after one more refused probe, or none when they were
    /// enough. Another cause begins anew: a window that has opened says nothing
    /// of an overload.
    pub(super) fn climb(&mut self, window: bool) -> Option<Duration> {
        self.probes += 1;
        self.rung = if window == self.window { self.rung + 1 } else { 0 };
        self.window = window;
        let enough = self.rung >= REFUSED_PROBES || self.probes >= MOST_PROBES;
        (!enough).then(|| PAUSE * 2u32.pow(self.rung))
    }
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble {
    silent_limit: u32,
    silent: u32,
    silent_since: Duration,
    useless: u32,
    cut: u32,
    /// Useless answers since the provider last worked.
    row: u32,
    /// When the first of them came.
    since: Duration,
    /// When the next new batch may go, once they are a few.
    next: Duration,
}

impl Trouble {
    /// Returns the state of a provider that had none yet.
    pub(super) fn new(local: bool) -> Self {
        Self {
            silent_limit: if local { SILENT_LOCAL } else { SILENT },
            silent: 0,
            silent_since: Duration::ZERO,
            useless: 0,
            cut: 0,
            row: 0,
            since: Duration::ZERO,
            next: Duration::ZERO,
        }
    }

    /// Returns when the next new batch may go, where they go one at a time.
    pub(super) fn slow_until(&self) -> Option<Duration> {
        (self.row >= SLOW).then_some(self.next)
    }

    /// Returns whether the last call had no answer.
    pub(super) fn is_silent(&self) -> bool {
        self.silent > 0
    }

    /// Notes whether an answer came at all.
    pub(super) fn heard(&mut self, now: Duration, answered: bool) {
        if self.silent == 0 {
            self.silent_since = now;
        }
        self.silent = if answered { 0 } else { self.silent + 1 };
    }

    /// Notes that a call brought something.
    pub(super) fn usable(&mut self) {
        self.useless = 0;
        self.cut = 0;
    }

    /// Notes that the provider works, be it without use for the texts.
    pub(super) fn works(&mut self) {
        self.row = 0;
    }

    /// Notes an answer that was cut although its text stood alone; returns
    /// whether there were too many.
    pub(super) fn cut_alone(&mut self) -> bool {
        self.cut += 1;
        self.cut >= CUT
    }

    /// Notes that a call brought nothing; returns why the provider is out, if it
    /// is. `again`: as in [`super::Heard`].
    pub(super) fn useless(
        &mut self,
        now: Duration,
        again: bool,
        verdict: &Verdict,
        jitter: f64,
    ) -> Option<Failure> {
        self.useless += if again { AGAIN } else { FIRST };
        if self.row == 0 {
            self.since = now;
        }
        self.row += 1;
        // A cut answer is no passing trouble: a smaller batch follows at once.
        let cut = verdict.class == Class::Truncated;
        if !cut {
            self.next = now + stretch(TROUBLE, jitter);
        }
        // Calls that were under way together end together, and say no more than
        // one. A call that was waited for in vain has lasted by itself.
        let waited = verdict.failure == Failure::Timeout;
        let lasts = |since: Duration| waited || now >= since + TROUBLE;
        if self.silent >= self.silent_limit && lasts(self.silent_since) {
            Some(Failure::Network)
        } else if self.useless >= USELESS && (cut || lasts(self.since)) {
            Some(Failure::Unavailable)
        } else {
            None
        }
    }
}
