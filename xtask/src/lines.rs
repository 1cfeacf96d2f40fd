//! Which lines the tests run, from the LCOV file of an instrumented run (`cargo llvm-cov`). A line
//! counts once, whatever program it is compiled into and by whatever path that names its file: the
//! tests inside a crate are compiled in another package.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::workspace::{self, Error};

#[derive(clap::Args)]
pub(crate) struct LinesArgs {
    /// The LCOV file: cargo llvm-cov --release --workspace --ignore-run-fail
    /// --no-default-ignore-filename-regex --lcov --output-path FILE
    file: PathBuf,
    /// Name the lines that no test runs, of files with this in their path
    #[arg(long, value_name = "PART")]
    missing: Option<String>,
}

/// The lines of files, and whether each was run.
type Files = BTreeMap<PathBuf, BTreeMap<usize, bool>>;

pub(crate) fn run(root: &Path, args: &LinesArgs) -> Result<(), Error> {
    let files = files(&workspace::read(&args.file)?, root);
    let mut crates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (file, lines) in &files {
        let name: PathBuf = file.components().take(2).collect();
        let (all, run) = crates.entry(name.display().to_string()).or_default();
        *all += lines.len();
        *run += lines.values().filter(|is_run| **is_run).count();
        if args.missing.as_ref().is_some_and(|part| file.to_string_lossy().contains(part.as_str())) {
            let missing = lines.iter().filter(|(_, is_run)| !**is_run).map(|(line, _)| line.to_string());
            println!("{}: {}", file.display(), missing.collect::<Vec<_>>().join(" "));
        }
    }
    println!("| crate | lines | run | share |\n| --- | ---: | ---: | ---: |");
    let (mut all, mut run) = (0, 0);
    for (name, (lines, covered)) in &crates {
        println!("| `{name}` | {lines} | {covered} | {} |", share(*covered, *lines));
        (all, run) = (all + lines, run + covered);
    }
    println!("| all | {all} | {run} | {} |", share(run, all));
    Ok(())
}

fn share(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The files of the product in an LCOV file: `SF:path`, then `DA:line,count` for each line.
fn files(text: &str, root: &Path) -> Files {
    let mut files = Files::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            current = product_file(Path::new(path), root);
        }
        let (Some(file), Some((number, count))) = (&current, line.strip_prefix("DA:").and_then(counted)) else {
            continue;
        };
        *files.entry(file.clone()).or_default().entry(number).or_insert(false) |= count > 0;
    }
    files
}

fn counted(line: &str) -> Option<(usize, u64)> {
    let mut fields = line.split(',');
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// A path from the root without `..`; none for tests, benches and what is outside.
fn product_file(path: &Path, root: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    let file = plain.strip_prefix(root).ok()?;
    let is_other = |part: Component<'_>| {
        ["tests", "benches", "examples", "tests.rs"].map(AsRef::as_ref).contains(&part.as_os_str())
    };
    (!file.components().any(is_other)).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_run_if_any_program_runs_it() {
        let text = "SF:/w/crates/a/src/b.rs\nDA:1,0\nDA:2,3\nend_of_record\n\
                    SF:/w/crates/a/tests/../src/b.rs\nDA:1,7\nDA:3,0\nend_of_record\n\
                    SF:/w/crates/a/src/tests.rs\nDA:1,1\nSF:/other/c.rs\nDA:1,1\n";
        let files = files(text, Path::new("/w"));
        let lines = BTreeMap::from([(1, true), (2, true), (3, false)]);
        assert_eq!(files, Files::from([(PathBuf::from("crates/a/src/b.rs"), lines)]));
    }
}
