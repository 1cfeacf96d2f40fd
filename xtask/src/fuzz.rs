//! Any bytes for every parser, for a time or a number of times: `crates/fuzz-targets` on mutants
//! of `fixtures/corpus/`.

use std::path::Path;
use std::process::Command;

use crate::workspace::Error;

#[derive(clap::Args)]
pub(crate) struct FuzzArgs {
    /// How long, shared by the targets
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

pub(crate) fn run(root: &Path, args: &FuzzArgs) -> Result<(), Error> {
    let mut words = vec!["run".to_owned(), "--release".to_owned()];
    words.extend(["--package", "fuzz-targets", "--"].map(str::to_owned));
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
