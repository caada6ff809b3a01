//! Looking through all entries, without holding more than what is wanted.

use std::collections::BinaryHeap;

use super::View;
use crate::exchange::Record;
use crate::segment::{Key, normal_form};

/// What a look through the file brought.
#[derive(Debug, Default)]
pub struct Search {
    /// Of those that fit, as many as were wanted, the last used first.
    pub keys: Vec<Key>,
    /// How many fit.
    pub all: usize,
    /// How many entries cannot be read.
    pub unreadable: u64,
}

impl View {
    /// Returns the entries that fit, at most `limit` of them. Only keys are
    /// kept: there may be millions.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn search(
        &self,
        limit: Option<usize>,
        fits: impl Fn(&Record) -> bool,
    ) -> Result<Search, String> {
        let mut search = Search::default();
        let mut best = BinaryHeap::new();
        self.each(|row| {
            match row.record {
                Ok(record) if fits(&record) => {
                    search.all += 1;
                    best.push((-record.used_day, -record.created_day, record.key));
                    if limit.is_some_and(|limit| best.len() > limit) {
                        best.pop();
                    }
                }
                Ok(_) => {}
                Err(_) => search.unreadable += 1,
            }
            Ok::<(), String>(())
        })?;
        search.keys = best.into_sorted_vec().into_iter().map(|(.., key)| key).collect();
        Ok(search)
    }
}

/// Words that a text may contain, in capitals or not.
pub struct Words(String);

impl Words {
    /// Returns them in the form in which texts are remembered.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self(normal_form(words).to_lowercase())
    }

    /// Whether one of both texts contains them.
    #[must_use]
    pub fn are_in(&self, source: &str, translation: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.0);
        self.0.is_empty() || has(source) || has(translation)
    }
}
