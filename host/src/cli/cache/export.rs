//! `cache export`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::choice::Choice;
use super::{Ended, Halt};
use crate::exchange::{self, Format};
use crate::language;
use crate::paths::private_file;
use crate::store::View;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Jsonl,
    Tmx,
}

#[derive(Debug, Args)]
pub struct Export {
    /// The format; absent: TMX for a file that ends in .tmx, else JSON Lines
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,
    #[command(flatten)]
    choice: Choice,
    /// In TMX, say that texts whose language was detected are in this language
    #[arg(long, value_name = "LANG", value_parser = tag)]
    detected_as: Option<String>,
    /// The file; `-` or nothing is stdout
    file: Option<PathBuf>,
}

fn tag(text: &str) -> Result<String, String> {
    language::normal(text).ok_or_else(|| "expected a language such as \"en\"".to_owned())
}

/// What came of it.
#[derive(Default)]
struct Outcome {
    written: u64,
    left_out: u64,
}

pub fn export(arguments: &Export, path: &Path, today: i64) -> Ended {
    let view = View::open(path).map_err(String::from)?;
    let file = arguments.file.as_deref().filter(|file| file.as_os_str() != "-");
    let by_name = |file: &Path| file.extension().is_some_and(|end| end.eq_ignore_ascii_case("tmx"));
    let format = match arguments.format {
        Some(FormatName::Tmx) => Format::Tmx,
        None if file.is_some_and(by_name) => Format::Tmx,
        Some(FormatName::Jsonl) | None => Format::JsonLines,
    };
    let work = |out: &mut dyn Write| write(view.as_ref(), arguments, format, out, today);
    let outcome = match file {
        None => work(&mut io::stdout().lock())?,
        Some(file) => as_a_whole(file, work)?,
    };
    if let Some(file) = file {
        let entries = super::entries(outcome.written);
        writeln!(io::stdout(), "Wrote {entries} to {}.", file.display())?;
    }
    if outcome.left_out == 0 {
        return Ok(0);
    }
    super::super::complain(&format!(
        "{} left out, since something is wrong with them: see `webtranslator cache verify`",
        super::entries(outcome.left_out)
    ));
    Ok(1)
}

fn write(
    view: Option<&View>,
    arguments: &Export,
    format: Format,
    out: &mut dyn Write,
    today: i64,
) -> Result<Outcome, Halt> {
    let out = BufWriter::with_capacity(64 * 1024, out);
    let mut export = exchange::Export::new(out, format, arguments.detected_as.clone())?;
    let mut outcome = Outcome::default();
    if let Some(view) = view {
        view.each(|row| {
            let Ok(record) = row.record else {
                outcome.left_out += 1;
                return Ok(());
            };
            if !arguments.choice.fits(&record, today) {
                return Ok(());
            }
            match record.check() {
                Ok(form) => {
                    export.write(&record, form)?;
                    outcome.written += 1;
                }
                Err(_) => outcome.left_out += 1,
            }
            Ok::<(), Halt>(())
        })?;
    }
    export.finish()?;
    Ok(outcome)
}

/// Writes a file that is the reader's alone, whole or not at all. What is there
/// and is no file, such as a pipe, is written to as it is.
fn as_a_whole(
    file: &Path,
    work: impl FnOnce(&mut dyn Write) -> Result<Outcome, Halt>,
) -> Result<Outcome, Halt> {
    let words = |error: io::Error| Halt::Fault(format!("{}: {error}", file.display()));
    if fs::metadata(file).is_ok_and(|meta| !meta.is_file()) {
        let mut out = File::options().write(true).open(file).map_err(words)?;
        return work(&mut out);
    }
    // Where it leads to, so that a link stays one.
    let to = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let temporary = to.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = private_file(&temporary, true).map_err(words).and_then(|mut out| {
        let outcome = work(&mut out)?;
        out.sync_all().and_then(|()| fs::rename(&temporary, &to)).map_err(words)?;
        Ok(outcome)
    });
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&temporary);
    }
    written
}
