//! Whether another user can put another file in the place of one.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Entry, Kind, Storage};

/// Links on the way to a path, above which it is taken for a circle: as many as Linux follows.
const MOST_LINKS: usize = 40;

/// A place on the way to a path that another user can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExposedPlace {
    /// What every user can write to: a directory in which they can rename and replace what is
    /// there, since no sticky bit protects its entries.
    WorldWritable(PathBuf),
    /// What another user has put into a directory that every user can write to and whose sticky
    /// bit protects its entries: it protects them for that user.
    OfAnother(PathBuf),
}

/// The first place on the way to a path that another user can change; `None` if no place is so, and
/// where the system has no modes.
///
/// The way is every directory from the root on, those of links and of what they point to among
/// them, to the entry of that name, which may be missing. Root and the user of this process are
/// trusted, and so is who owns a directory that only its owner or group can write to.
///
/// # Errors
/// What the system says of an entry that it does not find or show.
pub fn exposed_place(storage: &dyn Storage, path: &Path) -> io::Result<Option<ExposedPlace>> {
    let from = if path.is_absolute() { PathBuf::new() } else { storage.resolve(Path::new("."))? };
    let mut way = Way { storage, at: PathBuf::new(), rest: VecDeque::new(), links: 0 };
    way.go_on(&from.join(path));
    while let Some(name) = way.rest.pop_front() {
        if let Some(found) = way.step(&name)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A walk through directories, of which none is a link.
struct Way<'a> {
    storage: &'a dyn Storage,
    at: PathBuf,
    /// Names still to be gone, `..` among them.
    rest: VecDeque<OsString>,
    links: usize,
}

impl Way<'_> {
    /// Puts the components of a path before the rest; an absolute one begins at its root.
    fn go_on(&mut self, path: &Path) {
        if path.has_root() {
            let of_root = |component: &Component<'_>| matches!(component, Component::Prefix(_) | Component::RootDir);
            self.at = path.components().take_while(of_root).collect();
        }
        let names = path.components().filter_map(|component| match component {
            Component::ParentDir | Component::Normal(_) => Some(component.as_os_str().to_owned()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        });
        self.rest = names.chain(std::mem::take(&mut self.rest)).collect();
    }

    fn step(&mut self, name: &OsString) -> io::Result<Option<ExposedPlace>> {
        if name == ".." {
            self.at.pop();
            return Ok(None);
        }
        let directory = self.storage.look_at(&self.at)?;
        let is_open = directory.mode.is_some_and(|mode| mode & 0o002 != 0);
        if is_open && directory.mode.is_some_and(|mode| mode & 0o1000 == 0) {
            return Ok(Some(ExposedPlace::WorldWritable(self.at.clone())));
        }
        let next = self.at.join(name);
        let entry = match self.storage.look_at(&next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.rest.is_empty() => return Ok(None),
            entry => entry?,
        };
        if is_open && !is_trusted(entry) {
            return Ok(Some(ExposedPlace::OfAnother(next)));
        }
        match entry.kind {
            Kind::Link => self.follow(&next)?,
            _ => self.at = next,
        }
        Ok(None)
    }

    fn follow(&mut self, link: &Path) -> io::Result<()> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(io::Error::other("too many symbolic links"));
        }
        let target = self.storage.read_link(link)?;
        self.go_on(&target);
        Ok(())
    }
}

/// Whether an entry is of root or of the user of this process, or of nobody, on systems that do not
/// say whose it is.
fn is_trusted(entry: Entry) -> bool {
    entry.owner.is_none_or(|owner| owner == 0 || Some(owner) == user())
}

#[cfg(unix)]
fn user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn user() -> Option<u32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::storage::FileSystem;

    /// The directory by the names that the file system gives: a home may be behind a link.
    fn home() -> io::Result<(tempfile::TempDir, PathBuf)> {
        let home = tempfile::tempdir()?;
        let path = fs::canonicalize(home.path())?;
        Ok((home, path))
    }

    #[test]
    fn every_directory_on_the_way_is_looked_at() {
        let (_kept, home) = home().unwrap();
        let inner = home.join("open/inner");
        fs::create_dir_all(&inner).unwrap();
        let file = inner.join("file");
        for (mode, is_open) in [(0o755, false), (0o775, false), (0o777, true), (0o1777, false), (0o702, true)] {
            fs::set_permissions(home.join("open"), Permissions::from_mode(mode)).unwrap();
            for path in [&file, &home.join("open/inner/../inner/./file")] {
                let found = exposed_place(&FileSystem, path).unwrap();
                assert_eq!(found, is_open.then(|| ExposedPlace::WorldWritable(home.join("open"))), "{mode:o}");
            }
        }
    }

    #[test]
    fn the_directory_of_every_link_counts_and_that_of_what_it_points_to() {
        let (_kept, home) = home().unwrap();
        let [first, second, third] = ["first", "second", "third"].map(|name| home.join(name));
        for directory in [&first, &second, &third] {
            fs::create_dir(directory).unwrap();
        }
        symlink(second.join("hop"), first.join("link")).unwrap();
        symlink("../third", second.join("hop")).unwrap();
        symlink(third.join("real"), third.join("named")).unwrap();
        fs::write(third.join("real"), "x").unwrap();
        let file = first.join("link/named");
        assert_eq!(exposed_place(&FileSystem, &file).unwrap(), None);
        for open in [&first, &second, &third] {
            fs::set_permissions(open, Permissions::from_mode(0o777)).unwrap();
            let found = exposed_place(&FileSystem, &file).unwrap();
            assert_eq!(found, Some(ExposedPlace::WorldWritable(open.clone())));
            fs::set_permissions(open, Permissions::from_mode(0o755)).unwrap();
        }
        assert_eq!(exposed_place(&FileSystem, &first.join("link/missing")).unwrap(), None);
        assert!(exposed_place(&FileSystem, &home.join("none/file")).is_err());
        symlink(home.join("circle"), home.join("circle")).unwrap();
        assert!(exposed_place(&FileSystem, &home.join("circle")).is_err());
    }

    /// Whose an entry is, counts where every user may make one. Root alone can give one away.
    #[test]
    fn a_sticky_bit_protects_what_is_of_this_user_or_of_root() {
        let (_kept, home) = home().unwrap();
        let file = home.join("file");
        fs::write(&file, "x").unwrap();
        if std::os::unix::fs::chown(&file, Some(65_534), None).is_err() {
            return;
        }
        for (mode, is_exposed) in [(0o1777, true), (0o755, false)] {
            fs::set_permissions(&home, Permissions::from_mode(mode)).unwrap();
            let found = exposed_place(&FileSystem, &file).unwrap();
            assert_eq!(found, is_exposed.then(|| ExposedPlace::OfAnother(file.clone())), "{mode:o}");
        }
    }
}
