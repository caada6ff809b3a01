//! What a file says about an entry, and whether it is believed.

use super::{Fault, Record};
use crate::protocol::MAX_SEGMENT_UTF16;
use crate::segment::{Engine, Key, KeyParts, NoEngine, normal_form, utf16_len};

/// An entry as a file has it. What is absent is made: a key from the rest, the
/// engine `import`, the day of the import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Its key in another cache.
    pub key: Option<Key>,
    /// Whether source and translation are in marked form.
    pub marked: Option<bool>,
    /// Whether the key is said to have parts that are not in the file.
    pub terms: bool,
    /// The source.
    pub source: String,
    /// The translation.
    pub translation: String,
    /// The source language.
    pub source_language: String,
    /// The target language.
    pub target_language: String,
    /// The engine; none for what another program wrote.
    pub engine: Option<String>,
    /// The site.
    pub site: Option<String>,
    /// When it was translated, in days since 1970.
    pub created_day: Option<i64>,
    /// When it was last used.
    pub used_day: Option<i64>,
}

/// Why a draft is no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A key was made from something else, or the text was changed after it.
    #[error("its key does not fit its text, languages, engine and site")]
    Key,
    /// Nobody can say what this key is for.
    #[error("it has a key but no engine")]
    KeyAlone,
    /// A key is wanted, and cannot be made.
    #[error("its engine is {0}")]
    Engine(#[from] NoEngine),
    /// No segment is as long.
    #[error("its source is longer than {MAX_SEGMENT_UTF16} characters, and no segment is")]
    Long,
    /// It is no entry that may serve.
    #[error("{0}")]
    Fault(#[from] Fault),
}

/// Returns the engine of what another program wrote, in canonical form.
#[must_use]
pub fn import_engine() -> Engine {
    Engine { kind: "import".to_owned(), ..Engine::default() }
}

impl Draft {
    /// Returns the entry, if it is believed on this day. A day that is still to
    /// come is taken as today: it would keep the entry from ever being replaced.
    ///
    /// # Errors
    /// Why it is not believed.
    pub fn record(self, today: i64) -> Result<Record, Refused> {
        let (marked, terms, stated) = (self.marked, self.terms, self.key);
        let engine = match self.engine {
            Some(engine) => engine,
            None if stated.is_some() => return Err(Refused::KeyAlone),
            None => import_engine().to_string(),
        };
        let created = self.created_day.unwrap_or(today);
        let mut record = Record {
            key: stated.unwrap_or(Key([0; 16])),
            source: self.source,
            translation: self.translation,
            source_language: self.source_language,
            target_language: self.target_language,
            engine,
            site: self.site,
            created_day: created.min(today),
            used_day: self.used_day.unwrap_or(created).min(today),
        };
        if stated.is_some() {
            believe(&record, marked, terms)?;
        } else {
            record.source = normal_form(&record.source);
            // The spaces at the edges are the page's.
            record.translation = record.translation.trim().to_owned();
            if utf16_len(&record.source) > MAX_SEGMENT_UTF16 {
                return Err(Refused::Long);
            }
            record.key = Key::of(&KeyParts {
                normal: &record.source,
                source: &record.source_language,
                target: &record.target_language,
                engine: &record.engine.parse()?,
                marked: marked.unwrap_or(false),
                terms: &[],
                site: record.site.as_deref(),
            });
        }
        record.check()?;
        Ok(record)
    }
}

/// Compares a stated key with what it is said to be for.
fn believe(record: &Record, marked: Option<bool>, terms: bool) -> Result<(), Refused> {
    let form = record.form();
    if form.terms {
        if !terms {
            return Err(Refused::Key);
        }
        // What looked marked when it was written had the tags of its source.
        return if marked == Some(true) && !form.marked {
            Err(Refused::Fault(Fault::Tags))
        } else {
            Ok(())
        };
    }
    if marked.is_some_and(|marked| marked != form.marked) { Err(Refused::Key) } else { Ok(()) }
}
