//! The tests of a crate with mutants, compiled once; mutants that do not compile are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};

use super::areas::Area;
use super::rewrite;
use crate::workspace::{Error, INSIDE};

/// How often the compiler may refuse: each of its passes sees only what the ones before let by.
const MOST_ROUNDS: usize = 20;

/// A program of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Whether its tests are those inside a library, not of `tests/`.
    pub(super) is_library: bool,
    /// The directory of its package, in which it is run.
    pub(super) package: PathBuf,
}

/// Compiles until no mutant is in the way; `write` writes the sources with the mutants that are
/// left and says what they are, by path.
pub(super) fn build(
    tree: &Path,
    target: &Path,
    area: &Area,
    live: &mut BTreeSet<u32>,
    mut write: impl FnMut(&BTreeSet<u32>) -> Result<BTreeMap<String, String>, Error>,
) -> Result<Vec<Program>, Error> {
    for _ in 0..MOST_ROUNDS {
        let files = write(live)?;
        let messages = compiled(tree, target, area)?;
        let errors: Vec<&Diagnostic> = messages.iter().filter_map(error).collect();
        if errors.is_empty() {
            return programs(&messages, area);
        }
        let dropped: BTreeSet<u32> = errors.iter().flat_map(|error| culprits(error, &files)).collect();
        let before = live.len();
        live.retain(|number| !dropped.contains(number));
        if live.len() == before {
            let shown: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
            return Err(Error::Mutants(format!("an error that is no mutant's:\n{}", shown.join("\n"))));
        }
        println!("{} mutants do not compile", before - live.len());
    }
    Err(Error::Mutants(format!("still not compiled after {MOST_ROUNDS} rounds")))
}

fn compiled(tree: &Path, target: &Path, area: &Area) -> Result<Vec<Message>, Error> {
    let mut command = Command::new(crate::workspace::cargo());
    command.args(["test", "--release", "--locked", "--no-run", "--tests", "--quiet"]);
    command.arg("--message-format=json");
    for package in area.packages(tree) {
        command.args(["--package", &package]);
    }
    if !area.features.is_empty() {
        command.args(["--features", &area.features.join(",")]);
    }
    // A wrapper of `cargo run` has named its own package.
    command.env_remove("CARGO_MANIFEST_DIR").env("CARGO_TARGET_DIR", target);
    let output = command.current_dir(tree).stdin(Stdio::null()).output();
    let output = output.map_err(|_| Error::Step { command: "cargo test --no-run".to_owned() })?;
    let messages: Vec<Message> = Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok).collect();
    let is_explained = output.status.success() || messages.iter().any(|message| error(message).is_some());
    if is_explained { Ok(messages) } else { Err(Error::Mutants(String::from_utf8_lossy(&output.stderr).into_owned())) }
}

/// An error with a place: what follows from others has none.
fn error(message: &Message) -> Option<&Diagnostic> {
    let Message::CompilerMessage(message) = message else { return None };
    let is_error = matches!(message.message.level, DiagnosticLevel::Error | DiagnosticLevel::Ice);
    (is_error && !message.message.spans.is_empty()).then_some(&message.message)
}

/// The mutants that an error is about.
fn culprits(error: &Diagnostic, files: &BTreeMap<String, String>) -> Vec<u32> {
    let mut by_file: BTreeMap<String, Vec<(bool, usize)>> = BTreeMap::new();
    for span in error.spans.iter().flat_map(with_expansions) {
        // A crate whose tests are a package is compiled from there too.
        let name = span.file_name.replacen("tests/../", "", 1);
        by_file.entry(name).or_default().push((!span.is_primary, span.byte_start as usize));
    }
    let mut found = Vec::new();
    for (name, mut spans) in by_file {
        spans.sort_unstable();
        let places: Vec<usize> = spans.into_iter().map(|(_, place)| place).collect();
        found.extend(files.get(&name).iter().flat_map(|text| rewrite::mutants_at(text, &places)));
    }
    found
}

/// A span, and the calls of macros that it came from.
fn with_expansions(span: &DiagnosticSpan) -> Vec<&DiagnosticSpan> {
    let mut all = vec![span];
    while let Some(expansion) = all.last().and_then(|span| span.expansion.as_ref()) {
        all.push(&expansion.span);
    }
    all
}

fn programs(messages: &[Message], area: &Area) -> Result<Vec<Program>, Error> {
    let mut found = Vec::new();
    for message in messages {
        let Message::CompilerArtifact(artifact) = message else { continue };
        let Some(path) = artifact.executable.as_ref().filter(|_| artifact.profile.test) else { continue };
        let package = artifact.manifest_path.parent().map(|package| package.as_std_path().to_path_buf());
        let package = package.unwrap_or_default();
        let name = format!("{}/{}", crate_of(&package), artifact.target.name);
        let is_library = artifact.target.is_lib() || artifact.target.name == INSIDE;
        found.push(Program { name, path: path.as_std_path().to_path_buf(), is_library, package });
    }
    match found.is_empty() {
        true => Err(Error::Mutants(format!("{} has no tests", area.name))),
        false => Ok(found),
    }
}

/// The crate of a package in its directory, or in the directory of its tests.
fn crate_of(package: &Path) -> String {
    let directory = if package.ends_with("tests") { package.parent() } else { Some(package) };
    directory.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}
