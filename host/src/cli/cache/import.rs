//! `cache import`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Ended, Halt};
use crate::exchange::{self, Record, Told, import_engine};
use crate::paths::Paths;
use crate::segment::Key;
use crate::session::setup::Files;
use crate::store::{Added, Editor, View};

/// Entries in one write: few enough that hosts hardly wait, and enough that a
/// page of the file is not written for each of them.
const AT_ONCE: usize = 5000;

/// Text in one write, for the same reason.
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Import {
    /// Replace entries that are there, also by older ones
    #[arg(long)]
    replace: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// The file, JSON Lines or TMX; `-` or nothing is stdin
    file: Option<PathBuf>,
}

/// Where entries go.
enum Sink {
    Cache(Editor),
    /// They are only compared with what is there.
    Nowhere(Option<View>),
}

/// What is on its way, and what was done so far.
struct Course {
    sink: Sink,
    replace: bool,
    waiting: Vec<Record>,
    bytes: usize,
    added: Added,
    refused: u64,
    foreign: u64,
}

pub fn import(arguments: &Import, paths: &Paths, today: i64) -> Ended {
    let path = paths.cache();
    let (_, drafts) = exchange::read(source(arguments.file.as_deref())?)?;
    let sink = if arguments.dry_run {
        Sink::Nowhere(View::open(&path).map_err(String::from)?)
    } else {
        Sink::Cache(super::edit(&path)?)
    };
    let mut work = Course::new(sink, arguments.replace);
    let mut broken = None;
    for told in drafts {
        let done = match told {
            Ok(told) => work.take(told, today),
            Err(reason) => {
                broken = Some(reason);
                break;
            }
        };
        done.map_err(|sentence| work.stopped(&sentence))?;
    }
    work.flush().map_err(|sentence| work.stopped(&sentence))?;
    work.report(arguments.dry_run)?;
    if !arguments.dry_run {
        warn_of_limit(paths);
    }
    if let Some(reason) = broken {
        return Err(Halt::Fault(format!("the rest was not read: {reason}")));
    }
    Ok(u8::from(work.refused > 0))
}

fn source(file: Option<&Path>) -> Result<Box<dyn Read>, Halt> {
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => match File::open(file) {
            Ok(open) => Ok(Box::new(open)),
            Err(error) => Err(Halt::Fault(format!("{}: {error}", file.display()))),
        },
        None => Ok(Box::new(io::stdin().lock())),
    }
}

impl Course {
    fn new(sink: Sink, replace: bool) -> Self {
        Self {
            sink,
            replace,
            waiting: Vec::new(),
            bytes: 0,
            added: Added::default(),
            refused: 0,
            foreign: 0,
        }
    }

    /// Takes what one place of the file says.
    fn take(&mut self, told: Told, today: i64) -> Result<(), String> {
        let record =
            told.what.and_then(|draft| draft.record(today).map_err(|refused| refused.to_string()));
        match record {
            Ok(record) => {
                self.bytes += record.source.len() + record.translation.len();
                self.foreign += u64::from(record.engine == import_engine().to_string());
                self.waiting.push(record);
            }
            Err(reason) => {
                self.refused += 1;
                super::super::complain(&format!("line {}: {reason}", told.line));
            }
        }
        if self.waiting.len() >= AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        // Neighbours by key share a page of the file; of equal keys the order stays.
        self.waiting.sort_by_key(|record| record.key);
        let added = match &mut self.sink {
            Sink::Cache(editor) => editor.add(&self.waiting, self.replace)?,
            Sink::Nowhere(view) => compare(view.as_ref(), &self.waiting, self.replace)?,
        };
        self.added.new += added.new;
        self.added.replaced += added.replaced;
        self.added.kept += added.kept;
        self.waiting.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Says what was done before something stopped it.
    fn stopped(&self, sentence: &str) -> Halt {
        let stored = super::entries(self.added.new + self.added.replaced);
        Halt::Fault(format!("{sentence}; {stored} stored before it"))
    }

    fn report(&self, dry: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Added { new, replaced, kept } = self.added;
        let verb = if dry { "Would import" } else { "Imported" };
        writeln!(
            out,
            "{verb} {}: {new} new, {replaced} in the place of others; {kept} already there; \
             {} refused.",
            super::entries(new + replaced),
            self.refused
        )?;
        if self.foreign > 0 {
            writeln!(
                out,
                "{} of no engine: kept as of the engine `import`. They serve where entries of any \
                 engine may: `reuse = \"any\"` under `[cache]` in the settings.",
                super::entries(self.foreign)
            )?;
        }
        Ok(())
    }
}

/// Says what would become of records.
fn compare(view: Option<&View>, records: &[Record], replace: bool) -> Result<Added, String> {
    let keys: Vec<Key> = records.iter().map(|record| record.key).collect();
    let there = view.map(|view| view.find(&keys)).transpose()?.unwrap_or_default();
    let mut days: HashMap<Key, i64> =
        there.into_iter().map(|record| (record.key, record.created_day)).collect();
    let mut added = Added::default();
    for record in records {
        match days.get(&record.key) {
            Some(day) if !replace && *day >= record.created_day => {
                added.kept += 1;
                continue;
            }
            Some(_) => added.replaced += 1,
            None => added.new += 1,
        }
        days.insert(record.key, record.created_day);
    }
    Ok(added)
}

/// Says when there is more than the settings allow: it goes at the next start.
fn warn_of_limit(paths: &Paths) {
    let limit = Files::new(paths.clone()).load(None).settings.cache.max_bytes();
    let bytes = View::open(&paths.cache()).ok().flatten().map_or(0, |view| view.bytes());
    if bytes > limit {
        super::super::complain(&format!(
            "the cache takes {bytes} bytes and may take {limit}: what was not used for longest \
             goes when a browser starts; `cache.max_mb` in the settings allows more"
        ));
    }
}
