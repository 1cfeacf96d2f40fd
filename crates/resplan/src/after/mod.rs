//! After the noise: non-negative cells that still add up to each other, and whole numbers with
//! one total.
//!
//! Beside the unbiased answers and never instead of them: an [`Adjusted`] borrows the
//! [`Measured`](crate::Measured) it comes from. Post-processing, so that it costs no privacy. No
//! randomness: the same measurement gives the same tables.
//!
//! Derivations and figures: `docs/math/after-noise.md`.

mod frame;
mod repair;
mod splitting;

mod adjusted;
mod flow;
mod rounded;

#[cfg(test)]
#[cfg(feature = "linalg")]
mod tests;

pub use adjusted::{Adjusted, AdjustedMarginal, NonnegativeSpec, Trust, TrustError};
pub use rounded::RoundedMarginal;

use std::fmt;

/// What was done to a table after the noise was added; `Display` says it in words to print beside
/// the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PostProcessing {
    /// As measured: unbiased, with known variances.
    Unbiased,
    /// Moved to cells of at least 0.
    NonNegative,
    /// Rounded; of at most two attributes: sums over one of them are the rounded table of the
    /// other.
    RoundedConsistent,
    /// Rounded; of three attributes or more: of its sums, only the total is that of the other
    /// rounded tables.
    RoundedTotal,
}

impl fmt::Display for PostProcessing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbiased => "unbiased and consistent; single counts may be negative",
            Self::NonNegative => "non-negative and consistent, no longer unbiased",
            Self::RoundedConsistent => {
                "whole numbers; rows and columns add up to the rounded tables of one attribute; no longer unbiased"
            }
            Self::RoundedTotal => {
                "whole numbers; the total is that of all rounded tables, other sums may differ; no longer unbiased"
            }
        })
    }
}
