//! Widths of the block sampler: how wide a block is, where the tails begin, how many bits each
//! decision takes.
//!
//! `w = 2^shift` width of a central block, `h = half` blocks on each side of zero,
//! `W = 2^(shift + tail_shift)` width of a tail's blocks; see `docs/math/noise.md`, "Blocks".

use dashu_int::UBig;

use super::bits::BitSource;
use super::exp::power_of_two;
use super::gamma::Gamma;
use super::integer::Integer;

/// Draws from a tail's blocks stay below this one, which is reached with probability 2^-16384.
pub(super) const FURTHEST_BLOCK: u32 = 1 << 14;

/// Widths of everything that is drawn. Tests use tiny ones, to walk through every bit string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Columns of the alias table: `2^index_bits`.
    pub index_bits: u32,
    /// Weight of a column: `2^weight_bits`.
    pub weight_bits: u32,
    /// Of these, drawn at once; the others only where they decide.
    pub first_weight_bits: u32,
    /// Twice as many bits of U are drawn by the second look.
    pub accept_bits: u32,
    /// Bits of U for the first look.
    pub first_accept_bits: u32,
    /// Width of a block: `2^shift`.
    pub shift: u32,
    /// Central blocks on each side of zero.
    pub half: u64,
    /// Width of a tail's blocks: `2^(shift + tail_shift)`.
    pub tail_shift: u32,
}

/// The first bits of everything that a round decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deal<X> {
    /// Column of the alias table.
    pub index: usize,
    /// First bits of the weight, of which there are `first_weight_bits`.
    pub weight: u64,
    /// Place of the point within its block.
    pub offset: X,
    /// First bits of U, of which there are `first_accept_bits`.
    pub accept: u64,
}

/// The integer with `n` ones; `n` from 0 to 63.
#[inline]
const fn ones(n: u32) -> u64 {
    (1 << n) - 1
}

impl Shape {
    /// The shape for production: gamma is 8 to 16 blocks, the tails begin at 6 gamma.
    pub(super) fn for_gamma(gamma: Gamma) -> Self {
        // Integers, and operations that IEEE 754 rounds correctly: every platform takes the same
        // shape.
        let shift = gamma.floor_log2().max(3) - 3;
        let half = (6.0 * gamma.square().sqrt() * power_of_two(-shift)).ceil().max(1.0) as u64;
        let (shift, index_bits) = (shift as u32, 8);
        // What a word has beside the block and the point is shared out; with fewer than 13 bits
        // each, the later looks would cost more than a second word.
        let (first_weight_bits, first_accept_bits) = match 64_u32.checked_sub(index_bits + shift) {
            Some(spare @ 26..) => (spare / 2, spare.div_ceil(2)),
            _ => (32, 32),
        };
        Self {
            index_bits,
            weight_bits: 32,
            first_weight_bits,
            accept_bits: 32,
            first_accept_bits,
            shift,
            half,
            tail_shift: 2,
        }
    }

    /// Whether every request for bits fits a word, and every magnitude up to [`FURTHEST_BLOCK`]
    /// fits an `X`: it is at most `half w + 2^14 W`, which is below `2^15 W` because
    /// `half < 2^(index_bits - 1)`.
    pub(super) fn fits<X: Integer>(self) -> bool {
        let requests = self.index_bits + self.weight_bits < 64 && self.accept_bits <= 32;
        let firsts = self.first_weight_bits <= self.weight_bits && self.first_accept_bits <= self.accept_bits;
        requests && firsts && self.index_bits <= 15 && self.shift + self.tail_shift + 15 <= X::BITS
    }

    /// What one round begins with; in one request where a word holds it all, else in two or three.
    #[inline]
    pub(super) fn deal<X: Integer>(self, source: &mut impl BitSource) -> Deal<X> {
        let (choice, rest) = (self.index_bits + self.first_weight_bits, self.shift + self.first_accept_bits);
        let (chosen, (offset, accept)) = if choice + rest <= 64 {
            let bits = source.bits(choice + rest);
            (bits >> rest, self.split(bits & ones(rest)))
        } else {
            (source.bits(choice), self.offset_and_first(source))
        };
        let index = (chosen >> self.first_weight_bits) as usize;
        Deal { index, weight: chosen & ones(self.first_weight_bits), offset, accept }
    }

    #[inline]
    fn offset_and_first<X: Integer>(self, source: &mut impl BitSource) -> (X, u64) {
        if self.shift + self.first_accept_bits > 64 {
            return (X::draw_bits(self.shift, source), source.bits(self.first_accept_bits));
        }
        self.split(source.bits(self.shift + self.first_accept_bits))
    }

    #[inline]
    fn split<X: Integer>(self, bits: u64) -> (X, u64) {
        (X::from((bits >> self.first_accept_bits) as i64), bits & ones(self.first_accept_bits))
    }

    /// Central blocks are numbered from the left; then come the right and the left tail.
    pub(super) fn right_tail(self) -> usize {
        2 * self.half as usize
    }

    /// The smallest and the largest |x| in a block; in a tail's first block, the smallest twice.
    pub(super) fn magnitudes<X: Integer>(self, block: usize) -> (X, X) {
        let edge = |blocks: u64| X::from(blocks as i64) << self.shift;
        match block as u64 {
            block if block < self.half => {
                let steps = self.half - block; // x from -steps w to -steps w + w - 1
                (edge(steps - 1) + X::from(1), edge(steps))
            }
            block if block < 2 * self.half => {
                let steps = block - self.half; // x from steps w to steps w + w - 1
                (edge(steps), edge(steps + 1) + X::from(-1))
            }
            _ => (edge(self.half), edge(self.half)),
        }
    }

    /// A tail's blocks halve from one to the next: (x + W)^2 - x^2 >= 2 gamma^2 ln 2 at its first
    /// block.
    pub(super) fn tail_halves(self, gamma: Gamma) -> bool {
        let start = UBig::from(self.half) << self.shift as usize;
        let width = UBig::ONE << (self.shift + self.tail_shift) as usize;
        let (p, q) = gamma.exponent((UBig::from(2_u8) * start + &width) * &width);
        // ln 2 < 0.69315
        p * UBig::from(100_000_u32) >= q * UBig::from(69_315_u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Rational;

    #[test]
    fn magnitudes_are_the_ends_of_every_block() {
        for (shift, half) in [(0, 1), (0, 3), (1, 2), (3, 4)] {
            let shape = Shape { shift, half, tail_shift: 1, ..Shape::for_gamma(Rational::ONE.into()) };
            let (width, start) = (1_i64 << shift, -((half as i64) << shift));
            for block in 0..shape.right_tail() {
                let first = start + block as i64 * width;
                let magnitudes = (first..first + width).map(i64::abs);
                let ends = (magnitudes.clone().min().unwrap(), magnitudes.max().unwrap());
                assert_eq!(shape.magnitudes(block), ends, "block {block} of {shape:?}");
            }
            let tail = -start;
            assert_eq!(shape.magnitudes(shape.right_tail()), (tail, tail));
            assert_eq!(shape.magnitudes(shape.right_tail() + 1), (tail, tail));
        }
    }

    /// 2 L W + W^2 = 3 with L = W = 1; 3 / (2 ln 2) = 2.16404...
    #[test]
    fn tails_halve_up_to_the_right_gamma() {
        let shape = Shape { shift: 0, half: 1, tail_shift: 0, ..Shape::for_gamma(Rational::ONE.into()) };
        for (n, halves) in [(2_164, true), (2_165, false)] {
            for (d, doublings) in [(1_000, 0), (4_000, 1), (1_000 << 20, 10)] {
                let sigma2 = Rational::new(n, d).unwrap();
                assert_eq!(shape.tail_halves(Gamma { sigma2, doublings }), halves, "{n}/1000");
            }
        }
        // 0.69315 itself is enough: it is above ln 2.
        let sigma2 = Rational::new(30_000, 13_863).unwrap();
        assert!(shape.tail_halves(sigma2.into()));
    }
}
