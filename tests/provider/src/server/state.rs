//! What the connections share, and what becomes of a call.

use crate::answer::Answer;
use crate::calls::{Call, Calls};
use crate::content::Batch;
use crate::protocol::Protocol;
use crate::schedule::{Decision, Outcome, Schedule};
use crate::script::Script;
use crate::stream::{Stream, StreamFault};
use bytes::Bytes;
use hyper::HeaderMap;
use std::collections::VecDeque;
use std::time::Duration;

/// See the module.
#[derive(Debug, Default)]
pub struct State {
    pub schedule: Schedule,
    pub calls: Calls,
    queue: VecDeque<Answer>,
    stream_faults: VecDeque<StreamFault>,
}

/// A call as it arrived.
pub struct Arrived<'a> {
    pub protocol: Protocol,
    pub path: &'a str,
    pub head: &'a HeaderMap,
    pub body: &'a Bytes,
}

impl State {
    /// Goes by this script from now on; what the run remembers stays.
    pub fn follow(&mut self, mut script: Script) {
        self.queue = std::mem::take(&mut script.queue).into();
        self.stream_faults = script.stream.faults.iter().copied().collect();
        self.schedule.replace(script);
    }

    /// Decides on a call, logs it, and returns its answer and how long it takes
    /// until its first byte.
    pub fn decide(&mut self, now: Duration, arrived: &Arrived) -> (Answer, Duration) {
        let protocol = arrived.protocol;
        let batch = protocol.batch(arrived.body);
        let texts = batch.as_ref().map(|batch| batch.texts()).unwrap_or_default();
        let latency = self.schedule.duration(&texts);
        let (outcome, answer, takes) = if !self.lets_in(arrived) {
            (Outcome::Unauthorized, protocol.unauthorized(), latency)
        } else if let Some(answer) = self.next_scripted() {
            (Outcome::Scripted, answer, latency)
        } else {
            match &batch {
                Err(reason) => (Outcome::BadRequest, protocol.bad_request(reason), latency),
                Ok(batch) => {
                    let decision = self.schedule.decide(now, &texts, protocol.refuses());
                    self.decided(batch, &decision, arrived)
                }
            }
        };
        let texts = texts.into_iter().map(String::from).collect();
        let body = String::from_utf8_lossy(arrived.body).into_owned();
        let path = arrived.path.to_owned();
        self.calls.add(now, Call { n: 0, time_ms: 0, protocol, texts, outcome, path, body });
        (answer, takes)
    }

    fn decided(
        &mut self,
        batch: &Batch,
        decision: &Decision,
        arrived: &Arrived,
    ) -> (Outcome, Answer, Duration) {
        let Arrived { protocol, path, body, .. } = *arrived;
        let script = self.schedule.script();
        let wishes = protocol.wishes(path, body);
        let Some(answer) = protocol.answer_in_parts(batch, decision, wishes, script) else {
            return (decision.outcome, protocol.answer(batch, decision, script), decision.takes);
        };
        let fault = (decision.outcome == Outcome::Ok).then(|| self.stream_faults.pop_front());
        let (outcome, answer) = match fault.flatten() {
            Some(fault) if fault.interrupts() => {
                (Outcome::Interrupted, protocol.interrupted(answer, fault))
            }
            Some(fault) => (decision.outcome, protocol.interrupted(answer, fault)),
            None => (decision.outcome, answer),
        };
        let begins = answer.stream.as_ref().map_or(decision.takes, Stream::begins);
        (outcome, answer, begins)
    }

    fn lets_in(&self, arrived: &Arrived) -> bool {
        let Some(key) = &self.schedule.script().key else { return true };
        let (header, before) = arrived.protocol.key_header();
        let sent = arrived.head.get(header).and_then(|value| value.to_str().ok());
        sent.and_then(|value| value.strip_prefix(before)) == Some(key)
    }

    fn next_scripted(&mut self) -> Option<Answer> {
        let answer = self.queue.pop_front()?;
        if self.schedule.script().repeat {
            self.queue.push_back(answer.clone());
        }
        Some(answer)
    }
}
