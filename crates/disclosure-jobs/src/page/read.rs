//! Reading a stored release from its files.
//!
//! No file is shown, or even parsed, before its digest was compared with the record.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use privacy_data::storage::{open_without_waiting, retried};

use super::contents::contents;
use super::error::PageError;
use super::record::{Entry, Record};
use super::sheet::PageLimits;
use super::stored::{StoredFile, StoredRelease};
use crate::digest::{DigestWriter, sha256};
use crate::error::JobError;
use crate::input::{Files, read_until_nul};

/// Longest record, and longest file whose contents are shown.
const MAX_SHOWN_BYTES: u64 = 1 << 26;
/// Largest number of files that a page lists.
const MAX_FILES: usize = 10_000;
/// File names of records, in the order in which they are looked for.
const RECORDS: [&str; 2] = ["manifest.json", "release.json"];

impl StoredRelease {
    /// Reads a release: finds its record, and compares every file with its digest.
    ///
    /// # Errors
    /// E0386 for a record that is missing or invalid, E0387 for a file that is missing or
    /// changed, E0388 for a table that no release writes, E0671 for more than a page can hold.
    pub fn read(files: &dyn Files, limits: PageLimits) -> Result<Self, JobError> {
        Ok(read(files, limits)?)
    }
}

fn read(files: &dyn Files, mut limits: PageLimits) -> Result<StoredRelease, PageError> {
    let (name, bytes) = find_record(files)?;
    let record = Record::parse(name, &bytes)?;
    let entries = record.entries();
    check_names(&entries)?;
    let max_lines = limits.max_lines;
    let mut stored = Vec::with_capacity(entries.len());
    for entry in entries {
        let bytes = read_checked(files, &entry)?;
        let content = contents(&record, &entry, bytes.as_deref(), &mut limits)?;
        stored.push(StoredFile { entry, content });
    }
    let record_sha256 = sha256(&bytes);
    Ok(StoredRelease { record, record_name: name.to_owned(), record_sha256, files: stored, max_lines })
}

fn find_record(files: &dyn Files) -> Result<(&'static str, Vec<u8>), PageError> {
    let found = RECORDS.iter().find_map(|&name| Some((name, files.open(Path::new(name)).ok()?)));
    let (name, file) = found.ok_or(PageError::NoRecord)?;
    let mut bytes = Vec::new();
    read_until_nul(file, MAX_SHOWN_BYTES + 1, &mut bytes).map_err(|source| reading(name, source))?;
    if bytes.len() as u64 > MAX_SHOWN_BYTES {
        return Err(PageError::TooMany { what: format!("{name} is larger than 64 MiB") });
    }
    Ok((name, bytes))
}

/// Refuses names that cannot be files of this directory, or that occur twice.
fn check_names(entries: &[Entry]) -> Result<(), PageError> {
    if entries.len() > MAX_FILES {
        return Err(PageError::TooMany { what: format!("the record names more than {MAX_FILES} files") });
    }
    let mut seen = BTreeSet::new();
    match entries.iter().position(|entry| !is_inside(&entry.path) || !seen.insert(&entry.path)) {
        Some(index) => Err(PageError::Outside { entry: index + 1 }),
        None => Ok(()),
    }
}

/// Whether a path stays below its directory, and is spelt in the only way it can be.
fn is_inside(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Compares a file with its digest; returns its bytes unless there are too many to be shown.
fn read_checked(files: &dyn Files, entry: &Entry) -> Result<Option<Vec<u8>>, PageError> {
    let file = files.open(Path::new(&entry.path));
    let file = file.map_err(|_| PageError::Missing { file: entry.path.clone() })?;
    // A file that grows while it is read is cut off, and has another digest.
    let mut file = file.take(entry.bytes.saturating_add(1));
    let read = digest_of(&mut file, entry.bytes <= MAX_SHOWN_BYTES);
    let (digest, bytes) = read.map_err(|source| reading(&entry.path, source))?;
    if !digest.eq_ignore_ascii_case(&entry.sha256) {
        return Err(PageError::Changed { file: entry.path.clone() });
    }
    Ok(bytes)
}

/// The digest of a file, and its bytes if they are kept.
fn digest_of(file: &mut dyn Read, is_kept: bool) -> io::Result<(String, Option<Vec<u8>>)> {
    if is_kept {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok((sha256(&bytes), Some(bytes)));
    }
    let mut digest = DigestWriter::new(io::sink());
    io::copy(file, &mut digest)?;
    Ok((digest.finish().0, None))
}

fn reading(file: &str, source: io::Error) -> PageError {
    PageError::Reading { file: file.to_owned(), source }
}

/// The files of a stored release: regular files below one directory, and never through a link.
#[derive(Clone, Debug)]
pub struct ReleaseDirectory {
    root: PathBuf,
}

impl ReleaseDirectory {
    /// The directory that a release was written to.
    ///
    /// # Errors
    /// E0104 if there is nothing at `root`.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, JobError> {
        let root = root.into();
        match retried(|| fs::metadata(&root)) {
            Ok(_) => Ok(Self { root }),
            Err(source) => Err(JobError::reading(&root, &source)),
        }
    }

    /// Whether a name is a regular file, reached through directories alone. A release has no
    /// links, and a pipe may never end.
    fn is_regular(&self, name: &Path) -> bool {
        let mut path = self.root.clone();
        for part in name.parent().into_iter().flat_map(Path::components) {
            path.push(part);
            if !retried(|| fs::symlink_metadata(&path)).is_ok_and(|found| found.is_dir()) {
                return false;
            }
        }
        retried(|| fs::symlink_metadata(self.root.join(name))).is_ok_and(|found| found.is_file())
    }
}

impl Files for ReleaseDirectory {
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, JobError> {
        let path = self.root.join(name);
        if !self.is_regular(name) {
            return Err(JobError::reading(&path, &io::Error::from(io::ErrorKind::NotFound)));
        }
        let file = open_without_waiting(&path).map_err(|source| JobError::reading(&path, &source))?;
        // Again, of the file that is open: the name may stand for another one by now.
        match retried(|| file.metadata()) {
            Ok(found) if found.is_file() => Ok(Box::new(file)),
            Ok(_) => Err(JobError::reading(&path, &io::Error::from(io::ErrorKind::NotFound))),
            Err(source) => Err(JobError::reading(&path, &source)),
        }
    }

    fn shown(&self, name: &Path) -> PathBuf {
        self.root.join(name)
    }
}
