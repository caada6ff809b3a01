//! The command line: words to calls, results to text and an exit code.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::install::apply::{exit_code, render, undo_exit_code};
use crate::install::doctor::doctor_dir;
use crate::install::guide::{Extension, guide};
use crate::install::hello::hello;
use crate::install::{
    Disk, Environment, Family, Look, Options, apply, browsers, doctor, plan, plan_dir, undo,
};

/// Translates web pages on this machine.
#[derive(Parser)]
#[command(name = "webtranslator", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Register the host with the browsers of this machine.
    Install(Install),
    /// Take every registration of this install out again.
    Uninstall(Uninstall),
    /// Say what is wrong, and the command that mends it.
    Doctor(Folder),
}

#[derive(Args)]
struct Install {
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Only this browser; may be given several times.
    #[arg(long, value_name = "ID")]
    browser: Vec<String>,
    /// Every browser that is known, found or not.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    folder: Folder,
    /// A further id of the extension; may be given several times.
    #[arg(long, value_name = "ID")]
    extension_id: Vec<String>,
    /// Replace the registration of another install, or a broken one.
    #[arg(long)]
    force: bool,
    /// The program to register instead of this one.
    #[arg(long, value_name = "PROGRAM")]
    host: Option<PathBuf>,
}

#[derive(Args)]
struct Uninstall {
    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    folder: Folder,
}

#[derive(Args)]
struct Folder {
    /// This manifest folder instead of those of the browsers.
    #[arg(long, value_name = "DIR", requires = "family")]
    manifest_dir: Option<PathBuf>,
    /// What the browser of that folder is: chromium or firefox.
    #[arg(long, requires = "manifest_dir")]
    family: Option<Family>,
}

impl Folder {
    fn named(&self) -> Option<(PathBuf, Family)> {
        let dir = self.manifest_dir.as_ref()?;
        Some((std::path::absolute(dir).unwrap_or_else(|_| dir.clone()), self.family?))
    }
}

/// Runs a command line and returns its exit code.
#[must_use]
pub fn run(arguments: &[OsString]) -> u8 {
    if started_by_browser(arguments) {
        return stand_in_host();
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let result = match cli.command {
        Command::Install(options) => run_install(options),
        Command::Uninstall(options) => run_uninstall(&options),
        Command::Doctor(folder) => run_doctor(&folder),
    };
    match result {
        Ok((text, code)) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            code
        }
        Err(sentence) => {
            let _ = writeln!(std::io::stderr(), "webtranslator: {sentence}");
            1
        }
    }
}

fn environment() -> Result<Environment, String> {
    Environment::from_env().map_err(|error| error.to_string())
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe()
        .map_err(|error| format!("where this program lies is not known ({error})"))
}

fn run_install(install: Install) -> Result<(String, u8), String> {
    let host = match install.host {
        Some(host) => std::path::absolute(host).map_err(|error| error.to_string())?,
        None => this_program()?,
    };
    let options = Options {
        browsers: install.browser,
        all: install.all,
        extension_ids: install.extension_id,
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

fn run_uninstall(uninstall: &Uninstall) -> Result<(String, u8), String> {
    let folder = uninstall.folder.named();
    let environment = match folder {
        Some(_) => environment().ok(),
        None => Some(environment()?),
    };
    let dirs: Vec<_> = folder.into_iter().collect();
    let done = undo(environment.as_ref(), &this_program()?, &dirs, uninstall.dry_run);
    Ok((render(&done), undo_exit_code(&done)))
}

fn run_doctor(folder: &Folder) -> Result<(String, u8), String> {
    if let Some((dir, family)) = folder.named() {
        let report = doctor_dir(&dir, family, &Disk, &hello);
        return Ok((report.render(), report.exit_code()));
    }
    let environment = environment()?;
    let report = doctor(&environment, &Disk, &hello, Vec::new());
    let xpi = Some(environment.xpi()).filter(|xpi| Disk.exists(xpi));
    let found: Vec<_> = browsers::BROWSERS
        .iter()
        .filter(|row| row.on_request.is_none() && environment.has(row, &Disk))
        .collect();
    let folder = environment.extension();
    let steps = guide(&found, Extension { folder: &folder, xpi: xpi.as_deref() });
    Ok((report.render() + "\n" + &steps, report.exit_code()))
}

/// Returns whether a browser's way to start a host is seen in the arguments.
fn started_by_browser(arguments: &[OsString]) -> bool {
    let Some(first) = arguments.get(1) else { return false };
    let file = std::path::Path::new(first);
    first.to_string_lossy().starts_with("chrome-extension://")
        || (arguments.len() == 3
            && file.is_absolute()
            && file.extension().is_some_and(|it| it == "json"))
}

/// Answers the first frame with a welcome; the session takes its place.
fn stand_in_host() -> u8 {
    let mut prefix = [0; 4];
    let mut stdin = std::io::stdin().lock();
    if stdin.read_exact(&mut prefix).is_err() {
        return 0;
    }
    let mut hello = vec![0; u32::from_ne_bytes(prefix) as usize];
    let _ = stdin.read_exact(&mut hello);
    let version = env!("CARGO_PKG_VERSION");
    let welcome = format!(
        r#"{{"type":"welcome","protocol":1,"version":"{version}","cache":{{"state":"ok"}},"providers":[{{"name":"sample","kind":"sample","ready":true}}],"target":"ko"}}"#
    );
    let length = u32::try_from(welcome.len()).unwrap_or_default();
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(&length.to_ne_bytes());
    let _ = stdout.write_all(welcome.as_bytes());
    let _ = stdout.flush();
    let _ = stdin.read_to_end(&mut hello);
    0
}
