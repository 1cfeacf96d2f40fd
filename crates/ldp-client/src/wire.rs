//! Reports in files: a header of 52 bytes, then the reports one after the other.
//!
//! ```text
//! 0   4   "LDPR"
//! 4   2   version of the format, 1
//! 6   2   zero
//! 8   4   bytes of a report
//! 12  8   how many reports follow
//! 20  32  digest of the schema
//! ```
//!
//! Integers are little endian. Nothing is allocated by what a header says.

use crate::error::FormatError;
use crate::report::Layout;
use crate::schema::Schema;

const MAGIC: &[u8; 4] = b"LDPR";
/// Version of the format.
const VERSION: u16 = 1;

/// Bytes of the header of a file of reports.
pub const REPORTS_HEADER_BYTES: usize = 52;

/// The header of a file of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportsHeader {
    report_bytes: u32,
    reports: u64,
    digest: [u8; 32],
}

impl ReportsHeader {
    /// The header for this many reports of a schema.
    #[must_use]
    pub fn new(schema: &Schema, reports: u64) -> Self {
        Self { report_bytes: Layout::of(schema).bytes() as u32, reports, digest: schema.digest() }
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; REPORTS_HEADER_BYTES] {
        let mut bytes = [0; REPORTS_HEADER_BYTES];
        bytes[..4].copy_from_slice(MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.report_bytes.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.reports.to_le_bytes());
        bytes[20..].copy_from_slice(&self.digest);
        bytes
    }

    /// Reads a header, and checks that its reports are of this schema.
    ///
    /// # Errors
    /// [`FormatError::OtherKind`], [`FormatError::Length`], [`FormatError::Version`],
    /// [`FormatError::OtherSchema`], [`FormatError::Reserved`], [`FormatError::ReportBytes`].
    pub fn parse(bytes: &[u8], schema: &Schema) -> Result<Self, FormatError> {
        let rest = open_header(bytes, MAGIC, "reports", VERSION, REPORTS_HEADER_BYTES)?;
        let reports = u64::from_le_bytes(header_field(rest, 12));
        let header =
            Self { report_bytes: u32::from_le_bytes(header_field(rest, 8)), reports, digest: header_field(rest, 20) };
        let expected = Self::new(schema, reports);
        if header.digest != expected.digest {
            return Err(FormatError::OtherSchema);
        }
        check_reserved(rest, 6)?;
        if header.report_bytes != expected.report_bytes {
            return Err(FormatError::ReportBytes { expected: expected.report_bytes, got: header.report_bytes });
        }
        Ok(header)
    }

    /// Bytes of each report.
    #[must_use]
    pub fn report_bytes(&self) -> usize {
        self.report_bytes as usize
    }

    /// How many reports follow.
    #[must_use]
    pub fn reports(&self) -> u64 {
        self.reports
    }
}

/// The header of a file of this kind and version: its first `header` bytes. Four bytes name the
/// kind, the next two have the version.
///
/// # Errors
/// [`FormatError::OtherKind`], [`FormatError::Length`] and [`FormatError::Version`].
pub fn open_header<'a>(
    bytes: &'a [u8],
    magic: &[u8; 4],
    kind: &'static str,
    version: u16,
    header: usize,
) -> Result<&'a [u8], FormatError> {
    if bytes.get(..4) != Some(magic) {
        return Err(FormatError::OtherKind { expected: kind });
    }
    let Some(header_bytes) = bytes.get(..header) else {
        return Err(FormatError::Length { expected: header as u64, got: bytes.len() as u64 });
    };
    match u16::from_le_bytes(header_field(header_bytes, 4)) {
        got if got == version => Ok(header_bytes),
        got => Err(FormatError::Version { expected: version, got }),
    }
}

/// Checks that the two bytes of a header from `at` are zero, as they are in this version.
///
/// # Errors
/// [`FormatError::Reserved`].
///
/// # Panics
/// If the header is shorter: its length is checked first.
pub fn check_reserved(header: &[u8], at: usize) -> Result<(), FormatError> {
    if header_field::<2>(header, at) == [0; 2] { Ok(()) } else { Err(FormatError::Reserved) }
}

/// `N` bytes of a header from `at`.
///
/// # Panics
/// If there are fewer: the length of the header is checked first.
#[must_use]
pub fn header_field<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    header[at..at + N].try_into().expect("a slice of N bytes is an array of N bytes")
}
