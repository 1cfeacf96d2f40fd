//! Outputs that appear whole or not at all.
//!
//! Everything is written to a hidden sibling of the target, synced, and renamed onto it in one
//! step; then the parent directory is synced. A crash leaves the target as it was, and at most
//! the sibling (`.NAME.PID-N.partial`), which the next writer of the same target removes. A target
//! that is a symbolic link is refused, never followed; links among its parent directories are
//! resolved once, at the start.
//! On Unix the mode of what is replaced is kept, and is no wider while it is written; owner and
//! group are those of a new entry, and what replaces nothing has the mode that the umask gives,
//! unless it is for the owner of the data alone: files 0600, folders 0700.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use crate::error::stable_codes;
use crate::storage::{self, NewFile, StorageRef};
use crate::target::{OWNER_ONLY, OWNER_ONLY_DIRECTORY, Replaced, Sibling, Target, system};
use crate::unfinished;

/// Longest file name, in bytes: what common file systems allow.
const MAX_NAME: usize = 255;

/// Why an output was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The system refused an operation. The target is untouched.
    #[error("could not {action} {}", path.display())]
    System {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The output is in its place and whole, but the system could not say that it stays there: a
    /// power cut may undo it. Do not make it again; see that it is on the disk.
    #[error("{} is complete, but the system did not confirm that it survives a power failure", path.display())]
    NotSynced {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The target directory holds files already. Name another, or empty it.
    #[error("{} exists and is not empty", path.display())]
    NotEmpty {
        /// The target.
        path: PathBuf,
    },
    /// The target is a symbolic link, and outputs never go through one. Name the place it points
    /// to.
    #[error("{} is a symbolic link", path.display())]
    Link {
        /// The target.
        path: PathBuf,
    },
    /// The file exists, and nobody asked for it to be replaced. Name another, or ask.
    #[error("{} exists", path.display())]
    Exists {
        /// The target.
        path: PathBuf,
    },
    /// The target exists and is something else. Name another.
    #[error("{} exists and is not a {wanted}", path.display())]
    WrongKind {
        /// The target.
        path: PathBuf,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// The target has no name of its own, like `..` or `/`. Name a new entry in a directory.
    #[error("{} does not name a new file or directory", path.display())]
    NoName {
        /// The target.
        path: PathBuf,
    },
    /// A file name other than letters, digits, `.`, `_`, `-`, with no dot in front, at most 255
    /// bytes.
    #[error(
        "a file name in an output directory can only contain letters, digits, '.', '_' and '-', and must not begin with a dot"
    )]
    FileName,
    /// The same file name twice in one output.
    #[error("a file with this name was already written to the output directory")]
    FileTwice,
}

stable_codes!(OutputError {
    System => "E0103", NotEmpty => "E0111", Link => "E0112", WrongKind => "E0113", NoName => "E0114",
    FileName => "E0115", FileTwice => "E0116", Exists => "E0117", NotSynced => "E0121",
});

/// Has a file written to its end, and syncs it.
fn write_and_sync(file: Box<dyn NewFile>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, file);
    write(&mut file)?;
    file.into_inner().map_err(IntoInnerError::into_error)?.sync()
}

/// An output directory that becomes visible, with all its files, on
/// [`commit`](OutputDir::commit).
///
/// Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputDir {
    target: Target,
    /// The target as it was named.
    shown: PathBuf,
    partial: Sibling,
    /// Where files are written, below the directory; empty for the directory itself.
    folder: PathBuf,
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<PathBuf>,
    /// Files and folders of the directory itself that are for its owner alone.
    for_owner: BTreeSet<PathBuf>,
}

impl OutputDir {
    /// Prepares a directory that will be at `target`; nothing is there until the commit.
    ///
    /// ```
    /// use privacy_data::OutputDir;
    ///
    /// let place = tempfile::tempdir()?;
    /// let release = place.path().join("release");
    /// let mut output = OutputDir::create(&release)?;
    /// output.write("table.csv", b"party,value\nleft,12\n")?;
    /// assert!(!release.exists(), "nothing is there until the commit");
    /// output.commit()?;
    /// assert!(release.join("table.csv").exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputError::NoName`], [`OutputError::Link`], [`OutputError::WrongKind`] and
    /// [`OutputError::NotEmpty`] for a target that will not do, [`OutputError::System`] when its
    /// parent does not exist or may not be written.
    pub fn create(target: &Path) -> Result<Self, OutputError> {
        Self::create_on(&storage::system(), target)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_on(storage: &StorageRef, target: &Path) -> Result<Self, OutputError> {
        let shown = target.to_owned();
        let target = Target::new(storage, target)?;
        let partial = target.directory_beside(target.replaced_directory()?)?;
        let (folder, folders) = (PathBuf::new(), BTreeSet::new());
        Ok(Self { target, shown, partial, folder, folders, names: BTreeSet::new(), for_owner: BTreeSet::new() })
    }

    /// Declares that a file of the directory, or a folder with everything in it, is for the owner
    /// of the data alone: on Unix files have mode 0600 and folders 0700 from the start. Declare it
    /// before it is written.
    pub fn keep_for_owner(&mut self, name: &str) {
        self.for_owner.insert(PathBuf::from(name));
    }

    fn is_for_owner(&self, below: &Path) -> bool {
        below.iter().next().is_some_and(|first| self.for_owner.contains(Path::new(first)))
    }

    /// Has the files that come next stand in a folder of the directory, one name a level; in the
    /// directory itself for `[]`. A folder that is not there yet is made.
    ///
    /// # Errors
    /// [`OutputError::FileName`] as for files; [`OutputError::FileTwice`] for the name of a file;
    /// [`OutputError::System`].
    pub fn enter(&mut self, folders: &[&str]) -> Result<(), OutputError> {
        let mut below = PathBuf::new();
        for folder in folders {
            below.push(checked(folder)?);
            if self.folders.contains(&below) {
                continue;
            }
            if !self.names.insert(folded(&below)) {
                return Err(OutputError::FileTwice);
            }
            let path = self.partial.path().join(&below);
            let mode = self.is_for_owner(&below).then_some(OWNER_ONLY_DIRECTORY);
            unfinished::step(|| self.target.storage().make_directory(&path, mode)).map_err(system("make", &path))?;
            self.folders.insert(below.clone());
        }
        self.folder = below;
        Ok(())
    }

    /// Writes one file and syncs it.
    ///
    /// # Errors
    /// [`OutputError::FileName`] unless `name` is letters, digits, `.`, `_` and `-` with no dot
    /// in front; [`OutputError::FileTwice`]; [`OutputError::System`]. After an error of the
    /// system, drop the directory.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        self.write_with(name, |file| file.write_all(bytes))
    }

    /// Has one file written piece by piece, and syncs it.
    ///
    /// # Errors
    /// As [`write`](Self::write); what `write` reports becomes an [`OutputError::System`].
    pub fn write_with(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let below = self.folder.join(checked(name)?);
        if !self.names.insert(folded(&below)) {
            return Err(OutputError::FileTwice);
        }
        let mode = self.is_for_owner(&below).then_some(OWNER_ONLY);
        let path = self.partial.path().join(below);
        let file = unfinished::step(|| self.target.storage().make_file(&path, mode));
        file.and_then(|file| write_and_sync(file, write)).map_err(system("write", &path))
    }

    /// Makes the directory appear at its target.
    ///
    /// # Errors
    /// [`OutputError::NotEmpty`] and its kin when the target has changed since
    /// [`create`](OutputDir::create); [`OutputError::System`]. The target is then as it was before.
    /// After [`OutputError::NotSynced`] it is the new one.
    pub fn commit(self) -> Result<(), OutputError> {
        let partial = self.partial.path();
        self.folders.iter().rev().try_for_each(|folder| self.sync(&partial.join(folder)))?;
        self.sync(partial)?;
        self.target.keep_mode(partial, self.target.replaced_directory()?.mode())?;
        unfinished::finish(Some(&self.shown), || self.target.take(partial, false))?;
        self.target.sync_parent()
    }

    fn sync(&self, folder: &Path) -> Result<(), OutputError> {
        self.target.storage().sync_directory(folder).map_err(system("sync", folder))
    }
}

/// A name that is safe on every system.
fn checked(name: &str) -> Result<&str, OutputError> {
    if name.is_empty()
        || name.len() > MAX_NAME
        || name.starts_with('.')
        || !name.bytes().all(|byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    {
        return Err(OutputError::FileName);
    }
    Ok(name)
}

/// Names that differ in case alone are one file on some systems.
fn folded(below: &Path) -> PathBuf {
    below.as_os_str().to_ascii_lowercase().into()
}

/// Writes one file whole or not at all; a regular file at `path` is replaced in one step, and
/// keeps its mode.
///
/// ```
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("plan.json");
/// privacy_data::write_atomic(&file, b"{}")?;
/// assert_eq!(std::fs::read(&file)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`OutputError::NoName`], [`OutputError::Link`] and [`OutputError::WrongKind`] for a path that
/// will not do, [`OutputError::System`] otherwise: `path` is then as it was before. After
/// [`OutputError::NotSynced`] it is the new file.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    write_atomic_with(path, |file| file.write_all(bytes))
}

/// The same, written piece by piece.
///
/// # Errors
/// As [`write_atomic`]; what `write` reports becomes an [`OutputError::System`].
pub fn write_atomic_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    FileOptions { for_owner: false, replaces: true }.write_shown(&storage::system(), path, None, write)
}

/// As [`write_atomic`], for a file that nobody but its owner may read, whatever it replaces: mode
/// 0600 from the start. Other systems than Unix give it the permissions of its directory.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let options = FileOptions { for_owner: true, replaces: true };
    options.keep_on(&storage::system(), path, bytes)
}

/// Who may read a file that is written, and whether it may replace another one. By default it is
/// readable as the umask says, and replaces nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Nobody but its owner may read the file: mode 0600 from the start, whatever it replaces.
    /// Other systems than Unix give it the permissions of its directory.
    pub for_owner: bool,
    /// A regular file of this name is replaced in one step. Otherwise it is refused with
    /// [`OutputError::Exists`].
    pub replaces: bool,
}

impl FileOptions {
    /// Refuses a path that [`write_with`](Self::write_with) would refuse: to be asked before long
    /// work.
    ///
    /// # Errors
    /// As [`write_with`](Self::write_with).
    pub fn check(self, path: &Path) -> Result<(), OutputError> {
        self.check_on(&storage::system(), path)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_on(self, storage: &StorageRef, path: &Path) -> Result<(), OutputError> {
        self.target(storage, path).map(drop)
    }

    /// Writes one file piece by piece, whole or not at all.
    ///
    /// ```
    /// use privacy_data::FileOptions;
    ///
    /// let place = tempfile::tempdir()?;
    /// let audit = place.path().join("audit.json");
    /// let options = FileOptions { for_owner: true, ..FileOptions::default() };
    /// options.write_with(&audit, |file| file.write_all(b"{}"))?;
    /// // The file is there, so a second one is refused.
    /// assert!(options.check(&audit).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`write_atomic_with`], and [`OutputError::Exists`].
    pub fn write_with(
        self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        self.write_on(&storage::system(), path, write)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`write_with`](Self::write_with).
    pub fn write_on(
        self,
        storage: &StorageRef,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        self.write_shown(storage, path, Some(path), write)
    }

    /// Writes a file that is kept from one job to the next and is no output: a ledger, a registry.
    ///
    /// # Errors
    /// As [`write_with`](Self::write_with).
    pub fn keep_on(self, storage: &StorageRef, path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
        self.write_shown(storage, path, None, |file| file.write_all(bytes))
    }

    /// The same, for an output under the name that is shown, or for a file that is not an output.
    fn write_shown(
        self,
        storage: &StorageRef,
        path: &Path,
        shown: Option<&Path>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let (target, replaced) = self.target(storage, path)?;
        let mode = if self.for_owner { Some(OWNER_ONLY) } else { replaced.mode() };
        let (partial, file) = target.file_beside(mode)?;
        write_and_sync(file, write).map_err(system("write", partial.path()))?;
        target.keep_mode(partial.path(), mode)?;
        unfinished::finish(shown, || target.take(partial.path(), !self.replaces))?;
        target.sync_parent()
    }

    /// The target, and the file that is there.
    fn target(self, storage: &StorageRef, path: &Path) -> Result<(Target, Replaced), OutputError> {
        let target = Target::new(storage, path)?;
        match target.replaced_file()? {
            Replaced::Entry(_) if !self.replaces => Err(OutputError::Exists { path: path.to_owned() }),
            replaced => Ok((target, replaced)),
        }
    }
}
