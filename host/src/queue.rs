//! What is sent to which provider, and when.
//!
//! A pure state machine. The caller says what is wanted and what came back,
//! and asks for the next call, for the outcomes, and when to ask again. There
//! is no I/O, no clock and no chance in here: `now` is the time since the
//! session's start, and jitter is passed in. So every schedule is tested with
//! made-up time.
//!
//! What must stay true: each job ends in exactly one [`Outcome`], is taken
//! over by the session, or is cancelled; and a job fails over its content only
//! out of a call in which it stood alone.
//!
//! `pool` holds what was not sent yet, `parcels` what came back and waits,
//! `gate` whether a provider may be called; `intake`, `dispatch` and `settle`
//! are the three ways through them, `recall` is for calls that are not made.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::pace::{Limits, Load, Pace};
use crate::verdict::Failure;

mod dispatch;
mod gate;
mod intake;
mod parcels;
mod pool;
mod recall;
mod settle;
#[cfg(test)]
mod tests;

use gate::Gate;
use parcels::{Parcel, Rack};
use pool::{Lot, Pool, Spot};

/// A text that is wanted; chosen by the caller, unique.
pub type JobId = u64;
/// Who wants a text: the id of a page's stream.
pub type Owner = u64;
/// One call to a provider.
pub type CallId = u64;

/// One text that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Unique among all jobs of this queue.
    pub job: JobId,
    /// Who wants it.
    pub owner: Owner,
    /// 0 = visible now, 1 = near, 2 = the rest.
    pub rank: u8,
    /// Only jobs of one group share a batch.
    pub group: u64,
    /// Its length, for the limits of a call.
    pub load: Load,
    /// Places in the list of lines, in the order in which it may go to them.
    /// Providers that refused it before are left out by the caller.
    pub providers: Vec<usize>,
    /// Asked again with something changed; shares no batch with unchanged ones.
    pub changed: bool,
}

/// One provider, as the queue sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Another value whenever anything of the provider changed, its key too. A
    /// line that keeps it keeps its pauses and what was learned.
    pub fingerprint: u64,
    /// What it takes.
    pub limits: Limits,
    /// Whether it runs on this machine.
    pub local: bool,
    /// Whether it has succeeded before with its present settings.
    pub proven: bool,
    /// Why it cannot be used, if only the reader can mend that.
    pub ready: Result<(), Failure>,
}

/// A call to be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Names it in [`Queue::finish`].
    pub id: CallId,
    /// The place of its provider in the list of lines.
    pub provider: usize,
    /// What it asks for; the verdict has one item for each, in this order.
    pub jobs: Vec<JobId>,
    /// Whether the output limit is raised, since the last answer was cut.
    pub raised: bool,
    /// Whether it tries the provider out: no other call goes to it until this
    /// one is answered.
    pub probe: bool,
    /// As in [`Wish::changed`].
    pub changed: bool,
    /// As in [`Wish::group`].
    pub group: u64,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its item was good.
    Done(JobId),
    /// It ends without a translation.
    Failed {
        /// Which.
        job: JobId,
        /// Why.
        failure: Failure,
        /// When the provider comes back, if the failure is the provider's.
        until: Option<Duration>,
        /// Whose failure it is.
        provider: Option<usize>,
    },
    /// Too long for any answer: the session cuts it and pushes the pieces.
    Cut(JobId),
    /// Told before the job moves on or fails: this provider refused it, alone.
    Refused {
        /// Which; it is not over with this.
        job: JobId,
        /// Who refused.
        provider: usize,
    },
    /// Nobody wanted it any more when its call came back without it.
    Dropped(JobId),
}

/// What an owner waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Why.
    pub failure: Failure,
    /// Whom for.
    pub provider: usize,
    /// Until when.
    pub until: Duration,
}

/// Whether a provider takes calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// It does, be it one at a time.
    Ready,
    /// It pauses; its jobs wait.
    WaitingUntil {
        /// When it goes on.
        until: Duration,
        /// Why it pauses.
        failure: Failure,
    },
    /// It is out; its jobs moved on or failed.
    OutUntil {
        /// When it may be tried again; none = when its settings change.
        until: Option<Duration>,
        /// Why it is out.
        failure: Failure,
    },
}

/// See the module.
#[derive(Debug)]
pub struct Queue {
    stations: Vec<Station>,
    /// Counts the lists of lines, so that a late reply meets no stranger.
    edition: u64,
    jobs: HashMap<JobId, Job>,
    owners: HashMap<Owner, HashSet<JobId>>,
    parcels: BTreeMap<u64, Parcel>,
    flights: HashMap<CallId, Flight>,
    outcomes: VecDeque<Outcome>,
    next_call: CallId,
    next_seq: u64,
}

/// A line with all that is known of it and waits for it.
#[derive(Debug)]
struct Station {
    line: Line,
    gate: Gate,
    pace: Pace,
    pool: Pool,
    rack: Rack,
    in_flight: usize,
    /// Answers that were cut under a raised limit too, since one brought anything.
    raised_in_vain: u32,
}

#[derive(Debug)]
struct Job {
    /// Everyone who wants it, with the rank they gave it.
    owners: Vec<(Owner, u8)>,
    lot: Lot,
    load: Load,
    seq: u64,
    /// Where it may still go, the present provider first.
    chain: VecDeque<usize>,
    place: Place,
    /// Whether it was asked once more because its item was doubtful.
    doubted: bool,
    /// What it failed with, alone, at a provider that it left.
    own: Option<(Failure, Option<usize>)>,
    /// The out that ends first, of the providers it passed by.
    passed: Option<(Option<Duration>, Failure, Option<usize>)>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    Pool(Spot),
    Parcel(u64),
    Flight,
}

/// What a batch went through with its provider; all its jobs share it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct History {
    /// Whether it came back before. Then it stays together: what was split to
    /// find a culprit must not meet its former neighbours again.
    returned: bool,
    /// Counted attempts. When they are spent, halves get one more call each,
    /// which is not counted.
    attempts: u32,
    /// Those of them that an HTTP answer ended.
    answered: u32,
    /// Whether a reply without it was forgiven already.
    missed: bool,
    /// Whether the output limit is raised.
    raised: bool,
}

#[derive(Debug)]
struct Flight {
    provider: usize,
    edition: u64,
    jobs: Vec<JobId>,
    load: Load,
    history: History,
}

impl Station {
    fn new(line: Line) -> Self {
        Self {
            gate: Gate::new(line.local, line.proven, line.ready),
            pace: Pace::new(line.limits),
            pool: Pool::default(),
            rack: Rack::default(),
            in_flight: 0,
            raised_in_vain: 0,
            line,
        }
    }

    /// Returns a station for this line that goes on where `old` was, except for
    /// an out that waited for the settings.
    fn renewed(line: Line, old: Option<Self>) -> Self {
        let mut station = Self::new(line);
        if let Some(old) = old {
            if station.line.ready.is_ok() && !matches!(old.gate.out(), Some((None, _))) {
                station.gate = old.gate;
            }
            station.pace = old.pace;
            station.in_flight = old.in_flight;
        }
        station
    }
}

impl Job {
    /// Goes by the new places of providers from now on; what is gone is left out.
    fn follow(&mut self, moved: &impl Fn(usize) -> Option<usize>) {
        self.chain = self.chain.iter().filter_map(|provider| moved(*provider)).collect();
        if let Some((_, provider)) = &mut self.own {
            *provider = provider.and_then(moved);
        }
        if let Some((_, _, provider)) = &mut self.passed {
            *provider = provider.and_then(moved);
        }
    }

    /// Returns the best rank and the first owner who gave it; nobody = the last.
    fn best(&self) -> (u8, Owner) {
        self.owners
            .iter()
            .map(|(owner, rank)| (*rank, *owner))
            .min_by_key(|(rank, _)| *rank)
            .unwrap_or((u8::MAX, Owner::MAX))
    }
}

impl Queue {
    /// Returns an empty queue in front of these providers.
    #[must_use]
    pub fn new(lines: Vec<Line>) -> Self {
        Self {
            stations: lines.into_iter().map(Station::new).collect(),
            edition: 0,
            jobs: HashMap::new(),
            owners: HashMap::new(),
            parcels: BTreeMap::new(),
            flights: HashMap::new(),
            outcomes: VecDeque::new(),
            next_call: 1,
            next_seq: 1,
        }
    }

    /// Returns the next thing that became of a job.
    pub fn poll_outcome(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    /// Returns how many calls have no verdict yet.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// Returns whether no job is left and every outcome was polled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.flights.is_empty() && self.outcomes.is_empty()
    }

    /// Returns whether the provider takes calls.
    #[must_use]
    pub fn state(&self, provider: usize, now: Duration) -> LineState {
        let Some(station) = self.stations.get(provider) else {
            return LineState::OutUntil { until: None, failure: Failure::NotConfigured };
        };
        let state = station.gate.line_state(now);
        let until = station.pace.opens_at(now);
        if state == LineState::Ready && until > now {
            return LineState::WaitingUntil { until, failure: Failure::RateLimited };
        }
        state
    }

    /// Returns the pause that this owner's jobs wait for, if there is one.
    #[must_use]
    pub fn waiting(&self, now: Duration, owner: Owner) -> Option<Waiting> {
        let pause_of = |provider| match self.state(provider, now) {
            LineState::WaitingUntil { until, failure } => {
                Some(Waiting { failure, provider, until })
            }
            _ => None,
        };
        let pauses: Vec<_> = (0..self.stations.len()).map(pause_of).collect();
        if pauses.iter().all(Option::is_none) {
            return None;
        }
        let waits = |job: &JobId| {
            let job = self.jobs.get(job)?;
            let queued = matches!(job.place, Place::Pool(_) | Place::Parcel(_));
            pauses.get(*job.chain.front().filter(|_| queued)?).copied().flatten()
        };
        self.owners.get(&owner)?.iter().find_map(waits)
    }

    /// Returns the provider's limits as far as they are known by now, so that
    /// other hosts and later sessions need not learn them again.
    #[must_use]
    pub fn limits(&self, provider: usize) -> Option<Limits> {
        self.stations.get(provider).map(|station| station.pace.limits())
    }

    /// Returns whether the provider has succeeded with its present settings.
    #[must_use]
    pub fn proven(&self, provider: usize) -> bool {
        self.stations.get(provider).is_some_and(|station| station.gate.proven())
    }
}
