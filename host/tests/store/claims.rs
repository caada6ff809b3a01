//! Claims and pace: several hosts on one file, with made-up times.

use webtranslator::store::{
    Claim, Departed, Departure, Failed, Heard, Limits, NewEntry, Outcome, Store,
};

use webtranslator::segment::Key;

use crate::fixture::{DAY, Folder, entry, key};

/// A text that is asked for without a retry.
fn asked(n: usize) -> (Key, bool) {
    (key(n), false)
}

/// Some moment, in milliseconds.
const T: i64 = DAY * 86_400_000;

fn departure(keys: &[(Key, bool)]) -> Departure<'_> {
    Departure { line: "line", keys, tokens: 100, limits: Limits::default() }
}

fn claims(departed: Option<Departed>) -> Vec<Claim> {
    match departed {
        Some(Departed::Go(claims)) => claims,
        other => panic!("expected leave, not {other:?}"),
    }
}

fn waits(departed: Option<Departed>) -> i64 {
    match departed {
        Some(Departed::Wait(until)) => until,
        other => panic!("expected a wait, not {other:?}"),
    }
}

fn limited(requests: u32) -> Limits {
    Limits { requests_per_minute: Some(requests), ..Limits::default() }
}

fn failed(code: &str) -> Failed {
    Failed { code: code.to_owned(), back_ms: None }
}

fn two(folder: &Folder) -> (Store, Store) {
    (folder.open(), folder.open())
}

#[test]
fn a_text_belongs_to_the_host_that_asks_first() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let keys = [asked(1), asked(2)];
    assert_eq!(claims(one.depart(&departure(&keys), T)), [Claim::Free, Claim::Free]);
    let more = [asked(2), asked(3)];
    assert_eq!(claims(other.depart(&departure(&more), T + 1)), [Claim::Taken, Claim::Free]);
    assert_eq!(claims(one.depart(&departure(&keys), T + 2)), [Claim::Free, Claim::Free], "its own");
}

#[test]
fn who_waited_for_the_file_and_comes_with_an_older_time_takes_nothing_away() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let with = |requests| Departure { limits: limited(requests), ..departure(&[]) };
    let keys = [asked(1)];
    claims(one.depart(&Departure { keys: &keys, ..with(1) }, T + 4_000));
    assert_eq!(other.look(&[key(1)], T), [Claim::Taken]);
    assert_eq!(waits(other.depart(&with(1), T)), T + 64_250);
    assert_eq!(claims(other.depart(&departure(&keys), T)), [Claim::Taken]);
}

#[test]
fn a_stored_text_is_handed_over_and_a_failure_too() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let keys = [key(1), key(2), key(3)];
    claims(one.depart(&departure(&[asked(1), asked(2), asked(3)]), T));
    other.has_news();
    assert!(!other.has_news());
    one.put_many(&[NewEntry { key: key(1), ..entry(1, "text") }], DAY);
    let refused = Failed { code: "refused".to_owned(), back_ms: None };
    let settled = [
        (key(1), Outcome::Released),
        (key(2), Outcome::Failed(refused.clone())),
        (key(3), Outcome::Released),
    ];
    one.settle(&settled, T);
    assert!(other.has_news());
    let found = other.look(&keys, T + 1);
    assert!(matches!(&found[0], Claim::Stored(entry) if entry.text == "text"));
    assert_eq!(found[1..], [Claim::Failed(refused), Claim::Free]);
    assert_eq!(claims(other.depart(&departure(&[(key(2), true)]), T + 2)), [Claim::Free]);
    one.settle(&[(key(2), Outcome::Released)], T + 3);
    assert_eq!(one.look(&keys[1..2], T + 4), [Claim::Taken], "the reader's retry claims it");
    assert_eq!(one.look(&keys[1..2], T + 60_001), [Claim::Free]);
}

#[test]
fn a_claim_runs_out_unless_it_is_renewed() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let keys = [key(1)];
    claims(one.depart(&departure(&[asked(1)]), T));
    one.renew(T + 20_000);
    assert_eq!(other.look(&keys, T + 40_000), [Claim::Taken]);
    assert_eq!(claims(other.depart(&departure(&[asked(1)]), T + 50_001)), [Claim::Free]);
    assert_eq!(one.look(&keys, T + 50_002), [Claim::Taken], "it is the other's now");
    one.settle(&[(key(1), Outcome::Released)], T + 50_003);
    assert_eq!(one.look(&keys, T + 50_004), [Claim::Taken], "only its owner ends a claim");
}

#[test]
fn what_a_host_that_is_gone_had_claimed_is_free_at_once() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    claims(one.depart(&departure(&[asked(1)]), T));
    assert_eq!(other.look(&[key(1)], T), [Claim::Taken]);
    drop(one);
    assert_eq!(other.look(&[key(1)], T), [Claim::Free]);
}

#[test]
fn a_host_that_leaves_ends_its_claims() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    claims(one.depart(&departure(&[asked(1)]), T));
    one.leave();
    assert_eq!(other.look(&[key(1)], T), [Claim::Free]);
}

#[test]
fn a_time_too_far_ahead_is_taken_as_now() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let day = 86_400_000;
    claims(one.depart(&departure(&[asked(1)]), T + day));
    one.heard("line", &Heard::Paused { until_ms: T + day }, T + day);
    assert_eq!(other.look(&[key(1)], T), [Claim::Free]);
    assert_eq!(claims(other.depart(&departure(&[asked(1)]), T)), [Claim::Free]);
}

#[test]
fn all_hosts_together_stay_within_a_minutes_requests() {
    let folder = Folder::new();
    let mut hosts: Vec<Store> = (0..10).map(|_| folder.open()).collect();
    let mut gone = 0;
    for round in 0..3 {
        for host in &mut hosts {
            let limits = limited(12);
            let asked = Departure { limits, ..departure(&[]) };
            match host.depart(&asked, T + round) {
                Some(Departed::Go(_)) => gone += 1,
                Some(Departed::Wait(until)) => assert_eq!(until, T + 60_250),
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(gone, 12);
    let asked = Departure { limits: limited(12), ..departure(&[]) };
    assert!(matches!(hosts[0].depart(&asked, T + 60_250), Some(Departed::Go(_))));
}

#[test]
fn all_hosts_together_stay_within_tokens_and_a_days_requests() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let tokens = Limits { tokens_per_minute: Some(250), ..Limits::default() };
    let asked = Departure { limits: tokens, ..departure(&[]) };
    claims(one.depart(&asked, T));
    claims(other.depart(&asked, T + 10));
    assert_eq!(waits(one.depart(&asked, T + 20)), T + 60_250);
    let daily = Limits { requests_per_day: Some(2), ..Limits::default() };
    let asked = Departure { limits: daily, line: "daily", ..departure(&[]) };
    claims(one.depart(&asked, T));
    claims(other.depart(&asked, T + 10));
    assert_eq!(waits(one.depart(&asked, T + 3_600_000)), T + 86_400_000);
}

#[test]
fn a_learned_limit_holds_for_hosts_that_never_met_it() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    one.learn("line", &limited(1), T);
    claims(one.depart(&departure(&[]), T));
    waits(other.depart(&departure(&[]), T + 1));
    let day = 86_400_000;
    claims(other.depart(&departure(&[]), T + day));
    claims(other.depart(&departure(&[]), T + day + 1));
}

#[test]
fn one_hosts_pause_holds_all_back_and_one_of_them_probes() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    claims(one.depart(&departure(&[]), T));
    one.heard("line", &Heard::Paused { until_ms: T + 10_000 }, T);
    assert_eq!(waits(other.depart(&departure(&[]), T + 1)), T + 10_000);
    claims(other.depart(&departure(&[]), T + 10_000));
    assert_eq!(waits(one.depart(&departure(&[]), T + 10_001)), T + 11_001, "a probe is out");
    other.heard("line", &Heard::Success, T + 10_500);
    claims(one.depart(&departure(&[]), T + 10_501));
    claims(other.depart(&departure(&[]), T + 10_502));
}

#[test]
fn refused_probes_of_all_hosts_count_together() {
    let folder = Folder::new();
    let mut hosts: Vec<Store> = (0..4).map(|_| folder.open()).collect();
    let mut now = T;
    claims(hosts[0].depart(&departure(&[]), now));
    hosts[0].heard("line", &Heard::Paused { until_ms: now + 10_000 }, now);
    for (host, pause) in [(1, 10_000), (2, 20_000), (3, 40_000)] {
        assert_eq!(waits(hosts[0].depart(&departure(&[]), now + 1)), now + pause);
        now += pause;
        claims(hosts[host].depart(&departure(&[]), now));
        hosts[host].heard("line", &Heard::Paused { until_ms: now + 10_000 }, now);
    }
    match hosts[0].depart(&departure(&[]), now) {
        Some(Departed::Out(Failed { code, back_ms })) => {
            assert_eq!((code.as_str(), back_ms), ("rate_limited", Some(now + 300_000)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_probe_dies_with_its_host() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    one.heard("line", &Heard::Paused { until_ms: T }, T - 10_000);
    claims(one.depart(&departure(&[]), T));
    waits(other.depart(&departure(&[]), T + 1));
    drop(one);
    claims(other.depart(&departure(&[]), T + 2));
}

#[test]
fn an_out_is_known_to_all_until_its_time_and_then_probed() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    let until = T + 3_600_000;
    let quota = Failed { code: "quota_exhausted".to_owned(), back_ms: Some(until) };
    one.heard("line", &Heard::Out(quota.clone()), T);
    assert_eq!(other.depart(&departure(&[]), T + 1), Some(Departed::Out(quota)));
    other.reader_retries();
    assert!(matches!(other.depart(&departure(&[]), T + 1), Some(Departed::Out(_))), "a date stays");
    claims(one.depart(&departure(&[]), until));
    waits(other.depart(&departure(&[]), until));
    one.heard("line", &Heard::Success, until);
    claims(other.depart(&departure(&[]), until));
    one.heard("line", &Heard::Out(failed("unauthorized")), T);
    assert!(matches!(other.depart(&departure(&[]), T + 1), Some(Departed::Out(_))));
    assert!(matches!(other.depart(&departure(&[]), T + 300_001), Some(Departed::Go(_))));
}

#[test]
fn the_readers_retry_passes_by_an_out_without_a_date() {
    let folder = Folder::new();
    let (mut one, mut other) = two(&folder);
    one.heard("line", &Heard::Out(failed("network")), T);
    other.reader_retries();
    claims(other.depart(&departure(&[]), T + 1));
}

#[test]
fn a_host_with_only_memory_is_alone() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file()).unwrap();
    let (mut store, _) = crate::fixture::open(&folder.file());
    assert_eq!(store.depart(&departure(&[asked(1)]), T), None);
    assert_eq!(store.look(&[key(1)], T), [Claim::Free]);
}

#[test]
fn what_killed_hosts_left_goes_when_the_next_one_comes() {
    let folder = Folder::new();
    let hosts = folder.file().with_file_name("hosts");
    let (mut one, mut other) = two(&folder);
    claims(one.depart(&departure(&[asked(1)]), T));
    let alive = std::fs::read_dir(&hosts).unwrap().next().unwrap().unwrap().path();
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    for (name, is_old) in [("killed", true), ("starting", false)] {
        let file = std::fs::File::create(hosts.join(name)).unwrap();
        if is_old {
            file.set_modified(yesterday).unwrap();
        }
    }
    std::fs::File::options().write(true).open(&alive).unwrap().set_modified(yesterday).unwrap();
    assert_eq!(claims(other.depart(&departure(&[asked(1)]), T)), [Claim::Taken]);
    assert!(!hosts.join("killed").exists());
    assert!(hosts.join("starting").exists(), "it may be about to take its lock");
    assert!(alive.exists());
}
