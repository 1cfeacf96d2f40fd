//! Exact laws, by enumeration of the coin tree: every bit string to a depth, and what it gives.

use std::fmt::Debug;

use testkit::coin_tree::{Path, assert_mass_brackets, coin_tree, first_out_of_bracket};

use super::rational;
use crate::noise::bernoulli::{bernoulli_fraction, exp_minus};
use crate::noise::bits::{BitSource, uniform_below};
use crate::noise::block::BlockTable;
use crate::noise::gamma::Gamma;
use crate::noise::integer::Integer;
use crate::noise::shape::Shape;
use crate::noise::{DiscreteLaplace, ReferenceGaussian};

/// Depth of every coin tree, in bits.
const DEPTH: u32 = 24;

impl BitSource for Path {
    fn bits(&mut self, n: u32) -> u64 {
        Self::bits(self, n)
    }
}

/// Walks every bit string and holds the mass of each outcome in its bracket; every slightly wrong
/// law must fall out of one, or the unresolved mass is too large to mean anything.
fn check_tree<T: Ord + Debug, W: Fn(&T) -> f64>(
    mut draw: impl FnMut(&mut Path) -> T,
    law: impl Fn(&T) -> f64,
    wrong_laws: impl IntoIterator<Item = W>,
) {
    let (masses, unresolved) = coin_tree(DEPTH, |path| Some(draw(path)));
    assert_mass_brackets(&masses, unresolved, law, 1e-13);
    for wrong in wrong_laws {
        assert!(first_out_of_bracket(&masses, unresolved, wrong, 1e-13).is_some(), "unresolved: {unresolved}");
    }
}

#[test]
fn bernoulli_fraction_is_exact_on_every_bit_string() {
    let wide = [(u128::MAX / 3, u128::MAX), ((1 << 127) + 1, u128::MAX - 1)];
    let narrow = [(1, 3), (2, 7), (5, 8), (1, 1000), (999, 1000), (1 << 126, (1 << 127) - 1)];
    for (p, q) in narrow.into_iter().chain(wide) {
        let law = |p: f64| move |&v: &bool| if v { p } else { 1.0 - p };
        let exact = p as f64 / q as f64;
        check_tree(|path| bernoulli_fraction(p, q, path), law(exact), [law(exact + 1e-6)]);
    }
}

#[test]
fn bernoulli_exp_is_exact_on_every_bit_string() {
    for (p, q) in [(1, 1), (1, 3), (7, 5), (5, 2), (1, 100)] {
        let law = |p: f64| move |&v: &bool| if v { p } else { 1.0 - p };
        let exact = (-(p as f64) / q as f64).exp();
        check_tree(|path| exp_minus(p, q, path), law(exact), [law(exact + 1e-3)]);
    }
}

#[test]
fn uniform_is_exact_on_every_bit_string() {
    for bound in [1, 2, 3, 5, 12] {
        let law = |&v: &u128| if v < bound { 1.0 / bound as f64 } else { 0.0 };
        check_tree(|path| uniform_below(bound, path), law, [|v: &u128| law(v) * 1.05]);
    }
}

/// What one round of the Laplace sampler gives x with, scale a/b.
fn laplace_round(x: i64, a: u128, b: u128) -> f64 {
    let (a, b) = (a as f64, b as f64);
    let of_one_residue = (1.0 - (-1.0_f64).exp()) / (2.0 * a);
    of_one_residue * (-(b / a)).exp_m1() / (-1.0 / a).exp_m1() * (-(x.abs() as f64) * b / a).exp()
}

/// One round at a time, so that a rejected round is an outcome and not a longer string; the laws
/// below are of the values that a round gives, and of the rejection only what is left. The wrong
/// laws give one of `twins` `factor` times its mass.
fn check_rounds(round: impl FnMut(&mut Path) -> Option<i64>, law: impl Fn(i64) -> f64, twins: &[i64], factor: f64) {
    let total: f64 = (-200..=200).map(&law).sum();
    let law = |x: &Option<i64>| x.map_or(1.0 - total, &law);
    let wrong = |twin| move |x: &Option<i64>| law(x) * if *x == Some(twin) { factor } else { 1.0 };
    check_tree(round, law, twins.iter().copied().map(wrong));
}

#[test]
fn discrete_laplace_is_exact_on_every_bit_string() {
    for (a, b) in [(1, 1), (1, 2), (2, 1), (3, 2)] {
        let laplace = DiscreteLaplace::new(rational(a, b)).unwrap();
        let law = |x| laplace_round(x, a, b);
        check_rounds(|path| laplace.attempt(path), law, &[1], 1.3);
    }
}

#[test]
fn reference_gaussian_is_exact_on_every_bit_string() {
    for (n, d) in [(1, 4), (1, 2), (1, 1), (3, 1)] {
        let gaussian = ReferenceGaussian::new(rational(n, d)).unwrap();
        let (sigma2, t) = (n as f64 / d as f64, (n / d).isqrt() + 1);
        let accept = |x: i64| (-(x.abs() as f64 - sigma2 / t as f64).powi(2) / (2.0 * sigma2)).exp();
        let law = |x| laplace_round(x, t, 1) * accept(x);
        check_rounds(|path| gaussian.attempt(path), law, &[1], 1.3);
    }
}

/// Rounds of a block sampler that draws in `X`.
fn check_table<X: Integer>(gamma: Gamma, shape: Shape) {
    let table = BlockTable::<X>::new(gamma, shape).expect("the shape suits");
    let law = |x: i64| table.attempt_at_zero() * (-((x * x) as f64) / (2.0 * gamma.square())).exp();
    let signed = |x: X| if x.to_f64() < 0.0 { -(x.magnitude() as i64) } else { x.magnitude() as i64 };
    check_rounds(|path| table.attempt(path).map(signed), law, &[0, 1, -1], 1.01);
}

/// A tiny shape; of weights and of U, the pairs are the bits that there are and those drawn first.
fn tiny(index_bits: u32, weight: (u32, u32), accept: (u32, u32), shift: u32, half: u64, tail_shift: u32) -> Shape {
    let ((weight_bits, first_weight_bits), (accept_bits, first_accept_bits)) = (weight, accept);
    Shape { index_bits, weight_bits, first_weight_bits, accept_bits, first_accept_bits, shift, half, tail_shift }
}

/// Tiny widths: all three looks at U, weights of which the first bits do not decide, both tails and
/// the void lie within the tree.
fn check_tables<X: Integer>() {
    let cases = [
        (rational(1, 1), 0, tiny(3, (4, 4), (2, 2), 0, 2, 1)),
        (rational(1, 1), 0, tiny(2, (4, 2), (1, 1), 1, 0, 1)),
        (rational(9, 4), 0, tiny(3, (3, 2), (1, 0), 1, 1, 0)),
        (rational(5, 2), 0, tiny(3, (4, 1), (2, 1), 0, 2, 1)),
        (rational(1, 3), 0, tiny(3, (5, 4), (3, 0), 0, 1, 0)),
        (rational(1, 4), 1, tiny(2, (4, 1), (1, 0), 1, 0, 1)),
        (rational(9, 64), 2, tiny(3, (3, 1), (1, 0), 1, 1, 0)),
        (rational(1, 48), 2, tiny(3, (5, 4), (3, 0), 0, 1, 0)),
    ];
    for (sigma2, doublings, shape) in cases {
        check_table::<X>(Gamma { sigma2, doublings }, shape);
    }
}

#[test]
fn block_gaussian_is_exact_on_every_bit_string() {
    check_tables::<i64>();
}

#[test]
fn wide_block_gaussian_is_exact_on_every_bit_string() {
    check_tables::<i128>();
}
