//! The reader's own translation of a whole text. It stands above all machines
//! and is shown as it is written.

use std::collections::HashMap;

use super::{Pair, Scope};
use crate::markup::{plain, skeleton};
use crate::segment::{normal_form, utf16_len};

/// A translation is at most this long: four times the longest segment, so that
/// it fits a frame however it is escaped.
const MAX_UTF16: usize = 32_000;

/// What is corrected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The whole text, in its normal form.
    pub source: String,
    /// Whether both texts are marked; where not, `<` is a `<`.
    pub marked: bool,
    /// Where it is in force.
    pub scope: Scope,
}

/// A text and what the reader wants to read instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Of what.
    pub place: Place,
    /// What is shown, to the letter.
    pub translation: String,
}

impl Correction {
    /// Returns a correction that can be shown wherever its text stands.
    ///
    /// # Errors
    /// What is wrong, and what was expected.
    pub fn new(
        source: &str,
        translation: String,
        marked: bool,
        scope: Scope,
    ) -> Result<Self, String> {
        let source = normal_form(source);
        if source.is_empty() {
            return Err("source is missing; expected the whole text".to_owned());
        }
        if plain(&translation, marked).trim().is_empty() {
            return Err("translation is missing; expected the words to show".to_owned());
        }
        if utf16_len(&translation) > MAX_UTF16 {
            return Err(format!("translation is longer than {MAX_UTF16} characters"));
        }
        if marked {
            let tags = skeleton(&source).ok_or(
                "the tags of source do not fit; expected pairs such as <1>…</1> and <2/>, and \
                 &lt; and &amp; for other signs",
            )?;
            if skeleton(&translation) != Some(tags) {
                return Err("the tags of translation are not those of source; expected each of \
                            them once, and &lt; and &amp; for other signs"
                    .to_owned());
            }
        }
        Ok(Self { place: Place { source, marked, scope }, translation })
    }
}

/// Corrections, ready to be looked for.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    all: Vec<Correction>,
    by_source: HashMap<String, Vec<usize>>,
}

impl Corrections {
    pub fn new(all: Vec<Correction>) -> Self {
        let mut by_source: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, one) in all.iter().enumerate() {
            by_source.entry(one.place.source.clone()).or_default().push(at);
        }
        Self { all, by_source }
    }

    pub fn all(&self) -> &[Correction] {
        &self.all
    }

    /// The narrower scope wins, then the earlier entry.
    pub fn of(
        &self,
        normal: &str,
        marked: bool,
        pair: Pair<'_>,
        site: Option<&str>,
    ) -> Option<&Correction> {
        let here = self.by_source.get(normal)?.iter().map(|at| &self.all[*at]);
        here.filter(|one| one.place.marked == marked && one.place.scope.holds(pair, site)).reduce(
            |best, one| {
                let narrower = one.place.scope.narrowness() > best.place.scope.narrowness();
                if narrower { one } else { best }
            },
        )
    }
}
