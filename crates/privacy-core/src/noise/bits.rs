//! Random bits, a few at a time.

use rand_core::Rng;

/// A source of independent fair bits.
///
/// The samplers are written over this trait, so that a test can hand them every bit string there
/// is.
pub(super) trait BitSource {
    /// `n` fair bits as an integer below `2^n`; `n` from 0 to 64.
    fn bits(&mut self, n: u32) -> u64;

    /// One fair bit.
    fn bit(&mut self) -> bool {
        self.bits(1) == 1
    }
}

/// Bits from a generator. Small requests share a word; a request above 32 bits takes a fresh one
/// and drops what it does not need, which is faster than splicing and changes no law.
pub(super) struct RngBits<'a, R: ?Sized> {
    rng: &'a mut R,
    word: u64,
    left: u32,
}

impl<'a, R: Rng + ?Sized> RngBits<'a, R> {
    pub(super) fn new(rng: &'a mut R) -> Self {
        Self { rng, word: 0, left: 0 }
    }
}

impl<R: Rng + ?Sized> BitSource for RngBits<'_, R> {
    #[inline]
    fn bits(&mut self, n: u32) -> u64 {
        if n > 32 {
            return self.rng.next_u64() >> (64 - n);
        }
        if self.left < n {
            (self.word, self.left) = (self.rng.next_u64(), 64);
        }
        let taken = self.word & ((1 << n) - 1);
        self.word >>= n;
        self.left -= n;
        taken
    }
}

/// `n` fair bits as an integer below `2^n`, those above the lowest 64 first; `n` from 0 to 128.
#[inline]
pub(super) fn long_bits(n: u32, source: &mut impl BitSource) -> u128 {
    let high = u128::from(source.bits(n.saturating_sub(64)));
    high << 64 | u128::from(source.bits(n.min(64)))
}

/// A uniform integer below `bound` (at least 1): draw as many bits as it takes, start again above
/// the bound. Fewer than two rounds on average.
pub(super) fn uniform_below(bound: u128, source: &mut impl BitSource) -> u128 {
    let width = 128 - (bound - 1).leading_zeros();
    loop {
        let candidate = long_bits(width, source);
        if candidate < bound {
            return candidate;
        }
    }
}
