//! A stored release: its record, and its files as far as they are what the record says.

use super::record::{Entry, Record};
use super::review::ReviewDocument;
use super::sheet::Sheet;
use crate::exact;
use crate::marginals::PlanDocument;
use crate::reports::EstimateDocument;

/// A release as it is stored: a record and the files that it names.
///
/// [`StoredRelease::read`] checks every digest. A value that is assembled by hand is taken as it
/// is.
#[derive(Clone, Debug)]
pub struct StoredRelease {
    /// The record.
    pub record: Record,
    /// File name of the record.
    pub record_name: String,
    /// SHA-256 of the record, which no other file states.
    pub record_sha256: String,
    /// The files in the order of the record.
    pub files: Vec<StoredFile>,
    /// Largest number of lines shown of one list.
    pub max_lines: usize,
}

/// A file of a release.
#[derive(Clone, Debug)]
pub struct StoredFile {
    /// What the record says about it.
    pub entry: Entry,
    /// What the page shows of it.
    pub content: Content,
}

/// What a page shows of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// A table.
    Table(Sheet),
    /// A document for the data owner.
    Review(Box<ReviewDocument>),
    /// The record of exact tables that are part of a pipeline.
    ExactRecord(Box<exact::ReleaseDocument>),
    /// The plan of marginals with noise.
    MarginalsPlan(Box<PlanDocument>),
    /// What randomised answers say.
    Estimates(Box<EstimateDocument>),
    /// The file is larger than a page shows, or a table in Parquet, which no page reads.
    TooLarge,
    /// The file is listed with its digest, and nothing else is shown of it.
    NotShown,
}

impl StoredRelease {
    /// Number of files whose digests were compared.
    #[must_use]
    pub fn files_checked(&self) -> usize {
        self.files.len()
    }
}
