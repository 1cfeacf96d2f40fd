//! Discrete Gaussian noise is Gaussian differentially private, at a cost just above that of
//! continuous noise.
//!
//! `gamma^2` parameter of the discrete Gaussian law, `d` the integer by which one person shifts a
//! number, `c = d^2 / gamma^2` its cost with continuous noise.
//!
//! ```text
//! 1 / s^2 = 6 (1 - sqrt(1 - 1 / (3 gamma^2)))                                               (10)
//! the discrete Gaussian law and its shift by d are d / s-GDP, for gamma^2 >= 1/3            (11)
//! c' = d^2 / s^2 = c 2 / (1 + sqrt(1 - 1 / (3 gamma^2)))                                    (12)
//! ```
//!
//! `s^2` is close to `gamma^2 - 1/12`, the variance that rounding to integers adds. Costs `c'` add
//! up over numbers and over releases, as all costs of Gaussian differential privacy do, and
//! [`gaussian`](super::gaussian) converts them. Derivation: `docs/math/accounting.md`, section 5.
//!
//! # Guarantee
//! (11) is exact for every integer shift and every test; nothing is left to a tail. The shift must
//! be an integer: a real one would tell by the lattice alone.

use super::PrivacyCost;
use crate::round::{add_down, div_down, div_up, mul_down, mul_up, sqrt_down, sub_down};

/// By how much the cost of continuous noise is multiplied, rounded up: (12). From 1, for large
/// `gamma2`, to 2 at 1/3. `None` below 1/3, where no such bound is known here: convert `rho`.
///
/// `gamma2` is the parameter of the noise on integers, or a number below it.
#[must_use]
pub fn cost_factor(gamma2: f64) -> Option<f64> {
    if gamma2.is_nan() || gamma2 <= 0.0 {
        return None;
    }
    let left = sub_down(1.0, div_up(1.0, mul_down(3.0, gamma2)));
    (left >= 0.0).then(|| div_up(2.0, add_down(1.0, sqrt_down(left))))
}

/// The cost `c'` of Gaussian differential privacy for noise of the parameter `gamma2` on integers,
/// of which continuous noise would cost `cost`. `None` as for [`cost_factor`], or when the product
/// is too large for a number.
#[must_use]
pub fn gaussian_cost(cost: PrivacyCost, gamma2: f64) -> Option<PrivacyCost> {
    PrivacyCost::new(mul_up(cost.get(), cost_factor(gamma2)?)).ok()
}

/// The variance of continuous noise that would cost the same, for discrete noise of variance
/// parameter `variance` that has the parameter `gamma2` on integers. Rounded down. `None` as for
/// [`cost_factor`].
#[must_use]
pub fn continuous_variance(variance: f64, gamma2: f64) -> Option<f64> {
    Some(div_down(variance, cost_factor(gamma2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;
    use crate::param::Probability;

    /// The largest step between the normal quantiles of the tails of a discrete Gaussian: the mu
    /// of a shift by one, by definition (a test of two laws on integers rejects beyond an integer).
    fn largest_step(gamma2: f64) -> f64 {
        let weight = |j: f64| libm::exp(-j * j / (2.0 * gamma2));
        let most = 12.0 * gamma2.sqrt() + 12.0;
        let all: Vec<f64> = (0..).map(f64::from).take_while(|j| *j < 2.0 * most).map(weight).collect();
        let total = all[0] + 2.0 * all[1..].iter().rev().sum::<f64>();
        let quantile =
            |m: usize| normal::upper_quantile(Probability::new(all[m..].iter().rev().sum::<f64>() / total).unwrap());
        let quantiles: Vec<f64> = (1..most as usize).map(quantile).collect();
        let first = 2.0 * quantiles[0]; // from 0 to 1, by symmetry
        quantiles.windows(2).map(|pair| pair[1] - pair[0]).fold(first, f64::max)
    }

    #[test]
    fn the_factor_is_above_the_true_one_and_close_to_it() {
        for gamma2 in [0.34, 0.4, 0.5, 0.75, 1.0, 1.7, 3.0, 8.0, 20.0, 100.0, 333.3] {
            let truth = gamma2 * largest_step(gamma2).powi(2);
            let bound = cost_factor(gamma2).unwrap();
            assert!(bound >= truth - 1e-11, "{gamma2}: {bound} below {truth}");
            let room = if gamma2 < 0.5 { 0.35 } else { 0.06 / (gamma2 * gamma2) };
            assert!(bound <= truth * (1.0 + room), "{gamma2}: {bound} for {truth}");
            assert!(truth > 1.0 + 0.08 / gamma2, "{gamma2}: continuous noise would cost {truth} times as much");
        }
    }

    #[test]
    fn small_noise_and_numbers_that_are_none_have_no_factor() {
        for bad in [0.0, 0.333, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(cost_factor(bad), None);
        }
        assert_eq!(cost_factor(f64::INFINITY), Some(1.0));
        assert!(cost_factor(1e30).unwrap() <= 1.0 + 2.0 * f64::EPSILON);
        assert!(gaussian_cost(PrivacyCost::new(f64::MAX).unwrap(), 0.5).is_none());
        assert_eq!(continuous_variance(4.0, f64::INFINITY), Some(4.0));
    }

    #[test]
    fn the_factor_begins_where_its_root_is_0() {
        // Three times the number above 1/3 is 1 when rounded down, and 1 - 1/1 has the root 0.
        let first = (1.0_f64 / 3.0).next_up();
        assert_eq!((cost_factor(first.next_down()), cost_factor(first)), (None, Some(2.0)));
        assert_eq!(cost_factor(-0.0), None);
    }

    #[cfg(feature = "noise")]
    #[test]
    fn every_rounding_of_the_factor_is_against_the_noise() {
        use crate::accounting::tests::exact::{
            product_above, product_below, quotient_above, quotient_below, root_below, size, sum_below,
        };
        use crate::rng::SimRng;

        let mut rng = SimRng::for_trial(3, "factor rounding", 0);
        for case in 0..400 {
            // Small ones too, in which the root has all its bits.
            let gamma2 = 1.0 / 3.0 + size(&mut rng, if case % 2 == 0 { (-8.0, 2.0) } else { (2.0, 12.0) });
            let left = sum_below(1.0, -quotient_above(1.0, product_below(3.0, gamma2)));
            let factor = quotient_above(2.0, sum_below(1.0, root_below(left)));
            assert_eq!(cost_factor(gamma2), Some(factor), "{gamma2:e}");
            let other = size(&mut rng, (-9.0, 9.0));
            let cost = gaussian_cost(PrivacyCost::new(other).unwrap(), gamma2).unwrap();
            assert_eq!(cost.get(), product_above(other, factor));
            assert_eq!(continuous_variance(other, gamma2), Some(quotient_below(other, factor)));
        }
    }
}
