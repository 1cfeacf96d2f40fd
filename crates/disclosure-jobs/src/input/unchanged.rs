//! Whether a file is still the one that was opened first: all readings of a job are of the same
//! rows, or the rows of one would be put beside the people of another.

use std::cell::OnceCell;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use privacy_data::storage::retried;

use crate::error::JobError;

/// What a file was when it was opened first; nothing of a pipe and of a device.
#[derive(Debug, Default)]
pub(super) struct FirstState(OnceCell<Option<State>>);

#[derive(Debug, PartialEq, Eq)]
struct State {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Its device and number: a file that was put in its place has another one.
    #[cfg(unix)]
    identity: (u64, u64),
}

impl State {
    fn of(found: &Metadata) -> Option<Self> {
        found.is_file().then(|| Self {
            bytes: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            identity: {
                use std::os::unix::fs::MetadataExt;
                (found.dev(), found.ino())
            },
        })
    }
}

impl FirstState {
    /// Compares what was opened with what was opened first.
    ///
    /// # Errors
    /// E0104 without its state, E0338 for another file or one that was written since.
    pub(super) fn check_opened(&self, name: &Path, file: &File) -> Result<(), JobError> {
        self.check(name, retried(|| file.metadata()))
    }

    /// The same of what has the name behind the last row.
    ///
    /// # Errors
    /// As [`FirstState::check_opened`].
    pub(super) fn check_read(&self, name: &Path) -> Result<(), JobError> {
        match self.0.get() {
            Some(Some(_)) => self.check(name, retried(|| std::fs::metadata(name))),
            _ => Ok(()),
        }
    }

    fn check(&self, name: &Path, found: io::Result<Metadata>) -> Result<(), JobError> {
        let found = found.map_err(|source| JobError::reading(name, &source))?;
        let now = State::of(&found);
        if self.0.get().is_none_or(|first| *first == now) {
            let _ = self.0.set(now);
            return Ok(());
        }
        Err(JobError::new("E0338", "the data changed while they were read; nothing was counted").within(name))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use privacy_data::CsvOptions;

    use super::super::{CsvSource, DataSource, TextColumns};
    use super::*;

    fn read(source: &CsvSource, mut each: impl FnMut()) -> Result<(), JobError> {
        source.for_each_text_row(TextColumns::Named(&["a"]), &CsvOptions::default(), &mut |_| {
            each();
            Ok(())
        })
    }

    #[test]
    fn rows_of_two_files_are_never_those_of_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        let write = |text: &str| {
            let other = directory.path().join("other");
            std::fs::write(&other, text).unwrap();
            std::fs::rename(other, &path).unwrap();
        };
        write("a\nx\ny\n");
        let source = CsvSource::file(&path);
        read(&source, || ()).unwrap();
        read(&source, || ()).unwrap();
        // As many bytes, in another order, between two readings and during one.
        write("a\ny\nx\n");
        assert!(read(&source, || ()).unwrap_err().has_code("E0338"));
        let source = CsvSource::file(&path);
        // Once: every row that is read would be followed by another one.
        let mut is_written = false;
        let append = || {
            if !std::mem::replace(&mut is_written, true) {
                File::options().append(true).open(&path).unwrap().write_all(b"z\n").unwrap();
            }
        };
        assert!(read(&source, append).unwrap_err().has_code("E0338"));
        assert!(CsvSource::file(&path).form().is_ok());
        // Nor of two states of one, in a snapshot that is taken while it is written.
        write(&format!("a\n{}", "x\n".repeat(1 << 17)));
        let snapshot = CsvSource::file(&path).into_snapshot(1).unwrap();
        let mut is_written = false;
        let append = || {
            if !std::mem::replace(&mut is_written, true) {
                File::options().append(true).open(&path).unwrap().write_all(b"z\n").unwrap();
            }
        };
        assert!(read(&snapshot, append).unwrap_err().has_code("E0338"));
        assert!(read(&snapshot, || ()).unwrap_err().has_code("E0338"), "and it is no better the second time");
        // A snapshot stays what it was.
        let snapshot = CsvSource::file(&path).into_snapshot(1).unwrap();
        read(&snapshot, || ()).unwrap();
        write("a\n");
        read(&snapshot, || ()).unwrap();
    }
}
