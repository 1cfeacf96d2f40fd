//! What a release costs, in every currency, and the one place that converts between them.
//!
//! | From | To | By | Holds for |
//! | --- | --- | --- | --- |
//! | privacy cost `c` | `rho = c / 2` | [`PrivacyCost::rho`] | Gaussian noise, continuous or discrete |
//! | `c` | `mu = sqrt(c)` | [`PrivacyCost::mu`] | continuous Gaussian noise |
//! | `c` of discrete noise | `c' >= c`, `mu = sqrt(c')` | [`discrete::gaussian_cost`] | discrete Gaussian noise, integer shifts |
//! | two of `c`, `epsilon`, `delta` | the third | [`gaussian`] | continuous Gaussian noise: exact |
//! | two of `rho`, `epsilon`, `delta` | the third | [`zcdp`] | every rho-zCDP mechanism |
//! | pure `epsilon` | `rho = epsilon^2 / 2` | [`zcdp::from_pure`] | every epsilon-DP mechanism |
//! | Gaussian costs and pure epsilons together | `epsilon` at `delta` | [`DominatingPair`] | releases of both kinds |
//!
//! [`BudgetAccountant`] adds up what the parts of one release cost, [`PureNoise`] says what a
//! part with epsilon-DP noise costs one person.
//!
//! # Guarantee
//! Every conversion is rounded to the side on which the promise holds: a cost, an epsilon or a
//! delta that follows from a mechanism never reads low, a budget that follows from a promise
//! never reads high. The unit and the neighbours are those of the sensitivity that went into the
//! cost; see [`Neighbours`] and [`PrivacyCost::for_group`].
//!
//! # Not covered
//! Noise that is not Gaussian has no exact curve here. The curve of continuous noise does not bound
//! that of discrete noise of the same parameter: convert `rho`, or take [`discrete`] first.
//! Sampling of rows amplifies nothing here: see `docs/math/accounting.md`, section 7.
//!
//! Derivations: `docs/math/accounting.md`.

mod budget;
mod cost;
pub mod discrete;
mod dominating;
pub mod gaussian;
pub mod zcdp;

pub use budget::{BudgetAccountant, BudgetExceeded, Charge, PureNoise};
pub use cost::{Neighbours, PrivacyCost};
pub use dominating::DominatingPair;

use crate::param::{Delta, Epsilon, ParamError};

/// Why a conversion has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccountingError {
    /// No delta below 1 can be promised at this epsilon: the cost is too high for any statement.
    /// Spend less, or state a larger epsilon.
    #[error("at epsilon {epsilon}, this cost has no delta below 1")]
    Vacuous {
        /// The epsilon that was asked for.
        epsilon: Epsilon,
    },
    /// No finite epsilon can be promised at this delta. Spend less.
    #[error("at delta {delta}, this cost has no finite epsilon")]
    NoEpsilon {
        /// The delta that was asked for.
        delta: Delta,
    },
    /// Even the smallest cost that can be distinguished from zero breaks the promise. Allow a
    /// larger epsilon or delta.
    #[error("no cost above 1e-307 satisfies epsilon {epsilon} and delta {delta}")]
    TooStrict {
        /// The epsilon to keep.
        epsilon: Epsilon,
        /// The delta to keep.
        delta: Delta,
    },
    /// The converted number is out of the range of its type: the argument is absurdly large.
    /// Spend less.
    #[error(transparent)]
    OutOfRange(#[from] ParamError),
}

/// The smallest delta or epsilon there is: what stands for "less than any number".
const LEAST: f64 = f64::MIN_POSITIVE;

#[cfg(all(test, feature = "noise"))]
mod tests;
