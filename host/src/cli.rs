//! The command line, and the start as a browser's host.
//!
//! A browser's arguments are recognised before clap sees them: Chromium passes
//! the extension's origin, Firefox the host manifest and the extension's id.
//! Printing is this module's alone.

mod cache;
mod conversation;
mod doctor;
mod install;
mod providers;
mod serve;
mod stats;
mod table;
mod terminal;
mod translate;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::paths::Paths;

/// Translates web pages: the host of the WebTranslator extension.
#[derive(Debug, Parser)]
#[command(name = "webtranslator", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register the host with the browsers of this machine
    Install(install::Install),
    /// Take every registration of this install out again
    Uninstall(install::Uninstall),
    /// Say what is wrong, and the command that mends it
    Doctor(doctor::Doctor),
    /// Translate plain text, a line a segment, with the engine of the browser
    Translate(translate::Arguments),
    /// Look at the providers, look for new ones, try them out
    #[command(subcommand)]
    Providers(providers::Command),
    /// Look at the cache
    #[command(subcommand)]
    Cache(cache::Command),
    /// Print what was used, day by day, and what it cost
    Stats(stats::Stats),
    /// Look at the settings
    #[command(subcommand)]
    Settings(SettingsCommand),
}

#[derive(Debug, Subcommand)]
enum SettingsCommand {
    /// Print where the settings file is
    Path,
}

/// Runs the program with these arguments, its name first.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if is_started_by_browser(&arguments) {
        return serve::serve();
    }
    let parsed = match Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help goes to stdout, faults to stderr; a closed pipe is no fault.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match parsed.command {
        Command::Install(arguments) => install::install(&arguments),
        Command::Uninstall(arguments) => install::uninstall(&arguments),
        Command::Doctor(arguments) => {
            with_paths(|paths| doctor::doctor_command(&arguments, &paths))
        }
        Command::Translate(arguments) => {
            with_paths(|paths| translate::translate(&arguments, paths))
        }
        Command::Providers(command) => with_paths(|paths| providers::run(&command, &paths)),
        Command::Cache(command) => with_paths(|paths| cache::run(&command, &paths)),
        Command::Stats(arguments) => with_paths(|paths| stats::run(&arguments, &paths)),
        Command::Settings(SettingsCommand::Path) => with_paths(|paths| {
            say(&paths.settings().display().to_string());
            ExitCode::SUCCESS
        }),
    }
}

fn with_paths(command: impl FnOnce(Paths) -> ExitCode) -> ExitCode {
    match Paths::from_env() {
        Ok(paths) => command(paths),
        Err(error) => fault(&error.to_string()),
    }
}

/// Prints a command's text and returns its exit code.
fn report(result: Result<(String, u8), String>) -> ExitCode {
    match result {
        Ok((text, code)) => {
            say(text.trim_end());
            ExitCode::from(code)
        }
        Err(sentence) => fault(&sentence),
    }
}

/// Whether these are the arguments that a browser starts a host with.
fn is_started_by_browser(arguments: &[OsString]) -> bool {
    let text = |at: usize| arguments.get(at).map(OsString::as_os_str).and_then(OsStr::to_str);
    match (text(1), arguments.len()) {
        (Some(origin), _) if origin.starts_with("chrome-extension://") => true,
        (Some(manifest), 3) => {
            let path = std::path::Path::new(manifest);
            path.is_absolute() && path.extension().is_some_and(|ending| ending == "json")
        }
        _ => false,
    }
}

/// Prints a line; when nobody reads any more, nothing is left to be done.
fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Tells a fault and returns its exit code.
fn fault(message: &str) -> ExitCode {
    complain(message);
    ExitCode::FAILURE
}

/// Prints a line to stderr.
fn complain(message: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "webtranslator: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], expected: bool) {
        let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
        assert_eq!(is_started_by_browser(&arguments), expected, "{arguments:?}");
    }

    #[test]
    fn a_browser_is_known_by_its_arguments() {
        check(&["webtranslator", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/"], true);
        check(
            &["webtranslator", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/", "0"],
            true,
        );
        check(
            &["webtranslator", "/home/x/.mozilla/native-messaging-hosts/h.json", "a@b.org"],
            true,
        );
        check(&["webtranslator"], false);
        check(&["webtranslator", "translate", "page.json"], false);
        check(&["webtranslator", "doctor"], false);
    }
}
