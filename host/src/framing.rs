//! Frames: a 32-bit length in native byte order, then that many bytes.
//!
//! Knows nothing of JSON. Reads from and writes to whatever it is handed, so
//! that tests cut and stall as they like.

use std::io::{self, Read, Write};

use byteorder::{NativeEndian, ReadBytesExt, WriteBytesExt};

/// A frame from the browser is at most this long; the extension stays below 256 KiB.
pub const MAX_FRAME_FROM_BROWSER: u32 = 8 * 1024 * 1024;

/// A frame to the browser is at most this long. Both browsers cut the
/// connection above 1 MiB, and are quickest between 5 and 100 KB.
pub const MAX_FRAME_TO_BROWSER: usize = 512 * 1024;

/// Why no frame could be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The prefix announces more than [`MAX_FRAME_FROM_BROWSER`]. What follows
    /// cannot be skipped safely, so the conversation ends.
    #[error("a frame of {0} bytes, where at most {MAX_FRAME_FROM_BROWSER} are taken")]
    TooLarge(u32),
    /// The stream ended inside a frame.
    #[error("the stream ended inside a frame")]
    Cut,
    /// Reading failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// Reads one frame; none at the end of the stream.
///
/// Memory grows with what arrives, not with what the prefix promises.
///
/// # Errors
/// See [`FrameError`]; after any of them the stream is of no more use.
pub fn read_frame(from: &mut impl Read) -> Result<Option<Vec<u8>>, FrameError> {
    let mut first = [0];
    if from.read_byte_or_end(&mut first)? {
        return Ok(None);
    }
    let mut rest = (&first[..]).chain(&mut *from);
    let length = rest.read_u32::<NativeEndian>().map_err(cut)?;
    if length > MAX_FRAME_FROM_BROWSER {
        return Err(FrameError::TooLarge(length));
    }
    let mut body = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut body)?;
    if body.len() < length as usize {
        return Err(FrameError::Cut);
    }
    Ok(Some(body))
}

/// Writes one frame and flushes.
///
/// # Errors
/// What writing answers; a body above 4 GiB is `InvalidInput`.
pub fn write_frame(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    to.write_u32::<NativeEndian>(length)?;
    to.write_all(body)?;
    to.flush()
}

fn cut(error: io::Error) -> FrameError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => FrameError::Cut,
        _ => FrameError::Io(error),
    }
}

trait ReadFirst: Read {
    /// Reads the first byte of a frame; true at the end of the stream.
    fn read_byte_or_end(&mut self, byte: &mut [u8; 1]) -> io::Result<bool> {
        loop {
            match self.read(byte) {
                Ok(0) => return Ok(true),
                Ok(_) => return Ok(false),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl<R: Read> ReadFirst for R {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out the bytes in two reads, the first `cut` bytes long.
    struct TwoReads<'a>(&'a [u8], &'a [u8]);

    impl Read for TwoReads<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let part = if self.0.is_empty() { &mut self.1 } else { &mut self.0 };
            part.read(into)
        }
    }

    fn framed(body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, body).unwrap();
        bytes
    }

    #[test]
    fn a_frame_split_at_any_byte_is_one_frame() {
        let bytes = framed("{\"text\":\"é😀\"}".as_bytes());
        for cut in 0..=bytes.len() {
            let mut reader = TwoReads(&bytes[..cut], &bytes[cut..]);
            let frame = read_frame(&mut reader).unwrap().unwrap();
            assert_eq!(frame, &bytes[4..], "cut at {cut}");
            assert!(read_frame(&mut reader).unwrap().is_none());
        }
    }

    #[test]
    fn a_stream_that_ends_inside_a_frame_is_cut() {
        let bytes = framed(b"{}");
        for length in 1..bytes.len() {
            let result = read_frame(&mut &bytes[..length]);
            assert!(matches!(result, Err(FrameError::Cut)), "after {length}: {result:?}");
        }
    }

    #[test]
    fn an_empty_frame_is_a_frame() {
        assert_eq!(read_frame(&mut &framed(b"")[..]).unwrap().unwrap(), b"");
    }

    #[test]
    fn a_prefix_above_the_limit_is_refused_without_reading_on() {
        let mut bytes = Vec::new();
        bytes.write_u32::<NativeEndian>(MAX_FRAME_FROM_BROWSER + 1).unwrap();
        let mut reader = &bytes[..];
        let result = read_frame(&mut reader);
        assert!(matches!(result, Err(FrameError::TooLarge(n)) if n == MAX_FRAME_FROM_BROWSER + 1));
    }

    #[test]
    fn a_frame_at_the_limit_is_taken() {
        let bytes = framed(&vec![b' '; MAX_FRAME_FROM_BROWSER as usize]);
        let frame = read_frame(&mut &bytes[..]).unwrap().unwrap();
        assert_eq!(frame.len(), MAX_FRAME_FROM_BROWSER as usize);
    }
}
