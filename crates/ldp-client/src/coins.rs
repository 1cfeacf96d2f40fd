//! Exact coins from a cryptographic generator.
//!
//! A coin compares a uniform 64-bit number with a threshold byte by byte, most significant first,
//! and stops at the first byte that differs: the law is that of the whole comparison, at 1.004
//! random bytes per coin. How many are taken depends on the draws and the threshold, so the time
//! that a report takes tells something about its coins, and with the report about the answer.
//!
//! Coins of constant shape take eight bytes each, draw what is shown in place of the truth
//! whether it is needed or not, and choose without a branch: how many bytes are taken, and what
//! is computed with them, does not depend on the answer or on whether it is kept. Draws below a
//! bound are repeated when they are too large, which depends on neither.

use rand_core::CryptoRng;

use crate::probability::FixedProbability;

/// Random bytes of a generator, taken eight at a time. Of any generator: reports are made by the
/// code of this crate as it is compiled here, and not by a copy for each program.
pub(crate) struct Coins<'a> {
    rng: &'a mut dyn CryptoRng,
    word: u64,
    left: u32,
    has_constant_shape: bool,
}

impl<'a> Coins<'a> {
    pub(crate) fn new(rng: &'a mut dyn CryptoRng) -> Self {
        Self { rng, word: 0, left: 0, has_constant_shape: false }
    }

    /// The same coins, or those of constant shape.
    pub(crate) fn with_constant_shape(self, has_constant_shape: bool) -> Self {
        Self { has_constant_shape, ..self }
    }

    /// Bytes of the last word that nothing was made of yet.
    #[cfg(test)]
    pub(crate) fn unused(&self) -> usize {
        self.left as usize
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
        if self.has_constant_shape {
            return u128::from(self.word()).overflowing_sub(chance.numerator()).1;
        }
        chance.threshold().is_none_or(|threshold| self.is_below(threshold))
    }

    /// A coin with the first chance if `is_first`, else with the second.
    #[inline]
    pub(crate) fn flip_either(&mut self, is_first: bool, first: FixedProbability, second: FixedProbability) -> bool {
        if self.has_constant_shape {
            let numerator = choose(is_first, first.numerator(), second.numerator());
            return u128::from(self.word()).overflowing_sub(numerator).1;
        }
        self.flip(if is_first { first } else { second })
    }

    /// `value` with this chance, else uniform on `0..bound` without it; `bound` is at least 2.
    #[inline]
    pub(crate) fn truth_or_other(&mut self, truth: FixedProbability, value: u32, bound: u32) -> u32 {
        let is_kept = self.flip(truth);
        if self.has_constant_shape {
            let other = self.below_but(bound, value);
            return choose(is_kept, value.into(), other.into()) as u32;
        }
        if is_kept { value } else { self.below_but(bound, value) }
    }

    /// `value` if it is kept, else uniform on `0..bound`, which may be `value`.
    #[inline]
    pub(crate) fn kept_or_any(&mut self, is_kept: bool, value: u32, bound: u32) -> u32 {
        if self.has_constant_shape {
            let any = self.below(bound);
            return choose(is_kept, value.into(), any.into()) as u32;
        }
        if is_kept { value } else { self.below(bound) }
    }

    /// A subset of `0..of` with `size` members that has `own` with this chance; the others are
    /// uniform. `size` is below `of`.
    pub(crate) fn subset_with(&mut self, own: usize, truth: FixedProbability, size: usize, of: usize) -> Vec<bool> {
        let has_own = self.flip(truth);
        if self.has_constant_shape {
            return self.subset_in_constant_shape(own, has_own, size, of);
        }
        // The others, in order without the own one.
        let others = self.subset(size - usize::from(has_own), of - 1);
        (0..of).map(|v| if v == own { has_own } else { others[v - usize::from(v > own)] }).collect()
    }

    /// As many others as without the own one; one of them, any with the same chance, makes room
    /// for it.
    fn subset_in_constant_shape(&mut self, own: usize, has_own: bool, size: usize, of: usize) -> Vec<bool> {
        let mut others = self.subset(size, of - 1);
        let (leaves, mut before) = (self.below(size as u32), 0);
        for is_in in &mut others {
            let is_leaving = *is_in & has_own & (before == leaves);
            before += u32::from(*is_in);
            *is_in &= !is_leaving;
        }
        let padded = |v: usize| others.get(v).copied().unwrap_or(false);
        let other = |v: usize| choose(v > own, padded(v.wrapping_sub(1)).into(), padded(v).into());
        (0..of).map(|v| choose(v == own, has_own.into(), other(v)) == 1).collect()
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

/// `first` or `second`, without a branch.
#[inline]
fn choose(is_first: bool, first: u128, second: u128) -> u128 {
    let mask = u128::from(std::hint::black_box(is_first)).wrapping_neg();
    second ^ ((first ^ second) & mask)
}

#[cfg(test)]
mod tests;
