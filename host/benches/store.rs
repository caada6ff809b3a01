//! The cache against bare `SQLite` on the same file: looking up a page, looking
//! up among a million, storing, and how files and memory grow. Prints a table:
//! figure, bound, holds or not.
//!
//!     cargo bench -p webtranslator --bench store [-- --quick]
//!
//! Ratios are of the best of many runs that take turns, since machines are
//! noisy. A row without a bound is there to be known. `--quick` takes fewer
//! turns.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::time::Duration;

#[path = "../tests/host/browser.rs"]
#[allow(dead_code)]
mod browser;
#[path = "store/filled.rs"]
mod filled;
#[path = "store/looking.rs"]
mod looking;
#[path = "store/page.rs"]
mod page;
#[path = "store/storing.rs"]
mod storing;

use filled::{Filled, MANY, PAGE};

fn main() {
    // `cargo test --benches` only asks whether it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let quick = std::env::args().any(|argument| argument == "--quick");
    let turns = if quick { 15 } else { 41 };
    let mut table = Table::new();
    let page = Filled::with_a_page();
    Table::note(&format!("the page as its first reader has it, {PAGE} texts"), page.took);
    looking::one_page(&mut table, &page, turns);
    let million = page.and_a_million_more();
    Table::note(&format!("{MANY} entries, made"), million.took);
    looking::among_many(&mut table, &page, &million, turns);
    storing::compared(&mut table, &page, turns.min(15));
    storing::growth(&page, &million);
    page::memory(&mut table, &page, &million);
    assert!(table.all_hold, "a bound does not hold");
}

/// Returns the best time of each of these over so many turns.
fn best<const N: usize>(turns: usize, mut turn: impl FnMut() -> [Duration; N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..turns {
        for (best, took) in best.iter_mut().zip(turn()) {
            *best = took.min(*best);
        }
    }
    best
}

/// What is printed, and whether every bound holds.
struct Table {
    all_hold: bool,
}

impl Table {
    fn new() -> Self {
        println!("{:<60} {:>14} {:>9}", "figure", "measured", "bound");
        Self { all_hold: true }
    }

    /// A figure without a bound.
    fn figure(name: &str, measured: f64, unit: &str) {
        println!("{name:<60} {measured:>10.2} {unit:<3}");
    }

    fn note(name: &str, took: Duration) {
        Self::figure(name, took.as_secs_f64(), "s");
    }

    fn bounded(&mut self, name: &str, (measured, bound): (f64, f64), unit: &str) {
        let holds = measured <= bound;
        self.all_hold &= holds;
        let word = if holds { "holds" } else { "does not hold" };
        println!("{name:<60} {measured:>10.2} {unit:<3} {bound:>9.1} {unit:<3} {word}");
    }

    /// One time as a multiple of another, which may be at most twice as long.
    fn twice(&mut self, name: &str, took: Duration, other: Duration) {
        let name = format!("{name}, {}", microseconds(took));
        self.bounded(&name, (ratio(took, other), 2.0), "×");
    }
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn microseconds(took: Duration) -> String {
    format!("{} µs", took.as_micros())
}

#[allow(clippy::cast_precision_loss)] // sizes far below 2^52
fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
