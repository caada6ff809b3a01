use std::cell::RefCell;
use std::time::Duration;

use super::super::environment::Disk;
use super::*;

fn welcome() -> Welcome {
    Welcome {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cache: "ok".to_owned(),
        cache_reason: None,
        providers: vec![("gemini".to_owned(), None)],
        took: Duration::from_millis(7),
    }
}

/// Writes a manifest for `host` into a folder, and returns what the doctor
/// says about it when the host answers with `answer`.
fn examined(
    host: &Path,
    change: impl Fn(&str) -> String,
    answer: &Result<Welcome, String>,
) -> Report {
    let temp = tempfile::tempdir().unwrap();
    let family = Family::Chromium;
    let text = manifest::write(family, host, &manifest::entries(family, &[], &[])).unwrap();
    fs::write(temp.path().join(MANIFEST_FILE), change(&text)).unwrap();
    doctor_dir(temp.path(), family, &Disk, &|_, _, _| answer.clone())
}

#[track_caller]
fn check(report: &Report, level: Level, part: &str, command: Option<&str>) {
    let found = report.findings.iter().find(|finding| finding.sentence.contains(part));
    let Some(finding) = found else { panic!("{part} is not in\n{}", report.render()) };
    assert_eq!(finding.level, level);
    let text = finding.command.as_deref().unwrap_or_default();
    assert!(text.contains(command.unwrap_or_default()), "{text}");
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

#[test]
fn a_good_registration_is_started_with_its_own_path() {
    let seen = RefCell::new(Vec::new());
    let temp = tempfile::tempdir().unwrap();
    let text =
        manifest::write(Family::Firefox, &program(), &manifest::entries(Family::Firefox, &[], &[]));
    fs::write(temp.path().join(MANIFEST_FILE), text.unwrap()).unwrap();
    let report = doctor_dir(temp.path(), Family::Firefox, &Disk, &|family, file, host| {
        seen.borrow_mut().push((family, file.to_owned(), host.to_owned()));
        Ok(welcome())
    });
    check(&report, Level::Ok, "answers within 7 ms", None);
    assert_eq!(report.exit_code(), 0);
    assert_eq!(seen.into_inner(), [(Family::Firefox, temp.path().join(MANIFEST_FILE), program())]);
}

#[test]
fn a_broken_file_is_named_with_its_line_and_a_command() {
    let report = examined(&program(), |text| text.replace("\n}", ",\n}"), &Ok(welcome()));
    check(&report, Level::Error, "line 9, column 1: trailing comma", Some("install --force"));
    assert_eq!(report.exit_code(), 1);
}

#[test]
fn a_manifest_without_our_id_is_an_error() {
    let other = "a".repeat(32);
    let report = examined(
        &program(),
        |text| text.replace(super::super::EXTENSION_ID, &other),
        &Ok(welcome()),
    );
    check(&report, Level::Error, "the extension's id is not in it", Some("install"));
}

#[test]
fn what_the_path_leads_to_is_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    let same = |text: &str| text.to_owned();
    let plain = temp.path().join("it's plain");
    fs::write(&plain, "x").unwrap();
    check(&examined(temp.path(), same, &Ok(welcome())), Level::Error, "is a folder", None);
    let missing = examined(&temp.path().join("gone"), same, &Ok(welcome()));
    check(&missing, Level::Error, "does not exist", Some("install"));
    #[cfg(unix)]
    check(
        &examined(&plain, same, &Ok(welcome())),
        Level::Error,
        "not executable",
        Some(r"chmod +x '/"),
    );
}

#[test]
fn a_host_that_does_not_answer_or_is_another_version_is_named() {
    let same = |text: &str| text.to_owned();
    let silent = examined(&program(), same, &Err("it ended without an answer".to_owned()));
    check(&silent, Level::Error, "it ended without an answer", Some("doctor"));
    let old = Welcome { version: "0.0.1".to_owned(), ..welcome() };
    check(&examined(&program(), same, &Ok(old)), Level::Warning, "version 0.0.1", Some("install"));
}

#[test]
fn what_the_host_says_of_cache_and_providers_is_passed_on() {
    let same = |text: &str| text.to_owned();
    let poor = Welcome {
        cache: "memory".to_owned(),
        cache_reason: Some("the disk is full".to_owned()),
        providers: vec![("gemini".to_owned(), Some("no key".to_owned()))],
        ..welcome()
    };
    let report = examined(&program(), same, &Ok(poor));
    check(&report, Level::Warning, "the disk is full", None);
    check(&report, Level::Warning, "not ready: no key", None);
    let none = Welcome { providers: Vec::new(), ..welcome() };
    check(
        &examined(&program(), same, &Ok(none)),
        Level::Warning,
        "none is set up",
        Some("settings"),
    );
}

#[cfg(unix)]
#[test]
fn keys_that_others_can_read_are_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("secrets.toml");
    assert_eq!(secrets_rights(&file), None);
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(secrets_rights(&file).unwrap().command.unwrap().starts_with("chmod 600"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(secrets_rights(&file), None);
}

#[test]
fn the_same_thing_is_told_once_and_the_worse_view_wins() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().as_os_str().to_owned();
    let environment =
        Environment::from_vars(|name| (name == "HOME").then(|| home.clone()), false).unwrap();
    let family = Family::Chromium;
    let file = temp.path().join(".config/chromium/NativeMessagingHosts").join(MANIFEST_FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = manifest::write(family, &program(), &manifest::entries(family, &[], &[])).unwrap();
    fs::write(&file, text).unwrap();
    let told = |cache: &str, extra: Finding| {
        let answer = Welcome { cache: cache.to_owned(), ..welcome() };
        let report = doctor(&environment, &Disk, &|_, _, _| Ok(answer.clone()), vec![extra]);
        report.findings.iter().filter(|finding| finding.subject == "cache").count()
    };
    assert_eq!(told("ok", Finding::ok("cache", "holds 3 entries")), 1);
    assert_eq!(told("memory", Finding::error("cache", "it is damaged")), 1);
    assert_eq!(told("memory", Finding::ok("cache", "holds 3 entries")), 2);
}
