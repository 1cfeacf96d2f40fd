//! Releases that are simulated from a model: what noise does to its tables.
//!
//! The model takes the place of people: rows are drawn from it, measured as it was measured, and a
//! second model is fitted to that. How far the second is from those rows is what noise, fit and
//! rounding do to a release of people who are like the model: a parametric bootstrap (Efron and
//! Tibshirani, *An Introduction to the Bootstrap*, 1993, section 6.5). People who are not like the
//! model, since they depend on each other where it does not, are further off.

use privacy_core::normal;
use privacy_core::param::Probability;
use rand_core::Rng;

use crate::error::Error;
use crate::fit::FitSpec;
use crate::measurement::Measurement;
use crate::model::{Model, ModelSpec};
use crate::rows::Rows;
use crate::weights::WeightedPeople;

/// People who were simulated, and the model of their noised tables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replicate<M = Model> {
    /// The simulated people.
    pub people: Rows,
    /// The model of their noised tables.
    pub model: M,
}

impl Model {
    /// People from this model, measured with noise of the same variances as `measurements`, and
    /// the model that is fitted to that as this one was by `spec`. `total_variance` is that of the
    /// measured number of people, 0 where it is public. The cost is that of a fit.
    ///
    /// Noise is normal and made for a simulation: it protects nobody, and nobody is in it.
    ///
    /// # Errors
    /// As [`Model::fit`].
    pub fn replicate<R: Rng + ?Sized>(
        &self,
        spec: &ModelSpec,
        measurements: &[Measurement],
        total_variance: f64,
        rng: &mut R,
    ) -> Result<Replicate, Error> {
        let people = self.rows(self.total().round() as usize, rng);
        let (measured, total) = measured_again(measurements, total_variance, &spec.sizes, &people, rng);
        let model = Self::fit(&ModelSpec { total, ..spec.clone() }, &measured)?;
        Ok(Replicate { people, model })
    }
}

impl WeightedPeople {
    /// The same for weights: people by these weights, measured again, and new weights of the same
    /// people that were drawn, from equal ones.
    ///
    /// # Errors
    /// As [`WeightedPeople::fit`].
    pub fn replicate<R: Rng + ?Sized>(
        &self,
        fit: FitSpec,
        measurements: &[Measurement],
        total_variance: f64,
        rng: &mut R,
    ) -> Result<Replicate<Self>, Error> {
        let people = self.rows(self.total().round() as usize, rng);
        let (measured, total) = measured_again(measurements, total_variance, self.sizes(), &people, rng);
        Ok(Replicate { people, model: self.weigh_again(total, &measured, fit)? })
    }
}

/// The same measurements of other people, and their number as measured.
fn measured_again<R: Rng + ?Sized>(
    measurements: &[Measurement],
    total_variance: f64,
    sizes: &[usize],
    people: &Rows,
    rng: &mut R,
) -> (Vec<Measurement>, f64) {
    let measured = measurements.iter().map(|measurement| again(measurement, sizes, people, rng)).collect();
    let noise = if total_variance > 0.0 { total_variance.sqrt() * standard_normal(rng) } else { 0.0 };
    (measured, (people.len() as f64 + noise).max(1.0))
}

/// The same measurement of other people.
fn again<R: Rng + ?Sized>(measurement: &Measurement, sizes: &[usize], people: &Rows, rng: &mut R) -> Measurement {
    let mut values = measurement.answers(sizes, people.counts(sizes, measurement.set));
    let sd = measurement.variance.sqrt();
    let noise = (0..values.len()).map(|_| sd * standard_normal(rng)).collect();
    let noise = measurement.centred_answers(sizes, noise);
    values.iter_mut().zip(noise).for_each(|(value, noise)| *value += noise);
    Measurement { values, ..measurement.clone() }
}

/// A draw of the standard normal law, by the inverse of its distribution.
fn standard_normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    // The middle of one of 2^53 cells of (0, 1): never an end.
    let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    Probability::new(uniform).map_or(0.0, normal::quantile)
}

#[cfg(test)]
mod tests {
    use privacy_core::AttrSet;
    use privacy_core::rng::SimRng;

    use super::*;
    use crate::Along;

    /// Measured again, a table has the noise that it says: the variance of a centred number is
    /// that of k - 1 orthonormal queries spread over k, `sigma^2 (k - 1) / k`.
    #[test]
    fn simulated_measurements_have_the_stated_variance() {
        let sizes = [4, 2];
        let set = AttrSet::first(2);
        let model = Model::fit(&ModelSpec::new(sizes.to_vec(), 1000.0), &[]).unwrap();
        let mut rng = SimRng::for_trial(5, "replicate", 0);
        let people = model.rows(1000, &mut rng);
        let truth = people.counts(&sizes, set);
        let cases = [(vec![Along::Cells, Along::Cells], 9.0), (vec![Along::Centred, Along::Cells], 9.0 * 0.75)];
        for (along, expected) in cases {
            let template = Measurement { set, along, values: vec![0.0; 8], variance: 9.0 };
            let exact = template.answers(&sizes, truth.clone());
            let mut squares = 0.0;
            for _ in 0..4000 {
                let drawn = again(&template, &sizes, &people, &mut rng);
                squares += drawn.values.iter().zip(&exact).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            }
            let variance = squares / (8.0 * 4000.0);
            // The standard error of the mean of 32,000 squares (24,000 independent ones) is 0.9 %.
            assert!((variance / expected - 1.0).abs() < 0.05, "{variance} for {expected}");
        }
    }
}
