#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// Writes a script that plays a host and says hello to it.
fn answer(script: &str) -> Result<Welcome, String> {
    let temp = tempfile::tempdir().unwrap();
    let host = temp.path().join("a host");
    fs::write(&host, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&host, fs::Permissions::from_mode(0o755)).unwrap();
    hello(Family::Firefox, Path::new("/m/x.json"), &host)
}

/// Returns shell code that writes this JSON as a frame.
fn frame(json: &str) -> String {
    let [a, b, c, d] = u32::try_from(json.len()).unwrap().to_ne_bytes();
    format!("printf '\\{a:03o}\\{b:03o}\\{c:03o}\\{d:03o}%s' '{json}'")
}

#[test]
fn a_welcome_is_read_whole() {
    let json = r#"{"type":"welcome","protocol":1,"version":"9","cache":{"state":"off","reason":"r"},"providers":[{"name":"a","kind":"x","ready":true},{"name":"b","kind":"x","ready":false}],"target":"ko"}"#;
    let welcome = answer(&frame(json)).unwrap();
    assert_eq!((welcome.version.as_str(), welcome.cache.as_str()), ("9", "off"));
    assert_eq!(welcome.cache_reason.as_deref(), Some("r"));
    let expected = [("a".to_owned(), None), ("b".to_owned(), Some("it is not ready".to_owned()))];
    assert_eq!(welcome.providers, expected);
}

#[test]
fn it_is_started_with_the_arguments_and_the_folder_of_a_browser() {
    let said =
        answer(r#"echo "$1 $2 $(basename "$PWD" | wc -l) $(test -x './a host' && echo here)" >&2"#);
    let said = said.unwrap_err();
    assert!(said.contains("/m/x.json webtranslator@example.org 1 here"), "{said}");
}

#[test]
fn a_host_that_fails_is_quoted() {
    let check = |script: &str, expected: &str| {
        let said = answer(script).unwrap_err();
        assert!(said.contains(expected), "{said}");
    };
    check("echo 'no room' >&2; exit 3", "ended without an answer; it said: no room");
    check("echo starting", "beginning \"star\"");
    check(
        &frame(r#"{"type":"error","code":"unsupported_protocol","message":"update me"}"#),
        "update me",
    );
    check(&frame("hello"), "no JSON");
    check(&frame(r#"{"type":"pong"}"#), "did not answer with a welcome");
    let gone = hello(Family::Chromium, Path::new("/m"), Path::new("/nowhere/host")).unwrap_err();
    assert!(gone.contains("could not be started"), "{gone}");
}
