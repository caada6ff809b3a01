//! `webtranslator doctor`: what is wrong, and the command that mends it.
//!
//! The registrations are `install`'s to check; this adds what the reader's own
//! files say.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use crate::install::doctor::{Finding, doctor_dir, secrets_rights};
use crate::install::guide::{Extension, guide};
use crate::install::hello::hello;
use crate::install::{Disk, Look, browsers, doctor};
use crate::paths::Paths;
use crate::remote;
use crate::session::configured::Configured;
use crate::session::setup::{self, Files, Setup, mode_of};
use crate::settings::{Problem, check};
use crate::store::{Mode, State, Store, Trouble, View};

use super::install::{Folder, environment};

#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    folder: Folder,
}

pub fn doctor_command(arguments: &Doctor, paths: &Paths) -> ExitCode {
    super::report(examine(arguments, paths))
}

fn examine(arguments: &Doctor, paths: &Paths) -> Result<(String, u8), String> {
    if let Some((dir, family)) = arguments.folder.named() {
        let report = doctor_dir(&dir, family, &Disk, &hello);
        return Ok((report.render(), report.exit_code()));
    }
    let environment = environment()?;
    let report = doctor(&environment, &Disk, &hello, own_files(paths));
    let xpi = Some(environment.xpi()).filter(|xpi| Disk.exists(xpi));
    let found: Vec<_> = browsers::BROWSERS
        .iter()
        .filter(|row| row.on_request.is_none() && environment.has(row, &Disk))
        .collect();
    let folder = environment.extension();
    let steps = guide(&found, Extension { folder: &folder, xpi: xpi.as_deref() });
    Ok((report.render() + "\n" + &steps, report.exit_code()))
}

/// Looks at settings, keys, dictionary and cache.
fn own_files(paths: &Paths) -> Vec<Finding> {
    let setup = Files::new(paths.clone()).load(None);
    let mut findings = settings(paths);
    findings.extend(secrets_rights(&paths.secrets()));
    findings.extend(
        setup.dictionary_problems.iter().map(|problem| Finding::warning("dictionary", problem)),
    );
    findings.push(store(paths, &setup));
    findings.extend(setup.remote.as_ref().map(shared_cache));
    if setup.providers.is_empty() {
        findings.push(Finding::warning(
            "providers",
            "none is set up: choose one in the extension's options",
        ));
    }
    findings.extend(setup.providers.iter().map(|configured| provider(configured)));
    findings
}

/// All that is wrong with the settings, and what is merely ignored.
fn settings(paths: &Paths) -> Vec<Finding> {
    let path = paths.settings();
    if !path.exists() {
        return vec![Finding::ok("settings", format!("{} is not there yet", path.display()))];
    }
    let (text, unreadable) = setup::read(&path);
    if let Some(fault) = unreadable {
        return vec![Finding::error("settings", fault)];
    }
    let checked = check(&text);
    let named = |problem: &Problem| format!("{}: {problem}", path.display());
    let mistakes = checked.problems.iter().map(|p| Finding::error("settings", named(p)));
    let ignored = checked.warnings.iter().map(|p| Finding::warning("settings", named(p)));
    let mut findings: Vec<Finding> = mistakes.chain(ignored).collect();
    if findings.is_empty() {
        findings.push(Finding::ok("settings", path.display().to_string()));
    }
    findings
}

/// Looks at the cache as it lies there, before any host opens it.
fn store(paths: &Paths, setup: &Setup) -> Finding {
    let path = paths.cache();
    let mode = mode_of(setup.settings.cache.mode);
    if mode == Mode::Off {
        return Finding::ok("cache", "switched off in the settings");
    }
    let counted = View::open(&path).and_then(|view| view.map(|view| view.count()).transpose());
    let entries = match counted {
        Ok(Some(entries)) => entries,
        Ok(None) => return Finding::ok("cache", "nothing is remembered yet"),
        Err(trouble) => return trouble_of(&path, &trouble),
    };
    let (_, state) = Store::open(&path, mode, Timestamp::now());
    match state {
        State::Memory { reason } => {
            let sentence = format!("{reason}; what is in it is read");
            Finding::error("cache", sentence).mend(rights_command(&path))
        }
        State::Ok | State::Off => {
            Finding::ok("cache", format!("{} holds {entries} entries", path.display()))
        }
    }
}

/// Says what is wrong with the cache, and what mends it.
fn trouble_of(path: &Path, trouble: &Trouble) -> Finding {
    let shown = path.display();
    let found = |rest: &str, command: String| {
        Finding::error("cache", format!("{trouble}{rest}")).mend(command)
    };
    match trouble.code {
        "cache_damaged" => found(
            "; a browser that meets it keeps the file aside and takes over what can be read, and so \
             does this command",
            "webtranslator cache mend".to_owned(),
        ),
        "cache_newer" => found(
            "; it is left alone, and nothing is remembered",
            "installer/install.sh".to_owned(),
        ),
        "cache_foreign" => found("", format!("mv '{shown}' '{shown}.other'")),
        "cache_full" => found("", format!("df -h '{shown}'")),
        _ => found("", rights_command(path)),
    }
}

/// Shows who may do what with a file and its folder.
fn rights_command(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path).display();
    format!("ls -ld '{folder}' '{}'; df -h '{folder}'", path.display())
}

/// Connects, reads and writes once.
fn shared_cache(config: &remote::Config) -> Finding {
    let subject = "shared cache";
    if let Some(trouble) = &config.trouble {
        return Finding::error(subject, format!("{} is not used: {trouble}", config.address));
    }
    if !config.reads {
        return Finding::ok(subject, "switched off in the settings");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let examined = runtime.map(|runtime| {
        let examined = runtime.block_on(remote::examine(config));
        // A name that is still being looked up must not hold the end up.
        runtime.shutdown_background();
        examined
    });
    let address = &config.address;
    match examined {
        Ok(Ok(None)) => Finding::ok(subject, format!("{address} answers")),
        Ok(Ok(Some(fault))) => {
            Finding::warning(subject, format!("{address} takes no entries: {fault}"))
        }
        Ok(Err(fault)) => Finding::error(subject, format!("{address} cannot be used: {fault}")),
        Err(error) => Finding::error(subject, error.to_string()),
    }
}

fn provider(configured: &Configured) -> Finding {
    let subject = format!("provider {}", configured.name);
    match (&configured.ready, &configured.trouble) {
        (Ok(()), _) => Finding::ok(subject, format!("{}, set up", configured.config.kind)),
        (Err(_), Some(trouble)) => Finding::error(subject, trouble),
        (Err(failure), None) => Finding::error(subject, format!("{failure:?}")),
    }
}
