//! What a page shows of each file: a table, a document for the data owner, or only its digest.

use super::error::PageError;
use super::record::{Entry, Record, parse};
use super::review::ReviewDocument;
use super::sheet::{PageLimits, Sheet};
use super::stored::Content;
use crate::marginals::TableFile;

/// Reads what the page shows of a file whose digest was compared. `bytes` is `None` for a file
/// that is too large.
pub(super) fn contents(
    record: &Record,
    entry: &Entry,
    bytes: Option<&[u8]>,
    limits: &mut PageLimits,
) -> Result<Content, PageError> {
    let Some(bytes) = bytes else { return Ok(Content::TooLarge) };
    let path = entry.path.as_str();
    if path.ends_with(".parquet") && !entry.stays {
        return Ok(Content::TooLarge);
    }
    match record {
        Record::Marginals(_) if path == "plan.json" => Ok(Content::MarginalsPlan(parse(path, bytes)?)),
        Record::Marginals(record) if !is_table(&record.files, path) => Ok(Content::NotShown),
        Record::Adaptive(record) if !is_table(&record.files, path) => Ok(Content::NotShown),
        Record::Marginals(_) | Record::Exact(_) | Record::Adaptive(_) => table(path, bytes, limits),
        Record::Reports(_) if path == "estimates.json" => Ok(Content::Estimates(parse(path, bytes)?)),
        Record::Amounts(_) if path.ends_with(".csv") => table(path, bytes, limits),
        Record::Reports(_) | Record::Amounts(_) => Ok(Content::NotShown),
        Record::Pipeline(_) | Record::PipelineRelease(_) if entry.stays => review(path, bytes),
        Record::Pipeline(_) | Record::PipelineRelease(_) => match below_release(path) {
            "exact/release.json" => Ok(Content::ExactRecord(parse(path, bytes)?)),
            below if below.ends_with(".csv") => table(path, bytes, limits),
            _ => Ok(Content::NotShown),
        },
    }
}

/// The path of a file below `release/`, which the statement of a release omits.
pub(super) fn below_release(path: &str) -> &str {
    path.strip_prefix("release/").unwrap_or(path)
}

fn table(path: &str, bytes: &[u8], limits: &mut PageLimits) -> Result<Content, PageError> {
    Sheet::parse(path, bytes, limits).map(Content::Table)
}

fn review(path: &str, bytes: &[u8]) -> Result<Content, PageError> {
    match path.ends_with(".json") {
        true => Ok(Content::Review(Box::new(ReviewDocument::parse(path, bytes)?))),
        false => Ok(Content::NotShown),
    }
}

/// Whether a file of the release is a table.
fn is_table(files: &[TableFile], path: &str) -> bool {
    files.iter().any(|file| file.file.name == path && file.attributes.is_some())
}
