//! Mills' ratio of the normal law,
//! `R(x) = at_least(x) / density(x) = Integral_0^inf exp(-x t - t^2 / 2) dt`.
//!
//! For `x >= 0`, `R(x) = P(t) / (x + 3/2)` with `t = (x - 4) / (x + 4)` in `[-1, 1]` and one
//! polynomial of degree 24, the Chebyshev expansion of `(x + 3/2) R(x)` in `t` truncated where
//! its terms are below 1e-16. The map is that of M. Shepherd and J. Laframboise, "Chebyshev
//! approximation of (1 + 2x) exp(x^2) erfc x" (1981).

use super::deviance::polynomial;
use crate::round::two_product;

/// `1 / sqrt(2 pi)`.
pub(crate) const INV_SQRT_2_PI: f64 = 0.3989422804014326779399;

/// Mills' ratio: decreasing and positive; infinite below about -37.6. Relative error below 1e-15.
pub(crate) fn mills(x: f64) -> f64 {
    if x < 0.0 {
        1.0 / density(x) - mills(-x)
    } else if x == f64::INFINITY {
        0.0
    } else {
        polynomial((x - 4.0) / (x + 4.0), &CHEBYSHEV) / (x + 1.5)
    }
}

/// Density of the standard normal law, `exp(-x^2 / 2) / sqrt(2 pi)`. Relative error below 4e-16
/// while above 1e-300.
pub(crate) fn density(x: f64) -> f64 {
    if x.abs() > 40.0 {
        return 0.0; // exp(-800), and no overflow of the square below
    }
    let (square, rest) = two_product(x, x);
    INV_SQRT_2_PI * (libm::exp(-0.5 * square) * (1.0 - 0.5 * rest))
}

/// The truncated Chebyshev expansion, written in powers of `t`; the absolute values add up to
/// 2.06, so that powers are as stable here as Chebyshev polynomials.
const CHEBYSHEV: [f64; 25] = [
    1.3015881060245836889,
    -0.45596154390483733547,
    0.19097815934022140468,
    -0.018181426165190886074,
    -0.042024714347136337054,
    0.034315865753939630378,
    -0.011902968896041803721,
    0.000084683525796835150341,
    0.0015072480808159615799,
    -0.00029379634979724747374,
    -0.00018431019045636253283,
    0.000059071764317050036058,
    0.000028765078130099184863,
    -9.6457028432608314178e-6,
    -5.724256473626498299e-6,
    1.2777001244539002148e-6,
    1.2727961538486644445e-6,
    -6.9333224549993154359e-8,
    -2.7539865547072740999e-7,
    -3.0002536431237899447e-8,
    5.1267207294698661111e-8,
    1.1190499561653937717e-8,
    -7.0272569382594519225e-9,
    -1.4628730343607132203e-9,
    5.1553342951260622819e-10,
];
