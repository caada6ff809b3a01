//! Addresses and keys of providers.

use crate::provider::Config;
use crate::verdict::Failure;
use std::fmt::Write as _;

/// The media type of requests and of replies in JSON mode.
pub(super) const JSON: &str = "application/json";

/// Returns the key of a server that may want one.
pub(super) fn optional_key(config: &Config) -> Option<String> {
    let key = config.key.as_ref().map(|key| key.0.trim()).filter(|key| !key.is_empty());
    key.map(str::to_owned)
}

/// Returns the key, or none where none is needed: at a server of one's own.
pub(super) fn key(config: &Config) -> Result<Option<String>, Failure> {
    match optional_key(config) {
        Some(key) => Ok(Some(key)),
        None if is_near(&config.base_url) => Ok(None),
        None => Err(Failure::Unauthorized),
    }
}

/// Tells whether an address is this machine's or one of its own network: a
/// private or link-local address (RFC 1918, 3927, 4193), a name without a dot, or
/// one that no public name server knows (RFC 6762, 8375).
fn is_near(url: &str) -> bool {
    const ENDINGS: &[&str] = &[".local", ".lan", ".home.arpa", ".internal"];
    let Ok(url) = url::Url::parse(url) else { return false };
    match url.host() {
        Some(url::Host::Domain(name)) => {
            !name.contains('.') || ENDINGS.iter().any(|ending| name.ends_with(ending))
        }
        Some(url::Host::Ipv4(address)) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        Some(url::Host::Ipv6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        None => false,
    }
}

/// Tells whether an address is this machine's, see [`is_this_machine`].
#[must_use]
pub fn is_loopback(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| url.host().is_some_and(|host| is_this_machine(&host)))
}

/// Tells whether a host is this machine: `localhost` and names below it,
/// `127.0.0.0/8`, `::1`, and the former written as IPv6. Who decides where a key
/// may go, or what needs no proxy, asks here.
#[must_use]
pub fn is_this_machine<S: AsRef<str>>(host: &url::Host<S>) -> bool {
    match host {
        url::Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => {
            let mapped = address.to_ipv4_mapped();
            address.is_loopback() || mapped.is_some_and(|address| address.is_loopback())
        }
    }
}

/// Tells whether the address's host is this one or below it.
pub(super) fn is_host(url: &str, host: &str) -> bool {
    let parsed = url::Url::parse(url).ok();
    parsed.as_ref().and_then(url::Url::host_str).is_some_and(|name| {
        name == host || name.strip_suffix(host).is_some_and(|left| left.ends_with('.'))
    })
}

/// Writes a model's name as a part of a path.
pub(super) fn encoded(name: &str) -> String {
    name.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'@') {
            out.push(char::from(byte));
        } else {
            _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_ones_own_network_needs_no_key() {
        for (address, expected) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://localhost:1/", true),
            ("http://192.168.1.20:8000/v1", true),
            ("http://10.1.2.3/", true),
            ("http://[fd00::1]:8000/", true),
            ("http://gpu:8000/v1", true),
            ("http://gpu.local/", true),
            ("https://api.openai.com/v1", false),
            ("https://localhost.example.org/", false),
            ("http://8.8.8.8/", false),
            ("nonsense", false),
        ] {
            assert_eq!(is_near(address), expected, "{address}");
        }
    }
}
