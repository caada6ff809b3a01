//! The ideal client: what it sends when, and what it makes of each outcome.

use super::{Ceilings, Least};
use crate::content::complete_when_cut;
use crate::schedule::{Decision, Outcome, Schedule};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The wait after an answer that could not be used.
const AFTER_A_FAULT: Duration = Duration::from_secs(3);

/// The provider's wait after a 503; it doubles with each refused probe.
const AFTER_A_LIMIT: Duration = Duration::from_secs(10);

/// Calls at a time once the provider has succeeded.
const FIRST_CONCURRENCY: usize = 2;

/// A complete answer from this size on whose last items are missing is taken
/// as shifted: none of it counts.
const TAIL_IS_A_SHIFT: usize = 4;

/// So many refused texts go alone at once: halving twice takes as many calls.
const APART: usize = 4;

/// A text of at most so many words is a label.
const LABEL_WORDS: usize = 3;

/// Texts that are sent together.
#[derive(Clone)]
struct Part<'a> {
    texts: Vec<&'a str>,
    available: Duration,
    failures: u32,
}

/// A call that has not been answered.
struct Flight<'a> {
    part: Part<'a>,
    decision: Decision,
    ends: Duration,
}

pub struct Client<'a> {
    schedule: Schedule,
    ceilings: Ceilings,
    refuses: bool,
    now: Duration,
    /// Texts that were never sent, each with its place: longer ones and labels.
    fresh: [VecDeque<&'a str>; 2],
    /// The places of all texts.
    places: HashMap<&'a str, usize>,
    waiting: Vec<Part<'a>>,
    flights: Vec<Flight<'a>>,
    has_succeeded: bool,
    concurrency: usize,
    /// Answers since the concurrency last changed.
    round: usize,
    /// When the provider may be probed, after a 503.
    gate: Option<Duration>,
    pause: Duration,
    result: Least,
}

impl<'a> Client<'a> {
    pub fn new(schedule: Schedule, texts: Vec<&'a str>, ceilings: Ceilings, refuses: bool) -> Self {
        Self {
            schedule,
            ceilings,
            refuses,
            now: Duration::ZERO,
            places: texts.iter().enumerate().map(|(place, text)| (*text, place)).collect(),
            fresh: {
                let (labels, longer) = texts.into_iter().partition(|text| is_label(text));
                [longer, labels]
            },
            waiting: Vec::new(),
            flights: Vec::new(),
            has_succeeded: false,
            concurrency: FIRST_CONCURRENCY,
            round: 0,
            gate: None,
            pause: AFTER_A_LIMIT,
            result: Least {
                first: Duration::ZERO,
                last: Duration::ZERO,
                calls: 0,
                translated: 0,
                refused: 0,
            },
        }
    }

    /// Runs until every text is translated or refused alone.
    pub fn run(mut self) -> Least {
        loop {
            while self.may_send() {
                let Some(part) = self.next_part() else { break };
                self.send(part);
            }
            let Some(next) = self.next_event() else { return self.result };
            self.now = next;
            for flight in self.flights.extract_if(.., |f| f.ends <= next).collect::<Vec<_>>() {
                self.answered(flight);
            }
        }
    }

    fn may_send(&mut self) -> bool {
        let ceiling =
            self.schedule.script().max_concurrent.map_or(usize::MAX, |most| most as usize);
        let one_at_a_time = !self.has_succeeded || self.gate.is_some();
        let wished = if one_at_a_time { 1 } else { self.concurrency };
        self.flights.len() < wished.min(ceiling)
            && self.gate.is_none_or(|opens| opens <= self.now)
            && self.schedule.window_opens_in(self.now).is_zero()
    }

    /// Takes what waited and is due, the longest first, else texts never sent.
    fn next_part(&mut self) -> Option<Part<'a>> {
        let due = self.waiting.iter().enumerate().filter(|(_, part)| part.available <= self.now);
        if let Some((at, _)) = due.min_by_key(|(_, part)| part.available) {
            return Some(self.waiting.remove(at));
        }
        let Ceilings { batch, first_batch, .. } = self.ceilings;
        let size = if self.has_succeeded { batch } else { first_batch.min(batch) };
        let places = &self.places;
        let first = |texts: &&mut VecDeque<&str>| texts.front().map(|text| places[text]);
        let oldest = self.fresh.iter_mut().filter(|texts| !texts.is_empty()).min_by_key(first)?;
        let texts = self.ceilings.batch(oldest, size);
        Some(Part { texts, available: self.now, failures: 0 })
    }

    fn send(&mut self, part: Part<'a>) {
        self.schedule.begin();
        let decision = self.schedule.decide(self.now, &part.texts, self.refuses);
        self.result.calls += 1;
        self.flights.push(Flight { part, decision, ends: self.now + decision.takes });
    }

    /// Returns when something happens next, nothing when all is done.
    fn next_event(&mut self) -> Option<Duration> {
        let answer = self.flights.iter().map(|flight| flight.ends).min();
        let due = self.waiting.iter().map(|part| part.available).min();
        let due =
            if self.fresh.iter().all(VecDeque::is_empty) { due } else { Some(Duration::ZERO) };
        let sendable = due.map(|due| {
            let window = self.now + self.schedule.window_opens_in(self.now);
            due.max(window).max(self.gate.unwrap_or_default())
        });
        // What could be sent now and was not waits for an answer.
        let sendable = sendable.filter(|&at| at > self.now);
        answer.into_iter().chain(sendable).min()
    }

    fn answered(&mut self, flight: Flight<'a>) {
        self.schedule.end();
        let Flight { part, decision, .. } = flight;
        let is_limit = matches!(
            decision.outcome,
            Outcome::Unavailable | Outcome::RateLimited | Outcome::TooMany
        );
        if is_limit {
            self.limited(part, decision.retry_after.unwrap_or_default());
        } else {
            self.unlimited();
            self.use_answer(part, decision);
        }
    }

    /// Closes the gate; the pause doubles where a probe was refused.
    fn limited(&mut self, part: Part<'a>, advice: Duration) {
        let was_a_probe = self.gate.is_some_and(|opens| opens <= self.now);
        self.pause = if was_a_probe { self.pause * 2 } else { self.pause };
        let opens = self.now + self.pause.max(advice);
        self.gate = Some(self.gate.map_or(opens, |gate| gate.max(opens)));
        self.concurrency = (self.concurrency / 2).max(1);
        self.round = 0;
        self.waiting.push(Part { available: self.now, ..part });
    }

    /// Notes a call that met no limit: a probe opens the gate, a round of calls
    /// allows one more at a time.
    fn unlimited(&mut self) {
        if self.gate.is_some_and(|opens| opens <= self.now) {
            self.gate = None;
            self.pause = AFTER_A_LIMIT;
        }
        self.round += 1;
        if self.has_succeeded && self.round >= self.concurrency {
            self.round = 0;
            self.concurrency = (self.concurrency + 1).min(self.ceilings.concurrency.max(1));
        }
    }

    fn use_answer(&mut self, mut part: Part<'a>, decision: Decision) {
        let count = part.texts.len();
        match decision.outcome {
            Outcome::Ok => self.translated(count),
            Outcome::Dropped if count > 1 => {
                part.texts = vec![part.texts[(count - 1) / 2]];
                self.translated(count - 1);
                self.again(part);
            }
            Outcome::Short
                if (2..TAIL_IS_A_SHIFT).contains(&count) && decision.variant.is_multiple_of(2) =>
            {
                part.texts.drain(..count - 1);
                self.translated(count - 1);
                self.again(part);
            }
            Outcome::Truncated => {
                part.texts.drain(..complete_when_cut(count));
                self.translated(complete_when_cut(count));
                self.in_pieces(&part, (count / 2).max(1), Duration::ZERO);
            }
            Outcome::Refused if count == 1 => self.result.refused += 1,
            Outcome::Refused if count <= APART => self.in_pieces(&part, 1, Duration::ZERO),
            Outcome::Refused => self.in_pieces(&part, count.div_ceil(2), Duration::ZERO),
            _ => self.failed(part),
        }
    }

    /// Sends a part that brought nothing again, halved from the second time on.
    fn failed(&mut self, mut part: Part<'a>) {
        part.failures += 1;
        let count = part.texts.len();
        let size = if part.failures > 1 { count.div_ceil(2) } else { count };
        self.in_pieces(&part, size, AFTER_A_FAULT);
    }

    fn again(&mut self, part: Part<'a>) {
        self.waiting.push(Part { available: self.now, ..part });
    }

    fn in_pieces(&mut self, part: &Part<'a>, size: usize, wait: Duration) {
        let available = self.now + wait;
        for texts in part.texts.chunks(size) {
            let failures = part.failures;
            self.waiting.push(Part { texts: texts.to_vec(), available, failures });
        }
    }

    fn translated(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        if self.result.translated == 0 {
            self.result.first = self.now;
        }
        if !self.has_succeeded {
            self.has_succeeded = true;
            self.concurrency = FIRST_CONCURRENCY.min(self.ceilings.concurrency.max(1));
            self.round = 0;
        }
        self.result.translated += count;
        self.result.last = self.now;
    }
}

fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= LABEL_WORDS
}
