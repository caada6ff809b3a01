//! `webtranslator cache`: what is remembered, shown to its owner, forgotten,
//! taken along.
//!
//! Page text goes to stdout alone; what is told on stderr names entries by
//! their line or key.

mod choice;
mod clear;
mod correct;
mod export;
mod import;
mod list;
mod verify;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use jiff::Timestamp;

use crate::paths::Paths;
use crate::session::day_of;
use crate::store::{Editor, View};

/// Engines and pairs that `stats` names.
const MAX_COUNTS: usize = 20;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print how much is remembered, by engine and languages
    Stats,
    /// Print what is remembered, the last used first
    List(list::List),
    /// Show your own translation of a text, whatever the machines say
    Correct(correct::Correct),
    /// Forget one text, whatever engine translated it
    Forget(clear::Forget),
    /// Forget what fits all that is asked for
    Clear(clear::Clear),
    /// Write entries to a file: as JSON Lines, or as TMX for other programs
    Export(export::Export),
    /// Read entries from such a file, in either format
    Import(import::Import),
    /// Look for damage, without changing anything
    Verify,
    /// Keep a damaged file aside, and take over what can be read of it
    Mend,
    /// Write the file anew without gaps
    Compact,
}

/// Why a command stops.
pub(super) enum Halt {
    /// Whoever read the output has seen enough.
    Unread,
    /// A fault, in words.
    Fault(String),
}

impl From<String> for Halt {
    fn from(sentence: String) -> Self {
        Self::Fault(sentence)
    }
}

impl From<io::Error> for Halt {
    /// Of the output: what is read has words of its own.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Unread
        } else {
            Self::Fault(format!("the output cannot be written: {error}"))
        }
    }
}

/// What a command ends with: its exit code.
pub(super) type Ended = Result<u8, Halt>;

pub fn run(command: &Command, paths: &Paths) -> ExitCode {
    let path = &paths.cache();
    let today = day_of(Timestamp::now());
    let ended = match command {
        Command::Stats => stats(path),
        Command::List(arguments) => list::list(arguments, paths, today),
        Command::Correct(arguments) => correct::correct(arguments, paths),
        Command::Forget(arguments) => clear::forget(arguments, path),
        Command::Clear(arguments) => clear::clear(arguments, path, today),
        Command::Export(arguments) => export::export(arguments, path, today),
        Command::Import(arguments) => import::import(arguments, paths, today),
        Command::Verify => verify::verify(path),
        Command::Mend => mend(path),
        Command::Compact => compact(path),
    };
    end(ended)
}

/// Ends a command that looks at the file.
pub(super) fn end(ended: Ended) -> ExitCode {
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(Halt::Unread) => ExitCode::SUCCESS,
        Err(Halt::Fault(sentence)) => super::fault(&sentence),
    }
}

fn stats(path: &Path) -> Ended {
    let Some(view) = view(path)? else { return Ok(0) };
    let counts = view.counts()?;
    let entries: u64 = counts.iter().map(|(.., count)| count).sum();
    let mut out = io::stdout().lock();
    writeln!(out, "file     {}\nentries  {entries}\nbytes    {}", path.display(), view.bytes())?;
    if entries > 0 {
        writeln!(out, "\n   entries  languages     engine")?;
    }
    for (engine, source, target, count) in counts.iter().take(MAX_COUNTS) {
        let pair = visible(&format!("{source}>{target}"));
        writeln!(out, "{count:>10}  {pair:<12}  {}", visible(engine))?;
    }
    if counts.len() > MAX_COUNTS {
        writeln!(out, "and {} more", counts.len() - MAX_COUNTS)?;
    }
    Ok(0)
}

fn mend(path: &Path) -> Ended {
    let news = Editor::mend(path)?;
    let mut out = io::stdout().lock();
    if news.is_empty() {
        writeln!(out, "There is no damage.")?;
    }
    news.iter().try_for_each(|news| writeln!(out, "{news}"))?;
    Ok(0)
}

fn compact(path: &Path) -> Ended {
    if view(path)?.is_none() {
        return Ok(0);
    }
    let mut editor = edit(path)?;
    let done = editor.compact().map_err(|sentence| format!("{sentence}; nothing was changed"))?;
    let mut out = io::stdout().lock();
    writeln!(out, "before   {} bytes\nafter    {} bytes", done.before, done.after)?;
    if done.journal_is_read {
        let why = "A browser is reading just now: the journal beside the file keeps its length \
                   until it is done.";
        writeln!(out, "{why}")?;
    }
    Ok(0)
}

/// Opens the file to look at it; says so where there is none.
pub(super) fn view(path: &Path) -> Result<Option<View>, Halt> {
    let view = View::open(path).map_err(String::from)?;
    if view.is_none() {
        let path = path.display();
        writeln!(io::stdout(), "Nothing is remembered yet: {path} is not there or is empty.")?;
    }
    Ok(view)
}

/// Opens the file to change it.
fn edit(path: &Path) -> Result<Editor, Halt> {
    let mut editor = Editor::open(path)?;
    for news in editor.take_news() {
        super::complain(&news);
    }
    Ok(editor)
}

/// Returns a text as a terminal may show it: what would move the cursor, colour
/// or reorder the line stands as its number.
pub(super) fn visible(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if steers(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
        out
    })
}

/// Says a number with its noun: "1 entry", "2 entries".
fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
