//! One call: from the queue's word to a request, and from the reply to verdicts.

use std::sync::Arc;
use std::time::Duration;

use crate::markup::Prepared;
use crate::provider::{Arriving, Ask, Request, Response, Text};
use crate::queue::{Call, CallId, LineState};
use crate::verdict::{Class, Failure, ItemVerdict, Reading};

use super::around::unseen;
use super::configured::Configured;
use super::core::{Core, Event};
use super::early::Early;
use super::jobs::{Job, JobId};
use super::verdicts::{failure_of, verdict_of, words_of};

/// What came of a call.
pub enum Answered {
    /// An answer, or none.
    Response(Response),
    /// A provider without a network has translated.
    Reading(Reading),
    /// The request could not even be made.
    NotMade(Failure),
}

/// A call under way.
pub struct Flight {
    pub(super) configured: Arc<Configured>,
    pub(super) ask: Ask,
    /// Whether it leaves no trace.
    private: bool,
    pub(super) prepared: Vec<Prepared>,
    pub(super) jobs: Vec<JobId>,
    /// What was used of the answer while it came.
    pub(super) early: Early,
}

impl Core {
    /// Starts every call that is due.
    pub(super) fn start_calls(&mut self) {
        if !self.may_start_calls() {
            return;
        }
        while let Some(call) = self.queue.next_call(self.now()) {
            self.ask_leave(call);
        }
    }

    /// Sends a call that may be made.
    pub(super) fn start_call(&mut self, call: Call, configured: &Arc<Configured>) {
        let hints = configured.capacity.hints;
        let jobs: Vec<&Job> = call.jobs.iter().filter_map(|id| self.jobs.get(*id)).collect();
        let prepared: Vec<Prepared> = jobs.iter().map(|job| job.prepared(hints)).collect();
        let Some(first) = jobs.first().filter(|_| jobs.len() == call.jobs.len()) else {
            return self.drop_call(&call);
        };
        let mut terms: Vec<(String, String)> = jobs.iter().flat_map(|job| job.hints()).collect();
        terms.sort_unstable();
        terms.dedup();
        let texts: Vec<Text> =
            prepared.iter().map(|p| Text { text: p.text.clone(), marked: p.marked }).collect();
        let around = jobs.iter().map(|job| job.around.as_ref().filter(|_| hints));
        let neighbours = unseen(around, &texts);
        let ask = Ask {
            source: configured.source(&first.context).map(str::to_owned),
            target: first.context.target.clone(),
            texts,
            terms: if hints { terms } else { Vec::new() },
            neighbours,
            title: Some(first.context.title.clone()).filter(|title| !title.is_empty()),
            style: configured.config.style.clone(),
            fresh: call.changed,
            raised: call.raised,
            // One text alone is there when the answer is.
            stream: configured.streams() && prepared.len() > 1,
            dropped: configured.dropped(),
        };
        self.send_ask(configured, &ask, call.id);
        let private = jobs.iter().any(|job| !job.is_kept());
        let (configured, early) = (configured.clone(), Early::default());
        let flight = Flight { configured, ask, private, prepared, jobs: call.jobs, early };
        self.flights.insert(call.id, flight);
    }

    /// Ends a call whose jobs the session no longer knows. The two lists are
    /// kept together, so this is a fault of ours; the others must not wait.
    fn drop_call(&mut self, call: &Call) {
        tracing::error!("the queue asks for a job that is gone");
        let item = |id: &JobId| match self.jobs.get(*id) {
            Some(_) => ItemVerdict::Missing,
            None => ItemVerdict::Taken,
        };
        let items = call.jobs.iter().map(item).collect();
        let verdict = verdict_of(&Reading::of(Class::Ok), items, Failure::Internal);
        let now = self.now();
        self.queue.finish(now, call.id, &verdict, 0.0);
    }

    fn send_ask(&self, configured: &Arc<Configured>, ask: &Ask, call: CallId) {
        let events = self.events.clone();
        // Sending fails only when the session has ended, and then nobody waits.
        let tell = move |answered| {
            let _ = events.send(Event::Answered(call, answered));
        };
        let Some(provider) = &configured.provider else {
            return tell(Answered::NotMade(Failure::Misconfigured));
        };
        if let Some(reading) = provider.offline(ask) {
            return tell(Answered::Reading(reading));
        }
        if configured.refuses_pair(ask.source.as_deref(), &ask.target) {
            return tell(Answered::NotMade(Failure::UnsupportedPair));
        }
        match provider.build(ask) {
            Err(failure) => tell(Answered::NotMade(failure)),
            Ok(request) if ask.stream => {
                let arriving = Arriving::new(provider.as_ref(), ask);
                self.send_in_parts(configured, request, arriving, call);
            }
            Ok(request) => {
                let (http, deadline) = (self.http.clone(), configured.deadline);
                tokio::spawn(async move {
                    tell(Answered::Response(http.send(&request, deadline).await));
                });
            }
        }
    }

    fn send_in_parts(
        &self,
        configured: &Configured,
        request: Request,
        mut arriving: Option<Arriving>,
        call: CallId,
    ) {
        let (http, deadlines) = (self.http.clone(), configured.deadlines());
        let events = self.events.clone();
        tokio::spawn(async move {
            let mut parts = |bytes: &[u8]| {
                let items = arriving.as_mut().map(|arriving| arriving.take_up(bytes));
                if let Some(items) = items.filter(|items| !items.is_empty()) {
                    let _ = events.send(Event::Early(call, items));
                }
            };
            let response = http.send_in_parts(&request, &deadlines, &mut parts).await;
            let _ = events.send(Event::Answered(call, Answered::Response(response)));
        });
    }

    /// Reads what came of a call: good items are stored and answered, the rest
    /// is the queue's.
    pub(super) fn answered(&mut self, call: CallId, answered: &Answered) {
        let Some(flight) = self.flights.remove(&call) else { return };
        let mut reading = read(&flight, answered);
        let sent = !matches!(answered, Answered::NotMade(_));
        let row = sent.then(|| self.note_usage(&flight, &reading));
        self.note_order(&flight, &reading);
        self.harden_prose(&flight, &mut reading);
        let failure = failure_of(&reading, answered);
        if failure == Failure::UnsupportedPair {
            flight.configured.refuse_pair(&flight.ask);
        }
        let (items, goods) = self.judge_all(&flight, &mut reading);
        if let Some(feature) = reading.feature {
            self.drop_feature(&flight.configured, feature);
        }
        let verdict = verdict_of(&reading, items, failure);
        if let Some(row) = row {
            self.add_judged(row, &verdict);
        }
        let place = self.place_of(&flight.configured);
        let words = words_of(&reading);
        if let Some(place) = place.filter(|_| !words.is_empty()) {
            self.note_detail(place, words);
        }
        // Settings that changed meanwhile do not make it another's translation.
        self.store_and_deliver(goods, &flight.configured);
        let now = self.now();
        let before = place.map(|place| self.queue.state(place, now));
        self.queue.finish(now, call, &verdict, jitter(now));
        if let (Some(place), Some(before), false) = (place, before, flight.private) {
            self.tell_line(&flight.configured, place, before, &verdict);
        }
    }

    /// A refusal in prose is taken for a slip once; from a text that was
    /// refused so before it is a refusal.
    fn harden_prose(&mut self, flight: &Flight, reading: &mut Reading) {
        if reading.reason != "refusal_prose" {
            return;
        }
        let mut all_seen = true;
        for id in &flight.jobs {
            if let Some(job) = self.jobs.get_mut(*id) {
                all_seen &= std::mem::replace(&mut job.prose, true);
            }
        }
        if all_seen {
            reading.class = Class::Blocked;
        }
    }

    /// Whether a provider takes calls now, be it after a pause.
    pub(super) fn is_ready(&self, provider: usize, now: Duration) -> bool {
        !matches!(self.queue.state(provider, now), LineState::OutUntil { .. })
    }
}

fn read(flight: &Flight, answered: &Answered) -> Reading {
    match (answered, &flight.configured.provider) {
        (Answered::Reading(reading), _) => reading.clone(),
        (Answered::Response(response), Some(provider)) => provider.parse(&flight.ask, response),
        // It is cut up as if the provider had said so.
        (Answered::NotMade(Failure::TooLong), _) => Reading::of(Class::TooLarge),
        (Answered::Response(_) | Answered::NotMade(_), _) => Reading::of(Class::ConfigError),
    }
}

/// Returns a number in `0.0..1.0` that differs between hosts that were refused
/// at the same moment.
fn jitter(now: Duration) -> f64 {
    let mixed = (u64::from(std::process::id()) << 32 ^ u64::from(now.subsec_nanos()))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    f64::from(u32::try_from(mixed >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}
