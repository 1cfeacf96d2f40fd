//! Sums, products, quotients and roots that are rounded by comparing integers: what a formula with
//! directed roundings is replayed with.

use std::cmp::Ordering;

use dashu_int::IBig;
use rand_core::Rng;

use crate::rng::SimRng;

/// `v = integer / 2^1074`, exactly.
pub(in crate::accounting) fn integer(v: f64) -> IBig {
    let bits = v.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let magnitude =
        if exponent == 0 { IBig::from(fraction) } else { IBig::from(fraction | 1 << 52) << (exponent as usize - 1) };
    if v < 0.0 { -magnitude } else { magnitude }
}

/// The least number that is not below a value, of which `side` says where a number is; `near` is
/// close to it.
fn least_above(near: f64, side: impl Fn(f64) -> Ordering) -> f64 {
    let mut v = near;
    while side(v).is_lt() {
        v = v.next_up();
    }
    while side(v.next_down()).is_ge() {
        v = v.next_down();
    }
    v
}

pub(in crate::accounting) fn sum_above(a: f64, b: f64) -> f64 {
    let exact = integer(a) + integer(b);
    least_above(a + b, |v| integer(v).cmp(&exact))
}

pub(in crate::accounting) fn product_above(a: f64, b: f64) -> f64 {
    let exact = integer(a) * integer(b);
    least_above(a * b, |v| (integer(v) << 1074).cmp(&exact))
}

/// `b` is above 0.
pub(in crate::accounting) fn quotient_above(a: f64, b: f64) -> f64 {
    let (numerator, denominator) = (integer(a) << 1074, integer(b));
    least_above(a / b, |v| (integer(v) * &denominator).cmp(&numerator))
}

pub(in crate::accounting) fn sum_below(a: f64, b: f64) -> f64 {
    -sum_above(-a, -b)
}

pub(in crate::accounting) fn quotient_below(a: f64, b: f64) -> f64 {
    -quotient_above(-a, b)
}

pub(in crate::accounting) fn product_below(a: f64, b: f64) -> f64 {
    -product_above(-a, b)
}

/// `v` is at least 0.
pub(in crate::accounting) fn root_above(v: f64) -> f64 {
    let radicand = integer(v) << 1074;
    least_above(v.sqrt(), |root| (integer(root) * integer(root)).cmp(&radicand))
}

/// The root itself where that is a number, else the number below it.
pub(in crate::accounting) fn root_below(v: f64) -> f64 {
    let above = root_above(v);
    if integer(above) * integer(above) == integer(v) << 1074 { above } else { above.next_down() }
}

/// Two steps above the exponential of the library, whose error is below one.
pub(in crate::accounting) fn exp_above(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { libm::exp(x).next_up().next_up() }
}

/// Two steps below it.
pub(in crate::accounting) fn exp_below(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { libm::exp(x).next_down().next_down() }
}

/// Two steps below the logarithm of the library, whose error is below one.
pub(in crate::accounting) fn ln_1p_below(x: f64) -> f64 {
    libm::log1p(x).next_down().next_down()
}

/// `ln(1 / delta)`, at least.
pub(in crate::accounting) fn loss_above(delta: f64) -> f64 {
    -libm::log(delta).next_down().next_down()
}

/// A number whose logarithm to base 2 is uniform in a range.
pub(in crate::accounting) fn size(rng: &mut SimRng, (low, high): (f64, f64)) -> f64 {
    let unit = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (low + (high - low) * unit).exp2()
}
