//! `cache forget` and `cache clear`.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;

use super::choice::Choice;
use super::{Ended, Halt};
use crate::dictionary::is_kind_of;
use crate::exchange::Record;
use crate::markup::{plain, skeleton};
use crate::segment::normal_form;
use crate::store::{Row, View};

/// Entries that are forgotten at once: hosts wait for it.
const AT_ONCE: usize = 2000;

#[derive(Debug, Args)]
pub struct Forget {
    /// The text as the page shows it, or as `cache list` prints it
    text: String,
    /// Only its translations to this language
    #[arg(long, value_name = "LANG")]
    target: Option<String>,
}

#[derive(Debug, Args)]
pub struct Clear {
    #[command(flatten)]
    choice: Choice,
    /// Forget everything
    #[arg(long)]
    all: bool,
}

pub fn forget(arguments: &Forget, path: &Path) -> Ended {
    let text = normal_form(&arguments.text);
    if text.is_empty() {
        return Err(Halt::Fault("there is no text to forget".to_owned()));
    }
    let target = arguments.target.as_deref();
    let Some(view) = super::view(path)? else { return Ok(0) };
    let mut editor = super::edit(path)?;
    let fits = |row: &Row| {
        row.record.as_ref().is_ok_and(|record| {
            is_of(record, &text)
                && target.is_none_or(|tag| is_kind_of(&record.target_language, tag))
        })
    };
    let rows = view.of_text(&text)?.into_iter().filter(fits);
    let keys: Vec<Vec<u8>> = rows.map(|row| row.key).collect();
    let mut forgotten = 0;
    for keys in keys.chunks(AT_ONCE) {
        forgotten += editor.remove(keys)?;
    }
    if forgotten > 0 {
        editor.shrink();
    }
    if forgotten == 0 {
        writeln!(io::stdout(), "Nothing is remembered for this text.")?;
    } else {
        writeln!(io::stdout(), "Forgot {}.", super::entries(forgotten))?;
    }
    Ok(0)
}

/// Whether an entry is of this text, with its tags or without.
fn is_of(record: &Record, text: &str) -> bool {
    let is_marked = || skeleton(&record.source).is_some_and(|tags| !tags.is_empty());
    record.source == text || (is_marked() && plain(&record.source, true) == text)
}

pub fn clear(arguments: &Clear, path: &Path, today: i64) -> Ended {
    let choice = &arguments.choice;
    if arguments.all != choice.is_all() {
        let sentence = if arguments.all {
            "--all forgets everything, and cannot be joined with a choice"
        } else {
            "this would forget everything: say --all, or choose with --site, --pair, --target, \
             --engine, --kind or --unused-days"
        };
        return Err(Halt::Fault(sentence.to_owned()));
    }
    let Some(view) = super::view(path)? else { return Ok(0) };
    let forgotten = remove(&view, path, |row| {
        // What cannot be read fits no choice, but goes with all.
        row.record.as_ref().map_or(arguments.all, |record| choice.fits(record, today))
    })?;
    writeln!(io::stdout(), "Forgot {}.", super::entries(forgotten))?;
    Ok(0)
}

/// Forgets the rows that fit, and returns how many those were.
fn remove(view: &View, path: &Path, fits: impl Fn(&Row) -> bool) -> Result<u64, Halt> {
    let mut editor = super::edit(path)?;
    let mut forgotten = 0;
    let mut keys = Vec::new();
    view.each(|row| {
        if fits(&row) {
            keys.push(row.key);
        }
        if keys.len() >= AT_ONCE {
            forgotten += editor.remove(&keys)?;
            keys.clear();
        }
        Ok::<(), Halt>(())
    })?;
    if !keys.is_empty() {
        forgotten += editor.remove(&keys)?;
    }
    if forgotten > 0 {
        editor.shrink();
    }
    Ok(forgotten)
}
