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

    /// The wrapper changes who may draw, not what is drawn.
    #[test]
    fn a_distribution_draws_what_its_sampler_draws() {
        let rng = || ChaCha20Rng::from_seed([5; 32]); // tests only
        let four = Rational::new(4, 1).unwrap();
        let gaussian = DiscreteGaussian::new(four).unwrap();
        let laplace = DiscreteLaplace::new(four).unwrap();
        let wide = WideGaussian::new(four, 40).unwrap();
        assert_eq!(Simulated(gaussian.clone()).sample(&mut rng()), gaussian.sample(&mut rng()));
        assert_eq!(Simulated(laplace).sample(&mut rng()), laplace.sample(&mut rng()));
        assert_eq!(Simulated(wide.clone()).sample(&mut rng()), wide.sample(&mut rng()));
    }
}
