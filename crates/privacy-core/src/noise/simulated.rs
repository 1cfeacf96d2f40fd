//! The samplers as `rand_distr` distributions, for simulations.

use rand_core::Rng;
use rand_distr::Distribution;

use super::bits::RngBits;
use super::{DiscreteGaussian, DiscreteLaplace, ReferenceGaussian, WideGaussian};

/// A sampler that accepts any generator, so that it can be used as a [`Distribution`].
///
/// The samplers themselves ask for a [`CryptoRng`](rand_core::CryptoRng), since noise that can be
/// predicted protects nobody. This wrapper gives up that check: it is for error studies, never
/// for a release.
///
/// ```
/// use privacy_core::noise::{DiscreteLaplace, Rational, Simulated};
/// use privacy_core::rng::SimRng;
/// use rand_distr::Distribution;
///
/// let noise = Simulated(DiscreteLaplace::new(Rational::ONE)?);
/// let draws: Vec<i64> = noise.sample_iter(SimRng::for_trial(1, "example", 0)).take(1_000).collect();
/// assert!(draws.iter().sum::<i64>().abs() < 300);
/// # Ok::<(), privacy_core::noise::RationalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulated<S>(pub S);

impl Distribution<i64> for Simulated<DiscreteGaussian> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        self.0.draw(&mut RngBits::new(rng))
    }
}

impl Distribution<i64> for Simulated<ReferenceGaussian> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        self.0.draw(&mut RngBits::new(rng))
    }
}

impl Distribution<i64> for Simulated<DiscreteLaplace> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        self.0.draw(&mut RngBits::new(rng))
    }
}

impl Distribution<i128> for Simulated<WideGaussian> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i128 {
        self.0.draw(&mut RngBits::new(rng))
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::noise::Rational;

    fn assert_same_draws<T: PartialEq + std::fmt::Debug>(
        mut of_wrapper: impl FnMut(&mut ChaCha20Rng) -> T,
        mut of_sampler: impl FnMut(&mut ChaCha20Rng) -> T,
    ) {
        let rng = || ChaCha20Rng::from_seed([5; 32]); // tests only
        let (mut one, mut other) = (rng(), rng());
        for _ in 0..50 {
            assert_eq!(of_wrapper(&mut one), of_sampler(&mut other));
        }
    }

    /// The wrapper changes who may draw, not what is drawn.
    #[test]
    fn a_distribution_draws_what_its_sampler_draws() {
        let four = Rational::new(4, 1).unwrap();
        let gaussian = DiscreteGaussian::new(four).unwrap();
        let reference = ReferenceGaussian::new(four).unwrap();
        let laplace = DiscreteLaplace::new(four).unwrap();
        let wide = WideGaussian::new(four, 40).unwrap();
        assert_same_draws(|rng| Simulated(gaussian.clone()).sample(rng), |rng| gaussian.sample(rng));
        assert_same_draws(|rng| Simulated(reference).sample(rng), |rng| reference.sample(rng));
        assert_same_draws(|rng| Simulated(laplace).sample(rng), |rng| laplace.sample(rng));
        assert_same_draws(|rng| Simulated(wide.clone()).sample(rng), |rng| wide.sample(rng));
    }
}
