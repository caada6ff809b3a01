//! A wall clock that jumps a day or a year, forward and back, under a real host.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use scripted_provider::{Script, Server, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, serve};
use crate::money::priced;

/// No page below may wait for a time of a wrong clock; they take far less.
const SOON: Duration = Duration::from_secs(20);

/// What makes another clock for a process; none where it is not installed.
fn faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?;
    let found = folders
        .filter_map(|folder| Some(folder.ok()?.path().join("faketime/libfaketimeMT.so.1")))
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("libfaketime is not installed; this test shows nothing without");
    }
    found
}

/// A clock that is set while the host runs.
struct Clock(PathBuf);

impl Clock {
    fn new(home: &Home) -> Self {
        let clock = Self(home.path("clock"));
        clock.set("+0");
        clock
    }

    fn set(&self, offset: &str) {
        let next = self.0.with_extension("next");
        std::fs::write(&next, offset).unwrap();
        std::fs::rename(next, &self.0).unwrap();
    }
}

fn host_at(home: &Home, clock: &Clock, library: &Path) -> Browser {
    let mut command = home.command();
    command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &clock.0);
    command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut browser = Browser::start(command);
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "chromium"}}));
    assert_eq!(browser.next()["type"], "welcome");
    browser
}

/// Translates a page of new texts and one that was there before.
fn page(browser: &mut Browser, id: u64) -> Value {
    let texts: Vec<String> = (0..20).map(|n| format!("Text number {n} of page {id}")).collect();
    let mut asked: Vec<&str> = texts.iter().map(String::as_str).collect();
    asked.push("A text that is on every page");
    let started = Instant::now();
    browser.translate(id, &asked);
    let finished = browser.finish(id);
    for (i, text) in (0..).zip(&asked) {
        assert_eq!(finished.text(i), stand_in::stand_in(text));
    }
    assert!(started.elapsed() < SOON, "page {id} waited");
    finished.done
}

fn status(browser: &mut Browser, id: u64) -> Value {
    browser.send(&json!({"type": "status", "id": id}));
    browser.next_word()
}

fn refusing() -> Server {
    serve(Script { refuse: vec!["zarglefrak".to_owned()], ..Script::default() })
}

#[test]
fn a_clock_that_jumps_holds_no_page_and_no_other_browser_up() {
    let Some(library) = faketime() else { return };
    let server = refusing();
    let home = Home::at(&server, "openai");
    let clock = Clock::new(&home);
    let mut jumping = host_at(&home, &clock, &library);
    let mut steady = home.greeted();
    let day = |clock: &Clock, offset: &str, browser: &mut Browser, id| {
        clock.set(offset);
        let usage = status(browser, id)["usage"]["calls"].as_u64().unwrap();
        (offset.to_owned(), usage)
    };
    page(&mut jumping, 1);
    assert!(day(&clock, "+0", &mut jumping, 600).1 > 0);
    assert_eq!(day(&clock, "+400d", &mut jumping, 601).1, 0, "the obstacle is real");
    for (id, offset) in (2..).zip(["+1d", "-1d", "+400d", "-400d", "+0"]) {
        clock.set(offset);
        let done = page(&mut jumping, id);
        assert_eq!(done["from_cache"], 1, "{offset}: what was stored is found");
        jumping.translate(id + 100, &[&format!("zarglefrak on page {id}")]);
        assert_eq!(jumping.finish(id + 100).failed[&0], "refused");
        let done = page(&mut steady, id);
        assert_eq!(done["from_cache"], 21, "{offset}: nothing is paid for twice");
        page(&mut steady, id + 50);
    }
    let today = status(&mut steady, 700);
    let calls = today["usage"]["calls"].as_u64().unwrap();
    assert!(calls < u64::try_from(server.calls().len()).unwrap(), "other days are not today");
}

#[test]
fn a_host_that_starts_after_a_clock_was_a_year_ahead_works_as_ever() {
    let Some(library) = faketime() else { return };
    let server = refusing();
    let home = Home::at(&server, "openai");
    for (id, offset) in (1..).zip(["+365d", "-365d", "+1d", "+0"]) {
        let clock = Clock::new(&home);
        clock.set(offset);
        let mut browser = host_at(&home, &clock, &library);
        let done = page(&mut browser, id);
        assert_eq!(done["from_cache"], u64::from(id > 1), "{offset}");
        browser.translate(id + 100, &["zarglefrak"]);
        assert_eq!(browser.finish(id + 100).failed[&0], "refused");
        // It is killed in the middle of a page: its claims stay behind.
        browser.translate(id + 200, &["One more text"]);
        browser.child.kill().unwrap();
        browser.child.wait().unwrap();
    }
    page(&mut home.greeted(), 9);
}

#[test]
fn the_limit_of_a_day_is_that_of_the_day_which_the_clock_says() {
    let Some(library) = faketime() else { return };
    let server =
        serve(Script { queue: vec![priced(0.5), priced(0.5), priced(0.5)], ..Script::default() });
    let settings = crate::changes::settings(&[("paid", &server)], 60);
    let home = Home::new(&format!("{settings}[budget]\nusd_per_day = 0.4\n"));
    let clock = Clock::new(&home);
    let mut browser = host_at(&home, &clock, &library);
    let words = ["", "first", "second", "third", "fourth", "fifth"];
    let mut translates = |offset: &str, id: u64| {
        clock.set(offset);
        // No digits: a translation without them is doubted and asked for again.
        let text = format!("A {} good text", words[usize::try_from(id).unwrap()]);
        browser.translate(id, &[&text]);
        browser.finish(id).failed.is_empty()
    };
    assert!(translates("+0", 1));
    assert!(!translates("+0", 2), "the day is paid for");
    assert!(translates("+400d", 3), "another day");
    assert!(!translates("+400d", 4));
    assert!(!translates("+0", 5), "and back: what this day has cost is still known");
}
