//! Pinned streams, refusals, and the wide path beside the narrow one. The laws are in `exact` and
//! `statistics`.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::bernoulli::{bernoulli_fraction, exp_minus, wide_exp_minus, wide_fraction};
use super::bits::RngBits;
use super::block::BlockTable;
use super::gamma::Gamma;
use super::shape::Shape;
use super::*;

mod exact;
mod statistics;
mod wide;
pub(super) mod words;

/// Parameters of every size below 2^112, with parts of every length.
pub(super) fn gammas() -> impl Strategy<Value = Gamma> {
    (any::<[u128; 2]>(), [0_u32..128, 0..128], any::<u32>()).prop_map(|([n, d], [n_shorter, d_shorter], doublings)| {
        let sigma2 = rational((n >> n_shorter).max(1), (d >> d_shorter).max(1));
        let room = 112 - Gamma::from(sigma2).floor_log2();
        Gamma { sigma2, doublings: doublings % room as u32 }
    })
}

fn rational(numerator: u128, denominator: u128) -> Rational {
    Rational::new(numerator, denominator).unwrap()
}

#[test]
fn shapes_that_do_not_suit_are_refused() {
    let shape = Shape {
        index_bits: 3,
        weight_bits: 4,
        first_weight_bits: 3,
        accept_bits: 2,
        first_accept_bits: 1,
        shift: 0,
        half: 1,
        tail_shift: 0,
    };
    let narrow = |n, shape| BlockTable::<i64>::new(rational(n, 1).into(), shape).is_some();
    let wide = |n, shape| BlockTable::<i128>::new(rational(n, 1).into(), shape).is_some();
    for suits in [&narrow as &dyn Fn(u128, Shape) -> bool, &wide] {
        assert!(suits(2, shape));
        assert!(!suits(3, shape), "tails that fall too slowly");
        assert!(!suits(1, Shape { half: 3, ..shape }), "no column for the void");
        assert!(suits(1, Shape { index_bits: 15, weight_bits: 10, ..shape }));
        assert!(
            !suits(1, Shape { index_bits: 16, weight_bits: 10, ..shape }),
            "a half that adds to the width of a tail"
        );
        assert!(!suits(1, Shape { weight_bits: 61, ..shape }), "a capacity beyond 63 bits");
        assert!(!suits(1, Shape { accept_bits: 33, ..shape }), "two looks in a word");
        assert!(!suits(1, Shape { first_accept_bits: 3, ..shape }), "more at first than there is");
        assert!(!suits(1, Shape { first_weight_bits: 5, ..shape }), "more at first than there is");
    }
    assert!(narrow(1, Shape { shift: 48, ..shape }));
    assert!(!narrow(1, Shape { shift: 49, ..shape }), "a tail beyond 63 bits");
    assert!(wide(1, Shape { shift: 112, ..shape }));
    assert!(!wide(1, Shape { shift: 113, ..shape }), "a tail beyond 127 bits");
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

#[test]
fn one_seed_gives_one_stream_of_noise() {
    let draws = |sigma2: Rational, expected_draws: u64| {
        let gaussian = DiscreteGaussian::for_draws(sigma2, expected_draws).unwrap();
        let (mut values, mut rng) = ([0; 6], ChaCha20Rng::from_seed([7; 32]));
        gaussian.add_to(&mut values, &mut rng).unwrap();
        values
    };
    assert_eq!(draws(rational(100, 1), 1000), STREAM_10);
    assert_eq!(draws(rational(1 << 40, 1), 1000), STREAM_2_20);
    assert_eq!(draws(rational(1 << 80, 1), 1000), STREAM_2_40);
    assert_eq!(draws(rational(100, 1), 6), FEW_OF_10);
    assert_eq!(draws(rational(1 << 80, 1), 6), FEW_OF_2_40);
}

/// Pinned: a change of these is a change of every seeded release, and belongs in the changelog
/// under Numbers.
const STREAM_10: [i64; 6] = [4, -4, -8, 10, -8, -4];
const STREAM_2_20: [i64; 6] = [2_193_289, -472_154, -700_982, 1_077_290, -1_860_172, -317_947];
const STREAM_2_40: [i64; 6] =
    [2_259_408_024_983, 1_118_093_186_875, -320_334_060_537, 1_653_806_315_385, 478_640_791_035, -796_210_371_830];
/// Without a table.
const FEW_OF_10: [i64; 6] = [-4, 11, 7, 11, 1, 0];
const FEW_OF_2_40: [i64; 6] =
    [-753_077_594_553, 297_304_945_590, -1_172_133_607_315, 361_599_515_746, 454_773_584_044, -2_474_257_062_667];

#[test]
fn adding_noise_never_wraps() {
    let gaussian = DiscreteGaussian::new(rational(100, 1)).unwrap();
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    assert!(gaussian.add_to(&mut [i64::MAX; 64], &mut rng).is_err());
    assert!(gaussian.add_to(&mut [i64::MIN; 64], &mut rng).is_err());
}

#[test]
fn probabilities_above_one_are_refused() {
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    assert_eq!(bernoulli(rational(3, 2), &mut rng), Err(RationalError::ProbabilityAboveOne { got: 1.5 }));
    assert_eq!(bernoulli(Rational::ONE, &mut rng), Ok(true));
}
