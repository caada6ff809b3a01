//! What kind of fault an error of the HTTP client is.

use std::error::Error;
use std::io;

use crate::provider::TransportFault;

/// Reads what kind of fault an error is, from its types where they say it.
pub(super) fn fault_of(error: &reqwest::Error) -> TransportFault {
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
    } else if error.is_decode() && !words.contains("before message") {
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
        // The client calls every fault in a body one of decoding.
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Some(TransportFault::Broken),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Some(TransportFault::Undecodable)
        }
        _ => None,
    }
}
