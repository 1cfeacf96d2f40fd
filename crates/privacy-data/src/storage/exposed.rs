//! Whether everybody can put another file in the place of one.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::Storage;

/// The first directory on the way to a path in which everybody can rename and replace what is
/// there: it is writable for others, and no sticky bit keeps them from the entries of its owner.
/// `None` if no directory is so, and where the system has no modes.
///
/// The way is every directory that the path names, and every directory above it once links are
/// followed: who can rename a directory can replace all that is below it.
///
/// # Errors
/// What the system says of a directory that it does not find or show.
pub fn world_writable_directory(storage: &dyn Storage, path: &Path) -> io::Result<Option<PathBuf>> {
    let mut seen = BTreeSet::new();
    for named in path.ancestors().skip(1) {
        let named = if named.as_os_str().is_empty() { Path::new(".") } else { named };
        let resolved = storage.resolve(named)?;
        for directory in resolved.ancestors() {
            if seen.insert(directory.to_owned()) && is_world_writable(storage, directory)? {
                return Ok(Some(directory.to_owned()));
            }
        }
    }
    Ok(None)
}

fn is_world_writable(storage: &dyn Storage, directory: &Path) -> io::Result<bool> {
    Ok(storage.look_at(directory)?.mode.is_some_and(|mode| mode & 0o1002 == 0o002))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::storage::FileSystem;

    #[test]
    fn every_directory_on_the_way_is_looked_at() {
        let home = tempfile::tempdir().unwrap();
        // The names that the file system gives: the home may be behind a link.
        let home = fs::canonicalize(home.path()).unwrap();
        let inner = home.join("open/inner");
        fs::create_dir_all(&inner).unwrap();
        let file = inner.join("file");
        for (mode, is_open) in [(0o755, false), (0o775, false), (0o777, true), (0o1777, false), (0o702, true)] {
            fs::set_permissions(home.join("open"), Permissions::from_mode(mode)).unwrap();
            let found = world_writable_directory(&FileSystem, &file).unwrap();
            assert_eq!(found, is_open.then(|| home.join("open")), "{mode:o}");
        }
    }

    #[test]
    fn directories_behind_a_link_and_the_one_of_the_link_count() {
        let home = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(home.path()).unwrap();
        let [named, real] = ["named", "real"].map(|name| home.join(name));
        fs::create_dir(&named).unwrap();
        fs::create_dir(&real).unwrap();
        symlink(&real, named.join("link")).unwrap();
        let file = named.join("link/file");
        assert_eq!(world_writable_directory(&FileSystem, &file).unwrap(), None);
        for open in [&named, &real] {
            fs::set_permissions(open, Permissions::from_mode(0o777)).unwrap();
            assert_eq!(world_writable_directory(&FileSystem, &file).unwrap().as_ref(), Some(open));
            fs::set_permissions(open, Permissions::from_mode(0o755)).unwrap();
        }
        assert!(world_writable_directory(&FileSystem, &home.join("none/file")).is_err());
    }
}
