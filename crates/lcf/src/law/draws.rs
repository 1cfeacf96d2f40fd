//! Numbers of draws out of `2^64`, as bounds in floating point.

/// `2^64`: all draws.
pub(crate) const DRAWS: f64 = 18_446_744_073_709_551_616.0;

/// `2^64`, exactly.
pub(crate) const ALL_DRAWS: u128 = 1 << 64;
