//! Says what is wrong, each thing with one sentence and one command.
//!
//! It reads every registration as its browser does, starts what it names and
//! says hello. What only others know (settings, keys, providers) comes in as
//! findings; what the started host says about its cache and its providers is
//! what a browser would get, so it is taken from there.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::MANIFEST_FILE;
use super::browsers::{BROWSERS, Browser, Family};
use super::environment::{Environment, Look};
use super::hello::Welcome;
use super::manifest::{self, Manifest};
use super::plan::{self, Options};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, though something should be known or done.
    Warning,
    /// It does not work.
    Error,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// What was looked at: a browser, a file, a provider.
    pub subject: String,
    /// What is so, in one sentence.
    pub sentence: String,
    /// What mends it, as typed.
    pub command: Option<String>,
}

impl Finding {
    /// Returns a finding that all is well.
    #[must_use]
    pub fn ok(subject: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Level::Ok, subject, sentence)
    }

    /// Returns a finding of something to know.
    #[must_use]
    pub fn warning(subject: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Level::Warning, subject, sentence)
    }

    /// Returns a finding of something that does not work.
    #[must_use]
    pub fn error(subject: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Level::Error, subject, sentence)
    }

    fn new(level: Level, subject: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { level, subject: subject.into(), sentence: sentence.into(), command: None }
    }

    /// Adds the command that mends it.
    #[must_use]
    pub fn mend(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}

/// Everything that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order in which it was looked at.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns the report as the reader sees it.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let word = match finding.level {
                Level::Ok => "ok     ",
                Level::Warning => "warning",
                Level::Error => "ERROR  ",
            };
            let _ = writeln!(text, "{word}  {}: {}", finding.subject, finding.sentence);
            if let Some(command) = &finding.command {
                let _ = writeln!(text, "         -> {command}");
            }
        }
        text
    }

    /// Returns 1 when anything does not work, else 0.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        u8::from(self.findings.iter().any(|finding| finding.level == Level::Error))
    }
}

/// Starts a registered program: family, manifest file, program. It is
/// [`super::hello::hello`] but in tests.
pub type Start<'a> = &'a dyn Fn(Family, &Path, &Path) -> Result<Welcome, String>;

/// A manifest folder to look at, and whom it serves.
struct Folder {
    subject: String,
    family: Family,
    file: PathBuf,
    /// Whether a browser that reads it was found.
    wanted: bool,
}

/// Looks at everything that has to do with browsers. `extra` are the findings
/// of those who know settings and keys; they come last.
#[must_use]
pub fn doctor(
    environment: &Environment,
    look: &dyn Look,
    start: Start<'_>,
    extra: Vec<Finding>,
) -> Report {
    let folders = folders(environment, look);
    let mut report = examine(&folders, look, start);
    if !folders.iter().any(|folder| folder.wanted) {
        report.findings.push(Finding::warning("browsers", super::NO_BROWSER.trim_end()));
    }
    for note in plan::notes(environment, look, &Options::default()) {
        report.findings.push(Finding::warning("sandbox", note));
    }
    report.findings.push(extension(environment, look));
    // The same thing is told once: by those who know it, unless the started
    // host sees it worse.
    report.findings.retain(|ours| {
        !extra.iter().any(|other| other.subject == ours.subject && other.level >= ours.level)
    });
    report.findings.extend(extra);
    report
}

/// Looks at one folder that the reader named.
#[must_use]
pub fn doctor_dir(dir: &Path, family: Family, look: &dyn Look, start: Start<'_>) -> Report {
    let file = dir.join(MANIFEST_FILE);
    let subject = dir.display().to_string();
    examine(&[Folder { subject, family, file, wanted: true }], look, start)
}

fn folders(environment: &Environment, look: &dyn Look) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for browser in BROWSERS {
        let wanted = browser.on_request.is_none() && environment.has(browser, look);
        for place in browser.linux.hosts {
            let file = place.path(environment).join(MANIFEST_FILE);
            add(&mut folders, browser, file, wanted);
        }
    }
    folders
}

fn add(folders: &mut Vec<Folder>, browser: &Browser, file: PathBuf, wanted: bool) {
    let Some(folder) = folders.iter_mut().find(|folder| folder.file == file) else {
        let subject = browser.name.to_owned();
        folders.push(Folder { subject, family: browser.family, file, wanted });
        return;
    };
    if wanted && folder.wanted {
        folder.subject = format!("{}, {}", folder.subject, browser.name);
    } else if wanted {
        browser.name.clone_into(&mut folder.subject);
        folder.wanted = true;
    }
}

fn examine(folders: &[Folder], look: &dyn Look, start: Start<'_>) -> Report {
    let mut report = Report::default();
    let mut first: Option<Welcome> = None;
    for folder in folders {
        let command = "webtranslator install";
        match look.read(&folder.file) {
            Ok(None) if folder.wanted => report
                .findings
                .push(Finding::error(&folder.subject, "the host is not registered").mend(command)),
            Ok(None) => {}
            Err(error) => {
                let sentence = format!("{} cannot be read ({error})", folder.file.display());
                let remove = format!("rm {}; {command}", quoted(&folder.file));
                report.findings.push(Finding::error(&folder.subject, sentence).mend(remove));
            }
            Ok(Some(bytes)) => match registration(folder, &bytes, start) {
                Ok((finding, welcome)) => {
                    report.findings.push(finding);
                    first = first.or(Some(welcome));
                }
                Err(finding) => report.findings.push(finding),
            },
        }
    }
    report.findings.extend(first.iter().flat_map(of_welcome));
    report
}

/// Reads one registration, follows it, and says hello.
fn registration(
    folder: &Folder,
    bytes: &[u8],
    start: Start<'_>,
) -> Result<(Finding, Welcome), Finding> {
    let file = folder.file.display();
    let error = |what: String| Finding::error(&folder.subject, what);
    let force = "webtranslator install --force";
    let manifest = manifest::read(folder.family, bytes)
        .map_err(|fault| error(format!("the browser refuses {file}: {fault}")).mend(force))?;
    check_ids(folder.family, &manifest)
        .map_err(|what| error(format!("{file}: {what}")).mend(force))?;
    let host = manifest.path.display();
    check_program(&manifest.path).map_err(|(what, command)| {
        error(format!("{file} names {host}, {what}"))
            .mend(command.unwrap_or_else(|| force.to_owned()))
    })?;
    let welcome = start(folder.family, &folder.file, &manifest.path).map_err(|what| {
        error(format!("{host} was started as the browser does: {what}"))
            .mend(format!("{} doctor", quoted(&manifest.path)))
    })?;
    Ok((answered(folder, &manifest, &welcome), welcome))
}

fn answered(folder: &Folder, manifest: &Manifest, welcome: &Welcome) -> Finding {
    let host = manifest.path.display();
    let version = env!("CARGO_PKG_VERSION");
    if welcome.version == version {
        let took = welcome.took.as_millis();
        let sentence = format!("registered; {host} answers within {took} ms, version {version}");
        return Finding::ok(&folder.subject, sentence);
    }
    let sentence =
        format!("{host} answers with version {}; this program is {version}", welcome.version);
    Finding::warning(&folder.subject, sentence).mend("webtranslator install --force")
}

fn check_ids(family: Family, manifest: &Manifest) -> Result<(), String> {
    let ours = manifest::entries(family, &[], &[]);
    let missing = ours.iter().find(|entry| !manifest.allowed.contains(entry));
    missing.map_or(Ok(()), |entry| {
        Err(format!("the extension's id is not in it ({entry}), so the browser forbids the host"))
    })
}

/// What is wrong with the program that a manifest names, and what mends it.
type ProgramFault = (String, Option<String>);

fn check_program(path: &Path) -> Result<(), ProgramFault> {
    let plain = |what: &str| Err((what.to_owned(), None));
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return plain("which does not exist");
        }
        Err(error) => return Err((format!("which cannot be looked at ({error})"), None)),
    };
    if meta.is_dir() {
        return plain("which is a folder");
    }
    if !meta.is_file() {
        return plain("which is no regular file");
    }
    if !is_executable(&meta) {
        let command = format!("chmod +x {}", quoted(path));
        return Err(("which is not executable".to_owned(), Some(command)));
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &fs::Metadata) -> bool {
    true
}

/// Returns a path as a shell takes it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// What the started host says about itself, as a browser would hear it.
fn of_welcome(welcome: &Welcome) -> Vec<Finding> {
    let reason = welcome.cache_reason.clone().unwrap_or_default();
    let cache = match welcome.cache.as_str() {
        "ok" => Finding::ok("cache", "opened by the started host"),
        "memory" => Finding::warning(
            "cache",
            format!("translations are forgotten when the browser ends: {reason}"),
        ),
        _ => Finding::warning("cache", format!("it is off: {reason}")),
    };
    let mut findings = vec![cache];
    if welcome.providers.is_empty() {
        let sentence = "none is set up, so nothing can be translated yet; choose one in the \
                        extension's options, or in the settings file";
        findings.push(Finding::warning("providers", sentence).mend("webtranslator settings path"));
    }
    for (name, fault) in &welcome.providers {
        let subject = format!("provider {name}");
        findings.push(match fault {
            None => Finding::ok(subject, "ready"),
            Some(reason) => Finding::warning(subject, format!("not ready: {reason}")),
        });
    }
    findings
}

fn extension(environment: &Environment, look: &dyn Look) -> Finding {
    let folder = environment.extension();
    if look.exists(&folder.join("manifest.json")) {
        return Finding::ok("extension", format!("lies in {}", folder.display()));
    }
    let sentence = format!("there is no copy of it in {}", folder.display());
    Finding::warning("extension", sentence).mend("installer/install.sh")
}

/// Returns a finding when others can read a file with keys; `None` when the
/// file is not there or is the reader's alone.
#[cfg(unix)]
#[must_use]
pub fn secrets_rights(file: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let sentence = format!("{} can be read by others (mode {mode:o})", file.display());
    let command = format!("chmod 600 {}", quoted(file));
    (mode & 0o077 != 0).then(|| Finding::error("keys", sentence).mend(command))
}

/// Returns nothing: rights are not modes here.
#[cfg(not(unix))]
#[must_use]
pub fn secrets_rights(_file: &Path) -> Option<Finding> {
    None
}

#[cfg(test)]
mod tests;
