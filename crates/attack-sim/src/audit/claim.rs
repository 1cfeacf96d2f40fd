//! What is claimed.

use disclosure::privacy_core::param::Probability;

use super::tally::{Tally, part};
use crate::error::Error;

/// The kind of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// Where a quantity is claimed to be. `at_most` is a guarantee's form, a point a calibration's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    low: f64,
    high: f64,
}

impl Claim {
    /// Between two ends.
    ///
    /// # Errors
    /// [`Error::BadClaim`] unless `low` is finite and `low <= high`.
    pub fn between(low: f64, high: f64) -> Result<Self, Error> {
        let good = low.is_finite() && low <= high;
        if good { Ok(Self { low, high }) } else { Err(Error::BadClaim { name: "claim" }) }
    }

    /// At least `low`.
    ///
    /// # Errors
    /// As [`Claim::between`].
    pub fn at_least(low: f64) -> Result<Self, Error> {
        Self::between(low, f64::INFINITY)
    }

    /// At least 0 and at most `high`.
    ///
    /// # Errors
    /// As [`Claim::between`].
    pub fn at_most(high: f64) -> Result<Self, Error> {
        Self::between(0.0, high)
    }

    /// One number.
    ///
    /// # Errors
    /// As [`Claim::between`].
    pub fn exactly(number: f64) -> Result<Self, Error> {
        Self::between(number, number)
    }

    /// The ends.
    #[must_use]
    pub const fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Whether nothing that is claimed is within the measured interval.
    #[must_use]
    pub fn is_contradicted_by(self, [low, high]: [f64; 2]) -> bool {
        // Written so that NaN contradicts.
        !(high >= self.low && low <= self.high)
    }

    /// How far out of the measured interval the claim is, in widths of it: above 0.5 it is
    /// contradicted.
    fn distance(self, [low, high]: [f64; 2]) -> f64 {
        if !(high - low).is_finite() {
            return 0.0;
        }
        let middle = f64::midpoint(low, high);
        let nearest = middle.clamp(self.low, self.high);
        let away = (nearest - middle).abs();
        if away == 0.0 { 0.0 } else { away / (high - low) }
    }
}

/// How the numbers of a quantity are spread, which decides on the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    ZeroOrOne,
    Any,
}

/// A quantity that every trial measures, and what is claimed of its mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    name: String,
    claim: Claim,
    spread: Spread,
}

impl Quantity {
    /// The share of trials that succeed. Its interval is exact.
    ///
    /// # Errors
    /// [`Error::BadClaim`] unless the claim holds a rate between 0 and 1.
    pub fn share(name: impl Into<String>, claim: Claim) -> Result<Self, Error> {
        let name = name.into();
        if claim.is_contradicted_by([0.0, 1.0]) {
            return Err(Error::BadClaim { name: "claimed share" });
        }
        Ok(Self { name, claim, spread: Spread::ZeroOrOne })
    }

    /// Shares of trials, each claimed to be exactly `share`.
    ///
    /// # Errors
    /// [`Error::BadClaim`] unless `share` is a rate.
    pub fn shares_of(share: f64, names: &[&str]) -> Result<Vec<Self>, Error> {
        names.iter().map(|name| Self::share(*name, Claim::exactly(share)?)).collect()
    }

    /// A share of trials that is claimed to be exactly this.
    ///
    /// # Errors
    /// [`Error::BadClaim`] unless `share` is a rate.
    pub fn exactly(name: impl Into<String>, share: f64) -> Result<Self, Error> {
        Self::share(name, Claim::exactly(share)?)
    }

    /// The mean of any numbers with a variance. Its interval is that of the central limit
    /// theorem.
    #[must_use]
    pub fn mean(name: impl Into<String>, claim: Claim) -> Self {
        Self { name: name.into(), claim, spread: Spread::Any }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is claimed of it.
    #[must_use]
    pub const fn claim(&self) -> Claim {
        self.claim
    }

    pub(super) fn is_share(&self) -> bool {
        self.spread == Spread::ZeroOrOne
    }

    /// How far out of the measured interval its claim is. Where a share is claimed to be 0 or 1
    /// and no trial said otherwise, the claim is an end of every interval, so that it says less
    /// than any other quantity.
    fn distance(&self, measured: [f64; 2]) -> f64 {
        let is_never_or_always = self.is_share() && (self.claim.high <= 0.0 || self.claim.low >= 1.0);
        let agrees = is_never_or_always && !self.claim.is_contradicted_by(measured);
        if agrees { 0.0 } else { self.claim.distance(measured) }
    }

    fn interval(&self, tally: &Tally, error_rate: Probability) -> [f64; 2] {
        match self.spread {
            Spread::ZeroOrOne => tally.share_interval(error_rate),
            Spread::Any => tally.mean_interval(error_rate),
        }
    }
}

/// What one run measured of one quantity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// The quantity; empty where there is but one.
    pub of: String,
    /// What is claimed of it; the upper end may be infinite.
    pub claimed: [f64; 2],
    /// Where it is, with confidence.
    pub measured: [f64; 2],
    /// How many trials said something of it; `None` where every one does, or none is needed.
    pub measured_in: Option<u64>,
}

impl Measurement {
    /// A measurement of the only quantity there is.
    #[must_use]
    pub const fn new(claim: Claim, measured: [f64; 2]) -> Self {
        Self { of: String::new(), claimed: claim.ends(), measured, measured_in: None }
    }

    /// Whether it contradicts the claim.
    #[must_use]
    pub fn contradicts(&self) -> bool {
        Claim { low: self.claimed[0], high: self.claimed[1] }.is_contradicted_by(self.measured)
    }

    /// Of all quantities the one that is farthest from its claim. The error rate is split over
    /// them.
    pub(super) fn worst(quantities: &[Quantity], tallies: &[Tally], error_rate: Probability) -> Result<Self, Error> {
        let rate = part(error_rate, quantities.len());
        quantities
            .iter()
            .zip(tallies)
            .map(|(quantity, tally): (&Quantity, &Tally)| {
                let measured = quantity.interval(tally, rate);
                let of = if quantities.len() == 1 { String::new() } else { quantity.name.clone() };
                let measured_in = Some(tally.count());
                (quantity.distance(measured), Self { of, claimed: quantity.claim.ends(), measured, measured_in })
            })
            .reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
            .map(|(_, measurement)| measurement)
            .ok_or(Error::NoQuantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_without_an_order_are_refused() {
        for (low, high) in [(f64::NAN, 1.0), (0.0, f64::NAN), (0.6, 0.5), (f64::NEG_INFINITY, 0.0)] {
            assert_eq!(Claim::between(low, high), Err(Error::BadClaim { name: "claim" }));
        }
        assert!(Quantity::share("", Claim::at_least(1.1).unwrap()).is_err());
        assert!(Quantity::share("", Claim::exactly(1.0).unwrap()).is_ok());
    }

    #[test]
    fn a_distance_above_one_half_is_a_contradiction() {
        let claim = Claim::between(0.2, 0.4).unwrap();
        for measured in [[0.0, 0.1], [0.0, 0.2], [0.1, 0.3], [0.25, 0.3], [0.39, 0.5], [0.4, 0.41], [0.41, 0.9]] {
            let is_far = claim.distance(measured) > 0.5 + 1e-12;
            assert_eq!(is_far, claim.is_contradicted_by(measured), "{measured:?}");
        }
        assert!(claim.distance([0.5, 0.5]) > 1e9 && claim.distance([0.3, 0.3]) == 0.0);
    }

    #[test]
    fn the_worst_quantity_speaks() {
        let near = Quantity::share("near", Claim::exactly(0.5).unwrap()).unwrap();
        let far = Quantity::mean("far", Claim::exactly(2.0).unwrap());
        let fill = |claim, values: [f64; 2]| {
            let mut tally = Tally::around(claim);
            (0..500).for_each(|number| tally.add(values[number % 2]));
            tally
        };
        let tallies = [fill(near.claim(), [0.0, 1.0]), fill(far.claim(), [0.9, 1.1])];
        let worst = Measurement::worst(&[near, far], &tallies, Probability::new(1e-9).unwrap()).unwrap();
        assert!(worst.of == "far" && worst.contradicts());
    }

    #[test]
    fn what_never_happened_speaks_last_and_its_exception_first() {
        let never = Quantity::share("never", Claim::exactly(0.0).unwrap()).unwrap();
        let half = Quantity::share("half", Claim::exactly(0.5).unwrap()).unwrap();
        let worst = |exceptions: u64| {
            let mut tallies = [never.claim(), half.claim()].map(Tally::around);
            (0..500_u64).for_each(|number| {
                tallies[0].add(f64::from(number < exceptions));
                tallies[1].add(f64::from(number % 20 < 11));
            });
            let quantities = [never.clone(), half.clone()];
            Measurement::worst(&quantities, &tallies, Probability::new(1e-9).unwrap()).unwrap()
        };
        assert!(worst(0).of == "half" && !worst(0).contradicts());
        assert!(worst(1).of == "never" && worst(1).contradicts());
        assert_eq!(Measurement::worst(&[], &[], Probability::new(1e-9).unwrap()), Err(Error::NoQuantity));
    }
}
