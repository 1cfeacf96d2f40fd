//! AND and popcount over bit strings, by what the processor offers.
//!
//! There is one body, in [`body`]: plain loops without a bound check or an overflow check inside.
//! It is compiled once for every set of instructions, and the compiler makes vectors of it -
//! `vpopcntq` on 512 bits, byte shuffles on AVX2, `popcnt`, or shifts and masks. So the copies
//! are equal by construction, and a test holds them equal all the same.

mod body;
mod dispatch;

pub use dispatch::Kernel;

/// Words that bit strings are padded to: the longest vector.
pub(crate) const LANES: usize = 8;

/// How many pairs `n` columns have.
pub(crate) fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests;
