//! Against servers that answer whatever a test wants. `tests/remote` has the
//! real one.

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;

use proptest::prelude::*;

use super::*;

const DAY: i64 = 20_000;

/// The answer to the one name that is read on connecting.
const NOTHING: &[u8] = b"*1\r\n$-1\r\n";

/// Answers each request on each connection; an empty answer ends the connection.
fn serve(answer: impl Fn(usize, &[u8], &mut TcpStream) + Send + Sync + 'static) -> RemoteAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            thread::spawn(move || {
                let mut request = vec![0; 65_536];
                for at in 0.. {
                    match stream.read(&mut request) {
                        Ok(length) if length > 0 => answer(at, &request[..length], &mut stream),
                        _ => return,
                    }
                }
            });
        }
    });
    RemoteAddress::parse(&address).unwrap().0
}

fn config(address: RemoteAddress) -> Config {
    let prefix = "wt:".to_owned();
    Config { address, prefix, password: None, trouble: None, reads: true, writes: true }
}

async fn until(test: impl Fn() -> bool) {
    let started = Instant::now();
    while !test() {
        assert!(started.elapsed() < Duration::from_secs(20), "it does not come to pass");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn connected(config: Config) -> Remote {
    let remote = Remote::start(config);
    until(|| matches!(remote.state(), State::Ok { .. })).await;
    remote
}

fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|i| Key::of_text(&i.to_string())).collect()
}

/// Writes a list of texts as a server does.
fn list(values: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut out = format!("*{}\r\n", values.len()).into_bytes();
    for value in values {
        match value {
            Some(bytes) => {
                out.extend(format!("${}\r\n", bytes.len()).into_bytes());
                out.extend(bytes);
                out.extend(b"\r\n");
            }
            None => out.extend(b"$-1\r\n"),
        }
    }
    out
}

fn reason(remote: &Remote) -> String {
    match remote.state() {
        State::Ok { reason } | State::Off { reason } => reason.unwrap_or_default(),
        State::Away { reason } => reason,
    }
}

#[tokio::test(flavor = "current_thread")]
async fn all_keys_are_asked_in_one_round_trip_and_only_whole_entries_count() {
    let all = keys(4);
    let good = value::encode(all[0], DAY, "하나");
    let foreign = value::encode(all[0], DAY, "하나");
    let answer = list(&[good, None, foreign, Some(b"wtr1 half".to_vec())]);
    let rounds = Arc::new(AtomicUsize::new(0));
    let counted = rounds.clone();
    let address = serve(move |at, request, stream| {
        if at == 0 {
            return stream.write_all(NOTHING).unwrap();
        }
        counted.fetch_add(1, Ordering::Relaxed);
        assert!(request.starts_with(b"*5\r\n$4\r\nMGET\r\n$37\r\nwt:1:"), "{request:?}");
        stream.write_all(&answer).unwrap();
    });
    let remote = connected(config(address)).await;
    let found = remote.find(all).unwrap().await;
    assert_eq!(found, [Some(Found { day: DAY, text: "하나".to_owned() }), None, None, None]);
    assert_eq!(rounds.load(Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "current_thread")]
async fn a_look_up_has_a_bound_and_what_is_beyond_is_a_miss() {
    let all = keys(MAX_KEYS + 5);
    let last = value::encode(all[MAX_KEYS - 1], DAY, "끝");
    let mut values = vec![None; MAX_KEYS - 1];
    values.push(last);
    let answer = list(&values);
    let address = serve(move |at, request, stream| {
        if at == 0 {
            return stream.write_all(NOTHING).unwrap();
        }
        if request.starts_with(b"*") {
            assert!(request.starts_with(format!("*{}\r\n", MAX_KEYS + 1).as_bytes()));
            stream.write_all(&answer).unwrap();
        }
    });
    let remote = connected(config(address)).await;
    let found = remote.find(all.clone()).unwrap().await;
    assert_eq!((found.len(), found.iter().flatten().count()), (all.len(), 1));
    assert_eq!(found[MAX_KEYS - 1].as_ref().map(|found| found.text.as_str()), Some("끝"));
}

#[tokio::test(flavor = "current_thread")]
async fn without_a_connection_nobody_waits() {
    let address = serve(|_, _, _| {});
    let remote = Remote::start(config(address));
    let started = Instant::now();
    for _ in 0..100 {
        assert!(remote.find(keys(1)).is_none());
    }
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    assert_eq!(reason(&remote), "connecting");
}

#[tokio::test(flavor = "current_thread")]
async fn a_server_that_says_nothing_costs_one_patience_and_then_nothing() {
    let frozen = Arc::new(AtomicBool::new(false));
    let ice = frozen.clone();
    let address = serve(move |_, _, stream| {
        if !ice.load(Ordering::Relaxed) {
            stream.write_all(NOTHING).unwrap();
        }
    });
    let remote = connected(config(address)).await;
    assert_eq!(remote.find(keys(1)).unwrap().await, [None]);
    frozen.store(true, Ordering::Relaxed);
    let asked = Instant::now();
    assert_eq!(remote.find(keys(1)).unwrap().await, [None]);
    let took = asked.elapsed();
    assert!(took >= PATIENCE && took < 20 * PATIENCE, "{took:?}");
    assert!(remote.find(keys(1)).is_none(), "the next does not wait for the same connection");
    assert_eq!(reason(&remote), Fault::Slow.to_string());
}

#[tokio::test(flavor = "current_thread")]
async fn what_fails_again_and_again_is_left_alone() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    let address = serve(move |at, _, stream| {
        if at == 0 {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        stream.write_all(b"-NOAUTH canary\r\n").unwrap();
    });
    let remote = Remote::start(config(address));
    until(|| {
        assert!(remote.find(keys(1)).is_none());
        reason(&remote).contains("left alone")
    })
    .await;
    for _ in 0..100 {
        assert!(remote.find(keys(1)).is_none());
        tokio::task::yield_now().await;
    }
    assert_eq!(tries.load(Ordering::Relaxed), 3);
    let reason = reason(&remote);
    assert!(reason.contains("password") && !reason.contains("canary"), "{reason}");
}

#[tokio::test(flavor = "current_thread")]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let address = serve(move |_, _, stream| {
        let _ = stream.write_all(b"*1\r\n$1000000000\r\n");
        while let Ok(length) = stream.write(&[0; 4096]) {
            counted.fetch_add(length, Ordering::Relaxed);
        }
    });
    let remote = Remote::start(config(address));
    until(|| !matches!(reason(&remote).as_str(), "connecting")).await;
    assert_eq!(reason(&remote), Fault::Broken.to_string());
    let sent = sent.load(Ordering::Relaxed);
    assert!(sent < 64 * 1024 * 1024, "{sent} bytes, with what the system buffers");
}

#[tokio::test(flavor = "current_thread")]
async fn entries_are_written_with_an_end_and_what_is_refused_is_told() {
    let (sent, written) = std::sync::mpsc::channel();
    let address = serve(move |at, request, stream| {
        if at == 0 {
            return stream.write_all(NOTHING).unwrap();
        }
        sent.send(request.to_vec()).unwrap();
        stream.write_all(b"+OK\r\n-READONLY canary\r\n").unwrap();
    });
    let remote = connected(config(address)).await;
    let all = keys(3);
    remote.filler().put([(all[0], "하나"), (all[1], " "), (all[2], "셋")], DAY);
    remote.flush(Instant::now() + Duration::from_secs(20)).await;
    let request = written.recv().unwrap();
    let text = String::from_utf8_lossy(&request);
    let names = [0, 2].map(|at| format!("wt:1:{:?}", all[at]));
    assert!(names.iter().all(|name| text.contains(name)) && text.contains("셋"), "{text}");
    assert_eq!(text.matches("SET\r\n").count(), 2);
    assert_eq!(text.matches("EX\r\n$7\r\n7776000\r\n").count(), 2);
    let State::Ok { reason: Some(reason) } = remote.state() else { panic!("{:?}", remote.state()) };
    assert!(reason.contains("READONLY") && !reason.contains("canary"), "{reason}");
    remote.filler().put([(all[0], "하나")], DAY);
    remote.flush(Instant::now() + Duration::from_secs(20)).await;
    assert!(written.try_recv().is_err(), "it is not asked again at once");
}

#[tokio::test(flavor = "current_thread")]
async fn what_waits_to_be_written_has_a_bound() {
    let address = serve(|_, _, _| {});
    let remote = Remote::start(config(address));
    let text = "x".repeat(value::MAX_BYTES);
    for _ in 0..100 {
        remote.filler().put([(keys(1)[0], text.as_str())], DAY);
    }
    let queued = remote.filler.queued.load(Ordering::Relaxed);
    assert!(queued > QUEUE_BYTES / 2 && queued <= QUEUE_BYTES, "{queued}");
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_reader_does_not_want_is_not_done() {
    let touched = Arc::new(AtomicUsize::new(0));
    let counted = touched.clone();
    let address = serve(move |_, request, stream| {
        let is_write = request.windows(3).any(|part| part == b"SET");
        counted.fetch_add(if is_write { 1000 } else { 1 }, Ordering::Relaxed);
        stream.write_all(NOTHING).unwrap();
    });
    let soon = || Instant::now() + Duration::from_millis(100);
    let off = Config { reads: false, writes: false, ..config(address.clone()) };
    let trouble = Config { trouble: Some("no password".into()), ..config(address.clone()) };
    for unused in [off, trouble] {
        let remote = Remote::start(unused.clone());
        assert!(remote.find(keys(1)).is_none());
        remote.filler().put([(keys(1)[0], "x")], DAY);
        remote.flush(soon()).await;
        assert_eq!(remote.state(), State::Off { reason: unused.trouble });
    }
    assert_eq!(touched.load(Ordering::Relaxed), 0);
    let remote = connected(Config { writes: false, ..config(address) }).await;
    assert_eq!(remote.find(keys(1)).unwrap().await, [None]);
    remote.filler().put([(keys(1)[0], "x")], DAY);
    remote.flush(soon()).await;
    assert_eq!(touched.load(Ordering::Relaxed), 2);
}

/// Bytes that look like what a server says, and some that do not.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        "[-+:$*%~|!=(#,_>][0-9-]{0,20}(\r\n)?".prop_map(String::into_bytes),
        "[$*%|>~]-?[0-9]{1,20}\r\n".prop_map(String::into_bytes),
        Just(b"*100\r\n".repeat(150)),
        "-[A-Z]{1,8} .{0,20}\r\n".prop_map(String::into_bytes),
        Just(b"$-1\r\n".to_vec()),
        Just(list(&[Some(b"wtr1".to_vec()), None])),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

thread_local! {
    static PANICS: Cell<usize> = const { Cell::new(0) };
}

/// Counts this thread's panics: a runtime catches those of its tasks.
fn count_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.set(PANICS.get() + 1);
            before(info);
        }));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_a_server_answers_is_a_miss(answer in hostile(), at_once in any::<bool>()) {
        count_panics();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = serve(move |at, _, stream| {
            if at == 0 && !at_once {
                return stream.write_all(NOTHING).unwrap();
            }
            let _ = stream.write_all(&answer);
            let _ = stream.shutdown(std::net::Shutdown::Both);
        });
        runtime.block_on(async {
            let remote = Remote::start(config(address));
            if !at_once {
                until(|| matches!(remote.state(), State::Ok { .. })).await;
            }
            for _ in 0..3 {
                if let Some(asked) = remote.find(keys(2)) {
                    assert_eq!(asked.await, [None, None]);
                }
                tokio::task::yield_now().await;
            }
        });
        prop_assert_eq!(PANICS.get(), 0);
    }
}
