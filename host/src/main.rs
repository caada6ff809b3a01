//! The program: arguments in, exit code out.

fn main() -> std::process::ExitCode {
    webtranslator::cli::run(std::env::args_os().collect())
}
