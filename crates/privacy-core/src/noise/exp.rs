//! `exp(-x)` between bounds that are proved: once in `f64`, once in integers of any precision.

use dashu_int::{UBig, ops::BitTest};

/// Relative error of [`exp_minus_approx`] for exact arguments, proved in `docs/math/noise.md`.
#[cfg(test)]
pub(super) const EXP_ERROR: f64 = 1.0 / (1_u64 << 48) as f64;

/// `exp(-x)` for `|x| <= 700` with relative error below 2^-48: x = k ln 2 + r, then Taylor to
/// degree 14, even and odd powers apart so that neither waits for the other.
///
/// Only +, -, *, division of constants and exact scaling, so that every platform computes the same
/// bits.
#[inline]
pub(super) fn exp_minus_approx(x: f64) -> f64 {
    /// ln 2 with 32 bits, so that its product with |k| <= 1024 is exact; and what is left
    /// of ln 2.
    const LN2_HIGH: f64 = 0.693_147_180_369_123_816_490;
    const LN2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;
    /// The sum with it has no bits after the point, so that this rounds to the next integer.
    const INTEGERS: f64 = 1.5 * (1_u64 << 52) as f64;
    let k = (-x * std::f64::consts::LOG2_E + INTEGERS) - INTEGERS;
    let r = (-x - k * LN2_HIGH) - k * LN2_LOW;
    let square = r * r;
    let (even, odd) = (horner(&EVEN, square), horner(&ODD, square));
    (even + r * odd) * power_of_two(k as i64)
}

/// 1 / n! for even n, the highest first, and for odd n.
const EVEN: [f64; 8] = inverse_factorials([14, 12, 10, 8, 6, 4, 2, 0]);
const ODD: [f64; 7] = inverse_factorials([13, 11, 9, 7, 5, 3, 1]);

const fn inverse_factorials<const N: usize>(numbers: [u64; N]) -> [f64; N] {
    let (mut inverses, mut place) = ([0.0; N], 0);
    while place < N {
        let (mut factorial, mut factor) = (1_u64, 2);
        while factor <= numbers[place] {
            factorial *= factor;
            factor += 1;
        }
        inverses[place] = 1.0 / factorial as f64;
        place += 1;
    }
    inverses
}

/// The polynomial with these coefficients, the highest first.
#[inline]
fn horner<const N: usize>(coefficients: &[f64; N], at: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * at + coefficient)
}

/// `2^exponent` for exponents from -1022 to 1023, exactly: `powi` promises no digit.
pub(super) fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Integers `low <= 2^precision exp(-p/q) <= high` with `high - low` small: they meet as
/// `precision` grows.
///
/// z = (p/q) / 2^halvings <= 1/2 in fixed point, the alternating series of exp(-z), then
/// `halvings` squarings; every rounding is outward.
pub(super) fn exp_minus_bracket(p: &UBig, q: &UBig, precision: usize) -> (UBig, UBig) {
    if p.is_zero() {
        let one = UBig::ONE << precision;
        return (one.clone(), one);
    }
    let halvings = (p / q).bit_len() + 1;
    let digits = precision + 2 * halvings + 16;
    let z_low = (p << (digits - halvings)) / q;
    let z_high = &z_low + UBig::ONE;
    // exp(-z) falls with z: the lower bound comes from the larger z.
    let mut low = series(&z_high, digits, false);
    let mut high = series(&z_low, digits, true);
    for _ in 0..halvings {
        low = (&low * &low) >> digits;
        high = ((&high * &high) >> digits) + UBig::ONE;
    }
    let dropped = digits - precision;
    (low >> dropped, (high >> dropped) + UBig::ONE)
}

/// A bound of exp(-z), z = `z` / 2^digits <= 1/2, from above or from below.
fn series(z: &UBig, digits: usize, from_above: bool) -> UBig {
    let one = UBig::ONE << digits;
    let (mut positive, mut negative) = (one.clone(), UBig::ZERO);
    let (mut term, mut degree) = (one, 0_u64);
    while !term.is_zero() {
        degree += 1;
        term = ((&term * z) >> digits) / UBig::from(degree);
        *(if degree % 2 == 1 { &mut negative } else { &mut positive }) += &term;
    }
    // Each of the `degree` terms was rounded down by less than 1 plus what it inherits (a factor
    // below 1/2): less than 2 each; the terms that were left out add less than 1.
    let slack = UBig::from(2 * degree + 1);
    if from_above { positive - negative + slack } else { positive - negative - slack }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in 0..=62_i64 {
            let power = (1_u64 << exponent) as f64;
            assert_eq!((power_of_two(exponent), power_of_two(-exponent)), (power, 1.0 / power));
        }
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
    }

    /// exp(-1), exp(-10) and exp(-3/7) times 10^50, rounded down.
    const DIGITS: [(u32, u32, &str); 3] = [
        (1, 1, "36787944117144232159552377016146086744581113103176"),
        (10, 1, "4539992976248485153559151556055061023791808886"),
        (3, 7, "65143905753105559000298718362934035123255055835947"),
    ];

    #[test]
    fn bracket_holds_known_digits_and_is_narrow() {
        let ten50 = UBig::from(10_u8).pow(50);
        for (p, q, digits) in DIGITS {
            let want: UBig = digits.parse().unwrap();
            for precision in [64, 200, 500] {
                let (low, high) = exp_minus_bracket(&p.into(), &q.into(), precision);
                assert!(&high - &low <= UBig::from(8_u8), "{p}/{q} at {precision}");
                // low / 2^precision <= (want + 1) / 10^50 and high / 2^precision >= want / 10^50
                assert!(low * &ten50 <= (&want + UBig::ONE) << precision, "{p}/{q} at {precision}");
                assert!(high * &ten50 >= &want << precision, "{p}/{q} at {precision}");
            }
        }
    }

    /// The argument itself is 0 in fixed point then, or one of its last digits.
    #[test]
    fn an_argument_below_the_last_digit_has_both_bounds() {
        let one = UBig::ONE << 64;
        for (p, digits) in [(1_u32, 70_usize), (3, 83), (1, 200), (3, 1_000)] {
            let (low, high) = exp_minus_bracket(&p.into(), &(UBig::ONE << digits), 64);
            assert!(low < one && one <= high && &high - &low <= UBig::from(8_u8), "{p} / 2^{digits}");
        }
    }

    /// The upper series is at least exp(-z), the lower one at most, and each is within twice its
    /// slack.
    #[test]
    fn a_series_is_on_its_side_and_near() {
        let digits = 200;
        for (p, q) in [(1_u32, 2_u32), (1, 3), (3, 7), (1, 100), (12_345, 99_991), (1, 1 << 30)] {
            let (p, q) = (UBig::from(p), UBig::from(q));
            let z = (&p << digits) / &q;
            let (low, high) = exp_minus_bracket(&z, &(UBig::ONE << digits), 2 * digits);
            let slack = UBig::from(4_u8 * 60) << digits; // fewer than 60 terms of 200 digits
            let [above, below] = [true, false].map(|from_above| series(&z, digits, from_above) << digits);
            assert!(above >= high && above <= &high + &slack, "{p}/{q} from above");
            assert!(below <= low && below + &slack >= low, "{p}/{q} from below");
        }
    }

    #[test]
    fn bracket_holds_the_float_and_the_float_keeps_its_promise() {
        for step in 0..5_000_u32 {
            let (p, q) = (step * 37 + 1, 271_u32);
            let (low, high) = exp_minus_bracket(&p.into(), &q.into(), 1200);
            let x = f64::from(p) / f64::from(q);
            if x > 690.0 {
                break;
            }
            let got = exp_minus_approx(x);
            // 2^1200 got as an integer; the argument itself is rounded by at most x 2^-53.
            let bits = got.to_bits();
            let mantissa = UBig::from(bits & ((1 << 52) - 1) | 1 << 52);
            let scaled = mantissa << (1200 + (bits >> 52) as usize - 1075);
            let allowed = (&high * UBig::from(((EXP_ERROR + x * power_of_two(-53)) * power_of_two(64)) as u128)) >> 64;
            assert!(&scaled + &allowed >= low && scaled <= high + allowed, "x = {x}");
        }
    }
}
