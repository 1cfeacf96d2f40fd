//! Arithmetic that errs on a stated side, so that a privacy cost never reads low.
//!
//! `f_up` is at least, `f_down` at most, the real value of `f` at its arguments.
//!
//! Sums, products, quotients and square roots are correctly rounded by IEEE 754, and the sign of
//! what rounding took away can be computed exactly (TwoSum of Knuth; a fused multiply-add). So
//! these are the *nearest* number on their side, and a result that is exact stays as it is:
//! `add_up(0.5, 0.25) == 0.75`. Below about 1e-291, where the remainder itself may underflow, a
//! product, quotient or root is widened by one step without asking.
//!
//! `exp`, `ln` and `ln_1p` come from `libm`, whose error is below one unit in the last place;
//! they are widened by two, except at the only points where they are exact.
//!
//! NaN stays NaN. An infinite argument is taken at its word; a finite result that is too large
//! for `f64` is infinite on one side and `f64::MAX` on the other.

/// Below this magnitude of a product, dividend or radicand, its rounding error may underflow.
const REMAINDER_UNDERFLOWS: f64 = 4.0 * f64::MIN_POSITIVE / f64::EPSILON; // 2^-968

/// `a + b` as rounded sum and exact remainder (Knuth 1969; Møller 1965).
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// `a * b` as rounded product and exact remainder (barring underflow).
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// The bound above for a correctly rounded `nearest`; `exact_is_above` when the real value may be
/// larger.
fn bound_above(nearest: f64, arguments_are_finite: bool, exact_is_above: bool) -> f64 {
    if nearest == f64::NEG_INFINITY && arguments_are_finite {
        f64::MIN // the real value is finite
    } else if exact_is_above {
        nearest.next_up()
    } else {
        nearest
    }
}

/// The least number that is at least `a + b`.
#[must_use]
pub fn add_up(a: f64, b: f64) -> f64 {
    let (sum, rest) = two_sum(a, b);
    let finite = a.is_finite() && b.is_finite();
    // Near overflow the remainder can be NaN: then it counts as above.
    bound_above(sum, finite, finite && (rest > 0.0 || rest.is_nan()))
}

/// The greatest number that is at most `a + b`.
#[must_use]
pub fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// The least number that is at least `a - b`.
#[must_use]
pub fn sub_up(a: f64, b: f64) -> f64 {
    add_up(a, -b)
}

/// The greatest number that is at most `a - b`.
#[must_use]
pub fn sub_down(a: f64, b: f64) -> f64 {
    -add_up(-a, b)
}

/// The least number that is at least `a * b`.
#[must_use]
pub fn mul_up(a: f64, b: f64) -> f64 {
    let (product, rest) = two_product(a, b);
    let finite = a.is_finite() && b.is_finite();
    let inexact_below = product.abs() < REMAINDER_UNDERFLOWS && a != 0.0 && b != 0.0;
    bound_above(product, finite, finite && (inexact_below || rest > 0.0))
}

/// The greatest number that is at most `a * b`.
#[must_use]
pub fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// The least number that is at least `a / b`.
#[must_use]
pub fn div_up(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    let finite = a.is_finite() && b.is_finite() && b != 0.0;
    let inexact_below = a != 0.0 && (a.abs() < REMAINDER_UNDERFLOWS || quotient.abs() < f64::MIN_POSITIVE);
    let above = rest != 0.0 && (rest > 0.0) == (b > 0.0);
    bound_above(quotient, finite, finite && (inexact_below || above))
}

/// The greatest number that is at most `a / b`.
#[must_use]
pub fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

/// The least number that is at least the square root of `a`; NaN below zero.
#[must_use]
pub fn sqrt_up(a: f64) -> f64 {
    let root = a.sqrt();
    let rest = (-root).mul_add(root, a);
    let unsure = a > 0.0 && a < REMAINDER_UNDERFLOWS;
    if unsure || rest > 0.0 { root.next_up() } else { root }
}

/// The greatest number that is at most the square root of `a`; NaN below zero.
#[must_use]
pub fn sqrt_down(a: f64) -> f64 {
    let root = a.sqrt();
    let rest = (-root).mul_add(root, a);
    let unsure = a > 0.0 && a < REMAINDER_UNDERFLOWS;
    if unsure || rest < 0.0 { root.next_down() } else { root }
}

fn two_steps_up(value: f64) -> f64 {
    value.next_up().next_up()
}

fn two_steps_down(value: f64) -> f64 {
    value.next_down().next_down()
}

/// At least `e^x`, by at most four units in the last place.
#[must_use]
pub fn exp_up(x: f64) -> f64 {
    if x == 0.0 || x == f64::NEG_INFINITY { libm::exp(x) } else { two_steps_up(libm::exp(x)) }
}

/// At most `e^x` and at least zero, by at most four units in the last place.
#[must_use]
pub fn exp_down(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { libm::exp(x) } else { two_steps_down(libm::exp(x)).max(0.0) }
}

/// At least the natural logarithm of `x`, by at most four units in the last place; NaN below
/// zero.
#[must_use]
pub fn ln_up(x: f64) -> f64 {
    if x == 1.0 || x == 0.0 { libm::log(x) } else { two_steps_up(libm::log(x)) }
}

/// At most the natural logarithm of `x`, by at most four units in the last place; NaN below zero.
#[must_use]
pub fn ln_down(x: f64) -> f64 {
    if x == 1.0 || x == f64::INFINITY { libm::log(x) } else { two_steps_down(libm::log(x)) }
}

/// At least `ln(1 + x)`, by at most four units in the last place; NaN below -1.
#[must_use]
pub fn ln_1p_up(x: f64) -> f64 {
    if x == 0.0 || x == -1.0 { libm::log1p(x) } else { two_steps_up(libm::log1p(x)) }
}

/// At most `ln(1 + x)`, by at most four units in the last place; NaN below -1.
#[must_use]
pub fn ln_1p_down(x: f64) -> f64 {
    if x == 0.0 || x == f64::INFINITY { libm::log1p(x) } else { two_steps_down(libm::log1p(x)) }
}

/// The least double that is at least an integer; 2^128 for what no other is.
#[must_use]
pub fn integer_up(integer: u128) -> f64 {
    let below = integer_down(integer);
    if below as u128 == integer { below } else { below.next_up() }
}

/// The greatest double that is at most an integer: its first 53 bits.
#[must_use]
pub fn integer_down(integer: u128) -> f64 {
    let dropped = u128::BITS.saturating_sub(integer.leading_zeros() + f64::MANTISSA_DIGITS);
    (integer >> dropped << dropped) as f64
}

/// At least the sum of `values`, each partial sum rounded up.
#[must_use]
pub fn sum_up(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, add_up)
}

/// At most the sum of `values`, each partial sum rounded down.
#[must_use]
pub fn sum_down(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, add_down)
}
