//! The address of a provider: what it may be, and whether a key may go there.

use url::Url;

use crate::provider::is_this_machine;

/// A checked base URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let shape = "an address such as \"https://api.example.com/v1\"";
        let url = Url::parse(text.trim()).map_err(|_| shape)?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err("an address that begins with https:// (or http://)");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address without user name and password; a key is entered apart");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address without ? and #; a key is entered apart");
        }
        Ok(Self(url))
    }

    /// Returns the address without a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Returns scheme, host and port: what a key is bound to.
    #[must_use]
    pub fn origin(&self) -> String {
        let port = self.0.port_or_known_default().unwrap_or(0);
        format!("{}://{}:{port}", self.0.scheme(), self.0.host_str().unwrap_or_default())
    }

    /// Whether it is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.0.host().is_some_and(|host| is_this_machine(&host))
    }

    /// Whether a key may travel there: nobody on the way can read it.
    #[must_use]
    pub fn takes_key(&self) -> bool {
        self.0.scheme() == "https" || self.is_loopback()
    }
}
