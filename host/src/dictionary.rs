//! The reader's words: terms on the source side, replacements on the other, and
//! corrections of whole texts.
//!
//! Text in, values out. It works on plain un-escaped text; the caller leaves
//! out tags. An entry is literal text, never a pattern. A text is gone through
//! once: leftmost match, longest first, and what was put in is not looked at
//! again. Reading the file is the caller's; particles after a Korean
//! replacement have their place between [`matching`] and the writing in
//! [`Dictionary::replace`].

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

mod case;
mod correction;
mod csv;
mod edit;
mod matching;
mod protect;
mod scope;
mod toml;

pub use correction::{Correction, Place};
pub use edit::correct;
pub use matching::{Why, Word};
pub use scope::{Pair, Scope, is_kind_of};

use correction::Corrections;
use matching::Matcher;

/// A mistake in a dictionary file. The entries without one stay in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From one.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// What an entry does where its words stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A term: the source's words should become these.
    Translate(String),
    /// A term: the source's words stay as they are.
    Keep,
    /// A replacement: the translation's words become these, which may be none.
    Replace(String),
}

/// One entry as the reader wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The words that are looked for, in NFC.
    pub words: String,
    /// What happens to them.
    pub action: Action,
    /// Whether `Raid` and `raid` differ.
    pub match_case: bool,
    /// Where it is in force.
    pub scope: Scope,
}

/// A term that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermHit {
    /// Where, in bytes of the text.
    pub range: Range<usize>,
    /// The words of the text.
    pub source: String,
    /// What they should become, in their case; none when they stay.
    pub target: Option<String>,
}

/// What became of an entry in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Its place in [`Dictionary::items`].
    pub item: usize,
    /// Where its words stand, in bytes; none when they do not.
    pub range: Option<Range<usize>>,
    /// Why it was used or not.
    pub why: Why,
}

/// Terms, replacements and corrections, ready to be looked for.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    items: Vec<Item>,
    terms: Matcher,
    replacements: Matcher,
    corrections: Corrections,
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items && self.corrections() == other.corrections()
    }
}

impl Dictionary {
    /// Returns a dictionary of these entries. Of two that fit the same words,
    /// the narrower scope wins, then the one that minds the case, then the
    /// earlier.
    #[must_use]
    pub fn new(items: Vec<Item>) -> Self {
        let word = |(index, item): (usize, &Item)| Word {
            text: item.words.clone(),
            match_case: item.match_case,
            scope: item.scope.clone(),
            item: index,
        };
        let side = |replacing: bool| {
            let of_side =
                |(_, item): &(usize, &Item)| matches!(item.action, Action::Replace(_)) == replacing;
            Matcher::new(items.iter().enumerate().filter(of_side).map(word))
        };
        let (terms, replacements) = (side(false), side(true));
        Self { items, terms, replacements, corrections: Corrections::default() }
    }

    /// Returns it with these corrections in the place of its own.
    #[must_use]
    pub fn with_corrections(self, corrections: Vec<Correction>) -> Self {
        Self { corrections: Corrections::new(corrections), ..self }
    }

    /// Reads the TOML form. A mistake costs its entry and no other.
    ///
    /// ```toml
    /// [[term]]
    /// source = "raid"
    /// target = "레이드"        # or keep = true: stays as it is
    ///
    /// [[replacement]]
    /// from = "공격대"
    /// to = "레이드"
    /// match_case = false      # from here on all may be left out, in terms too
    /// pair = "en>ko"          # or "*>ko", "en>*"
    /// site = "steamcommunity.com"
    ///
    /// [[correction]]
    /// source = "Load <1>order</1>"    # the whole text
    /// translation = "<1>불러오기</1> 순서"
    /// marked = true           # <1> is a tag; then pair and site, as above
    /// ```
    #[must_use]
    pub fn parse_toml(text: &str) -> (Self, Vec<Problem>) {
        let (items, corrections, problems) = toml::parse(text);
        (Self::new(items).with_corrections(corrections), problems)
    }

    /// Reads the CSV form, a line an entry; it has no corrections. Without a first line that names
    /// them the columns are source, target, kind (`term`, `keep`,
    /// `replacement`), pair, site; all but the first two may be left out.
    /// Commas, semicolons or tabs stand between them.
    #[must_use]
    pub fn parse_csv(text: &str) -> (Self, Vec<Problem>) {
        let (items, problems) = csv::parse(text);
        (Self::new(items), problems)
    }

    /// Returns the TOML form, which reads back as the same entries.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::write(self)
    }

    /// Returns the terms and replacements, in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns both dictionaries as one, this one's entries first.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let corrections = [self.corrections(), other.corrections()].concat();
        let mut items = self.items;
        items.extend(other.items);
        Self::new(items).with_corrections(corrections)
    }

    /// Returns the corrections, in the order of the file.
    #[must_use]
    pub fn corrections(&self) -> &[Correction] {
        self.corrections.all()
    }

    /// Returns how many entries are in force.
    #[must_use]
    pub fn count(&self) -> usize {
        self.items.len() + self.corrections().len()
    }

    /// Returns the reader's own translation of this whole text, in normal form.
    /// It is shown as it stands: no replacement is made in it.
    #[must_use]
    pub fn correction(
        &self,
        normal: &str,
        marked: bool,
        pair: Pair<'_>,
        site: Option<&str>,
    ) -> Option<&str> {
        let correction = self.corrections.of(normal, marked, pair, site)?;
        Some(&correction.translation)
    }

    /// Returns the terms that stand in a source text, in its order. The text
    /// is in normal form; an entry depends only on what is returned here, so
    /// that a change to `die` costs nothing where only `diesel` stands.
    #[must_use]
    pub fn terms_in(&self, text: &str, pair: Pair<'_>, site: Option<&str>) -> Vec<TermHit> {
        self.terms
            .matches(text, pair, site)
            .into_iter()
            .map(|hit| {
                let found = &text[hit.range.clone()];
                let item = &self.items[hit.item];
                let target = match &item.action {
                    Action::Translate(target) => Some(case::carry(&item.words, found, target)),
                    Action::Keep | Action::Replace(_) => None,
                };
                TermHit { source: found.to_owned(), target, range: hit.range }
            })
            .collect()
    }

    /// Returns a translation with the replacements made.
    #[must_use]
    pub fn replace(&self, text: &str, pair: Pair<'_>, site: Option<&str>) -> String {
        if self.replacements.is_empty() {
            return text.to_owned();
        }
        let text: String = text.nfc().collect();
        let mut out = String::with_capacity(text.len());
        let mut rest = 0;
        for hit in self.replacements.matches(&text, pair, site) {
            let item = &self.items[hit.item];
            let Action::Replace(to) = &item.action else { continue };
            out.push_str(&text[rest..hit.range.start]);
            out.push_str(&case::carry(&item.words, &text[hit.range.clone()], to));
            rest = hit.range.end;
        }
        out.push_str(&text[rest..]);
        out
    }

    /// Returns for every entry of one side what became of it in this text.
    #[must_use]
    pub fn explain(
        &self,
        which: Side,
        text: &str,
        pair: Pair<'_>,
        site: Option<&str>,
    ) -> Vec<Explanation> {
        let matcher = match which {
            Side::Source => &self.terms,
            Side::Translation => &self.replacements,
        };
        matcher.explain(text, pair, site)
    }

    /// Returns [`Self::explain`] in sentences: the entries that were used, and
    /// those whose words stand there but were not.
    #[must_use]
    pub fn explained(
        &self,
        side: Side,
        text: &str,
        pair: Pair<'_>,
        site: Option<&str>,
    ) -> (Vec<String>, Vec<String>) {
        let (mut used, mut unused) = (Vec::new(), Vec::new());
        for explanation in self.explain(side, text, pair, site) {
            let item = &self.items[explanation.item];
            let words = &item.words;
            let reason = match explanation.why {
                Why::Absent => continue,
                Why::Used => {
                    used.push(match &item.action {
                        Action::Translate(to) => format!("\"{words}\" should become \"{to}\""),
                        Action::Keep => format!("\"{words}\" stays as it is"),
                        Action::Replace(to) => format!("\"{words}\" becomes \"{to}\""),
                    });
                    continue;
                }
                Why::Overtaken => "another entry took its words",
                Why::Boundary => "its words are part of other words",
                Why::Case => "the case differs",
                Why::Protected => "it stands in an address or in code",
                Why::Scope => "it is for other languages or another site",
            };
            unused.push(format!("\"{words}\": {reason}"));
        }
        (used, unused)
    }
}

/// Which text is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The page's text: terms.
    Source,
    /// The provider's: replacements.
    Translation,
}

#[cfg(test)]
#[path = "dictionary/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "dictionary/correction_tests.rs"]
mod correction_tests;
