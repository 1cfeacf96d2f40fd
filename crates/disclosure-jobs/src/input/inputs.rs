//! Which files this process has read for jobs, so that no output takes the place of one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::JobError;
use crate::sink::check_apart;

/// Their names from the root.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Notes a file that is read.
pub(crate) fn note(path: &Path) {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
}

/// Refuses an output in the place of a file that was read: data, a job, what a job names. A program
/// that may replace files asks before it does.
///
/// # Errors
/// E0200.
pub fn check_not_read(output: &Path) -> Result<(), JobError> {
    // Nothing is lost where nothing is: there may be thousands of inputs to compare with.
    if std::fs::symlink_metadata(output).is_err() {
        return Ok(());
    }
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    check_apart(Some(output), &read.iter().map(PathBuf::as_path).collect::<Vec<_>>())
}
