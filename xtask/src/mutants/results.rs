//! What became of each mutant, kept below `target/mutants` so that a run that was stopped goes on.
//!
//! A mutant that was caught stays caught while its file is as it was, above the tests at its end:
//! tests are added. One that survived is tried again when any source of its crate has changed,
//! tests among them.

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
}

pub(super) struct Results {
    path: PathBuf,
    file: File,
    sources: String,
    /// By file, digest, first byte and text.
    known: BTreeMap<(String, String, usize, String), Outcome>,
}

impl Results {
    pub(super) fn open(root: &Path, area: &Area) -> Result<Self, Error> {
        let path = root.join(format!("target/mutants/{}.jsonl", area.name));
        let failed = |source| Error::File { path: path.clone(), source };
        std::fs::create_dir_all(root.join("target/mutants")).map_err(failed)?;
        let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        let sources = sources(root, area)?;
        let mut known = BTreeMap::new();
        // The last line of a run that was stopped may be half a line.
        for line in workspace::read(&path)?.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let key = (line.file, line.digest, line.start, line.text);
            if line.outcome.is_caught() || line.sources == sources {
                known.insert(key, line.outcome);
            }
        }
        Ok(Self { path, file, sources, known })
    }

    pub(super) fn known(&self, mutant: &Mutant) -> Option<Outcome> {
        self.known.get(&key(mutant)).copied()
    }

    pub(super) fn add(&mut self, mutant: &Mutant, outcome: Outcome, by: Option<&str>) -> Result<(), Error> {
        let (file, digest, start, text) = key(mutant);
        let by = by.map(str::to_owned);
        let line = Line { file, digest, sources: self.sources.clone(), start, text, outcome, by };
        let line = format!("{}\n", serde_json::to_string(&line)?);
        self.known.insert(key(mutant), outcome);
        self.file.write_all(line.as_bytes()).map_err(|source| Error::File { path: self.path.clone(), source })
    }
}

fn key(mutant: &Mutant) -> (String, String, usize, String) {
    (mutant.file.clone(), mutant.digest.clone(), mutant.start, mutant.change.text.clone())
}

/// What stands above the tests of a file.
pub(super) fn above_tests(text: &str) -> &str {
    let ends = ["\n#[cfg(test)]\nmod tests", "\n#[cfg(all(test"].map(|mark| text.find(mark).unwrap_or(text.len()));
    &text[..ends[0].min(ends[1])]
}

/// The digest of all sources of the crates whose tests are run.
fn sources(root: &Path, area: &Area) -> Result<String, Error> {
    let mut all = Vec::new();
    for name in area.tests_of.iter().chain([&area.name]) {
        let files = workspace::files(&root.join("crates").join(name))?;
        for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            all.push(workspace::digest(path)?);
        }
    }
    Ok(digest(all.concat().as_bytes()))
}

pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
