//! The command is a shell over the jobs: what neither of them may contain, and how far `run`
//! reaches.

use std::collections::BTreeSet;
use std::path::Path;

use crate::api::crates;
use crate::circles;
use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

const JOBS: &str = "crates/disclosure-jobs/src";
const COMMAND: &str = "crates/disclosure-cli/src";

/// What a library of jobs must not contain: terminals, command lines, standard streams, a
/// generator of its own, kinds of promises as texts, sentences that are cut apart, and JSON that
/// is looked up by key.
const NOT_IN_JOBS: &[&str] = &[
    "clap",
    "anstream",
    "stdin",
    "stdout",
    "SysRng",
    "eprint",
    "kind: &'static str",
    "split_once(\": \")",
    "[\"schema\"]",
];

/// The mechanisms, which the command reaches through jobs alone.
const NOT_IN_COMMAND: &[&str] = &[
    "disclosure::frechet",
    "disclosure::magnitude",
    "disclosure::resplan",
    "disclosure::lcf",
    "disclosure::ldp",
    "disclosure::screen",
    "disclosure_jobs::disclosure::frechet",
];

/// Most lines of the command: 6,000 for five mechanisms and the pipeline, 300 for tables of
/// amounts, 220 for signals and the line that says how far a job is, which no library has, 200 for
/// ledgers that a release makes, patterns that are drawn, and what a refused plan would need, 250
/// for adaptive marginals, 250 for other sources of data and other shells that share this code, 100
/// for perturbed tables, 100 for the form of tables that are written, 100 for help texts with one
/// item a line, 150 for what invalid command lines print, which fuzz targets read, 40 for outputs
/// that must not replace what is kept or read.
const MOST_LINES: usize = 7_710;

/// Most files of the command that `run` reaches through imports.
const MOST_FILES: usize = 12;

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = forbidden(root, JOBS, NOT_IN_JOBS)?;
    found.extend(forbidden(root, COMMAND, NOT_IN_COMMAND)?);
    let mut lines = 0;
    for file in workspace::files(&root.join(COMMAND))? {
        lines += workspace::read(&file)?.lines().count();
    }
    if lines > MOST_LINES {
        found.push(Breach::new(COMMAND, format!("has {lines} lines, at most {MOST_LINES} are those of a shell")));
    }
    let command = crates::all(root)?.into_iter().find(|library| library.name == "disclosure-cli");
    let reached = command.map_or_else(BTreeSet::new, |command| circles::reached_from(&command, "run"));
    if reached.len() > MOST_FILES {
        let names: Vec<String> = reached.iter().map(|name| name.join("::")).collect();
        let problem = format!("`run` reaches {} files, at most {MOST_FILES} may it: {}", names.len(), names.join(", "));
        found.push(Breach::new(COMMAND, problem));
    }
    Ok(found)
}

/// Places that contain one of the words.
fn forbidden(root: &Path, folder: &str, words: &[&str]) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for file in workspace::files(&root.join(folder))? {
        for (number, line) in (1..).zip(workspace::read(&file)?.lines()) {
            for word in words.iter().filter(|word| line.contains(**word)) {
                let place = format!("{}:{number}", shown(&file, root));
                found.push(Breach::new(place, format!("{word} does not belong here: see docs/architecture.md")));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(jobs: &str, command: &str) -> usize {
        let root = tempfile::tempdir().unwrap();
        for (folder, file, text) in [(JOBS, "lib.rs", jobs), (COMMAND, "main.rs", command)] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join(file), text).unwrap();
        }
        breaches(root.path()).unwrap().len()
    }

    #[test]
    fn a_library_with_a_terminal_and_a_command_with_a_mechanism_are_breaches() {
        assert_eq!(found("fn f() {}", "fn main() {}"), 0);
        for word in NOT_IN_JOBS {
            assert_eq!(found(&format!("// {word}"), ""), 1, "{word}");
        }
        assert_eq!(found("", "use disclosure::lcf::Odds;"), 1);
        assert_eq!(found("", &"\n".repeat(MOST_LINES + 1)), 1);
    }
}
