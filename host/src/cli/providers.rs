//! `webtranslator providers`: which there are and how they do, what listens on
//! this machine, and one real call.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};

use crate::http::Http;
use crate::paths::Paths;
use crate::protocol::{Found, Id, ProviderStatus, Reply, Request};
use crate::provider::kinds::{self, KeyUse};
use crate::provider::price::{Price, dollars};
use crate::session::configured::Configured;
use crate::session::detect::{change_for, look};
use crate::session::setup::{self, Files, Setup};
use crate::settings;

use super::conversation::converse;
use super::table::table;

/// What to do when there is none.
const NONE: &str = "No provider is set up: `webtranslator providers detect` looks for engines on \
                    this machine; others are added on the extension's options page.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the providers in their order: state, key and price
    List,
    /// Look for engines that run on this machine
    Detect(Detect),
    /// Translate a short text with one real call; exit code 1 if that fails
    Test {
        /// Its name in the settings; all of them if absent
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct Detect {
    /// Write what is found to the settings, behind the providers that are there
    #[arg(long)]
    add: bool,
    /// Look at this port instead of the usual ones; may be repeated
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<u16>,
}

pub fn run(command: &Command, paths: &Paths) -> ExitCode {
    let setup = Files::new(paths.clone()).load(None);
    if let Some(problem) = &setup.problem {
        super::complain(&format!("{}: {problem}", paths.settings().display()));
    }
    if setup.problem.is_some() && setup.providers.is_empty() {
        return ExitCode::FAILURE;
    }
    match command {
        Command::List => super::report(list(paths, &setup).map(|text| (text, 0))),
        Command::Detect(arguments) => super::report(detect(arguments, paths, &setup)),
        Command::Test { name } => test(name.as_deref(), paths, &setup),
    }
}

fn list(paths: &Paths, setup: &Setup) -> Result<String, String> {
    if setup.providers.is_empty() {
        return Ok(NONE.to_owned());
    }
    let told = converse(paths.clone(), vec![Request::Status { id: 1 }], |reply| match reply {
        Reply::Status { providers, .. } => Some(Ok(providers)),
        Reply::Error { message, .. } => Some(Err(message)),
        _ => None,
    })?;
    let state = |name: &str| told.iter().find(|status| status.name == name);
    let row = |(at, configured): (usize, &Arc<Configured>)| {
        row_of(at, configured, state(&configured.name))
    };
    let rows: Vec<_> = setup.providers.iter().enumerate().map(row).collect();
    let why = |configured: &Arc<Configured>| state(&configured.name)?.message.clone();
    let lines = table(&rows, 0).into_iter().zip(&setup.providers).map(|(line, configured)| {
        why(configured).map_or(line.clone(), |why| format!("{line}\n   {why}"))
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn row_of(at: usize, configured: &Configured, status: Option<&ProviderStatus>) -> Vec<String> {
    let config = &configured.config;
    let unused = kinds::find(&config.kind).is_some_and(|kind| kind.key == KeyUse::Unused);
    let key = match (unused, config.key.is_some()) {
        (true, _) => "needs no key",
        (_, true) => "has a key",
        (_, false) => "no key",
    };
    vec![
        (at + 1).to_string(),
        configured.name.clone(),
        config.kind.clone(),
        if config.model.is_empty() { "-".to_owned() } else { config.model.clone() },
        status.map_or_else(String::new, |status| status.state.clone()),
        key.to_owned(),
        configured.price.map_or_else(|| "price not known".to_owned(), Price::words),
    ]
}

fn detect(arguments: &Detect, paths: &Paths, setup: &Setup) -> Result<(String, u8), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let http = Arc::new(Http::default());
    let (found, looked_at) = runtime.block_on(look(&http, &arguments.ports, &setup.settings));
    if found.is_empty() {
        let places = looked_at.join(", ");
        let advice = "Start a server there, or name its port with --port.";
        return Ok((format!("Nothing that translates answers at {places}. {advice}"), 0));
    }
    let mut text = table(&found.iter().map(|found| shown(found, setup)).collect::<Vec<_>>(), 0);
    let new: Vec<&Found> = found.iter().filter(|found| is_new(found, setup)).collect();
    if arguments.add {
        text.push(String::new());
        text.push(add(&new, paths)?);
    } else if !new.is_empty() {
        text.push("\nTo use them, add `--add`, or write this to the settings:\n".to_owned());
        for found in new {
            let change = change_for(found, &settings::Settings::default());
            let table = serde_json::json!({"provider": change["provider"]});
            text.push(settings::edit("", &table).map_err(|problem| problem.to_string())?);
        }
    }
    Ok((text.join("\n"), 0))
}

fn shown(found: &Found, setup: &Setup) -> Vec<String> {
    let models = match (&found.model, found.models.len()) {
        (Some(model), 0 | 1) => model.clone(),
        (Some(model), all) => format!("{model} (of {all} models)"),
        (None, 0) if needs_model(found) => "no model: pull or load one there first".to_owned(),
        (None, 0) => "-".to_owned(),
        (None, all) => format!("{all} models, none of them on this machine"),
    };
    let known = setup.settings.provider.contains_key(&found.name);
    let name = if known { format!("set up as {}", found.name) } else { found.name.clone() };
    vec![found.title.clone(), found.base_url.clone(), models, name]
}

fn needs_model(found: &Found) -> bool {
    kinds::find(&found.kind).is_some_and(|kind| kind.has_model)
}

/// Whether it can be set up and is not.
fn is_new(found: &Found, setup: &Setup) -> bool {
    let usable = found.model.is_some() || !needs_model(found);
    usable && !setup.settings.provider.contains_key(&found.name)
}

/// Writes engines to the settings, one after the other.
fn add(new: &[&Found], paths: &Paths) -> Result<String, String> {
    let path = paths.settings();
    if new.is_empty() {
        return Ok("There is nothing to add.".to_owned());
    }
    setup::change(&path, |text| {
        new.iter().try_fold(text.to_owned(), |text, found| {
            let checked = settings::check(&text);
            let problem = || checked.problems.first().map(ToString::to_string).unwrap_or_default();
            let present = checked.settings.as_ref().ok_or_else(problem)?;
            settings::edit(&text, &change_for(found, present))
                .map_err(|problem| problem.to_string())
        })
    })?;
    let names: Vec<&str> = new.iter().map(|found| found.name.as_str()).collect();
    Ok(format!("Added {} to {}.", names.join(", "), path.display()))
}

fn test(name: Option<&str>, paths: &Paths, setup: &Setup) -> ExitCode {
    let names: Vec<String> = match name {
        Some(name) => vec![name.to_owned()],
        None => setup.providers.iter().map(|configured| configured.name.clone()).collect(),
    };
    if names.is_empty() {
        return super::fault(NONE);
    }
    let requests = (1..).zip(&names);
    let requests = requests.map(|(id, name)| Request::TestProvider { id, provider: name.clone() });
    let (mut left, mut failed) = (names.len(), false);
    let named = |id: Id| usize::try_from(id - 1).ok().and_then(|at| names.get(at));
    let result = converse(paths.clone(), requests.collect(), |reply| {
        let (id, ok, words) = outcome(reply)?;
        // Each as soon as it is known: one that does not answer takes minutes.
        super::say(&format!("{}: {words}", named(id).map_or("", String::as_str)));
        left -= 1;
        failed |= !ok;
        (left == 0).then_some(Ok(()))
    });
    match result {
        Ok(()) if failed => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => super::fault(&message),
    }
}

/// Returns what a test came to, in words.
fn outcome(reply: Reply) -> Option<(Id, bool, String)> {
    match reply {
        Reply::ProviderTested { id, ok: true, latency_ms, text, tokens, cost, .. } => {
            let text = text.unwrap_or_default();
            let tokens =
                tokens.map(|used| format!(", {} tokens in, {} out", used.input, used.output));
            let cost = cost.map_or_else(
                || ", cost not known".to_owned(),
                |cost| format!(", {}", dollars(cost)),
            );
            let used = tokens.unwrap_or_default() + &cost;
            Some((id, true, format!("\"{text}\" in {latency_ms} ms{used}")))
        }
        Reply::ProviderTested { id, message, hint, .. } => {
            let words: Vec<String> = [message, hint].into_iter().flatten().collect();
            Some((id, false, words.join(" ")))
        }
        Reply::Error { id: Some(id), message, .. } => Some((id, false, message)),
        _ => None,
    }
}
