//! Which residual queries measure an attribute.
//!
//! `G` Gram matrix of the attribute's queries, `X` the precision matrix of least
//! `tr((G + tau s0 11^T) X^+)` with `diag X <= 1` and `s0 = 1^T G 1 / k^2`. Its total is taken
//! out (the Schur complement):
//!
//! ```text
//! K = X - 11^T / (1^T X^-1 1)
//! orthogonal: X of least tr(P G P X^+),  P = I - 11^T / k,  K = P X P          isotropic: K = P
//! ```
//!
//! Source: `docs/math/resplan.md`. tau = 0 is the strategy behind the published tables of
//! ResidualPlanner+, orthogonal that of QuerySmasher (arXiv 2604.00868), isotropic that of
//! ResidualPlanner (NeurIPS 2023).

use ndarray::{Array2, Axis};
use privacy_core::linalg::{LinalgError, symmetric_eigen};
use privacy_core::stop::StopFlag;

use crate::strategy::kinds::Settled;
use crate::strategy::optimum::optimum;

/// Precision of the residual queries of one attribute.
pub(crate) struct Precision {
    /// K, with null space of dimension one.
    pub(crate) matrix: Array2<f64>,
    /// Relative gap of the optimum it comes from.
    pub(crate) gap: f64,
    /// Multipliers of that optimum.
    pub(crate) multipliers: Vec<f64>,
}

/// What a strategy spends on directions that no query needs, so that every table can be answered:
/// this share of it.
const SPENT_ON_THE_REST: f64 = 1e-6;

/// Larger shares, which are tried one after the other where that one leaves a matrix that cannot be
/// inverted in working precision or in integers of few digits: queries of very unequal sizes.
pub(crate) const SHARES: [f64; 4] = [SPENT_ON_THE_REST, 1e-5, 1e-4, 1e-2];

/// The precision matrix of a strategy, to this gap; `start` multipliers of a similar one; `share`
/// what is spent on all directions evenly where some are hardly measured, which is part of the
/// gap. `O(k^3)` a step.
pub(crate) fn precision(
    gram: &Array2<f64>,
    strategy: Settled,
    gap: f64,
    share: f64,
    start: Option<&[f64]>,
    stop: &StopFlag,
) -> Result<Precision, LinalgError> {
    let k = gram.nrows();
    match strategy {
        Settled::Isotropic => Ok(Precision { matrix: centred(&Array2::eye(k)), gap: 0.0, multipliers: Vec::new() }),
        Settled::Orthogonal => {
            let mut wanted = centred(gram);
            if wanted.diag().sum() <= 1e-12 * gram.diag().sum() {
                // The total alone is asked for: nothing but rounding is left.
                wanted.fill(0.0);
            }
            let found = optimum(&wanted, gap, start, stop)?;
            // K 1 = 0 already, up to rounding.
            let matrix = with_the_rest(&found.precision, 1, share)?;
            let gap = gap_with_the_rest(found.gap, share);
            Ok(Precision { matrix: centred(&matrix), gap, multipliers: found.multipliers })
        }
        Settled::Tilted(tau) => {
            let mean = gram.sum() / (k * k) as f64;
            let found = optimum(&(gram + tau * mean), gap, start, stop)?;
            let mut matrix = with_the_rest(&found.precision, 0, share)?;
            matrix -= 1.0 / symmetric_eigen(matrix.view())?.pseudo_inverse()?.sum();
            Ok(Precision { matrix, gap: gap_with_the_rest(found.gap, share), multipliers: found.multipliers })
        }
    }
}

/// The gap with a share of the budget for the rest: a share s makes the variances larger by
/// `1 / (1 - s)` at most.
fn gap_with_the_rest(gap: f64, share: f64) -> f64 {
    if share > SPENT_ON_THE_REST { (1.0 + gap) / (1.0 - share) - 1.0 } else { gap }
}

/// P A P.
fn centred(matrix: &Array2<f64>) -> Array2<f64> {
    let k = matrix.nrows() as f64;
    let means = matrix.sum_axis(Axis(0)) / k;
    let mean = means.sum() / k;
    Array2::from_shape_fn(matrix.dim(), |(i, j)| matrix[[i, j]] - means[i] - means[j] + mean)
}

/// The matrix itself when at most `nulls` of its eigenvalues are near 0; else with a share of its
/// budget spent evenly.
pub(crate) fn with_the_rest(matrix: &Array2<f64>, nulls: usize, share: f64) -> Result<Array2<f64>, LinalgError> {
    let values = symmetric_eigen(matrix.view())?.values;
    if nulls == values.len() || values[nulls] > share {
        return Ok(matrix.clone());
    }
    Ok(matrix * (1.0 - share) + Array2::<f64>::eye(values.len()) * share)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_unit_of_queries_has_no_part_in_their_strategy() {
        let prefix = array![[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0]];
        let total_alone = Array2::from_elem((3, 3), 1.0);
        let strategy = |gram: &Array2<f64>, settled| {
            precision(gram, settled, 1e-6, SPENT_ON_THE_REST, None, &StopFlag::never()).unwrap().matrix
        };
        for gram in [prefix, total_alone] {
            for unit in [1e-8, 1000.1 * 1000.1] {
                let difference = strategy(&gram, Settled::Orthogonal) - strategy(&(&gram * unit), Settled::Orthogonal);
                assert!(difference.iter().all(|x| x.abs() < 1e-4), "{unit}: {difference}");
            }
        }
    }

    #[test]
    fn the_rest_takes_a_share_and_the_gap_has_it() {
        // Half of the budget for the rest doubles the variances of what was 0.1 % above the best.
        assert!((gap_with_the_rest(0.001, 0.5) - 1.002).abs() < 1e-15);
        assert_eq!(gap_with_the_rest(0.001, SPENT_ON_THE_REST), 0.001);
        let matrix = array![[1.0, 0.0], [0.0, 1e-12]];
        assert_eq!(with_the_rest(&matrix, 1, 0.01).unwrap(), matrix);
        let shared = with_the_rest(&matrix, 0, 0.25).unwrap();
        assert_eq!(shared, array![[1.0, 0.0], [0.0, 0.75e-12 + 0.25]]);
    }
}
