//! The secret, in a file that only its owner can read.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use disclosure::core::prf::Secret;
use privacy_data::OutputError;
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use crate::error::Failure;
use crate::files::say;

/// The secret of a file, which is made first if it may be new and is not there.
pub(super) fn secret_of(path: &Path, may_be_new: bool) -> Result<Secret, Failure> {
    if may_be_new {
        make_secret(path)?;
    }
    read_secret(path)
}

/// Reads the 32 bytes of a secret. What was read is wiped, and no message shows anything of it.
fn read_secret(path: &Path) -> Result<Secret, Failure> {
    let failed = |source| Failure::reading(path, &source);
    let refused = |message: &str| Failure::new("E0407", message).within(path);
    // Before it is opened: opening a pipe waits for somebody to write.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(refused("the secret is not in a regular file"));
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(refused("the secret is not in a regular file"));
    }
    if is_open_to_others(&metadata) {
        return Err(
            refused("others than its owner can read or write the secret").next(format!("chmod 600 {}", path.display()))
        );
    }
    // One byte more than a secret has tells a longer file.
    let mut bytes = Zeroizing::new([0; 33]);
    let mut length = 0;
    while length < bytes.len() {
        match (&file).read(&mut bytes[length..]).map_err(failed)? {
            0 => break,
            read => length += read,
        }
    }
    Secret::new(&bytes[..length]).map_err(|_| refused("the secret has to be exactly 32 bytes"))
}

/// Makes the file of a new secret, 32 bytes of the operating system that nobody but the owner may read. A file that is there is left
/// as it is: under another secret small groups would draw again.
fn make_secret(path: &Path) -> Result<(), Failure> {
    let mut bytes = Zeroizing::new([0; 32]);
    SysRng.try_fill_bytes(&mut *bytes).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    for_the_owner(&mut options);
    let failed = |source| Failure::from(OutputError::System { action: "write", path: path.to_path_buf(), source });
    let mut file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    file.write_all(&*bytes).and_then(|()| file.sync_all()).map_err(|error| {
        // Half a secret is none, and the next try makes another.
        let _ = std::fs::remove_file(path);
        failed(error)
    })?;
    say(&format!(
        "A new secret is in {}: keep it as long as the data. Under another one small groups would draw again.",
        path.display()
    ));
    Ok(())
}

#[cfg(unix)]
fn for_the_owner(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

/// Elsewhere there is no mode to give.
#[cfg(not(unix))]
fn for_the_owner(_: &mut OpenOptions) {}

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
