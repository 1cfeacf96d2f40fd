//! Where mutants are made, and with which tests they are run: `xtask/mutants.toml`.

use std::path::Path;

use serde::Deserialize;

use super::build::Program;
use crate::workspace::{self, Error, OF_TESTS, shown};

const LIST: &str = "xtask/mutants.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    area: Vec<Area>,
}

/// Files of a crate, and the tests that have to notice an error in them.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Area {
    /// The crate, which is in the directory `crates/NAME`.
    pub(super) name: String,
    /// Patterns of files, from the directory of the crate.
    files: Vec<String>,
    /// Features of the crates whose tests are compiled, such as `resplan/linalg`.
    #[serde(default)]
    pub(super) features: Vec<String>,
    /// Other crates whose tests are run too.
    #[serde(default)]
    pub(super) tests_of: Vec<String>,
    /// The modules of `tests/all.rs` that are run beside the tests of the libraries; without any,
    /// all.
    #[serde(default)]
    pub(super) tests: Vec<String>,
}

impl Area {
    /// Whether a test of one of its programs is run.
    pub(super) fn has_test(&self, program: &Program, test: &str) -> bool {
        program.is_library || self.tests.is_empty() || self.tests.iter().any(|module| is_of(test, module))
    }

    /// The crates whose tests are run, and the packages of these tests, if they have their own.
    pub(super) fn packages(&self, root: &Path) -> Vec<String> {
        let crates = self.tests_of.iter().chain([&self.name]);
        let has_package = |name: &&String| root.join("crates").join(name).join("tests/Cargo.toml").is_file();
        let tests = crates.clone().filter(has_package).map(|name| format!("{name}{OF_TESTS}"));
        crates.cloned().chain(tests).collect()
    }

    pub(super) fn directory(&self) -> String {
        format!("crates/{}", self.name)
    }

    /// Its files, from the root, that match one of the patterns if there are any; those of tests
    /// are left out.
    pub(super) fn files(&self, root: &Path, only: &[String]) -> Result<Vec<String>, Error> {
        let (patterns, only) = (patterns(&self.files)?, patterns(only)?);
        let directory = root.join(self.directory());
        let mut found = Vec::new();
        for path in workspace::files(&directory.join("src"))? {
            let within = shown(&path, &directory);
            let is_tests = path.components().any(|part| part.as_os_str() == "tests") || within.ends_with("/tests.rs");
            let is_chosen = patterns.iter().any(|pattern| pattern.matches(&within));
            let from_root = shown(&path, root);
            let is_asked = only.is_empty() || only.iter().any(|only| only.matches(&within) || only.matches(&from_root));
            if within.ends_with(".rs") && is_chosen && is_asked && !is_tests {
                found.push(from_root);
            }
        }
        Ok(found)
    }
}

/// Whether a test is in a module of its program.
pub(super) fn is_of(test: &str, module: &str) -> bool {
    test.split("::").next() == Some(module)
}

fn patterns(texts: &[String]) -> Result<Vec<glob::Pattern>, Error> {
    let pattern = |text: &String| {
        glob::Pattern::new(text).map_err(|error| Error::Mutants(format!("the pattern {text}: {error}")))
    };
    texts.iter().map(pattern).collect()
}

/// The areas of a crate, or all of them.
pub(super) fn areas(root: &Path, package: Option<&str>) -> Result<Vec<Area>, Error> {
    let path = root.join(LIST);
    let list: Result<List, _> = toml::from_str(&workspace::read(&path)?);
    let list = list.map_err(|source| Error::Toml { path, source: Box::new(source) })?;
    let found: Vec<Area> = list.area.into_iter().filter(|area| package.is_none_or(|name| area.name == name)).collect();
    match found.is_empty() {
        true => Err(Error::Mutants(format!("{LIST} has no area of that crate"))),
        false => Ok(found),
    }
}
