//! Storages that do not keep the discipline: the same judge must expose each.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure_jobs::privacy_data::storage::{
    Claim, Entry, Held, Kind, NewFile, Opened, Retrying, Storage, StorageRef,
};

use super::disk::Disk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Files are not synced before they are renamed.
    FilesUnsynced,
    /// Directories are not synced after a rename.
    DirectoriesUnsynced,
    /// A file is written over the old one, and not renamed onto it.
    WrittenInPlace,
    /// What a signal interrupts is not done again.
    NotRetried,
    /// Nobody can tell whether a writer is alive.
    LeftoversStay,
}

pub(crate) const FLAWS: [Flaw; 5] =
    [Flaw::FilesUnsynced, Flaw::DirectoriesUnsynced, Flaw::WrittenInPlace, Flaw::NotRetried, Flaw::LeftoversStay];

#[derive(Debug)]
struct Flawed {
    disk: Disk,
    flaw: Flaw,
}

impl Flaw {
    pub(crate) fn storage(self, disk: &Disk) -> StorageRef {
        let flawed = Flawed { disk: disk.clone(), flaw: self };
        if self == Self::NotRetried { Arc::new(flawed) } else { Arc::new(Retrying::new(flawed)) }
    }
}

struct UnsyncedFile(Box<dyn NewFile>);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl NewFile for UnsyncedFile {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for Flawed {
    fn resolve(&self, directory: &Path) -> io::Result<PathBuf> {
        self.disk.resolve(directory)
    }

    fn look_at(&self, path: &Path) -> io::Result<Entry> {
        self.disk.look_at(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk.read_link(path)
    }

    fn names_in(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.disk.names_in(directory)
    }

    fn read(&self, path: &Path, at_most: u64) -> io::Result<Opened> {
        self.disk.read(path, at_most)
    }

    fn make_directory(&self, path: &Path, mode: Option<u32>) -> io::Result<()> {
        self.disk.make_directory(path, mode)
    }

    fn make_file(&self, path: &Path, mode: Option<u32>) -> io::Result<Box<dyn NewFile>> {
        let file = self.disk.make_file(path, mode)?;
        Ok(if self.flaw == Flaw::FilesUnsynced { Box::new(UnsyncedFile(file)) } else { file })
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.disk.set_mode(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.flaw != Flaw::WrittenInPlace || self.disk.look_at(from)?.kind != Kind::File {
            return self.disk.rename(from, to);
        }
        let bytes = self.disk.read(from, u64::MAX)?;
        let mode = self.disk.look_at(from)?.mode;
        if self.disk.look_at(to).is_ok() {
            self.disk.remove(to)?;
        }
        let mut file = self.disk.make_file(to, mode)?;
        file.write_all(&bytes.bytes)?;
        file.sync()?;
        self.disk.remove(from)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        if self.flaw == Flaw::DirectoriesUnsynced { Ok(()) } else { self.disk.sync_directory(path) }
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        if self.flaw == Flaw::LeftoversStay { Ok(Claim::Unknown) } else { self.disk.claim(path) }
    }

    fn lock_file(&self, path: &Path) -> io::Result<Option<Box<dyn Held>>> {
        self.disk.lock_file(path)
    }
}
