//! Operations that a signal interrupted are done again.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Claim, Entry, Held, NewFile, Opened, Storage};

/// Does something again for as long as a signal interrupts it.
///
/// # Errors
/// Those of `act`, that of an interrupt apart.
pub fn retried<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// A storage whose operations are repeated when a signal interrupts them: the standard library
/// does that when it opens, reads and writes, and not when it looks, renames, makes or removes.
#[derive(Debug)]
pub struct Retrying<S> {
    storage: S,
}

impl<S: Storage> Retrying<S> {
    /// Repeats the operations of this storage.
    pub fn new(storage: S) -> Self {
        Self { storage }
    }
}

/// A file whose sync is repeated; the writer of its bytes repeats an interrupted write.
struct RetryingFile(Box<dyn NewFile>);

impl io::Write for RetryingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        retried(|| self.0.flush())
    }
}

impl NewFile for RetryingFile {
    fn sync(&mut self) -> io::Result<()> {
        retried(|| self.0.sync())
    }
}

impl<S: Storage> Storage for Retrying<S> {
    fn resolve(&self, directory: &Path) -> io::Result<PathBuf> {
        retried(|| self.storage.resolve(directory))
    }

    fn look_at(&self, path: &Path) -> io::Result<Entry> {
        retried(|| self.storage.look_at(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        retried(|| self.storage.read_link(path))
    }

    fn names_in(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        retried(|| self.storage.names_in(directory))
    }

    fn read(&self, path: &Path, at_most: u64) -> io::Result<Opened> {
        retried(|| self.storage.read(path, at_most))
    }

    fn make_directory(&self, path: &Path, mode: Option<u32>) -> io::Result<()> {
        retried(|| self.storage.make_directory(path, mode))
    }

    fn make_file(&self, path: &Path, mode: Option<u32>) -> io::Result<Box<dyn NewFile>> {
        let file = retried(|| self.storage.make_file(path, mode))?;
        Ok(Box::new(RetryingFile(file)))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        retried(|| self.storage.set_mode(path, mode))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        retried(|| self.storage.rename_new(from, to))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        retried(|| self.storage.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        retried(|| self.storage.remove(path))
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        retried(|| self.storage.sync_directory(path))
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        retried(|| self.storage.claim(path))
    }

    fn lock_file(&self, path: &Path) -> io::Result<Option<Box<dyn Held>>> {
        retried(|| self.storage.lock_file(path))
    }
}
