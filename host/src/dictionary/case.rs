//! Folding case for comparison, and carrying it over to other words.

/// Returns the plain form of what is typed and typeset in different ways:
/// spaces, apostrophes, hyphens.
pub(super) fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

/// Returns the folded form of a character: plain, and what its capitals and
/// its small letters have in common, as in ß, SS and ss.
pub(super) fn fold(c: char) -> impl Iterator<Item = char> {
    plain(c).to_uppercase().flat_map(char::to_lowercase)
}

/// A folded text that knows where each of its bytes came from.
pub(super) struct Folded {
    pub text: String,
    /// For each byte of `text` that starts a source character, that
    /// character's offset in the source; for all others none. One more for the
    /// end.
    origin: Vec<Option<usize>>,
}

impl Folded {
    pub fn of(source: &str) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut origin = Vec::with_capacity(source.len() + 1);
        for (at, c) in source.char_indices() {
            let start = text.len();
            text.extend(fold(c));
            origin.resize(text.len(), None);
            if start < origin.len() {
                origin[start] = Some(at);
            }
        }
        origin.push(Some(source.len()));
        Self { text, origin }
    }

    /// Returns the place in the source, or none in the middle of one of its
    /// characters.
    pub fn origin(&self, at: usize) -> Option<usize> {
        self.origin[at]
    }
}

/// Returns `to` in the case in which `found` stands, where that differs from
/// how the entry is written: RAID from raid gives capitals, Raid a capital.
pub(super) fn carry(written: &str, found: &str, to: &str) -> String {
    if written == found {
        return to.to_owned();
    }
    if all_capitals(found) && !all_capitals(written) {
        return to.to_uppercase();
    }
    if starts_capital(found) && !starts_capital(written) {
        return capitalise(to);
    }
    to.to_owned()
}

/// At least two letters that have a case, all of them capitals.
fn all_capitals(text: &str) -> bool {
    !text.chars().any(char::is_lowercase) && text.chars().filter(|c| c.is_uppercase()).count() > 1
}

fn starts_capital(text: &str) -> bool {
    text.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase)
}

fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        // A word such as iPhone carries its own case.
        Some(_) if chars.clone().any(char::is_uppercase) => text.to_owned(),
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
