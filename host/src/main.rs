//! Arguments to an exit code; everything else is `cli`'s.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(webtranslator::cli::run(&arguments))
}
