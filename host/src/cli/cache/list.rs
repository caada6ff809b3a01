//! `cache list`.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::Args;

use super::choice::Choice;
use super::{Ended, Halt, visible};
use crate::exchange::{self, Format, Record, date_of};
use crate::segment::{Key, normal_form};
use crate::store::View;

/// Entries that are fetched at once.
const FETCHED: usize = 500;

#[derive(Debug, Args)]
pub struct List {
    /// Only with these words in the text or its translation, in capitals or not
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    #[command(flatten)]
    choice: Choice,
    /// Print at most so many; 0 is all
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: usize,
    /// Print JSON Lines, as `export` does
    #[arg(long)]
    json: bool,
}

pub fn list(arguments: &List, path: &Path, today: i64) -> Ended {
    let view = match View::open(path).map_err(String::from)? {
        Some(view) => view,
        None if arguments.json => return Ok(0),
        None => return super::view(path).map(|_| 0),
    };
    let (mut found, unreadable) = find(&view, arguments, today)?;
    let all = found.len();
    if arguments.limit > 0 {
        found.truncate(arguments.limit);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let mut export = exchange::Export::new(out, Format::JsonLines, None)?;
        each(&view, &found, |record| export.write(&record, record.form()))?;
        export.finish()?;
    } else {
        each(&view, &found, |record| print(&mut out, &record))?;
        out.flush()?;
    }
    if found.len() < all {
        let more = all - found.len();
        super::super::complain(&format!("{more} more; --limit 0 prints all"));
    }
    if unreadable > 0 {
        let entries = super::entries(unreadable);
        super::super::complain(&format!(
            "{entries} cannot be read: see `webtranslator cache verify`"
        ));
    }
    Ok(0)
}

/// Returns the keys of what is asked for, the last used first, and how many
/// entries cannot be read. Only the keys are kept: there may be millions.
fn find(view: &View, arguments: &List, today: i64) -> Result<(Vec<Key>, u64), Halt> {
    let words = arguments.grep.as_ref().map(|words| normal_form(words).to_lowercase());
    let has_words = |record: &Record| {
        words.as_ref().is_none_or(|words| {
            record.source.to_lowercase().contains(words)
                || record.translation.to_lowercase().contains(words)
        })
    };
    let mut found = Vec::new();
    let mut unreadable = 0;
    view.each(|row| {
        match row.record {
            Ok(record) if arguments.choice.fits(&record, today) && has_words(&record) => {
                found.push((-record.used_day, -record.created_day, record.key));
            }
            Ok(_) => {}
            Err(_) => unreadable += 1,
        }
        Ok::<(), Halt>(())
    })?;
    found.sort_unstable();
    Ok((found.into_iter().map(|(.., key)| key).collect(), unreadable))
}

fn each(
    view: &View,
    keys: &[Key],
    mut take: impl FnMut(Record) -> io::Result<()>,
) -> Result<(), Halt> {
    for keys in keys.chunks(FETCHED) {
        for record in view.find(keys)? {
            take(record)?;
        }
    }
    Ok(())
}

fn print(out: &mut impl Write, record: &Record) -> io::Result<()> {
    let used = date_of(record.used_day).map(|date| date.to_string()).unwrap_or_default();
    let pair = format!("{}>{}", record.source_language, record.target_language);
    let site = record.site.as_deref().unwrap_or("any site");
    writeln!(out, "{used}  {}  {}  {}", visible(&pair), visible(&record.engine), visible(site))?;
    writeln!(out, "    {}\n    {}\n", visible(&record.source), visible(&record.translation))
}
