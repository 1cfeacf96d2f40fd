//! Protocols for a budget, with their predicted variances.
//!
//! Kind: calibration, for the frequencies of the prior. Variances are those of the exact
//! protocols; a schema's thresholds round towards more noise by less than 1e-12.

mod designs;
mod pair;
mod protocols;
mod variance;

pub use designs::{Design, PlannedDesign};
pub use protocols::{PlannedProtocol, ProtocolVariant, compare_protocols};
pub use variance::{
    FrequencyPrior, best_subset_size, best_unary, cell_variance, generalised_response, local_hashing, optimised_unary,
    pair_variance, randomised_response, subset_selection, symmetric_unary,
};

use ldp_client::ChannelError;

/// What a person's report may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Budget {
    /// Epsilon of the whole report: protects all answers of a person together.
    Total(f64),
    /// Epsilon of each feature: protects every answer by itself. All answers together cost as
    /// many times that.
    PerFeature(f64),
}

/// Why a plan is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Epsilon is above 0 and at most 100, and a single bit of the split budget must still tell
    /// something.
    #[error("epsilon must be above 0 and at most 100, got {got}")]
    Epsilon {
        /// What was given.
        got: f64,
    },
    /// A pair takes two features; more than 10,000 are not planned.
    #[error("the number of features must be from 2 to 10,000, got {got}")]
    Features {
        /// What was given.
        got: usize,
    },
    /// A feature has at least two values.
    #[error("a feature must have at least 2 and at most 2^30 values, got {got}")]
    Values {
        /// What was given.
        got: u64,
    },
    /// Frequencies are above 0 and below 1, and a pair is between what its features allow: at
    /// most each, at least their sum less 1.
    #[error("frequencies must be above 0 and below 1, and that of a pair between max(0, 2f - 1) and f")]
    Frequencies,
    /// The share of the budget for one bit is so small that a report says nothing. Raise epsilon,
    /// or plan fewer features.
    #[error("a report carries no information about a single bit at its share of the budget")]
    Channel(#[from] ChannelError),
}

/// Designs for all pairs of some binary features, best first.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Comparison {
    /// The designs, best first at the frequencies of the prior; all of them can be written as
    /// schemas.
    pub designs: Vec<PlannedDesign>,
    /// Epsilon of a whole report.
    pub epsilon_per_report: f64,
    /// What splitting the budget over the bits costs: its variance over that of the best design.
    pub price_of_splitting: f64,
}

impl Comparison {
    /// The design whose variance is smallest at its own worst frequencies: the one to take when
    /// nothing is known about them.
    ///
    /// # Panics
    /// Never: a comparison has a design.
    #[must_use]
    pub fn least_worst(&self) -> PlannedDesign {
        let least = self.designs.iter().min_by(|a, b| a.worst_variance.total_cmp(&b.worst_variance));
        *least.expect("splitting the budget is always a design")
    }
}

/// Compares the designs. Under [`Budget::PerFeature`] every feature has its own epsilon, so
/// nothing is gained by asking less, and a symbol of several features would tell more about one
/// than it may: there is one design.
///
/// # Errors
/// [`PlanError`].
pub fn compare(features: usize, budget: Budget, prior: FrequencyPrior) -> Result<Comparison, PlanError> {
    if !(2..=10_000).contains(&features) {
        return Err(PlanError::Features { got: features });
    }
    let (Budget::Total(epsilon) | Budget::PerFeature(epsilon)) = budget;
    check_epsilon(epsilon)?;
    let FrequencyPrior { frequency: f, pair_frequency: both } = prior;
    // Frechet's bounds of a pair whose features have the same frequency.
    if !(is_inside(f) && is_inside(both) && both <= f && both >= 2.0 * f - 1.0) {
        return Err(PlanError::Frequencies);
    }
    // Under an epsilon for each feature nothing is split, so there is nothing to gain.
    let designs = match budget {
        Budget::Total(epsilon) => designs::for_total(features, epsilon, prior)?,
        Budget::PerFeature(epsilon) => vec![designs::for_each(epsilon, prior)?],
    };
    let split =
        designs.iter().find(|planned| planned.design == Design::Bits).map_or(f64::NAN, |planned| planned.variance);
    let epsilon_per_report = match budget {
        Budget::Total(epsilon) => epsilon,
        Budget::PerFeature(epsilon) => epsilon * features as f64,
    };
    Ok(Comparison { epsilon_per_report, price_of_splitting: split / designs[0].variance, designs })
}

fn is_inside(frequency: f64) -> bool {
    frequency > 0.0 && frequency < 1.0
}

fn check_epsilon(epsilon: f64) -> Result<(), PlanError> {
    if epsilon > 0.0 && epsilon <= 100.0 { Ok(()) } else { Err(PlanError::Epsilon { got: epsilon }) }
}
