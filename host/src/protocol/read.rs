//! From a frame's bytes to a request, and what is wrong where that fails.

use serde_json::Value;

use super::{Code, Id, Request};
use crate::surrogates::mend_lone_surrogates;

/// A message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The request, where it could be read.
    pub id: Option<Id>,
    /// [`Code::BadMessage`] or [`Code::UnknownType`].
    pub code: Code,
    /// The fault in words; names fields, never carries page text.
    pub message: String,
}

/// All types of a request, in the order of the table.
const TYPES: [&str; 19] = [
    "hello",
    "translate",
    "prioritize",
    "cancel",
    "get_settings",
    "set_settings",
    "dictionary_get",
    "dictionary_set",
    "dictionary_test",
    "cache_stats",
    "cache_clear",
    "cache_forget",
    "cache_find",
    "cache_correct",
    "test_provider",
    "detect_providers",
    "status",
    "usage",
    "ping",
];

/// Reads one message of the extension from the bytes of a frame.
///
/// Lone surrogates are mended first; invalid UTF-8, invalid JSON, an unknown
/// type and a missing field are told apart.
///
/// # Errors
/// What is wrong, with the `id` if the message had one that could be read.
pub fn read_request(frame: &mut [u8]) -> Result<Request, Unreadable> {
    mend_lone_surrogates(frame);
    // What is right is read at once; what is not is looked at in steps.
    if let Ok(request) = serde_json::from_slice(frame) {
        return Ok(request);
    }
    let bad = |id, message: String| Unreadable { id, code: Code::BadMessage, message };
    let value: Value = serde_json::from_slice(frame)
        .map_err(|e| bad(None, format!("not JSON in UTF-8: {}", place(&e))))?;
    let Value::Object(fields) = &value else {
        return Err(bad(None, "a message is a JSON object".to_owned()));
    };
    let id = fields.get("id").and_then(Value::as_u64);
    match fields.get("type").and_then(Value::as_str) {
        None => return Err(bad(id, "a message has a type".to_owned())),
        Some(name) if TYPES.contains(&name) => {}
        Some(_) => {
            let message = "this host does not know a message of this type".to_owned();
            return Err(Unreadable { id, code: Code::UnknownType, message });
        }
    }
    serde_json::from_value(value).map_err(|e| bad(id, without_values(&e.to_string())))
}

/// Names the place of a fault without quoting the message, which may hold page text.
fn place(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// Cuts what serde quotes of a value: `invalid type: string "…", expected u64`.
fn without_values(message: &str) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}…{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_fault(frame: &str, id: Option<Id>, code: Code) {
        let fault = read_request(&mut frame.as_bytes().to_vec()).unwrap_err();
        assert_eq!((fault.id, fault.code), (id, code), "{frame}");
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        check_fault("", None, Code::BadMessage);
        check_fault("{", None, Code::BadMessage);
        check_fault("[]", None, Code::BadMessage);
        check_fault("\"str\"", None, Code::BadMessage);
        check_fault("{}", None, Code::BadMessage);
        check_fault(r#"{"type":"dance","id":3}"#, Some(3), Code::UnknownType);
        check_fault(r#"{"type":"cancel"}"#, None, Code::BadMessage);
        check_fault(r#"{"type":"translate","id":3,"segments":[]}"#, Some(3), Code::BadMessage);
        check_fault(r#"{"type":"ping","id":-1}"#, None, Code::BadMessage);
    }

    #[test]
    fn a_fault_never_quotes_the_message() {
        let mut frame =
            br#"{"type":"translate","id":1,"target":"ko","segments":"secret page text"}"#.to_vec();
        let fault = read_request(&mut frame).unwrap_err();
        assert!(!fault.message.contains("secret"), "{}", fault.message);
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let mut frame = br#"{"type":"ping","id":7,"later":{"x":1}}"#.to_vec();
        assert_eq!(read_request(&mut frame), Ok(Request::Ping { id: 7 }));
    }

    #[test]
    fn invalid_utf8_is_a_bad_message() {
        let fault = read_request(&mut b"{\"type\":\"ping\",\"id\":1,\"x\":\"\xff\"}".to_vec());
        assert_eq!(fault.unwrap_err().code, Code::BadMessage);
    }
}
