//! The files that a job names: on a file system, or in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use privacy_data::storage::{open_without_waiting, retried};

use super::inputs;
use crate::error::JobError;

/// Most bytes of a domain file or of another text that a specification names: 16 MiB.
pub const MAX_TEXT_BYTES: u64 = 1 << 24;

/// Opens the files that a job names. Names are relative to the job.
pub trait Files {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// E0104 for a file that cannot be opened.
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, JobError>;

    /// The name of a file in messages.
    fn shown(&self, name: &Path) -> PathBuf {
        name.to_owned()
    }
}

/// The files of a file system, relative to a directory.
#[derive(Clone, Debug)]
pub struct FileSystem {
    base_dir: PathBuf,
}

impl FileSystem {
    /// Files relative to `base_dir`; absolute names stay as they are.
    pub fn new(base_dir: impl Into<PathBuf>) -> Self {
        Self { base_dir: base_dir.into() }
    }

    /// Files relative to the directory of the job at `job`.
    #[must_use]
    pub fn beside(job: &Path) -> Self {
        Self::new(job.parent().unwrap_or(Path::new("")))
    }
}

impl Files for FileSystem {
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, JobError> {
        Ok(Box::new(open_file(&self.base_dir.join(name))?))
    }

    fn shown(&self, name: &Path) -> PathBuf {
        self.base_dir.join(name)
    }
}

/// Opens a file that can be read from any place, so no pipe, and waits for nobody who writes one.
///
/// # Errors
/// E0104.
pub fn open_regular(path: &Path) -> Result<File, JobError> {
    let file = retried(|| open_without_waiting(path)).and_then(|file| match retried(|| file.metadata())?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    });
    inputs::note(path);
    file.map_err(|source| JobError::reading(path, &source))
}

/// Opens a file that is no directory.
///
/// # Errors
/// E0104.
pub fn open_file(path: &Path) -> Result<File, JobError> {
    inputs::note(path);
    let file = File::open(path).and_then(|file| match retried(|| file.metadata())?.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => Ok(file),
    });
    file.map_err(|source| JobError::reading(path, &source))
}

/// Whether what is at a path can be read only once, as what a shell makes of `<(...)`.
#[cfg(unix)]
#[must_use]
pub fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// Elsewhere no name of a file is that of a pipe.
#[cfg(not(unix))]
#[must_use]
pub fn is_pipe(_: &Path) -> bool {
    false
}

/// Files in memory, by their names.
///
/// ```
/// use std::path::Path;
///
/// use disclosure_jobs::input::{MemoryFiles, read_text};
///
/// let files = MemoryFiles::default().with("domain.toml", "learnt_from_data = false");
/// assert_eq!(read_text(&files, Path::new("domain.toml"))?, "learnt_from_data = false");
/// assert!(read_text(&files, Path::new("other.toml")).is_err());
/// # Ok::<(), disclosure_jobs::error::JobError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(BTreeMap<PathBuf, Vec<u8>>);

impl MemoryFiles {
    /// The same files and one more, or another one of this name.
    #[must_use]
    pub fn with(mut self, name: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.insert(name.into(), bytes.into());
        self
    }
}

impl Files for MemoryFiles {
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, JobError> {
        match self.0.get(name) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Err(JobError::reading(name, &io::Error::from(io::ErrorKind::NotFound))),
        }
    }
}

/// The text of a file of at most [`MAX_TEXT_BYTES`]; a longer one is refused, never cut.
///
/// # Errors
/// E0104 for a file that cannot be read, E0614 for a longer one, E0210 for bytes that are not
/// UTF-8.
pub fn read_text(files: &dyn Files, name: &Path) -> Result<String, JobError> {
    read_text_at_most(files, name, |_| MAX_TEXT_BYTES)
}

/// The text of a file of at most as many bytes as its first 1024 call for.
///
/// # Errors
/// As [`read_text`].
pub fn read_text_at_most(files: &dyn Files, name: &Path, limit: impl FnOnce(&[u8]) -> u64) -> Result<String, JobError> {
    text_of(files.open(name)?, &files.shown(name), limit)
}

/// The text that a reader gives, of at most as many bytes as its first 1024 call for: refused
/// above that, never cut. Messages name `shown`.
///
/// # Errors
/// As [`read_text`].
pub fn text_of(mut file: impl Read, shown: &Path, limit: impl FnOnce(&[u8]) -> u64) -> Result<String, JobError> {
    /// Enough to tell one format from another.
    const HEAD: u64 = 1 << 10;
    let mut bytes = Vec::new();
    read_until_nul(&mut file, HEAD, &mut bytes).map_err(|source| JobError::reading(shown, &source))?;
    let limit = limit(&bytes);
    let rest = (limit + 1).saturating_sub(bytes.len() as u64);
    read_until_nul(&mut file, rest, &mut bytes).map_err(|source| JobError::reading(shown, &source))?;
    if bytes.contains(&0) {
        return Err(not_text(shown));
    }
    if bytes.len() as u64 > limit {
        return Err(JobError::new("E0614", format!("the file is larger than {} MiB", limit >> 20)).within(shown));
    }
    String::from_utf8(bytes).map_err(|_| not_text(shown))
}

/// Reads at most as many bytes, and not far behind the first NUL: no text has one, and a device, or
/// a hole in a file, gives them without end.
pub(crate) fn read_until_nul(mut file: impl Read, at_most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    const PART: u64 = 1 << 16;
    let mut left = at_most;
    while left > 0 {
        let before = bytes.len();
        file.by_ref().take(left.min(PART)).read_to_end(bytes)?;
        let read = bytes.len() - before;
        if read == 0 || bytes[before..].contains(&0) {
            return Ok(());
        }
        left -= read as u64;
    }
    Ok(())
}

fn not_text(shown: &Path) -> JobError {
    JobError::new("E0210", "the file is not UTF-8 text").within(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_read_and_refused_like_those_of_a_disk() {
        let files = MemoryFiles::default().with("a.toml", "x = 1").with("b", vec![0xff]);
        assert_eq!(read_text(&files, Path::new("a.toml")).unwrap(), "x = 1");
        assert!(read_text(&files, Path::new("b")).unwrap_err().has_code("E0210"));
        assert!(read_text(&files, Path::new("c")).unwrap_err().has_code("E0104"));
        assert!(read_text_at_most(&files, Path::new("a.toml"), |_| 4).unwrap_err().has_code("E0614"));
        let endless = text_of(io::repeat(0), Path::new("zeros"), |_| u64::MAX - 1);
        assert!(endless.unwrap_err().has_code("E0210"));
    }

    #[test]
    fn names_are_relative_to_the_job() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("d.toml"), "y").unwrap();
        let files = FileSystem::beside(&directory.path().join("job.toml"));
        assert_eq!(read_text(&files, Path::new("d.toml")).unwrap(), "y");
        let missing = read_text(&files, Path::new("e.toml")).unwrap_err();
        assert!(missing.message().starts_with(&*directory.path().join("e.toml").to_string_lossy()));
        assert!(read_text(&files, Path::new("")).unwrap_err().has_code("E0104"), "a directory is no file");
    }
}
