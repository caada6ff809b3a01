//! Trouble with the cache, as the browser sees it: the page is translated in full,
//! the reader is told once, and what was stored before is there afterwards.

use std::fs;
use std::process::{Command, Stdio};

use scripted_provider::{Script, Server, stand_in};
use serde_json::{Value, json};

use crate::browser::{Browser, Home, ORIGIN, serve};

const TEXTS: usize = 40;

fn texts(first: usize) -> Vec<String> {
    (first..first + TEXTS).map(|n| format!("This is text number {n} of the page")).collect()
}

/// Translates a page, and returns how much of it was remembered and what the
/// reader was told meanwhile.
fn page(browser: &mut Browser, id: u64, first: usize) -> (u64, Vec<Value>) {
    let texts = texts(first);
    browser.translate(id, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let (finished, told) = browser.finish_with_notices(id);
    for (i, text) in (0..).zip(&texts) {
        assert_eq!(finished.text(i), stand_in::stand_in(text));
    }
    (finished.done["from_cache"].as_u64().unwrap(), told)
}

fn codes(told: &[Value]) -> Vec<&str> {
    told.iter().map(|notice| notice["code"].as_str().unwrap()).collect()
}

/// A home whose cache has a page in it.
fn filled(server: &Server) -> Home {
    let home = Home::at(server, "openai");
    let mut browser = home.greeted();
    assert_eq!(page(&mut browser, 1, 0), (0, vec![]));
    end(browser);
    home
}

fn end(mut browser: Browser) {
    browser.hang_up();
    browser.ends_within(crate::browser::PATIENCE);
}

/// Two hosts after each other, two pages each; all that is told.
fn told_by_two(home: &Home) -> (u64, Vec<Value>, Vec<Value>) {
    let mut browser = home.greeted();
    let (from_cache, mut first) = page(&mut browser, 1, 0);
    first.extend(page(&mut browser, 2, 1000).1);
    end(browser);
    let mut browser = home.greeted();
    let mut second = page(&mut browser, 1, 0).1;
    second.extend(page(&mut browser, 2, 1000).1);
    end(browser);
    (from_cache, first, second)
}

#[test]
fn what_is_no_database_is_told_once_and_a_new_one_serves() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    fs::write(home.path("cache.db"), vec![b'x'; 10_000]).unwrap();
    let (_, first, second) = told_by_two(&home);
    assert_eq!(codes(&first), ["cache_set_aside"]);
    let message = first[0]["message"].as_str().unwrap();
    assert!(message.starts_with("The cache was damaged") && message.ends_with("damaged."));
    assert_eq!(second, Vec::<Value>::new(), "the next host has nothing to tell");
}

#[test]
fn a_torn_page_is_told_once_and_the_rest_is_still_remembered() {
    let server = serve(Script::default());
    let home = filled(&server);
    let mut bytes = fs::read(home.path("cache.db")).unwrap();
    let is_leaf = |page: &[u8]| page[0] == 10 && page.windows(4).any(|part| part == b"text");
    let leaf = bytes.chunks(4096).rposition(is_leaf).expect("a leaf of the translations");
    bytes[leaf * 4096..leaf * 4096 + 2048].fill(0xff);
    fs::write(home.path("cache.db"), bytes).unwrap();
    let (from_cache, first, second) = told_by_two(&home);
    assert_eq!(codes(&first), ["cache_set_aside"], "{first:?}");
    assert!(from_cache > 0, "what could be read serves the page that met the damage");
    assert_eq!(second, Vec::<Value>::new());
}

#[test]
fn a_foreign_journal_is_told_once_and_costs_nothing() {
    let server = serve(Script::default());
    let home = filled(&server);
    let other = rusqlite::Connection::open(home.path("other.db")).unwrap();
    other.pragma_update(None, "journal_mode", "WAL").unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    fs::copy(home.path("other.db-wal"), home.path("cache.db-wal")).unwrap();
    let (from_cache, first, second) = told_by_two(&home);
    assert_eq!((from_cache, codes(&first)), (TEXTS as u64, vec!["cache_journal_set_aside"]));
    assert_eq!(second, Vec::<Value>::new());
}

#[test]
fn a_journal_that_is_gone_after_a_kill_is_nothing_to_tell() {
    let server = serve(Script::default());
    let home = filled(&server);
    let mut browser = home.greeted();
    page(&mut browser, 1, 1000);
    browser.child.kill().unwrap();
    browser.child.wait().unwrap();
    for end in ["-wal", "-shm"] {
        fs::remove_file(home.path(&format!("cache.db{end}"))).unwrap();
    }
    let (from_cache, first, second) = told_by_two(&home);
    assert_eq!(from_cache, TEXTS as u64, "what was written back is there");
    assert_eq!((first, second), (vec![], vec![]));
}

#[test]
fn a_newer_file_is_told_once_by_each_host_and_left_as_it_is() {
    let server = serve(Script::default());
    let home = filled(&server);
    let connection = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(home.path("cache.db")).unwrap();
    let (_, first, second) = told_by_two(&home);
    assert_eq!((codes(&first), codes(&second)), (vec!["cache_newer"], vec!["cache_newer"]));
    assert_eq!(first, second, "in the same words, so that a dismissed one is known again");
    assert!(first[0]["hint"].as_str().unwrap().contains("Update"));
    assert!(fs::read(home.path("cache.db")).unwrap() == before);
}

#[test]
fn a_file_that_a_newer_version_takes_over_in_mid_page_is_told_then() {
    let server = serve(Script::default());
    let home = filled(&server);
    let mut browser = home.greeted();
    assert_eq!(page(&mut browser, 1, 0), (TEXTS as u64, vec![]));
    let connection = rusqlite::Connection::open(home.path("cache.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(codes(&page(&mut browser, 2, 1000).1), ["cache_newer"]);
    assert_eq!(page(&mut browser, 3, 1000), (TEXTS as u64, vec![]), "the memory serves");
    assert_eq!(page(&mut browser, 4, 2000).1, Vec::<Value>::new(), "said once");
}

#[test]
fn a_folder_that_is_deleted_in_mid_page_and_made_again_loses_nothing_of_the_page() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    let settings = fs::read_to_string(home.path("settings.toml")).unwrap();
    let inner = Home::new(&settings);
    let environment = home.environment.clone();
    let mut browser = Browser::start(crate::browser::host_command(inner.dir.path(), &environment));
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "chromium"}}));
    assert_eq!(browser.next()["type"], "welcome");
    assert_eq!(page(&mut browser, 1, 0), (0, vec![]));
    let folder = inner.dir.path().to_owned();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(codes(&page(&mut browser, 2, 1000).1), ["cache_folder_gone"]);
    assert_eq!(page(&mut browser, 3, 2000).1, Vec::<Value>::new(), "said once");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("settings.toml"), settings).unwrap();
    assert_eq!(codes(&page(&mut browser, 4, 3000).1), ["cache_back"]);
    end(browser);
    let mut browser = Browser::start(crate::browser::host_command(&folder, &environment));
    for (id, first) in (1..).zip([1000, 2000, 3000]) {
        assert_eq!(page(&mut browser, id, first), (TEXTS as u64, vec![]), "{first}");
    }
    fs::create_dir_all(&folder).unwrap();
}

/// A file system of its own over a home, unmounted at the end.
struct Mount(Home);

impl Mount {
    fn over(server: &Server) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("this test needs root and shows nothing without");
            return None;
        }
        let home = Home::at(server, "openai");
        let settings = fs::read(home.path("settings.toml")).unwrap();
        let mount = Self(home);
        mount.run("mount", &["-t", "tmpfs", "-o", "size=4m", "tmpfs"]);
        fs::write(mount.0.path("settings.toml"), settings).unwrap();
        Some(mount)
    }

    fn run(&self, program: &str, words: &[&str]) {
        let status = Command::new(program).args(words).arg(self.0.dir.path()).status();
        assert!(status.unwrap().success(), "{program} {words:?}");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.dir.path()).status();
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_is_told_once_and_loses_nothing() {
    let server = serve(Script::default());
    let Some(mount) = Mount::over(&server) else { return };
    let home = &mount.0;
    let mut browser = home.greeted();
    assert_eq!(page(&mut browser, 1, 0), (0, vec![]));
    let _ = fs::write(home.path("filler"), vec![1; 8 << 20]);
    assert!(fs::write(home.path("probe"), vec![1; 65_536]).is_err(), "the obstacle is real");
    let mut told = Vec::new();
    for id in 2..40 {
        let first = usize::try_from(id).unwrap() * 100;
        told.extend(page(&mut browser, id, first).1);
    }
    assert_eq!(codes(&told), ["cache_full"], "{told:?}");
    fs::remove_file(home.path("filler")).unwrap();
    let _ = fs::remove_file(home.path("probe"));
    assert_eq!(codes(&page(&mut browser, 40, 9000).1), ["cache_back"]);
    end(browser);
    let mut browser = home.greeted();
    for (id, first) in (1..).zip([0, 200, 2000, 3900, 9000]) {
        assert_eq!(page(&mut browser, id, first), (TEXTS as u64, vec![]), "{first}");
    }
}

#[test]
fn a_read_only_disk_is_told_once_and_what_is_on_it_is_read() {
    let server = serve(Script::default());
    let Some(mount) = Mount::over(&server) else { return };
    let home = &mount.0;
    let mut browser = home.greeted();
    page(&mut browser, 1, 0);
    end(browser);
    mount.run("mount", &["-o", "remount,ro"]);
    assert!(fs::write(home.path("probe"), "x").is_err(), "the obstacle is real");
    let mut browser = home.greeted();
    let (from_cache, told) = page(&mut browser, 1, 0);
    assert_eq!((from_cache, codes(&told)), (TEXTS as u64, vec!["cache_read_only"]));
    assert_eq!(page(&mut browser, 2, 1000), (0, vec![]), "said once");
    assert_eq!(page(&mut browser, 3, 1000), (TEXTS as u64, vec![]));
    mount.run("mount", &["-o", "remount,rw"]);
    assert_eq!(codes(&page(&mut browser, 4, 2000).1), ["cache_back"]);
    end(browser);
    let mut browser = home.greeted();
    assert_eq!(page(&mut browser, 1, 1000), (TEXTS as u64, vec![]));
}

#[test]
fn a_file_system_without_shared_memory_is_nothing_to_tell() {
    let server = serve(Script::default());
    let home = Home::at(&server, "openai");
    std::os::unix::fs::symlink("nowhere", home.path("cache.db-shm")).unwrap();
    let (from_cache, first, second) = told_by_two(&home);
    assert_eq!((from_cache, first, second), (0, vec![], vec![]));
    let mut browser = home.greeted();
    assert_eq!(page(&mut browser, 1, 1000), (TEXTS as u64, vec![]), "all of it was remembered");
}

#[test]
fn no_rights_are_told_once_and_the_page_is_translated() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("needs root to become another user");
        return;
    }
    let server = serve(Script::default());
    let home = filled(&server);
    let open = |path: &std::path::Path| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    open(home.dir.path());
    open(&home.path("settings.toml"));
    let program = home.path("host");
    fs::copy(env!("CARGO_BIN_EXE_webtranslator"), &program).unwrap();
    let other = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let mut reads = Command::new("setpriv");
    reads.args(other).arg("cat").arg(home.path("cache.db"));
    let status = reads.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(!status.success(), "the obstacle is real");
    let mut command = Command::new("setpriv");
    command.args(other).arg(&program).arg(ORIGIN).env("WEBTRANSLATOR_HOME", home.dir.path());
    command.envs(home.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut browser = Browser::start(command);
    browser.send(&json!({"type": "hello", "protocol": 1,
        "client": {"version": "0.1.0", "browser": "chromium"}}));
    assert_eq!(browser.next()["cache"]["state"], "memory");
    let (from_cache, told) = page(&mut browser, 1, 0);
    assert_eq!((from_cache, codes(&told)), (0, vec!["cache_unreachable"]));
    assert_eq!(page(&mut browser, 2, 0), (TEXTS as u64, vec![]));
    end(browser);
    assert_eq!(page(&mut home.greeted(), 1, 0), (TEXTS as u64, vec![]), "nothing happened to it");
}
