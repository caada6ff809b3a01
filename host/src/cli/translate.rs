//! `webtranslator translate`: the browser's engine over plain text.
//!
//! Each line is a segment; blank lines and white space at the edges stay. A
//! line that failed is printed as it was, told on stderr, and makes the exit
//! code 1.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::markup::{self, Cuts};
use crate::paths::Paths;
use crate::protocol::{self, MAX_SEGMENT_UTF16, Page, Reply, Request, Segment, Translate};
use crate::session;

use super::conversation::converse;

/// The stream's number; there is only one.
const ID: protocol::Id = 1;

/// Segments in one message: far below what a frame may hold.
const PART: usize = 128;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Translate to this language (BCP 47); the settings' target if absent
    #[arg(long = "to", value_name = "LANG")]
    target: Option<String>,
    /// The text's language (BCP 47); detected if absent
    #[arg(long = "from", value_name = "LANG")]
    source: Option<String>,
    /// Ask only this provider, by its name in the settings
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The file; `-` or nothing is stdin
    file: Option<PathBuf>,
}

/// One line of the input: its edges, and what is translated of it.
struct Line {
    before: String,
    cuts: Cuts,
    after: String,
    first: usize,
}

pub fn translate(arguments: &Arguments, paths: Paths) -> ExitCode {
    let text = match read(arguments.file.as_deref()) {
        Ok(text) => text,
        Err(message) => return super::fault(&message),
    };
    let (lines, parts) = lines_of(&text);
    let settings = session::setup::Files::new(paths.clone()).load(None).settings;
    let target = arguments.target.clone().unwrap_or(settings.target);
    let source = arguments.source.clone().or(settings.source);
    let messages = messages(&target, source.as_deref(), arguments.provider.as_deref(), &parts);
    match ask(paths, messages) {
        Ok((translations, problems)) => report(&lines, &parts, &translations, &problems),
        Err(message) => super::fault(&message),
    }
}

fn read(file: Option<&std::path::Path>) -> Result<String, String> {
    let mut bytes = Vec::new();
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => {
            bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        None => {
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        }
    }
    String::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())
}

/// Splits the text into lines and their parts; a long line has several.
fn lines_of(text: &str) -> (Vec<Line>, Vec<String>) {
    let mut parts = Vec::new();
    let lines = text
        .split_inclusive('\n')
        .map(|line| {
            let inner = line.trim();
            let start = line.len() - line.trim_start().len();
            let cuts = markup::cut(inner, false, MAX_SEGMENT_UTF16);
            let first = parts.len();
            parts.extend(cuts.parts.iter().cloned());
            Line {
                before: line[..start].to_owned(),
                cuts,
                after: line[start + inner.len()..].to_owned(),
                first,
            }
        })
        .collect();
    (lines, parts)
}

fn messages(
    target: &str,
    source: Option<&str>,
    provider: Option<&str>,
    parts: &[String],
) -> Vec<Request> {
    let segments: Vec<Segment> = (0_u32..)
        .zip(parts)
        .map(|(i, text)| Segment { i, text: text.clone(), tags: None, rank: 0, kind: None })
        .collect();
    let count = segments.chunks(PART).len();
    let part = |(at, segments): (usize, &[Segment])| {
        Request::Translate(Translate {
            id: ID,
            target: target.to_owned(),
            source: source.map(str::to_owned),
            segments: segments.to_vec(),
            page: Some(Page { origin: "cli".to_owned(), title: String::new(), lang: None }),
            more: at + 1 < count,
            fresh: false,
            retry: true,
            private: false,
            provider: provider.map(str::to_owned),
        })
    };
    segments.chunks(PART).enumerate().map(part).collect()
}

type Translations = BTreeMap<u32, String>;

/// Returns what a session answers.
fn ask(paths: Paths, messages: Vec<Request>) -> Result<(Translations, Vec<String>), String> {
    if messages.is_empty() {
        return Ok((Translations::new(), Vec::new()));
    }
    let (mut translations, mut problems) = (Translations::new(), Vec::new());
    converse(paths, messages, |reply| {
        match reply {
            Reply::Translated { segments, .. } => {
                translations.extend(segments.into_iter().map(|s| (s.i, s.text)));
            }
            Reply::Failed { message, .. } if !problems.contains(&message) => {
                problems.push(message);
            }
            Reply::Notice { message, .. } => {
                super::complain(&message);
            }
            Reply::Done(_) => {
                return Some(Ok((
                    std::mem::take(&mut translations),
                    std::mem::take(&mut problems),
                )));
            }
            Reply::Error { message, .. } => return Some(Err(message)),
            _ => {}
        }
        None
    })
}

fn report(
    lines: &[Line],
    parts: &[String],
    translations: &Translations,
    problems: &[String],
) -> ExitCode {
    let part = |at: usize| {
        let known = u32::try_from(at).ok().and_then(|i| translations.get(&i));
        known.unwrap_or(&parts[at])
    };
    let mut out = std::io::stdout().lock();
    let mut print = |line: &Line| {
        let done: Vec<&String> = (0..line.cuts.parts.len()).map(|p| part(line.first + p)).collect();
        let text = line.cuts.join(&done).unwrap_or_default();
        write!(out, "{}{text}{}", line.before, line.after)
    };
    match lines.iter().try_for_each(&mut print).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(error) => return super::fault(&format!("the output cannot be written: {error}")),
        Ok(()) => {}
    }
    let failed = parts.len() - translations.len();
    if failed == 0 {
        return ExitCode::SUCCESS;
    }
    for problem in problems {
        super::complain(problem);
    }
    super::fault(&format!("{failed} of {} segments were not translated", parts.len()))
}
