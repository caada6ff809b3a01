//! Does what a plan says, and undoes it: the only writer of registrations.
//!
//! Each file by itself: the fault of one does not stop the others. A file is
//! written beside its place and renamed, so that a browser reads the old or
//! the new one, never half of either.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::MANIFEST_FILE;
use super::browsers::{BROWSERS, Family};
use super::environment::{Disk, Environment, Look};
use super::manifest;
use super::plan::{Action, Ours, Plan, Registration};
use crate::paths::write_whole;

/// What became of one manifest file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stands there now.
    Written,
    /// It stood there already.
    Kept,
    /// It was ours and is gone.
    Removed,
    /// It is ours and would be removed.
    Removable,
    /// It is not ours; the clause says what it is.
    Left(String),
    /// It could not be done; the clause says why.
    Failed(String),
}

/// One line of the table of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The names of the browsers that read it.
    pub browsers: Vec<&'static str>,
    /// The file.
    pub file: PathBuf,
    /// What became of it.
    pub outcome: Outcome,
}

/// Carries out a plan.
#[must_use]
pub fn apply(plan: &Plan) -> Vec<Done> {
    plan.registrations.iter().map(apply_one).collect()
}

fn apply_one(registration: &Registration) -> Done {
    let outcome = match &registration.action {
        Action::Keep => Outcome::Kept,
        Action::Leave(why) => Outcome::Left(why.clone()),
        Action::Create | Action::Update => {
            match write(&registration.file, registration.content.as_bytes()) {
                Ok(()) => Outcome::Written,
                Err(error) => Outcome::Failed(explain(&registration.file, &error)),
            }
        }
    };
    Done { browsers: registration.browsers.clone(), file: registration.file.clone(), outcome }
}

fn explain(file: &Path, error: &io::Error) -> String {
    let dir = file.parent().unwrap_or(file).display();
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("no right to write in {dir}; if root made it: sudo chown -R \"$USER\" '{dir}'")
        }
        io::ErrorKind::ReadOnlyFilesystem => format!("{dir} is on a read-only disk"),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            format!(
                "{dir} is no folder and cannot become one: a link that leads nowhere, or a file"
            )
        }
        _ => error.to_string(),
    }
}

/// Writes a file with mode 0644 as a whole or not at all, and the folders
/// above it with mode 0700, as browsers make theirs.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    make_dirs(file.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
    write_whole(file, bytes, 0o644)
}

fn make_dirs(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Removes every registration of ours from every folder of the table, found
/// or not, and from `dirs`. With `dry_run` it says what it would remove.
#[must_use]
pub fn undo(
    environment: Option<&Environment>,
    host: &Path,
    dirs: &[(PathBuf, Family)],
    dry_run: bool,
) -> Vec<Done> {
    let ours = Ours { place: environment.map(Environment::place), host: host.to_owned() };
    let mut done: Vec<Done> = Vec::new();
    for (names, family, file) in files(environment, dirs) {
        if let Some(before) = done.iter_mut().find(|done| done.file == file) {
            before.browsers.extend(names);
        } else if let Some(outcome) = undo_one(&ours, family, &file, dry_run) {
            if outcome == Outcome::Removed {
                remove_empty(&file, environment);
            }
            done.push(Done { browsers: names, file, outcome });
        }
    }
    done
}

fn files(
    environment: Option<&Environment>,
    dirs: &[(PathBuf, Family)],
) -> Vec<(Vec<&'static str>, Family, PathBuf)> {
    let named = dirs.iter().map(|(dir, family)| (Vec::new(), *family, dir.join(MANIFEST_FILE)));
    if !dirs.is_empty() {
        return named.collect();
    }
    let Some(environment) = environment else { return Vec::new() };
    let of = |browser: &'static super::Browser| {
        browser.linux.hosts.iter().map(move |place| {
            (vec![browser.name], browser.family, place.path(environment).join(MANIFEST_FILE))
        })
    };
    BROWSERS.iter().flat_map(of).collect()
}

/// Returns what became of a file, or `None` when nothing is there.
fn undo_one(ours: &Ours, family: Family, file: &Path, dry_run: bool) -> Option<Outcome> {
    let bytes = match Disk.read(file) {
        Ok(bytes) => bytes?,
        Err(error) => return Some(Outcome::Failed(format!("it cannot be read ({error})"))),
    };
    Some(match manifest::read(family, &bytes) {
        Ok(found) if ours.wrote(&found) => {
            if dry_run {
                Outcome::Removable
            } else if fs::remove_file(file).is_ok() {
                Outcome::Removed
            } else {
                Outcome::Failed("no right to remove it".to_owned())
            }
        }
        Ok(found) => Outcome::Left(format!("it belongs to {}", found.path.display())),
        Err(fault) => Outcome::Left(format!("it is no registration of ours ({fault})")),
    })
}

/// Removes the folders above a file that are empty: an empty folder holds
/// nothing of anybody's. Ends at the reader's own folders.
fn remove_empty(file: &Path, environment: Option<&Environment>) {
    let Some(environment) = environment else { return };
    let keep = [&environment.home, &environment.config, &environment.data];
    for dir in file.ancestors().skip(1) {
        let below =
            keep.iter().any(|root| dir.starts_with(root)) && !keep.contains(&&dir.to_owned());
        if !below || fs::remove_dir(dir).is_err() {
            return;
        }
    }
}

/// Returns the table of results.
#[must_use]
pub fn render(done: &[Done]) -> String {
    let mut text = String::new();
    for line in done {
        let whom = if line.browsers.is_empty() {
            String::new()
        } else {
            format!("{}: ", line.browsers.join(", "))
        };
        let file = line.file.display();
        let _ = match &line.outcome {
            Outcome::Written => writeln!(text, "registered  {whom}{file}"),
            Outcome::Kept => writeln!(text, "unchanged   {whom}{file}"),
            Outcome::Removed => writeln!(text, "removed     {whom}{file}"),
            Outcome::Removable => writeln!(text, "remove      {whom}{file}"),
            Outcome::Left(why) => writeln!(text, "left        {whom}{file}\n            {why}"),
            Outcome::Failed(why) => writeln!(text, "FAILED      {whom}{file}\n            {why}"),
        };
    }
    text
}

/// Returns the exit code of an install: 0 when everything stands, 1 when
/// nothing could be done, 3 when a part was.
#[must_use]
pub fn exit_code(done: &[Done]) -> u8 {
    let bad = |done: &&Done| matches!(done.outcome, Outcome::Left(_) | Outcome::Failed(_));
    match done.iter().filter(bad).count() {
        0 => 0,
        all if all == done.len() => 1,
        _ => 3,
    }
}

/// Returns the exit code of an uninstall: what is not ours is no failure.
#[must_use]
pub fn undo_exit_code(done: &[Done]) -> u8 {
    let failed = |done: &Done| matches!(done.outcome, Outcome::Failed(_));
    if done.iter().any(failed) { 3 } else { 0 }
}

#[cfg(test)]
mod tests;
