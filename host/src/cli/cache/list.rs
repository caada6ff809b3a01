//! `cache list`.

use std::io::{self, BufWriter, Write};

use clap::Args;

use super::choice::Choice;
use super::correct::where_of;
use super::{Ended, Halt, visible};
use crate::dictionary::{Correction, Dictionary};
use crate::exchange::{self, Record, date_of};
use crate::paths::Paths;
use crate::segment::Key;
use crate::session::find::is_corrected;
use crate::session::setup::Files;
use crate::store::{Search, View, Words};

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
    /// Print the machines' entries as JSON Lines, as `export` does
    #[arg(long)]
    json: bool,
}

pub fn list(arguments: &List, paths: &Paths, today: i64) -> Ended {
    let (dictionary, problems) = Files::new(paths.clone()).dictionary();
    for problem in &problems {
        super::super::complain(problem);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if !arguments.json {
        corrections(&mut out, &dictionary, arguments)?;
    }
    let Some(view) = View::open(&paths.cache()).map_err(String::from)? else {
        out.flush()?;
        drop(out);
        return if arguments.json { Ok(0) } else { super::view(&paths.cache()).map(|_| 0) };
    };
    let found = find(&view, arguments, today)?;
    each(&view, &found.keys, |record| {
        let corrected = is_corrected(&record, record.form().marked, &dictionary);
        if arguments.json {
            exchange::write_line(&mut out, &record, corrected)
        } else {
            print(&mut out, &record, corrected)
        }
    })?;
    out.flush()?;
    if found.keys.len() < found.all {
        let more = found.all - found.keys.len();
        super::super::complain(&format!("{more} more; --limit 0 prints all"));
    }
    if found.unreadable > 0 {
        let entries = super::entries(found.unreadable);
        super::super::complain(&format!(
            "{entries} cannot be read: see `webtranslator cache verify`"
        ));
    }
    Ok(0)
}

/// Prints the reader's own translations, all that fit.
fn corrections(out: &mut impl Write, dictionary: &Dictionary, arguments: &List) -> io::Result<()> {
    let words = Words::new(arguments.grep.as_deref().unwrap_or_default());
    for Correction { place, translation } in dictionary.corrections() {
        if arguments.choice.meets(&place.scope) && words.are_in(&place.source, translation) {
            writeln!(out, "correction  {}", where_of(&place.scope))?;
            writeln!(out, "    {}\n    {}\n", visible(&place.source), visible(translation))?;
        }
    }
    Ok(())
}

/// Returns what is asked for, the last used first.
fn find(view: &View, arguments: &List, today: i64) -> Result<Search, Halt> {
    let words = Words::new(arguments.grep.as_deref().unwrap_or_default());
    let limit = (arguments.limit > 0).then_some(arguments.limit);
    let found = view.search(limit, |record| {
        arguments.choice.fits(record, today) && words.are_in(&record.source, &record.translation)
    })?;
    Ok(found)
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

fn print(out: &mut impl Write, record: &Record, corrected: bool) -> io::Result<()> {
    let used = date_of(record.used_day).map(|date| date.to_string()).unwrap_or_default();
    let pair = visible(&format!("{}>{}", record.source_language, record.target_language));
    let site = visible(record.site.as_deref().unwrap_or("any site"));
    let mark = if corrected { "  corrected" } else { "" };
    writeln!(out, "{used}  {pair}  {}  {site}{mark}", visible(&record.engine))?;
    writeln!(out, "    {}\n    {}\n", visible(&record.source), visible(&record.translation))
}
