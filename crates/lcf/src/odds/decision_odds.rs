//! The most that one decision reveals, over all sizes of group, on both sides of the threshold.
//!
//! Notation as in `posterior`, prior one half. A decision *proves* which of `N` and `N + 1` it is
//! where the other size cannot lead to it (7):
//!
//! ```text
//! a report proves N + 1       where p(N) = 0 < p(N+1)      with probability p(N+1) / 2
//! a suppression proves N      where q(N+1) = 0 < q(N)      with probability q(N) / 2
//! ```
//!
//! Probabilities are those of the integers that decide, `c(n) / 2^64`: a tail of the law below
//! 2^-65 is no draw, so the size above it is the one that a report proves. Each happens at one
//! `N`, because the probabilities are monotone. The tables of "Operation of
//! LCF" show only the first.

use crate::law::threshold_table::ThresholdTable;

/// The most that one decision reveals about one entity: a calibration, not a guarantee. Prior:
/// `N` and `N + 1` equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Odds {
    /// The group size at which a report proves the entity, and how likely that is.
    pub certain_when_reported: Certainty,
    /// The group size at which a suppression proves its absence, and how likely that is.
    pub certain_when_suppressed: Certainty,
    /// The most confident inference of `N + 1` from a report that does not prove it.
    pub posterior_when_reported: Option<Inference>,
    /// The most confident inference of `N` from a suppression that does not prove it.
    pub posterior_when_suppressed: Option<Inference>,
}

/// Where a decision proves which of two sizes a group has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Certainty {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability of the decision, with both sizes equally likely.
    pub probability: f64,
}

/// Which of two sizes a decision makes likely, and how likely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Inference {
    /// The smaller size, `N`.
    pub n: u64,
    /// Posterior probability of the size that the decision makes likely.
    pub posterior: f64,
    /// Probability of the decision, with both sizes equally likely.
    pub probability: f64,
}

impl Odds {
    /// The larger of the probabilities of the two proofs.
    #[must_use]
    pub fn certainty(&self) -> f64 {
        self.certain_when_reported.probability.max(self.certain_when_suppressed.probability)
    }

    /// The largest posterior short of a proof; one half where every decision either proves
    /// something or reveals nothing.
    #[must_use]
    pub fn posterior(&self) -> f64 {
        let inferences = [self.posterior_when_reported, self.posterior_when_suppressed];
        inferences.iter().flatten().map(|inference| inference.posterior).fold(0.5, f64::max)
    }
}

impl ThresholdTable {
    /// The most that one decision reveals, over all sizes of group. `O(cap)`.
    #[must_use]
    pub fn odds(&self) -> Odds {
        let mut odds = Odds {
            certain_when_reported: Certainty { n: 0, probability: 0.0 },
            certain_when_suppressed: Certainty { n: 0, probability: 0.0 },
            posterior_when_reported: None,
            posterior_when_suppressed: None,
        };
        for n in 0..self.cap() {
            let (fewer, more) = (self.decision_probability(n), self.decision_probability(n + 1));
            if fewer.reported > 0.0 {
                let inference = Inference::new(n, more.reported, fewer.reported);
                odds.posterior_when_reported = surer(odds.posterior_when_reported, inference);
            } else if more.reported > 0.0 {
                odds.certain_when_reported = Certainty { n, probability: 0.5 * more.reported };
            }
            if more.suppressed > 0.0 {
                let inference = Inference::new(n, fewer.suppressed, more.suppressed);
                odds.posterior_when_suppressed = surer(odds.posterior_when_suppressed, inference);
            } else if fewer.suppressed > 0.0 {
                odds.certain_when_suppressed = Certainty { n, probability: 0.5 * fewer.suppressed };
            }
        }
        odds
    }
}

impl Inference {
    /// From the probabilities of the decision under the likelier and under the other size.
    fn new(n: u64, right: f64, wrong: f64) -> Self {
        Self { n, posterior: right / (right + wrong), probability: 0.5 * (right + wrong) }
    }
}

/// The inference with the larger posterior; the first one where they are equal.
fn surer(best: Option<Inference>, next: Inference) -> Option<Inference> {
    best.filter(|best| best.posterior >= next.posterior).or(Some(next))
}
