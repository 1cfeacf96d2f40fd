//! A block of columns of which everyone has exactly one: the sum is known, and using it helps.
//!
//! `t`, `V` unbiased counts and their variances, uncorrelated given the rows (unary encoding);
//! `N` people, `s = sum V`. Least squares under `sum t = N` gives `t - V (sum t - N) /
//! s` with covariance `diag(V) - V V^T /
//! s`. (1.9) Equation 27 of the source does something else: it estimates `N`.

use ndarray::Array2;

use super::EstimateError;

/// Counts of a block that add up.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct OneHot {
    /// Counts whose sum is the number of people; unbiased, so some may be negative.
    pub counts: Vec<f64>,
    /// Their covariance for the people who reported.
    pub covariance: Array2<f64>,
}

/// Uses that the counts of a block add up to
/// `total`. Kind: calibration; no variance grows. `O(d^2)`.
///
/// ```
/// use ldp_pmdh::estimate::constrain_sum;
///
/// // 110 people by three unbiased counts, 100 in fact: the least certain count gives way most.
/// let fitted = constrain_sum(&[60.0, 30.0, 20.0], &[8.0, 1.0, 1.0], 100.0)?;
/// assert_eq!(fitted.counts, [52.0, 29.0, 19.0]);
/// # Ok::<(), ldp_pmdh::estimate::EstimateError>(())
/// ```
///
/// # Errors
/// [`EstimateError::WrongLength`] unless there is a variance for each count, and
/// [`EstimateError::NotAVariance`] if one is negative or none is above 0.
pub fn constrain_sum(counts: &[f64], variances: &[f64], total: f64) -> Result<OneHot, EstimateError> {
    if counts.len() != variances.len() {
        return Err(EstimateError::WrongLength { expected: counts.len(), got: variances.len() });
    }
    let sum: f64 = variances.iter().sum();
    if !(variances.iter().all(|&variance| variance >= 0.0) && sum > 0.0 && sum < f64::INFINITY) {
        return Err(EstimateError::NotAVariance);
    }
    // The excess is divided in proportion to the variances: the least certain counts give way
    // most.
    let excess = (counts.iter().sum::<f64>() - total) / sum;
    let counts = counts.iter().zip(variances).map(|(count, variance)| count - variance * excess).collect();
    let covariance = Array2::from_shape_fn((variances.len(), variances.len()), |(i, j)| {
        let diagonal = if i == j { variances[i] } else { 0.0 };
        diagonal - variances[i] * variances[j] / sum
    });
    Ok(OneHot { counts, covariance })
}
