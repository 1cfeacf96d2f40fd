//! What outputs, ledgers, secrets and stored answers ask of a file system.
//!
//! One door: everything that is written, and everything that is looked at to decide what is
//! written, goes through [`Storage`]. [`system`] is the file system of the machine. A test puts a
//! disk in its place that fails, stops, or loses power at any operation.
//!
//! What is written is made under a hidden name, synced, renamed, and its directory synced: the
//! order is kept by [`OutputDir`](crate::OutputDir) and its kin, not here.

mod exposed;
mod retrying;
mod system;

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use exposed::{ExposedPlace, exposed_place};
pub use retrying::{Retrying, retried};
pub use system::{FileSystem, open_without_waiting};

/// A storage that several owners use.
pub type StorageRef = Arc<dyn Storage>;

/// The file system of the machine; what a signal interrupts is done again.
#[must_use]
pub fn system() -> StorageRef {
    static SYSTEM: OnceLock<StorageRef> = OnceLock::new();
    Arc::clone(SYSTEM.get_or_init(|| Arc::new(Retrying::new(FileSystem))))
}

/// What an entry of a directory is, seen without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe, a socket.
    Else,
}

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Its permission bits; `None` on systems whose files have no mode.
    pub mode: Option<u32>,
    /// The number of the user whose it is; `None` on systems without.
    pub owner: Option<u32>,
    /// How long a file is, in bytes.
    pub bytes: u64,
}

/// What was read of a file, and what the open file says of itself. A name may stand for another
/// file a moment later: what is to be known of these bytes is in this entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// What was opened.
    pub entry: Entry,
    /// The bytes that were read.
    pub bytes: Vec<u8>,
}

/// A file that was made a moment ago and is being written.
pub trait NewFile: io::Write + Send {
    /// Makes its bytes durable.
    ///
    /// # Errors
    /// What the system says. The bytes may be lost then, and a second attempt proves nothing.
    fn sync(&mut self) -> io::Result<()>;
}

/// Something that is held until this is dropped, or until the process is gone.
pub trait Held: Debug + Send + Sync {}

/// Whether an unfinished entry is somebody's.
#[derive(Debug)]
pub enum Claim {
    /// It was nobody's, and is held from now on.
    Held(Box<dyn Held>),
    /// A writer that is alive has it, or it is no longer there.
    Taken,
    /// This storage cannot tell.
    Unknown,
}

/// The operations of a file system that the write path needs. Paths are absolute or relative to
/// the working directory. No operation follows a link at the end of its path.
pub trait Storage: Debug + Send + Sync {
    /// The directory without links and `..`.
    ///
    /// # Errors
    /// What the system says, for this and every other operation.
    fn resolve(&self, directory: &Path) -> io::Result<PathBuf>;

    /// What is at a path.
    ///
    /// # Errors
    /// [`NotFound`](io::ErrorKind::NotFound) where nothing is.
    fn look_at(&self, path: &Path) -> io::Result<Entry>;

    /// Where a symbolic link points to.
    ///
    /// # Errors
    /// What the system says, also of anything that is not a link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    /// The names in a directory, in any order.
    ///
    /// # Errors
    /// What the system says.
    fn names_in(&self, directory: &Path) -> io::Result<Vec<OsString>>;

    /// A file as it was opened: what it is then, and its bytes. Of one that is longer than
    /// `at_most`, and of what is not a regular file, there are none.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Opened>;

    /// Makes a directory, with these permission bits or 0775, less the umask.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) where something is.
    fn make_directory(&self, path: &Path, mode: Option<u32>) -> io::Result<()>;

    /// Makes a file to write to, with these permission bits or 0664, less the umask: nothing is
    /// made that everybody can write to.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) where something is.
    fn make_file(&self, path: &Path, mode: Option<u32>) -> io::Result<Box<dyn NewFile>>;

    /// Gives an entry its permission bits; nothing where entries have none.
    ///
    /// # Errors
    /// What the system says.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Moves an entry within its directory, in one step: a file over a file, a directory over an
    /// empty one.
    ///
    /// # Errors
    /// [`DirectoryNotEmpty`](io::ErrorKind::DirectoryNotEmpty), and what else the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves a file within its directory to a name that nothing has, in one step where the system
    /// can: what another writer has put there meanwhile stays.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists), and what else the system says.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.look_at(to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(from, to),
            Err(error) => Err(error),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Removes a file, or a directory with all that is in it.
    ///
    /// # Errors
    /// What the system says; part of a directory may be gone.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the entries of a directory durable; nothing where the system cannot and need not.
    ///
    /// # Errors
    /// What the system says.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Holds a file or a directory that is there, for as long as its writer is alive.
    ///
    /// # Errors
    /// What the system says.
    fn claim(&self, path: &Path) -> io::Result<Claim>;

    /// Makes a lock file if it is not there, and locks it; `None` where somebody else has it, or
    /// has removed it in the meantime.
    ///
    /// # Errors
    /// What the system says, and for a link or a pipe of that name.
    fn lock_file(&self, path: &Path) -> io::Result<Option<Box<dyn Held>>>;
}
