//! The cost of Gaussian noise, and what it is a cost to.

use crate::param::{Mu, ParamError, Rho};
use crate::round::{add_up, div_up, mul_up, sqrt_up};

/// Which two tables must look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Neighbours {
    /// One unit more or fewer: the number of units is itself protected.
    AddRemove,
    /// One unit replaced by another: the number of units is public.
    ///
    /// A replacement is one removal and one addition, so that a cost under
    /// [`Neighbours::AddRemove`] becomes at most that [`for_group`](PrivacyCost::for_group) of
    /// two; a mechanism that knows its sensitivity may do better.
    Replace,
}

/// What Gaussian noise reveals: squared L2 sensitivity over variance, summed over everything that
/// was measured.
///
/// The cost `c` of one or of many measurements is `rho = c / 2` in zero-concentrated differential
/// privacy and, for continuous noise, `mu = sqrt(c)` in Gaussian differential privacy; costs add
/// up. Finite and above 0. Source: Bun and Steinke (2016), proposition 1.6; Dong, Roth and Su
/// (2022), corollary 3.3.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct PrivacyCost(f64);

impl PrivacyCost {
    /// Accepts a number that is finite and above 0.
    ///
    /// # Errors
    /// [`ParamError`] for anything else, NaN included.
    pub fn new(cost: f64) -> Result<Self, ParamError> {
        if cost > 0.0 && cost < f64::INFINITY {
            Ok(Self(cost))
        } else {
            Err(ParamError { name: "privacy cost", range: "finite and above 0", got: cost })
        }
    }

    /// `c = 2 rho`, exactly.
    ///
    /// # Errors
    /// [`ParamError`] when that is too large for a number.
    pub fn from_rho(rho: Rho) -> Result<Self, ParamError> {
        Self::new(2.0 * rho.get())
    }

    /// `c = mu^2`, rounded up.
    ///
    /// # Errors
    /// [`ParamError`] when that is too large for a number.
    pub fn from_mu(mu: Mu) -> Result<Self, ParamError> {
        Self::new(mul_up(mu.get(), mu.get()))
    }

    /// The cost of several measurements of the same units: the sum, rounded up. `None` for no
    /// measurements at all.
    ///
    /// # Errors
    /// [`ParamError`] when the sum is too large for a number.
    pub fn total(costs: impl IntoIterator<Item = Self>) -> Result<Option<Self>, ParamError> {
        let sum = costs.into_iter().map(Self::get).reduce(add_up);
        sum.map(Self::new).transpose()
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// `rho = c / 2` of zero-concentrated differential privacy, exact (rounded up below 1e-307).
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "cannot happen: the argument is positive and finite")]
    pub fn rho(self) -> Rho {
        Rho::new(div_up(self.0, 2.0)).expect("half of a positive finite number, rounded up, is one")
    }

    /// `mu = sqrt(c)` of Gaussian differential privacy, rounded up. For continuous noise, or for a
    /// cost that [`discrete::gaussian_cost`](super::discrete::gaussian_cost) gave.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "cannot happen: the argument is positive and finite")]
    pub fn mu(self) -> Mu {
        Mu::new(sqrt_up(self.0)).expect("the root of a positive finite number is one")
    }

    /// The cost to a group of `size` units, or to one unit that contributes up to `size` rows:
    /// `size^2 c`, rounded up.
    ///
    /// # Errors
    /// [`ParamError`] for a group of nobody, or when the product is too large for a number.
    pub fn for_group(self, size: u32) -> Result<Self, ParamError> {
        let size = f64::from(size);
        Self::new(mul_up(mul_up(size, size), self.0))
    }
}

impl TryFrom<f64> for PrivacyCost {
    type Error = ParamError;
    fn try_from(cost: f64) -> Result<Self, ParamError> {
        Self::new(cost)
    }
}

impl From<PrivacyCost> for f64 {
    fn from(cost: PrivacyCost) -> f64 {
        cost.0
    }
}

impl std::fmt::Display for PrivacyCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_checked_by_every_door() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(PrivacyCost::new(bad).is_err());
        }
        assert!(PrivacyCost::from_rho(Rho::new(1e308).unwrap()).is_err());
        assert!(PrivacyCost::from_mu(Mu::new(1e155).unwrap()).is_err());
        assert!(PrivacyCost::new(1.0).unwrap().for_group(0).is_err());
        assert_eq!(PrivacyCost::total([]).unwrap(), None);
    }

    #[test]
    fn exact_conversions_stay_exact() {
        let cost = PrivacyCost::new(2.25).unwrap();
        assert_eq!((cost.rho().get(), cost.mu().get()), (1.125, 1.5));
        assert_eq!(PrivacyCost::from_rho(cost.rho()).unwrap(), cost);
        assert_eq!(PrivacyCost::from_mu(cost.mu()).unwrap(), cost);
        assert_eq!(cost.for_group(4).unwrap().get(), 36.0);
        assert_eq!(PrivacyCost::total([cost, cost]).unwrap().unwrap().get(), 4.5);
    }

    #[test]
    fn the_ends_of_the_range_round_up_and_stay_in_it() {
        let least = PrivacyCost::new(f64::from_bits(1)).unwrap();
        assert_eq!(least.rho().get(), f64::from_bits(1));
        assert!(least.mu().get() >= 2.2e-162);
        assert!(PrivacyCost::from_mu(Mu::new(1e-200).unwrap()).unwrap().get() > 0.0);
        let most = PrivacyCost::new(f64::MAX).unwrap();
        assert!(PrivacyCost::total([most, most]).is_err());
        assert!(most.for_group(2).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn deserialising_goes_through_the_same_door() {
        assert!(serde_json::from_str::<PrivacyCost>("0.5").is_ok());
        assert!(serde_json::from_str::<PrivacyCost>("-0.5").is_err());
        assert_eq!(serde_json::to_string(&Neighbours::AddRemove).unwrap(), "\"add-remove\"");
        assert!(serde_json::from_str::<Neighbours>("\"bounded\"").is_err());
    }

    #[cfg(feature = "noise")]
    #[test]
    fn every_conversion_is_rounded_up_and_by_no_more_than_it_must() {
        use crate::accounting::tests::exact::{product_above, root_above, size, sum_above};
        use crate::rng::SimRng;

        let mut rng = SimRng::for_trial(2, "cost rounding", 0);
        for _ in 0..200 {
            let [c, d] = [(); 2].map(|()| size(&mut rng, (-20.0, 20.0)));
            let cost = PrivacyCost::new(c).unwrap();
            assert_eq!((f64::from(cost), cost.mu().get()), (c, root_above(c)));
            assert_eq!(PrivacyCost::from_mu(Mu::new(c).unwrap()).unwrap().get(), product_above(c, c));
            let both = PrivacyCost::total([cost, PrivacyCost::new(d).unwrap()]).unwrap().unwrap();
            assert_eq!(both.get(), sum_above(c, d));
            for size in [3, 1_000_003, u32::MAX] {
                let square = product_above(f64::from(size), f64::from(size));
                assert_eq!(cost.for_group(size).unwrap().get(), product_above(square, c));
            }
        }
    }
}
