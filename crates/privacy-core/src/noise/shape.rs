//! Widths of the block sampler: how wide a block is, where the tails begin, how many bits each decision takes.
//!
//! `w = 2^shift` width of a central block, `h = half` blocks on each side of zero, `W = 2^(shift + tail_shift)` width
//! of a tail's blocks; see `docs/math/noise.md`, "Blocks".

use dashu_int::UBig;

use super::bits::BitSource;
use super::rational::Rational;

/// Draws from a tail's blocks stay below this one, which is reached with probability 2^-16384.
pub(super) const FURTHEST_BLOCK: u64 = 1 << 14;

/// Widths of everything that is drawn. Tests use tiny ones, to walk through every bit string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Columns of the alias table: `2^index_bits`.
    pub index_bits: u32,
    /// Weight of a column: `2^weight_bits`.
    pub weight_bits: u32,
    /// Bits of U for the first look; as many again for the second.
    pub accept_bits: u32,
    /// Width of a block: `2^shift`.
    pub shift: u32,
    /// Central blocks on each side of zero.
    pub half: u64,
    /// Width of a tail's blocks: `2^(shift + tail_shift)`.
    pub tail_shift: u32,
}

impl Shape {
    /// The shape for production: sigma is 8 to 16 blocks, the tails begin at 6 sigma.
    pub(super) fn for_sigma2(sigma2: Rational) -> Self {
        // In integers, so that every platform takes the same shape and draws the same bits.
        let whole_sigma = (sigma2.numerator() / sigma2.denominator()).isqrt();
        let shift = whole_sigma.max(8).ilog2() - 3;
        let width = (1_u64 << shift) as f64;
        let half = (6.0 * sigma2.to_f64().sqrt() / width).ceil().max(1.0) as u64;
        Self { index_bits: 8, weight_bits: 32, accept_bits: 32, shift, half, tail_shift: 2 }
    }

    /// Whether every request for bits fits a word, and every magnitude below [`FURTHEST_BLOCK`] fits 63 bits.
    pub(super) fn fits_words(self) -> bool {
        self.index_bits + self.weight_bits <= 64 && self.accept_bits <= 32 && self.shift + self.tail_shift <= 48
    }

    /// A point within a block and the first bits of U; in one request where a word holds both.
    #[inline]
    pub(super) fn offset_and_first(self, source: &mut impl BitSource) -> (u64, u64) {
        if self.shift + self.accept_bits > 64 {
            return (source.bits(self.shift), source.bits(self.accept_bits));
        }
        let bits = source.bits(self.shift + self.accept_bits);
        (bits >> self.accept_bits, bits & ((1 << self.accept_bits) - 1))
    }

    /// Central blocks are numbered from the left; then come the right and the left tail.
    pub(super) fn right_tail(self) -> usize {
        2 * self.half as usize
    }

    /// The smallest and the largest |x| in a block; in a tail's first block, the smallest twice.
    pub(super) fn magnitudes(self, block: usize) -> (u64, u64) {
        let (width, block) = (1_u64 << self.shift, block as u64);
        match block {
            _ if block < self.half => {
                let steps = self.half - block; // x from -steps w to -steps w + w - 1
                ((steps - 1) * width + 1, steps * width)
            }
            _ if block < 2 * self.half => {
                let start = (block - self.half) * width;
                (start, start + width - 1)
            }
            _ => (self.half * width, self.half * width),
        }
    }

    /// A tail's blocks halve from one to the next: (x + W)^2 - x^2 >= 2 sigma^2 ln 2 at its first block.
    pub(super) fn tail_halves(self, sigma2: Rational) -> bool {
        let start = UBig::from(self.half) << self.shift as usize;
        let width = UBig::ONE << (self.shift + self.tail_shift) as usize;
        let growth = (UBig::from(2_u8) * start + &width) * &width * UBig::from(sigma2.denominator());
        // 2 ln 2 < 1.3863
        growth * UBig::from(10_000_u16) >= UBig::from(sigma2.numerator()) * UBig::from(13_863_u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes_are_the_ends_of_every_block() {
        for (shift, half) in [(0, 1), (0, 3), (1, 2), (3, 4)] {
            let shape = Shape { index_bits: 8, weight_bits: 32, accept_bits: 32, shift, half, tail_shift: 1 };
            let (width, start) = (1_i64 << shift, -((half as i64) << shift));
            for block in 0..shape.right_tail() {
                let first = start + block as i64 * width;
                let magnitudes = (first..first + width).map(i64::unsigned_abs);
                let ends = (magnitudes.clone().min().unwrap(), magnitudes.max().unwrap());
                assert_eq!(shape.magnitudes(block), ends, "block {block} of {shape:?}");
            }
            let tail = start.unsigned_abs();
            assert_eq!(shape.magnitudes(shape.right_tail()), (tail, tail));
            assert_eq!(shape.magnitudes(shape.right_tail() + 1), (tail, tail));
        }
    }
}
