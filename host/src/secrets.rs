//! Keys: from the environment, else from `secrets.toml`.
//!
//! A key belongs to a provider *and* to the scheme, host and port it was
//! entered for; elsewhere it is not given out. The password of the shared
//! cache is kept in the same way. The file is the reader's alone
//! (0600) and is written whole. Nothing here is logged, and no `Debug` form
//! shows a key.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Table, value};

use crate::paths::{locked, write_private};
use crate::provider::Key;
use crate::settings::{Address, REMOTE_KEY, RemoteAddress};

/// Where a key came from, for `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The variable of this name.
    Environment(String),
    /// `secrets.toml`.
    File,
}

/// What a look-up brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The key.
    Found {
        /// The key.
        key: Key,
        /// Where it was.
        origin: Origin,
    },
    /// There is one, but it may not go to this address.
    Withheld {
        /// Why, and what to do, in words.
        reason: String,
    },
    /// There is none.
    Missing,
}

impl Lookup {
    /// Returns the key, if it may be used.
    #[must_use]
    pub fn key(&self) -> Option<&Key> {
        match self {
            Self::Found { key, .. } => Some(key),
            Self::Withheld { .. } | Self::Missing => None,
        }
    }
}

impl fmt::Display for Lookup {
    /// Says what the reader should know; never the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { origin: Origin::File, .. } => f.write_str("a key is stored"),
            Self::Found { origin: Origin::Environment(name), .. } => {
                write!(f, "the key comes from {name}")
            }
            Self::Withheld { reason } => f.write_str(reason),
            Self::Missing => f.write_str("no key is stored"),
        }
    }
}

/// Why the file of keys could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The file cannot be read or written.
    #[error("the file of keys {0} cannot be read or written: {1}")]
    Io(PathBuf, io::Error),
    /// It is no TOML. Its text is not shown.
    #[error("the file of keys {0} has a fault of form in line {1}")]
    Form(PathBuf, usize),
    /// The base URL of the provider is none.
    #[error("the provider's address must be {0}")]
    Address(&'static str),
    /// An empty key, or one with characters that no header can carry.
    #[error("the key is empty or holds spaces or control characters")]
    Key,
}

/// Returns the variable that holds a provider's key.
#[must_use]
pub fn variable(provider: &str) -> String {
    format!("WEBTRANSLATOR_KEY_{}", provider.to_uppercase().replace('-', "_"))
}

/// Returns the last four characters of a key, so that the reader knows which it
/// is; none of a key so short that this would be most of it.
#[must_use]
pub fn last_four(key: &Key) -> String {
    let chars: Vec<char> = key.0.chars().collect();
    if chars.len() < 12 { String::new() } else { chars[chars.len() - 4..].iter().collect() }
}

/// Where a key shall go.
struct Goal {
    /// Scheme, host and port.
    origin: String,
    /// Whether nobody on the way can read it.
    is_safe: bool,
    /// What it is, and which way is safe, in words.
    what: &'static str,
    ways: &'static str,
}

fn goal_of(address: &Address) -> Goal {
    Goal { origin: address.origin(), is_safe: address.takes_key(), what: "key", ways: "https" }
}

fn goal_of_remote(address: &RemoteAddress) -> Goal {
    Goal {
        origin: address.origin(),
        is_safe: address.takes_password(),
        what: "password",
        ways: "rediss",
    }
}

/// Answers with the value of a variable.
type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The keys of one reader.
pub struct Secrets {
    path: PathBuf,
    environment: Environment,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Secrets {
    /// Returns the keys in this file and in the environment.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self::with_environment(path, |name| std::env::var(name).ok())
    }

    /// As [`Self::new`], with another environment.
    pub fn with_environment(
        path: PathBuf,
        environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { path, environment: Box::new(environment) }
    }

    /// Returns the provider's key for this address. A key that was written into
    /// the file by hand is bound to the first address it is looked up for.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn lookup(&self, provider: &str, base_url: &str) -> Result<Lookup, SecretsError> {
        self.lookup_at(provider, Address::parse(base_url).map(|address| goal_of(&address)))
    }

    /// Returns the password of the shared cache for this address, as
    /// [`Self::lookup`] does a key.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn lookup_remote(&self, address: &RemoteAddress) -> Result<Lookup, SecretsError> {
        self.lookup_at(REMOTE_KEY, Ok(goal_of_remote(address)))
    }

    fn lookup_at(
        &self,
        name: &str,
        goal: Result<Goal, &'static str>,
    ) -> Result<Lookup, SecretsError> {
        let variable = variable(name);
        let set = (self.environment)(&variable).map(|key| key.trim().to_owned());
        let (key, bound, origin) = match set.filter(|key| !key.is_empty()) {
            Some(key) => (key, None, Origin::Environment(variable)),
            None => match self.stored(name)? {
                Some((key, bound)) => (key, bound, Origin::File),
                None => return Ok(Lookup::Missing),
            },
        };
        let withheld = |reason: String| Ok(Lookup::Withheld { reason });
        let Goal { origin: here, is_safe, what, ways } = match goal {
            Ok(goal) => goal,
            Err(expected) => return withheld(format!("the address must be {expected}")),
        };
        if !is_safe {
            return withheld(format!(
                "a {what} is sent over {ways} or to this machine only, and {here} is neither"
            ));
        }
        match bound {
            Some(bound) if bound != here => {
                return withheld(format!(
                    "the {what} was entered for {bound}, and the address is now {here}; \
                     enter the {what} again"
                ));
            }
            // A file that cannot be written is still good for reading.
            None if origin == Origin::File => {
                let _ = self.write(name, &key, &here);
            }
            _ => {}
        }
        Ok(Lookup::Found { key: Key(key), origin })
    }

    /// Stores a provider's key for this address.
    ///
    /// # Errors
    /// When address or key cannot be used, or the file cannot be written.
    pub fn set(&self, provider: &str, key: &Key, base_url: &str) -> Result<(), SecretsError> {
        let address = Address::parse(base_url).map_err(SecretsError::Address)?;
        let text = key.0.trim();
        if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(SecretsError::Key);
        }
        self.write(provider, text, &address.origin())
    }

    /// Stores the password of the shared cache for this address.
    ///
    /// # Errors
    /// When it is empty or has spaces at its ends, which would be lost, or when
    /// the file cannot be written.
    pub fn set_remote(&self, password: &Key, address: &RemoteAddress) -> Result<(), SecretsError> {
        let text = password.0.as_str();
        if text.is_empty() || text.trim() != text || text.contains(char::is_control) {
            return Err(SecretsError::Key);
        }
        self.write(REMOTE_KEY, text, &address.origin())
    }

    fn write(&self, name: &str, key: &str, origin: &str) -> Result<(), SecretsError> {
        self.change(|document| {
            let mut table = Table::new();
            table.insert("key", value(key));
            table.insert("for", value(origin));
            document.insert(name, Item::Table(table));
        })
    }

    /// Forgets a provider's key. One in the environment stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remove(&self, provider: &str) -> Result<(), SecretsError> {
        if self.stored(provider)?.is_none() {
            return Ok(());
        }
        self.change(|document| drop(document.remove(provider)))
    }

    /// Takes others' rights from the file. Returns whether it had to be done:
    /// then others may have read the keys.
    ///
    /// # Errors
    /// When the rights cannot be changed.
    pub fn mend_mode(&self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = match fs::metadata(&self.path) {
                Ok(meta) => meta.permissions().mode(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(error),
            };
            if mode & 0o077 != 0 {
                fs::set_permissions(&self.path, fs::Permissions::from_mode(0o600))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the stored key and what it is bound to. `name = "KEY"` is read
    /// as well as a table.
    fn stored(&self, provider: &str) -> Result<Option<(String, Option<String>)>, SecretsError> {
        let document = self.read()?;
        let Some(item) = document.get(provider) else { return Ok(None) };
        let text = |item: &Item| item.as_str().map(|text| text.trim().to_owned());
        let (key, bound) = match item.as_table_like() {
            Some(table) => (table.get("key").and_then(text), table.get("for").and_then(text)),
            None => (text(item), None),
        };
        Ok(key.filter(|key| !key.is_empty()).map(|key| (key, bound)))
    }

    fn io(&self, error: io::Error) -> SecretsError {
        SecretsError::Io(self.path.clone(), error)
    }

    fn read(&self) -> Result<DocumentMut, SecretsError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(self.io(error)),
        };
        let _ = self.mend_mode();
        text.parse().map_err(|error: toml_edit::TomlError| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or(&text).matches('\n').count() + 1;
            SecretsError::Form(self.path.clone(), line)
        })
    }

    /// Reads, changes and writes the file under a lock, so that two hosts do
    /// not undo each other's change.
    fn change(&self, change: impl FnOnce(&mut DocumentMut)) -> Result<(), SecretsError> {
        let changed = locked(&self.path, || {
            let mut document = self.read()?;
            change(&mut document);
            write_private(&self.path, document.to_string().as_bytes())
                .map_err(|error| self.io(error))
        });
        changed.map_err(|error| self.io(error))?
    }
}
