//! What this binary does when a test starts it again as another host.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use webtranslator::store::State;

use crate::fixture::{DAY, entry, has, open, put_one, tidy};

const WORK: &str = "WT_TEST_CHILD";

/// Returns a command that does `work` (see [`child`]) with the store at `path`;
/// `before` are words in front, such as `setpriv …`.
pub fn command(before: &[&str], work: &str, path: &Path) -> Command {
    let me = std::env::current_exe().expect("this binary");
    let mut words: Vec<PathBuf> = before.iter().map(PathBuf::from).collect();
    words.push(me);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["--exact", "child::child", "--nocapture", "--test-threads=1"]);
    command.env(WORK, format!("{work} {}", path.display()));
    command.stdout(Stdio::piped());
    command
}

/// Waits for a child and returns what it said behind `child: `.
pub fn said(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    let lines = text.lines().filter_map(|line| line.split_once("child: ").map(|(_, said)| said));
    lines.collect::<Vec<_>>().join("\n")
}

/// Not a test: the work of another process. Does nothing when nobody asks.
#[test]
fn child() {
    let Ok(work) = std::env::var(WORK) else { return };
    let words: Vec<&str> = work.split(' ').collect();
    let number = |at: usize| words[at].parse::<usize>().unwrap();
    let path = Path::new(words[words.len() - 1]);
    match words[0] {
        // write FIRST COUNT: so many single writes, then look for all.
        "write" => {
            let (mut store, state) = open(path);
            assert_eq!(state, State::Ok);
            let range = number(1)..number(1) + number(2);
            let stored = range.clone().filter(|n| put_one(&mut store, *n)).count();
            let found = range.filter(|n| has(&mut store, *n)).count();
            println!("child: {stored} {found} {:?}", store.state());
        }
        // open N: for each path that comes on stdin, open it and write one entry.
        "open" => {
            for path in std::io::stdin().lines() {
                let (mut store, state) = open(Path::new(&path.unwrap()));
                let stored = put_one(&mut store, number(1));
                let told = store.take_notice().map(|notice| notice.message);
                println!("child: {stored} {state:?} {told:?}");
            }
        }
        // stream: write and tell each entry, until somebody ends it.
        "stream" => {
            let (mut store, _) = open(path);
            for n in (0..).take_while(|n| put_one(&mut store, *n)) {
                println!("child: {n}");
            }
        }
        // fill FIRST COUNT LIMIT: write so many entries in pages of a hundred, and
        // tell the most that the file took.
        "fill" => {
            let (mut store, _) = open(path);
            store.set_limit(number(3) as u64);
            let text = "x".repeat(300);
            let mut most = 0;
            for first in (number(1)..number(1) + number(2)).step_by(100) {
                let page: Vec<_> = (first..first + 100).map(|n| entry(n, &text)).collect();
                assert_eq!(store.put_many(&page, DAY), 100);
                tidy(&mut store);
                most = most.max(std::fs::metadata(path).unwrap().len());
            }
            println!("child: {most} {:?}", store.state());
        }
        // try N: open, write one entry, and tell all.
        "try" => {
            println!("{}", try_one(path, number(1)));
        }
        other => panic!("what is {other}?"),
    }
}

fn try_one(path: &Path, n: usize) -> String {
    let obstacle = std::fs::write(path.with_file_name("probe"), "x").is_err();
    let (mut store, state) = open(path);
    let stored = put_one(&mut store, n);
    let found = has(&mut store, n);
    let read = has(&mut store, 1) && n != 1;
    let notices = [store.take_notice(), store.take_notice()];
    format!(
        "child: obstacle {obstacle}, stored {stored}, found {found}, read {read}\nchild: {state:?} {notices:?}"
    )
}
