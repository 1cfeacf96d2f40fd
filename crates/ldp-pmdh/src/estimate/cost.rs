//! How many steps a question takes, before it is begun: about two nanoseconds each.
//!
//! `k` columns of a set, `N` reports. Counting all subsets of a set takes
//! `2^k` counts, each of `O(k)` steps; where the reports themselves are kept, of `N / 64` words
//! more.

use ldp_client::{ReportReader, Schema};

use super::MOST_TABLE_COLUMNS;
use crate::detail::StateDetail;

/// Words of a bit string that counting goes over even if there are few reports: at least those of
/// a block.
const BLOCK_WORDS: f64 = 512.0;
/// Steps of the two fits, at all their iterations, for a column and a cell.
const FITS: f64 = 16_000.0;

/// Steps of estimating sets: the counts of all their subsets, for the estimate and two variances.
/// Sets longer than [`MOST_TABLE_COLUMNS`] take none: an estimator refuses them at once.
#[must_use]
pub fn estimate_steps(detail: StateDetail, reports: f64, sets: &[Vec<usize>]) -> f64 {
    let taken = sets.iter().map(Vec::len).filter(|&columns| columns <= MOST_TABLE_COLUMNS);
    taken.map(|columns| 3.0 * lattice_steps(detail, reports, columns)).sum()
}

/// Steps of fitting tables over the sets of at most `most` columns.
#[must_use]
pub fn fit_steps(sets: &[Vec<usize>], most: usize) -> f64 {
    let fitted = sets.iter().map(Vec::len).filter(|&columns| columns <= most);
    fitted.map(|columns| FITS * columns as f64 * cells(columns)).sum()
}

/// Steps of the covariance of every two sets, whose unions are at most as long as both together.
#[must_use]
pub fn covariance_steps(detail: StateDetail, reports: f64, sets: &[Vec<usize>]) -> f64 {
    let mut by_length = [0.0; MOST_TABLE_COLUMNS + 1];
    sets.iter().for_each(|set| by_length[set.len().min(MOST_TABLE_COLUMNS)] += 1.0);
    let mut steps = 0.0;
    // Sets of one length cost the same, so pairs of lengths are enough; half of the pairs, since
    // the matrix is symmetric.
    for (first, of_first) in by_length.iter().enumerate() {
        for (second, of_second) in by_length.iter().enumerate() {
            let pairs = 0.5 * of_first * of_second;
            if pairs > 0.0 {
                steps += pairs * lattice_steps(detail, reports, (first + second).min(MOST_TABLE_COLUMNS));
            }
        }
    }
    steps
}

/// Steps of drawing and counting that many reports once.
#[must_use]
pub fn counting_steps(schema: &Schema, detail: StateDetail, reports: f64) -> f64 {
    let columns = ReportReader::new(schema).stored_columns();
    let counting = match detail {
        // The table is made, and summed over supersets.
        StateDetail::Full => columns as f64 * cells(columns),
        StateDetail::UpTo(order) => sets_up_to(columns, order) * (reports / 64.0).max(BLOCK_WORDS),
        StateDetail::Reports => 0.0,
    };
    reports * columns as f64 + counting
}

/// How many sets of one to `order` columns there are: `n over 1` and so on, each from the one
/// before.
fn sets_up_to(columns: usize, order: usize) -> f64 {
    let (mut sets, mut sum) = (1.0, 0.0);
    for i in 0..order {
        sets *= (columns as f64 - i as f64).max(0.0) / (i as f64 + 1.0);
        sum += sets;
    }
    sum
}

/// Steps of counting all subsets of this many columns.
fn lattice_steps(detail: StateDetail, reports: f64, columns: usize) -> f64 {
    let each = if detail == StateDetail::Reports { 1.0 + reports / 64.0 } else { 1.0 };
    4.0 * (1.0 + columns as f64) * cells(columns) * each
}

fn cells(columns: usize) -> f64 {
    2_f64.powi(columns.min(1000) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_with_what_is_asked() {
        let pairs = vec![vec![0, 1]; 100];
        let counts = estimate_steps(StateDetail::UpTo(2), 1e6, &pairs);
        let reports = estimate_steps(StateDetail::Reports, 1e6, &pairs);
        assert!(reports > 1e4 * counts);
        // 100 * 100 / 2 unions of four columns: 16 subsets of twenty steps each.
        assert_eq!(covariance_steps(StateDetail::Full, 1e6, &pairs), 5000.0 * 16.0 * 20.0);
        assert!(fit_steps(&[vec![0; 12]], 12) > 1e8 && fit_steps(&[vec![0; 13]], 12) == 0.0);
    }
}
