//! The exclusive right to write a file that is replaced whole: a lock on `FILE.lock`.
//!
//! The lock cannot be on the file itself, since a replaced file is another one. The writer that has
//! the right removes `FILE.lock` before giving the right back. A writer that waited then holds a
//! lock on a file that is no longer there, notices, and begins again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use privacy_data::storage::{Held, StorageRef};
use privacy_data::unfinished::Unfinished;

use crate::error::JobError;
use crate::regular::{Misplaced, check_place};

/// How long a writer that waits sleeps before it looks again.
const PAUSE: Duration = Duration::from_millis(2);

/// Given back when it is dropped: the fields are dropped in order.
#[derive(Debug)]
pub(crate) struct Lock {
    _path: Unfinished,
    /// Locked until it is closed, which is after its path was removed.
    _file: Box<dyn Held>,
}

/// The error of a job that did not get the right.
pub(crate) fn not_locked((path, misplaced): (PathBuf, Misplaced)) -> JobError {
    misplaced.into_error(&path)
}

/// The lock of a file.
pub(crate) fn lock_of(path: &Path) -> PathBuf {
    beside(path, ".lock")
}

/// The path of a file with more at its end: what is kept for the file stands beside it.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Waits for the right to write `path`.
///
/// # Errors
/// With the path of the lock file, where that cannot be made or locked, or another user can put
/// something in its place.
pub(crate) fn exclusive(storage: &StorageRef, path: &Path) -> Result<Lock, (PathBuf, Misplaced)> {
    let path = lock_of(path);
    // Before anything is made there: in such a place the name may be that of a link.
    check_place(&**storage, &path).map_err(|misplaced| (path.clone(), misplaced))?;
    loop {
        // The file is registered in the step that makes and locks it, so a process that has to end
        // removes it if and only if the right is its own.
        match Unfinished::make(storage, &path, || storage.lock_file(&path)) {
            Ok(Some((entry, file))) => return Ok(Lock { _path: entry, _file: file }),
            Ok(None) => std::thread::sleep(PAUSE),
            Err(error) => return Err((path, Misplaced::System(error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    use privacy_data::storage::system;

    use super::*;

    #[test]
    fn one_writer_at_a_time_and_nothing_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        fs::write(&path, "0").unwrap();
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| count_up(&path, &inside));
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "400");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no lock file is left");
    }

    fn count_up(path: &Path, inside: &AtomicU32) {
        for _ in 0..50 {
            let _lock = exclusive(&system(), path).unwrap();
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "another writer is inside");
            let count: u32 = fs::read_to_string(path).unwrap().parse().unwrap();
            fs::write(path, (count + 1).to_string()).unwrap();
            inside.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_file_that_holds_something_is_no_lock_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("ledger.lock");
        fs::write(&other, "another ledger").unwrap();
        assert!(exclusive(&system(), &directory.path().join("ledger")).is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "another ledger");
    }

    #[test]
    fn a_lock_file_that_a_crash_left_is_taken_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        fs::write(directory.path().join("ledger.lock"), "").unwrap();
        drop(exclusive(&system(), &path).unwrap());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        let (place, _) = exclusive(&system(), &directory.path().join("absent/ledger")).unwrap_err();
        assert_eq!(place, directory.path().join("absent/ledger.lock"));
    }
}
