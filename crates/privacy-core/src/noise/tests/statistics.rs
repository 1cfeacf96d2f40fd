//! Laws of long streams, against exact critical values, and slightly wrong laws, which must be
//! rejected.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use testkit::law::{assert_law, refute_law};
use testkit::masses;

use super::rational;
use crate::noise::bits::RngBits;
use crate::noise::block::BlockTable;
use crate::noise::gamma::Gamma;
use crate::noise::shape::Shape;
use crate::noise::{DiscreteGaussian, DiscreteLaplace, ReferenceGaussian, WideGaussian};

/// Samples of a law in sigma units, rounded into cells of a tenth of sigma, so that one test
/// serves every sigma.
fn cells(mut draw: impl FnMut() -> i128, width: i128, samples: usize) -> Vec<i64> {
    (0..samples).map(|_| draw().div_euclid(width) as i64).collect()
}

#[test]
fn every_sampler_follows_its_law_and_a_slightly_wrong_one_is_caught() {
    let mut rng = ChaCha20Rng::from_seed([11; 32]);
    for (n, d) in [(1, 4), (1, 1), (30, 7), (64, 1), (1000, 3)] {
        let sigma2 = rational(n, d);
        let (fast, reference) = (DiscreteGaussian::new(sigma2).unwrap(), ReferenceGaussian::new(sigma2).unwrap());
        let fast: Vec<i64> = (0..400_000).map(|_| fast.sample(&mut rng)).collect();
        let slow: Vec<i64> = (0..400_000).map(|_| reference.sample(&mut rng)).collect();
        for samples in [&fast, &slow] {
            assert_law(samples, masses::gaussian(sigma2.to_f64()));
            refute_law(samples, masses::gaussian(1.05 * sigma2.to_f64()));
        }
    }
    for (a, b) in [(1, 2), (1, 1), (20, 3)] {
        let laplace = DiscreteLaplace::new(rational(a, b)).unwrap();
        let samples: Vec<i64> = (0..400_000).map(|_| laplace.sample(&mut rng)).collect();
        assert_law(&samples, masses::laplace(a as f64 / b as f64));
        refute_law(&samples, masses::laplace(1.03 * a as f64 / b as f64));
    }
}

#[test]
fn large_sigmas_follow_the_same_bell() {
    let mut rng = ChaCha20Rng::from_seed([12; 32]);
    // Either side of 2^36, from where on a point and U come from words of their own; the largest
    // there is.
    let large = [30_000_000_000, (1 << 36) - 1, 1 << 36, (1 << 43) + 12_345, (1 << 50) - 1];
    for sigma in [1_000_i128, 65_536, 1_000_003, 999_999_937].into_iter().chain(large) {
        let gaussian = DiscreteGaussian::new(rational((sigma as u128).pow(2), 1)).unwrap();
        let samples = cells(|| gaussian.sample(&mut rng).into(), sigma / 10, 400_000);
        assert_law(&samples, masses::gaussian_cells(sigma as f64, sigma / 10));
        refute_law(&samples, masses::gaussian_cells(1.03 * sigma as f64, sigma / 10));
    }
}

#[test]
fn low_digits_of_large_draws_are_uniform() {
    let mut rng = ChaCha20Rng::from_seed([15; 32]);
    for sigma in [1_000_003_u128, 1 << 36, (1 << 50) - 1] {
        let gaussian = DiscreteGaussian::new(rational(sigma.pow(2), 1)).unwrap();
        let digits: Vec<i64> = (0..400_000).map(|_| gaussian.sample(&mut rng).rem_euclid(32)).collect();
        assert_law(&digits, masses::uniform(32));
        refute_law(&digits, masses::uniform(33));
    }
}

/// From below 1 to just below 2^112, and across the limits of 64-bit draws and of offsets that
/// fit a word.
#[test]
fn wide_draws_follow_the_same_bell() {
    let mut rng = ChaCha20Rng::from_seed([18; 32]);
    for (n, d, doublings) in [(1, 4, 0), (1, 1 << 20, 10), (30, 7, 2), (64, 1, 1)] {
        let gaussian = WideGaussian::new(rational(n, d), doublings).unwrap();
        let gamma2 = n as f64 / d as f64 * 4.0_f64.powi(doublings as i32);
        let samples = cells(|| gaussian.sample(&mut rng), 1, 400_000);
        assert_law(&samples, masses::gaussian(gamma2));
        refute_law(&samples, masses::gaussian(1.05 * gamma2));
    }
    for (sigma, doublings) in
        [(1_000_i128, 1), (1_000_003, 29), (1, 63), (999_999_937, 40), (1, 67), (3, 98), (65_535, 96)]
    {
        let (gamma, width) = ((sigma << doublings) as f64, (sigma << doublings) / 10);
        let gaussian = WideGaussian::new(rational(sigma.pow(2) as u128, 1), doublings).unwrap();
        let samples = cells(|| gaussian.sample(&mut rng), width, 400_000);
        assert_law(&samples, masses::gaussian_cells(gamma, width));
        refute_law(&samples, masses::gaussian_cells(1.03 * gamma, width));
    }
}

/// The digits below an offset, on both sides of its seam at 2^64, and those between the two.
#[test]
fn low_digits_of_wide_draws_are_uniform() {
    let mut rng = ChaCha20Rng::from_seed([19; 32]);
    let gaussian = WideGaussian::new(rational(65_535 * 65_535, 1), 96).unwrap();
    let draws: Vec<i128> = (0..400_000).map(|_| gaussian.sample(&mut rng)).collect();
    for lowest in [0, 30, 59, 62, 64, 95] {
        let digits: Vec<i64> = draws.iter().map(|draw| (draw >> lowest & 31) as i64).collect();
        assert_law(&digits, masses::uniform(32));
        refute_law(&digits, masses::uniform(33));
    }
}

/// Where the exponents do not fit 128 bits.
#[test]
fn the_reference_in_big_integers_follows_the_same_bell() {
    let mut rng = ChaCha20Rng::from_seed([16; 32]);
    let sigma = 1_i128 << 49;
    let reference = ReferenceGaussian::new(rational((sigma as u128).pow(2), 1)).unwrap();
    let samples = cells(|| reference.sample(&mut rng).into(), sigma / 10, 40_000);
    assert_law(&samples, masses::gaussian_cells(sigma as f64, sigma / 10));
    refute_law(&samples, masses::gaussian_cells(1.1 * sigma as f64, sigma / 10));
}

/// The tails themselves: only draws beyond 6 sigma, made likely by a table whose tails begin at
/// one block.
#[test]
fn tails_of_the_block_sampler_have_the_right_law() {
    let sigma2 = rational(10_000, 1);
    let shape = Shape { shift: 4, half: 2, tail_shift: 4, ..Shape::for_gamma(sigma2.into()) };
    let table = BlockTable::<i64>::new(sigma2.into(), shape).unwrap();
    let mut rng = ChaCha20Rng::from_seed([13; 32]);
    let mut source = RngBits::new(&mut rng);
    let samples: Vec<i64> = (0..400_000).map(|_| table.draw(&mut source)).collect();
    assert_law(&samples, masses::gaussian(1e4));
    refute_law(&samples, masses::gaussian(1.05e4));
}

/// The same tails, 2^100 times as wide.
#[test]
fn wide_tails_have_the_right_law() {
    let gamma = Gamma { sigma2: rational(10_000, 1), doublings: 100 };
    let shape = Shape { shift: 104, half: 2, tail_shift: 4, ..Shape::for_gamma(gamma) };
    let table = BlockTable::<i128>::new(gamma, shape).unwrap();
    let mut rng = ChaCha20Rng::from_seed([20; 32]);
    let mut source = RngBits::new(&mut rng);
    let width = 10 << 100;
    let samples = cells(|| table.draw(&mut source), width, 400_000);
    assert_law(&samples, masses::gaussian_cells(gamma.square().sqrt(), width));
    refute_law(&samples, masses::gaussian_cells(1.03 * gamma.square().sqrt(), width));
}
