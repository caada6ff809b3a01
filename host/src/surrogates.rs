//! Half characters in JSON.
//!
//! A browser, and now and then a server, writes half of a surrogate pair as an
//! escape, and `serde_json` refuses the whole text over it. So such escapes are
//! mended in the bytes, before they are parsed.

/// Replaces each `\uD800`–`\uDFFF` escape without its partner by `\ufffd`, in place.
///
/// Browsers write half of a pair as such an escape, and `serde_json` refuses
/// the whole message over it. Returns how many were replaced.
pub fn mend_lone_surrogates(bytes: &mut [u8]) -> usize {
    let mut at = 0;
    let mut mended = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match escaped_unit(bytes, at) {
            Some(0xD800..=0xDBFF)
                if matches!(escaped_unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) =>
            {
                12
            }
            Some(0xD800..=0xDFFF) => {
                bytes[at + 2..at + 6].copy_from_slice(b"fffd");
                mended += 1;
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    mended
}

/// Returns the unit of the `\uXXXX` escape that starts at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_surrogates(before: &str, after: &str) {
        let mut bytes = before.as_bytes().to_vec();
        mend_lone_surrogates(&mut bytes);
        assert_eq!(String::from_utf8(bytes).unwrap(), after, "{before}");
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        check_surrogates(r"a\ud83db", r"a\ufffdb");
        check_surrogates(r"\ude00", r"\ufffd");
        check_surrogates(r"\ude00\ud83d", r"\ufffd\ufffd");
        check_surrogates(r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00");
        check_surrogates(r"\ud83d\n", r"\ufffd\n");
        check_surrogates(r"\ud83", r"\ud83");
    }

    #[test]
    fn pairs_and_escaped_backslashes_stay() {
        check_surrogates(r"\ud83d\ude00", r"\ud83d\ude00");
        check_surrogates(r"\\ud83d", r"\\ud83d");
        check_surrogates(r"é \u00e9 \\", r"é \u00e9 \\");
    }
}
