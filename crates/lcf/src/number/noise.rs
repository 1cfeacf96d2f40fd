//! Noise of the number beside a group.
//!
//! `n` entities, `b` the base, `T` uniform on 0 .. b - 1, `Z` discrete Laplace of scale `a`, or 0;
//! `f` the floor of the filter.
//!
//! ```text
//! (17)  shown = max(f, b floor((n + Z + T) / b));     E[b floor((n + T) / b)] = n
//! ```
//!
//! `T` and `Z` come from a generator whose seed is, in query mode, the least keyed hash of the
//! group's entities, and in publish mode their XOR with the name of the group. The least hash of
//! `n` entities is that of one entity more with probability `n / (n + 1)`; then only rounding can
//! tell the two numbers apart, and it does so with probability `1 / b`.

use privacy_core::noise::{DiscreteLaplace, Rational};
use privacy_core::round::div_up;
use rand_core::CryptoRng;

use crate::error::Error;

/// Largest base of rounding.
const MOST_BASE: u32 = 1000;
/// Largest scale in query mode, so that odds of a line can be summed.
const MOST_STICKY_SCALE: f64 = 100.0;
/// Significant bits of a scale.
const SCALE_BITS: u32 = 24;

/// Rounding and noise of the count of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberNoise {
    base: u32,
    scale: Option<DiscreteLaplace>,
}

impl NumberNoise {
    /// Rounding at random, up or down, to a multiple of `base`: 2 to 1000. Without bias.
    ///
    /// # Errors
    /// [`Error::NumberNoise`].
    pub fn rounding(base: u32) -> Result<Self, Error> {
        if (2..=MOST_BASE).contains(&base) { Ok(Self { base, scale: None }) } else { Err(Error::NumberNoise) }
    }

    /// Discrete Laplace noise of this scale, in entities: 0.5 to 2^30. It is rounded up to 24
    /// significant bits.
    ///
    /// # Errors
    /// [`Error::NumberNoise`].
    pub fn laplace(scale: f64) -> Result<Self, Error> {
        if !(0.5..=1_073_741_824.0).contains(&scale) {
            return Err(Error::NumberNoise);
        }
        let scale = Rational::round_up(scale, SCALE_BITS).and_then(DiscreteLaplace::new);
        Ok(Self { base: 1, scale: Some(scale.map_err(|_| Error::NumberNoise)?) })
    }

    /// The same noise, rounded at random to a multiple of `base` afterwards.
    ///
    /// # Errors
    /// As [`rounding`](Self::rounding).
    pub fn rounded_to(self, base: u32) -> Result<Self, Error> {
        Ok(Self { base: Self::rounding(base)?.base, ..self })
    }

    /// The base of rounding; 1 for none.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// The scale of the noise; none where there is only rounding.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale.map(|laplace| laplace.scale().to_f64())
    }

    /// What one number costs: an epsilon of differential privacy, rounded up, for one entity more
    /// or less; none for rounding alone.
    #[must_use]
    pub fn epsilon(&self) -> Option<f64> {
        self.scale().map(|scale| div_up(1.0, scale.next_down().next_down()))
    }

    /// Sticky numbers are rounded: without, one entity more would show as such.
    pub(crate) fn check_sticky(&self) -> Result<(), Error> {
        let is_summable = self.scale().is_none_or(|scale| scale <= MOST_STICKY_SCALE);
        if self.base > 1 && is_summable { Ok(()) } else { Err(Error::NumberNoise) }
    }

    /// (17) without the floor.
    pub(crate) fn add_to(&self, entities: u64, generator: &mut impl CryptoRng) -> u64 {
        // Uniform but for a bias of base / 2^64.
        let up = (u128::from(generator.next_u64()) * u128::from(self.base)) >> 64;
        let noise = self.scale.map_or(0, |laplace| i128::from(laplace.sample(generator)));
        let moved = (i128::from(entities) + noise + up as i128).max(0) as u128;
        let base = u128::from(self.base);
        u64::try_from(moved / base * base).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::prf::Secret;
    use rand_core::Rng;

    #[test]
    fn rounding_is_to_neighbouring_multiples_and_without_bias() {
        let noise = NumberNoise::rounding(10).unwrap();
        let streams = Secret::new(&[7; 32]).unwrap().sticky_noise();
        for n in [3_u64, 40, 47] {
            let shown: Vec<u64> = (0..20_000).map(|seed| noise.add_to(n, &mut streams.generator(seed))).collect();
            assert!(shown.iter().all(|&v| v.is_multiple_of(10) && v.abs_diff(n) < 10), "{n}");
            let mean = shown.iter().sum::<u64>() as f64 / 20_000.0;
            // A standard deviation of at most 5 / sqrt(20,000).
            assert!((mean - n as f64).abs() < 0.22, "{n}: {mean}");
        }
    }

    /// The same people get the same number from every version.
    #[test]
    fn a_number_is_the_count_with_what_its_generator_draws() {
        let streams = Secret::new(&[7; 32]).unwrap().sticky_noise();
        let noise = NumberNoise::laplace(9.0).unwrap().rounded_to(5).unwrap();
        for seed in 0..100 {
            let mut generator = streams.generator(seed);
            let up = ((u128::from(generator.next_u64()) * 5) >> 64) as i64;
            let drawn = noise.scale.unwrap().sample(&mut generator);
            let shown = noise.add_to(400, &mut streams.generator(seed));
            assert_eq!(shown as i64, (400 + drawn + up).div_euclid(5) * 5, "{seed}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for base in [0, 1, 1001] {
            assert_eq!(NumberNoise::rounding(base), Err(Error::NumberNoise), "{base}");
        }
        for scale in [0.0, 0.49, -1.0, f64::NAN, f64::INFINITY, 2e9] {
            assert_eq!(NumberNoise::laplace(scale), Err(Error::NumberNoise), "{scale}");
        }
        let epsilon = NumberNoise::laplace(4.0).unwrap().epsilon().unwrap();
        assert!((0.25..0.25 + 1e-12).contains(&epsilon));
        assert!(NumberNoise::laplace(4.0).unwrap().check_sticky().is_err(), "a sticky number is rounded");
    }
}
