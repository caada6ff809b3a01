//! One connection: made, greeted, read from and written to.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, RedisConnectionInfo, RedisError, Value};
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::{Config, Fault};
use crate::settings::RemoteAddress;

/// An entry that nobody translated anew goes after ninety days.
const EXPIRY_S: u64 = 90 * 24 * 60 * 60;

/// What may come for one request. A part of a page is at most 256 KiB; its
/// translations are not eight times as long.
const MAX_ANSWER_BYTES: usize = 2 * 1024 * 1024;

/// Encryption is agreed on within this, before connecting is given up.
const TLS_DEADLINE: Duration = Duration::from_secs(2);

/// A connection that has answered once. Clones share it.
#[derive(Clone)]
pub struct Connection {
    /// Tells it from those before and after it.
    pub number: u64,
    redis: MultiplexedConnection,
    allowance: Arc<AtomicUsize>,
    // Held for its end alone.
    #[allow(dead_code)]
    driver: Arc<Driver>,
}

/// Ends the task that reads and writes with the last clone, also when a frozen
/// server still owes an answer.
struct Driver(AbortHandle);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    /// Connects, logs in and reads one name, as look-ups will. The task ends
    /// when the connection does.
    pub async fn open(config: &Config, number: u64) -> Result<(Self, JoinHandle<()>), Fault> {
        let allowance = Arc::new(AtomicUsize::new(MAX_ANSWER_BYTES));
        let stream = reach(&config.address).await?;
        let stream = Bounded { stream, allowance: allowance.clone() };
        let mut info = RedisConnectionInfo::default()
            .set_db(config.address.database().into())
            .set_skip_set_lib_name();
        if let Some(password) = &config.password {
            info = info.set_password(&password.0);
            if let Some(user) = config.address.user() {
                info = info.set_username(user);
            }
        }
        let limits = AsyncConnectionConfig::new().set_response_timeout(None);
        let (redis, driver) = MultiplexedConnection::new_with_config(&info, stream, limits)
            .await
            .map_err(|error| fault_of(&error))?;
        let task = tokio::spawn(driver);
        let driver = Arc::new(Driver(task.abort_handle()));
        let connection = Self { number, redis, allowance, driver };
        connection.read(&[format!("{}hello", config.prefix)]).await?;
        Ok((connection, task))
    }

    /// Reads these names in one round trip; what holds no text is none.
    pub async fn read(&self, names: &[String]) -> Result<Vec<Option<Vec<u8>>>, Fault> {
        self.allowance.store(MAX_ANSWER_BYTES, Ordering::Relaxed);
        let mut command = redis::cmd("MGET");
        for name in names {
            command.arg(name);
        }
        let answer = self.redis.clone().send_packed_command(&command).await;
        match answer.map_err(|error| fault_of(&error))? {
            Value::Array(values) if values.len() == names.len() => {
                Ok(values.into_iter().map(bytes_in).collect())
            }
            Value::ServerError(error) => Err(Fault::refused(error.code())),
            _ => Err(Fault::Foreign),
        }
    }

    /// Writes these names in one round trip; returns why the server took one
    /// not, if it did not.
    pub async fn write(&self, entries: &[(String, Vec<u8>)]) -> Result<Option<Fault>, Fault> {
        self.allowance.store(MAX_ANSWER_BYTES, Ordering::Relaxed);
        let mut all = redis::pipe();
        for (name, value) in entries {
            all.cmd("SET").arg(name).arg(value).arg("EX").arg(EXPIRY_S);
        }
        let answers = self.redis.clone().send_packed_commands(&all, 0, entries.len()).await;
        let answers = answers.map_err(|error| fault_of(&error))?;
        Ok(answers.iter().find_map(|answer| match answer {
            Value::ServerError(error) => Some(Fault::refused(error.code())),
            _ => None,
        }))
    }
}

fn bytes_in(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

/// Returns what an error of the library means. Its words may be the server's.
fn fault_of(error: &RedisError) -> Fault {
    match error.kind() {
        ErrorKind::AuthenticationFailed => Fault::Password,
        ErrorKind::Parse | ErrorKind::UnexpectedReturnType => Fault::Foreign,
        ErrorKind::Io => Fault::Broken,
        _ => error.code().map_or(Fault::Foreign, Fault::refused),
    }
}

/// What bytes travel over.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

async fn reach(address: &RemoteAddress) -> Result<Box<dyn Stream>, Fault> {
    let host = address.host();
    let unreachable = |error: io::Error| Fault::Unreachable(error.kind());
    let stream = TcpStream::connect((host.as_str(), address.port())).await.map_err(unreachable)?;
    stream.set_nodelay(true).map_err(unreachable)?;
    if !address.is_encrypted() {
        return Ok(Box::new(stream));
    }
    // Reading the system's certificates takes longer than a session may stand still.
    let made = tokio::task::spawn_blocking(tls).await;
    let connector = made.ok().flatten().ok_or(Fault::Tls)?;
    let name = ServerName::try_from(host).map_err(|_| Fault::Certificate)?;
    // A server without TLS waits for the rest of what it takes for a command.
    let agreed = timeout(TLS_DEADLINE, connector.connect(name, stream)).await;
    let stream = agreed.map_err(|_| Fault::Tls)?.map_err(|error| tls_fault(&error))?;
    Ok(Box::new(stream))
}

/// Returns what makes encrypted connections; none when the system has no
/// certificates at all.
fn tls() -> Option<TlsConnector> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .ok()?
        .with_platform_verifier()
        .ok()?
        .with_no_client_auth();
    Some(TlsConnector::from(Arc::new(config)))
}

fn tls_fault(error: &io::Error) -> Fault {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => Fault::Certificate,
        _ => Fault::Tls,
    }
}

/// A stream that breaks when more comes than one answer may have.
struct Bounded {
    stream: Box<dyn Stream>,
    allowance: Arc<AtomicUsize>,
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        std::task::ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let came = buffer.filled().len() - before;
        let less = |left: usize| left.checked_sub(came);
        match self.allowance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Poll::Ready(Ok(())),
            Err(_) => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
        }
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
