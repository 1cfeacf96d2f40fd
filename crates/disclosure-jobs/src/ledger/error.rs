//! What can be wrong with a ledger, or refused by one.

use std::io;
use std::path::PathBuf;

use disclosure::privacy_core::param::ParamError;
use privacy_data::OutputError;
use privacy_data::storage::ExposedPlace;

use crate::figures::{short_down, short_up};
use crate::regular::who;

/// Why a ledger could not be used, or why it refuses a charge.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file system refused an operation.
    #[error("the ledger {} could not be read or written", path.display())]
    System {
        /// The ledger or its lock file.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// The ledger could not be replaced.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The charge is in the ledger, but the system could not say that it stays there: a power cut
    /// may undo it. Nothing was released for it; it counts as spent.
    #[error("the charge was written to {}, but the system did not confirm that it survives a power failure", path.display())]
    NotSynced {
        /// The ledger.
        path: PathBuf,
        /// What was charged.
        rho: f64,
        /// What the system said.
        source: io::Error,
    },
    /// A line was changed, removed or added by something other than a charge.
    #[error("line {line} of the ledger {ledger} was modified after it was written")]
    Tampered {
        /// The ledger.
        ledger: String,
        /// The first line that is wrong, from 1.
        line: usize,
    },
    /// The cost protects something else than the ledger counts.
    #[error("the ledger is for {ledger}, but the release is for {release}")]
    OtherTerms {
        /// The terms of the ledger.
        ledger: String,
        /// Those of the release.
        release: String,
    },
    /// Too little of the budget is left.
    #[error("the release costs rho {}, but only {} of {budget} remains in the ledger", short_up(*asked), short_down(*left))]
    Exhausted {
        /// What the release costs.
        asked: f64,
        /// What is left, rounded down.
        left: f64,
        /// The whole budget.
        budget: f64,
    },
    /// A budget is a finite number above 0.
    #[error("the budget of the ledger is invalid: {0}")]
    Budget(#[from] ParamError),
    /// A ledger is opened once, so that its budget is never raised.
    #[error("{} already exists; a ledger can only be created once", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another user can write to the ledger, or replace it: what is spent could be given back.
    #[error("{} can change or replace the ledger {}", who(place), path.display())]
    Exposed {
        /// The ledger.
        path: PathBuf,
        /// The ledger itself, or a place on the way to it.
        place: ExposedPlace,
    },
    /// Another charge would make the file larger than it may be.
    #[error("the ledger {} would be larger than 64 MiB", path.display())]
    Full {
        /// The ledger.
        path: PathBuf,
    },
    /// The file cannot be a ledger.
    #[error("{} is not a regular file of at most 64 MiB", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
}

impl LedgerError {
    /// The stable code, a key of `disclosure explain`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::System { .. } | Self::Exists { .. } | Self::NotALedger { .. } => "E0105",
            Self::Exposed { .. } => "E0419",
            Self::NotSynced { .. } => "E0122",
            Self::Output(error) => error.code(),
            Self::Tampered { .. } => "E0351",
            Self::OtherTerms { .. } => "E0402",
            Self::Exhausted { .. } => "E0501",
            Self::Full { .. } => "E0661",
            Self::Budget(_) => "E0225",
        }
    }
}
