//! The workspace's own commands: `cargo xtask ci`, `tidy`, `api`, `fixtures`, `engines`,
//! `validate`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

mod api;
mod arrows;
mod ci;
mod circles;
mod closures;
mod crate_counts;
mod dist;
mod documents;
mod engines;
mod fixtures;
mod fuzz;
mod lines;
mod links;
mod manifests;
mod mbi;
mod mutants;
mod pages;
mod python;
mod shell;
mod supply;
mod test_programs;
mod tidy;
mod validate;
mod validate_numbers;
mod validate_page;
mod validate_report;
mod wasm;
mod web;
mod wheel;
mod words;
mod workspace;
mod wrap;

use std::path::PathBuf;
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
    /// The rules that no compiler checks: imports, fixtures, manifests, links, pages, the API,
    /// words
    Tidy(TidyArgs),
    /// Writes docs/api.md, docs/formats.md and docs/schemas/ from the sources: what every crate
    /// and document offers
    Api,
    /// The digests of the files under fixtures/
    Fixtures(FixturesArgs),
    /// The client of local differential privacy as WebAssembly: build it, and test its package
    /// under Node
    Wasm,
    /// The workbench in headless Chromium: every way through, strangers, and how the pages look
    Web(WebArgs),
    /// The export of measurements, fitted by the Python package mbi
    Mbi,
    /// Any bytes for every parser, for a time: mutants of fixtures/corpus/
    Fuzz(fuzz::FuzzArgs),
    /// Which lines the tests run, from an LCOV file
    Lines(lines::LinesArgs),
    /// Small errors in the code, one at a time, which the tests have to notice
    Mutants(mutants::MutantsArgs),
    /// Every crate of others, with its reason, its licence and its share of unsafe code: writes
    /// docs/dependencies.md
    Supply(supply::SupplyArgs),
    /// Makes the files of a release, as far as this machine can
    Dist(dist::DistArgs),
    /// The Python package: built and tested in a virtual environment below target/
    Python(PythonArgs),
    /// The engines, a workspace of their own: files of columns, DuckDB, and a PostgreSQL server and
    /// a cluster that the tests start
    Engines(engines::EnginesArgs),
    /// Attackers judge every promise
    Validate(validate::ValidateArgs),
}

#[derive(Args)]
struct WebArgs {
    /// Replace the picture of the documentation, docs/workbench.png
    #[arg(long)]
    picture: bool,
}

#[derive(Args)]
struct PythonArgs {
    /// Instead: the wheel in the release profile, its size, an installation without Rust, and a
    /// wheel from the source distribution
    #[arg(long)]
    wheel: bool,
}

#[derive(Args)]
struct TidyArgs {
    /// A page of docs/math/ that was read again, against the modules that it lists: writes down
    /// their digests
    #[arg(long, value_name = "PAGE")]
    reread: Vec<PathBuf>,
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
        Command::Tidy(TidyArgs { reread }) => {
            for page in reread {
                if pages::reread(&page, &root)? {
                    println!("wrote {}", page.display());
                }
            }
            report(&tidy::all(&Workspace::load(&root)?)?)
        }
        Command::Api => {
            if api::write(&root)? {
                println!("wrote docs/api.md");
            }
            for file in documents::write(&root)? {
                println!("wrote {file}");
            }
            Ok(())
        }
        Command::Fixtures(FixturesArgs { write: true, .. }) => {
            for path in fixtures::write(&root)? {
                println!("wrote {path}");
            }
            report(&fixtures::breaches(&root)?)
        }
        Command::Wasm => wasm::run(&root),
        Command::Web(args) => web::run(&root, args.picture),
        Command::Mbi => mbi::run(&root),
        Command::Fuzz(args) => fuzz::run(&root, &args),
        Command::Lines(args) => lines::run(&root, &args),
        Command::Mutants(args) => mutants::run(&root, &args),
        Command::Supply(args) => supply::run(&root, &args),
        Command::Dist(args) => dist::run(&root, &args),
        Command::Python(PythonArgs { wheel: true }) => wheel::run(&root).map(drop),
        Command::Python(_) => python::run(&root),
        Command::Engines(args) => engines::run(&root, &args),
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
