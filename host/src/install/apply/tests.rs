use super::super::{Options, plan_dir};
use super::*;

const HOST: &str = "/opt/webtranslator";

fn planned(dir: &Path) -> Plan {
    plan_dir(&Disk, Path::new(HOST), (dir, Family::Chromium), &Options::default()).unwrap()
}

fn undone(dir: &Path, host: &str) -> Vec<Done> {
    undo(None, Path::new(host), &[(dir.to_owned(), Family::Chromium)], false)
}

#[test]
fn it_writes_once_keeps_then_and_undoes() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("새 폴더/NativeMessagingHosts");
    let file = dir.join(MANIFEST_FILE);
    assert_eq!(apply(&planned(&dir))[0].outcome, Outcome::Written);
    let bytes = fs::read(&file).unwrap();
    assert_eq!(apply(&planned(&dir))[0].outcome, Outcome::Kept);
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "no temporary file is left");

    let dry = undo(None, Path::new(HOST), &[(dir.clone(), Family::Chromium)], true);
    assert_eq!(dry[0].outcome, Outcome::Removable);
    assert_eq!(undone(&dir, HOST)[0].outcome, Outcome::Removed);
    assert!(undone(&dir, HOST).is_empty());
}

#[test]
fn what_is_not_ours_is_not_removed() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let _ = apply(&planned(dir));
    assert!(matches!(undone(dir, "/usr/bin/webtranslator")[0].outcome, Outcome::Left(_)));
    fs::write(dir.join(MANIFEST_FILE), "{}").unwrap();
    assert!(matches!(undone(dir, HOST)[0].outcome, Outcome::Left(_)));
    assert!(dir.join(MANIFEST_FILE).exists());
}

#[cfg(unix)]
#[test]
fn files_can_be_read_by_all_and_folders_by_the_reader() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("made/NativeMessagingHosts");
    let _ = apply(&planned(&dir));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.join(MANIFEST_FILE)), 0o644);
    assert_eq!(mode(&dir), 0o700);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_fails_by_itself_and_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dangling");
    std::os::unix::fs::symlink(temp.path().join("nowhere"), &dir).unwrap();
    let mut plan = planned(&dir);
    plan.registrations.extend(planned(&temp.path().join("good")).registrations);
    let done = apply(&plan);
    let Outcome::Failed(why) = &done[0].outcome else { panic!("{done:?}") };
    assert!(why.contains("leads nowhere"), "{why}");
    assert_eq!(done[1].outcome, Outcome::Written);
    assert_eq!(exit_code(&done), 3);
    assert_eq!(exit_code(&done[..1]), 1);
    assert_eq!(exit_code(&done[1..]), 0);
    assert!(render(&done).contains("FAILED"), "{}", render(&done));
}
