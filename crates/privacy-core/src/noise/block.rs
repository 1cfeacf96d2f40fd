//! The discrete Gaussian by block rejection: exact, and some ten times faster than its reference.
//!
//! The integers are cut into blocks of `w = 2^shift` neighbours: `2 half` central ones, and two
//! tails, each an endless row of blocks `2^tail_shift` times as wide. Under a step function that
//! is nowhere below the law, a block is drawn (alias method, integer weights), then a point in
//! it, then the point is accepted with the ratio of the law to the step.
//!
//! `S` scale, `H` height of a step (an integer, at least S exp(-x^2 / (2 gamma^2)) everywhere in
//! its block; halved for every further block of a tail), `U` a uniform number whose bits are
//! drawn as they are needed: accept when `U H < S exp(-x^2 / (2 gamma^2))`. Three looks at U,
//! each at more bits than the last: against an integer that holds for the whole block, against
//! `f64` bounds of proved width, against big integers that are refined until they decide. Every
//! look decides only what is certain, so the law is exact; derivation in `docs/math/noise.md`.

use dashu_int::UBig;

use super::bits::BitSource;
use super::exp::{exp_minus_approx, exp_minus_bracket, power_of_two};
use super::gamma::Gamma;
use super::integer::Integer;
use super::shape::{Deal, FURTHEST_BLOCK, Shape};

/// Relative error allowed to the `f64` evaluation of `S exp(..) / H`; the proof needs 2^-41.
const MARGIN: f64 = 1.0 / (1_u64 << 38) as f64;
/// Exponents above this are decided in big integers: the proof of [`MARGIN`] covers those below.
const LARGEST_EXPONENT: f64 = 256.0;

/// One column of the alias table: itself when the weight bits are below `threshold`, else
/// `alias`.
#[derive(Clone, Copy, Debug)]
struct Column {
    threshold: u64,
    alias: u16,
}

/// One step of the envelope.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// H: at most 2^40.
    height: u64,
    /// First look: accepted when the first bits of U are below this.
    surely_below: u64,
}

/// The envelope of one discrete Gaussian, whose draws fit an `X`.
#[derive(Clone, Debug)]
pub(super) struct BlockTable<X> {
    gamma: Gamma,
    shape: Shape,
    /// |x| where the tails begin: `half w`.
    tails: X,
    /// 1 / (2 gamma^2), within three roundings.
    rate: f64,
    /// S.
    scale: u64,
    columns: Vec<Column>,
    steps: Vec<Step>,
}

impl<X: Integer> BlockTable<X> {
    /// `None` when the shape does not suit: too many blocks, tails that fall too slowly, or
    /// points that do not fit.
    pub(super) fn new(gamma: Gamma, shape: Shape) -> Option<Self> {
        let blocks = shape.right_tail() + 2;
        let one_more_for_the_void = blocks < 1 << shape.index_bits;
        if !(one_more_for_the_void && shape.fits::<X>() && shape.tail_halves(gamma)) {
            return None;
        }
        let rate = gamma.rate();
        let near: Vec<f64> = (0..blocks).map(|b| bell(shape.magnitudes::<X>(b).0, rate)).collect();
        let (scale, heights) = integer_heights(shape, &near)?;
        let steps = heights.iter().enumerate().map(|(block, &height)| {
            let far = if block < shape.right_tail() { bell(shape.magnitudes::<X>(block).1, rate) } else { 0.0 };
            let surely = scale as f64 * far * (1.0 - MARGIN) / height as f64;
            Step { height, surely_below: (surely * (1_u64 << shape.first_accept_bits) as f64) as u64 }
        });
        let steps = steps.collect();
        let columns = alias_columns(shape, &weights(shape, &heights));
        let tails = X::from(shape.half as i64) << shape.shift;
        Some(Self { gamma, shape, tails, rate, scale, columns, steps })
    }

    /// One draw.
    #[inline]
    pub(super) fn draw(&self, source: &mut impl BitSource) -> X {
        loop {
            if let Some(x) = self.attempt(source) {
                return x;
            }
        }
    }

    /// One round of the rejection: gives x with probability S exp(-x^2 / (2 gamma^2)) / (w
    /// capacity).
    #[inline]
    pub(super) fn attempt(&self, source: &mut impl BitSource) -> Option<X> {
        let shape = self.shape;
        let Deal { index, weight, offset, accept: first } = shape.deal::<X>(source);
        let block = self.block(index, weight, source);
        if block >= shape.right_tail() {
            return self.attempt_tail(block, source);
        }
        let x = (X::from(block as i64 - shape.half as i64) << shape.shift) + offset;
        let step = self.steps[block];
        let accepted = first < step.surely_below || self.accept(x, step.height, 0, first, source);
        accepted.then_some(x)
    }

    /// The block that a column and a weight stand for, of which `first` has the first bits: the
    /// others are drawn where the first ones are those of the threshold.
    #[inline]
    fn block(&self, index: usize, first: u64, source: &mut impl BitSource) -> usize {
        let column = self.columns[index];
        let rest = self.shape.weight_bits - self.shape.first_weight_bits;
        let mut weight = first << rest;
        // weight < threshold < weight + 2^rest, in one comparison that is seldom true.
        if column.threshold.wrapping_sub(weight).wrapping_sub(1) < (1 << rest) - 1 {
            weight += source.bits(rest);
        }
        if weight < column.threshold { index } else { column.alias.into() }
    }

    /// What one round gives 0 with.
    #[cfg(test)]
    pub(super) fn attempt_at_zero(&self) -> f64 {
        let shape = self.shape;
        self.scale as f64 * power_of_two(-i64::from(shape.index_bits + shape.weight_bits + shape.shift))
    }

    /// A point beyond the central blocks: a block with probability 1/2, 1/4, ..., a point in it,
    /// the test. `None` when it is not accepted, or the block is the void.
    #[cold]
    fn attempt_tail(&self, block: usize, source: &mut impl BitSource) -> Option<X> {
        let shape = self.shape;
        let &Step { height, .. } = self.steps.get(block)?;
        let mut further = 0_u32;
        while source.bit() {
            further += 1;
        }
        assert!(further < FURTHEST_BLOCK, "2^14 ones in a row: probability 2^-16384");
        let offset = X::draw_bits(shape.shift + shape.tail_shift, source);
        let first = source.bits(shape.first_accept_bits);
        let y = self.tails + (X::from(further.into()) << (shape.shift + shape.tail_shift)) + offset;
        // The right tail begins at half w, the left one at -half w - 1.
        let x = if block == shape.right_tail() { y } else { -(y + X::from(1)) };
        self.accept(x, height, further, first, source).then_some(x)
    }

    /// The second look at U: its first bits, and then `2 accept_bits` of them, against `f64`
    /// bounds.
    #[inline(never)]
    fn accept(&self, x: X, height: u64, halvings: u32, first: u64, source: &mut impl BitSource) -> bool {
        let ratio = self.ratio(x, height, halvings);
        let (drawn, all) = (self.shape.first_accept_bits, 2 * self.shape.accept_bits);
        if let Some(is_below) = ratio.and_then(|ratio| is_surely_below(first, drawn, ratio)) {
            return is_below;
        }
        let u = first << (all - drawn) | source.bits(all - drawn);
        let decided = ratio.and_then(|ratio| is_surely_below(u, all, ratio));
        decided.unwrap_or_else(|| self.accept_exactly(x, height, halvings, u, source))
    }

    /// S exp(-x^2 / (2 gamma^2)) 2^halvings / H within [`MARGIN`], where the proof holds.
    #[inline]
    fn ratio(&self, x: X, height: u64, halvings: u32) -> Option<f64> {
        let exponent = x.to_f64() * x.to_f64() * self.rate;
        (exponent <= LARGEST_EXPONENT && halvings <= 512).then(|| {
            let shifted = exponent - f64::from(halvings) * std::f64::consts::LN_2;
            exp_minus_approx(shifted) * (self.scale as f64 / height as f64)
        })
    }

    /// The last look: bits of U and digits of exp(-x^2 / (2 gamma^2)) until they part.
    #[cold]
    fn accept_exactly(&self, x: X, height: u64, halvings: u32, u: u64, source: &mut impl BitSource) -> bool {
        let (p, q) = self.gamma.exponent(UBig::from(x.magnitude()).pow(2));
        let (mut u, mut drawn) = (UBig::from(u), 2 * self.shape.accept_bits as usize);
        let mut precision = 128;
        let (mut low, mut high) = exp_minus_bracket(&p, &q, precision);
        loop {
            // U H < S 2^halvings exp(-p/q), all times 2^(drawn + precision).
            let side = |bound: &UBig| (bound * UBig::from(self.scale)) << (halvings as usize + drawn);
            let mine = |u: UBig| (u * UBig::from(height)) << precision;
            if mine(&u + UBig::ONE) <= side(&low) {
                return true;
            }
            if mine(u.clone()) >= side(&high) {
                return false;
            }
            u = (u << self.shape.accept_bits as usize) + UBig::from(source.bits(self.shape.accept_bits));
            drawn += self.shape.accept_bits as usize;
            // The bracket serves while it has 64 digits more than U.
            if drawn + 64 > precision {
                precision *= 2;
                (low, high) = exp_minus_bracket(&p, &q, precision);
            }
        }
    }
}

/// Whether U, of which `u` has the first `drawn` bits, is below a ratio that is known within
/// [`MARGIN`]; `None` where that is not certain.
#[inline]
fn is_surely_below(u: u64, drawn: u32, ratio: f64) -> Option<bool> {
    let unit = power_of_two(-i64::from(drawn));
    // The conversions of u and u + 1 round by 2^-53: the margin has room for that.
    if (u as f64 + 1.0) * unit <= ratio * (1.0 - MARGIN) {
        return Some(true);
    }
    (u as f64 * unit >= ratio * (1.0 + MARGIN)).then_some(false)
}

/// exp(-x^2 rate), within [`MARGIN`] for exponents up to [`LARGEST_EXPONENT`]; beyond, 0.
fn bell(x: impl Integer, rate: f64) -> f64 {
    let exponent = x.to_f64() * x.to_f64() * rate;
    if exponent <= LARGEST_EXPONENT { exp_minus_approx(exponent) } else { 0.0 }
}

/// Integer heights that are not below `scale * near`, with the largest scale whose weights fit
/// the columns.
fn integer_heights(shape: Shape, near: &[f64]) -> Option<(u64, Vec<u64>)> {
    let capacity = 1_u64 << (shape.index_bits + shape.weight_bits);
    let tail = 2.0 * f64::from(1_u32 << shape.tail_shift);
    let total: f64 =
        near[..shape.right_tail()].iter().sum::<f64>() + tail * near[shape.right_tail()..].iter().sum::<f64>();
    let mut scale = (capacity as f64 / total) as u64;
    while scale > 0 {
        // Never 0: what lies beyond LARGEST_EXPONENT is below exp(-256), far under one unit.
        let height = |near: &f64| (scale as f64 * near * (1.0 + MARGIN)).floor() as u64 + 1;
        let heights: Vec<u64> = near.iter().map(height).collect();
        if weights(shape, &heights).iter().sum::<u64>() <= capacity {
            return Some((scale, heights));
        }
        scale -= scale.div_ceil(64);
    }
    None
}

/// Weights of the blocks: a tail's blocks add up to twice its first.
fn weights(shape: Shape, heights: &[u64]) -> Vec<u64> {
    let weight = |(block, &height): (usize, &u64)| {
        if block < shape.right_tail() { height } else { height << (shape.tail_shift + 1) }
    };
    heights.iter().enumerate().map(weight).collect()
}

/// Vose's alias method in integers: after it, column `c` is its own block for weight bits below
/// `threshold`. What the weights leave of the capacity goes to one more block, the void, which is
/// drawn and drawn again.
fn alias_columns(shape: Shape, weights: &[u64]) -> Vec<Column> {
    let (count, full) = (1_usize << shape.index_bits, 1_u64 << shape.weight_bits);
    let mut rest = weights.to_vec();
    rest.push((count as u64 * full) - weights.iter().sum::<u64>());
    rest.resize(count, 0);
    let mut columns: Vec<Column> = (0..count).map(|c| Column { threshold: full, alias: c as u16 }).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&c| rest[c] < full);
    while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
        small.pop();
        columns[poor] = Column { threshold: rest[poor], alias: rich as u16 };
        rest[rich] -= full - rest[poor];
        if rest[rich] < full {
            large.pop();
            small.push(rich);
        }
    }
    columns
}

#[cfg(test)]
mod tests;
