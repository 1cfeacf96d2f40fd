//! The secret of a filter, in a file that only its owner can read.

use std::io::{ErrorKind, Read};
use std::path::Path;

use disclosure::privacy_core::prf::Secret;
use privacy_data::storage::{ExposedPlace, StorageRef, open_without_waiting, retried, system};
use privacy_data::{FileOptions, OutputError};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::error::JobError;
use crate::lock::exclusive;
use crate::memory_image::leave_no_image;
use crate::observer::Observer;
use crate::registry::registry_of;
use crate::regular::{Misplaced, check_place, in_shell, what_to_do};

/// Reads the 32 bytes of a secret. The buffer is wiped, no message shows anything of it, and from
/// now on a crash leaves no image of the process's memory.
///
/// # Errors
/// E0104 for a file that cannot be read; E0407 for one that is not regular, that others than its
/// owner can read or write, that every user can replace in a directory on the way, or that does not
/// have 32 bytes.
pub fn read_secret(path: &Path) -> Result<Secret, JobError> {
    leave_no_image();
    check_place(&*system(), path).map_err(|misplaced| replaceable(path, misplaced))?;
    // What is open is judged, and not what its name stood for before.
    let file = retried(|| open_without_waiting(path)).map_err(|source| JobError::reading(path, &source))?;
    let metadata = file.metadata().map_err(|source| JobError::reading(path, &source))?;
    if !metadata.is_file() {
        return Err(refused(path, "the secret key is not a regular file"));
    }
    if is_open_to_others(&metadata) {
        let next = format!("chmod 600 {}", in_shell(path));
        return Err(refused(path, "users other than the owner can read or write the secret key").next(next));
    }
    // One byte more than a secret has reveals a longer file.
    let mut bytes = Zeroizing::new([0; 33]);
    let mut length = 0;
    while length < bytes.len() {
        match retried(|| (&file).read(&mut bytes[length..])).map_err(|source| JobError::reading(path, &source))? {
            0 => break,
            read => length += read,
        }
    }
    Secret::new(&bytes[..length]).map_err(|_| refused(path, "the secret key must have exactly 32 bytes"))
}

/// Makes the file of a new secret: 32 bytes of the caller's generator, which nobody but the owner
/// may read. A file that is there stays as it is: under another secret answers would be drawn
/// again. The observer hears of a new file.
///
/// # Errors
/// E0103 and its kin for a file that cannot be written.
pub fn make_secret(path: &Path, observer: &dyn Observer, rng: &mut dyn CryptoRng) -> Result<(), JobError> {
    make_secret_on(&system(), path, observer, rng)
}

/// The same on another storage than the file system of the machine.
///
/// # Errors
/// As [`make_secret`].
pub fn make_secret_on(
    storage: &StorageRef,
    path: &Path,
    observer: &dyn Observer,
    rng: &mut dyn CryptoRng,
) -> Result<(), JobError> {
    if is_there(storage, path)? {
        return Ok(());
    }
    leave_no_image();
    check_place(&**storage, path).map_err(|misplaced| replaceable(path, misplaced))?;
    let mut bytes = Zeroizing::new([0; 32]);
    rng.fill_bytes(&mut *bytes);
    // One process at a time: of two that make it at once, the second keeps what the first has made.
    // The lock is that of its registry, which every job under the secret takes: what a process that
    // was killed leaves of it is gone after the next job.
    let _lock = exclusive(storage, &registry_of(path)).map_err(|(path, misplaced)| match misplaced {
        Misplaced::System(source) => not_written(&path, source),
        exposed => exposed.into_error(&path),
    })?;
    if is_there(storage, path)? {
        return Ok(());
    }
    // Whole or not at all: half a secret is not a secret, and would be taken for one from then on.
    let options = FileOptions { for_owner: true, replaces: false };
    options.keep_on(storage, path, &*bytes)?;
    observer.note(&format!(
        "Created a new secret key in {}. Keep it as long as the data: another key would draw everything again, and several draws disclose more than one.",
        path.display()
    ));
    Ok(())
}

/// Whether something is at the path. A system that does not say has not said no.
fn is_there(storage: &StorageRef, path: &Path) -> Result<bool, JobError> {
    match storage.look_at(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(not_written(path, error)),
    }
}

/// The error of a key in a place where another user can put another one.
fn replaceable(path: &Path, misplaced: Misplaced) -> JobError {
    match misplaced {
        Misplaced::System(source) => JobError::reading(path, &source),
        Misplaced::Exposed(place) => {
            let next = what_to_do(&place);
            let next = match place {
                ExposedPlace::WorldWritable(_) => {
                    format!("keep the key in a directory that only you can write to: {next}")
                }
                ExposedPlace::OfAnother(_) => next,
            };
            refused(path, "users other than the owner can replace the file of the secret key").next(next)
        }
    }
}

fn refused(path: &Path, message: &str) -> JobError {
    JobError::new("E0407", message).within(path)
}

fn not_written(path: &Path, source: std::io::Error) -> JobError {
    OutputError::System { action: "write", path: path.to_path_buf(), source }.into()
}

#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

/// Elsewhere there is no mode to look at.
#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::observer::Silent;

    #[test]
    fn a_new_secret_is_for_its_owner_and_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let mut rng = ChaCha20Rng::from_seed([7; 32]); // tests only
        make_secret(&path, &Silent, &mut rng).unwrap();
        let first = std::fs::read(&path).unwrap();
        assert_eq!((first.len(), std::fs::metadata(&path).unwrap().permissions().mode() & 0o777), (32, 0o600));
        make_secret(&path, &Silent, &mut rng).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), first);
        read_secret(&path).unwrap();
    }

    #[test]
    fn secrets_of_another_length_or_open_to_others_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        for (length, mode) in [(31, 0o600), (33, 0o600), (0, 0o600), (32, 0o640), (32, 0o604)] {
            std::fs::write(&path, vec![7; length]).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(read_secret(&path).unwrap_err().has_code("E0407"), "{length} {mode:o}");
        }
        for (mode, is_refused) in [(0o777, true), (0o702, true), (0o1777, false), (0o770, false)] {
            std::fs::write(&path, [7; 32]).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read_secret(&path).is_err_and(|error| error.has_code("E0407")), is_refused, "{mode:o}");
        }
        assert!(read_secret(directory.path()).unwrap_err().has_code("E0407"));
        assert!(read_secret(&directory.path().join("none")).unwrap_err().has_code("E0104"));
    }
}
