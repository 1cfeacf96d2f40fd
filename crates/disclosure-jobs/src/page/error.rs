//! Why no page can be made of a stored release.

use privacy_data::DataError;
use thiserror::Error;

use crate::error::JobError;

/// The files are not the release that their record describes, or are too large for a page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum PageError {
    /// Give the directory that a release was written to.
    #[error("the directory contains neither a manifest.json nor a release.json")]
    NoRecord,
    /// The record is not JSON, or a field is missing or of another type; write the release again.
    #[error("{file} is not a valid record of a release (line {line}, column {column})")]
    BadRecord {
        /// Which file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// Made by another command or another version; use the version that made it.
    #[error("the schema of the record is not supported by this version")]
    OtherRecord,
    /// The record names a path that does not stay in the directory: it was not written by a
    /// release.
    #[error("the record names a file that is not in the directory, entry {entry} of its files")]
    Outside {
        /// Which entry, from 1.
        entry: usize,
    },
    /// Fetch the directory again, whole.
    #[error("{file} is missing or not a regular file")]
    Missing {
        /// Which file.
        file: String,
    },
    /// Fetch the file again from where it was written; or, if it was changed on purpose, it is no
    /// longer the release.
    #[error("{file} was changed: it does not match its recorded digest")]
    Changed {
        /// Which file.
        file: String,
    },
    /// A table that is not in the form in which releases write it.
    #[error("{file}: {source}")]
    Table {
        /// Which file.
        file: String,
        /// What is wrong with it, and where.
        source: DataError,
    },
    /// A field is no number where tables of a release have one.
    #[error("{file}: line {line}: a numeric column contains something that is not a number")]
    Number {
        /// Which file.
        file: String,
        /// Line, from 1.
        line: u64,
    },
    /// The release has too many files for one page, or its record is too large.
    #[error("{what}")]
    TooMany {
        /// What is, and the limit.
        what: String,
    },
    /// The page would have too many lines: show fewer of each table with --max-lines.
    #[error("{what}")]
    TooLarge {
        /// What is, and the limit.
        what: String,
    },
    /// A file could not be read.
    #[error("{file}: {source}")]
    Reading {
        /// Which file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
}

impl PageError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRecord | Self::BadRecord { .. } | Self::OtherRecord | Self::Outside { .. } => "E0386",
            Self::Missing { .. } | Self::Changed { .. } => "E0387",
            Self::Table { .. } | Self::Number { .. } => "E0388",
            Self::TooMany { .. } | Self::TooLarge { .. } => "E0671",
            Self::Reading { .. } => "E0104",
        }
    }
}

impl From<PageError> for JobError {
    fn from(error: PageError) -> Self {
        let failure = Self::new(error.code(), error.to_string());
        match error {
            PageError::NoRecord => failure.next("give the directory to which a release was written with -o DIR"),
            PageError::Missing { .. } | PageError::Changed { .. } => {
                failure.next("fetch the directory again from its source")
            }
            PageError::TooLarge { .. } => failure.next("show fewer lines of each table: --max-lines 20"),
            _ => failure,
        }
    }
}
