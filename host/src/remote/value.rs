//! One entry as it stands on the server.
//!
//! A mark with the version, 16 bytes of BLAKE3 over the entry's key and its
//! translation, then the translation in UTF-8. The key is a hash of all that
//! the question was made of (source text, languages, engine, whether marked,
//! terms, site), so a value fits one question only: one that was stored under
//! another name, cut short or changed is no entry.

use crate::segment::Key;

/// Stands in each name, so that two versions of this program do not overwrite
/// each other's entries again and again.
pub const VERSION: u32 = 1;

const MARK: &[u8; 4] = b"wtr1";

const CHECK_BYTES: usize = 16;

/// A translation is at most this long; a segment has at most 8,000 characters.
pub const MAX_BYTES: usize = 64 * 1024;

/// Returns the value of an entry; none when it is too long.
#[must_use]
pub fn encode(key: Key, translation: &str) -> Option<Vec<u8>> {
    let fits = !translation.trim().is_empty() && translation.len() <= MAX_BYTES;
    fits.then(|| [&MARK[..], &check(key, translation)[..], translation.as_bytes()].concat())
}

/// Returns the translation, if this is the value of this key's entry.
#[must_use]
pub fn decode(key: Key, value: &[u8]) -> Option<String> {
    let rest = value.strip_prefix(MARK)?;
    let (found, text) = rest.split_at_checked(CHECK_BYTES)?;
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    (found == check(key, text) && !text.trim().is_empty()).then(|| text.to_owned())
}

fn check(key: Key, translation: &str) -> [u8; CHECK_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(MARK).update(&key.0).update(translation.as_bytes());
    let mut half = [0; CHECK_BYTES];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..CHECK_BYTES]);
    half
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(text: &str) -> Key {
        Key::of_text(text)
    }

    #[test]
    fn an_entry_of_another_key_is_no_entry() {
        let value = encode(key("Hello"), "안녕하세요").unwrap();
        assert_eq!(decode(key("Hello"), &value).as_deref(), Some("안녕하세요"));
        assert_eq!(decode(key("Good bye"), &value), None);
    }

    #[test]
    fn what_is_blank_or_too_long_is_neither_written_nor_read() {
        for text in [String::new(), " \n".to_owned(), "x".repeat(MAX_BYTES + 1)] {
            assert_eq!(encode(key("a"), &text), None);
            let by_hand = [&MARK[..], &check(key("a"), &text)[..], text.as_bytes()].concat();
            assert_eq!(decode(key("a"), &by_hand), None);
        }
        let most = "x".repeat(MAX_BYTES);
        assert_eq!(decode(key("a"), &encode(key("a"), &most).unwrap()), Some(most));
    }

    proptest! {
        #[test]
        fn any_bytes_are_no_entry(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(decode(key("a"), &bytes), None);
            prop_assert_eq!(decode(key("a"), &[&MARK[..], &bytes].concat()), None);
        }

        #[test]
        fn an_entry_comes_back_and_no_change_to_it_does(
            text in "\\PC{1,40}",
            at in any::<prop::sample::Index>(),
            flip in 1_u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            prop_assume!(!text.trim().is_empty());
            let value = encode(key("a"), &text).unwrap();
            prop_assert_eq!(decode(key("a"), &value), Some(text));
            prop_assert_eq!(decode(key("a"), &value[..cut.index(value.len())]), None);
            let mut changed = value.clone();
            changed[at.index(value.len())] ^= flip;
            prop_assert_eq!(decode(key("a"), &changed), None);
            prop_assert_eq!(decode(key("a"), &[&value[..], b"x"].concat()), None);
        }
    }
}
