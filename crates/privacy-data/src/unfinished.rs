//! What would stay behind if the process ended now, for a process that has to end at once.
//!
//! Files and directories that are there only while something is written are registered before
//! anything else can happen to them, and every step that makes one visible under its final name
//! takes the same lock. So [`abandon`] finds each output whole or not at all.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::storage::StorageRef;

struct Entries {
    unfinished: BTreeMap<u64, (StorageRef, PathBuf)>,
    next: u64,
    finished: Vec<PathBuf>,
}

/// How many outputs are finished: read without a lock, which a child that was forked may find held
/// for ever.
static FINISHED: AtomicUsize = AtomicUsize::new(0);

static ENTRIES: Mutex<Entries> = Mutex::new(Entries { unfinished: BTreeMap::new(), next: 0, finished: Vec::new() });

/// Held by a thread that must not be interrupted; taken before [`ENTRIES`].
static WHOLE: Mutex<()> = Mutex::new(());

/// What was finished when the process was abandoned.
static ABANDONED: Mutex<Option<Vec<PathBuf>>> = Mutex::new(None);

/// A thread that panicked while it held a lock leaves entries that can still be removed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or a directory that is there while something is written. Dropped, it is removed, unless
/// it has moved to its final name by then.
#[derive(Debug)]
pub struct Unfinished {
    storage: StorageRef,
    path: PathBuf,
    number: u64,
}

impl Unfinished {
    /// Makes the entry at `path` by `make`, which does not wait for anything; none where `make`
    /// gives none.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn make<T>(
        storage: &StorageRef,
        path: &Path,
        make: impl FnOnce() -> io::Result<Option<T>>,
    ) -> io::Result<Option<(Self, T)>> {
        let mut entries = locked(&ENTRIES);
        let Some(made) = make()? else { return Ok(None) };
        let number = entries.next;
        entries.next += 1;
        entries.unfinished.insert(number, (Arc::clone(storage), path.to_owned()));
        Ok(Some((Self { storage: Arc::clone(storage), path: path.to_owned(), number }, made)))
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
        remove(&self.storage, &self.path);
        entries.unfinished.remove(&self.number);
    }
}

/// Nothing better can be done about a failure here: what is at the final name was not touched, and
/// the next writer of it removes what is left.
fn remove(storage: &StorageRef, path: &Path) {
    let _ = storage.remove(path);
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
    act().inspect(|()| {
        entries.finished.extend(shown.map(Path::to_owned));
        FINISHED.store(entries.finished.len(), Ordering::Release);
    })
}

/// Runs something to its end before [`abandon`] can begin: a charge, and the note that it was made.
pub fn whole<T>(act: impl FnOnce() -> T) -> T {
    let _whole = locked(&WHOLE);
    act()
}

/// The outputs of this process that are there, whole, by the names that they were asked for under.
#[must_use]
pub fn finished() -> Vec<PathBuf> {
    locked(&ENTRIES).finished.clone()
}

/// How many of them there are.
#[must_use]
pub fn number_finished() -> usize {
    FINISHED.load(Ordering::Acquire)
}

/// Removes everything that is unfinished, for a process that ends right after this: any thread that
/// begins or finishes an output from now on waits for ever. Gives the outputs that are there,
/// whole, by the names that they were asked for under; the same to a second thread that ends the
/// process.
pub fn abandon() -> Vec<PathBuf> {
    let mut abandoned = locked(&ABANDONED);
    if let Some(finished) = &*abandoned {
        return finished.clone();
    }
    std::mem::forget(locked(&WHOLE));
    let entries = locked(&ENTRIES);
    entries.unfinished.values().for_each(|(storage, path)| remove(storage, path));
    let finished = entries.finished.clone();
    std::mem::forget(entries);
    *abandoned = Some(finished.clone());
    finished
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::storage::system;

    /// `abandon` itself ends all writing of a process: the tests of the command run it.
    #[test]
    fn an_entry_is_registered_while_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let [file, directory] = ["file", "directory"].map(|name| home.path().join(name));
        let is_known = |path: &Path| locked(&ENTRIES).unfinished.values().any(|(_, known)| known == path);
        let make = |path, make: &dyn Fn() -> io::Result<Option<()>>| Unfinished::make(&system(), path, make).unwrap();
        let (one, ()) = make(&file, &|| fs::write(&file, "half").map(Some)).unwrap();
        let (other, ()) = make(&directory, &|| fs::create_dir(&directory).map(Some)).unwrap();
        fs::write(other.path().join("inside"), "half").unwrap();
        assert!(is_known(&file) && is_known(&directory));
        drop((one, other));
        assert!(!is_known(&file) && !is_known(&directory));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        assert!(make(&file, &|| Ok(None)).is_none() && !is_known(&file));
    }

    #[test]
    fn an_output_is_finished_once_it_has_its_name() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("whole");
        let path = home.path().join("half");
        let made = Unfinished::make(&system(), &path, || fs::write(&path, "text").map(Some));
        let (half, ()) = made.unwrap().unwrap();
        assert!(finish(Some(&target), || Err(())).is_err() && !finished().contains(&target));
        finish(Some(&target), || fs::rename(half.path(), &target)).unwrap();
        drop(half);
        assert!(finished().contains(&target) && target.exists());
    }
}
