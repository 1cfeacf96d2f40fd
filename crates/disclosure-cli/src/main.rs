//! The command `disclosure`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    disclosure_cli::run_command(&std::env::args_os().collect::<Vec<_>>(), Vec::new())
}
