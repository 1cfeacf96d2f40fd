//! What is left of a logarithm after its linear part: the pieces of binomial and beta laws that
//! must not cancel.
//!
//! `r = y / (2 + y)`, so that `ln(1 + y) = 2 atanh(r) = 2r + 2r^3 S(r^2)`,
//! `S(z) = sum z^i / (2i + 3)`. Source: C. Loader, "Fast and accurate computation of binomial
//! probabilities" (2000), for the deviance.

/// Beyond this `|r|` (`y` in [-1/2, 1]) the plain formula loses less than a bit.
const SERIES_RADIUS: f64 = 1.0 / 3.0;

/// `1 / (2i + 3)`; the first term left out is below 2^-53 of the sum for `z <= 1/9`.
const ATANH_TAIL: [f64; 16] = [
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
    1.0 / 23.0,
    1.0 / 25.0,
    1.0 / 27.0,
    1.0 / 29.0,
    1.0 / 31.0,
    1.0 / 33.0,
];

/// `1 / (i + 2)!`; the first term left out is below 2^-58 of the sum for `|x| <= 1.25`.
const EXP_TAIL: [f64; 20] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
    1.0 / 87_178_291_200.0,
    1.0 / 1_307_674_368_000.0,
    1.0 / 20_922_789_888_000.0,
    1.0 / 355_687_428_096_000.0,
    1.0 / 6_402_373_705_728_000.0,
    1.0 / 121_645_100_408_832_000.0,
    1.0 / 2_432_902_008_176_640_000.0,
    1.0 / 51_090_942_171_709_440_000.0,
];

/// `sum c_i x^i` by Horner on the even and the odd half: two short chains in place of a long one.
pub(crate) fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let (square, mut even, mut odd) = (x * x, 0.0, 0.0);
    for i in (0..N.div_ceil(2)).rev() {
        even = even * square + coefficients[2 * i];
        odd = odd * square + if 2 * i + 1 < N { coefficients[2 * i + 1] } else { 0.0 };
    }
    even + x * odd
}

/// `ln(1 + y) - y` for `y > -1`, without cancellation near 0. Relative error below 1e-15.
#[must_use]
pub fn log1pmx(y: f64) -> f64 {
    if (y / (2.0 + y)).abs() > SERIES_RADIUS { libm::log1p(y) - y } else { log1pmx_near_zero(y) }
}

/// [`log1pmx`] for `y` in `[-1/2, 1]`.
pub(crate) fn log1pmx_near_zero(y: f64) -> f64 {
    let r = y / (2.0 + y);
    r * (2.0 * r * r * polynomial(r * r, &ATANH_TAIL) - y)
}

/// `e^x - 1 - x` without cancellation near 0. Relative error below 1e-15.
#[must_use]
pub fn expm1mx(x: f64) -> f64 {
    if x.abs() > 1.25 { libm::expm1(x) - x } else { expm1mx_near_zero(x) }
}

/// [`expm1mx`] for `x` in `[-1.25, 1.25]`.
pub(crate) fn expm1mx_near_zero(x: f64) -> f64 {
    x * x * polynomial(x, &EXP_TAIL)
}

/// Deviance `x ln(x / mean) - (x - mean)` of a count `x >= 0` from its `mean > 0`: never
/// negative.
///
/// Relative error below 1e-15 given the exact difference `x - mean`.
#[must_use]
pub fn deviance(x: f64, mean: f64) -> f64 {
    if x >= 0.0 && mean > 0.0 { deviance_of_difference(x, mean, x - mean) } else { f64::NAN }
}

/// [`deviance`] with `difference = x - mean` supplied by a caller who knows it better than `x`
/// and `mean` tell.
pub(crate) fn deviance_of_difference(x: f64, mean: f64, difference: f64) -> f64 {
    if x == 0.0 {
        return mean;
    }
    let r = difference / (x + mean);
    if r.abs() > SERIES_RADIUS {
        return x * libm::log(x / mean) - difference;
    }
    // The square first: it carries nearly all of the value, so that its roundings count.
    let z = r * r;
    difference * difference / (x + mean) + 2.0 * x * r * z * polynomial(z, &ATANH_TAIL)
}
