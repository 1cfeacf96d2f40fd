//! What became of each mutant, kept below `target/mutants` so that a run that was stopped goes on.
//!
//! A mutant that was caught stays caught while its file is as it was, above the tests at its end,
//! and the test that failed is: tests are added. One that survived is tried again when any source
//! of its crate has changed, tests among them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Mutant;
use super::areas::Area;
use crate::workspace::{self, Error};

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end in time.
    TimedOut,
    Survived,
    /// Survived, and no test executes the place.
    Unreached,
}

impl Outcome {
    pub(super) fn is_caught(self) -> bool {
        matches!(self, Self::Caught | Self::TimedOut)
    }
}

/// A line of the file of results.
#[derive(Debug, Deserialize, Serialize)]
struct Line {
    file: String,
    /// Of the file, without the tests at its end.
    digest: String,
    /// Of all sources of the crates whose tests are run.
    sources: String,
    start: usize,
    text: String,
    outcome: Outcome,
    /// The test that failed.
    by: Option<String>,
    /// The digest of its text.
    #[serde(default)]
    test: Option<String>,
}

pub(super) struct Results {
    path: PathBuf,
    file: File,
    sources: String,
    tests: Tests,
    /// By file, digest, first byte and text.
    known: BTreeMap<(String, String, usize, String), Outcome>,
}

impl Results {
    pub(super) fn open(root: &Path, area: &Area) -> Result<Self, Error> {
        let path = root.join(format!("target/mutants/{}.jsonl", area.name));
        let failed = |source| Error::File { path: path.clone(), source };
        std::fs::create_dir_all(root.join("target/mutants")).map_err(failed)?;
        let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        let tests = Tests(sources(root, area)?);
        let sources = digest(tests.0.concat().as_bytes());
        let mut known = BTreeMap::new();
        // The last line of a run that was stopped may be half a line.
        for line in workspace::read(&path)?.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let is_caught_again =
                line.outcome.is_caught() && line.test.is_some() && line.test == tests.digest(&line.by);
            if is_caught_again || line.sources == sources {
                known.insert((line.file, line.digest, line.start, line.text), line.outcome);
            }
        }
        Ok(Self { path, file, sources, tests, known })
    }

    pub(super) fn known(&self, mutant: &Mutant) -> Option<Outcome> {
        self.known.get(&key(mutant)).copied()
    }

    pub(super) fn add(&mut self, mutant: &Mutant, outcome: Outcome, by: Option<&str>) -> Result<(), Error> {
        let (file, digest, start, text) = key(mutant);
        let by = by.map(str::to_owned);
        let test = self.tests.digest(&by);
        let line = Line { file, digest, sources: self.sources.clone(), start, text, outcome, by, test };
        let line = format!("{}\n", serde_json::to_string(&line)?);
        self.known.insert(key(mutant), outcome);
        self.file.write_all(line.as_bytes()).map_err(|source| Error::File { path: self.path.clone(), source })
    }
}

fn key(mutant: &Mutant) -> (String, String, usize, String) {
    (mutant.file.clone(), mutant.digest.clone(), mutant.start, mutant.change.text.clone())
}

/// What stands above the tests at the end of a file. A module of tests in another file ends
/// nothing.
pub(super) fn above_tests(text: &str) -> &str {
    let Some(module) = text.rfind("\nmod tests {") else { return text };
    let above = text[..module].rfind('\n').unwrap_or(0);
    if text[above..module].trim_start().starts_with("#[cfg(") { &text[..above] } else { text }
}

/// The sources of the crates whose tests are run.
pub(super) struct Tests(pub(super) Vec<String>);

impl Tests {
    /// The digest of the text of a test, by its name; `None` of one that was removed.
    pub(super) fn digest(&self, name: &Option<String>) -> Option<String> {
        let head = format!("fn {}(", name.as_ref()?.rsplit("::").next()?);
        let found: Vec<&str> = self.0.iter().filter_map(|text| function(text, &head)).collect();
        (!found.is_empty()).then(|| digest(found.concat().as_bytes()))
    }
}

/// The lines of a function, to the bracket below its first letter.
fn function<'a>(text: &'a str, head: &str) -> Option<&'a str> {
    let begin = text[..text.find(head)?].rfind('\n').map_or(0, |end| end + 1);
    let indent = text[begin..].len() - text[begin..].trim_start_matches(' ').len();
    let end = format!("\n{}}}\n", " ".repeat(indent));
    Some(text[begin..].find(&end).map_or(&text[begin..], |length| &text[begin..begin + length]))
}

/// The texts of all sources of the crates whose tests are run.
fn sources(root: &Path, area: &Area) -> Result<Vec<String>, Error> {
    let mut all = Vec::new();
    for name in area.tests_of.iter().chain([&area.name]) {
        let files = workspace::files(&root.join("crates").join(name))?;
        for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            all.push(workspace::read(path)?);
        }
    }
    Ok(all)
}

pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
