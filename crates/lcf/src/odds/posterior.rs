//! What one decision tells whoever knows a group but for one entity.
//!
//! `p(n)`, `q(n) = 1 - p(n)` the chances that a group of `n` is reported and suppressed, `w` the attacker's prior probability
//! that there are `N + 1` entities, the other possibility being `N`:
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

/// What a decision about one group tells an attacker who knows that it has `n` or `n + 1` entities.
///
/// Calibration, of one decision, not a guarantee: further decisions about groups that overlap tell more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MembershipPosterior {
    /// The smaller number of entities, `N`.
    pub n: u64,
    /// Probability that there are `N`, once the group is suppressed; `None` where that cannot be.
    pub p_n_given_suppressed: Option<f64>,
    /// Probability that there are `N + 1`, once the group is reported; `None` where that cannot be.
    pub p_n1_given_reported: Option<f64>,
    /// Probability that the group is reported, before it is known which.
    pub p_reported: f64,
}

impl MembershipPosterior {
    /// From the chances of `n` and of `n + 1` entities, and the prior probability of `n + 1`. Relative errors below 1e-12.
    #[must_use]
    pub fn of(n: u64, fewer: ReportingProbability, more: ReportingProbability, prior_of_more: Probability) -> Self {
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
    /// What a decision tells whoever holds `n` and `n + 1` entities for equally likely.
    ///
    /// # Panics
    /// Never: one half is a probability.
    #[must_use]
    pub fn membership_posterior(&self, n: u64) -> MembershipPosterior {
        self.membership_posterior_with_prior(n, even())
    }

    /// The same for another prior probability of `n + 1`.
    #[must_use]
    pub fn membership_posterior_with_prior(&self, n: u64, prior_of_more: Probability) -> MembershipPosterior {
        MembershipPosterior::of(
            n,
            self.reporting_probability(n),
            self.reporting_probability(n.saturating_add(1)),
            prior_of_more,
        )
    }
}
