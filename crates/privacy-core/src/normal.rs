//! The standard normal law: tails as tails, their logarithms, quantiles.
//!
//! `phi` the density, `R` Mills' ratio; `at_least(x) = phi(x) R(x)` for `x >= 0`, so that no
//! digit is lost far out, and the square of `x` is carried to twice the working precision. See
//! `docs/math/special-functions.md`, section 2.

use crate::param::Probability;
use crate::special::{self, upper_probit};

/// `ln sqrt(2 pi)`.
const LN_SQRT_2_PI: f64 = 0.9189385332046727417803;

/// Density `exp(-x^2 / 2) / sqrt(2 pi)`. Relative error below 1e-15 while above 1e-300.
#[must_use]
pub fn density(x: f64) -> f64 {
    special::density(x)
}

/// Natural logarithm of the density. Relative error below 1e-15.
#[must_use]
pub fn ln_density(x: f64) -> f64 {
    -0.5 * x * x - LN_SQRT_2_PI
}

/// `P(X >= x)`. Relative error below 1e-15 while above 1e-300.
#[must_use]
pub fn at_least(x: f64) -> f64 {
    if x < 0.0 { 1.0 - at_least(-x) } else { special::density(x) * special::mills(x) }
}

/// `P(X <= x)`. Relative error below 1e-15 while above 1e-300.
#[must_use]
pub fn at_most(x: f64) -> f64 {
    at_least(-x)
}

/// Natural logarithm of `P(X >= x)`, finite for every finite `x` below 1e154. Relative error
/// below 1e-15.
#[must_use]
pub fn ln_at_least(x: f64) -> f64 {
    if x > 0.0 { libm::log(special::mills(x)) + ln_density(x) } else { libm::log1p(-at_least(-x)) }
}

/// Natural logarithm of `P(X <= x)`; see [`ln_at_least`].
#[must_use]
pub fn ln_at_most(x: f64) -> f64 {
    ln_at_least(-x)
}

/// Mills' ratio `P(X >= x) / density(x)`: about `1 / x` for large `x`, infinite below about
/// -37.6.
///
/// Relative error below 1e-15 for `x >= 0`; for `x < 0` that of `1 / density(x)`.
#[must_use]
pub fn mills_ratio(x: f64) -> f64 {
    special::mills(x)
}

/// The `x` with `P(X <= x) = probability`; infinite at 0 and 1. Relative error below 4e-15.
///
/// Close to 1 a probability has few digits left: [`upper_quantile`] takes the small one.
#[must_use]
pub fn quantile(probability: Probability) -> f64 {
    -upper_probit(probability.get())
}

/// The `x` with `P(X >= x) = probability`; infinite at 0 and 1. Relative error below 4e-15.
#[must_use]
pub fn upper_quantile(probability: Probability) -> f64 {
    upper_probit(probability.get())
}
