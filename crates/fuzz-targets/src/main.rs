//! Runs the targets of this crate: `fuzz-targets --seconds N | --runs N [--only NAME] [--seed N]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fuzz_runner::program(fuzz_targets::TARGETS)
}
