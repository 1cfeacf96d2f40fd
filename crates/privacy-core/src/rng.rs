//! The generator of simulations, which is repeatable and deliberately not a
//! [`CryptoRng`](rand_core::CryptoRng), and the generator of releases, which the operating system
//! seeds.

use std::convert::Infallible;
use std::hash::Hasher;

use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng, TryRng};
use siphasher::sip128::{Hasher128, SipHasher13};

/// A stream of random numbers for one trial of one scenario: the same at any thread count, in any
/// order of trials.
///
/// It cannot reach a release: release functions ask for a `CryptoRng`, and this is not one.
///
/// ```compile_fail,E0277
/// use privacy_core::noise::{DiscreteGaussian, Rational};
/// use privacy_core::rng::SimRng;
///
/// let noise = DiscreteGaussian::new(Rational::ONE).unwrap();
/// noise.sample(&mut SimRng::for_trial(1, "example", 0));
/// ```
///
/// The same with a generator for secrets does compile:
///
/// ```
/// use privacy_core::noise::{DiscreteGaussian, Rational};
/// use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
///
/// let noise = DiscreteGaussian::new(Rational::ONE).unwrap();
/// let mut rng = ChaCha20Rng::from_seed([7; 32]); // tests only: a release draws its seed from the system
/// noise.sample(&mut rng);
/// ```
#[derive(Clone, Debug)]
pub struct SimRng(ChaCha12Rng);

impl SimRng {
    /// The stream of trial number `trial` of `scenario` under `seed`. Streams of different
    /// trials, scenarios or seeds do not overlap: key and stream number of a ChaCha generator.
    #[must_use]
    pub fn for_trial(seed: u64, scenario: &str, trial: u64) -> Self {
        let mut hasher = SipHasher13::new();
        hasher.write(scenario.as_bytes());
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..24].copy_from_slice(&hasher.finish128().as_bytes());
        let mut rng = ChaCha12Rng::from_seed(key);
        rng.set_stream(trial);
        Self(rng)
    }
}

impl TryRng for SimRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

/// A generator for one release, seeded with 32 bytes of the operating system.
///
/// Release functions take a `CryptoRng` as their last argument and never make one. The program
/// that publishes makes it here, once for each release.
///
/// ```
/// use privacy_core::noise::{DiscreteGaussian, Rational};
///
/// let mut rng = privacy_core::rng::system()?;
/// DiscreteGaussian::new(Rational::ONE).unwrap().sample(&mut rng);
/// # Ok::<(), getrandom::Error>(())
/// ```
///
/// # Errors
/// [`getrandom::Error`] when the operating system hands out no random bytes. Release nothing
/// then.
#[cfg(feature = "os-rng")]
pub fn system() -> Result<rand_chacha::ChaCha20Rng, getrandom::Error> {
    rand_chacha::ChaCha20Rng::try_from_rng(&mut getrandom::SysRng)
}

/// A position below `end`, each equally likely, as [`number_below`] draws it.
///
/// ```
/// use privacy_core::rng::{SimRng, below};
///
/// let mut rng = SimRng::for_trial(1, "a die", 0);
/// assert!((0..100).all(|_| below(6, &mut rng) < 6));
/// ```
///
/// # Panics
/// If `end` is 0: no position is below it.
pub fn below<R: Rng + ?Sized>(end: usize, rng: &mut R) -> usize {
    number_below(end as u64, rng) as usize
}

/// A whole number below `end`, each equally likely: multiplication and rejection (Lemire 2019,
/// "Fast random integer generation in an interval"). Expected words of the generator: fewer than
/// 2, and 1 where `end` is far below 2^64.
///
/// # Panics
/// If `end` is 0: no number is below it.
pub fn number_below<R: Rng + ?Sized>(end: u64, rng: &mut R) -> u64 {
    assert!(end > 0, "no number is below 0");
    loop {
        let wide = u128::from(rng.next_u64()) * u128::from(end);
        // 2^64 mod end of the low halves occur once too often. That number is below `end`, so most
        // draws spare the division.
        let low = wide as u64;
        if low >= end || low >= end.wrapping_neg() % end {
            return (wide >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, scenario: &str, trial: u64) -> u64 {
        SimRng::for_trial(seed, scenario, trial).next_u64()
    }

    #[test]
    fn a_trial_repeats_and_its_neighbours_differ() {
        let here = first(1, "a", 0);
        assert_eq!(here, first(1, "a", 0));
        for other in [first(2, "a", 0), first(1, "b", 0), first(1, "a", 1), first(1, "", 0)] {
            assert_ne!(here, other);
        }
    }

    #[test]
    fn streams_are_pinned() {
        // A change of this number changes every simulated figure: changelog, heading Numbers.
        assert_eq!(first(1, "example", 0), 5_077_971_730_203_026_054);
    }

    /// Of four words, two fall on one position and two on others, so a fourth is refused.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn positions_are_equally_likely_where_most_words_would_favour_some() {
        use testkit::law::{assert_law, refute_law};

        let (end, mut rng) = (3_usize << 62, SimRng::for_trial(1, "below", 0));
        let thirds = |kind: i64| if (0..3).contains(&kind) { 1.0 / 3.0 } else { 0.0 };
        let drawn: Vec<i64> = (0..20_000).map(|_| (below(end, &mut rng) % 3) as i64).collect();
        assert_law(&drawn, thirds);
        let multiplied = |word: u64| ((u128::from(word) * 3) >> 2) as u64;
        let biased: Vec<i64> = (0..20_000).map(|_| (multiplied(rng.next_u64()) % 3) as i64).collect();
        refute_law(&biased, thirds);
    }

    #[test]
    fn every_position_occurs_and_no_other() {
        let mut rng = SimRng::for_trial(1, "below", 1);
        for end in 1..20 {
            let mut seen = vec![false; end];
            (0..40 * end).for_each(|_| seen[below(end, &mut rng)] = true);
            assert!(seen.iter().all(|&seen| seen), "{end}");
        }
    }
}
