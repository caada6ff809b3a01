//! Request → Response: the only module that knows reqwest.
//!
//! It never retries, never follows a redirect, and knows no provider. A key
//! leaves over https or to loopback only; loopback never goes through a proxy.
//! Bodies are read up to a limit, after decompression, and every call has a
//! total deadline.

use std::error::Error;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue as RawValue};
use reqwest::{Client, Method, redirect};
use url::Url;

use crate::provider::{Answer, HeaderValue, MAX_BODY_BYTES, Request, Response, TransportFault};

/// Connecting takes longer than this only when nobody will answer.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

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
        match tokio::time::timeout(deadline, exchange(client, url, request)).await {
            Ok(Ok(answer)) => Response::Answer(answer),
            Ok(Err(error)) => Response::Fault(fault_of(&error)),
            Err(_) => Response::Fault(TransportFault::Timeout),
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
        let answer = exchange(client, url, &request);
        tokio::time::timeout(SCOUT_DEADLINE, answer).await.ok()?.ok()
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

/// Whether the address is this machine: `localhost`, `127.0.0.0/8` or `::1`.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn carries_secret(request: &Request) -> bool {
    request.headers.iter().any(|(_, value)| matches!(value, HeaderValue::Secret(_)))
}

async fn exchange(client: &Client, url: Url, request: &Request) -> reqwest::Result<Answer> {
    let method = if request.method == "GET" { Method::GET } else { Method::POST };
    let mut response = client
        .request(method, url)
        .headers(headers_of(request))
        .body(request.body.clone())
        .send()
        .await?;
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    let mut body = Vec::new();
    let mut oversize = false;
    while let Some(part) = response.chunk().await? {
        let room = MAX_BODY_BYTES - body.len();
        oversize = part.len() > room;
        body.extend_from_slice(&part[..part.len().min(room)]);
        if oversize {
            break;
        }
    }
    Ok(Answer { status, headers, body, oversize, received: Timestamp::now(), broken: None })
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

/// Reads what kind of fault an error is, from its types where they say it.
fn fault_of(error: &reqwest::Error) -> TransportFault {
    if error.is_timeout() {
        return TransportFault::Timeout;
    }
    let mut words = String::new();
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(fault) = known_cause(current) {
            return fault;
        }
        words.push_str(&current.to_string().to_lowercase());
        words.push('\n');
        cause = current.source();
    }
    if words.contains("dns error") {
        TransportFault::Dns
    } else if words.contains("tunnel") || words.contains("proxy") {
        TransportFault::Proxy
    } else if words.contains("certificate") {
        TransportFault::Tls
    } else if error.is_decode() {
        TransportFault::Undecodable
    } else {
        TransportFault::Broken
    }
}

fn known_cause(cause: &(dyn Error + 'static)) -> Option<TransportFault> {
    if cause.is::<rustls::Error>() {
        return Some(TransportFault::Tls);
    }
    let error = cause.downcast_ref::<io::Error>()?;
    if let Some(fault) = error.get_ref().and_then(|inner| known_cause(inner)) {
        return Some(fault);
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(TransportFault::Refused),
        io::ErrorKind::TimedOut => Some(TransportFault::Timeout),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Some(TransportFault::Undecodable)
        }
        _ => None,
    }
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
