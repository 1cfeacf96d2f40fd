//! A folder of files of one format, with columns in the names of its folders
//! (`year=2024/part.parquet`).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;

use super::{Kind, kind_of};

/// Most files of a folder.
const MOST_FILES: usize = 1 << 17;

/// What a folder holds. A file that would be passed over is an error: its rows would be missing.
pub(super) struct Folder {
    pub(super) kind: Kind,
    /// In the order of their paths.
    pub(super) files: Vec<PathBuf>,
    /// What all names end in, such as `.parquet`.
    pub(super) ending: String,
    /// The columns in the names of folders, from the outside to the inside.
    pub(super) partitions: Vec<String>,
}

impl Folder {
    /// # Errors
    /// E0339 for a folder without data, with files of several formats or endings, or of another
    /// one, or with folders that name different columns.
    pub(super) fn read(root: &Path) -> Result<Self, JobError> {
        let mut files = Vec::new();
        collect(root, &mut files)?;
        files.sort();
        let first = files.first().ok_or_else(|| refused("the folder contains no data"))?;
        let kind =
            kind_of(first).ok_or_else(|| refused("the folder contains a file that is neither Parquet nor Arrow"))?;
        let ending =
            ending_of(first).ok_or_else(|| refused("the folder contains a file whose name has no extension"))?;
        let partitions = partitions_of(root, first)?;
        for file in &files {
            if kind_of(file) != Some(kind) || ending_of(file).as_ref() != Some(&ending) {
                return Err(refused("the folder contains files of several formats or with several extensions"));
            }
            if partitions_of(root, file)? != partitions {
                return Err(refused("the subfolders name different columns"));
            }
        }
        Ok(Self { kind, files, ending, partitions })
    }
}

fn refused(words: &str) -> JobError {
    JobError::new("E0339", words).next("keep the files of one table in a separate folder, all in one format")
}

/// Adds the files below a folder, but those that tools leave behind, such as `_SUCCESS`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), JobError> {
    let failed = |source: std::io::Error| JobError::reading(folder, &source);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(OsStr::to_str).ok_or_else(|| refused("a file name is not UTF-8"))?;
        let is_aside = name.starts_with(['_', '.']) && !name.contains('=');
        if path.is_dir() && !is_aside {
            collect(&path, files)?;
        } else if !is_aside {
            files.push(path);
        } else if path.is_dir() || kind_of(&path).is_some() {
            return Err(refused("a hidden file or folder (its name begins with . or _) may contain rows"));
        }
        if files.len() > MOST_FILES {
            return Err(refused("the folder contains more than 131072 files"));
        }
    }
    Ok(())
}

/// The ending of a name, with its point.
fn ending_of(file: &Path) -> Option<String> {
    file.extension().and_then(OsStr::to_str).map(|ending| format!(".{ending}"))
}

/// The columns in the names of the folders above a file; none, or all of them have one.
fn partitions_of(root: &Path, file: &Path) -> Result<Vec<String>, JobError> {
    let inside = file.strip_prefix(root).ok().and_then(Path::parent).unwrap_or(Path::new(""));
    let names: Vec<String> = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let columns: Vec<String> =
        names.iter().filter_map(|name| name.split_once('=')).map(|(column, _)| column.to_owned()).collect();
    let is_one_kind = columns.is_empty() || columns.len() == names.len();
    if is_one_kind { Ok(columns) } else { Err(refused("some subfolders name a column and others do not")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files; every content begins as a Parquet file unless it is said.
    fn folder(files: &[(&str, &str)]) -> Result<Folder, JobError> {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        Folder::read(directory.path())
    }

    #[test]
    fn files_below_a_folder_are_found_with_the_columns_of_its_names() {
        let found = folder(&[("y=2/m=1/a.parquet", "PAR1"), ("y=1/m=9/b.parquet", "PAR1"), ("_SUCCESS", "")]).unwrap();
        assert_eq!((found.partitions, found.files.len()), (vec!["y".to_owned(), "m".to_owned()], 2));
        assert!(found.files.is_sorted());
        let plain = folder(&[("a/1.arrow", "ARROW1"), ("2.arrow", "ARROW1")]).unwrap();
        assert!((plain.kind, plain.ending.as_str()) == (Kind::Arrow, ".arrow") && plain.partitions.is_empty());
    }

    #[test]
    fn rows_that_would_be_passed_over_are_refused() {
        for files in [
            &[][..],
            &[("a.csv", "x,y")],
            &[("a.parquet", "PAR1"), ("b.csv", "x")],
            &[("a.parquet", "PAR1"), ("b.pq", "PAR1")],
            &[("a.parquet", "PAR1"), ("b.parquet", "ARROW1")],
            &[("a.parquet", "PAR1"), ("_b.parquet", "PAR1")],
            &[("a.parquet", "PAR1"), (".hidden/b.parquet", "PAR1")],
            &[("y=1/a.parquet", "PAR1"), ("m=1/a.parquet", "PAR1")],
            &[("y=1/x/a.parquet", "PAR1")],
            &[("y=1/a.parquet", "PAR1"), ("a.parquet", "PAR1")],
        ] {
            assert!(folder(files).err().is_some_and(|error| error.has_code("E0339")), "{files:?}");
        }
    }
}
