use proptest::prelude::*;

use super::*;

/// Hands out so many bytes at a time.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// Returns the text, and how often it could not be read.
fn all(bytes: &[u8], at_once: usize) -> (String, u64) {
    let mut input = Input::new(Drip(bytes, at_once));
    let mut text = String::new();
    input.read_to_string(&mut text).unwrap();
    (text, input.faults())
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn what_is_no_text_is_counted_and_the_rest_is_read() {
    let check = |bytes: &[u8], expected: &str, faults: u64| {
        for at_once in [1, 2, 3, 100] {
            assert_eq!(all(bytes, at_once), (expected.to_owned(), faults), "{bytes:?}");
        }
    };
    check(b"", "", 0);
    check(b"a\xffb", "a\u{fffd}b", 1);
    check(b"\xed\x95", "\u{fffd}", 1);
    check("한".as_bytes(), "한", 0);
    check(b"\xef\xbb\xbfa", "a", 0);
    check(b"\xff\xfea\0\x3d\xd8b\0", "a\u{fffd}b", 1);
    check(b"\xfe\xff\0a\xd8\x3d", "a\u{fffd}", 1);
    check(b"\xff\xfea\0b", "a\u{fffd}", 1);
}

#[test]
fn a_fault_is_counted_when_it_is_taken_and_not_before() {
    let mut input = Input::new(&b"good\nbad \xff\ngood\n"[..]);
    input.fill_buf().unwrap();
    input.consume(5);
    assert_eq!((input.line(), input.faults()), (2, 0));
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line).unwrap();
    assert_eq!((input.line(), input.faults()), (3, 1));
}

#[test]
fn more_than_the_bound_is_an_error() {
    let text = "x".repeat(3 * CHUNK);
    let mut input = Input::new(text.as_bytes());
    input.bound(CHUNK);
    assert!(input.read_to_end(&mut Vec::new()).is_err());
    let mut input = Input::new(text.as_bytes());
    input.bound(text.len());
    assert_eq!(input.read_to_end(&mut Vec::new()).unwrap(), text.len());
}

proptest! {
    #[test]
    fn text_is_read_whatever_its_encoding(text: String, at_once in 1_usize..9) {
        let plain = text.trim_start_matches('\u{feff}');
        prop_assert_eq!(all(plain.as_bytes(), at_once), (plain.to_owned(), 0));
        prop_assert_eq!(all(&utf16(&text, u16::to_le_bytes), at_once), (text.clone(), 0));
        prop_assert_eq!(all(&utf16(&text, u16::to_be_bytes), at_once), (text, 0));
    }
}
