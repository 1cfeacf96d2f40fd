//! Whether files are still those that were opened: two readings of a job are of the same rows.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;

use disclosure_jobs::JobError;

use crate::source::changed;

/// Files with their sizes and times, as they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

impl Watch {
    /// # Errors
    /// E0104 for a file that is not there.
    pub(crate) fn over(files: &[PathBuf]) -> Result<Self, JobError> {
        let state = |path: &PathBuf| {
            let found = std::fs::metadata(path).map_err(|source| JobError::reading(path, &source))?;
            Ok((path.clone(), found.len(), modified(&found)))
        };
        Ok(Self { files: files.iter().map(state).collect::<Result<_, JobError>>()? })
    }

    /// Refuses files that were written since, or are gone.
    ///
    /// # Errors
    /// E0338.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let is_same = |(path, size, time): &(PathBuf, u64, Option<SystemTime>)| {
            std::fs::metadata(path).is_ok_and(|found| found.len() == *size && modified(&found) == *time)
        };
        if self.files.iter().all(is_same) { Ok(()) } else { Err(changed()) }
    }
}

fn modified(found: &Metadata) -> Option<SystemTime> {
    found.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_since_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t");
        std::fs::write(&path, "one").unwrap();
        let watch = Watch::over(std::slice::from_ref(&path)).unwrap();
        watch.check().unwrap();
        std::fs::write(&path, "other").unwrap();
        assert!(watch.check().unwrap_err().has_code("E0338"));
        std::fs::remove_file(&path).unwrap();
        assert!(watch.check().unwrap_err().has_code("E0338"));
        assert!(Watch::over(&[path]).unwrap_err().has_code("E0104"));
    }
}
