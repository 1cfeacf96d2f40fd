//! The corpus: the files of a target, and whether one makes it fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crate::Target;

/// The files of a target's folder in `fixtures/corpus/`, by name; none where there is no folder.
#[must_use]
pub fn corpus_of(target: &Target) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus").join(target.name);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name != "SOURCES.toml"));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Whether a target accepts these bytes.
///
/// # Errors
/// The words of its panic, where it fails.
pub(crate) fn outcome(target: &Target, bytes: &[u8]) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).map_err(|panicked| {
        let words = panicked.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panicked.downcast_ref::<&str>().map(|words| (*words).to_owned()));
        words.unwrap_or_else(|| "a panic".to_owned())
    })
}

/// Why a target fails on these bytes: the words of its panic, or nothing.
#[must_use]
pub fn fails(target: &Target, bytes: &[u8]) -> Option<String> {
    outcome(target, bytes).err()
}
