//! Any bytes for every parser, for a time or a number of times: `crates/fuzz-targets` on mutants
//! of `fixtures/corpus/`.

use std::path::Path;
use std::process::Command;

use crate::workspace::Error;

#[derive(clap::Args)]
pub(crate) struct FuzzArgs {
    /// How long, shared by the targets; `arrow_batch`, outside of the workspace, has as long alone
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

/// The target that is outside of the workspace, and where: Arrow is compiled for it alone.
const ARROW: &str = "arrow_batch";
const ARROW_MANIFEST: &str = "crates/disclosure-arrow/Cargo.toml";
/// Targets do most of the work, and are not optimised where they are tests.
const OPTIMISED: [&str; 2] = ["--config", "profile.release.package.fuzz-targets.opt-level=2"];

pub(crate) fn run(root: &Path, args: &FuzzArgs) -> Result<(), Error> {
    let only = args.only.as_deref();
    if only != Some(ARROW) {
        let program = ["run", "--release", "--package", "fuzz-targets", OPTIMISED[0], OPTIMISED[1], "--"];
        cargo(root, &program, args)?;
    }
    if only.is_none_or(|only| only == ARROW) {
        cargo(root, &["run", "--manifest-path", ARROW_MANIFEST, "--example", "fuzz", "--"], args)?;
    }
    Ok(())
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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(&words).current_dir(root).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Step { command: format!("cargo {}", words.join(" ")) }),
    }
}
