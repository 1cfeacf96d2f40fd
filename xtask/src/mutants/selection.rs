//! Which of the mutants to run: those of changed lines, or a sample.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use super::{Mutant, MutantsArgs, results};
use crate::workspace::Error;

pub(super) fn chosen(root: &Path, all: &[Mutant], args: &MutantsArgs) -> Result<Vec<Mutant>, Error> {
    let mut chosen = all.to_vec();
    if let Some(commit) = &args.changed {
        if !knows(root, commit) {
            if has_history(root) {
                return Err(Error::Mutants(format!("git does not have {commit}")));
            }
            println!("SKIPPED: git does not have {commit} here");
            return Ok(Vec::new());
        }
        let lines = changed_lines(&difference(root, commit)?);
        let is_changed = |mutant: &Mutant| {
            lines.get(&mutant.file).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&mutant.line)))
        };
        chosen.retain(is_changed);
    }
    Ok(match args.sample {
        Some(size) => sample(chosen, size, args.seed),
        None => chosen,
    })
}

/// A sample without replacement: the least digests with the seed, in the order of the files.
pub(super) fn sample(mut mutants: Vec<Mutant>, size: usize, seed: u64) -> Vec<Mutant> {
    let rank = |mutant: &Mutant| {
        let Mutant { file, start, change, .. } = mutant;
        results::digest(format!("{seed} {file} {start} {}", change.text).as_bytes())
    };
    mutants.sort_by_cached_key(rank);
    mutants.truncate(size);
    mutants.sort_by_key(|mutant| mutant.number);
    mutants
}

fn knows(root: &Path, commit: &str) -> bool {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--quiet", "--verify"]).arg(format!("{commit}^{{commit}}")).current_dir(root);
    git.output().is_ok_and(|output| output.status.success())
}

/// Whether all commits are here: a clone may come without them, and an archive without git.
fn has_history(root: &Path) -> bool {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--is-shallow-repository"]).current_dir(root);
    git.output().is_ok_and(|output| output.stdout.starts_with(b"false"))
}

fn difference(root: &Path, commit: &str) -> Result<String, Error> {
    let failed = || Error::Step { command: format!("git diff {commit}") };
    // Whatever the settings of a user say of prefixes, colours and other programs.
    let form = ["--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
    let output =
        Command::new("git").args(["diff", "-U0"]).args(form).args([commit, "--", "*.rs"]).current_dir(root).output();
    let output = output.ok().filter(|output| output.status.success()).ok_or_else(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines that a difference without context has added, by file.
pub(super) fn changed_lines(difference: &str) -> BTreeMap<String, Vec<Range<usize>>> {
    let mut found: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
    let mut file = String::new();
    for line in difference.lines() {
        if let Some(path) = line.strip_prefix("+++ b/") {
            file = path.to_owned();
        } else if let Some(range) = line.strip_prefix("@@ -").and_then(added) {
            found.entry(file.clone()).or_default().push(range);
        }
    }
    found
}

/// `1,2 +3,4 @@` adds lines 3 to 6.
fn added(heading: &str) -> Option<Range<usize>> {
    let words = heading.split(' ').nth(1)?.strip_prefix('+')?;
    let (first, count) = words.split_once(',').unwrap_or((words, "1"));
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    Some(first..first + count)
}
