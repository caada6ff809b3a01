//! Accepts connections, and ends them as a fault asks.

use super::service::{Provider, Reply};
use crate::body::Steps;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Serves what connects to `listener` until `stopped` is told.
pub async fn accept(
    listener: TcpListener,
    provider: Arc<Provider>,
    mut stopped: oneshot::Receiver<()>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    tokio::spawn(serve(stream, Arc::clone(&provider)));
                }
            }
        }
    }
}

/// Serves one connection. Where an answer asks for a reset, the connection ends
/// with RST instead of FIN.
async fn serve(stream: TcpStream, provider: Arc<Provider>) {
    // Small answers must not wait for the acknowledgement of earlier ones.
    let _ = stream.set_nodelay(true);
    let resets = AtomicBool::new(false);
    let service = service_fn(|request| Box::pin(answer(&provider, request, &resets)));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // An error is the fault that was asked for, or a client that went away.
    let _ = std::future::poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
    let stream = connection.into_parts().io.into_inner();
    if resets.load(Ordering::Relaxed) {
        let _ = stream.set_zero_linger();
    }
}

/// Answers one request; `resets` says how the connection ends if it breaks now.
async fn answer(
    provider: &Arc<Provider>,
    request: Request<Incoming>,
    resets: &AtomicBool,
) -> io::Result<Response<Steps>> {
    match provider.reply(request).await {
        Reply::Response { response, then_resets } => {
            resets.store(then_resets, Ordering::Relaxed);
            Ok(response)
        }
        Reply::Reset => {
            resets.store(true, Ordering::Relaxed);
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
}
