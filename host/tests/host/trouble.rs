//! What goes wrong around the host, and what it says.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use scripted_provider::{Answer, Script, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, ORIGIN, serve};

fn provider(kind: &str, base_url: &str) -> String {
    format!(
        "target = \"ko\"\nproviders = [\"main\"]\n[provider.main]\nkind = \"{kind}\"\n\
         model = \"m\"\nbase_url = \"{base_url}\"\n"
    )
}

/// Returns an address of this machine where nobody listens.
fn closed_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn welcome(home: &Home) -> (Browser, Value) {
    let mut browser = home.start();
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "chromium"}}));
    let welcome = browser.next();
    (browser, welcome)
}

#[test]
fn a_missing_key_is_told_in_welcome_and_with_each_segment() {
    let home = Home::new(&provider("gemini", "https://example.invalid"));
    let (mut browser, welcome) = welcome(&home);
    assert_eq!(welcome["providers"][0]["ready"], false);
    let reason = welcome["providers"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("No key"), "{reason}");
    browser.translate(1, &["A text", "Another text"]);
    let finished = browser.finish(1);
    assert_eq!(finished.failed[&0], "unauthorized");
    assert!(finished.message.contains("key"), "{}", finished.message);
    assert_eq!(finished.done["calls"], 0);
}

#[test]
fn a_server_that_does_not_run_costs_two_calls_and_is_told() {
    let home = Home::new(&provider("openai", &format!("{}/v1", closed_address())));
    let mut browser = home.greeted();
    browser.translate(1, &["A text", "Another text"]);
    let finished = browser.finish(1);
    assert_eq!(finished.failed[&0], "network");
    assert!(finished.message.contains("running"), "{}", finished.message);
    assert_eq!(finished.done["calls"], 2);
    browser.send(&json!({"type": "test_provider", "id": 9, "provider": "main"}));
    let tested = browser.next_word();
    assert_eq!((&tested["ok"], &tested["code"]), (&json!(false), &json!("network")), "{tested}");
}

#[test]
fn an_answer_that_never_ends_is_given_up_in_time_and_asked_again() {
    let drip = json!({"status": 200, "headers": {}, "body_text": " ".repeat(10_000),
        "fault": "drip:50ms_per_byte"});
    let drip: Answer = serde_json::from_value(drip).unwrap();
    let server = serve(Script { queue: vec![drip], ..Script::default() });
    let home = Home::at(&server, "openai");
    let path = home.path("settings.toml");
    let settings = std::fs::read_to_string(&path).unwrap() + "timeout_s = 1\n";
    std::fs::write(path, settings).unwrap();
    let mut browser = home.greeted();
    let started = Instant::now();
    browser.translate(1, &["A text that is waited for"]);
    let finished = browser.finish(1);
    assert_eq!((&finished.done["translated"], &finished.done["calls"]), (&json!(1), &json!(2)));
    assert!(started.elapsed() < Duration::from_secs(20), "the bytes that came do not count");
}

#[test]
fn a_wrong_address_is_a_fault_of_the_settings_and_costs_one_call() {
    let page: Answer = serde_json::from_value(json!({"status": 404,
        "headers": {"content-type": "text/html"}, "body_text": "<html>Not found</html>"}))
    .unwrap();
    let server = serve(Script { queue: vec![page], repeat: true, ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let texts: Vec<String> = (0..60).map(|i| format!("Text number {i}")).collect();
    browser.translate(1, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let finished = browser.finish(1);
    assert_eq!(finished.failed.len(), 60);
    assert_eq!(finished.failed[&0], "misconfigured");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn a_mistake_in_the_settings_is_told_with_its_place_and_the_last_good_ones_stay() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    let good = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    let bad = good.replace("providers = [\"main\"]", "providers = 7");
    std::fs::write(home.path("settings.toml"), bad).unwrap();
    browser.send(&json!({"type": "get_settings", "id": 5}));
    let settings = browser.next_word();
    let problem = settings["problem"].as_str().unwrap();
    assert!(problem.contains("line 2"), "{problem}");
    browser.translate(1, &["A text"]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("A text"));
}

#[test]
fn settings_are_changed_over_the_wire_and_keys_never_come_back() {
    let home = Home::new("# mine\ntarget = \"ko\"\n");
    let mut browser = home.greeted();
    browser.send(&json!({"type": "set_settings", "id": 2, "settings": {"target": "ja",
        "providers": ["gemini"],
        "provider": {"gemini": {"kind": "gemini", "key": "canary-abcd-9876"}}}}));
    let settings = browser.next_word();
    assert_eq!(settings["settings"]["target"], "ja", "{settings}");
    assert_eq!(settings["settings"]["provider"]["gemini"]["has_key"], true);
    assert_eq!(settings["settings"]["provider"]["gemini"]["key_tail"], "9876");
    assert!(!settings.to_string().contains("canary"));
    let file = std::fs::read_to_string(home.path("settings.toml")).unwrap();
    assert!(file.starts_with("# mine") && !file.contains("canary"), "{file}");
    let mode = std::fs::metadata(home.path("secrets.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    browser.send(&json!({"type": "set_settings", "id": 3, "settings": {"target": 5}}));
    let error = browser.next_word();
    assert_eq!((&error["type"], &error["id"]), (&json!("error"), &json!(3)), "{error}");
}

#[test]
fn a_damaged_cache_is_moved_aside_and_translation_goes_on() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    std::fs::write(home.path("cache.db"), vec![b'x'; 10_000]).unwrap();
    let (mut browser, welcome) = welcome(&home);
    assert_eq!(welcome["cache"]["state"], "ok", "{welcome}");
    browser.translate(1, &["A text"]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("A text"));
}

#[test]
fn a_folder_that_may_not_be_written_is_told_and_translation_goes_on() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("needs root to become another user");
        return;
    }
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.dir.path(), mode.clone()).unwrap();
    std::fs::set_permissions(home.path("settings.toml"), mode).unwrap();
    let other = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let touched = Command::new("setpriv")
        .args(other)
        .arg("touch")
        .arg(home.path("x"))
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!touched.success(), "the other user can write after all");
    let program = home.dir.path().join("host");
    std::fs::copy(env!("CARGO_BIN_EXE_webtranslator"), &program).unwrap();
    let mut command = Command::new("setpriv");
    command.args(other).arg(&program).arg(ORIGIN);
    command.env("WEBTRANSLATOR_HOME", home.dir.path());
    command.envs(home.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut browser = Browser::start(command);
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "chromium"}}));
    let welcome = browser.next();
    assert_eq!(welcome["cache"]["state"], "memory", "{welcome}");
    assert!(!welcome["cache"]["reason"].as_str().unwrap().is_empty());
    browser.translate(1, &["A text"]);
    assert_eq!(browser.finish(1).text(0), stand_in::stand_in("A text"));
}

#[test]
fn a_private_window_leaves_nothing_behind() {
    let server = serve(Script { refuse: vec!["zarglefrak".to_owned()], ..Script::default() });
    let home = Home::at(&server, "openai");
    let mut browser = home.greeted();
    browser.translate_as(
        1,
        &["zebra private one", "zebra zarglefrak two"],
        &json!({"private": true, "page": {"origin": "https://example.org", "title": "zebra"}}),
    );
    let finished = browser.finish(1);
    assert_eq!(finished.text(0), stand_in::stand_in("zebra private one"));
    assert_eq!(finished.failed[&1], "refused");
    assert!(server.calls().iter().all(|call| !call.body.contains("\"zebra\"")), "the title");
    drop(browser);
    for entry in std::fs::read_dir(home.dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(5).any(|w| w == b"zebra"), "{}", path.display());
    }
}

#[test]
fn no_key_and_no_page_text_is_written_anywhere() {
    let home = Home::new(&provider("openai", &format!("{}/v1", closed_address())));
    let mut home = home;
    home.environment.push(("WEBTRANSLATOR_KEY_MAIN".into(), "canary-key-5555".into()));
    let mut command = home.command();
    command.stderr(Stdio::piped());
    let mut browser = Browser::start(command);
    browser.translate(1, &["canary page text"]);
    let finished = browser.finish(1);
    assert!(!finished.message.contains("canary"), "{}", finished.message);
    browser.hang_up();
    browser.ends_within(std::time::Duration::from_secs(2));
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut browser.child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert!(!stderr.contains("canary"), "{stderr}");
    let log = std::fs::read_to_string(home.path("webtranslator.log")).unwrap();
    assert!(!log.contains("canary"), "{log}");
}

#[test]
fn without_a_network_the_page_ends_and_says_so() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("needs root to take the network away");
        return;
    }
    let server = serve(Script::default());
    let port = server.port().to_string();
    let reach = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let reached = |through: &mut Command| {
        through.args(["bash", "-c", &reach]).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(reached(&mut Command::new("env")), "the server is there");
    assert!(!reached(Command::new("unshare").arg("-n")), "the network is there after all");
    let home = Home::new(&provider("openai", "https://api.example.org/v1"));
    let mut command = Command::new("unshare");
    command.arg("-n").arg(env!("CARGO_BIN_EXE_webtranslator")).arg(ORIGIN);
    command.env("WEBTRANSLATOR_HOME", home.dir.path()).env("WEBTRANSLATOR_KEY_MAIN", "k");
    let mut browser = Browser::start(command);
    browser.translate(1, &["A text", "Another text"]);
    let finished = browser.finish(1);
    assert_eq!(finished.failed[&0], "network");
    assert!(finished.message.contains("network"), "{}", finished.message);
    assert_eq!(finished.done["calls"], 3);
}
