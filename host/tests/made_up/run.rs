//! Runs a page through the queue against an engine, in made-up time. It stands
//! for the session: it says what each answer means, and cuts up what is too long.

use std::collections::HashMap;
use std::time::Duration;

use scripted_provider::content::complete_when_cut;
use scripted_provider::schedule::{Decision, Outcome as Fate, Schedule};
use webtranslator::pace::{Limits, Load};
use webtranslator::queue::{Call, JobId, Line, Outcome, Queue, Wish};
use webtranslator::verdict::{Class, Failure, ItemVerdict, Stated, Verdict};

/// The extension keeps at most so many texts of a page unanswered, and sends a
/// part only when there is room for so many.
const OPEN: usize = 512;
const WORTH_A_PART: usize = 32;

/// What answers calls.
pub trait Engine {
    fn begin(&mut self, now: Duration, texts: &[&str]) -> Decision;
    fn end(&mut self);
}

impl Engine for Schedule {
    fn begin(&mut self, now: Duration, texts: &[&str]) -> Decision {
        Self::begin(self);
        self.decide(now, texts, true)
    }

    fn end(&mut self) {
        Self::end(self);
    }
}

/// What a page came to.
#[derive(Debug, Default)]
pub struct Ended {
    pub last: Duration,
    pub calls: usize,
    pub done: usize,
    pub failed: Vec<(JobId, Failure)>,
}

struct Flight {
    call: Call,
    decision: Decision,
    ends: Duration,
}

/// A page under way.
pub struct Page<E> {
    queue: Queue,
    engine: E,
    texts: Vec<String>,
    /// How many of the texts are the page's; parts of cut ones follow them.
    size: usize,
    pushed: usize,
    /// Parts, and what they are a part of.
    whole: HashMap<JobId, JobId>,
    /// Parts that are not done yet.
    open: HashMap<JobId, usize>,
    flights: Vec<Flight>,
    now: Duration,
    jitter: u64,
    ended: Ended,
}

impl<E: Engine> Page<E> {
    pub fn new(limits: Limits, engine: E, texts: &[String]) -> Self {
        let line = Line { fingerprint: 0, limits, local: false, proven: false, ready: Ok(()) };
        Self {
            queue: Queue::new(vec![line]),
            engine,
            texts: texts.to_vec(),
            size: texts.len(),
            pushed: 0,
            whole: HashMap::new(),
            open: HashMap::new(),
            flights: Vec::new(),
            now: Duration::ZERO,
            jitter: 7,
            ended: Ended::default(),
        }
    }

    /// Translates it all.
    pub fn run(mut self) -> Ended {
        loop {
            self.push();
            while let Some(call) = self.queue.next_call(self.now) {
                self.send(call);
            }
            while let Some(outcome) = self.queue.poll_outcome() {
                self.note(&outcome);
            }
            let wake = self.queue.next_wake(self.now).filter(|wake| *wake > self.now);
            let answer = self.flights.iter().map(|flight| flight.ends).min();
            if let Some(next) = wake.into_iter().chain(answer).min() {
                self.now = next;
                self.answer();
            } else if self.pushed == self.size {
                assert_eq!(self.answered(), self.size, "a text is left");
                return self.ended;
            }
        }
    }

    fn answered(&self) -> usize {
        self.ended.done + self.ended.failed.len()
    }

    fn push(&mut self) {
        let end = self.size.min(self.answered() + OPEN);
        if end - self.pushed >= WORTH_A_PART || end == self.size {
            (self.pushed..end).for_each(|place| self.want(place));
            self.pushed = end;
        }
    }

    fn want(&mut self, place: usize) {
        let text = &self.texts[place];
        let wish = Wish {
            job: place as JobId,
            owner: 1,
            rank: if place < 20 { 0 } else { 2 },
            group: u64::from(text.split_whitespace().count() <= 3),
            load: Load::of(text),
            providers: vec![0],
            changed: false,
        };
        self.queue.push(self.now, wish);
    }

    fn send(&mut self, call: Call) {
        let text = |job: &JobId| self.texts[usize::try_from(*job).unwrap()].as_str();
        let texts: Vec<&str> = call.jobs.iter().map(text).collect();
        let decision = self.engine.begin(self.now, &texts);
        self.ended.calls += 1;
        self.flights.push(Flight { call, decision, ends: self.now + decision.takes });
    }

    fn answer(&mut self) {
        let now = self.now;
        let due: Vec<Flight> = self.flights.extract_if(.., |flight| flight.ends <= now).collect();
        for Flight { call, decision, .. } in due {
            self.engine.end();
            let jitter = self.next_jitter();
            self.queue.finish(now, call.id, &verdict(call.jobs.len(), &decision), jitter);
        }
    }

    fn next_jitter(&mut self) -> f64 {
        self.jitter = self.jitter * 48_271 % 0x7fff_ffff;
        f64::from(u32::try_from(self.jitter).unwrap()) / f64::from(0x7fff_ffff_u32)
    }

    fn note(&mut self, outcome: &Outcome) {
        match *outcome {
            Outcome::Done(job) => self.done(job),
            Outcome::Failed { job, failure, .. } => self.ended.failed.push((job, failure)),
            Outcome::Cut(job) => self.cut(job),
            Outcome::Refused { .. } | Outcome::Dropped(_) => {}
        }
    }

    fn done(&mut self, mut job: JobId) {
        while let Some(whole) = self.whole.get(&job) {
            let open = self.open.get_mut(whole).unwrap();
            *open -= 1;
            if *open > 0 {
                return;
            }
            job = *whole;
        }
        self.ended.done += 1;
        self.ended.last = self.now;
    }

    fn cut(&mut self, job: JobId) {
        let text = self.texts[usize::try_from(job).unwrap()].clone();
        let words: Vec<&str> = text.split(' ').collect();
        let (first, second) = words.split_at(words.len() / 2);
        self.open.insert(job, 2);
        for half in [first, second] {
            let place = self.texts.len();
            self.texts.push(half.join(" "));
            self.whole.insert(place as JobId, job);
            self.want(place);
        }
    }
}

/// Returns what the session says of an answer to a call with so many texts.
fn verdict(count: usize, decision: &Decision) -> Verdict {
    let good = |test: &dyn Fn(usize) -> bool| (0..count).filter(|at| test(*at)).collect();
    let few = (2..4).contains(&count) && decision.variant.is_multiple_of(2);
    let (class, done): (Class, Vec<usize>) = match decision.outcome {
        Fate::Ok => (Class::Ok, good(&|_| true)),
        Fate::Dropped if count > 1 => (Class::Partial, good(&|at| at != (count - 1) / 2)),
        Fate::Short if few => (Class::Partial, good(&|at| at + 1 < count)),
        Fate::Short if count > 1 => (Class::Malformed, vec![]),
        Fate::Truncated => (Class::Truncated, good(&|at| at < complete_when_cut(count))),
        Fate::Unavailable | Fate::RateLimited | Fate::TooMany => (Class::RateLimited, vec![]),
        Fate::Refused => (Class::Blocked, vec![]),
        _ => (Class::Empty, vec![]),
    };
    let item = |at: usize| {
        if done.contains(&at) { ItemVerdict::Done } else { ItemVerdict::Missing }
    };
    Verdict {
        class,
        items: (0..count).map(item).collect(),
        answered: true,
        pause: None,
        out_for: None,
        failure: match class {
            Class::Blocked => Failure::Refused,
            Class::RateLimited => Failure::RateLimited,
            _ => Failure::BadReply,
        },
        stated: Stated::default(),
        window: matches!(decision.outcome, Fate::RateLimited | Fate::TooMany),
        tokens: 0,
    }
}
