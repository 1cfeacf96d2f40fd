//! Runs the targets of this crate: `fuzz --seconds N | --runs N [--only NAME] [--seed N]`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    fuzz_runner::program(support::TARGETS)
}
