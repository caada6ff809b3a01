//! What an install would do: decided here, done by `apply`.
//!
//! Pure: it looks at an [`Environment`] through a [`Look`] and returns values.
//! A file that is not ours is never planned for replacement unless the reader
//! asked for it by name (`force`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::browsers::{BROWSERS, Browser, Family, Sandbox, by_id};
use super::environment::{Environment, Look};
use super::manifest::{self, Manifest};
use super::{HOST_NAME, MANIFEST_FILE};

/// What the reader asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only these rows of the table; empty means those that are found.
    pub browsers: Vec<String>,
    /// Every row, found or not, but those that are only done on request.
    pub all: bool,
    /// Further ids of the extension: a store's, or of a build of one's own.
    pub extension_ids: Vec<String>,
    /// Replace a registration of another install, or one that is broken.
    pub force: bool,
}

/// Why there is no plan at all.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Started through sudo, for one user's folders.
    #[error(
        "this was started with sudo, but browsers read the registrations of the user who runs \
         them; run it again without sudo (files of root in your home folder would lock you out \
         of them). If you are really root at your own browser: env -u SUDO_UID webtranslator install"
    )]
    Sudo,
    /// The name is no row.
    #[error("no browser is called {0:?}; known are: {known}", known = known())]
    UnknownBrowser(String),
    /// An id of neither form.
    #[error(
        "{0:?} is no extension id: Chromium's has 32 letters from a to p, Firefox's looks like \
         name@place"
    )]
    BadId(String),
    /// The path cannot be written as JSON.
    #[error("the path {0:?} is not UTF-8, and no browser could read it; install to another folder")]
    NotUtf8(PathBuf),
}

fn known() -> String {
    BROWSERS.iter().map(|browser| browser.id).collect::<Vec<_>>().join(", ")
}

/// What happens to one manifest file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing is there.
    Create,
    /// Ours is there, with other content.
    Update,
    /// It stands there already, byte for byte.
    Keep,
    /// Something is there that is not ours to replace; the clause says what.
    Leave(String),
}

/// One manifest file, and whom it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The names of the browsers that read it.
    pub browsers: Vec<&'static str>,
    /// Its format.
    pub family: Family,
    /// The file.
    pub file: PathBuf,
    /// What it is to contain.
    pub content: String,
    /// What happens to it.
    pub action: Action,
}

/// Everything that an install would do, and what it has to say besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The files, in the table's order.
    pub registrations: Vec<Registration>,
    /// Browsers that were seen and are not registered, each with why.
    pub notes: Vec<String>,
}

/// Returns the plan for this reader. `host` is the program to register, an
/// absolute path without links.
///
/// # Errors
/// When the request makes no sense as a whole; trouble with one file is an
/// [`Action::Leave`] in the plan.
pub fn plan(
    environment: &Environment,
    look: &dyn Look,
    host: &Path,
    options: &Options,
) -> Result<Plan, Refusal> {
    check_ids(&options.extension_ids)?;
    if environment.sudo {
        return Err(Refusal::Sudo);
    }
    let chosen = chosen(environment, look, options)?;
    let mut files: Vec<(PathBuf, Family, Vec<&'static str>)> = Vec::new();
    for browser in &chosen {
        for place in browser.linux.hosts {
            let file = place.path(environment).join(MANIFEST_FILE);
            match files.iter_mut().find(|(other, ..)| *other == file) {
                Some((.., names)) => names.push(browser.name),
                None => files.push((file, browser.family, vec![browser.name])),
            }
        }
    }
    let ours = Ours { place: Some(environment.place()), host: host.to_owned() };
    let registrations = files
        .into_iter()
        .map(|(file, family, browsers)| {
            registration(look, &ours, options, Target { browsers, family, file })
        })
        .collect::<Result<_, _>>()?;
    Ok(Plan { registrations, notes: notes(environment, look, options) })
}

/// Returns the plan for one folder that the reader named.
///
/// # Errors
/// As in [`plan`]; sudo is not asked about, since the folder was chosen.
pub fn plan_dir(
    look: &dyn Look,
    host: &Path,
    (dir, family): (&Path, Family),
    options: &Options,
) -> Result<Plan, Refusal> {
    check_ids(&options.extension_ids)?;
    let target = Target { browsers: Vec::new(), family, file: dir.join(MANIFEST_FILE) };
    let ours = Ours { place: None, host: host.to_owned() };
    let registration = registration(look, &ours, options, target)?;
    Ok(Plan { registrations: vec![registration], notes: Vec::new() })
}

fn check_ids(ids: &[String]) -> Result<(), Refusal> {
    let bad = ids.iter().find(|id| !manifest::is_chromium_id(id) && !manifest::is_gecko_id(id));
    bad.map_or(Ok(()), |id| Err(Refusal::BadId(id.clone())))
}

fn chosen(
    environment: &Environment,
    look: &dyn Look,
    options: &Options,
) -> Result<Vec<&'static Browser>, Refusal> {
    if options.browsers.is_empty() {
        let wanted = |browser: &&Browser| {
            browser.on_request.is_none() && (options.all || environment.has(browser, look))
        };
        return Ok(BROWSERS.iter().filter(wanted).collect());
    }
    let named = |id: &String| by_id(id).ok_or_else(|| Refusal::UnknownBrowser(id.clone()));
    options.browsers.iter().map(named).collect()
}

/// What tells our registrations from those of others.
#[derive(Clone, Debug)]
pub struct Ours {
    /// The folder that we install to.
    pub place: Option<PathBuf>,
    /// The program that runs or is registered.
    pub host: PathBuf,
}

impl Ours {
    /// Returns whether this manifest was written by this install.
    #[must_use]
    pub fn wrote(&self, manifest: &Manifest) -> bool {
        let within = |place: &PathBuf| manifest.path.starts_with(place);
        manifest.name == HOST_NAME
            && (manifest.path == self.host || self.place.as_ref().is_some_and(within))
    }
}

struct Target {
    browsers: Vec<&'static str>,
    family: Family,
    file: PathBuf,
}

fn registration(
    look: &dyn Look,
    ours: &Ours,
    options: &Options,
    target: Target,
) -> Result<Registration, Refusal> {
    let Target { browsers, family, file } = target;
    let there = look.read(&file);
    let known = there
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .and_then(|bytes| manifest::read(family, bytes).ok());
    let before = known.as_ref().map(|manifest| manifest.allowed.as_slice()).unwrap_or_default();
    let allowed = manifest::entries(family, &options.extension_ids, before);
    let content = manifest::write(family, &ours.host, &allowed)
        .ok_or_else(|| Refusal::NotUtf8(ours.host.clone()))?;
    let action = match there {
        Ok(None) => Action::Create,
        Ok(Some(bytes)) if bytes == content.as_bytes() => Action::Keep,
        _ if options.force => Action::Update,
        Err(error) => Action::Leave(format!("it cannot be read ({error})")),
        Ok(Some(bytes)) => replace(look, ours, family, &bytes),
    };
    Ok(Registration { browsers, family, file, content, action })
}

fn replace(look: &dyn Look, ours: &Ours, family: Family, bytes: &[u8]) -> Action {
    match manifest::read(family, bytes) {
        // A registration that leads nowhere serves nobody.
        Ok(found) if ours.wrote(&found) || !look.exists(&found.path) => Action::Update,
        Ok(found) => {
            Action::Leave(format!("another install is registered: {}", found.path.display()))
        }
        Err(fault) => Action::Leave(format!("it is no registration of ours ({fault})")),
    }
}

/// Returns what there is to say about browsers that need a word.
#[must_use]
pub fn notes(environment: &Environment, look: &dyn Look, options: &Options) -> Vec<String> {
    let mut notes = Vec::new();
    for browser in BROWSERS {
        let named = options.browsers.iter().any(|id| id == browser.id);
        if !options.browsers.is_empty() && !named {
            continue;
        }
        if let Some(reason) = browser.on_request
            && !named
            && environment.has(browser, look)
        {
            let (name, id) = (browser.name, browser.id);
            notes.push(format!("{name} is left alone: {reason}. If you want it: --browser {id}"));
        }
        for (sandbox, place) in browser.linux.sandboxes {
            if look.exists(&place.path(environment)) {
                notes.push(sandbox_note(browser, *sandbox));
            }
        }
    }
    notes
}

fn sandbox_note(browser: &Browser, sandbox: Sandbox) -> String {
    let name = browser.name;
    match sandbox {
        Sandbox::Flatpak => format!(
            "{name} from Flatpak runs in a sandbox that can neither see nor start a program of \
             yours; use {name} from your distribution or its maker's package"
        ),
        Sandbox::Snap => format!(
            "{name} from Snap cannot start programs of yours; use {name} from your distribution \
             or its maker's package"
        ),
        Sandbox::SnapPortal => format!(
            "{name} from Snap asks once whether the extension may start the program: answer yes. \
             If it was answered with no: flatpak permission-remove webextensions {HOST_NAME} \
             snap.firefox (or remove ~/.local/share/flatpak/db/webextensions), and restart {name}"
        ),
    }
}

impl Plan {
    /// Returns what `--dry-run` shows.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for registration in &self.registrations {
            let file = registration.file.display();
            let _ = match &registration.action {
                Action::Create => writeln!(text, "create  {file}"),
                Action::Update => writeln!(text, "update  {file}"),
                Action::Keep => writeln!(text, "keep    {file}"),
                Action::Leave(why) => writeln!(text, "leave   {file}\n        {why}"),
            };
            if !registration.browsers.is_empty() {
                let _ = writeln!(text, "        for {}", registration.browsers.join(", "));
            }
            if matches!(registration.action, Action::Create | Action::Update) {
                for line in registration.content.lines() {
                    let _ = writeln!(text, "        {line}");
                }
            }
        }
        text + &self.remarks()
    }

    /// Returns what there is to say besides the files, a line each.
    #[must_use]
    pub fn remarks(&self) -> String {
        let none = if self.registrations.is_empty() { super::NO_BROWSER } else { "" };
        self.notes.iter().fold(none.to_owned(), |text, note| text + "note        " + note + "\n")
    }
}

#[cfg(test)]
mod tests;
