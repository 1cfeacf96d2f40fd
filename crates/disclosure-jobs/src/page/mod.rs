//! Pages: the account of a release for people who run no program.
//!
//! [`StoredRelease::read`] reads a release and compares every file with its digest.
//! [`StoredRelease::page`] is a pure function of what was read: typed documents and tables in, a
//! [`Page`] out, with no file system and no clock.

mod contents;
mod error;
mod read;
mod record;
mod stored;

mod cross;
mod glossary;
mod head;
mod sheet;
mod tables;
mod twice;
mod words;

mod adaptive;
mod amounts;
mod exact;
mod files;
mod marginals;
mod pipeline;
mod reports;

mod attacks;
mod audits;
mod review;
mod views;

use disclosure_report::Page;

use crate::error::JobError;

pub use read::ReleaseDirectory;
pub use record::{Entry, Record};
pub use review::{ReviewContents, ReviewDocument, Scalar};
pub use sheet::{Line, PageLimits, Sheet};
pub use stored::{Content, StoredFile, StoredRelease};
pub use views::{
    Accuracies, Attacker, AuditRule, AuditedClass, ExactAudit, FilterAudit, FilterColumn, FilteredGroup, LabelAttack,
    Mean, Prediction, Realised, StatusCounts,
};

/// The page of one document of a job: an audit, a prediction, an attack. Of others it shows the
/// promise and the fields at the top.
///
/// # Errors
/// E0386 for bytes that are not such a document.
pub fn document_page(name: &str, bytes: &[u8], limits: PageLimits) -> Result<Page, JobError> {
    Ok(review::page(&ReviewDocument::parse(name, bytes)?, limits.max_lines))
}

impl StoredRelease {
    /// The page of the release, with its sections for the data owner.
    ///
    /// [`Page::public`] removes those sections.
    #[must_use]
    pub fn page(&self) -> Page {
        match &self.record {
            Record::Pipeline(manifest) => pipeline::page(manifest, self),
            Record::PipelineRelease(statement) => pipeline::statement_page(statement, self),
            Record::Marginals(record) => marginals::page(record, self),
            Record::Exact(record) => exact::page(record, self),
            Record::Adaptive(record) => adaptive::page(record, self),
            Record::Reports(record) => reports::page(record, self),
            Record::Amounts(record) => amounts::page(record, self),
        }
    }
}
