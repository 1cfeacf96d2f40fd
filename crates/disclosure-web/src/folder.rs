//! The folder that the workbench was started in: nothing outside of it is opened.

use std::fs;
use std::path::{Component, Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::storage::{Claim, Held, system};

/// Where the workbench keeps its choices and writes its releases, below the folder.
pub(crate) const WORKBENCH: &str = "disclosure-workbench";

/// Most entries of a folder that are listed.
const MOST_ENTRIES: usize = 500;

/// Endings of files that may be a table.
const ENDINGS: [&str; 9] = ["csv", "tsv", "txt", "tab", "gz", "zst", "xlsx", "dat", "data"];

/// Endings of files that an engine reads.
pub(crate) const ENGINE_ENDINGS: [&str; 5] = ["parquet", "pq", "arrow", "feather", "ipc"];
/// Most entries of a folder that is one table.
const MOST_OF_A_TABLE: usize = 20_000;

/// The folder, with its links resolved.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// What may be opened, or entered, in a folder. Names that are not text are left out.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Names of folders, in order.
    pub(crate) folders: Vec<String>,
    /// Names of files that may be a table, with their sizes, in order.
    pub(crate) files: Vec<(String, u64)>,
    /// Whether there are more entries.
    pub(crate) is_cut: bool,
}

impl Folder {
    /// The folder at `path`.
    ///
    /// # Errors
    /// E0702 unless it is a folder that can be read.
    pub(crate) fn open(path: &Path) -> Result<Self, JobError> {
        let root = path.canonicalize().ok().filter(|root| root.is_dir());
        let root = root.ok_or_else(|| JobError::new("E0702", "the folder to serve does not exist").within(path))?;
        Ok(Self { root })
    }

    /// The folder itself.
    #[cfg(test)]
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Holds the folder for one workbench: a second one would give its releases the same numbers,
    /// and replace the choices of the first. `None` where the system cannot tell.
    ///
    /// # Errors
    /// E0727 while another workbench has it.
    pub(crate) fn hold(&self) -> Result<Option<Box<dyn Held>>, JobError> {
        match system().claim(&self.root) {
            Ok(Claim::Held(held)) => Ok(Some(held)),
            Ok(Claim::Unknown) | Err(_) => Ok(None),
            Ok(Claim::Taken) => {
                let error = JobError::new("E0727", "another workbench is open for this folder").within(&self.root);
                Err(error.next("use that one, or end it first"))
            }
        }
    }

    /// The folder of the workbench, which is made by the first file in it.
    pub(crate) fn workbench(&self) -> PathBuf {
        self.root.join(WORKBENCH)
    }

    /// Refuses a folder of the workbench that is a link: what is kept would be elsewhere.
    ///
    /// # Errors
    /// E0726.
    pub(crate) fn check_workbench(&self) -> Result<(), JobError> {
        match fs::symlink_metadata(self.workbench()) {
            Ok(found) if !found.is_dir() => {
                let error = JobError::new("E0726", format!("{WORKBENCH} is a link or a file instead of a folder"));
                Err(error.next("rename it, and start again"))
            }
            _ => Ok(()),
        }
    }

    /// A path below the folder, from a name that is relative to it: every link on the way stays
    /// below the folder, too.
    ///
    /// # Errors
    /// E0703 for any other name. The message does not tell a file that is outside from one that is
    /// not there.
    pub(crate) fn resolve(&self, name: &str) -> Result<PathBuf, JobError> {
        let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || name.contains('\0') {
            return Err(outside());
        }
        let path = self.root.join(name).canonicalize().map_err(|_| outside())?;
        if path.starts_with(&self.root) { Ok(path) } else { Err(outside()) }
    }

    /// A file below the folder that is no device or pipe.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, JobError> {
        let path = self.resolve(name)?;
        match fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            true => Ok(path),
            false => Err(outside()),
        }
    }

    /// A file, or a folder of the files of one table: nothing in it is a link, which may lead out.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub(crate) fn file_or_tree(&self, name: &str) -> Result<PathBuf, JobError> {
        let path = self.resolve(name)?;
        let is_inside = match fs::metadata(&path) {
            Ok(found) if found.is_file() => true,
            Ok(found) if found.is_dir() && path != self.root => has_no_link(&path, &mut 0),
            _ => false,
        };
        if is_inside { Ok(path) } else { Err(outside()) }
    }

    /// The name of a path below the folder, relative to it, with `/` between folders.
    ///
    /// # Errors
    /// E0703 for a path that is not below the folder, or is not text.
    pub(crate) fn name_of(&self, path: &Path) -> Result<String, JobError> {
        let found = path.canonicalize().map_err(|_| not_below(path))?;
        let below = found.strip_prefix(&self.root).map_err(|_| not_below(path))?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/")).ok_or_else(|| not_below(path))
    }

    /// What may be opened in a folder, `""` for the folder itself.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub(crate) fn list(&self, name: &str) -> Result<Listing, JobError> {
        let path = self.resolve(name)?;
        let entries = fs::read_dir(&path).map_err(|source| JobError::new("E0703", source.to_string()))?;
        let mut listing = Listing::default();
        for entry in entries.flatten() {
            if listing.folders.len() + listing.files.len() >= MOST_ENTRIES {
                listing.is_cut = true;
                break;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || name == WORKBENCH {
                continue;
            }
            // What a link leads to is found out when it is opened.
            match fs::metadata(entry.path()) {
                Ok(found) if found.is_dir() => listing.folders.push(name),
                Ok(found) if found.is_file() && may_be_table(&name) => listing.files.push((name, found.len())),
                _ => {}
            }
        }
        listing.folders.sort();
        listing.files.sort();
        Ok(listing)
    }
}

/// The refusal of a name, whatever is wrong with it.
fn outside() -> JobError {
    JobError::new("E0703", "this is not the name of a file below the folder")
        .next("choose a file from the list, or start the workbench in the folder of the data")
}

/// The refusal of data that the command names.
fn not_below(path: &Path) -> JobError {
    JobError::new("E0703", "the data are not below the folder that is served")
        .within(path)
        .next("start the workbench in the folder of the data, or name one above them with --folder")
}

/// Whether a folder has files and folders alone, and not too many.
fn has_no_link(folder: &Path, seen: &mut usize) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    for entry in entries {
        *seen += 1;
        let Ok(entry) = entry else { return false };
        let Ok(kind) = entry.file_type() else { return false };
        let is_plain = kind.is_file() || (kind.is_dir() && has_no_link(&entry.path(), seen));
        if !is_plain || *seen > MOST_OF_A_TABLE {
            return false;
        }
    }
    true
}

fn may_be_table(name: &str) -> bool {
    is_text(name) || is_of_engine(name)
}

/// Whether a name is that of a file of text or a workbook.
pub(crate) fn is_text(name: &str) -> bool {
    has_ending(name, &ENDINGS)
}

/// Whether a name is that of a file that an engine reads.
pub(crate) fn is_of_engine(name: &str) -> bool {
    has_ending(name, &ENGINE_ENDINGS)
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("data");
        fs::create_dir_all(root.join("deep")).unwrap();
        fs::write(place.path().join("secret.csv"), "a\n1\n").unwrap();
        fs::write(root.join("t.csv"), "a\n1\n").unwrap();
        fs::write(root.join("deep/u.CSV"), "a\n1\n").unwrap();
        fs::write(root.join("notes.pdf"), "").unwrap();
        let folder = Folder::open(&root).unwrap();
        (place, folder)
    }

    #[test]
    fn names_below_the_folder_are_found_and_others_refused_alike() {
        let (place, folder) = folder();
        assert!(folder.file("t.csv").is_ok() && folder.file("deep/u.CSV").is_ok());
        let absolute = place.path().join("secret.csv");
        let there = folder.file("../secret.csv").unwrap_err();
        for name in ["../none.csv", absolute.to_str().unwrap(), "deep/../../secret.csv", "..", "a\0b", "none.csv"] {
            let error = folder.file(name).unwrap_err();
            assert_eq!((error.code(), error.message()), (there.code(), there.message()), "{name}");
        }
        assert!(folder.file("deep").is_err(), "a folder is no file");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_is_refused() {
        let (place, folder) = folder();
        std::os::unix::fs::symlink(place.path().join("secret.csv"), folder.root().join("link.csv")).unwrap();
        std::os::unix::fs::symlink(place.path(), folder.root().join("up")).unwrap();
        std::os::unix::fs::symlink("t.csv", folder.root().join("inside.csv")).unwrap();
        assert!(folder.file("link.csv").unwrap_err().has_code("E0703"));
        assert!(folder.file("up/secret.csv").unwrap_err().has_code("E0703"));
        assert!(folder.list("up").unwrap_err().has_code("E0703"));
        assert!(folder.file("inside.csv").is_ok(), "a link within the folder leads to its file");
        assert!(folder.check_workbench().is_ok(), "it is not there yet");
        std::os::unix::fs::symlink(place.path(), folder.workbench()).unwrap();
        assert!(folder.check_workbench().unwrap_err().has_code("E0726"));
    }

    #[test]
    fn folders_and_tables_are_listed_in_order() {
        let (_place, folder) = folder();
        let listing = folder.list("").unwrap();
        assert_eq!((listing.folders, listing.files), (vec!["deep".to_owned()], vec![("t.csv".to_owned(), 4)]));
        assert_eq!(folder.list("deep").unwrap().files.len(), 1);
        assert!(folder.list("..").is_err());
        assert_eq!(folder.name_of(&folder.root().join("deep/u.CSV")).unwrap(), "deep/u.CSV");
    }
}
