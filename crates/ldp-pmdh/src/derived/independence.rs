//! Tests on the reports themselves: randomising every column by itself keeps independence, and
//! makes two equal laws equal.
//!
//! `h` reports by symbol, `e` what independence (or one law) expects. Pearson's
//! `sum (h - e)^2 / e` and `2 sum h ln(h / e)` are chi-square with
//! `cells - 1 - sum (categories - 1)` degrees of freedom, up to terms that vanish with the number
//! of reports. Source: Gaboardi, Rogers, "Local private hypothesis testing: chi-square tests"
//! (2018); `docs/math/ldp-pmdh.md`, section 8.

use super::chi_square_at_least;

/// A chi-square test. Kind: calibration, for many reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct ChiSquareTest {
    /// Pearson's statistic.
    pub pearson: f64,
    /// The likelihood-ratio statistic.
    pub g: f64,
    /// Degrees of freedom.
    pub degrees: u64,
    /// Probability of a Pearson statistic at least this large under the null hypothesis.
    pub p_value: f64,
    /// The same for the likelihood ratio.
    pub g_p_value: f64,
    /// Smallest expected number of reports: below 5, do not trust the p-values.
    pub smallest_expected: f64,
}

/// A table that cannot be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TestError {
    /// There is one number for each combination of symbols.
    #[error("{got} numbers were given, but the table has {expected} cells")]
    WrongLength {
        /// Cells of the table.
        expected: usize,
        /// Numbers given.
        got: usize,
    },
    /// Too few reports differ: at least two columns must have taken two symbols. Wait for more
    /// reports.
    #[error("the reports do not vary enough to test anything")]
    NothingVaries,
}

/// Tests that the columns of the reports are mutually independent. `histogram` has the reports
/// for each combination of symbols, first column fastest; `symbols` how many each column has (2
/// for a bit, `d` for generalised response). `O(cells columns)`.
///
/// # Errors
/// [`TestError`].
pub fn independence(histogram: &[u64], symbols: &[usize]) -> Result<ChiSquareTest, TestError> {
    let cells = symbols.iter().try_fold(1_usize, |cells, &k| cells.checked_mul(k)).unwrap_or(usize::MAX);
    if histogram.len() != cells {
        return Err(TestError::WrongLength { expected: cells, got: histogram.len() });
    }
    let total: f64 = histogram.iter().map(|&h| h as f64).sum();
    let mut expected = vec![total; cells];
    // Expected counts are the product of the margins, taken one column after the other.
    let (mut parameters, mut observable, mut stride) = (0_u64, 1_u64, 1);
    for &k in symbols {
        let mut margin = vec![0.0; k];
        histogram.iter().enumerate().for_each(|(cell, &h)| margin[cell / stride % k] += h as f64);
        expected.iter_mut().enumerate().for_each(|(cell, e)| *e *= margin[cell / stride % k] / total);
        let seen = margin.iter().filter(|&&m| m > 0.0).count() as u64;
        parameters += seen.saturating_sub(1);
        observable = observable.saturating_mul(seen);
        stride *= k;
    }
    // Symbols that nobody sent have no cells.
    let degrees = observable.saturating_sub(1).saturating_sub(parameters);
    test(histogram.iter().copied().zip(expected), degrees)
}

/// Tests that two sets of reports under one schema come from one law. Each has the reports for
/// every combination of symbols.
///
/// # Errors
/// [`TestError`].
pub fn homogeneity(one: &[u64], other: &[u64]) -> Result<ChiSquareTest, TestError> {
    if one.len() != other.len() {
        return Err(TestError::WrongLength { expected: one.len(), got: other.len() });
    }
    independence(&[one, other].concat(), &[one.len(), 2])
}

fn test(cells: impl Iterator<Item = (u64, f64)>, degrees: u64) -> Result<ChiSquareTest, TestError> {
    if degrees == 0 {
        return Err(TestError::NothingVaries);
    }
    let (mut pearson, mut g, mut smallest) = (0.0, 0.0, f64::INFINITY);
    for (observed, expected) in cells.filter(|&(_, expected)| expected > 0.0) {
        let observed = observed as f64;
        pearson += (observed - expected) * (observed - expected) / expected;
        g += if observed > 0.0 { 2.0 * observed * (observed / expected).ln() } else { 0.0 };
        smallest = smallest.min(expected);
    }
    let (p_value, g_p_value) = (chi_square_at_least(degrees, pearson), chi_square_at_least(degrees, g));
    Ok(ChiSquareTest { pearson, g, degrees, p_value, g_p_value, smallest_expected: smallest })
}
