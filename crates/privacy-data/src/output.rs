//! Outputs that appear whole or not at all.
//!
//! Everything is written to a hidden sibling of the target, synced, and renamed onto it in one
//! step; then the parent directory is synced. A crash leaves the target as it was, and at most
//! the sibling (`.NAME.PID-N.partial`), which can be deleted. A target that is a symbolic link is
//! refused, never followed; links among its parent directories are resolved once, at the start.
//! On Unix the mode of what is replaced is kept, and is no wider while it is written; owner and
//! group are those of a new entry, and what replaces nothing has the mode that the umask gives.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use crate::error::stable_codes;
use crate::target::{Target, create_directory, create_file, keep_permissions, sync_directory, system};

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
    #[error("file names in an output directory are letters, digits, '.', '_' and '-', with no dot in front")]
    FileName,
    /// The same file name twice in one output.
    #[error("a file of this name was already written to the output directory")]
    FileTwice,
}

stable_codes!(OutputError {
    System => "E0103", NotEmpty => "E0111", Link => "E0112", WrongKind => "E0113", NoName => "E0114",
    FileName => "E0115", FileTwice => "E0116",
});

/// Has a file written to its end, and syncs it.
fn write_and_sync(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, file);
    write(&mut file)?;
    file.into_inner().map_err(IntoInnerError::into_error)?.sync_all()
}

/// An output directory that becomes visible, with all its files, on
/// [`commit`](OutputDir::commit).
///
/// Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputDir {
    target: Target,
    partial: PathBuf,
    /// Where files are written, below the directory; empty for the directory itself.
    folder: PathBuf,
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<PathBuf>,
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
        let target = Target::new(target)?;
        let replaced = target.replaced_directory()?;
        let (partial, ()) = target.sibling(|path| create_directory(path, replaced.as_ref()))?;
        let (folder, folders) = (PathBuf::new(), BTreeSet::new());
        Ok(Self { target, partial, folder, folders, names: BTreeSet::new() })
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
            let path = self.partial.join(&below);
            create_directory(&path, None).map_err(system("make", &path))?;
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
        let path = self.partial.join(below);
        create_file(&path, None).and_then(|file| write_and_sync(file, write)).map_err(system("write", &path))
    }

    /// Makes the directory appear at its target.
    ///
    /// # Errors
    /// [`OutputError::NotEmpty`] and its kin when the target has changed since
    /// [`create`](OutputDir::create); [`OutputError::System`]. Unless it was the last sync that
    /// failed, the target is as it was before.
    pub fn commit(self) -> Result<(), OutputError> {
        self.folders.iter().rev().try_for_each(|folder| sync_directory(&self.partial.join(folder)))?;
        sync_directory(&self.partial)?;
        keep_permissions(&self.partial, self.target.replaced_directory()?)?;
        self.target.take(&self.partial)?;
        sync_directory(self.target.parent())
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

/// After a commit the partial directory has another name, and there is nothing to remove.
impl Drop for OutputDir {
    fn drop(&mut self) {
        // Nothing better can be done about a failure here: the target was never touched.
        let _ = fs::remove_dir_all(&self.partial);
    }
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
/// will not do, [`OutputError::System`] otherwise. Unless it was the last sync that failed,
/// `path` is as it was before.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    write_atomic_with(path, |file| file.write_all(bytes))
}

/// The same, written piece by piece.
///
/// # Errors
/// As [`write_atomic`]; what `write` reports becomes an [`OutputError::System`].
pub fn write_atomic_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    let target = Target::new(path)?;
    let replaced = target.replaced_file()?;
    let (partial, file) = target.sibling(|path| create_file(path, replaced.as_ref()))?;
    let written = write_and_sync(file, write).map_err(system("write", &partial));
    let moved = written.and_then(|()| keep_permissions(&partial, replaced)).and_then(|()| target.take(&partial));
    if moved.is_err() {
        // As above: the target was never touched.
        let _ = fs::remove_file(&partial);
    }
    moved?;
    sync_directory(target.parent())
}
