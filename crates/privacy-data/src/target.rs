//! The place of an output: what is there, what may be replaced, and with whose permissions.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::output::OutputError;
use crate::unfinished::Unfinished;

/// Makes the hidden names of one process differ.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A target whose parent directory exists.
#[derive(Debug)]
pub(crate) struct Target {
    parent: PathBuf,
    name: OsString,
}

/// What is at a place, seen without following a link.
enum Found {
    Nothing,
    Link,
    Directory(Permissions),
    File(Permissions),
    Else,
}

impl Target {
    pub(crate) fn new(path: &Path) -> Result<Self, OutputError> {
        let name = path.file_name().ok_or_else(|| OutputError::NoName { path: path.to_owned() })?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(system("find the directory", parent))?;
        Ok(Self { parent, name: name.to_owned() })
    }

    pub(crate) fn parent(&self) -> &Path {
        &self.parent
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
            Ok(found) if found.is_dir() => Ok(Found::Directory(found.permissions())),
            Ok(found) if found.is_file() => Ok(Found::File(found.permissions())),
            Ok(_) => Ok(Found::Else),
        }
    }

    /// The permissions of an empty directory that is to be replaced. Refuses anything else that
    /// is there.
    pub(crate) fn replaced_directory(&self) -> Result<Option<Permissions>, OutputError> {
        let path = self.path();
        match self.found()? {
            Found::Nothing => Ok(None),
            Found::Link => Err(OutputError::Link { path }),
            Found::File(_) | Found::Else => Err(OutputError::WrongKind { path, wanted: "directory" }),
            Found::Directory(permissions) => match fs::read_dir(&path).map_err(system("look into", &path))?.next() {
                None => Ok(Some(permissions)),
                Some(_) => Err(OutputError::NotEmpty { path }),
            },
        }
    }

    /// The permissions of a regular file that is to be replaced. Refuses anything else that is
    /// there.
    pub(crate) fn replaced_file(&self) -> Result<Option<Permissions>, OutputError> {
        let path = self.path();
        match self.found()? {
            Found::Nothing => Ok(None),
            Found::File(permissions) => Ok(Some(permissions)),
            Found::Link => Err(OutputError::Link { path }),
            Found::Directory(_) | Found::Else => Err(OutputError::WrongKind { path, wanted: "regular file" }),
        }
    }

    /// A hidden sibling that `create` makes; a name that is taken, by a crashed process say, is
    /// passed over.
    pub(crate) fn sibling<T>(&self, create: impl Fn(&Path) -> io::Result<T>) -> Result<(Unfinished, T), OutputError> {
        loop {
            let mut name = OsString::from(".");
            name.push(&self.name);
            name.push(format!(".{}-{}.partial", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let path = self.parent.join(name);
            match Unfinished::make(&path, || create(&path).map(Some)) {
                Ok(Some(made)) => return Ok(made),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(system("create", &path)(error)),
            }
        }
    }

    /// Moves the finished sibling onto the target.
    pub(crate) fn take(&self, sibling: &Path) -> Result<(), OutputError> {
        let path = self.path();
        fs::rename(sibling, &path).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty => OutputError::NotEmpty { path: path.clone() },
            _ => system("rename the finished output to", &path)(error),
        })
    }
}

/// Puts an action and a path to what the system said.
pub(crate) fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_owned();
    move |source| OutputError::System { action, path, source }
}

/// Makes the entries of a directory durable. Other systems than Unix cannot open one, and need
/// not.
pub(crate) fn sync_directory(path: &Path) -> Result<(), OutputError> {
    if cfg!(unix) {
        File::open(path).and_then(|directory| directory.sync_all()).map_err(system("sync", path))?;
    }
    Ok(())
}

/// A new directory; in the place of another one, its mode is no wider for others, from the start.
#[cfg_attr(not(unix), expect(unused_variables, reason = "other systems have no mode"))]
pub(crate) fn create_directory(path: &Path, replaced: Option<&Permissions>) -> io::Result<()> {
    let mut new = DirBuilder::new();
    new.recursive(false);
    #[cfg(unix)]
    if let Some(replaced) = replaced {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        // Files must be written into it, even when the other one allows that to nobody.
        new.mode(replaced.mode() & 0o777 | 0o700);
    }
    new.create(path)
}

/// A new file to write to; in the place of another one, its mode is no wider, from the start.
#[cfg_attr(not(unix), expect(unused_variables, reason = "other systems have no mode"))]
pub(crate) fn create_file(path: &Path, replaced: Option<&Permissions>) -> io::Result<File> {
    let mut new = OpenOptions::new();
    new.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(replaced) = replaced {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        new.mode(replaced.mode() & 0o777);
    }
    new.open(path)
}

/// The permissions of a file that nobody but its owner may read or write; none where files have no
/// mode.
pub(crate) fn owner_only() -> Option<Permissions> {
    permissions(0o600)
}

/// The permissions of a directory that nobody but its owner may enter; none where directories have
/// no mode.
pub(crate) fn owner_only_directory() -> Option<Permissions> {
    permissions(0o700)
}

#[cfg(unix)]
fn permissions(mode: u32) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(_: u32) -> Option<Permissions> {
    None
}

/// Gives what was written the permissions of what it replaces, which the umask may have narrowed
/// so far. On other systems than Unix a new entry has those of its directory.
pub(crate) fn keep_permissions(path: &Path, replaced: Option<Permissions>) -> Result<(), OutputError> {
    match replaced {
        Some(replaced) if cfg!(unix) => fs::set_permissions(path, replaced).map_err(system("set the mode of", path)),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_replaces_something_is_no_wider_from_the_start() {
        let home = tempfile::tempdir().unwrap();
        for replaced in [0o600, 0o640, 0o400, 0o500] {
            let [file, directory] = ["f", "d"].map(|kind| home.path().join(format!("{kind}{replaced:o}")));
            let permissions = Permissions::from_mode(replaced);
            create_file(&file, Some(&permissions)).unwrap();
            create_directory(&directory, Some(&permissions)).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file) & !replaced, 0);
            assert_eq!((mode(&directory) & !replaced & 0o077, mode(&directory) & 0o700), (0, 0o700));
        }
    }
}
