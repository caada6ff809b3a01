//! Missing rights, read-only and full disks: real ones.
//!
//! They need root: to mount, and to become somebody without rights. Without
//! root these tests say so and pass.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::home::{Home, put, run};

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("this test needs root and shows nothing without");
    }
    root
}

/// A folder with a file system of its own in memory, unmounted at the end.
struct Mount(Home);

impl Mount {
    fn new(options: &str) -> Self {
        let mount = Self(Home::new());
        mount.run("mount", &["-t", "tmpfs", "-o", options, "tmpfs"]);
        mount
    }

    fn run(&self, program: &str, words: &[&str]) {
        let status = Command::new(program).args(words).arg(self.0.path("")).status();
        assert!(status.unwrap().success(), "{program} {words:?}");
    }

    fn fill(&self) {
        let _ = fs::write(self.0.path("filler"), vec![1; 8 * 1024 * 1024]);
        let error = fs::write(self.0.path("probe"), vec![1; 65536]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "the obstacle is real");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path("")).status();
    }
}

#[test]
fn a_cache_on_a_read_only_disk_is_looked_at_and_not_changed() {
    if !is_root() {
        return;
    }
    let mount = Mount::new("size=4m");
    let home = &mount.0;
    home.put(&[put("a", "b")]);
    mount.run("mount", &["-o", "remount,ro"]);
    assert!(fs::write(home.path("probe"), "x").is_err(), "the obstacle is real");
    assert!(home.cache(&["list"]).good().contains("    a\n    b\n"));
    assert!(home.cache(&["stats"]).good().contains("entries  1"));
    assert!(home.cache(&["verify"]).good().contains("in order"));
    let export = home.cache(&["export"]).good();
    assert_eq!(export.lines().count(), 1);
    for words in [&["import"][..], &["forget", "a"], &["clear", "--all"], &["compact"]] {
        let told = home.cache_with(words, export.replace("2024", "2025").as_bytes()).bad();
        assert!(told.contains("cannot be written: it"), "{words:?} {told}");
        assert!(!told.contains("memory"), "no word about what a host does: {told}");
    }
}

#[test]
fn a_full_disk_is_told_with_what_was_stored_before() {
    if !is_root() {
        return;
    }
    let line = |n: u32| {
        format!(
            "{{\"source\":\"{n} {}\",\"translation\":\"b\",\"source_language\":\"en\",\
             \"target_language\":\"ko\"}}\n",
            "x".repeat(500)
        )
    };
    let text: String = (0..20_000).map(line).collect();
    let mount = Mount::new("size=7m");
    let told = mount.0.cache_with(&["import"], text.as_bytes()).bad();
    assert!(told.contains("the disk is full"), "{told}");
    let stored: usize = told
        .split("full; ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|count| count.parse().ok())
        .unwrap();
    assert!(stored >= 2000, "{told}");
    let stats = mount.0.cache(&["stats"]).good();
    assert!(stats.contains(&format!("entries  {stored}\n")), "{stats} {told}");

    mount.fill();
    let told = mount.0.cache(&["compact"]).bad();
    assert!(told.contains("the disk is full") && told.contains("nothing was changed"), "{told}");
    let file = mount.0.path("memory.jsonl");
    let told = mount.0.cache(&["export", file.to_str().unwrap()]).bad();
    assert!(told.contains("No space left"), "{told}");
    assert!(!file.exists());
    let left = fs::read_dir(mount.0.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().starts_with(".memory")));
    fs::remove_file(mount.0.path("filler")).unwrap();
    assert!(mount.0.cache(&["verify"]).good().contains("in order"));
}

/// Runs a command as somebody without rights.
fn as_nobody(home: &Path, words: &[&str], input: &[u8]) -> crate::home::Told {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    command.arg(env!("CARGO_BIN_EXE_webtranslator")).arg("cache").args(words);
    command.env("WEBTRANSLATOR_HOME", home);
    run(command, input)
}

#[test]
fn a_file_that_may_only_be_read_is_looked_at_and_not_changed() {
    if !is_root() {
        return;
    }
    let home = Home::with(&[put("a", "b")]);
    let export = home.cache(&["export"]).good();
    let newer = export.replace("2024", "2025");
    let mode = |name: &str, mode: u32| {
        fs::set_permissions(home.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("cache.db", 0o644);
    let folder = home.path("");
    assert_eq!(as_nobody(&folder, &["export"], b"").good(), export);
    for words in [&["import"][..], &["clear", "--all"], &["compact"]] {
        let told = as_nobody(&folder, words, newer.as_bytes()).bad();
        assert!(told.contains("the cache ") && told.contains("written"), "{words:?} {told}");
    }
    mode("cache.db", 0o600);
    for words in [&["list"][..], &["verify"], &["export"], &["import"], &["stats"]] {
        let told = as_nobody(&folder, words, export.as_bytes()).bad();
        assert!(told.contains("cannot be opened"), "{words:?} {told}");
    }
    mode("", 0o700);
    let told = as_nobody(&folder, &["list"], b"").bad();
    assert!(told.contains("Permission denied"), "{told}");
    assert_eq!(home.cache(&["export"]).good(), export);
}
