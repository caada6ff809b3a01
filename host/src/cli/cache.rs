//! `webtranslator cache`.

use std::process::ExitCode;

use clap::Subcommand;
use jiff::Timestamp;

use crate::paths::Paths;
use crate::store::{Mode, State, Store};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print how much is remembered
    Stats,
}

pub fn run(command: &Command, paths: &Paths) -> ExitCode {
    match command {
        Command::Stats => stats(paths),
    }
}

fn stats(paths: &Paths) -> ExitCode {
    let path = paths.cache();
    if !path.exists() {
        super::say(&format!("Nothing is remembered yet: {} is not there.", path.display()));
        return ExitCode::SUCCESS;
    }
    let (mut store, state) = Store::open(&path, Mode::Read, Timestamp::now());
    if let State::Memory { reason } = state {
        return super::fault(&reason);
    }
    let stats = store.stats();
    super::say(&format!("file     {}", path.display()));
    super::say(&format!("entries  {}", stats.entries));
    super::say(&format!("bytes    {}", stats.bytes));
    ExitCode::SUCCESS
}
