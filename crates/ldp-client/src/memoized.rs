//! The permanent stage of RAPPOR, drawn once and kept with the row.
//!
//! Its file:
//!
//! ```text
//! 0   4   "LDPM"
//! 4   2   version of the format, 1
//! 6   2   zero
//! 8   4   features
//! 12  8   permanent bits
//! 20  32  digest of the schema
//! 52      the row, 4 bytes per feature
//!         the permanent bits of the RAPPOR features in order, least bit first; zeros to the next byte
//! end-32  SHA-256 of everything before
//! ```
//!
//! Integers are little endian. The checksum reveals damage, not forgery.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::bits::{bit, load, write_bit};
use crate::client::Client;
use crate::error::FormatError;
use crate::feature::Protocol;
use crate::report::Field;
use crate::wire::{check_reserved, header_field, open_header};

const MAGIC: &[u8; 4] = b"LDPM";
/// Version of the format.
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 52;
const CHECKSUM_BYTES: usize = 32;

/// The row of one person with the permanent stage of its RAPPOR features drawn: keep it where the
/// row is kept, as confidential as the row, and make every later report from it.
///
/// Its bytes outlive the program that drew it. Drawing the permanent stage again, for the same
/// row, costs epsilon again.
#[derive(Clone, PartialEq, Eq)]
pub struct MemoizedResponse {
    /// Digest of the schema: under another one the permanent bits would be worth another epsilon.
    pub(crate) digest: [u8; 32],
    pub(crate) row: Vec<u32>,
    /// The permanent bits of each feature; none where the protocol has one stage.
    pub(crate) permanent: Vec<Vec<bool>>,
}

/// Shows nothing of the row.
impl fmt::Debug for MemoizedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoizedResponse").finish_non_exhaustive()
    }
}

impl MemoizedResponse {
    /// The bytes of its file: the row is in them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bits: Vec<bool> = self.permanent.iter().flatten().copied().collect();
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend((self.row.len() as u32).to_le_bytes());
        bytes.extend((bits.len() as u64).to_le_bytes());
        bytes.extend(self.digest);
        self.row.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        let start = bytes.len();
        bytes.resize(start + bits.len().div_ceil(8), 0);
        bits.iter().enumerate().for_each(|(i, &bit)| write_bit(&mut bytes[start..], i, bit));
        let checksum: [u8; CHECKSUM_BYTES] = Sha256::digest(&bytes).into();
        bytes.extend(checksum);
        bytes
    }

    /// Reads the bytes of a file that was written under the schema of this client.
    ///
    /// # Errors
    /// [`FormatError::OtherKind`], [`FormatError::Version`], [`FormatError::Length`],
    /// [`FormatError::OtherSchema`], [`FormatError::Reserved`], [`FormatError::Damaged`]. No
    /// message shows anything of the row.
    pub fn from_bytes(bytes: &[u8], client: &Client) -> Result<Self, FormatError> {
        let header = open_header(bytes, MAGIC, "a memoised response", VERSION, HEADER_BYTES)?;
        let digest = header_field(header, 20);
        if digest != client.digest() {
            return Err(FormatError::OtherSchema);
        }
        let (fields, lengths) = (client.fields(), permanent_lengths(client.fields()));
        let bits: usize = lengths.iter().sum();
        let expected = HEADER_BYTES + 4 * fields.len() + bits.div_ceil(8) + CHECKSUM_BYTES;
        if bytes.len() != expected {
            return Err(FormatError::Length { expected: expected as u64, got: bytes.len() as u64 });
        }
        let (content, checksum) = bytes.split_at(expected - CHECKSUM_BYTES);
        let counts = (u32::from_le_bytes(header_field(header, 8)), u64::from_le_bytes(header_field(header, 12)));
        check_reserved(header, 6)?;
        if counts != (fields.len() as u32, bits as u64) || Sha256::digest(content)[..] != *checksum {
            return Err(FormatError::Damaged);
        }
        let (row, permanent) = content[HEADER_BYTES..].split_at(4 * fields.len());
        let row: Vec<u32> = row.chunks_exact(4).map(|value| u32::from_le_bytes(header_field(value, 0))).collect();
        if client.check(&row).is_err() {
            return Err(FormatError::Damaged);
        }
        Ok(Self { digest, row, permanent: read_permanent(permanent, &lengths)? })
    }
}

/// How many permanent bits each feature has.
fn permanent_lengths(fields: &[Field]) -> Vec<usize> {
    fields.iter().map(|field| if let Protocol::Rappor { .. } = field.protocol { field.bits } else { 0 }).collect()
}

fn read_permanent(bytes: &[u8], lengths: &[usize]) -> Result<Vec<Vec<bool>>, FormatError> {
    let mut words = vec![0; bytes.len().div_ceil(8)];
    load(bytes, &mut words);
    let mut first = 0;
    let mut permanent = Vec::with_capacity(lengths.len());
    for &length in lengths {
        permanent.push((first..first + length).map(|i| bit(&words, i)).collect());
        first += length;
    }
    // A bit after the last one would be lost when the response is stored again.
    if (first..8 * bytes.len()).any(|i| bit(&words, i)) { Err(FormatError::Damaged) } else { Ok(permanent) }
}
