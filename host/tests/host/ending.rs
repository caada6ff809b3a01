//! How a host ends: the browser goes away, stops reading, or says so.

use std::process::{Command, Stdio};
use std::time::Duration;

use scripted_provider::Script;

use crate::browser::{Browser, Home, serve};

/// The browser kills after two seconds.
const LIMIT: Duration = Duration::from_secs(2);

#[test]
fn the_end_of_stdin_ends_the_host() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
}

#[test]
fn the_end_of_stdin_inside_a_frame_ends_the_host() {
    let home = Home::new("");
    let mut browser = home.greeted();
    browser.send_bytes(&100_u32.to_ne_bytes());
    browser.send_bytes(b"{\"type\":");
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
}

#[test]
fn sigterm_ends_the_host_with_exit_code_zero() {
    let home = Home::new("");
    let mut browser = home.greeted();
    let pid = browser.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
}

#[test]
fn a_closed_stdout_ends_the_host() {
    let home = Home::new("");
    let mut command = home.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let started = std::time::Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < LIMIT, "the host still runs");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_host_ends_in_time_although_a_provider_hangs() {
    let server = serve(Script { latency_ms: 60_000, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["A text that nobody answers"]);
    wait_for_call(&server);
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
}

#[test]
fn what_was_in_flight_at_the_end_is_stored() {
    let server = serve(Script { latency_ms: 400, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate(1, &["A text that is paid for"]);
    wait_for_call(&server);
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));

    let mut second = home.greeted();
    second.translate(1, &["A text that is paid for"]);
    assert_eq!(second.finish(1).done["from_cache"], 1);
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn a_host_whose_browser_was_killed_does_not_stay() {
    let home = Home::new("");
    let mut browser: Browser = home.greeted();
    let pid = browser.child.id();
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
    assert!(!std::path::Path::new(&format!("/proc/{pid}/fd/0")).exists());
}

fn wait_for_call(server: &scripted_provider::Server) {
    let started = std::time::Instant::now();
    while server.stats().in_flight == 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "no call came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_host_leaves_no_file_of_its_own_behind() {
    let server = serve(Script::default());
    let home = Home::at(&server, "gemini");
    let files = || std::fs::read_dir(home.path("hosts")).unwrap().count();
    let mut browser = home.greeted();
    browser.translate_one("A text that is paid for");
    assert_eq!(files(), 1, "others see that it is there");
    browser.hang_up();
    assert_eq!(browser.ends_within(LIMIT).code(), Some(0));
    assert_eq!(files(), 0);
}
