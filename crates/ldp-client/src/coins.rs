//! Exact coins from a cryptographic generator.
//!
//! A coin compares a uniform 64-bit number with a threshold byte by byte, most significant first,
//! and stops at the first byte that differs: the law is that of the whole comparison, at 1.004
//! random bytes per coin. How many are taken depends on the draws and the threshold, so the time
//! that a report takes is not constant.

use rand_core::CryptoRng;

use crate::probability::FixedProbability;

/// Random bytes of a generator, taken eight at a time.
pub(crate) struct Coins<'a, R: CryptoRng + ?Sized> {
    rng: &'a mut R,
    word: u64,
    left: u32,
}

impl<'a, R: CryptoRng + ?Sized> Coins<'a, R> {
    pub(crate) fn new(rng: &'a mut R) -> Self {
        Self { rng, word: 0, left: 0 }
    }

    #[inline]
    fn byte(&mut self) -> u8 {
        if self.left == 0 {
            (self.word, self.left) = (self.rng.next_u64(), 8);
        }
        let byte = self.word as u8;
        self.word >>= 8;
        self.left -= 1;
        byte
    }

    /// 64 fresh bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// `true` with exactly this chance.
    #[inline]
    pub(crate) fn flip(&mut self, chance: FixedProbability) -> bool {
        chance.threshold().is_none_or(|threshold| self.is_below(threshold))
    }

    /// Whether a uniform 64-bit number is below the threshold.
    #[inline]
    pub(crate) fn is_below(&mut self, threshold: u64) -> bool {
        let (byte, digit) = (self.byte(), (threshold >> 56) as u8);
        if byte == digit { self.is_rest_below(threshold) } else { byte < digit }
    }

    /// The comparison when the first bytes are equal: once in 256 times.
    #[cold]
    fn is_rest_below(&mut self, threshold: u64) -> bool {
        for digit in &threshold.to_be_bytes()[1..] {
            let byte = self.byte();
            if byte != *digit {
                return byte < *digit;
            }
        }
        false
    }

    /// Uniform on `0..bound`, by rejection; `bound` is at least 1.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        let bits = u32::BITS - (bound - 1).leading_zeros();
        let mask = ((1_u64 << bits) - 1) as u32;
        loop {
            let drawn = (0..bits.div_ceil(8)).fold(0, |drawn, _| drawn << 8 | u32::from(self.byte())) & mask;
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// Uniform on `0..bound` without `but`; `bound` is at least 2.
    pub(crate) fn below_but(&mut self, bound: u32, but: u32) -> u32 {
        let drawn = self.below(bound - 1);
        drawn + u32::from(drawn >= but)
    }

    /// A uniform set of `count` of the first `of` numbers, by Floyd's algorithm: `is_in` says so
    /// for each.
    pub(crate) fn subset(&mut self, count: usize, of: usize) -> Vec<bool> {
        let mut is_in = vec![false; of];
        for last in of - count..of {
            let drawn = self.below(last as u32 + 1) as usize;
            let chosen = if is_in[drawn] { last } else { drawn };
            is_in[chosen] = true;
        }
        is_in
    }
}

#[cfg(test)]
mod tests;
