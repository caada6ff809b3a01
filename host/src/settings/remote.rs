//! The address of the shared cache: `redis://` or `rediss://`, as Redis's own
//! tools write it.

use std::fmt;

use toml_edit::Item;
use url::{Host, Url};

use super::reader::{Reader, Section};
use super::{DEFAULT_REMOTE_PREFIX, Problem, REMOTE_KEY, StrayKey};
use crate::provider::{Key, is_this_machine};

/// Where a Redis server listens when the address names no port.
const PORT: u16 = 6379;

/// Longer names cost room with every entry.
const MAX_PREFIX_BYTES: usize = 64;

/// More databases than this has no server.
const MAX_DATABASE: u16 = 9999;

/// A checked address, without its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAddress {
    url: Url,
    host: Host<String>,
    database: u16,
    user: Option<String>,
}

impl RemoteAddress {
    /// Reads an address, and the password that may stand in it.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(text: &str) -> Result<(Self, Option<Key>), &'static str> {
        let shape = "an address such as \"rediss://cache.example.com:6379/0\"";
        let mut url = Url::parse(text.trim()).map_err(|_| shape)?;
        if !matches!(url.scheme(), "redis" | "rediss") {
            return Err("an address that begins with rediss:// (or redis://)");
        }
        // These schemes are none that the URL's rules know: its host is any text.
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(shape)?;
        let host = Host::parse(host).map_err(|_| shape)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address without ? and #");
        }
        let database = database(url.path()).ok_or("the number of a database after the port")?;
        let unreadable = "a user name and password in UTF-8, with %40 for @ and %2F for /";
        let password = url.password().map(|text| decoded(text).ok_or(unreadable)).transpose()?;
        let user = decoded(url.username()).ok_or(unreadable)?;
        url.set_password(None).map_err(|()| shape)?;
        let user = Some(user).filter(|user| !user.is_empty());
        let password = password.filter(|password| !password.is_empty()).map(Key);
        Ok((Self { url, host, database, user }, password))
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "rediss"
    }

    /// Returns the name or number of the machine, as sockets take it.
    #[must_use]
    pub fn host(&self) -> String {
        match &self.host {
            Host::Domain(name) => name.clone(),
            Host::Ipv4(ip) => ip.to_string(),
            Host::Ipv6(ip) => ip.to_string(),
        }
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.url.port().unwrap_or(PORT)
    }

    /// Returns the number of the database.
    #[must_use]
    pub fn database(&self) -> u16 {
        self.database
    }

    /// Returns the user's name; none for the server's default user.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Returns scheme, host and port: what a password is bound to.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{}://{}:{}", self.url.scheme(), self.host, self.port())
    }

    /// Whether a password may travel there: nobody on the way can read it.
    #[must_use]
    pub fn takes_password(&self) -> bool {
        self.is_encrypted() || is_this_machine(&self.host)
    }
}

impl fmt::Display for RemoteAddress {
    /// The address as it stands in the settings, without a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

/// Reads `cache.remote`; a password in it is put with the stray keys.
pub(super) fn read(
    reader: &mut Reader<'_>,
    cache: Section<'_>,
    stray: &mut Vec<StrayKey>,
) -> Option<RemoteAddress> {
    let text = reader.string(cache, "remote").filter(|text| !text.is_empty())?;
    match RemoteAddress::parse(&text) {
        Ok((address, password)) => {
            if !address.takes_password() {
                let span = cache.table.get("remote").and_then(Item::span);
                let expected = "rediss://, since over redis:// others on the network read along \
                                and no password is sent";
                let warning = reader.at(span, cache.key("remote"), expected);
                reader.warnings.push(Problem { found: String::new(), ..warning });
            }
            stray.extend(password.map(|key| StrayKey { provider: REMOTE_KEY.to_owned(), key }));
            Some(address)
        }
        Err(expected) => {
            // It may carry a password.
            reader.wrong_unshown(cache, "remote", expected);
            None
        }
    }
}

/// Reads `cache.remote_prefix`.
pub(super) fn prefix(reader: &mut Reader<'_>, cache: Section<'_>) -> String {
    let Some(prefix) = reader.string(cache, "remote_prefix") else {
        return DEFAULT_REMOTE_PREFIX.to_owned();
    };
    let plain = !prefix.chars().any(|c| c.is_whitespace() || c.is_control());
    if !plain || !(1..=MAX_PREFIX_BYTES).contains(&prefix.len()) {
        reader.wrong(cache, "remote_prefix", "a word such as \"wt:\", at most 64 bytes");
    }
    prefix
}

fn database(path: &str) -> Option<u16> {
    match path.strip_prefix('/').unwrap_or(path) {
        "" => Some(0),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok().filter(|number| *number <= MAX_DATABASE)
        }
        _ => None,
    }
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

/// Undoes percent encoding; none when it is not UTF-8 after that.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).filter(|pair| *first == b'%' && is_hex(pair));
        let hex = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            rest = &after[2..];
        } else {
            out.push(*first);
            rest = after;
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (RemoteAddress, Option<String>) {
        let (address, password) =
            RemoteAddress::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        (address, password.map(|key| key.0))
    }

    #[test]
    fn an_address_is_read_as_redis_reads_it() {
        let (address, password) = read("rediss://ann:p%40ss%2Fword@Cache.Example.com:7000/3");
        assert_eq!(password.as_deref(), Some("p@ss/word"));
        assert_eq!(address.user(), Some("ann"));
        assert_eq!((address.host().as_str(), address.port()), ("cache.example.com", 7000));
        assert_eq!((address.database(), address.is_encrypted()), (3, true));
        assert_eq!(address.origin(), "rediss://cache.example.com:7000");

        let (address, password) = read(" redis://:secret@127.0.0.1 ");
        assert_eq!((address.user(), password.as_deref()), (None, Some("secret")));
        assert_eq!((address.port(), address.database()), (6379, 0));
        assert_eq!(read("redis://[::1]:80/").0.host(), "::1");
        assert_eq!(read("redis://[::1]:80/").0.port(), 80);
    }

    #[test]
    fn its_written_form_has_no_password_and_says_the_same() {
        for text in [
            "redis://cache",
            "rediss://ann:s3cr%3At@cache.example.com:1/2",
            "redis://:s3cr:t@[::1]/",
        ] {
            let (address, _) = read(text);
            let written = address.to_string();
            assert!(!written.contains("s3cr"), "{written}");
            assert!(!format!("{address:?}").contains("s3cr"));
            assert_eq!(read(&written), (address, None), "{written}");
        }
    }

    #[test]
    fn what_is_no_such_address_is_refused() {
        for text in [
            "",
            "cache",
            "http://cache",
            "redis:",
            "redis://",
            "redis:///0",
            "redis://:p@/0",
            "redis://cache/x",
            "redis://cache/-1",
            "redis://cache/10000",
            "redis://cache/0/1",
            "redis://cache?db=1",
            "redis://cache#1",
            "redis://cache:70000",
            "redis://a b",
            "unix:///run/redis.sock",
            "redis://:%ff@cache",
        ] {
            assert!(RemoteAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_password_goes_over_tls_or_to_this_machine() {
        for (text, expected) in [
            ("rediss://cache.example.com", true),
            ("redis://localhost", true),
            ("redis://LOCALHOST", true),
            ("redis://127.9.9.9:1", true),
            ("redis://[::1]", true),
            ("redis://[::ffff:127.0.0.1]", true),
            ("redis://0x7f000001", true),
            ("redis://cache.lan", false),
            ("redis://10.0.0.1", false),
            ("redis://localhost.example.org", false),
            ("redis://127.0.0.1.example.org", false),
        ] {
            assert_eq!(read(text).0.takes_password(), expected, "{text}");
        }
    }
}
