//! What would stay behind if the process ended now, for a process that has to end at once.
//!
//! Files and directories that are there only while something is written are registered before
//! anything else can happen to them, and every step that makes one visible under its final name
//! takes the same lock. So [`abandon`] finds each output whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Entries {
    unfinished: BTreeSet<PathBuf>,
    finished: Vec<PathBuf>,
}

static ENTRIES: Mutex<Entries> = Mutex::new(Entries { unfinished: BTreeSet::new(), finished: Vec::new() });

/// Held by a thread that must not be interrupted; taken before [`ENTRIES`].
static WHOLE: Mutex<()> = Mutex::new(());

/// A thread that panicked while it held a lock leaves entries that can still be removed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or a directory that is there while something is written. Dropped, it is removed, unless
/// it has moved to its final name by then.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Makes the entry at `path` by `make`, which does not wait for anything; none where `make`
    /// gives none.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn make<T>(path: &Path, make: impl FnOnce() -> io::Result<Option<T>>) -> io::Result<Option<(Self, T)>> {
        let mut entries = locked(&ENTRIES);
        Ok(make()?.map(|made| {
            entries.unfinished.insert(path.to_owned());
            (Self { path: path.to_owned() }, made)
        }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut entries = locked(&ENTRIES);
        remove(&self.path);
        entries.unfinished.remove(&self.path);
    }
}

/// Nothing better can be done about a failure here: what is at the final name was not touched.
fn remove(path: &Path) {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let _ = if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Does one short step that an abandoned process must not do any more: makes an entry in an
/// unfinished directory.
pub(crate) fn step<T>(act: impl FnOnce() -> T) -> T {
    let _entries = locked(&ENTRIES);
    act()
}

/// Moves something to its final name; an output is `shown` by the name that was asked for, a
/// ledger and its kin are not outputs.
pub(crate) fn finish<E>(shown: Option<&Path>, act: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let mut entries = locked(&ENTRIES);
    act().inspect(|()| entries.finished.extend(shown.map(Path::to_owned)))
}

/// Runs something to its end before [`abandon`] can begin: a charge, and the note that it was made.
pub fn whole<T>(act: impl FnOnce() -> T) -> T {
    let _whole = locked(&WHOLE);
    act()
}

/// Removes everything that is unfinished, for a process that ends right after this: any thread that
/// begins or finishes an output from now on waits for ever. Gives the outputs that are there,
/// whole, by the names that they were asked for under.
pub fn abandon() -> Vec<PathBuf> {
    std::mem::forget(locked(&WHOLE));
    let entries = locked(&ENTRIES);
    entries.unfinished.iter().for_each(|path| remove(path));
    let finished = entries.finished.clone();
    std::mem::forget(entries);
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `abandon` itself ends all writing of a process: the tests of the command run it.
    #[test]
    fn an_entry_is_registered_while_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let [file, directory] = ["file", "directory"].map(|name| home.path().join(name));
        let is_known = |path: &Path| locked(&ENTRIES).unfinished.contains(path);
        let (one, ()) = Unfinished::make(&file, || fs::write(&file, "half").map(Some)).unwrap().unwrap();
        let (other, ()) = Unfinished::make(&directory, || fs::create_dir(&directory).map(Some)).unwrap().unwrap();
        fs::write(other.path().join("inside"), "half").unwrap();
        assert!(is_known(&file) && is_known(&directory));
        drop((one, other));
        assert!(!is_known(&file) && !is_known(&directory));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        assert!(Unfinished::make(&file, || Ok(None::<()>)).unwrap().is_none() && !is_known(&file));
    }

    #[test]
    fn an_output_is_finished_once_it_has_its_name() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("whole");
        let path = home.path().join("half");
        let (half, ()) = Unfinished::make(&path, || fs::write(&path, "text").map(Some)).unwrap().unwrap();
        assert!(finish(Some(&target), || Err(())).is_err() && !locked(&ENTRIES).finished.contains(&target));
        finish(Some(&target), || fs::rename(half.path(), &target)).unwrap();
        drop(half);
        assert!(locked(&ENTRIES).finished.contains(&target) && target.exists());
    }
}
