//! Numbers of draws out of `2^64`, as bounds in floating point.

/// `2^64`: all draws.
pub(crate) const DRAWS: f64 = 18_446_744_073_709_551_616.0;

/// `2^64`, exactly.
pub(crate) const ALL_DRAWS: u128 = 1 << 64;

/// The greatest `f64` that is at most an integer.
pub(crate) fn below(integer: u128) -> f64 {
    let nearest = integer as f64;
    if nearest as u128 > integer { nearest.next_down() } else { nearest }
}

/// The least `f64` that is at least an integer.
pub(crate) fn above(integer: u128) -> f64 {
    let nearest = integer as f64;
    if (nearest as u128) < integer { nearest.next_up() } else { nearest }
}
