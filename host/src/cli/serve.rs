//! Started by a browser: the host.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use tracing::level_filters::LevelFilter;

use crate::paths::{Paths, private_file};
use crate::{session, transport};

/// A log above this size is put aside at the next start; one old one is kept.
const LOG_BYTES: u64 = 1024 * 1024;

/// Serves one browser until it goes away. Ends the process itself, since the
/// thread that reads stdin may still be waiting.
pub fn serve() -> ExitCode {
    let paths = match Paths::from_env() {
        Ok(paths) => paths,
        Err(error) => return super::fault(&error.to_string()),
    };
    // What cannot be made is told by the store and by `doctor`.
    let _ = paths.make();
    log_to(&paths.log());
    let code = match run(paths) {
        Ok(()) => 0,
        Err(error) => {
            tracing::error!(%error, "the host cannot run");
            super::complain(&format!("the host cannot run: {error}"));
            1
        }
    };
    std::process::exit(code)
}

fn run(paths: Paths) -> std::io::Result<()> {
    let transport = transport::start()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        let terminated = terminated()?;
        session::run(paths, transport, terminated).await
    });
    // A call that is still under way must not hold the end up.
    runtime.shutdown_background();
    result
}

/// Returns a future that ends at SIGTERM.
#[cfg(unix)]
fn terminated() -> std::io::Result<impl Future<Output = ()>> {
    let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        signal.recv().await;
    })
}

/// Elsewhere only the end of stdin ends the host.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // as on Unix
fn terminated() -> std::io::Result<impl Future<Output = ()>> {
    Ok(std::future::pending())
}

/// Sends the log to a file of the reader's own; to stderr when there is none.
fn log_to(path: &Path) {
    if std::fs::metadata(path).is_ok_and(|meta| meta.len() > LOG_BYTES) {
        // Should it fail, the log grows on.
        let _ = std::fs::rename(path, path.with_extension("log.1"));
    }
    let opened = private_file(path, false).and_then(|_| OpenOptions::new().append(true).open(path));
    let builder = tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_ansi(false);
    // It is there already only in tests.
    let _ = match opened {
        Ok(file) => builder.with_writer(Mutex::new(file)).try_init(),
        Err(_) => builder.with_writer(std::io::stderr).try_init(),
    };
}
