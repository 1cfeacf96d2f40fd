//! The workspace's own commands: `cargo xtask ci`, `cargo xtask tidy`, `cargo xtask fixtures`, `cargo xtask validate`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

mod arrows;
mod ci;
mod fixtures;
mod links;
mod manifests;
mod tidy;
mod validate;
mod validate_report;
mod words;
mod workspace;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use tidy::Breach;
use workspace::{Error, Workspace};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The workspace's own commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything a change must pass, in order; stops at the first failure
    Ci,
    /// The rules of the house that no compiler checks: imports, fixtures, manifests, links, words
    Tidy,
    /// The digests of the files under fixtures/
    Fixtures(FixturesArgs),
    /// Attackers judge every promise
    Validate(validate::ValidateArgs),
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct FixturesArgs {
    /// Compare every file with its entry in SOURCES.toml
    #[arg(long)]
    check: bool,
    /// Write the digests of the files that are listed; lists no file itself
    #[arg(long)]
    write: bool,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Error> {
    let root = workspace::root();
    match command {
        Command::Ci => ci::run(&root),
        Command::Tidy => report(&tidy::all(&Workspace::load(&root)?)?),
        Command::Fixtures(FixturesArgs { write: true, .. }) => {
            for path in fixtures::write(&root)? {
                println!("wrote {path}");
            }
            report(&fixtures::breaches(&root)?)
        }
        Command::Validate(args) => validate::run(&root, &args),
        Command::Fixtures(_) => report(&fixtures::breaches(&root)?),
    }
}

fn report(breaches: &[Breach]) -> Result<(), Error> {
    for breach in breaches {
        eprintln!("{breach}");
    }
    match breaches.len() {
        0 => Ok(()),
        count => Err(Error::Breaches { count }),
    }
}
