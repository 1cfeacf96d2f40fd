//! A directory of a release: its record, and its files as far as they are what the record says.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::ReportError;
use crate::digest::{DigestWriter, sha256};
use crate::error::Failure;

/// Longest record, and longest file whose contents are shown.
const MAX_SHOWN_BYTES: u64 = 1 << 26;
/// Files of a release that a page can list.
const MAX_FILES: usize = 10_000;
/// Names of records.
const RECORDS: [&str; 2] = ["manifest.json", "release.json"];

/// A directory with its record.
pub(super) struct Directory {
    root: PathBuf,
    /// Name of the record.
    pub(super) name: &'static str,
    record: Vec<u8>,
    /// Schema of the record.
    pub(super) schema: String,
    /// How many files had the digest that the record gives.
    pub(super) checked: usize,
    /// Lines of a table that are shown.
    pub(super) max_lines: usize,
    /// Bytes of tables that may still be shown: one page holds no more.
    pub(super) room: usize,
}

/// A file that the record names.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// Whether it must stay where the data are.
    pub(super) stays: bool,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Directory {
    /// Finds the record and reads its schema.
    pub(super) fn open(root: &Path, max_lines: usize) -> Result<Self, Failure> {
        let found = |name: &&&str| fs::symlink_metadata(root.join(name)).is_ok_and(|found| found.is_file());
        if let Err(source) = fs::metadata(root) {
            return Err(Failure::reading(root, &source));
        }
        let record = || -> Result<(&'static str, Vec<u8>, Head), ReportError> {
            let name = RECORDS.iter().find(found).ok_or(ReportError::NoRecord)?;
            let (bytes, is_whole) = read_at_most(&root.join(name), MAX_SHOWN_BYTES).map_err(reading(name))?;
            if !is_whole {
                return Err(ReportError::TooMany { what: format!("{name} is larger than 64 MiB") });
            }
            let head = parse(name, &bytes)?;
            Ok((name, bytes, head))
        };
        let (name, record, Head { schema }) = record().map_err(|error| error.within(root))?;
        Ok(Self { root: root.to_owned(), name, record, schema, checked: 0, max_lines, room: 1 << 24 })
    }

    /// The record, as its schema has it.
    pub(super) fn record<T: DeserializeOwned>(&self) -> Result<T, ReportError> {
        parse(self.name, &self.record)
    }

    /// Digest of the record itself, which no other file names.
    pub(super) fn record_sha256(&self) -> String {
        sha256(&self.record)
    }

    /// Refuses what cannot be files of this directory.
    pub(super) fn check_names(&self, entries: &[Entry]) -> Result<(), ReportError> {
        if entries.len() > MAX_FILES {
            return Err(ReportError::TooMany { what: format!("the record names more than {MAX_FILES} files") });
        }
        // Each file once, and spelt in one way.
        let mut seen = BTreeSet::new();
        let mut stays = |entry: &Entry| {
            let mut parts = Path::new(&entry.path).components();
            entry.path.split('/').all(|part| !matches!(part, "" | "." | ".."))
                && parts.all(|part| matches!(part, Component::Normal(_)))
                && seen.insert(entry.path.clone())
        };
        match entries.iter().position(|entry| !stays(entry)) {
            Some(place) => Err(ReportError::Outside { entry: place + 1 }),
            None => Ok(()),
        }
    }

    /// Compares a file with its digest; its bytes, unless there are too many to be shown.
    pub(super) fn read(&mut self, entry: &Entry) -> Result<Option<Vec<u8>>, ReportError> {
        let path = self.root.join(&entry.path);
        let missing = || ReportError::Missing { file: entry.path.clone() };
        let mut folder = self.root.clone();
        for part in Path::new(&entry.path).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
                return Err(missing());
            }
        }
        // Neither a link nor a pipe: a release has none, and a pipe may never end.
        let found = fs::symlink_metadata(&path).map_err(|_| missing())?;
        if !found.is_file() {
            return Err(missing());
        }
        let changed = || ReportError::Changed { file: entry.path.clone() };
        if found.len() != entry.bytes {
            return Err(changed());
        }
        let is_shown = entry.bytes <= MAX_SHOWN_BYTES;
        let (digest, bytes) = digest_of(&path, entry.bytes, is_shown).map_err(reading(&entry.path))?;
        if !digest.eq_ignore_ascii_case(&entry.sha256) {
            return Err(changed());
        }
        self.checked += 1;
        Ok(bytes)
    }

    /// Compares a file with its digest, and reads it as a document.
    pub(super) fn document<T: DeserializeOwned>(&mut self, entry: &Entry) -> Result<Option<T>, ReportError> {
        let bytes = self.read(entry)?;
        bytes.map(|bytes| parse(&entry.path, &bytes)).transpose()
    }
}

fn reading(file: &str) -> impl FnOnce(io::Error) -> ReportError {
    let file = file.to_owned();
    move |source| ReportError::Reading { file, source }
}

/// A document. Errors name its place and none of its values.
pub(super) fn parse<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, ReportError> {
    serde_json::from_slice(bytes).map_err(|error| ReportError::BadRecord {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
    })
}

/// The first bytes of a file, and whether they are all.
fn read_at_most(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 <= most;
    Ok((bytes, is_whole))
}

/// Digest of a file, and its bytes if they are kept.
fn digest_of(path: &Path, length: u64, is_kept: bool) -> io::Result<(String, Option<Vec<u8>>)> {
    // A file that grows while it is read is cut, and has another digest.
    let mut file = File::open(path)?.take(length + 1);
    if is_kept {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok((sha256(&bytes), Some(bytes)));
    }
    let mut digest = DigestWriter::new(io::sink());
    io::copy(&mut file, &mut digest)?;
    Ok((digest.finish().0, None))
}
