//! Several hosts, one file: leave for each call, waiting for what another host
//! is at, and telling the others what they should know.
//!
//! Before a call is sent the store is asked (see `store/departures.rs`): texts
//! that another host is paying for are taken out and awaited; a pause or an out
//! that another host met holds this one back as well.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::pace::Load;
use crate::protocol;
use crate::queue::{Call, CallId, LineState};
use crate::segment::Key;
use crate::settings::CacheMode;
use crate::store::{self, Claim, Departed, Departure, Heard, Outcome};
use crate::verdict::{Class, Failure, ItemVerdict, Stated, Verdict};

use super::configured::Configured;
use super::core::{Core, Event};
use super::jobs::JobId;
use super::words;

/// How often what other hosts have written is looked for, while something of
/// theirs is awaited. Asking whether there is anything costs microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it is asked whether their hosts are still there.
const LIVES_EVERY: u32 = 20;
/// A third of what a claim lasts.
const RENEW_EVERY: Duration = Duration::from_millis(store::CLAIM_MS.unsigned_abs() / 3);

/// See the module.
#[derive(Default)]
pub struct Sharing {
    departing: HashMap<CallId, Departing>,
    /// Texts that are ours, by the keys that were claimed for them.
    claimed: HashMap<JobId, Vec<(Key, usize)>>,
    /// Texts that another host is at.
    awaited: HashMap<JobId, (Key, usize)>,
    looking: bool,
    looks: u32,
    look_at: Duration,
    renew_at: Duration,
}

/// A call that waits for leave.
struct Departing {
    call: Call,
    configured: Arc<Configured>,
    /// The keys of those of its jobs that can be claimed.
    keys: Vec<(JobId, Key)>,
}

impl Sharing {
    /// Whether a call waits for leave.
    pub fn is_idle(&self) -> bool {
        self.departing.is_empty()
    }
}

impl Core {
    /// Asks for leave to make a call.
    pub(super) fn ask_leave(&mut self, call: Call) {
        let configured = self.setup.providers[call.provider].clone();
        // All texts of a call are private, or none. Private ones leave no trace.
        let private = |id: &JobId| self.jobs.get(*id).is_some_and(|job| !job.is_kept());
        let line = configured.shared_line.clone().filter(|_| !call.jobs.iter().any(private));
        let first = call.jobs.first().and_then(|id| self.jobs.get(*id));
        // What is not sent takes nothing from the others.
        let is_sent = first.is_none_or(|job| {
            !configured.refuses_pair(configured.source(&job.context), &job.context.target)
        });
        let Some(line) = line.filter(|_| is_sent) else {
            return self.start_call(call, &configured);
        };
        let claims = self.setup.settings.cache.mode == CacheMode::On;
        let key = |id: &JobId| {
            let job = self.jobs.get(*id).filter(|job| claims && !job.context.fresh)?;
            let marked = job.tags.is_some();
            let key = self.key(&job.context, &job.normal, marked, &job.terms, call.provider);
            Some((*id, key))
        };
        let keys: Vec<(JobId, Key)> = call.jobs.iter().filter_map(key).collect();
        let retried = |id: &JobId| self.jobs.get(*id).is_some_and(|job| job.context.retry);
        let asked: Vec<(Key, bool)> = keys.iter().map(|(id, key)| (*key, retried(id))).collect();
        let limits = self.queue.limits(call.provider).map(shared_limits).unwrap_or_default();
        let tokens = self.tokens_of(&call);
        let (id, events) = (call.id, self.events.clone());
        self.sharing.departing.insert(id, Departing { call, configured, keys });
        self.storage.run(move |store| {
            let departure = Departure { line: &line, keys: &asked, tokens, limits };
            let departed = store.depart(&departure, now_ms());
            // Fails only when the session has ended, and then nobody calls.
            let _ = events.send(Event::Departed(id, departed));
        });
    }

    fn tokens_of(&self, call: &Call) -> u64 {
        let jobs = call.jobs.iter().filter_map(|id| self.jobs.get(*id));
        // There and back, as a call counts before its answer tells.
        jobs.map(|job| 2 * Load::of(&job.normal).tokens).sum()
    }

    /// Takes the store's word on a call.
    pub(super) fn departed(&mut self, id: CallId, departed: Option<Departed>) {
        let Some(departing) = self.sharing.departing.remove(&id) else { return };
        let now = self.now();
        match departed {
            None => self.send_wanted(departing.call, &departing.configured),
            Some(Departed::Wait(until_ms)) => self.queue.put_back(now, id, until(now, until_ms)),
            Some(Departed::Out(failed)) => {
                self.queue.put_back(now, id, now);
                let until = failed.back_ms.map(|back| until(now, back));
                let failure = words::failure_of(&failed.code).unwrap_or(Failure::Unavailable);
                if let Some(place) = self.place_of(&departing.configured) {
                    self.queue.impose_out(now, place, until, failure);
                }
            }
            Some(Departed::Go(claims)) => self.sort_out(departing, claims),
        }
    }

    /// Makes the call with what is ours, and waits for the rest.
    fn sort_out(&mut self, departing: Departing, claims: Vec<Claim>) {
        let Departing { mut call, configured, keys } = departing;
        let mut taken = Vec::new();
        let mut standing = Vec::new();
        for ((job, key), claim) in keys.into_iter().zip(claims) {
            if claim == Claim::Free {
                let keys = self.sharing.claimed.entry(job).or_default();
                if !keys.contains(&(key, call.provider)) {
                    keys.push((key, call.provider));
                }
                continue;
            }
            taken.push(job);
            if let Some(job) = self.jobs.get_mut(job) {
                job.queued = false;
            }
            self.sharing.awaited.insert(job, (key, call.provider));
            standing.push((job, claim));
        }
        let is_left = taken.is_empty() || self.queue.take_out(call.id, &taken);
        self.take_up(standing);
        if is_left {
            call.jobs.retain(|job| !taken.contains(job));
            self.send_wanted(call, &configured);
        }
    }

    /// Sends a call without the texts whose page went away while it waited.
    fn send_wanted(&mut self, mut call: Call, configured: &Arc<Configured>) {
        let is_gone = |id: &JobId| self.jobs.is_unwanted(*id);
        let gone: Vec<JobId> = call.jobs.extract_if(.., |id| is_gone(id)).collect();
        if gone.is_empty() || self.queue.take_out(call.id, &gone) {
            self.start_call(call, configured);
        }
        for id in gone {
            self.jobs.remove(id);
        }
    }

    /// Takes in how things stand with awaited texts.
    pub(super) fn take_up(&mut self, standing: Vec<(JobId, Claim)>) {
        let mut ready = Vec::new();
        for (id, claim) in standing {
            if claim == Claim::Taken {
                continue;
            }
            let Some((_, provider)) = self.sharing.awaited.remove(&id) else { continue };
            let Some(job) = self.jobs.get(id) else { continue };
            let from = |skip: usize| -> Vec<usize> {
                job.asked.iter().copied().skip_while(|p| *p != provider).skip(skip).collect()
            };
            match claim {
                Claim::Stored(entry) => {
                    let name = self.setup.providers.get(provider).map(|p| p.name.clone());
                    ready.push((id, entry.text, name));
                }
                Claim::Failed(failed) => {
                    let rest = from(1);
                    self.passed_on(id, rest, provider, &failed);
                }
                Claim::Free | Claim::Taken => {
                    let chain = from(0);
                    self.enqueue(id, chain);
                }
            }
        }
        self.finish_many(ready, protocol::From::Cache);
    }

    /// Another host failed with a text: it is not asked there again.
    fn passed_on(&mut self, id: JobId, rest: Vec<usize>, provider: usize, failed: &store::Failed) {
        if !rest.is_empty() {
            return self.enqueue(id, rest);
        }
        let failure = words::failure_of(&failed.code).unwrap_or(Failure::BadReply);
        let back = failed.back_ms.map(|back| until(self.now(), back));
        self.fail(id, failure, Some(provider), back);
    }

    /// Waits no longer for other hosts: the list of providers has changed.
    pub(super) fn await_nothing(&mut self) {
        let jobs: Vec<JobId> = self.sharing.awaited.drain().map(|(job, _)| job).collect();
        for id in jobs {
            if let Some(chain) = self.jobs.get(id).map(|job| job.chain.clone()) {
                self.enqueue(id, chain);
            }
        }
    }

    /// Looks after claims and awaited texts; returns when to come again.
    pub(super) fn tend_shared(&mut self, now: Duration) -> Option<Duration> {
        self.release_gone();
        self.sharing.awaited.retain(|id, _| self.jobs.get(*id).is_some());
        let mut wake = None;
        if !(self.sharing.claimed.is_empty() && self.flights.is_empty()) {
            if self.sharing.renew_at <= now {
                self.sharing.renew_at = now + RENEW_EVERY;
                self.storage.run(|store| store.renew(now_ms()));
            }
            wake = Some(self.sharing.renew_at);
        }
        if !self.sharing.awaited.is_empty() && !self.sharing.looking {
            if self.sharing.look_at <= now {
                self.look_around();
            } else {
                wake = wake.into_iter().chain([self.sharing.look_at]).min();
            }
        }
        wake
    }

    fn look_around(&mut self) {
        self.sharing.looking = true;
        self.sharing.looks = self.sharing.looks.wrapping_add(1);
        let whoever_lives = self.sharing.looks.is_multiple_of(LIVES_EVERY);
        let awaited: Vec<(JobId, Key)> =
            self.sharing.awaited.iter().map(|(job, (key, _))| (*job, *key)).collect();
        let events = self.events.clone();
        self.storage.run(move |store| {
            let mut standing = Vec::new();
            if store.has_news() || whoever_lives {
                let keys: Vec<Key> = awaited.iter().map(|(_, key)| *key).collect();
                let found = store.look(&keys, now_ms());
                standing = awaited.into_iter().map(|(job, _)| job).zip(found).collect();
            }
            let _ = events.send(Event::LookedAround(standing));
        });
    }

    /// Takes what was found of awaited texts.
    pub(super) fn looked_around(&mut self, standing: Vec<(JobId, Claim)>) {
        self.sharing.looking = false;
        self.sharing.look_at = self.now() + LOOK_EVERY;
        self.take_up(standing);
    }

    /// Ends the claims of texts that are over.
    fn release_gone(&mut self) {
        let jobs = &self.jobs;
        let gone = self.sharing.claimed.extract_if(|id, _| jobs.get(*id).is_none());
        let released: Vec<(Key, Outcome)> =
            gone.flat_map(|(_, keys)| keys).map(|(key, _)| (key, Outcome::Released)).collect();
        if !released.is_empty() {
            self.storage.run(move |store| store.settle(&released, now_ms()));
        }
    }

    /// Tells those who wait for a text how it failed: with one provider, or, when
    /// it is over, with all that it was claimed for.
    pub(super) fn tell_failed(
        &mut self,
        id: JobId,
        provider: Option<usize>,
        failure: Failure,
        back: Option<Duration>,
    ) {
        let Some(keys) = self.sharing.claimed.get_mut(&id) else { return };
        let told: Vec<Key> = keys
            .extract_if(.., |(_, place)| provider.is_none_or(|provider| *place == provider))
            .map(|(key, _)| key)
            .collect();
        let now = self.now();
        let failed = store::Failed {
            code: words::name_of(failure),
            back_ms: back.map(|back| Self::epoch_ms(now, back)),
        };
        let settled: Vec<(Key, Outcome)> =
            told.into_iter().map(|key| (key, Outcome::Failed(failed.clone()))).collect();
        if !settled.is_empty() {
            self.storage.run(move |store| store.settle(&settled, now_ms()));
        }
    }

    /// Tells the other hosts what a reply said about a provider.
    pub(super) fn tell_line(
        &mut self,
        configured: &Configured,
        place: usize,
        before: LineState,
        verdict: &Verdict,
    ) {
        let Some(line) = configured.shared_line.clone() else { return };
        let now = self.now();
        let state = self.queue.state(place, now);
        let heard = match state {
            LineState::OutUntil { until, failure } if state != before => {
                Heard::Out(store::Failed {
                    code: words::name_of(failure),
                    back_ms: until.map(|until| Self::epoch_ms(now, until)),
                })
            }
            LineState::WaitingUntil { until, .. } if verdict.class == Class::RateLimited => {
                Heard::Paused { until_ms: Self::epoch_ms(now, until) }
            }
            _ if is_success(verdict) => Heard::Success,
            _ => Heard::Nothing,
        };
        let learned = (verdict.stated != Stated::default())
            .then(|| self.queue.limits(place).map(shared_limits))
            .flatten();
        self.storage.run(move |store| {
            store.heard(&line, &heard, now_ms());
            if let Some(limits) = learned {
                store.learn(&line, &limits, now_ms());
            }
        });
    }

    /// Returns where a provider stands in the list now.
    pub(super) fn place_of(&self, configured: &Configured) -> Option<usize> {
        let same = |other: &Arc<Configured>| other.fingerprint == configured.fingerprint;
        self.setup.providers.iter().position(same)
    }
}

/// Whether the provider works, whatever became of the texts. One that does not
/// have a pair of languages has said nothing about the others.
fn is_success(verdict: &Verdict) -> bool {
    match verdict.class {
        Class::Blocked | Class::TooLarge => true,
        Class::RateLimited | Class::QuotaExhausted | Class::ConfigError | Class::FeatureError => {
            false
        }
        _ => verdict.items.iter().any(|item| *item != ItemVerdict::Missing),
    }
}

fn shared_limits(limits: crate::pace::Limits) -> store::Limits {
    store::Limits {
        requests_per_minute: limits.requests_per_minute,
        tokens_per_minute: limits.tokens_per_minute,
        requests_per_day: limits.requests_per_day,
    }
}

fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Turns a time of the wall clock into the queue's.
fn until(now: Duration, at_ms: i64) -> Duration {
    let ahead = at_ms.saturating_sub(now_ms()).max(0).unsigned_abs();
    now + Duration::from_millis(ahead).min(crate::pace::LONGEST)
}
