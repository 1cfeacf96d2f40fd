//! What is claimed, and what is said of it.

use crate::error::Error;

/// The kind of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Holds for every input.
    Guarantee,
    /// A law with known parameters.
    Calibration,
    /// A prediction of a model.
    Proxy,
}

impl Kind {
    /// As reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guarantee => "guarantee",
            Self::Calibration => "calibration",
            Self::Proxy => "proxy",
        }
    }
}

/// The share of trials that should succeed, as an interval. `at_most` is a guarantee's form, a point a calibration's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    low: f64,
    high: f64,
}

impl Claim {
    /// A rate between two ends.
    ///
    /// # Errors
    /// [`Error::BadClaim`] unless `0 <= low <= high <= 1`.
    pub fn between(low: f64, high: f64) -> Result<Self, Error> {
        let good = low >= 0.0 && low <= high && high <= 1.0;
        if good { Ok(Self { low, high }) } else { Err(Error::BadClaim { name: "claim" }) }
    }

    /// A rate of at least `low`.
    ///
    /// # Errors
    /// As [`Claim::between`].
    pub fn at_least(low: f64) -> Result<Self, Error> {
        Self::between(low, 1.0)
    }

    /// A rate of at most `high`.
    ///
    /// # Errors
    /// As [`Claim::between`].
    pub fn at_most(high: f64) -> Result<Self, Error> {
        Self::between(0.0, high)
    }

    /// The ends.
    #[must_use]
    pub const fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Whether no rate within the claim is within the measured interval.
    #[must_use]
    pub fn is_contradicted_by(self, [low, high]: [f64; 2]) -> bool {
        high < self.low || low > self.high
    }
}

/// What attackers say of a claim. None of these words is "proved".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The attacker did not contradict the claim, and did expose the broken twin.
    NotContradicted,
    /// The measured interval and the claim have no rate in common.
    Contradicted,
    /// The attacker contradicted neither: with so many trials, its silence means nothing.
    Underpowered,
}

impl Verdict {
    /// The verdict on a claim, from what was measured on it and on its broken twin.
    #[must_use]
    pub fn of(claim: Claim, measured: [f64; 2], broken: [f64; 2]) -> Self {
        match (claim.is_contradicted_by(measured), claim.is_contradicted_by(broken)) {
            (true, _) => Self::Contradicted,
            (false, true) => Self::NotContradicted,
            (false, false) => Self::Underpowered,
        }
    }

    /// As reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotContradicted => "NotContradicted",
            Self::Contradicted => "Contradicted",
            Self::Underpowered => "Underpowered",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_counts_only_beside_an_exposed_twin() {
        let claim = Claim::at_least(0.8).unwrap();
        let (far, near, wide) = ([0.1, 0.5], [0.7, 0.95], [0.3, 0.9]);
        assert_eq!(Verdict::of(claim, near, far), Verdict::NotContradicted);
        assert_eq!(Verdict::of(claim, wide, wide), Verdict::Underpowered);
        assert_eq!(Verdict::of(claim, far, far), Verdict::Contradicted);
        assert_eq!(Verdict::of(Claim::at_most(0.2).unwrap(), [0.3, 0.4], far), Verdict::Contradicted);
    }

    #[test]
    fn claims_that_are_no_rates_are_refused() {
        for (low, high) in [(f64::NAN, 1.0), (0.0, f64::NAN), (-0.1, 0.5), (0.6, 0.5), (0.0, 1.1)] {
            assert_eq!(Claim::between(low, high), Err(Error::BadClaim { name: "claim" }));
        }
    }
}
