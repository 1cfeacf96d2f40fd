//! The registry of a secret, in a file beside it: `KEY.registry`.
//!
//! The holder of the secret registers the terms of a deployment once, with the first job. A later
//! job under other terms is refused, and so is a second publication of other data: see
//! [`Registry`]. Writers take an exclusive lock (`KEY.registry.lock`), and the file is replaced
//! whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure::lcf::{Error, Registry};
use disclosure::privacy_core::prf::Secret;
use privacy_data::FileOptions;
use privacy_data::storage::{StorageRef, system};

use crate::answers::Answers;
use crate::error::JobError;
use crate::lock;
use crate::regular::{Readers, read_regular};

/// A registry of a hundred columns is a thousandth of this, in bytes.
const LARGEST: u64 = 1 << 24;

/// What a filtered table asks of the registry before anything of it leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub(crate) terms: Vec<(String, String)>,
    /// Digest of the table that is published; none for answers to queries.
    pub(crate) publication: Option<[u8; 16]>,
}

impl Claim {
    /// Everything that the job may not choose: names and values.
    pub fn terms(&self) -> impl Iterator<Item = (&str, &str)> {
        self.terms.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same terms, for an owner who looks at the table and publishes nothing.
    #[must_use]
    pub fn without_publication(self) -> Self {
        Self { publication: None, ..self }
    }
}

/// The file of a registry.
#[derive(Clone, Debug)]
pub struct RegistryFile {
    storage: StorageRef,
    path: PathBuf,
}

/// Where the registry of a secret is.
pub(crate) fn registry_of(secret: &Path) -> PathBuf {
    lock::beside(secret, ".registry")
}

/// Whether a secret without a registry gets one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The terms of this job are registered if nothing is yet.
    IfNone,
    /// A secret without a registry is refused.
    Required,
}

impl Registration {
    /// Whether a secret without a registry gets one: only where that was allowed.
    #[must_use]
    pub fn allowed(is_allowed: bool) -> Self {
        if is_allowed { Self::IfNone } else { Self::Required }
    }
}

impl RegistryFile {
    /// The registry beside a secret.
    #[must_use]
    pub fn beside(secret: &Path) -> Self {
        Self::on(&system(), secret)
    }

    /// The same on another storage than the file system of the machine.
    #[must_use]
    pub fn on(storage: &StorageRef, secret: &Path) -> Self {
        Self { storage: Arc::clone(storage), path: registry_of(secret) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Admits a table, and records its publication. Nothing of the table may leave before.
    ///
    /// # Errors
    /// E0408 for terms that are not the registered ones, for a secret without a registry, and for
    /// a registry that was changed; E0409 for a second publication; those of the file system.
    pub fn admit(&self, secret: &Secret, claim: &Claim, registration: Registration) -> Result<(), JobError> {
        self.admit_with(secret, claim, registration, None)
    }

    /// Admits a table whose difference guard answered, and stores its answers. Nothing of the table
    /// may leave before.
    ///
    /// # Errors
    /// As [`admit`](Self::admit); those of writing a file.
    pub fn admit_answers(
        &self,
        secret: &Secret,
        claim: &Claim,
        registration: Registration,
        answers: &Answers<'_>,
    ) -> Result<(), JobError> {
        self.admit_with(secret, claim, registration, Some(answers))
    }

    fn admit_with(
        &self,
        secret: &Secret,
        claim: &Claim,
        registration: Registration,
        answers: Option<&Answers<'_>>,
    ) -> Result<(), JobError> {
        let _lock = lock::exclusive(&self.storage, &self.path).map_err(lock::not_locked)?;
        let before = self.read(secret)?;
        let mut registry = match (&before, registration) {
            (Some(registry), _) => registry.clone(),
            (None, Registration::IfNone) => Registry::new(claim.terms.clone()),
            (None, Registration::Required) => {
                let error = self.refused("the secret key has no registry (KEY.registry)");
                return Err(error.next(
                    "put KEY.registry back if it was lost; else run the command with --register if this job has the \
                     settings for which the key is intended",
                ));
            }
        };
        registry.check(claim.terms()).map_err(|error| self.refused(&error.to_string()))?;
        if let Some(table) = claim.publication {
            registry.publish(table).map_err(|error| self.failed("E0409", &error))?;
        }
        let mut written = before;
        if let Some(answers) = answers {
            // A job that ended between the two files left newer answers than are noted. They are
            // noted before others replace them: answers know those before them, and no older ones.
            if let Some(seal) = answers.seal() {
                registry.record_answers(seal);
            }
            if answers.has_new() && registry.answers().is_some() {
                self.write(secret, &mut written, &registry)?;
            }
            if let Some(seal) = answers.store()? {
                registry.record_answers(seal);
            }
        }
        self.write(secret, &mut written, &registry)
    }

    /// Replaces the registry where it differs from what was written last.
    fn write(&self, secret: &Secret, written: &mut Option<Registry>, registry: &Registry) -> Result<(), JobError> {
        if written.as_ref() == Some(registry) {
            return Ok(());
        }
        let text = registry.to_text(secret);
        if text.len() as u64 > LARGEST {
            let error = JobError::new("E0661", "the registry would be larger than 16 MiB").within(&self.path);
            return Err(error.next("shorten the names in the specification"));
        }
        let options = FileOptions { for_owner: true, replaces: true };
        options.keep_on(&self.storage, &self.path, text.as_bytes())?;
        *written = Some(registry.clone());
        Ok(())
    }

    pub(crate) fn read(&self, secret: &Secret) -> Result<Option<Registry>, JobError> {
        let bytes = match read_regular(&*self.storage, &self.path, LARGEST, Readers::Owner) {
            Err(unread) if unread.is_missing() => return Ok(None),
            Err(unread) => {
                let irregular = self.refused("the registry is not a regular file, or is too large");
                return Err(unread.into_error(&self.path, irregular));
            }
            Ok(bytes) => bytes,
        };
        let text = String::from_utf8(bytes).map_err(|_| self.failed("E0408", &Error::NotAState))?;
        Registry::from_text(&text, secret).map(Some).map_err(|_| {
            self.refused("the registry was changed, or belongs to another secret key: its seal does not match")
        })
    }

    fn refused(&self, message: &str) -> JobError {
        JobError::new("E0408", message.to_owned()).within(&self.path)
    }

    fn failed(&self, code: &'static str, error: &Error) -> JobError {
        JobError::new(code, error.to_string()).within(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(kind: &str, publication: Option<[u8; 16]>) -> Claim {
        Claim { terms: vec![("kind".to_owned(), kind.to_owned())], publication }
    }

    #[test]
    fn the_first_job_registers_and_others_are_held_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let (file, secret) = (RegistryFile::beside(&directory.path().join("key")), Secret::new(&[7; 32]).unwrap());
        let admit = |kind, publication, registration| {
            file.admit(&secret, &claim(kind, publication), registration).map_err(|error| error.code().to_owned())
        };
        assert_eq!(admit("user", None, Registration::Required), Err("E0408".to_owned()));
        assert_eq!(admit("user", None, Registration::IfNone), Ok(()));
        assert_eq!(admit("user", None, Registration::Required), Ok(()));
        assert_eq!(admit("person", None, Registration::IfNone), Err("E0408".to_owned()));
        assert_eq!(admit("user", Some([1; 16]), Registration::Required), Ok(()));
        assert_eq!(admit("user", Some([1; 16]), Registration::Required), Ok(()));
        assert_eq!(admit("user", Some([2; 16]), Registration::Required), Err("E0409".to_owned()));
        let other = file.admit(&Secret::new(&[8; 32]).unwrap(), &claim("user", None), Registration::IfNone);
        assert!(other.unwrap_err().has_code("E0408"));
    }
}
