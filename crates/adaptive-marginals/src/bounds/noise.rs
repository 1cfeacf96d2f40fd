//! The noise of everything that was measured about a marginal: (A5).
//!
//! `n` cells, `I` the sum of `1 / (N_i sigma_i^2)` over the measurements of sets that contain the
//! marginal, `N_i` their cells; `delta` the probability that a bound may fail.
//!
//! ```text
//! B = least over j of  l_j / 2 + (n ln 2 + ln(1 / delta) + ln 3 + |j| ln 2) / (l_j I)
//! l_j = l_0 2^(j/2),   l_0 = sqrt(2 (n ln 2 + ln(1 / delta)) n sigma_0^2)
//! ```
//!
//! Which measurements were made, and how many, depends on earlier noise. A bound for a number that
//! is fixed beforehand would have `sqrt(2 (n ln 2 + ln(1 / delta)) / I)`; the price of any number
//! is the `ln 3 + |j| ln 2` and at most 1.6 % for the grid.

use std::f64::consts::LN_2;

/// The grid on either side of its middle: variances from 2^-60 to 2^60 of the first one.
const STEPS: i32 = 60;

/// What a bound on noise depends on besides the information.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoiseBound {
    /// The possible cells of the marginal.
    pub(super) cells: f64,
    /// The variance of the first measurements, known beforehand.
    pub(super) first_variance: f64,
    /// The probability with which the bound may fail.
    pub(super) failure: f64,
}

impl NoiseBound {
    /// The largest sum of the absolute noise of the mean of least variance, in counts.
    pub(super) fn at(&self, information: f64) -> f64 {
        if self.cells == 0.0 {
            return 0.0;
        }
        let exponent = self.cells * LN_2 - self.failure.ln();
        let middle = (2.0 * exponent * self.cells * self.first_variance).sqrt();
        let bounds = (-STEPS..=STEPS).map(|step| {
            let slope = middle * (f64::from(step) / 2.0).exp2();
            let weight = 3.0_f64.ln() + f64::from(step.abs()) * LN_2;
            slope / 2.0 + (exponent + weight) / (slope * information)
        });
        bounds.fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::noise::{DiscreteGaussian, Rational};
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;
    use testkit::tails::binomial_p_value;

    use super::*;

    /// Four cells, variance 9, one measurement, a failure of 1 / 16: the middle of the grid has
    /// `l = sqrt(2 * 8 ln 2 * 36)`, and the bound is `l / 2 + (8 ln 2 + ln 3) / l * 36`.
    #[test]
    fn a_single_measurement_has_the_bound_of_the_formula() {
        let bound = NoiseBound { cells: 4.0, first_variance: 9.0, failure: 1.0 / 16.0 };
        let slope = (2.0 * 8.0 * LN_2 * 36.0).sqrt();
        let expected = slope / 2.0 + (8.0 * LN_2 + 3.0_f64.ln()) * 36.0 / slope;
        // 9.99 + 11.97; a neighbour on the grid has more.
        assert!((expected - 21.96).abs() < 0.01, "{expected}");
        assert!((bound.at(1.0 / 36.0) - expected).abs() < 1e-12);
        assert_eq!(NoiseBound { cells: 0.0, ..bound }.at(1.0), 0.0);
    }

    /// Within a few percent of the bound for a number of measurements that is known.
    #[test]
    fn any_number_of_measurements_costs_little() {
        for cells in [16.0_f64, 1e3, 1e5] {
            for halvings in 0..12 {
                let bound = NoiseBound { cells, first_variance: 50.0, failure: 1e-4 };
                let information = f64::from(halvings).exp2() / (cells * 50.0);
                let fixed = (2.0 * (cells * LN_2 - bound.failure.ln()) / information).sqrt();
                let price = bound.at(information) / fixed;
                assert!((1.0..1.25).contains(&price), "{cells} {halvings} {price}");
            }
        }
    }

    /// Measuring stops as soon as the noise is beyond the bound, or after 200 measurements: the
    /// worst that adaptivity can do. `margin` scales the bound.
    fn failures(bound: NoiseBound, margin: f64, at: impl Fn(&NoiseBound, f64) -> f64) -> u64 {
        let law = DiscreteGaussian::new(Rational::new(4, 1).unwrap()).unwrap();
        let mut rng = ChaCha20Rng::from_seed([5; 32]);
        let mut beyond = 0;
        for _ in 0..RUNS {
            let mut sums = [0_i64; 2];
            beyond += u64::from((1..=200).any(|count| {
                law.add_to(&mut sums, &mut rng).unwrap();
                let noise = sums.iter().map(|sum| sum.abs() as f64).sum::<f64>() / f64::from(count);
                noise > margin * at(&bound, f64::from(count) / (2.0 * 4.0))
            }));
        }
        beyond
    }

    const RUNS: u64 = 4_000;

    /// The law of a stopped mean, at an error rate of 1e-9; bounds half as large fail.
    #[test]
    fn bounds_hold_wherever_measuring_stops() {
        let bound = NoiseBound { cells: 2.0, first_variance: 4.0, failure: 0.1 };
        let is_rejected = |beyond: u64| beyond > RUNS / 10 && binomial_p_value(RUNS, 0.1, beyond) < 1e-9;
        assert!(!is_rejected(failures(bound, 1.0, NoiseBound::at)));
        assert!(is_rejected(failures(bound, 0.5, NoiseBound::at)));
    }
}
