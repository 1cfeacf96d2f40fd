//! The secret, from a file that only its owner can read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use disclosure::core::prf::Secret;
use zeroize::Zeroizing;

use crate::error::Failure;

/// Reads the 32 bytes of a secret. What was read is wiped, and no message shows anything of it.
pub(super) fn read_secret(path: &Path) -> Result<Secret, Failure> {
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
