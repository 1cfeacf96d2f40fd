//! The upper tail of the chi-square law.
//!
//! With `y = x / 2`: `P(X >= x) = sum over j < k of e^-y y^j / j!` for `2k` degrees of freedom,
//! and `erfc(sqrt y) + sum over 1 <= j <= k of e^-y y^(j - 1/2) / Gamma(j + 1/2)` for `2k + 1`.
//! All terms are positive. Source: Abramowitz and Stegun, 26.4.4 and 26.4.5.

use privacy_core::normal;
use privacy_core::special::ln_gamma;

/// `P(X >= x)` for this many degrees of freedom; 1 for `x` at or below 0, NaN for no degree. A
/// relative error below 1e-10 where the value is above 1e-300. `O(degrees)`.
#[must_use]
pub fn chi_square_at_least(degrees: u64, x: f64) -> f64 {
    if degrees == 0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    let (y, odd) = (0.5 * x, degrees % 2 == 1);
    let (start, first) = if odd { (2.0 * normal::at_least(x.sqrt()), 0.5) } else { (0.0, 0.0) };
    let ln_y = y.ln();
    // Each term from the last in logarithms: the terms in the middle may be large where the first
    // ones vanish.
    let mut ln_term = -y + first * ln_y - ln_gamma(first + 1.0);
    let mut sum = start;
    for j in 0..degrees / 2 {
        if j > 0 {
            ln_term += ln_y - (first + j as f64).ln();
        }
        sum += ln_term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_independent_values() {
        // scipy.stats.chi2.sf.
        let cases = [
            (1, 3.841_458_820_694_124, 0.05),
            (2, 5.991_464_547_107_979, 0.05),
            (3, 7.814_727_903_251_178, 0.05),
            (11, 19.675_137_572_682_49, 0.05),
            (1, 78.579_916_815_210_94, 7.682_650_152_422_577e-19),
            (1000, 1_074.679_448_807_414_5, 0.05),
        ];
        for (degrees, x, want) in cases {
            let got = chi_square_at_least(degrees, x);
            assert!((got / want - 1.0).abs() < 1e-9, "{degrees} {x}: {got} for {want}");
        }
        assert_eq!((chi_square_at_least(3, 0.0), chi_square_at_least(3, -1.0)), (1.0, 1.0));
        assert!(chi_square_at_least(0, 1.0).is_nan() && chi_square_at_least(1, f64::NAN).is_nan());
    }

    #[test]
    fn the_tail_falls_as_its_density_says() {
        // d/dx P(X >= x) = -x^(k/2 - 1) e^(-x/2) / (2^(k/2) Gamma(k/2)), by central differences.
        for degrees in 1..40_u64 {
            let (x, half, h) = (degrees as f64 + 0.7, 0.5 * degrees as f64, 1e-5);
            let slope = (chi_square_at_least(degrees, x + h) - chi_square_at_least(degrees, x - h)) / (2.0 * h);
            let density = ((half - 1.0) * x.ln() - 0.5 * x - half * 2.0_f64.ln() - ln_gamma(half)).exp();
            assert!((slope + density).abs() < 1e-8, "{degrees}: {slope} for {density}");
        }
    }
}
