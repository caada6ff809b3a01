//! Request → Response: the only module that knows reqwest.
//!
//! It never retries, never follows a redirect, and knows no provider. A key
//! leaves over https or to loopback only; loopback never goes through a proxy.
//! Bodies are read up to a limit, after decompression, and every call has a
//! total deadline. Bytes are passed on as they come where that is wished for.

mod deadlines;
mod faults;

use std::sync::OnceLock;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue as RawValue};
use reqwest::{Client, Method, redirect};
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use deadlines::Deadlines;
use faults::fault_of;

use crate::provider::{
    Answer, HeaderValue, MAX_BODY_BYTES, Request, Response, TransportFault, is_this_machine,
};

/// Connecting takes longer than this only when nobody will answer.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// What is done with the bytes of a good answer as they come.
pub type Parts<'a> = &'a mut (dyn FnMut(&[u8]) + Send);
/// A server on this machine takes a connection at once, and says what it is
/// within a second more.
const SCOUT_CONNECT_DEADLINE: Duration = Duration::from_millis(300);
const SCOUT_DEADLINE: Duration = Duration::from_millis(1300);

/// Sends requests. The clients are made at the first use, since reading the
/// system's certificates takes longer than a host has until its `welcome`.
#[derive(Default)]
pub struct Http {
    direct: OnceLock<Option<Client>>,
    scout: OnceLock<Option<Client>>,
    proxied: OnceLock<Option<Client>>,
}

impl Http {
    /// Sends one request and returns what came of it within `deadline`.
    pub async fn send(&self, request: &Request, deadline: Duration) -> Response {
        match self.call(request, &Deadlines::whole(deadline), None).await {
            Response::Answer(Answer { broken: Some(fault), .. }) => Response::Fault(fault),
            response => response,
        }
    }

    /// The same for an answer that is to come in parts: the bytes of a good one
    /// are passed on as they come, and a body that ends before its end keeps
    /// what came.
    pub async fn send_in_parts(
        &self,
        request: &Request,
        deadlines: &Deadlines,
        parts: Parts<'_>,
    ) -> Response {
        self.call(request, deadlines, Some(parts)).await
    }

    async fn call(
        &self,
        request: &Request,
        deadlines: &Deadlines,
        parts: Option<Parts<'_>>,
    ) -> Response {
        let Ok(url) = Url::parse(&request.url) else {
            return Response::Fault(TransportFault::Refused);
        };
        let loopback = is_loopback(&url);
        if url.scheme() != "https" && !loopback && carries_secret(request) {
            return Response::Fault(TransportFault::Tls);
        }
        let Some(client) = self.client(loopback) else {
            return Response::Fault(TransportFault::Tls);
        };
        match exchange((client, url), request, deadlines, parts).await {
            Ok(answer) => Response::Answer(answer),
            Err(fault) => Response::Fault(fault),
        }
    }

    /// Returns what a server on this machine answers to a `GET` without a key, if
    /// one is there and does so at once.
    pub async fn look(&self, address: &str) -> Option<Answer> {
        let url = Url::parse(address).ok().filter(is_loopback)?;
        let make = || make_client(true, SCOUT_CONNECT_DEADLINE);
        let client = self.scout.get_or_init(make).as_ref()?;
        let request = Request {
            method: "GET",
            url: address.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        let deadlines = Deadlines::whole(SCOUT_DEADLINE);
        let answer = exchange((client, url), &request, &deadlines, None).await.ok()?;
        answer.broken.is_none().then_some(answer)
    }

    fn client(&self, loopback: bool) -> Option<&Client> {
        let slot = if loopback { &self.direct } else { &self.proxied };
        slot.get_or_init(|| make_client(loopback, CONNECT_DEADLINE)).as_ref()
    }
}

/// Makes a client; none when the TLS library cannot start, which is logged.
fn make_client(loopback: bool, connect: Duration) -> Option<Client> {
    // A second call answers that one is there already: nothing to do then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(connect)
        .pool_idle_timeout(Duration::from_secs(60))
        .user_agent(concat!("WebTranslator/", env!("CARGO_PKG_VERSION")));
    if loopback {
        builder = builder.no_proxy();
    }
    builder.build().inspect_err(|error| tracing::error!(%error, "HTTP client")).ok()
}

/// Whether the address is this machine's.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    url.host().is_some_and(|host| is_this_machine(&host))
}

fn carries_secret(request: &Request) -> bool {
    request.headers.iter().any(|(_, value)| matches!(value, HeaderValue::Secret(_)))
}

async fn exchange(
    (client, url): (&Client, Url),
    request: &Request,
    deadlines: &Deadlines,
    mut parts: Option<Parts<'_>>,
) -> Result<Answer, TransportFault> {
    let method = if request.method == "GET" { Method::GET } else { Method::POST };
    let sent =
        client.request(method, url).headers(headers_of(request)).body(request.body.clone()).send();
    let started = Instant::now();
    let end = started + deadlines.total;
    let mut due = end.min(started + deadlines.first_byte);
    let mut response = within(due, sent).await?;
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    parts = parts.filter(|_| (200..300).contains(&status));
    let (mut body, mut oversize, mut broken) = (Vec::new(), false, None);
    while !oversize {
        let part = match within(due, response.chunk()).await {
            Ok(Some(part)) => part,
            Ok(None) => break,
            Err(fault) => {
                broken = Some(fault);
                break;
            }
        };
        let room = MAX_BODY_BYTES - body.len();
        oversize = part.len() > room;
        let part = &part[..part.len().min(room)];
        body.extend_from_slice(part);
        if let Some(parts) = &mut parts {
            parts(part);
        }
        due = end.min(Instant::now() + deadlines.between);
    }
    Ok(Answer { status, headers, body, oversize, received: Timestamp::now(), broken })
}

/// Waits for one step of a call until it is due.
async fn within<T>(
    due: Instant,
    step: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, TransportFault> {
    match timeout_at(due, step).await {
        Ok(came) => came.map_err(|error| fault_of(&error)),
        Err(_) => Err(TransportFault::Timeout),
    }
}

/// Turns the headers into reqwest's; a value that no header can hold is left
/// out, and the provider answers that it is missing.
fn headers_of(request: &Request) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in &request.headers {
        let (text, secret) = match value {
            HeaderValue::Plain(text) => (text, false),
            HeaderValue::Secret(text) => (text, true),
        };
        if let (Ok(name), Ok(mut raw)) =
            (HeaderName::from_bytes(name.as_bytes()), RawValue::from_str(text))
        {
            raw.set_sensitive(secret);
            map.insert(name, raw);
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_this_machine_and_nothing_else() {
        for (address, expected) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]:1/", true),
            ("http://localhost/", true),
            ("http://localhost.example.org/", false),
            ("http://10.0.0.1/", false),
            ("http://127.0.0.1.example.org/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_key_never_leaves_without_encryption() {
        let request = Request {
            method: "POST",
            url: "http://192.0.2.1/".to_owned(),
            headers: vec![("authorization", HeaderValue::Secret("Bearer x".to_owned()))],
            body: Vec::new(),
        };
        let started = std::time::Instant::now();
        let response = Http::default().send(&request, Duration::from_secs(20)).await;
        assert_eq!(response, Response::Fault(TransportFault::Tls));
        assert!(started.elapsed() < Duration::from_secs(5), "something was sent");
    }
}
