//! Mutants: the code with small errors in it, which the tests have to notice. `cargo-mutants` makes
//! and runs them; `.cargo/mutants.toml` says where.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Error;

#[derive(clap::Args)]
pub(crate) struct MutantsArgs {
    /// Only what differs from this commit, uncommitted changes included
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "main")]
    changed: Option<String>,
    /// Only this crate
    #[arg(long, value_name = "CRATE")]
    package: Option<String>,
    /// Show the mutants, and run none
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(root: &Path, args: &MutantsArgs) -> Result<(), Error> {
    if !is_installed() {
        println!("SKIPPED, since cargo-mutants is missing: no mutant was run (cargo install cargo-mutants --locked)");
        return Ok(());
    }
    let diff = args.changed.as_deref().map(|commit| difference(root, commit)).transpose()?;
    if diff.as_ref().is_some_and(|(_, is_empty)| *is_empty) {
        println!("nothing differs: no mutant was run");
        return Ok(());
    }
    let words = words(args, diff.as_ref().map(|(path, _)| path.as_path()));
    succeeds(cargo().args(&words).current_dir(root), &format!("cargo {}", words.join(" ")))
}

fn words(args: &MutantsArgs, diff: Option<&Path>) -> Vec<String> {
    let mut words: Vec<String> = ["mutants", "--output", "target", "--no-shuffle"].map(str::to_owned).to_vec();
    words.extend(diff.iter().flat_map(|path| ["--in-diff".to_owned(), path.display().to_string()]));
    words.extend(args.package.iter().flat_map(|name| ["--package".to_owned(), name.clone()]));
    words.extend(args.list.then(|| "--list".to_owned()));
    words
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn is_installed() -> bool {
    let asked = cargo().args(["mutants", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// What differs from a commit, in a file; and whether that is nothing.
fn difference(root: &Path, commit: &str) -> Result<(PathBuf, bool), Error> {
    let shown = format!("git diff {commit}");
    let output = Command::new("git").args(["diff", commit, "--", "*.rs"]).current_dir(root).output();
    let output = output.ok().filter(|output| output.status.success()).ok_or(Error::Step { command: shown })?;
    let path = root.join("target/changed.diff");
    let written = std::fs::create_dir_all(root.join("target")).and_then(|()| std::fs::write(&path, &output.stdout));
    written.map_err(|source| Error::File { path: path.clone(), source })?;
    Ok((path, output.stdout.is_empty()))
}

fn succeeds(command: &mut Command, shown: &str) -> Result<(), Error> {
    match command.status().is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Step { command: shown.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_cargo_mutants() {
        let args = MutantsArgs { changed: Some("main".to_owned()), package: Some("lcf".to_owned()), list: true };
        let words = words(&args, Some(Path::new("d.diff"))).join(" ");
        assert_eq!(words, "mutants --output target --no-shuffle --in-diff d.diff --package lcf --list");
    }
}
