//! The queue in made-up time.
#![allow(clippy::unwrap_used, missing_docs)]
mod run;

use scripted_provider::Script;
use scripted_provider::page::{REFUSED_WORD, page};
use scripted_provider::script::Faults;

fn guide(seed: u64) -> Script {
    Script {
        seed,
        latency_ms: 120,
        ms_per_char: 0.05,
        requests_per_minute: Some(60),
        refuse: vec![REFUSED_WORD.to_owned()],
        faults: Faults {
            empty: 8.0,
            dropped: 4.0,
            short: 4.0,
            truncated: 3.0,
            unavailable: 3.0,
            ..Faults::default()
        },
        ..Script::default()
    }
}

#[test]
fn explore() {
    let mut x = 1u64;
    let mut jitter = || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 40) as f64 / (1u64 << 24) as f64
    };
    for (count, seeds) in [(100, 1000u64), (600, 400), (3000, 60), (20000, 8)] {
        let texts = page(count);
        let (mut a, mut b) = (0.0, 0.0);
        let (mut ca, mut cb) = (0, 0);
        let mut ratios = vec![];
        for seed in 0..seeds {
            let script = guide(seed);
            let ended = run::run(&script, &texts, &mut jitter);
            let ideal = run::ideal(&script, &texts);
            if seed < 4 {
                println!(
                    "{count} seed {seed}: {:.2} s {} calls, ideal {:.2} s {} calls, failed {:?} {:?}",
                    ended.last.as_secs_f64(),
                    ended.calls,
                    ideal.last.as_secs_f64(),
                    ideal.calls,
                    ended.failed.len(),
                    ended.fates
                );
            }
            if ended.failed.len() != 6 || count > 60000 {
                println!(
                    "{count} seed {seed} FAILED {:?} at {:?}: {:?} {:?}",
                    ended.failed.len(),
                    ended.last,
                    ended.failed,
                    ended.fates
                );
            }
            a += ended.last.as_secs_f64();
            b += ideal.last.as_secs_f64();
            ca += ended.calls;
            cb += ideal.calls;
            ratios.push(ended.last.as_secs_f64() / ideal.last.as_secs_f64());
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "== {count}: mean {:.2} / {:.2} = {:.3}; calls {:.3}; ratios min {:.2} median {:.2} p90 {:.2} max {:.2}",
            a / seeds as f64,
            b / seeds as f64,
            a / b,
            ca as f64 / cb as f64,
            ratios[0],
            ratios[ratios.len() / 2],
            ratios[ratios.len() * 9 / 10],
            ratios[ratios.len() - 1]
        );
        let script = Script { latency_ms: 120, ms_per_char: 0.05, ..Script::default() };
        let ended = run::run(&script, &texts, &mut jitter);
        let ideal = run::ideal(&script, &texts);
        println!(
            "   plain {:.2} {} / {:.2} {} = {:.3}",
            ended.last.as_secs_f64(),
            ended.calls,
            ideal.last.as_secs_f64(),
            ideal.calls,
            ended.last.as_secs_f64() / ideal.last.as_secs_f64()
        );
    }
}
