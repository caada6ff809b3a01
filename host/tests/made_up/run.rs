//! Runs the queue against the scripted provider's own schedule, in made-up time.

use std::collections::HashMap;
use std::time::Duration;

use scripted_provider::Script;
use scripted_provider::content::complete_when_cut;
use scripted_provider::ideal::{Ceilings, Least, least};
use scripted_provider::schedule::{Decision, Outcome as Fate, Schedule};
use webtranslator::pace::{Limits, Load};
use webtranslator::queue::{Call, JobId, Line, Outcome, Queue, Wish};
use webtranslator::verdict::{Class, Failure, ItemVerdict, Stated, Verdict};

/// The extension keeps at most so many texts unanswered.
const OPEN: usize = 512;

pub const CEILINGS: Ceilings =
    Ceilings { batch: 60, chars: 12_000, first_batch: 8, concurrency: 4 };

/// What a run came to.
#[derive(Debug, Default)]
pub struct Ended {
    pub last: Duration,
    pub calls: usize,
    pub done: Vec<JobId>,
    pub failed: Vec<(JobId, Failure)>,
    pub fates: HashMap<Fate, usize>,
}

pub fn line(script: &Script) -> Line {
    let _ = script;
    Line {
        fingerprint: 0,
        limits: Limits {
            segments: CEILINGS.batch,
            chars: CEILINGS.chars,
            first_segments: CEILINGS.first_batch,
            concurrency: CEILINGS.concurrency,
            requests_per_minute: None,
            tokens_per_minute: None,
            requests_per_day: None,
        },
        local: false,
        proven: false,
        ready: Ok(()),
    }
}

struct Flight {
    call: Call,
    decision: Decision,
    ends: Duration,
}

/// Translates a page.
pub fn run(script: &Script, page: &[String], mut jitter: impl FnMut() -> f64) -> Ended {
    let mut texts = page.to_vec();
    let mut parts: HashMap<JobId, (JobId, usize)> = HashMap::new();
    let mut left: HashMap<JobId, usize> = HashMap::new();
    let mut queue = Queue::new(vec![line(script)]);
    let mut schedule = Schedule::new(script.clone());
    let mut ended = Ended::default();
    let mut flights: Vec<Flight> = Vec::new();
    let mut now = Duration::ZERO;
    let mut pushed = 0;
    loop {
        let answered = ended.done.len() + ended.failed.len();
        if OPEN - (pushed - answered) >= 32 {
            for job in pushed..page.len().min(answered + OPEN) {
                queue.push(now, wish(job, &texts[job]));
                pushed = job + 1;
            }
        }
        while let Some(call) = queue.next_call(now) {
            schedule.begin();
            let batch: Vec<&str> = call
                .jobs
                .iter()
                .map(|job| texts[usize::try_from(*job).unwrap()].as_str())
                .collect();
            let decision = schedule.decide(now, &batch, true);
            ended.calls += 1;
            *ended.fates.entry(decision.outcome).or_default() += 1;
            flights.push(Flight { call, decision, ends: now + decision.takes });
        }
        while let Some(outcome) = queue.poll_outcome() {
            match outcome {
                Outcome::Done(mut job) => {
                    let mut whole = true;
                    while let Some((of, _)) = parts.get(&job) {
                        let open = left.get_mut(of).unwrap();
                        *open -= 1;
                        job = *of;
                        if *open > 0 {
                            whole = false;
                            break;
                        }
                    }
                    if whole {
                        ended.done.push(job);
                        ended.last = now;
                    }
                }
                Outcome::Cut(job) => {
                    let text = texts[job as usize].clone();
                    let words: Vec<&str> = text.split(' ').collect();
                    let halves =
                        [words[..words.len() / 2].join(" "), words[words.len() / 2..].join(" ")];
                    left.insert(job, 2);
                    for half in halves {
                        let id = texts.len();
                        texts.push(half.clone());
                        parts.insert(id as u64, (job, 0));
                        queue.push(now, wish(id, &half));
                    }
                }
                Outcome::Failed { job, failure, .. } => ended.failed.push((job, failure)),
                Outcome::Refused { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        let wake = queue.next_wake(now).filter(|wake| *wake > now);
        let answer = flights.iter().map(|flight| flight.ends).min();
        let Some(next) = wake.into_iter().chain(answer).min() else {
            let answered = ended.done.len() + ended.failed.len();
            if answered < page.len() && pushed < page.len() {
                continue;
            }
            assert_eq!(answered, page.len());
            return ended;
        };
        now = next;
        for Flight { call, decision, .. } in
            flights.extract_if(.., |f| f.ends <= now).collect::<Vec<_>>()
        {
            schedule.end();
            queue.finish(now, call.id, &verdict(&call, &decision), jitter());
        }
    }
}

pub fn wish(job: usize, text: &str) -> Wish {
    Wish {
        job: job as u64,
        owner: 1,
        rank: if job < 20 { 0 } else { 2 },
        group: u64::from(text.split_whitespace().count() <= 3),
        load: Load::of(text),
        providers: vec![0],
        changed: false,
    }
}

/// What the session would say.
fn verdict(call: &Call, decision: &Decision) -> Verdict {
    let count = call.jobs.len();
    let tail = (count / 4).max(1);
    let (class, good): (Class, Vec<usize>) = match decision.outcome {
        Fate::Ok => (Class::Ok, (0..count).collect()),
        Fate::Dropped if count > 1 => {
            (Class::Partial, (0..count).filter(|at| *at != (count - 1) / 2).collect())
        }
        Fate::Short if count > 1 && count < 4 && decision.variant.is_multiple_of(2) => {
            (Class::Partial, (0..count - tail).collect())
        }
        Fate::Short if count > 1 => (Class::Malformed, vec![]),
        Fate::Dropped | Fate::Short | Fate::Empty => (Class::Empty, vec![]),
        Fate::Truncated => (Class::Truncated, (0..complete_when_cut(count)).collect()),
        Fate::Unavailable | Fate::RateLimited | Fate::TooMany => (Class::RateLimited, vec![]),
        Fate::Refused => (Class::Blocked, vec![]),
        other => panic!("{other:?}"),
    };
    let item = |at: usize| {
        if good.contains(&at) { ItemVerdict::Done } else { ItemVerdict::Missing }
    };
    Verdict {
        class,
        items: (0..count).map(item).collect(),
        answered: true,
        pause: (class == Class::RateLimited).then_some(Duration::from_secs(10)),
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

pub fn ideal(script: &Script, texts: &[String]) -> Least {
    least(script, texts, CEILINGS, true).unwrap()
}
