//! The fall-back for an answer that keeps losing its tags: the text between
//! them is translated piece by piece and put back where it was.

use super::joint::{joint, spaced};
use super::scan::{Part, escape, parts, unescape};

/// A marked text taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The plain texts to translate, in order, without white space at the edges.
    pub texts: Vec<String>,
    /// What stands before each text and after the last, in marked form.
    frame: Vec<String>,
}

impl Pieces {
    /// Puts translations in the places of the texts, and returns marked text;
    /// none when their number is not that of the texts. Words that the source's
    /// script wrote together get their space.
    #[must_use]
    pub fn join(&self, translations: &[impl AsRef<str>]) -> Option<String> {
        if translations.len() != self.texts.len() {
            return None;
        }
        let mut out = String::new();
        for (at, fixed) in self.frame.iter().enumerate() {
            let near = |text: usize| translations.get(text).map(|text| text.as_ref().trim());
            let answer = at.checked_sub(1).and_then(near).zip(near(at));
            match answer {
                Some((left, right)) => {
                    let source = joint(&self.texts[at - 1], &self.texts[at]);
                    out.push_str(&spaced(fixed, source, joint(left, right)));
                }
                None => out.push_str(fixed),
            }
            out.push_str(&escape(near(at).unwrap_or_default()));
        }
        Some(out)
    }
}

/// Takes marked text apart at its tags. Text without a letter stays in its
/// place; what is opaque inside a piece is the next [`super::prepare`]'s work.
#[must_use]
pub fn pieces(text: &str) -> Pieces {
    let mut texts = Vec::new();
    let mut frame = vec![String::new()];
    for part in parts(text) {
        let mut fixed = String::new();
        match part {
            Part::Text(raw) if raw.chars().any(char::is_alphabetic) => {
                let inner = raw.trim();
                let start = raw.len() - raw.trim_start().len();
                let plain = unescape(inner);
                if plain.chars().any(char::is_alphabetic) {
                    if let Some(last) = frame.last_mut() {
                        last.push_str(&raw[..start]);
                    }
                    texts.push(plain);
                    frame.push(raw[start + inner.len()..].to_owned());
                    continue;
                }
                fixed.push_str(raw);
            }
            part => part.write(&mut fixed),
        }
        if let Some(last) = frame.last_mut() {
            last.push_str(&fixed);
        }
    }
    Pieces { texts, frame }
}
