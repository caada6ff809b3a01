//! What can be wrong with the server, in words.
//!
//! A server's own words are never among them: it repeats in an error what it
//! was sent, and that is page text.

use std::io::ErrorKind;

/// Why the server does not serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No connection.
    #[error("no connection ({0})")]
    Unreachable(ErrorKind),
    /// It is connected, or was, and says nothing.
    #[error("no answer in time")]
    Slow,
    /// The certificate is not good for this name.
    #[error("its certificate is not trusted by this machine, or is for another name")]
    Certificate,
    /// No encryption could be agreed on.
    #[error("no encrypted connection: it does not answer, or speaks no TLS on this port")]
    Tls,
    /// The password is wrong, or none is wanted.
    #[error("it did not accept the user name or the password")]
    Password,
    /// The connection ended.
    #[error("the connection broke")]
    Broken,
    /// The answer is none of a Redis server, or far too long.
    #[error("what it answers is not what a Redis server answers")]
    Foreign,
    /// It answered with an error of this code.
    #[error("{}", meaning(.0))]
    Refused(String),
}

impl Fault {
    /// Returns the fault for an error's first word.
    #[must_use]
    pub fn refused(code: &str) -> Self {
        let known = (1..=20).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_uppercase());
        Self::Refused(if known { code.to_owned() } else { "ERR".to_owned() })
    }
}

fn meaning(code: &str) -> String {
    let words = match code {
        "NOAUTH" => "it wants a password, and none is stored",
        "NOPERM" => "the user may not do this there",
        "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" | "TRYAGAIN" => {
            "it is part of a cluster, and a single server is needed"
        }
        "READONLY" => "it is a copy that takes no entries",
        "LOADING" => "it is still loading its data",
        "MASTERDOWN" | "NOREPLICAS" => "its own primary server is away",
        "OOM" => "its memory is full",
        "MISCONF" => "it cannot save to its disk",
        _ => return format!("it answers with the error {code}"),
    };
    format!("{words} ({code})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_own_words_are_not_repeated() {
        for code in ["", "secret", "A B", "ABCDEFGHIJKLMNOPQRSTUV", "가"] {
            assert_eq!(Fault::refused(code), Fault::Refused("ERR".to_owned()), "{code}");
        }
        assert!(Fault::refused("MOVED").to_string().contains("cluster"));
        assert!(Fault::refused("ODD").to_string().contains("ODD"));
    }
}
