//! Outputs that appear whole or not at all.
//!
//! Everything is written to a hidden sibling of the target, synced, and renamed onto it in one step; then the parent
//! directory is synced. A crash leaves the target as it was, and at most the sibling (`.NAME.PID-N.partial`), which
//! can be deleted. A target that is a symbolic link is refused, never followed; links among its parent directories
//! are resolved once, at the start.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::stable_codes;

/// Longest file name, in bytes: what common file systems allow.
const MAX_NAME: usize = 255;

/// Makes the hidden names of one process differ.
static NEXT: AtomicU64 = AtomicU64::new(0);

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
    /// The target is a symbolic link, and outputs never go through one. Name the place it points to.
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
    /// A file name other than letters, digits, `.`, `_`, `-`, with no dot in front, at most 255 bytes.
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

/// A target whose parent directory exists.
#[derive(Debug)]
struct Target {
    parent: PathBuf,
    name: OsString,
}

/// What is at a place, seen without following a link.
enum Found {
    Nothing,
    Link,
    Directory,
    File,
    Else,
}

impl Target {
    fn new(path: &Path) -> Result<Self, OutputError> {
        let name = path.file_name().ok_or_else(|| OutputError::NoName { path: path.to_owned() })?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(system("find the directory", parent))?;
        Ok(Self { parent, name: name.to_owned() })
    }

    /// The path without a trailing separator, which would make the system follow a link.
    fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// What the target is now; a link is an error.
    fn found(&self) -> Result<Found, OutputError> {
        let path = self.path();
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Nothing),
            Err(error) => Err(system("look at", &path)(error)),
            Ok(found) if found.is_symlink() => Ok(Found::Link),
            Ok(found) if found.is_dir() => Ok(Found::Directory),
            Ok(found) if found.is_file() => Ok(Found::File),
            Ok(_) => Ok(Found::Else),
        }
    }

    /// Refuses what an output directory may not replace: anything but an empty directory.
    fn check_directory(&self) -> Result<(), OutputError> {
        let path = self.path();
        match self.found()? {
            Found::Nothing => Ok(()),
            Found::Link => Err(OutputError::Link { path }),
            Found::File | Found::Else => Err(OutputError::WrongKind { path, wanted: "directory" }),
            Found::Directory => match fs::read_dir(&path).map_err(system("look into", &path))?.next() {
                None => Ok(()),
                Some(_) => Err(OutputError::NotEmpty { path }),
            },
        }
    }

    /// Refuses what an output file may not replace: anything but a regular file.
    fn check_file(&self) -> Result<(), OutputError> {
        let path = self.path();
        match self.found()? {
            Found::Nothing | Found::File => Ok(()),
            Found::Link => Err(OutputError::Link { path }),
            Found::Directory | Found::Else => Err(OutputError::WrongKind { path, wanted: "regular file" }),
        }
    }

    /// A hidden sibling that `create` makes; a name that is taken, by a crashed process say, is passed over.
    fn sibling<T>(&self, create: impl Fn(&Path) -> io::Result<T>) -> Result<(PathBuf, T), OutputError> {
        loop {
            let mut name = OsString::from(".");
            name.push(&self.name);
            name.push(format!(".{}-{}.partial", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let path = self.parent.join(name);
            match create(&path) {
                Ok(made) => return Ok((path, made)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(system("create", &path)(error)),
            }
        }
    }

    /// Moves the finished sibling onto the target.
    fn take(&self, sibling: &Path) -> Result<(), OutputError> {
        let path = self.path();
        fs::rename(sibling, &path).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty => OutputError::NotEmpty { path: path.clone() },
            _ => system("rename the finished output to", &path)(error),
        })
    }
}

/// Puts an action and a path to what the system said.
fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_owned();
    move |source| OutputError::System { action, path, source }
}

/// Makes the entries of a directory durable. Other systems than Unix cannot open one, and need not.
fn sync_directory(path: &Path) -> Result<(), OutputError> {
    if cfg!(unix) {
        File::open(path).and_then(|directory| directory.sync_all()).map_err(system("sync", path))?;
    }
    Ok(())
}

/// Creates a file that did not exist, writes it and syncs it. Never goes through a link.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// An output directory that becomes visible, with all its files, on [`commit`](OutputDir::commit).
///
/// Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputDir {
    target: Target,
    partial: PathBuf,
    names: BTreeSet<String>,
}

impl OutputDir {
    /// Prepares a directory that will be at `target`; nothing is there until the commit.
    ///
    /// # Errors
    /// [`OutputError::NoName`], [`OutputError::Link`], [`OutputError::WrongKind`] and [`OutputError::NotEmpty`] for
    /// a target that will not do, [`OutputError::System`] when its parent does not exist or may not be written.
    pub fn create(target: &Path) -> Result<Self, OutputError> {
        let target = Target::new(target)?;
        target.check_directory()?;
        let (partial, ()) = target.sibling(|path| fs::create_dir(path))?;
        Ok(Self { target, partial, names: BTreeSet::new() })
    }

    /// Writes one file and syncs it.
    ///
    /// # Errors
    /// [`OutputError::FileName`] unless `name` is letters, digits, `.`, `_` and `-` with no dot in front;
    /// [`OutputError::FileTwice`]; [`OutputError::System`]. After an error of the system, drop the directory.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if name.is_empty() || name.len() > MAX_NAME || name.starts_with('.') || !name.bytes().all(allowed) {
            return Err(OutputError::FileName);
        }
        // Names that differ in case alone are one file on some systems.
        if !self.names.insert(name.to_ascii_lowercase()) {
            return Err(OutputError::FileTwice);
        }
        let path = self.partial.join(name);
        write_new(&path, bytes).map_err(system("write", &path))
    }

    /// Makes the directory appear at its target.
    ///
    /// # Errors
    /// [`OutputError::NotEmpty`] and its kin when the target has changed since [`create`](OutputDir::create);
    /// [`OutputError::System`]. Unless it was the last sync that failed, the target is as it was before.
    pub fn commit(self) -> Result<(), OutputError> {
        sync_directory(&self.partial)?;
        self.target.check_directory()?;
        self.target.take(&self.partial)?;
        sync_directory(&self.target.parent)
    }
}

/// After a commit the partial directory has another name, and there is nothing to remove.
impl Drop for OutputDir {
    fn drop(&mut self) {
        // Nothing better can be done about a failure here: the target was never touched.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

/// Writes one file whole or not at all; a regular file at `path` is replaced in one step, by a new file with the
/// permissions of one.
///
/// # Errors
/// [`OutputError::NoName`], [`OutputError::Link`] and [`OutputError::WrongKind`] for a path that will not do,
/// [`OutputError::System`] otherwise. Unless it was the last sync that failed, `path` is as it was before.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let target = Target::new(path)?;
    target.check_file()?;
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let (partial, mut file) = target.sibling(create)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).map_err(system("write", &partial));
    let moved = written.and_then(|()| target.take(&partial));
    if moved.is_err() {
        // As above: the target was never touched.
        let _ = fs::remove_file(&partial);
    }
    moved?;
    sync_directory(&target.parent)
}
