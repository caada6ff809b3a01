//! `webtranslator install` and `uninstall`: words to a plan, results to text.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::install::apply::{exit_code, render, undo_exit_code};
use crate::install::{Disk, Environment, Family, Options, apply, plan, plan_dir, undo};

#[derive(Debug, Args)]
pub struct Install {
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only this browser; may be given several times
    #[arg(long, value_name = "ID")]
    browser: Vec<String>,
    /// Every browser that is known, found or not
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    folder: Folder,
    /// A further id of the extension; may be given several times
    #[arg(long, value_name = "ID")]
    extension_id: Vec<String>,
    /// Replace the registration of another install, or a broken one
    #[arg(long)]
    force: bool,
    /// The program to register instead of this one
    #[arg(long, value_name = "PROGRAM")]
    host: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Uninstall {
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    folder: Folder,
}

/// A manifest folder that is no browser's usual one.
#[derive(Debug, Args)]
pub struct Folder {
    /// This manifest folder instead of those of the browsers
    #[arg(long, value_name = "DIR", requires = "family")]
    manifest_dir: Option<PathBuf>,
    /// What the browser of that folder is: chromium or firefox
    #[arg(long, requires = "manifest_dir")]
    family: Option<Family>,
}

impl Folder {
    pub fn named(&self) -> Option<(PathBuf, Family)> {
        let dir = self.manifest_dir.as_ref()?;
        Some((std::path::absolute(dir).unwrap_or_else(|_| dir.clone()), self.family?))
    }
}

pub fn environment() -> Result<Environment, String> {
    Environment::from_env().map_err(|error| error.to_string())
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe()
        .map_err(|error| format!("where this program lies is not known ({error})"))
}

pub fn install(install: &Install) -> ExitCode {
    super::report(try_install(install))
}

fn try_install(install: &Install) -> Result<(String, u8), String> {
    let host = match &install.host {
        Some(host) => std::path::absolute(host).map_err(|error| error.to_string())?,
        None => this_program()?,
    };
    let options = Options {
        browsers: install.browser.clone(),
        all: install.all,
        extension_ids: install.extension_id.clone(),
        force: install.force,
    };
    let plan = match install.folder.named() {
        Some((dir, family)) => plan_dir(&Disk, &host, (&dir, family), &options),
        None => plan(&environment()?, &Disk, &host, &options),
    }
    .map_err(|refusal| refusal.to_string())?;
    if install.dry_run {
        return Ok((plan.render(), 0));
    }
    let done = apply(&plan);
    Ok((render(&done) + &plan.remarks(), exit_code(&done)))
}

pub fn uninstall(uninstall: &Uninstall) -> ExitCode {
    super::report(try_uninstall(uninstall))
}

fn try_uninstall(uninstall: &Uninstall) -> Result<(String, u8), String> {
    let folder = uninstall.folder.named();
    let environment = match folder {
        Some(_) => environment().ok(),
        None => Some(environment()?),
    };
    let dirs: Vec<_> = folder.into_iter().collect();
    let done = undo(environment.as_ref(), &this_program()?, &dirs, uninstall.dry_run);
    Ok((render(&done), undo_exit_code(&done)))
}
