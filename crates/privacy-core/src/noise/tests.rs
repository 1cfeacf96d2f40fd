//! The laws of the samplers: exact by enumeration of the coin tree, statistical on long streams, and the
//! same tests against slightly wrong laws, which must be rejected.

use std::fmt::Debug;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use testkit::coin_tree::{Path, assert_mass_brackets, coin_tree, first_out_of_bracket};
use testkit::law::{assert_law, refute_law};

use super::bernoulli::{bernoulli_fraction, exp_minus, wide_exp_minus, wide_fraction};
use super::bits::{BitSource, RngBits, uniform_below};
use super::block::{BlockTable, Shape};
use super::*;

/// Depth of every coin tree, in bits.
const DEPTH: u32 = 24;

impl BitSource for Path {
    fn bits(&mut self, n: u32) -> u64 {
        Self::bits(self, n)
    }
}

fn rational(numerator: u128, denominator: u128) -> Rational {
    Rational::new(numerator, denominator).unwrap()
}

/// weight(x) / sum of weights over |x| <= 2000 (in every test here, what lies beyond is below 1e-300).
fn normalised(weight: impl Fn(i64) -> f64) -> impl Fn(i64) -> f64 {
    let total: f64 = (-2000..=2000).map(&weight).sum();
    move |x| weight(x) / total
}

fn gaussian_law(sigma2: f64) -> impl Fn(i64) -> f64 {
    normalised(move |x| (-((x * x) as f64) / (2.0 * sigma2)).exp())
}

fn laplace_law(scale: f64) -> impl Fn(i64) -> f64 {
    normalised(move |x| (-(x.abs() as f64) / scale).exp())
}

/// Walks every bit string and holds the mass of each outcome in its bracket; a slightly wrong law must
/// fall out of one, or the unresolved mass is too large to mean anything.
fn check_tree<T: Ord + Debug>(
    mut draw: impl FnMut(&mut Path) -> T,
    law: impl Fn(&T) -> f64,
    wrong: impl Fn(&T) -> f64,
) {
    let (masses, unresolved) = coin_tree(DEPTH, |path| Some(draw(path)));
    assert_mass_brackets(&masses, unresolved, law, 1e-13);
    assert!(first_out_of_bracket(&masses, unresolved, wrong, 1e-13).is_some(), "unresolved: {unresolved}");
}

#[test]
fn bernoulli_fraction_is_exact_on_every_bit_string() {
    for (p, q) in [(1, 3), (2, 7), (5, 8), (1, 1000), (999, 1000), (1 << 126, (1 << 127) - 1)] {
        let law = |p: f64| move |&v: &bool| if v { p } else { 1.0 - p };
        let exact = p as f64 / q as f64;
        check_tree(|path| bernoulli_fraction(p, q, path), law(exact), law(exact + 1e-6));
    }
}

#[test]
fn bernoulli_exp_is_exact_on_every_bit_string() {
    for (p, q) in [(1, 1), (1, 3), (7, 5), (5, 2), (1, 100)] {
        let law = |p: f64| move |&v: &bool| if v { p } else { 1.0 - p };
        let exact = (-(p as f64) / q as f64).exp();
        check_tree(|path| exp_minus(p, q, path), law(exact), law(exact + 1e-3));
    }
}

#[test]
fn uniform_is_exact_on_every_bit_string() {
    for bound in [1, 2, 3, 5, 12] {
        let law = |&v: &u128| if v < bound { 1.0 / bound as f64 } else { 0.0 };
        check_tree(|path| uniform_below(bound, path), law, |v| law(v) * 1.05);
    }
}

/// What one round of the Laplace sampler gives x with, scale a/b.
fn laplace_round(x: i64, a: u128, b: u128) -> f64 {
    let (a, b) = (a as f64, b as f64);
    let of_one_residue = (1.0 - (-1.0_f64).exp()) / (2.0 * a);
    of_one_residue * (-(b / a)).exp_m1() / (-1.0 / a).exp_m1() * (-(x.abs() as f64) * b / a).exp()
}

/// One round at a time, so that a rejected round is an outcome and not a longer string; the laws below are of
/// the values that a round gives, and of the rejection only what is left.
fn check_rounds(round: impl FnMut(&mut Path) -> Option<i64>, law: impl Fn(i64) -> f64, wrong: impl Fn(i64) -> f64) {
    let total: f64 = (-200..=200).map(&law).sum();
    let law = |x: &Option<i64>| x.map_or(1.0 - total, &law);
    let wrong = |x: &Option<i64>| x.map_or(1.0 - total, &wrong);
    check_tree(round, law, wrong);
}

#[test]
fn discrete_laplace_is_exact_on_every_bit_string() {
    for (a, b) in [(1, 1), (1, 2), (2, 1), (3, 2)] {
        let laplace = DiscreteLaplace::new(rational(a, b)).unwrap();
        let law = |x| laplace_round(x, a, b);
        check_rounds(|path| laplace.attempt(path), law, |x| law(x) * if x == 1 { 1.3 } else { 1.0 });
    }
}

#[test]
fn reference_gaussian_is_exact_on_every_bit_string() {
    for (n, d) in [(1, 4), (1, 2), (1, 1), (3, 1)] {
        let gaussian = ReferenceGaussian::new(rational(n, d)).unwrap();
        let (sigma2, t) = (n as f64 / d as f64, (n / d).isqrt() + 1);
        let accept = |x: i64| (-(x.abs() as f64 - sigma2 / t as f64).powi(2) / (2.0 * sigma2)).exp();
        let law = |x| laplace_round(x, t, 1) * accept(x);
        check_rounds(|path| gaussian.attempt(path), law, |x| law(x) * if x == 1 { 1.3 } else { 1.0 });
    }
}

/// Tiny widths: all three looks at U, both tails and the void lie within the tree.
#[test]
fn block_gaussian_is_exact_on_every_bit_string() {
    let shape = |index_bits, weight_bits, accept_bits, shift, half, tail_shift| Shape {
        index_bits,
        weight_bits,
        accept_bits,
        shift,
        half,
        tail_shift,
    };
    let cases = [
        (rational(1, 1), shape(3, 4, 2, 0, 2, 1)),
        (rational(1, 1), shape(2, 4, 1, 1, 0, 1)),
        (rational(9, 4), shape(3, 3, 1, 1, 1, 0)),
        (rational(5, 2), shape(3, 4, 2, 0, 2, 1)),
        (rational(1, 3), shape(3, 5, 3, 0, 1, 0)),
    ];
    for (sigma2, shape) in cases {
        let table = BlockTable::new(sigma2, shape).expect("the shape suits");
        let law = |x: i64| table.attempt_at_zero() * (-((x * x) as f64) / (2.0 * sigma2.to_f64())).exp();
        for twin in [0, 1, -1] {
            let wrong = |x| law(x) * if x == twin { 1.01 } else { 1.0 };
            check_rounds(|path| table.attempt(path), law, wrong);
        }
    }
}

#[test]
fn shapes_whose_tails_fall_too_slowly_are_refused() {
    let shape = Shape { index_bits: 3, weight_bits: 4, accept_bits: 2, shift: 0, half: 1, tail_shift: 0 };
    assert!(BlockTable::new(rational(2, 1), shape).is_some());
    assert!(BlockTable::new(rational(3, 1), shape).is_none());
    assert!(BlockTable::new(rational(1, 1), Shape { half: 3, ..shape }).is_none(), "no column for the void");
}

#[test]
fn wide_integers_draw_the_same_as_narrow_ones() {
    for seed in 0..40 {
        let stream = || ChaCha20Rng::from_seed([seed; 32]);
        let (p, q) = (u128::from(seed) * 7 + 1, 29);
        let (mut narrow, mut wide) = (stream(), stream());
        let (mut narrow, mut wide) = (RngBits::new(&mut narrow), RngBits::new(&mut wide));
        for _ in 0..200 {
            assert_eq!(exp_minus(p, q, &mut narrow), wide_exp_minus(&p.into(), &q.into(), &mut wide));
            let fraction = bernoulli_fraction(p % q, q, &mut narrow);
            assert_eq!(fraction, wide_fraction((p % q).into(), &q.into(), &mut wide));
        }
    }
}

/// Samples of a law in sigma units, rounded into cells of a tenth of sigma, so that one test serves every sigma.
fn cells(mut draw: impl FnMut() -> i64, width: i64, samples: usize) -> Vec<i64> {
    (0..samples).map(|_| draw().div_euclid(width)).collect()
}

/// The mass of such a cell by the midpoint rule: sigma >= 1000 makes the discrete law smooth, and cells of
/// sigma / 10 cut in 64 pieces are exact to 1e-9.
fn cell_law(sigma: f64, width: i64) -> impl Fn(i64) -> f64 {
    let width = width as f64;
    move |cell| {
        let density = |x: f64| (-(x * x) / (2.0 * sigma * sigma)).exp();
        // The cell holds the integers from cell * width to cell * width + width - 1.
        let at = |piece: i32| cell as f64 * width - 0.5 + (f64::from(piece) + 0.5) * width / 64.0;
        (0..64).map(|piece| density(at(piece))).sum::<f64>() * width / 64.0 / (sigma * std::f64::consts::TAU.sqrt())
    }
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
            assert_law(samples, gaussian_law(sigma2.to_f64()));
            refute_law(samples, gaussian_law(1.05 * sigma2.to_f64()));
        }
    }
    for (a, b) in [(1, 2), (1, 1), (20, 3)] {
        let laplace = DiscreteLaplace::new(rational(a, b)).unwrap();
        let samples: Vec<i64> = (0..400_000).map(|_| laplace.sample(&mut rng)).collect();
        assert_law(&samples, laplace_law(a as f64 / b as f64));
        refute_law(&samples, laplace_law(1.03 * a as f64 / b as f64));
    }
}

#[test]
fn large_sigmas_follow_the_same_bell() {
    let mut rng = ChaCha20Rng::from_seed([12; 32]);
    for sigma in [1_000_i64, 65_536, 1_000_003, 999_999_937, 30_000_000_000] {
        let gaussian = DiscreteGaussian::new(rational((sigma as u128).pow(2), 1)).unwrap();
        let samples = cells(|| gaussian.sample(&mut rng), sigma / 10, 400_000);
        assert_law(&samples, cell_law(sigma as f64, sigma / 10));
        refute_law(&samples, cell_law(1.03 * sigma as f64, sigma / 10));
    }
    // Beyond the table, and beyond 128 bits: the reference in big integers.
    let sigma = 1_u128 << 49;
    let gaussian = DiscreteGaussian::new(rational(sigma.pow(2), 1)).unwrap();
    let samples = cells(|| gaussian.sample(&mut rng), (sigma / 10) as i64, 20_000);
    assert_law(&samples, cell_law(sigma as f64, (sigma / 10) as i64));
}

/// The tails themselves: only draws beyond 6 sigma, made likely by a table whose tails begin at one block.
#[test]
fn tails_of_the_block_sampler_have_the_right_law() {
    let sigma2 = rational(10_000, 1);
    let shape = Shape { index_bits: 8, weight_bits: 32, accept_bits: 32, shift: 4, half: 2, tail_shift: 4 };
    let table = BlockTable::new(sigma2, shape).unwrap();
    let mut rng = ChaCha20Rng::from_seed([13; 32]);
    let mut source = RngBits::new(&mut rng);
    let samples: Vec<i64> = (0..400_000).map(|_| table.draw(&mut source)).collect();
    assert_law(&samples, gaussian_law(1e4));
    refute_law(&samples, gaussian_law(1.05e4));
}

#[test]
fn one_seed_gives_one_stream_of_noise() {
    let draws = |sigma2: Rational| {
        let (gaussian, mut rng) = (DiscreteGaussian::new(sigma2).unwrap(), ChaCha20Rng::from_seed([7; 32]));
        let mut values = [0; 6];
        gaussian.add_to(&mut values, &mut rng).unwrap();
        values
    };
    assert_eq!(draws(rational(100, 1)), STREAM_10);
    assert_eq!(draws(rational(1 << 40, 1)), STREAM_2_20);
}

/// Pinned: a change of these is a change of every seeded release, and belongs in the changelog under Numbers.
const STREAM_10: [i64; 6] = [4, -8, 10, -4, 2, -6];
const STREAM_2_20: [i64; 6] = [2_154_739, -668_806, -1_905_358, 317_375, -371_663, 638_178];

#[test]
fn adding_noise_never_wraps() {
    let gaussian = DiscreteGaussian::new(rational(100, 1)).unwrap();
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    assert!(gaussian.add_to(&mut [i64::MAX; 64], &mut rng).is_err());
    assert!(gaussian.add_to(&mut [i64::MIN; 64], &mut rng).is_err());
}

#[test]
fn parameters_without_noise_are_refused() {
    assert!(DiscreteGaussian::new(Rational::ZERO).is_err());
    assert!(DiscreteGaussian::new(rational(1 << 100, 1)).is_err());
    assert!(DiscreteLaplace::new(Rational::ZERO).is_err());
    assert!(DiscreteLaplace::new(rational(1 << 50, 1)).is_err());
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    assert!(bernoulli(rational(4, 3), &mut rng).is_err());
}
