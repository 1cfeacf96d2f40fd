//! The answers of a difference guard, in a file beside the secret: `KEY.answers`.
//!
//! Every job under a guard reads the answers that were given before, adds its own, and replaces the
//! file whole. The registry of the secret notes the seal of the newest answers, so that a copy from
//! before some query, which would have its groups drawn anew, is refused. One job at a time has the
//! answers (`KEY.answers.lock`), from reading its rows to the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure::lcf::{DifferenceGuard, LowCountFilter};
use disclosure::privacy_core::prf::Secret;
use privacy_data::FileOptions;
use privacy_data::storage::{Storage, StorageRef, system};

use crate::error::JobError;
use crate::lock::{self, Lock};
use crate::registry::RegistryFile;
use crate::regular::{MOST_STORED, Readers, check_stored, read_regular};

/// The answers under a secret, and the right to add to them until this is dropped.
#[derive(Debug)]
pub struct Answers<'f> {
    storage: StorageRef,
    path: PathBuf,
    filter: &'f LowCountFilter,
    guard: DifferenceGuard,
    /// Number of answers in the file.
    stored: usize,
    /// The seal of the file that was read; none before the first.
    seal: Option<[u8; 16]>,
    _lock: Lock,
}

impl<'f> Answers<'f> {
    /// The answers of a filter beside the file of its secret; none before its first job. Waits for
    /// other jobs that have them.
    ///
    /// # Errors
    /// E0410 for answers that are missing, older than the newest ones, changed or of another
    /// filter; as [`RegistryFile::admit`] for the registry; those of the file system.
    pub fn open(secret_file: &Path, secret: &Secret, filter: &'f LowCountFilter) -> Result<Self, JobError> {
        Self::open_on(&system(), secret_file, secret, filter)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(
        storage: &StorageRef,
        secret_file: &Path,
        secret: &Secret,
        filter: &'f LowCountFilter,
    ) -> Result<Self, JobError> {
        let path = lock::beside(secret_file, ".answers");
        let lock = lock::exclusive(storage, &path).map_err(lock::not_locked)?;
        let noted = RegistryFile::on(storage, secret_file).read(secret)?.and_then(|registry| registry.answers());
        let (guard, seal) = read(&**storage, &path, filter)?;
        if !guard.continues(noted) {
            return Err(refused(
                &path,
                "the stored answers are older than those recorded in the registry of the secret key",
            ));
        }
        Ok(Self { storage: Arc::clone(storage), stored: guard.len(), seal, path, filter, guard, _lock: lock })
    }

    /// The guard that has them.
    pub fn guard(&mut self) -> &mut DifferenceGuard {
        &mut self.guard
    }

    /// The seal of the file that was read.
    pub(crate) fn seal(&self) -> Option<[u8; 16]> {
        self.seal
    }

    /// Whether there are answers that the file has not.
    pub(crate) fn has_new(&self) -> bool {
        self.guard.len() != self.stored
    }

    /// Writes the file if there are new answers, and gives its seal.
    pub(crate) fn store(&self) -> Result<Option<[u8; 16]>, JobError> {
        if !self.has_new() {
            return Ok(None);
        }
        let bytes = self.guard.to_bytes(self.filter);
        check_stored("stored answers", &self.path, &bytes)?;
        FileOptions { for_owner: true, replaces: true }.keep_on(&self.storage, &self.path, &bytes)?;
        Ok(DifferenceGuard::seal_of(&bytes))
    }
}

/// The answers of a file with its seal.
fn read(
    storage: &dyn Storage,
    path: &Path,
    filter: &LowCountFilter,
) -> Result<(DifferenceGuard, Option<[u8; 16]>), JobError> {
    let bytes = match read_regular(storage, path, MOST_STORED, Readers::Owner) {
        Err(unread) if unread.is_missing() => return Ok((DifferenceGuard::new(), None)),
        Err(unread) => {
            return Err(
                unread.into_error(path, refused(path, "the stored answers are not a regular file of at most 1 GiB"))
            );
        }
        Ok(bytes) => bytes,
    };
    let guard = DifferenceGuard::from_bytes(&bytes, filter)
        .map_err(|_| refused(path, "the stored answers were changed, or belong to another secret key, kind of entity or threshold distribution"))?;
    Ok((guard, DifferenceGuard::seal_of(&bytes)))
}

fn refused(path: &Path, message: &str) -> JobError {
    JobError::new("E0410", message.to_owned()).within(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use disclosure::lcf::{ColumnRule, DrawMode, EntityColumn, EntitySet, ThinUniform, ThresholdTable};

    use super::*;
    use crate::registry::{Claim, Registration};

    fn filter(secret: &Secret) -> LowCountFilter {
        let thresholds = ThresholdTable::new(ThinUniform::at_least(4).unwrap());
        let columns = vec![EntityColumn { kind: "user".to_owned(), thresholds }];
        LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, secret).unwrap()
    }

    fn ask(answers: &mut Answers<'_>, filter: &LowCountFilter, people: std::ops::Range<u64>) -> bool {
        let mut set = EntitySet::new(filter.cap());
        set.extend(people);
        answers.guard().decide(filter, &[set]).unwrap().is_reported()
    }

    #[test]
    fn answers_are_kept_and_an_older_copy_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let (key, secret) = (directory.path().join("key"), Secret::new(&[7; 32]).unwrap());
        let (file, filter) = (directory.path().join("key.answers"), filter(&secret));
        let claim = Claim { terms: vec![("guard".to_owned(), "true".to_owned())], publication: None };
        let admit = |answers: &Answers<'_>| {
            RegistryFile::beside(&key).admit_answers(&secret, &claim, Registration::IfNone, answers).unwrap();
        };
        let mut copies = Vec::new();
        for round in 0..3 {
            let mut answers = Answers::open(&key, &secret, &filter).unwrap();
            let shown = ask(&mut answers, &filter, 0..5);
            assert_eq!(ask(&mut answers, &filter, 0..4), shown, "one person less");
            ask(&mut answers, &filter, 100 * round..100 * round + 5);
            admit(&answers);
            drop(answers);
            copies.push((fs::read(&file).unwrap(), fs::read(directory.path().join("key.registry")).unwrap()));
        }
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        // The file of the round before: somebody wants a group drawn anew.
        let reopen = || Answers::open(&key, &secret, &filter).map(drop).map_err(|error| error.code().to_owned());
        fs::write(&file, &copies[1].0).unwrap();
        assert_eq!(reopen(), Err("E0410".to_owned()));
        fs::remove_file(&file).unwrap();
        assert_eq!(reopen(), Err("E0410".to_owned()));
        // A program that ended between the two files goes on.
        fs::write(&file, &copies[2].0).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(directory.path().join("key.registry"), &copies[1].1).unwrap();
        assert_eq!(reopen(), Ok(()));
        fs::write(&file, b"LCA1").unwrap();
        assert_eq!(reopen(), Err("E0410".to_owned()));
    }
}
