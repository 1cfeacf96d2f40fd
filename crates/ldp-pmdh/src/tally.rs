//! Counts as a file holds them: they can be merged without the schema.
//!
//! ```text
//! 0   4   "LDPS"
//! 4   2   version of the format: 1 without sources, 2 with
//! 6   1   what is kept: 0 a full table, 1 sets up to an order, 2 reports
//! 7   1   the order; 0 otherwise
//! 8   4   stored columns
//! 12  8   how many reports were counted, N
//! 20  32  digest of the schema
//! 52  4   version 2: how many sources follow the counts, at least 1
//! 56  4   version 2: 1 if others were counted that are not kept, else 0
//! then    full table: 2^columns counts, bit i of the index for column i
//!         sets: their counts, by size, then in colexicographic order
//!         reports: their stored bits in increasing order, ceil(columns / 8) bytes each
//!         version 2: the SHA-256 of every source, increasing
//! end-32  SHA-256 of everything before
//! ```
//!
//! Counts are 8 bytes; integers are little endian. Reports are ordered as numbers, 64 bits at a
//! time, the first columns first. A source is what was counted at once: the reports of a file, or a
//! state without sources. The checksum reveals damage, not forgery: anyone who can write the file
//! can write any counts.

use sha2::{Digest, Sha256};

use crate::detail::{MAX_FULL_COLUMNS, StateDetail};
use crate::error::StateError;
use crate::slices::Slices;
use crate::sources::{MOST_SOURCES, Sources};
use crate::store::{MAX_ORDER, are_consistent, sets};
use ldp_client::wire::{header_field, open_header};
use ldp_client::{FormatError, MAX_COLUMNS, bits};

const MAGIC: &[u8; 4] = b"LDPS";
/// Version of the format without sources, and with.
const VERSIONS: [u16; 2] = [1, 2];
const CHECKSUM_BYTES: usize = 32;
/// Totals stay where doubles count exactly.
const MOST_REPORTS: u64 = 1 << 53;

/// Most bytes of the header of a file of counts; every file is longer.
pub const STATE_HEADER_BYTES: usize = 60;
/// Bytes of the header without sources.
const PLAIN_HEADER_BYTES: usize = 52;

/// Counts of reports, to be merged and stored; a [`State`](crate::State) is these with their
/// schema.
#[derive(Clone, Debug)]
pub struct Tally {
    pub(crate) digest: [u8; 32],
    /// Support columns, then one per feature for its coverage if features are sampled.
    pub(crate) columns: usize,
    pub(crate) reports: u64,
    pub(crate) kept: Kept,
    pub(crate) sources: Sources,
}

/// What is kept.
#[derive(Clone)]
pub(crate) enum Kept {
    Full(Vec<u64>),
    UpTo { order: usize, counts: Vec<u64> },
    Reports(Slices),
}

/// Shows no count.
impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.detail().fmt(f)
    }
}

impl Kept {
    fn detail(&self) -> StateDetail {
        match self {
            Self::Full(_) => StateDetail::Full,
            Self::UpTo { order, .. } => StateDetail::UpTo(*order),
            Self::Reports(_) => StateDetail::Reports,
        }
    }
}

impl Tally {
    pub(crate) fn new(digest: [u8; 32], columns: usize, reports: u64, kept: Kept) -> Result<Self, StateError> {
        if reports > MOST_REPORTS {
            Err(StateError::TooManyReports)
        } else {
            Ok(Self { digest, columns, reports, kept, sources: Sources::default() })
        }
    }

    /// What is kept.
    #[must_use]
    pub fn detail(&self) -> StateDetail {
        self.kept.detail()
    }

    /// How many reports were counted.
    #[must_use]
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// How many sources it remembers: files of reports, and states that remember none.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Whether it remembers every source, so that each repeat is noticed; not with more than
    /// 65,536.
    #[must_use]
    pub fn has_every_source(&self) -> bool {
        !self.sources.is_cut()
    }

    /// Whether something was counted in both, as far as they remember: merged, it counts twice.
    #[must_use]
    pub fn shares_source(&self, other: &Self) -> bool {
        self.sources.shares_one_with(&other.sources)
    }

    /// The same counts without their sources, which say how reports were divided between files.
    #[must_use]
    pub fn without_sources(self) -> Self {
        Self { sources: Sources::default(), ..self }
    }

    /// The SHA-256 of its bytes.
    pub(crate) fn content_digest(&self) -> [u8; 32] {
        Sha256::digest(self.to_bytes()).into()
    }

    /// Adds the counts of another state, and its sources. States merged in any order and any
    /// grouping have the same bytes. Repeats are added: ask [`shares_source`](Self::shares_source)
    /// first.
    ///
    /// # Errors
    /// [`FormatError::OtherSchema`], [`StateError::OtherKeep`], [`StateError::TooManyReports`];
    /// nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), StateError> {
        if self.digest != other.digest || self.columns != other.columns {
            return Err(FormatError::OtherSchema.into());
        }
        if self.detail() != other.detail() {
            return Err(StateError::OtherKeep);
        }
        // No count is above the number of reports, so none overflows once the total fits.
        let reports = self.reports.checked_add(other.reports).filter(|&reports| reports <= MOST_REPORTS);
        self.reports = reports.ok_or(StateError::TooManyReports)?;
        self.sources.merge(&other.sources);
        match (&mut self.kept, &other.kept) {
            (Kept::Full(ours), Kept::Full(theirs))
            | (Kept::UpTo { counts: ours, .. }, Kept::UpTo { counts: theirs, .. }) => {
                ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours += theirs);
            }
            (Kept::Reports(ours), Kept::Reports(theirs)) => {
                // Sorted again, so that the bytes do not depend on the order of merging.
                *ours = Slices::sorted([ours.to_rows(), theirs.to_rows()].concat(), self.columns);
            }
            _ => return Err(StateError::OtherKeep),
        }
        Ok(())
    }

    /// The bytes of its file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, order) = match &self.kept {
            Kept::Full(_) => (0, 0),
            Kept::UpTo { order, .. } => (1, *order as u8),
            Kept::Reports(_) => (2, 0),
        };
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        let has_sources = self.sources.len() > 0;
        bytes.extend(VERSIONS[usize::from(has_sources)].to_le_bytes());
        bytes.extend([kind, order]);
        bytes.extend((self.columns as u32).to_le_bytes());
        bytes.extend(self.reports.to_le_bytes());
        bytes.extend(self.digest);
        if has_sources {
            bytes.extend((self.sources.len() as u32).to_le_bytes());
            bytes.extend(u32::from(self.sources.is_cut()).to_le_bytes());
        }
        match &self.kept {
            Kept::Full(counts) | Kept::UpTo { counts, .. } => {
                counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
            }
            Kept::Reports(slices) => {
                for row in slices.to_rows().chunks(self.columns.div_ceil(64)) {
                    let all = row.iter().flat_map(|word| word.to_le_bytes());
                    bytes.extend(all.take(self.columns.div_ceil(8)));
                }
            }
        }
        self.sources.digests().for_each(|digest| bytes.extend(digest));
        let checksum: [u8; 32] = Sha256::digest(&bytes).into();
        bytes.extend(checksum);
        bytes
    }

    /// How long the file is that starts with this header: to be asked before the rest is read.
    ///
    /// # Errors
    /// As [`Tally::from_bytes`], as far as the header shows.
    pub fn file_bytes(header: &[u8]) -> Result<u64, StateError> {
        Head::parse(header).map(|head| head.file_bytes)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`StateError::Format`], [`StateError::Inconsistent`] and [`StateError::TooManyReports`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let head = Head::parse(bytes)?;
        // The length before the checksum: a file that was cut gets an error of its own.
        if bytes.len() as u64 != head.file_bytes {
            return Err(FormatError::Length { expected: head.file_bytes, got: bytes.len() as u64 }.into());
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        if Sha256::digest(content)[..] != *checksum {
            return Err(FormatError::Damaged.into());
        }
        let (counts, sources) = content[head.header_bytes..].split_at(head.content_bytes as usize);
        let sources: Vec<[u8; 32]> = sources.chunks_exact(32).map(|digest| header_field(digest, 0)).collect();
        let sources = Sources::from_list(&sources, head.is_cut).ok_or(FormatError::Damaged)?;
        let tally = Self::new(head.digest, head.columns, head.reports, head.kept(counts)?)?;
        Ok(Self { sources, ..tally })
    }
}

/// What a header says, checked against itself.
struct Head {
    digest: [u8; 32],
    detail: StateDetail,
    columns: usize,
    reports: u64,
    header_bytes: usize,
    /// Bytes of the counts.
    content_bytes: u64,
    /// Whether sources are left out.
    is_cut: bool,
    file_bytes: u64,
}

/// A header of either version, how many sources it announces, and whether others are left out.
fn open_either(bytes: &[u8]) -> Result<(&[u8], u32, bool), FormatError> {
    let [plain, with_sources] = VERSIONS;
    if bytes.get(4..6) == Some(&plain.to_le_bytes()) {
        return Ok((open_header(bytes, MAGIC, "counts", plain, PLAIN_HEADER_BYTES)?, 0, false));
    }
    let header = open_header(bytes, MAGIC, "counts", with_sources, STATE_HEADER_BYTES)?;
    match (u32::from_le_bytes(header_field(header, 52)), u32::from_le_bytes(header_field(header, 56))) {
        // Without sources a state has version 1: one state has one file.
        (sources, cut @ (0 | 1)) if (1..=MOST_SOURCES).contains(&(sources as usize)) => Ok((header, sources, cut == 1)),
        _ => Err(FormatError::Damaged),
    }
}

impl Head {
    fn parse(bytes: &[u8]) -> Result<Self, StateError> {
        let (header, sources, is_cut) = open_either(bytes)?;
        let (columns, reports) =
            (u32::from_le_bytes(header_field(header, 8)) as usize, u64::from_le_bytes(header_field(header, 12)));
        // One coverage a feature at the most, and every feature has a column.
        if !(1..=2 * MAX_COLUMNS).contains(&columns) {
            return Err(FormatError::Damaged.into());
        }
        if reports > MOST_REPORTS {
            return Err(StateError::TooManyReports);
        }
        let detail = match (header[6], header[7]) {
            (0, 0) if columns <= MAX_FULL_COLUMNS => StateDetail::Full,
            (1, order) if (1..=MAX_ORDER).contains(&order.into()) => StateDetail::UpTo(order.into()),
            (2, 0) => StateDetail::Reports,
            _ => return Err(FormatError::Damaged.into()),
        };
        let content = match detail {
            StateDetail::Full => Some(8 << columns),
            StateDetail::UpTo(order) => sets(columns, order).and_then(|sets| sets.checked_mul(8)),
            StateDetail::Reports => reports.checked_mul(columns.div_ceil(8) as u64),
        };
        let around = (header.len() + 32 * sources as usize + CHECKSUM_BYTES) as u64;
        let content_bytes = content.ok_or(FormatError::Damaged)?;
        let file_bytes = content_bytes.checked_add(around).ok_or(FormatError::Damaged)?;
        let digest = header_field(header, 20);
        Ok(Self { digest, detail, columns, reports, header_bytes: header.len(), content_bytes, is_cut, file_bytes })
    }

    /// What is kept, from the bytes between header and checksum, which are as many as the header
    /// says.
    fn kept(&self, content: &[u8]) -> Result<Kept, StateError> {
        let counts =
            || content.chunks_exact(8).map(|count| u64::from_le_bytes(header_field(count, 0))).collect::<Vec<_>>();
        let (kept, is_consistent) = match self.detail {
            StateDetail::Full => {
                let histogram = counts();
                // Each report is in exactly one cell.
                let total = histogram.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
                (Kept::Full(histogram), total == Some(self.reports))
            }
            StateDetail::UpTo(order) => {
                let counts = counts();
                let consistent = are_consistent(self.columns, order, self.reports, &counts);
                (Kept::UpTo { order, counts }, consistent)
            }
            StateDetail::Reports => self.kept_reports(content),
        };
        if is_consistent { Ok(kept) } else { Err(StateError::Inconsistent) }
    }

    fn kept_reports(&self, content: &[u8]) -> (Kept, bool) {
        let row_words = self.columns.div_ceil(64);
        let mut slices = Slices::with_room_for(self.columns, self.reports as usize);
        let (mut row, mut before) = (vec![0; row_words], vec![0; row_words]);
        let mut is_consistent = true;
        for bytes in content.chunks_exact(self.columns.div_ceil(8)) {
            bits::load(bytes, &mut row);
            // A bit beyond the last column would be lost when the state is written again.
            let beyond = !self.columns.is_multiple_of(64) && row[row_words - 1] >> (self.columns % 64) != 0;
            is_consistent &= !beyond && before <= row;
            slices.push(&row);
            before.copy_from_slice(&row);
        }
        slices.settle();
        (Kept::Reports(slices), is_consistent)
    }
}
