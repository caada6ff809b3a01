//! What the reader is told of the store: each kind of trouble once.

use std::collections::{HashSet, VecDeque};
use std::fmt;

/// Something that the reader should know. It goes to the browser as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about; see docs/PROTOCOL.md.
    pub code: &'static str,
    /// In words.
    pub message: String,
    /// What to do, if the reader can do anything.
    pub hint: Option<String>,
}

/// Why the file cannot be used. As text, what is wrong, without what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The code that its notice has.
    pub code: &'static str,
    /// What is wrong, in words.
    pub sentence: String,
    /// What to do, empty when nothing can be done.
    pub hint: &'static str,
}

impl Trouble {
    pub(super) fn new(code: &'static str, sentence: String, hint: &'static str) -> Self {
        Self { code, sentence, hint }
    }

    /// Says it to the reader, with what follows for a host.
    pub(super) fn words(&self) -> String {
        let rest = "until that is mended, translations are kept in memory and end with the browser";
        format!("{}; {rest}", self.sentence)
    }

    /// Whether the file is left alone for what it is: then only another file in
    /// its place is worth a try. All else may pass by itself.
    pub(super) fn lasts(&self) -> bool {
        matches!(self.code, "cache_newer" | "cache_foreign")
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<Trouble> for String {
    fn from(trouble: Trouble) -> Self {
        trouble.sentence
    }
}

/// What is to be told, and what was.
#[derive(Debug, Default)]
pub(super) struct Notices {
    said: HashSet<&'static str>,
    waiting: VecDeque<Notice>,
}

impl Notices {
    /// Takes a notice, unless one of its kind was taken before.
    pub fn add(&mut self, code: &'static str, message: &str, hint: &str) {
        if self.said.insert(code) {
            let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
            let mut letters = message.chars();
            let first = letters.next().map(char::to_uppercase);
            let message = first.into_iter().flatten().chain(letters).chain(['.']).collect();
            self.waiting.push_back(Notice { code, message, hint });
        }
    }

    /// Whether anything was ever said.
    pub fn is_silent(&self) -> bool {
        self.said.is_empty()
    }

    pub fn take(&mut self) -> Option<Notice> {
        self.waiting.pop_front()
    }
}
