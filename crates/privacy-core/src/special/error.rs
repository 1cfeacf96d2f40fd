//! The error function, its complement, scaled and logarithmic forms, and the inverse.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::{mills, upper_probit};

/// `sqrt(2 / pi)`.
const SQRT_2_OVER_PI: f64 = 0.7978845608028653558799;

/// The error function `2 / sqrt(pi) Integral_0^x exp(-t^2) dt`. Relative error below 4e-16.
#[must_use]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// `1 - erf(x)`, accurate where it is small. Relative error below 4e-16 while it is above 1e-300.
#[must_use]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// `exp(x^2) erfc(x)`: about `1 / (x sqrt(pi))` for large `x`, infinite below about -26.6.
/// Relative error below 1e-15 for `x >= 0`.
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    SQRT_2_OVER_PI * mills(SQRT_2 * x)
}

/// `ln erfc(x)`, finite far beyond where `erfc` underflows. Relative error below 1e-15.
#[must_use]
pub fn ln_erfc(x: f64) -> f64 {
    if x < 0.5 { libm::log1p(-erf(x)) } else { libm::log(erfcx(x)) - x * x }
}

/// The `x` with `erfc(x) = y`, for `y` in `[0, 2]`; infinite at the ends. Relative error below
/// 4e-15.
#[must_use]
pub fn erfc_inv(y: f64) -> f64 {
    // 2 - y is exact on [1, 2].
    if y > 1.0 { -erfc_inv(2.0 - y) } else { FRAC_1_SQRT_2 * upper_probit(0.5 * y) }
}
