//! A session of the command line's own: requests in, replies out, over channels
//! instead of pipes. So a command does what a browser would see done.

use crate::paths::Paths;
use crate::protocol::{Reply, Request};
use crate::session;
use crate::transport::{Incoming, Unsent};

/// Runs a session over these files, hands the requests in, and gives each reply
/// to `take` until that returns something.
pub fn converse<T>(
    paths: Paths,
    requests: Vec<Request>,
    take: impl FnMut(Reply) -> Option<Result<T, String>>,
) -> Result<T, String> {
    let (incoming, unsent, transport) = session::in_memory();
    let session = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(session::run(paths, transport, std::future::pending()));
        // A name that is still being looked up must not hold the end up.
        runtime.shutdown_background();
        result
    });
    let feeder = incoming.clone();
    let fed = std::thread::spawn(move || {
        requests.iter().try_for_each(|request| {
            let frame = serde_json::to_vec(request).map_err(|error| error.to_string())?;
            feeder.blocking_send(Incoming::Frame(frame)).map_err(|error| error.to_string())
        })
    });
    let result = listen(&unsent, take);
    // The session may have ended on its own; then it knows.
    let _ = incoming.blocking_send(Incoming::End);
    fed.join().map_err(|_| "the session broke down".to_owned())??;
    session
        .join()
        .map_err(|_| "the session broke down".to_owned())?
        .map_err(|error| error.to_string())?;
    result
}

fn listen<T>(
    unsent: &Unsent,
    mut take: impl FnMut(Reply) -> Option<Result<T, String>>,
) -> Result<T, String> {
    while let Some(frame) = unsent.next() {
        unsent.sent(frame.len());
        let reply: Reply = serde_json::from_slice(&frame).map_err(|error| error.to_string())?;
        if let Some(result) = take(reply) {
            return result;
        }
    }
    Err("the session ended early".to_owned())
}
