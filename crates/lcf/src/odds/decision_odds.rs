//! The worst that one decision gives away, over all sizes of group, on both sides of the threshold.
//!
//! Notation as in `posterior`, prior one half. A decision *proves* which of `N` and `N + 1` it is where the other cannot lead
//! to it:
//!
//! ```text
//! a report proves N + 1       where p(N) = 0 < p(N+1)      with probability p(N+1) / 2
//! a suppression proves N      where q(N+1) = 0 < q(N)      with probability q(N) / 2
//! ```
//!
//! Each happens at one `N`: chances are monotone. The tables of "Operation of LCF" show the first alone.

use crate::law::threshold_table::ThresholdTable;

/// The most that one decision tells about one entity: calibration, not a guarantee. Prior: `N` and `N + 1` equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Odds {
    /// The group size at which a report proves the entity, and how likely that is.
    pub certain_when_reported: Certainty,
    /// The group size at which a suppression proves its absence, and how likely that is.
    pub certain_when_suppressed: Certainty,
    /// The most confident guess `N + 1` that a report allows and does not prove.
    pub posterior_when_reported: Option<Inference>,
    /// The most confident guess `N` that a suppression allows and does not prove.
    pub posterior_when_suppressed: Option<Inference>,
}

/// Where a decision proves which of two sizes a group has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certainty {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability that such a decision happens, before it is known which size it is.
    pub probability: f64,
}

/// How sure of one of two sizes a decision can make.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Inference {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability that the guess is right.
    pub posterior: f64,
    /// Probability that the decision happens which allows it.
    pub probability: f64,
}

impl Odds {
    /// The larger probability of the two proofs: the certainty odds.
    #[must_use]
    pub fn certainty(&self) -> f64 {
        self.certain_when_reported.probability.max(self.certain_when_suppressed.probability)
    }

    /// The largest posterior short of a proof; one half where every decision proves something or tells nothing.
    #[must_use]
    pub fn posterior(&self) -> f64 {
        let guesses = [self.posterior_when_reported, self.posterior_when_suppressed];
        guesses.iter().flatten().map(|guess| guess.posterior).fold(0.5, f64::max)
    }
}

impl ThresholdTable {
    /// The most that one decision tells, over all sizes of group. `O(cap)`.
    #[must_use]
    pub fn odds(&self) -> Odds {
        let chances = || (0..self.cap()).map(|n| (n, self.reporting_probability(n), self.reporting_probability(n + 1)));
        let mut odds = Odds {
            certain_when_reported: Certainty { n: 0, probability: 0.0 },
            certain_when_suppressed: Certainty { n: 0, probability: 0.0 },
            posterior_when_reported: None,
            posterior_when_suppressed: None,
        };
        for (n, fewer, more) in chances() {
            if fewer.reported > 0.0 {
                let guess = Inference::of(n, more.reported, fewer.reported);
                odds.posterior_when_reported = surer(odds.posterior_when_reported, guess);
            } else if more.reported > 0.0 {
                odds.certain_when_reported = Certainty { n, probability: 0.5 * more.reported };
            }
            if more.suppressed > 0.0 {
                let guess = Inference::of(n, fewer.suppressed, more.suppressed);
                odds.posterior_when_suppressed = surer(odds.posterior_when_suppressed, guess);
            } else if fewer.suppressed > 0.0 {
                odds.certain_when_suppressed = Certainty { n, probability: 0.5 * fewer.suppressed };
            }
        }
        odds
    }
}

impl Inference {
    fn of(n: u64, right: f64, wrong: f64) -> Self {
        Self { n, posterior: right / (right + wrong), probability: 0.5 * (right + wrong) }
    }
}

/// The surer of two guesses; the first one where they are alike.
fn surer(best: Option<Inference>, guess: Inference) -> Option<Inference> {
    best.filter(|best| best.posterior >= guess.posterior).or(Some(guess))
}
