//! Whatever the providers say, in whatever order: every job ends, once, within
//! the bounds. The model below counts by the documented rules and knows
//! nothing of the queue's own records.

use proptest::prelude::*;

use super::*;

const CLASSES: [Class; 12] = [
    Class::Ok,
    Class::Partial,
    Class::Malformed,
    Class::Truncated,
    Class::Empty,
    Class::Transient,
    Class::RateLimited,
    Class::Blocked,
    Class::TooLarge,
    Class::FeatureError,
    Class::QuotaExhausted,
    Class::ConfigError,
];

/// One step of the script: what the next call to end says, and which it is.
#[derive(Clone, Debug)]
struct Step {
    class: Class,
    good: u64,
    odd: u64,
    answered: bool,
    which: usize,
    latency: u64,
    event: u8,
}

/// What the model knows of one job at one provider.
#[derive(Debug, Default)]
struct Tally {
    counted: u32,
    carried: u32,
    free: u32,
    largest: usize,
    last_bad: usize,
    missed: bool,
    doubted: bool,
    /// It came back bad out of a call in which it stood alone.
    alone: bool,
}

#[derive(Default)]
struct Model {
    tallies: HashMap<(JobId, usize), Tally>,
    ended: HashMap<JobId, &'static str>,
    lots: HashMap<JobId, Lot>,
    /// Providers that have brought something, or have shown that they work.
    proven: HashSet<usize>,
}

impl Model {
    fn end(&mut self, job: JobId, how: &'static str) {
        let before = self.ended.insert(job, how);
        assert_eq!(before, None, "job {job} ended twice, at last as {how}");
    }

    fn sent(&mut self, call: &Call) {
        assert!(call.jobs.len() <= 8 && !call.jobs.is_empty());
        for job in &call.jobs {
            assert!(!self.ended.contains_key(job), "job {job} was sent after its end");
            assert_eq!(self.lots[job], (call.group, call.changed));
            let tally = self.tallies.entry((*job, call.provider)).or_default();
            tally.carried += 1;
            tally.largest = tally.largest.max(call.jobs.len());
            // Splits alone: each halves the batch. Beside them four attempts, a
            // forgiven miss, a doubt, a raised limit.
            let splits = tally.largest.next_power_of_two().trailing_zeros();
            assert!(tally.carried - tally.free <= 4 + 3 + splits, "job {job}: {tally:?}");
        }
    }

    fn heard(&mut self, call: &Call, verdict: &Verdict) {
        let works = match verdict.class {
            Class::Blocked | Class::TooLarge => true,
            Class::RateLimited
            | Class::FeatureError
            | Class::QuotaExhausted
            | Class::ConfigError => false,
            _ => verdict.is_usable(),
        };
        if works {
            self.proven.insert(call.provider);
        }
        let unproven = !self.proven.contains(&call.provider);
        for (job, item) in call.jobs.iter().zip(&verdict.items) {
            let tally = self.tallies.get_mut(&(*job, call.provider)).expect("it was sent");
            match verdict.class {
                // Bounded by the provider's own ladder, not by the job. So is what
                // fails before the provider has brought anything.
                Class::RateLimited | Class::FeatureError => tally.free += 1,
                _ if unproven => tally.free += 1,
                _ => {}
            }
            // Doubt is forgiven once, and then as good as nothing.
            let doubt =
                *item == ItemVerdict::Doubtful && std::mem::replace(&mut tally.doubted, true);
            if *item != ItemVerdict::Missing && !doubt {
                continue;
            }
            let size = call.jobs.len();
            let counts = match verdict.class {
                _ if unproven => false,
                Class::Malformed | Class::Empty | Class::Transient => true,
                Class::Ok | Class::Partial => std::mem::replace(&mut tally.missed, true),
                _ => false,
            };
            if counts {
                // What comes after the fourth attempt only isolates.
                if tally.counted < 4 {
                    tally.counted += 1;
                } else {
                    assert!(size < tally.last_bad, "a fifth attempt of job {job}: {tally:?}");
                }
                tally.last_bad = size;
            }
            let gate = matches!(verdict.class, Class::RateLimited | Class::FeatureError);
            tally.alone |= size == 1 && !gate;
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        match *outcome {
            Outcome::Done(job) => self.end(job, "done"),
            Outcome::Cut(job) => {
                self.end(job, "cut");
                assert!(self.tallies.iter().any(|((id, _), tally)| *id == job && tally.alone));
            }
            Outcome::Dropped(job) => self.end(job, "dropped"),
            Outcome::Refused { job, provider } => {
                assert!(self.tallies[&(job, provider)].alone, "job {job} had company");
            }
            Outcome::Failed { job, failure, provider, .. } => {
                self.end(job, "failed");
                if matches!(failure, Failure::BadReply | Failure::Refused) {
                    let at = (job, provider.expect("someone's reply was bad"));
                    assert!(self.tallies[&at].alone, "job {job} failed in company");
                }
            }
        }
    }
}

fn told(call: &Call, step: &Step) -> Verdict {
    let item = |place: usize| match (step.good >> place & 1, step.odd >> place & 1) {
        (1, _) if !matches!(step.class, Class::Empty | Class::Transient) => ItemVerdict::Done,
        (0, 1) if step.class == Class::Ok => {
            if place.is_multiple_of(2) {
                ItemVerdict::Doubtful
            } else {
                ItemVerdict::Taken
            }
        }
        _ => ItemVerdict::Missing,
    };
    let mut told = verdict(call, step.class, &[]);
    told.items = (0..call.jobs.len()).map(item).collect();
    told.answered = step.answered || step.class != Class::Transient;
    told.window = step.odd & 8 == 0;
    told.tokens = step.good >> 50;
    told.stated.spent_for = (step.event == 7).then_some(secs(step.latency % 200));
    told.out_for = step.which.is_multiple_of(2).then_some(secs(100));
    told
}

fn step() -> impl Strategy<Value = Step> {
    // The rare classes end a run early: they get a small share.
    let class = prop_oneof![
        30 => prop::sample::select(&CLASSES[..10]),
        1 => prop::sample::select(&CLASSES[10..]),
    ];
    let masks = (any::<u64>(), any::<u64>(), 0u8..3);
    (class, masks, any::<bool>(), 0usize..8, 0u64..5000, any::<u8>()).prop_map(
        |(class, (good, odd, share), answered, which, latency, event)| {
            let good = if share == 0 { good } else { good & odd };
            Step { class, good, odd: odd >> 7, answered, which, latency, event }
        },
    )
}

fn jobs() -> impl Strategy<Value = Vec<Wish>> {
    let wish = (0u64..3, 0u8..3, 0u64..2, 1usize..400, any::<bool>(), 0u8..10);
    prop::collection::vec(wish, 1..40).prop_map(|all| {
        let made =
            |(place, (owner, rank, group, chars, two, changed)): (usize, (_, _, _, _, _, u8))| {
                let providers = if two { vec![0, 1] } else { vec![1] };
                let job = place as u64 + 1;
                let load = Load { chars, tokens: 0 };
                Wish { job, owner, rank, group, load, providers, changed: changed == 0 }
            };
        all.into_iter().enumerate().map(made).collect()
    })
}

/// Things that the extension may do at any time.
fn disturb(desk: &mut Desk, model: &mut Model, event: u8) {
    let (kind, n) = (event % 16, u64::from(event / 16));
    match kind {
        0 => {
            for job in desk.queue.cancel(n % 3) {
                model.end(job, "cancelled");
            }
        }
        1 => desk.queue.join(n + 1, 2, 0),
        2 => desk.queue.prioritize(n % 3, &[n, n + 1, n + 20], (n % 3) as u8),
        3 => desk.queue.reader_retries(desk.now),
        _ => {}
    }
}

/// Another host may be there first; returns whether there is no call then.
fn recall(desk: &mut Desk, model: &mut Model, call: &mut Call, event: u8) -> bool {
    match event % 16 {
        4 => desk.queue.put_back(desk.now, call.id, desk.now + ms(700)),
        5 => {
            let job = call.jobs.remove(0);
            model.end(job, "claimed");
            return !desk.queue.take_out(call.id, &[job]);
        }
        _ => return false,
    }
    true
}

fn run(wishes: &[Wish], script: &[Step], disturbed: bool) {
    let limits = Limits { chars: 1000, first_segments: 3, ..line().limits };
    let proven = Line { limits, ..line() };
    let mut desk = Desk::new(vec![Line { proven: false, ..proven.clone() }, proven]);
    let mut model = Model { proven: HashSet::from([1]), ..Model::default() };
    for wish in wishes {
        model.lots.insert(wish.job, (wish.group, wish.changed));
        desk.push(wish.clone());
    }
    let mut flying: Vec<Call> = Vec::new();
    let mut recalls = 20;
    for step in script.iter().cycle().take(20_000) {
        while let Some(mut call) = desk.next() {
            if disturbed && recalls > 0 && recall(&mut desk, &mut model, &mut call, step.event) {
                recalls -= 1;
                continue;
            }
            model.sent(&call);
            flying.push(call);
        }
        assert!(flying.len() <= 8);
        desk.outcomes().iter().for_each(|outcome| model.outcome(outcome));
        if disturbed {
            disturb(&mut desk, &mut model, step.event);
        }
        if !flying.is_empty() {
            let call = flying.swap_remove(step.which % flying.len());
            desk.now += ms(step.latency);
            let told = told(&call, step);
            model.heard(&call, &told);
            let taken = call.jobs.iter().zip(&told.items);
            for (job, _) in taken.filter(|(_, item)| **item == ItemVerdict::Taken) {
                model.end(*job, "taken");
            }
            desk.finish(&call, &told);
        } else if let Some(wake) = desk.queue.next_wake(desk.now) {
            desk.now = wake;
        } else {
            break;
        }
    }
    desk.outcomes().iter().for_each(|outcome| model.outcome(outcome));
    assert!(desk.queue.is_empty(), "jobs are left: {:?}", desk.queue.jobs);
    assert_eq!(model.ended.len(), wishes.len(), "a job went without a word");
    assert!(desk.queue.owners.is_empty() && desk.queue.parcels.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_job_ends_once_and_within_its_bounds(
        wishes in jobs(),
        script in prop::collection::vec(step(), 1..60),
    ) {
        run(&wishes, &script, false);
    }

    #[test]
    fn every_job_ends_once_while_readers_come_and_go(
        wishes in jobs(),
        script in prop::collection::vec(step(), 1..60),
    ) {
        run(&wishes, &script, true);
    }

    /// Culprits make any reply that carries them empty. Only they fail, and
    /// each costs no more calls than its attempts and its isolation.
    #[test]
    fn culprits_fail_alone_within_the_bound_of_calls(
        count in 1u64..60,
        culprits in prop::collection::btree_set(1u64..60, 0..3),
        class in prop::sample::select(vec![Class::Empty, Class::Malformed, Class::Blocked]),
    ) {
        let limits = Limits { segments: 16, first_segments: 16, ..line().limits };
        let mut desk = Desk::new(vec![Line { limits, ..line() }]);
        (1..=count).for_each(|job| desk.push(wish(job)));
        let culprits: Vec<JobId> = culprits.into_iter().filter(|job| *job <= count).collect();
        let (mut calls, mut failed) = (0, Vec::new());
        while !desk.queue.is_empty() {
            while let Some(call) = desk.next() {
                calls += 1;
                if call.jobs.iter().any(|job| culprits.contains(job)) {
                    desk.answer(&call, class, &[]);
                } else {
                    desk.succeed(&call);
                }
            }
            failed.extend(desk.failures().into_iter().map(|(job, ..)| job));
            desk.now = desk.queue.next_wake(desk.now).unwrap_or(desk.now);
        }
        failed.sort_unstable();
        prop_assert_eq!(&failed, &culprits);
        let batches = count.div_ceil(16);
        // A batch that shrank after a malformed reply may make twice as many.
        let bound = 3 * batches + culprits.len() as u64 * (4 + 2 * 4);
        prop_assert!(calls <= bound, "{} calls, {} allowed", calls, bound);
    }
}
