//! The place of an output: what is there, what may be replaced, with whose permissions, and what
//! writers that are gone have left beside it.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::output::OutputError;
use crate::storage::{Claim, Held, Kind, NewFile, Storage, StorageRef};
use crate::unfinished::{self, Unfinished};

/// The end of a hidden name.
const PARTIAL: &str = ".partial";

/// The mode of a file that nobody but its owner may read or write.
pub(crate) const OWNER_ONLY: u32 = 0o600;
/// The mode of a directory that nobody but its owner may enter.
pub(crate) const OWNER_ONLY_DIRECTORY: u32 = 0o700;

/// Makes the hidden names of one process differ.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A target whose parent directory exists.
#[derive(Debug)]
pub(crate) struct Target {
    storage: StorageRef,
    parent: PathBuf,
    name: OsString,
}

/// A hidden sibling of a target, held for as long as its writer is alive.
#[derive(Debug)]
pub(crate) struct Sibling {
    /// Removed before it is let go.
    entry: Unfinished,
    _claim: Option<Box<dyn Held>>,
}

impl Sibling {
    pub(crate) fn path(&self) -> &Path {
        self.entry.path()
    }
}

/// What an entry replaces: nothing, or something with these permission bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    Nothing,
    /// `None` where the system has no modes.
    Entry(Option<u32>),
}

impl Replaced {
    pub(crate) fn mode(self) -> Option<u32> {
        match self {
            Self::Nothing => None,
            Self::Entry(mode) => mode,
        }
    }
}

impl Target {
    pub(crate) fn new(storage: &StorageRef, path: &Path) -> Result<Self, OutputError> {
        let name = path.file_name().ok_or_else(|| OutputError::NoName { path: path.to_owned() })?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = storage.resolve(parent).map_err(system("find the directory", parent))?;
        Ok(Self { storage: Arc::clone(storage), parent, name: name.to_owned() })
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// The path without a trailing separator, which would make the system follow a link.
    pub(crate) fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// What the target is now, of the kind that may be replaced.
    fn replaced(&self, kind: Kind, wanted: &'static str) -> Result<Replaced, OutputError> {
        let path = self.path();
        match self.storage.look_at(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Replaced::Nothing),
            Err(error) => Err(system("look at", &path)(error)),
            Ok(found) if found.kind == kind => Ok(Replaced::Entry(found.mode)),
            Ok(found) if found.kind == Kind::Link => Err(OutputError::Link { path }),
            Ok(_) => Err(OutputError::WrongKind { path, wanted }),
        }
    }

    /// The empty directory that is to be replaced. Refuses anything else that is there.
    pub(crate) fn replaced_directory(&self) -> Result<Replaced, OutputError> {
        let replaced = self.replaced(Kind::Directory, "directory")?;
        let path = self.path();
        if replaced != Replaced::Nothing
            && !self.storage.names_in(&path).map_err(system("look into", &path))?.is_empty()
        {
            return Err(OutputError::NotEmpty { path });
        }
        Ok(replaced)
    }

    /// The regular file that is to be replaced. Refuses anything else that is there.
    pub(crate) fn replaced_file(&self) -> Result<Replaced, OutputError> {
        self.replaced(Kind::File, "regular file")
    }

    /// A hidden directory beside the target; in the place of another one, its mode is no wider for
    /// others, from the start.
    pub(crate) fn directory_beside(&self, replaced: Replaced) -> Result<Sibling, OutputError> {
        // Files must be written into it, even when the other one allows that to nobody.
        let mode = replaced.mode().map(|mode| mode & 0o777 | 0o700);
        self.sibling(|path| self.storage.make_directory(path, mode)).map(|(sibling, ())| sibling)
    }

    /// A hidden file beside the target; in the place of another one, its mode is no wider, from the
    /// start.
    pub(crate) fn file_beside(&self, mode: Option<u32>) -> Result<(Sibling, Box<dyn NewFile>), OutputError> {
        self.sibling(|path| self.storage.make_file(path, mode.map(|mode| mode & 0o777)))
    }

    /// A hidden sibling that `create` makes; a name that is taken is passed over.
    fn sibling<T>(&self, create: impl Fn(&Path) -> io::Result<T>) -> Result<(Sibling, T), OutputError> {
        self.remove_leftovers()?;
        loop {
            let mut name = OsString::from(".");
            name.push(&self.name);
            name.push(format!(".{}-{}{PARTIAL}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let path = self.parent.join(name);
            match Unfinished::make(&self.storage, &path, || self.held(&path, &create)) {
                Ok(Some((entry, (claim, made)))) => return Ok((Sibling { entry, _claim: claim }, made)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(system("create", &path)(error)),
            }
        }
    }

    /// Makes an entry and holds it, unless somebody has taken it for a leftover meanwhile.
    #[expect(clippy::type_complexity, reason = "a pair that is taken apart at once")]
    fn held<T>(
        &self,
        path: &Path,
        create: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<Option<(Option<Box<dyn Held>>, T)>> {
        let made = create(path)?;
        match self.storage.claim(path) {
            Ok(Claim::Held(held)) => Ok(Some((Some(held), made))),
            Ok(Claim::Unknown) => Ok(Some((None, made))),
            Ok(Claim::Taken) => Ok(None),
            Err(error) => {
                let _ = self.storage.remove(path);
                Err(error)
            }
        }
    }

    /// Removes the hidden siblings of writers that are gone: those that nobody holds. What cannot
    /// be removed stays, and is no reason to write nothing; a directory that cannot be read is one,
    /// since the move at the end could not be made durable in it.
    fn remove_leftovers(&self) -> Result<(), OutputError> {
        let names = self.storage.names_in(&self.parent).map_err(system("look into", &self.parent))?;
        for name in names.iter().filter(|name| self.is_hidden_sibling(name)) {
            let path = self.parent.join(name);
            unfinished::step(|| {
                if let Ok(Claim::Held(_held)) = self.storage.claim(&path) {
                    let _ = self.storage.remove(&path);
                }
            });
        }
        Ok(())
    }

    /// Whether this is a name that [`sibling`](Self::sibling) gives: `.NAME.PID-N.partial`.
    fn is_hidden_sibling(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        let middle = name
            .strip_prefix(b".")
            .and_then(|name| name.strip_prefix(self.name.as_encoded_bytes()))
            .and_then(|name| name.strip_prefix(b"."))
            .and_then(|name| name.strip_suffix(PARTIAL.as_bytes()));
        let Some(middle) = middle.and_then(|middle| std::str::from_utf8(middle).ok()) else { return false };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        middle.split_once('-').is_some_and(|(process, number)| is_number(process) && is_number(number))
    }

    /// Moves the finished sibling onto the target: onto nothing but a free name where `is_new`.
    pub(crate) fn take(&self, sibling: &Path, is_new: bool) -> Result<(), OutputError> {
        let path = self.path();
        let moved = if is_new { self.storage.rename_new(sibling, &path) } else { self.storage.rename(sibling, &path) };
        moved.or_else(|error| if self.has_moved(sibling) { Ok(()) } else { Err(error) }).map_err(|error| {
            match error.kind() {
                ErrorKind::AlreadyExists if is_new => OutputError::Exists { path: path.clone() },
                ErrorKind::DirectoryNotEmpty => OutputError::NotEmpty { path: path.clone() },
                _ => system("rename the finished output to", &path)(error),
            }
        })
    }

    /// Whether a rename that failed was carried out all the same, and only the answer was lost: a
    /// file server that repeats a request says that there is nothing to rename.
    fn has_moved(&self, sibling: &Path) -> bool {
        let gone = self.storage.look_at(sibling).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        gone && self.storage.look_at(&self.path()).is_ok()
    }

    /// Makes the move durable: the last step of every output.
    pub(crate) fn sync_parent(&self) -> Result<(), OutputError> {
        let synced = self.storage.sync_directory(&self.parent);
        synced.map_err(|source| OutputError::NotSynced { path: self.path(), source })
    }

    /// Gives what was written the mode of what it replaces, which the umask may have narrowed so
    /// far.
    pub(crate) fn keep_mode(&self, path: &Path, mode: Option<u32>) -> Result<(), OutputError> {
        match mode {
            Some(mode) => self.storage.set_mode(path, mode).map_err(system("set the mode of", path)),
            None => Ok(()),
        }
    }
}

/// Puts an action and a path to what the system said.
pub(crate) fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_owned();
    move |source| OutputError::System { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_target_are_leftovers() {
        let home = tempfile::tempdir().unwrap();
        let target = Target::new(&crate::storage::system(), &home.path().join("out")).unwrap();
        for (name, is_one) in [
            (".out.12-0.partial", true),
            (".out.1-234.partial", true),
            (".out.12.partial", false),
            (".out.12-.partial", false),
            (".out.-3.partial", false),
            (".out.a-3.partial", false),
            (".out.12-3.partial.bak", false),
            ("out.12-3.partial", false),
            (".other.12-3.partial", false),
            (".out2.12-3.partial", false),
            ("out", false),
        ] {
            assert_eq!(target.is_hidden_sibling(OsStr::new(name)), is_one, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_replaces_something_is_no_wider_from_the_start() {
        let home = tempfile::tempdir().unwrap();
        let target = Target::new(&crate::storage::system(), &home.path().join("out")).unwrap();
        for replaced in [0o600, 0o640, 0o400, 0o500] {
            let (file, _open) = target.file_beside(Some(replaced)).unwrap();
            let directory = target.directory_beside(Replaced::Entry(Some(replaced))).unwrap();
            let mode = |path: &Path| target.storage().look_at(path).unwrap().mode.unwrap();
            assert_eq!(mode(file.path()) & !replaced, 0);
            let directory = mode(directory.path());
            assert_eq!((directory & !replaced & 0o077, directory & 0o700), (0, 0o700));
        }
    }
}
