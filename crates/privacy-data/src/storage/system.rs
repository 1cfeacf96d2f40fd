//! The file system of the machine.
//!
//! Whether a writer is alive is a lock of the system on its entry: it ends with the process,
//! however that ends, and means the same in every container and for every number of a process.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::{Claim, Entry, Held, Kind, NewFile, Opened, Storage};

/// The file system of the machine. Operations that a signal interrupts fail:
/// [`system`](super::system) repeats them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

/// Locked until it is closed.
#[derive(Debug)]
struct LockedEntry {
    _file: File,
}

impl Held for LockedEntry {}

impl NewFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Storage for FileSystem {
    fn resolve(&self, directory: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(directory)
    }

    fn look_at(&self, path: &Path) -> io::Result<Entry> {
        fs::symlink_metadata(path).map(|found| entry(&found))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn names_in(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn read(&self, path: &Path, at_most: u64) -> io::Result<Opened> {
        let found = self.look_at(path)?;
        if found.kind != Kind::File {
            return Ok(Opened { entry: found, bytes: Vec::new() });
        }
        // Whatever the name stands for by now: no link is followed, and no pipe waited for. What
        // the open file says of itself counts, not what was seen at its name.
        let mut file = opening().read(true).open(path)?;
        let mut entry = entry(&file.metadata()?);
        let mut bytes = Vec::new();
        if entry.kind == Kind::File && entry.bytes <= at_most {
            // It may grow, and the system knows the length of not every file.
            (&mut file).take(at_most.saturating_add(1)).read_to_end(&mut bytes)?;
            entry.bytes = bytes.len() as u64;
        }
        if entry.bytes > at_most {
            bytes = Vec::new();
        }
        Ok(Opened { entry, bytes })
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "other systems have no mode"))]
    fn make_directory(&self, path: &Path, mode: Option<u32>) -> io::Result<()> {
        let mut new = DirBuilder::new();
        new.recursive(false);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut new, mode.unwrap_or(0o775));
        new.create(path)
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "other systems have no mode"))]
    fn make_file(&self, path: &Path, mode: Option<u32>) -> io::Result<Box<dyn NewFile>> {
        let mut new = OpenOptions::new();
        new.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, mode.unwrap_or(0o664));
        Ok(Box::new(new.open(path)?))
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "other systems have no mode"))]
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(()),
                // A file system, or a kernel, that does not know of it.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // A second name fails where there is one, and the first one goes. Without second names:
        // who looks first may come too late, but not by much.
        match fs::hard_link(from, to) {
            // The file is there; its writer removes a first name that stays.
            Ok(()) => {
                let _ = fs::remove_file(from);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        if !fs::symlink_metadata(path)?.is_dir() {
            return fs::remove_file(path);
        }
        // An empty directory goes without being opened, also at the limit of open files.
        fs::remove_dir(path).or_else(|_| fs::remove_dir_all(path))
    }

    /// Other systems than Unix cannot open a directory, and need not.
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        // Elsewhere a lock keeps others from the bytes, and a directory has none.
        if !cfg!(unix) {
            return Ok(Claim::Unknown);
        }
        match claim_there(self, path) {
            // Another writer has removed it, as a leftover that nobody held yet.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Claim::Taken),
            // Such as the limit of open files: what could not be held might be left behind.
            claim => claim,
        }
    }

    fn lock_file(&self, path: &Path) -> io::Result<Option<Box<dyn Held>>> {
        let mut new = opening();
        new.create(true).write(true).truncate(false);
        // Who can read it can hold it: nobody beyond the group of its owner.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o660);
        let file = new.open(path)?;
        let found = file.metadata()?;
        // A lock holds nothing: what holds something is another file, which must not be removed.
        if !found.is_file() || found.len() > 0 {
            return Err(io::Error::other("this is the name of a lock, and not an empty regular file"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(if is_at(&file, path)? { Some(Box::new(LockedEntry { _file: file })) } else { None })
    }
}

fn entry(found: &Metadata) -> Entry {
    let kind = match () {
        () if found.is_symlink() => Kind::Link,
        () if found.is_dir() => Kind::Directory,
        () if found.is_file() => Kind::File,
        () => Kind::Else,
    };
    Entry { kind, mode: mode_of(found), owner: owner_of(found), bytes: found.len() }
}

/// Opens a file to be read, through links as well, and waits for no writer of a pipe: what was
/// opened is to be looked at before it is read.
///
/// # Errors
/// What the system says.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    with_flags(Following::Links).read(true).open(path)
}

/// Opens no link, and waits for no reader or writer of a pipe.
fn opening() -> OpenOptions {
    with_flags(Following::Nothing)
}

/// Whether what a link points to is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Following {
    Links,
    Nothing,
}

#[cfg(unix)]
fn with_flags(following: Following) -> OpenOptions {
    use rustix::fs::OFlags;
    let mut flags = OFlags::NONBLOCK;
    flags.set(OFlags::NOFOLLOW, following == Following::Nothing);
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn with_flags(_: Following) -> OpenOptions {
    OpenOptions::new()
}

#[cfg(unix)]
fn owner_of(found: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(found))
}

#[cfg(not(unix))]
fn owner_of(_: &Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn mode_of(found: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &Metadata) -> Option<u32> {
    None
}

/// Holds an entry that is there, or says who has it.
fn claim_there(storage: &impl Storage, path: &Path) -> io::Result<Claim> {
    // Nothing else is a writer's, and a device may do something when it is opened.
    if !matches!(storage.look_at(path)?.kind, Kind::File | Kind::Directory) {
        return Ok(Claim::Taken);
    }
    let file = match opening().read(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(Claim::Unknown),
        opened => opened?,
    };
    match file.try_lock() {
        Ok(()) if is_at(&file, path)? => Ok(Claim::Held(Box::new(LockedEntry { _file: file }))),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(Claim::Taken),
        Err(TryLockError::Error(_)) => Ok(Claim::Unknown),
    }
}

/// Whether an open file is still the one at its path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let held = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(there.dev() == held.dev() && there.ino() == held.ino()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_writer_has_is_taken_until_it_lets_go() {
        let home = tempfile::tempdir().unwrap();
        let [file, directory, link] = ["file", "directory", "link"].map(|name| home.path().join(name));
        fs::write(&file, "half").unwrap();
        fs::create_dir(&directory).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for path in [&file, &directory] {
            let held = FileSystem.claim(path).unwrap();
            assert!(matches!(held, Claim::Held(_)));
            assert!(matches!(FileSystem.claim(path).unwrap(), Claim::Taken), "a second claim in the same process");
            drop(held);
            assert!(matches!(FileSystem.claim(path).unwrap(), Claim::Held(_)));
        }
        assert!(matches!(FileSystem.claim(&link).unwrap(), Claim::Taken), "a link is nobody's to remove");
        assert!(matches!(FileSystem.claim(&home.path().join("none")).unwrap(), Claim::Taken), "another has removed it");
    }

    #[test]
    fn modes_are_given_from_the_start() {
        let home = tempfile::tempdir().unwrap();
        let [file, directory] = ["file", "directory"].map(|name| home.path().join(name));
        drop(FileSystem.make_file(&file, Some(0o600)).unwrap());
        FileSystem.make_directory(&directory, Some(0o700)).unwrap();
        let mode = |path: &Path| FileSystem.look_at(path).unwrap().mode.unwrap();
        assert_eq!((mode(&file), mode(&directory)), (0o600, 0o700));
        FileSystem.set_mode(&file, 0o640).unwrap();
        assert_eq!(mode(&file), 0o640);
        assert!(FileSystem.make_file(&file, None).is_err_and(|error| error.kind() == ErrorKind::AlreadyExists));
        assert_eq!(FileSystem.names_in(home.path()).unwrap().len(), 2);
    }
}
