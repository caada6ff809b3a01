//! Whole pages through the built program over pipes, against the scripted
//! provider: seconds, calls and tokens, and how the seconds compare with the
//! least time (`scripted_provider::ideal`).
//!
//!     cargo bench -p webtranslator --bench page [-- --quick]
//!
//! Texts are sent as the extension sends them: at most 512 unanswered, in parts
//! of 32 to 256. Runs with faults mostly wait: those of one size run side by
//! side, each with its own seed, and the ratio is that of their sums, since one
//! run may meet other faults than the ideal client does. `--quick` leaves out the
//! longest.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use scripted_provider::ideal::{Ceilings, bare_bound, least};
use scripted_provider::page::{REFUSED, REFUSED_WORD, page};
use scripted_provider::script::Faults;
use scripted_provider::{Script, stand_in};
use serde_json::{Value, json};

#[path = "../tests/host/browser.rs"]
#[allow(dead_code)]
mod browser;

use browser::{Browser, Home, serve};

/// The extension keeps so many texts unanswered, and sends a part of at most so
/// many when there is room for so many.
const OPEN: usize = 512;
const MOST_IN_A_PART: usize = 256;
const WORTH_A_PART: usize = 32;
/// What the provider's code says of Gemini.
const CEILINGS: Ceilings = Ceilings { batch: 60, chars: 12_000, first_batch: 8, concurrency: 4 };
/// Longer than any pause of a run.
const PATIENCE: Duration = Duration::from_secs(300);
const FIRST_SEED: u64 = 7;

/// One row: pages of one size under one kind of schedule.
struct Row {
    size: usize,
    faults: bool,
    /// Runs; without faults the best counts, with faults all of them.
    runs: u64,
    quick: bool,
    bound: f64,
}

const ROWS: [Row; 8] = [
    Row { size: 100, faults: false, runs: 5, quick: true, bound: 1.15 },
    Row { size: 600, faults: false, runs: 5, quick: true, bound: 1.15 },
    Row { size: 3_000, faults: false, runs: 2, quick: true, bound: 1.15 },
    Row { size: 20_000, faults: false, runs: 1, quick: false, bound: 1.15 },
    Row { size: 100, faults: true, runs: 6, quick: true, bound: 1.3 },
    Row { size: 600, faults: true, runs: 6, quick: true, bound: 1.3 },
    Row { size: 3_000, faults: true, runs: 4, quick: false, bound: 1.3 },
    Row { size: 20_000, faults: true, runs: 3, quick: false, bound: 1.3 },
];

/// What one run took.
#[derive(Clone, Copy, Default)]
struct Took {
    seconds: f64,
    least: f64,
    bare: f64,
    calls: u64,
    input: u64,
    output: u64,
}

fn main() {
    // `cargo test --benches` only asks whether it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let quick = std::env::args().any(|argument| argument == "--quick");
    println!("Each row: means of its runs, without faults the best of them.");
    println!(
        "{:<16} {:>4} {:>8} {:>6} {:>9} {:>9} {:>8} {:>6} {:>6}",
        "page", "runs", "seconds", "calls", "in", "out", "× least", "bound", "× bare"
    );
    let mut all_hold = true;
    let mut per_segment = Vec::new();
    for row in ROWS.iter().filter(|row| row.quick || !quick) {
        let took = row.take();
        all_hold &= row.print(&took);
        if !row.faults && row.size >= 600 {
            per_segment.push(took.seconds / precise(row.size));
        }
    }
    if let [first, .., last] = per_segment[..] {
        let holds = last <= first * 1.1;
        all_hold &= holds;
        let (growth, word) = (last / first, if holds { "holds" } else { "does not hold" });
        println!("seconds a segment, largest page over 600: {growth:.2}, bound 1.10, {word}");
    }
    assert!(all_hold, "a bound does not hold");
}

#[allow(clippy::cast_precision_loss)] // sizes far below 2^52
fn precise(count: usize) -> f64 {
    count as f64
}

impl Row {
    fn take(&self) -> Took {
        let texts = page(self.size);
        let run = |seed| run(&script(seed, self.faults), &texts);
        if !self.faults {
            let all = (0..self.runs).map(run);
            return all.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap();
        }
        let all: Vec<Took> = thread::scope(|scope| {
            let started: Vec<_> =
                (0..self.runs).map(|n| scope.spawn(move || run(FIRST_SEED + n))).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let runs = precise(all.len());
        let mean = |of: fn(&Took) -> f64| all.iter().map(of).sum::<f64>() / runs;
        let count = |of: fn(&Took) -> u64| all.iter().map(of).sum::<u64>() / self.runs;
        Took {
            seconds: mean(|took| took.seconds),
            least: mean(|took| took.least),
            bare: mean(|took| took.bare),
            calls: count(|took| took.calls),
            input: count(|took| took.input),
            output: count(|took| took.output),
        }
    }

    /// Prints the row; returns whether its bound holds.
    fn print(&self, took: &Took) -> bool {
        let Self { size, runs, bound, .. } = self;
        let page = format!("{size}{}", if self.faults { " with faults" } else { "" });
        let Took { seconds, least, bare, calls, input, output } = took;
        let ratio = seconds / least;
        let word = if ratio <= *bound { "holds" } else { "does not hold" };
        println!(
            "{page:<18} {runs:>2} {seconds:>8.2} {calls:>6} {input:>9} {output:>9} {ratio:>8.3} \
             {bound:>6} {:>6.1} {word}",
            seconds / bare
        );
        ratio <= *bound
    }
}

/// A quick model in a tenth of its time; with faults, the schedule of the guide.
fn script(seed: u64, faults: bool) -> Script {
    let plain = Script { latency_ms: 120, ms_per_char: 0.05, ..Script::default() };
    if !faults {
        return plain;
    }
    let shares = Faults {
        empty: 8.0,
        dropped: 4.0,
        short: 4.0,
        truncated: 3.0,
        unavailable: 3.0,
        ..Faults::default()
    };
    Script {
        seed,
        requests_per_minute: Some(60),
        refuse: vec![REFUSED_WORD.to_owned()],
        faults: shares,
        ..plain
    }
}

/// Translates a page with a fresh host, and checks every answer.
fn run(script: &Script, texts: &[String]) -> Took {
    let server = serve(script.clone());
    let home = Home::at(&server, "gemini");
    let mut page =
        Page { browser: home.greeted(), texts, sent: 0, failed: BTreeSet::new(), done: 0 };
    let (took, done) = page.translate();
    let refused = if script.refuse.is_empty() { 0 } else { REFUSED };
    let carries = |i: &usize| refused > 0 && texts[*i].contains(REFUSED_WORD);
    assert_eq!(page.failed, (0..texts.len()).filter(carries).collect(), "only these fail");
    let least = least(script, texts, CEILINGS, true).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    Took {
        seconds: took.as_secs_f64(),
        least: least.last.as_secs_f64(),
        bare: bare_bound(script, texts, CEILINGS).as_secs_f64(),
        calls: number(&done["calls"]),
        input: number(&done["tokens"]["input"]),
        output: number(&done["tokens"]["output"]),
    }
}

/// A page under way.
struct Page<'a> {
    browser: Browser,
    texts: &'a [String],
    sent: usize,
    failed: BTreeSet<usize>,
    done: usize,
}

impl Page<'_> {
    /// Returns the time to the last translation, and the last message.
    fn translate(&mut self) -> (Duration, Value) {
        let started = Instant::now();
        let mut last = Duration::ZERO;
        self.send();
        loop {
            let frame = self.browser.next_frame(PATIENCE).expect("the host says something");
            let message: Value = serde_json::from_slice(&frame).unwrap();
            match message["type"].as_str().unwrap() {
                "translated" => last = started.elapsed(),
                "done" => return (last, message),
                _ => {}
            }
            self.note(&message);
            self.send();
        }
    }

    fn note(&mut self, message: &Value) {
        for segment in message["segments"].as_array().into_iter().flatten() {
            let i = usize::try_from(segment["i"].as_u64().unwrap()).unwrap();
            match segment["text"].as_str() {
                Some(text) => {
                    assert!(stand_in::is_stand_in_of(&self.texts[i], text), "{i}: {text}");
                    self.done += 1;
                }
                None => assert!(self.failed.insert(i), "{i} twice"),
            }
        }
    }

    /// Sends parts as long as there is room for one.
    fn send(&mut self) {
        while self.sent < self.texts.len() {
            let room = OPEN - (self.sent - self.done - self.failed.len());
            let left = self.texts.len() - self.sent;
            let part = left.min(room).min(MOST_IN_A_PART);
            if part < WORTH_A_PART.min(left) {
                return;
            }
            let segment = |i: usize| {
                let rank = if i < 20 { 0 } else { 2 };
                json!({"i": i, "text": self.texts[i], "rank": rank})
            };
            let segments: Vec<Value> = (self.sent..self.sent + part).map(segment).collect();
            self.sent += part;
            let more = self.sent < self.texts.len();
            self.browser.send(&json!({"type": "translate", "id": 1, "target": "ko",
                "source": "en", "page": {"origin": "https://example.org", "title": "A page"},
                "segments": segments, "more": more}));
        }
    }
}
