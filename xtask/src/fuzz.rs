//! Any bytes for every parser, for a time or a number of times: `crates/fuzz-targets` on mutants
//! of `fixtures/corpus/`.

use std::path::Path;
use std::process::Command;

use crate::workspace::Error;

#[derive(clap::Args)]
pub(crate) struct FuzzArgs {
    /// How long, shared by the targets; `arrow_batch` and `engine_columns`, outside of the
    /// workspace, have as long each
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// How often each target runs, in place of a time
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    runs: Option<u64>,
    /// Only this target
    #[arg(long, value_name = "TARGET")]
    only: Option<String>,
    /// Where the mutants come from: the same seed makes the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Targets that are outside of the workspace, and where: Arrow is compiled for these alone, in the
/// version of Python and in that of the engines.
const OUTSIDE: [(&str, &[&str]); 2] = [
    (
        "arrow_batch",
        &["--release", "--manifest-path", "crates/disclosure-arrow/Cargo.toml", "--package", "disclosure-arrow"],
    ),
    ("engine_columns", &["--manifest-path", "crates/privacy-sql/Cargo.toml", "--package", "privacy-sql-columns"]),
];
/// Targets do most of the work, and are not optimised where they are tests.
const OPTIMISED: [&str; 2] = ["--config", "profile.release.package.fuzz-targets.opt-level=2"];

pub(crate) fn run(root: &Path, args: &FuzzArgs) -> Result<(), Error> {
    let only = args.only.as_deref();
    if OUTSIDE.iter().all(|&(target, _)| only != Some(target)) {
        let program = ["run", "--release", "--package", "fuzz-targets", OPTIMISED[0], OPTIMISED[1], "--"];
        cargo(root, &program, args)?;
    }
    let outside = OUTSIDE.iter().filter(|(target, _)| only.is_none_or(|only| only == *target));
    outside.into_iter().try_for_each(|&(_, place)| {
        let program = [&["run"], place, &["--example", "fuzz", "--"]].concat();
        cargo(root, &program, args)
    })
}

/// Runs a program of targets with the options of the command.
fn cargo(root: &Path, program: &[&str], args: &FuzzArgs) -> Result<(), Error> {
    let mut words: Vec<String> = program.iter().map(|&word| word.to_owned()).collect();
    words.extend(["--seed".to_owned(), args.seed.to_string()]);
    words.extend(match args.runs {
        Some(runs) => ["--runs".to_owned(), runs.to_string()],
        None => ["--seconds".to_owned(), args.seconds.to_string()],
    });
    words.extend(args.only.iter().flat_map(|name| ["--only".to_owned(), name.clone()]));
    let cargo = crate::workspace::cargo();
    let status = Command::new(cargo).args(&words).current_dir(root).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Step { command: format!("cargo {}", words.join(" ")) }),
    }
}
