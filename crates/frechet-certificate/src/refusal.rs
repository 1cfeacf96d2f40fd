//! Why a file of certificates is refused.

use std::fmt;

use crate::checker::{Flaw, MalformedSystem};
use crate::document::{MOST_BYTES, MOST_WORK};

/// Why a file of certificates is refused. Messages name positions in the file, from 1, and never
/// show a number of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The file is longer than [`MOST_BYTES`].
    TooLong,
    /// The file is no JSON document of certificates. What the parser says of a value could show
    /// it, so only the place is kept.
    Format {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The document has another `schema`.
    OtherSchema,
    /// A row or a capacity makes no sense.
    System(MalformedSystem),
    /// Checking the tables and proofs would take more than [`MOST_WORK`] additions.
    TooMuchWork,
    /// A table does not satisfy the rows; the index counts from 0.
    Table(usize),
    /// A claim is not proved.
    Claim {
        /// Its index, from 0.
        index: usize,
        /// What is wrong with its proof.
        flaw: Flaw,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the file is larger than {} MiB", MOST_BYTES >> 20),
            Self::Format { line, column } => {
                write!(f, "line {line}, column {column}: not a file of certificates of this version")
            }
            Self::OtherSchema => f.write_str("not a file of certificates of this version"),
            Self::System(malformed) => malformed.fmt(f),
            Self::TooMuchWork => {
                write!(f, "these proofs take more than 2^{} additions to check", MOST_WORK.trailing_zeros())
            }
            Self::Table(index) => write!(f, "table {} does not satisfy the rows", index + 1),
            Self::Claim { index, .. } => write!(f, "claim {} is not proved", index + 1),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(malformed) => Some(malformed),
            Self::Claim { flaw, .. } => Some(flaw),
            _ => None,
        }
    }
}

impl From<MalformedSystem> for Refusal {
    fn from(malformed: MalformedSystem) -> Self {
        Self::System(malformed)
    }
}
