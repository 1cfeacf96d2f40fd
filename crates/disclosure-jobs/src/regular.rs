//! Files that a job keeps beside others: regular files of reasonable size, and not through a link.

use std::io;
use std::path::Path;

use privacy_data::storage::{Kind, Storage};

/// Why such a file was not read.
pub(crate) enum Unread {
    /// It is missing, or the system refuses.
    System(io::Error),
    /// A link, a directory, a device, or larger than it can be.
    Irregular,
}

impl Unread {
    /// Whether the file is missing.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The bytes of a regular file of at most `largest` bytes.
pub(crate) fn read_regular(storage: &dyn Storage, path: &Path, largest: u64) -> Result<Vec<u8>, Unread> {
    let found = storage.look_at(path).map_err(Unread::System)?;
    if found.kind != Kind::File || found.bytes > largest {
        return Err(Unread::Irregular);
    }
    // It may have grown meanwhile.
    let bytes = storage.read(path, largest.saturating_add(1)).map_err(Unread::System)?;
    if bytes.len() as u64 > largest { Err(Unread::Irregular) } else { Ok(bytes) }
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
        assert!(read_regular(&FileSystem, &file, 4).is_ok_and(|bytes| bytes == b"four"));
        assert!(matches!(read_regular(&FileSystem, &file, 3), Err(Unread::Irregular)));
        assert!(matches!(read_regular(&FileSystem, directory.path(), 1 << 20), Err(Unread::Irregular)));
        assert!(read_regular(&FileSystem, &directory.path().join("none"), 4).is_err_and(|unread| unread.is_missing()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, b"four").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(read_regular(&FileSystem, &link, 4), Err(Unread::Irregular)));
    }
}
