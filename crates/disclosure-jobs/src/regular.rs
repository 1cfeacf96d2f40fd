//! Files that a job keeps beside others: regular files of reasonable size, not through a link, and
//! not where everybody can change them.

use std::io;
use std::path::Path;

use privacy_data::storage::{ExposedPlace, Kind, Opened, Storage, exposed_place, system};

use crate::error::JobError;

/// The largest file of answers, groups or permanent stages that is read: some hundred million of
/// them. What is longer was not made by a job.
pub const MOST_STORED: u64 = 1 << 30;

/// Refuses to write what no later job would read.
///
/// # Errors
/// E0661.
pub(crate) fn check_stored(what: &str, path: &Path, bytes: &[u8]) -> Result<(), JobError> {
    if bytes.len() as u64 <= MOST_STORED {
        return Ok(());
    }
    let error = JobError::new("E0661", format!("the {what} would be larger than 1 GiB")).within(path);
    Err(error.next("use one file for each part of the people, from the start"))
}

/// Who may read a file that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Nobody but its owner.
    Owner,
    /// Anybody.
    All,
}

/// Why such a file was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is missing, or the system refuses.
    System(io::Error),
    /// A link, a directory, a device, or larger than it can be.
    Irregular,
    /// The file itself is open to more users than it is meant for.
    TooOpen,
    /// Another user can change something on the way to it.
    Exposed(ExposedPlace),
}

/// Why no file is read or made at a path.
#[derive(Debug)]
pub(crate) enum Misplaced {
    /// The system does not show the way to it.
    System(io::Error),
    /// Another user can change something on the way to it.
    Exposed(ExposedPlace),
}

impl From<Misplaced> for Unread {
    fn from(misplaced: Misplaced) -> Self {
        match misplaced {
            Misplaced::System(source) => Self::System(source),
            Misplaced::Exposed(place) => Self::Exposed(place),
        }
    }
}

impl Misplaced {
    /// The error of a file for its owner at this path.
    pub(crate) fn into_error(self, path: &Path) -> JobError {
        match self {
            Self::System(source) => JobError::reading(path, &source),
            Self::Exposed(place) => {
                let message = format!("{} can change or replace this file", who(&place));
                JobError::new("E0419", message).within(path).next(what_to_do(&place))
            }
        }
    }
}

impl Unread {
    /// Whether the file is missing.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The error of a file for its owner at this path, whose irregularity is said in the caller's
    /// words.
    pub(crate) fn into_error(self, path: &Path, irregular: JobError) -> JobError {
        match self {
            Self::System(source) => Misplaced::System(source).into_error(path),
            Self::Exposed(place) => Misplaced::Exposed(place).into_error(path),
            Self::Irregular => irregular,
            Self::TooOpen => {
                let message = "users other than the owner can read or write this file";
                JobError::new("E0419", message).within(path).next(format!("chmod 600 {}", in_shell(path)))
            }
        }
    }
}

/// The bytes of a file of at most `largest` bytes that is for its owner; `None` where it is
/// missing. The error of a link, a directory or a larger file is `irregular`.
///
/// # Errors
/// E0104 for a file that cannot be read, E0419 for one that others can read, change or replace.
pub fn read_for_owner(path: &Path, largest: u64, irregular: JobError) -> Result<Option<Vec<u8>>, JobError> {
    match read_regular(&*system(), path, largest, Readers::Owner) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(unread) if unread.is_missing() => Ok(None),
        Err(unread) => Err(unread.into_error(path, irregular)),
    }
}

/// Refuses a place in which another user can put another file under this name.
pub(crate) fn check_place(storage: &dyn Storage, path: &Path) -> Result<(), Misplaced> {
    match exposed_place(storage, path).map_err(Misplaced::System)? {
        None => Ok(()),
        Some(place) => Err(Misplaced::Exposed(place)),
    }
}

/// Who can change what is at a place, as messages begin.
pub(crate) fn who(place: &ExposedPlace) -> &'static str {
    match place {
        ExposedPlace::WorldWritable(_) => "every user",
        ExposedPlace::OfAnother(_) => "another user",
    }
}

/// What to do about a place.
pub(crate) fn what_to_do(place: &ExposedPlace) -> String {
    match place {
        ExposedPlace::WorldWritable(place) => format!("chmod o-w {}", in_shell(place)),
        ExposedPlace::OfAnother(place) => {
            format!("use a directory that only you can write to: {} belongs to another user", place.display())
        }
    }
}

/// A path as a word of a shell: other users may have named it.
pub(crate) fn in_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@%=:,~".contains(letter);
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// The bytes of a regular file of at most `largest` bytes, in which nobody else has written.
pub(crate) fn read_regular(
    storage: &dyn Storage,
    path: &Path,
    largest: u64,
    readers: Readers,
) -> Result<Vec<u8>, Unread> {
    check_place(storage, path)?;
    let Opened { entry, bytes } = storage.read(path, largest).map_err(Unread::System)?;
    // What was opened is judged, not what was at its name before.
    if entry.kind != Kind::File || entry.bytes > largest {
        return Err(Unread::Irregular);
    }
    let closed_to = match readers {
        Readers::Owner => 0o077,
        Readers::All => 0o002,
    };
    if entry.mode.is_some_and(|mode| mode & closed_to != 0) { Err(Unread::TooOpen) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use privacy_data::storage::FileSystem;

    use super::*;

    #[test]
    fn what_is_no_regular_file_of_that_size_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, b"four").unwrap();
        let read = |path: &Path, largest| read_regular(&FileSystem, path, largest, Readers::All);
        assert_eq!(read(&file, 4).unwrap(), b"four");
        assert!(matches!(read(&file, 3), Err(Unread::Irregular)));
        assert!(matches!(read(directory.path(), 1 << 20), Err(Unread::Irregular)));
        assert!(read(&directory.path().join("none"), 4).is_err_and(|unread| unread.is_missing()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_and_a_pipe_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| directory.path().join(name));
        fs::write(&file, b"four").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [link, pipe] {
            assert!(matches!(read_regular(&FileSystem, &path, 4, Readers::All), Err(Unread::Irregular)));
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_others_can_change_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, b"four").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let read = |readers| read_regular(&FileSystem, &file, 4, readers);
        for (mode, for_owner, for_all) in [
            (0o600, true, true),
            (0o640, false, true),
            (0o664, false, true),
            (0o602, false, false),
            (0o666, false, false),
        ] {
            set(&file, mode);
            assert_eq!(read(Readers::Owner).is_ok(), for_owner, "{mode:o}");
            assert_eq!(read(Readers::All).is_ok(), for_all, "{mode:o}");
        }
        assert!(matches!(read(Readers::Owner), Err(Unread::TooOpen)));
        assert!(matches!(read(Readers::All), Err(Unread::TooOpen)));
        set(&file, 0o600);
        for (mode, is_read) in [(0o777, false), (0o1777, true), (0o775, true), (0o700, true)] {
            set(directory.path(), mode);
            assert_eq!(read(Readers::Owner).is_ok(), is_read, "{mode:o}");
        }
    }
}
