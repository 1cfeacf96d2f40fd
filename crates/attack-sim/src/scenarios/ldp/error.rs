//! What `ldp-pmdh` refuses.

use disclosure::ldp::estimate::EstimateError;
use disclosure::ldp::{ReportError, RowError, SchemaError, StateError};

use crate::error::Error;

/// What the mechanism refuses: its own words.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LdpError {
    /// Of a schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Of a row.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Of a report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Of counts.
    #[error(transparent)]
    State(#[from] StateError),
    /// Of a question to counts.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

macro_rules! refusals {
    ($($refusal:ty),*) => { $(impl From<$refusal> for Error {
        fn from(refusal: $refusal) -> Self {
            Self::Ldp(refusal.into())
        }
    })* };
}

refusals!(SchemaError, RowError, ReportError, StateError, EstimateError);
