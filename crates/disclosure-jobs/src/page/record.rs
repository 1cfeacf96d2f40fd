//! The record of a release, and the files that it names.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::PageError;
use crate::document::FileDigest;
use crate::exact::TableFile;
use crate::pipeline::{Manifest, ReleaseStatement, ReleasedFile};

/// Schemas of the records that a page can be made of.
const PIPELINE: &str = "disclosure.run/1";
const PIPELINE_RELEASE: &str = "disclosure.run-release/1";
const MARGINALS: &str = "disclosure.release/1";
const EXACT: &str = "disclosure.frechet-release/1";
const ADAPTIVE: &str = "disclosure.adaptive-release/1";
const REPORTS: &str = "disclosure.ldp-release/1";
const AMOUNTS: &str = "disclosure.magnitude-release/1";

/// The record of a release, by its schema.
#[derive(Clone, Debug)]
pub enum Record {
    /// `disclosure.run/1`: a pipeline, with what is for the data owner.
    Pipeline(Box<Manifest>),
    /// `disclosure.run-release/1`: the part of a pipeline that may leave.
    PipelineRelease(Box<ReleaseStatement>),
    /// `disclosure.release/1`: marginals with noise.
    Marginals(Box<crate::marginals::ReleaseDocument>),
    /// `disclosure.frechet-release/1`: exact tables.
    Exact(Box<crate::exact::ReleaseDocument>),
    /// `disclosure.adaptive-release/1`: synthetic rows and the marginals that they come from.
    Adaptive(Box<crate::adaptive::AdaptiveReleaseDocument>),
    /// `disclosure.ldp-release/1`: randomised answers.
    Reports(Box<crate::reports::ReportsReleaseDocument>),
    /// `disclosure.magnitude-release/1`: a table of amounts with withheld cells.
    Amounts(Box<crate::amounts::AmountsRelease>),
}

/// A file as the record names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path below the directory of the record.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether it is for the data owner alone.
    pub stays: bool,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Record {
    /// The schema of the record, for example `disclosure.run/1`.
    #[must_use]
    pub fn schema(&self) -> &'static str {
        match self {
            Self::Pipeline(_) => PIPELINE,
            Self::PipelineRelease(_) => PIPELINE_RELEASE,
            Self::Marginals(_) => MARGINALS,
            Self::Exact(_) => EXACT,
            Self::Adaptive(_) => ADAPTIVE,
            Self::Reports(_) => REPORTS,
            Self::Amounts(_) => AMOUNTS,
        }
    }

    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Self, PageError> {
        let Head { schema } = parse(name, bytes)?;
        Ok(match schema.as_str() {
            PIPELINE => Self::Pipeline(parse(name, bytes)?),
            PIPELINE_RELEASE => Self::PipelineRelease(parse(name, bytes)?),
            MARGINALS => Self::Marginals(parse(name, bytes)?),
            EXACT => Self::Exact(parse(name, bytes)?),
            ADAPTIVE => Self::Adaptive(parse(name, bytes)?),
            REPORTS => Self::Reports(parse(name, bytes)?),
            AMOUNTS => Self::Amounts(parse(name, bytes)?),
            _ => return Err(PageError::OtherRecord),
        })
    }

    /// The files that the record names, in its order.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        match self {
            Self::Pipeline(manifest) => manifest.files.iter().map(Entry::from).collect(),
            Self::PipelineRelease(statement) => statement.files.iter().map(Entry::from).collect(),
            Self::Marginals(record) => record.files.iter().map(|file| Entry::of(&file.file)).collect(),
            Self::Exact(record) => record.files.iter().filter_map(entry_of_exact).collect(),
            Self::Adaptive(record) => record.files.iter().map(|file| Entry::of(&file.file)).collect(),
            Self::Reports(record) => record.files.iter().map(Entry::of).collect(),
            Self::Amounts(record) => record.files.iter().map(Entry::of).collect(),
        }
    }
}

impl Entry {
    /// A file that may leave.
    fn of(file: &FileDigest) -> Self {
        Self { path: file.name.clone(), sha256: file.sha256.clone(), bytes: file.bytes, stays: false }
    }
}

impl From<&ReleasedFile> for Entry {
    fn from(file: &ReleasedFile) -> Self {
        Self { path: file.path.clone(), sha256: file.sha256.clone(), bytes: file.bytes, stays: !file.may_leave }
    }
}

/// A withheld table has no file.
pub(super) fn entry_of_exact(file: &TableFile) -> Option<Entry> {
    Some(Entry { path: file.name.clone()?, sha256: file.sha256.clone()?, bytes: file.bytes, stays: false })
}

/// Reads a document. Errors name the position and none of the values.
pub(super) fn parse<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, PageError> {
    serde_json::from_slice(bytes).map_err(|error| PageError::BadRecord {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
    })
}
