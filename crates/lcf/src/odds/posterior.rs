//! What one decision reveals to an attacker who knows a group except for one entity.
//!
//! `p(n)`, `q(n) = 1 - p(n)` the probabilities that a group of `n` is reported and suppressed,
//! `w` the attacker's prior probability that there are `N + 1` entities, the other possibility
//! being `N` (6):
//!
//! ```text
//! P(reported)         = (1 - w) p(N) + w p(N+1)
//! P(N | suppressed)   = (1 - w) q(N) / ((1 - w) q(N) + w q(N+1))
//! P(N+1 | reported)   = w p(N+1) / ((1 - w) p(N) + w p(N+1))
//! ```
//!
//! Source: "Operation of LCF", the tables of N or N + 1 AIDs, where `w = 1/2`.

use privacy_core::param::Probability;

use crate::law::probability::ReportingProbability;
use crate::law::threshold_table::ThresholdTable;

/// The posterior of an attacker who knows that a group has `n` or `n + 1` entities and sees one
/// decision.
///
/// A calibration of one decision, not a guarantee: further decisions about groups that overlap
/// reveal more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MembershipPosterior {
    /// The smaller number of entities, `N`.
    pub n: u64,
    /// Probability that there are `N` if the group is suppressed; `None` where it never is.
    pub p_n_given_suppressed: Option<f64>,
    /// Probability that there are `N + 1` if the group is reported; `None` where it never is.
    pub p_n1_given_reported: Option<f64>,
    /// Probability that the group is reported, under the prior.
    pub p_reported: f64,
}

impl MembershipPosterior {
    /// From the probabilities of `n` and of `n + 1` entities, and the prior probability of
    /// `n + 1`. Relative errors below 1e-12.
    #[must_use]
    pub fn new(n: u64, fewer: ReportingProbability, more: ReportingProbability, prior_of_more: Probability) -> Self {
        let (w, v) = (prior_of_more.get(), 1.0 - prior_of_more.get());
        Self {
            n,
            p_n_given_suppressed: share(v * fewer.suppressed, w * more.suppressed),
            p_n1_given_reported: share(w * more.reported, v * fewer.reported),
            p_reported: v * fewer.reported + w * more.reported,
        }
    }
}

/// `part` of `part + rest`, unless both are impossible.
fn share(part: f64, rest: f64) -> Option<f64> {
    let whole = part + rest;
    (whole > 0.0).then(|| part / whole)
}

/// Both possibilities are equally likely.
pub(crate) fn even() -> Probability {
    Probability::new(0.5).expect("one half is a probability")
}

impl ThresholdTable {
    /// The posterior of an attacker for whom `n` and `n + 1` entities were equally likely.
    ///
    /// # Panics
    /// Never: one half is a probability.
    #[must_use]
    pub fn membership_posterior(&self, n: u64) -> MembershipPosterior {
        self.membership_posterior_with_prior(n, even())
    }

    /// The posterior for another prior probability of `n + 1`.
    #[must_use]
    pub fn membership_posterior_with_prior(&self, n: u64, prior_of_more: Probability) -> MembershipPosterior {
        MembershipPosterior::new(
            n,
            self.decision_probability(n),
            self.decision_probability(n.saturating_add(1)),
            prior_of_more,
        )
    }
}
