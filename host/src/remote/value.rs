//! One entry as it stands on the server.
//!
//! A mark with the version, 16 bytes of BLAKE3 over the entry's key and what
//! follows, then the day on which it was translated, 4 bytes with the highest
//! first, then the translation in UTF-8. The key is a hash of all that
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

/// What a value says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// When it was translated, in days since 1970.
    pub day: i64,
    /// The translation.
    pub text: String,
}

/// Returns the value of an entry; none when it is too long.
#[must_use]
pub fn encode(key: Key, day: i64, translation: &str) -> Option<Vec<u8>> {
    let fits = !translation.trim().is_empty() && translation.len() <= MAX_BYTES;
    let day = u32::try_from(day).ok().filter(|_| fits)?;
    let rest = [&day.to_be_bytes()[..], translation.as_bytes()].concat();
    Some([&MARK[..], &check(key, &rest)[..], &rest].concat())
}

/// Returns what the value of this key's entry says, if it is that.
#[must_use]
pub fn decode(key: Key, value: &[u8]) -> Option<Found> {
    let (found, rest) = value.strip_prefix(MARK)?.split_at_checked(CHECK_BYTES)?;
    let (day, text) = rest.split_first_chunk()?;
    if text.len() > MAX_BYTES || found != check(key, rest) {
        return None;
    }
    let text = std::str::from_utf8(text).ok().filter(|text| !text.trim().is_empty())?;
    Some(Found { day: u32::from_be_bytes(*day).into(), text: text.to_owned() })
}

fn check(key: Key, rest: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(MARK).update(&key.0).update(rest);
    let mut half = [0; CHECK_BYTES];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..CHECK_BYTES]);
    half
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 20_000;

    fn found(text: &str) -> Found {
        Found { day: DAY, text: text.to_owned() }
    }

    fn key(text: &str) -> Key {
        Key::of_text(text)
    }

    #[test]
    fn an_entry_of_another_key_is_no_entry() {
        let value = encode(key("Hello"), DAY, "안녕하세요").unwrap();
        assert_eq!(decode(key("Hello"), &value), Some(found("안녕하세요")));
        assert_eq!(decode(key("Good bye"), &value), None);
    }

    #[test]
    fn what_is_blank_or_too_long_is_neither_written_nor_read() {
        for text in [String::new(), " \n".to_owned(), "x".repeat(MAX_BYTES + 1)] {
            assert_eq!(encode(key("a"), DAY, &text), None);
            let rest = [&[0; 4], text.as_bytes()].concat();
            let by_hand = [&MARK[..], &check(key("a"), &rest)[..], &rest].concat();
            assert_eq!(decode(key("a"), &by_hand), None);
        }
        let most = "x".repeat(MAX_BYTES);
        assert_eq!(decode(key("a"), &encode(key("a"), DAY, &most).unwrap()), Some(found(&most)));
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
            let value = encode(key("a"), DAY, &text).unwrap();
            prop_assert_eq!(decode(key("a"), &value), Some(found(&text)));
            prop_assert_eq!(decode(key("a"), &value[..cut.index(value.len())]), None);
            let mut changed = value.clone();
            changed[at.index(value.len())] ^= flip;
            prop_assert_eq!(decode(key("a"), &changed), None);
            prop_assert_eq!(decode(key("a"), &[&value[..], b"x"].concat()), None);
        }
    }
}
