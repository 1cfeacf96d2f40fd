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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_enclosed_and_exact_ones_stay_as_they_are() {
        let first = 1_u128 << 53; // from here on, doubles are two apart
        assert_eq!((below(first), above(first)), (first as f64, first as f64));
        for odd in [first + 1, first + 3] {
            assert_eq!((below(odd), above(odd)), ((odd - 1) as f64, (odd + 1) as f64), "{odd}");
        }
        assert_eq!((below(ALL_DRAWS), above(ALL_DRAWS)), (DRAWS, DRAWS));
    }
}
