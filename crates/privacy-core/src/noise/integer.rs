//! The integers that draws are held in: `i64` and `i128`.
//!
//! The block sampler is written once over this trait; its operators keep the overflow checks of
//! the type.

use std::ops::{Add, Neg, Shl};

use super::bits::{BitSource, long_bits};

/// A signed integer that holds a draw.
pub(super) trait Integer:
    Copy + From<i64> + Add<Output = Self> + Neg<Output = Self> + Shl<u32, Output = Self>
{
    /// Bits of a magnitude.
    const BITS: u32;

    /// `n` fair bits as an integer below `2^n`; `n` below [`Integer::BITS`].
    fn draw_bits(n: u32, source: &mut impl BitSource) -> Self;

    /// The nearest `f64`: relative error at most 2^-53.
    fn to_f64(self) -> f64;

    /// `|self|`.
    fn magnitude(self) -> u128;
}

impl Integer for i64 {
    const BITS: u32 = 63;

    #[inline]
    fn draw_bits(n: u32, source: &mut impl BitSource) -> Self {
        source.bits(n) as Self
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self as f64
    }

    fn magnitude(self) -> u128 {
        self.unsigned_abs().into()
    }
}

impl Integer for i128 {
    const BITS: u32 = 127;

    #[inline]
    fn draw_bits(n: u32, source: &mut impl BitSource) -> Self {
        long_bits(n, source) as Self
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self as f64
    }

    fn magnitude(self) -> u128 {
        self.unsigned_abs()
    }
}
