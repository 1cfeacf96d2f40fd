//! A folder for what is kept from one job to the next, and files that go from it.

use std::io::ErrorKind;
use std::path::Path;

use crate::output::OutputError;
use crate::storage::StorageRef;
use crate::target::{OWNER_ONLY_DIRECTORY, Replaced, Target, system};

/// Makes a folder that nobody but its owner may enter, durably; one that is there stays as it is.
/// What is synced in a folder is lost with it where its own name was not.
///
/// # Errors
/// [`OutputError::NoName`] and [`OutputError::System`]; after [`OutputError::NotSynced`] the folder
/// is there.
pub fn make_owner_folder(storage: &StorageRef, path: &Path) -> Result<(), OutputError> {
    let target = Target::new(storage, path)?;
    match storage.make_directory(&target.path(), Some(OWNER_ONLY_DIRECTORY)) {
        // The process that made it may have ended before it was synced.
        Err(source) if source.kind() == ErrorKind::AlreadyExists => target.sync_parent(),
        Err(source) => Err(system("create", path)(source)),
        Ok(()) => target.sync_parent(),
    }
}

/// Removes a regular file, durably, if it is there.
///
/// # Errors
/// As [`make_owner_folder`], and for anything else that is there.
pub fn remove_if_there(storage: &StorageRef, path: &Path) -> Result<(), OutputError> {
    let target = Target::new(storage, path)?;
    if target.replaced_file()? == Replaced::Nothing {
        return Ok(());
    }
    match storage.remove(&target.path()) {
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(system("remove", path)(source)),
        Ok(()) => target.sync_parent(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_once_and_a_file_goes_once() {
        let place = tempfile::tempdir().unwrap();
        let (storage, folder) = (crate::storage::system(), place.path().join("kept"));
        let file = folder.join("old.toml");
        make_owner_folder(&storage, &folder).unwrap();
        std::fs::write(&file, "x").unwrap();
        make_owner_folder(&storage, &folder).unwrap();
        assert!(file.exists(), "a folder that is there keeps what is in it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        remove_if_there(&storage, &file).unwrap();
        assert!(!file.exists());
        remove_if_there(&storage, &file).unwrap();
        assert!(remove_if_there(&storage, &folder).is_err() && folder.exists(), "a folder is no file");
        assert!(make_owner_folder(&storage, &place.path().join("absent/kept")).is_err());
    }
}
