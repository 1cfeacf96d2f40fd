//! How many steps a question takes, before it is begun: some two nanoseconds each.

use disclosure::ldp::estimate::MOST_TABLE_COLUMNS;
use disclosure::ldp::{Schema, StateDetail};

/// Most steps of one command: a few minutes.
pub(super) const MOST_STEPS: f64 = 1e11;

/// Words of a bit string that counting goes over even if there are few reports: at least those of a block.
const BLOCK_WORDS: f64 = 512.0;
/// Steps of the two fits, at all their iterations, for a column and a cell.
const FITS: f64 = 16_000.0;

/// Steps of estimating sets: the counts of all their subsets, for the estimate and two variances. Longer sets than an estimator
/// takes are none: it refuses them at once.
pub(super) fn of_estimates(keep: StateDetail, reports: f64, sets: &[Vec<usize>]) -> f64 {
    let taken = sets.iter().map(Vec::len).filter(|&columns| columns <= MOST_TABLE_COLUMNS);
    taken.map(|columns| 3.0 * of_counts(keep, reports, columns)).sum()
}

/// Steps of fitting tables over sets of at most `most` columns.
pub(super) fn of_fits(sets: &[Vec<usize>], most: usize) -> f64 {
    let fitted = sets.iter().map(Vec::len).filter(|&columns| columns <= most);
    fitted.map(|columns| FITS * columns as f64 * cells(columns)).sum()
}

/// Steps of the covariance of every two sets, whose unions are at most as long as both together.
pub(super) fn of_covariances(keep: StateDetail, reports: f64, sets: &[Vec<usize>]) -> f64 {
    let mut by_length = [0.0; MOST_TABLE_COLUMNS + 1];
    sets.iter().for_each(|set| by_length[set.len().min(MOST_TABLE_COLUMNS)] += 1.0);
    let pairs = |(first, of_first): (usize, &f64)| -> f64 {
        let with = |(second, of_second): (usize, &f64)| match of_first * of_second {
            0.0 => 0.0,
            pairs => 0.5 * pairs * of_counts(keep, reports, (first + second).min(MOST_TABLE_COLUMNS)),
        };
        by_length.iter().enumerate().map(with).sum()
    };
    by_length.iter().enumerate().map(pairs).sum()
}

/// Steps of drawing and counting that many reports once.
pub(super) fn of_round(schema: &Schema, keep: StateDetail, reports: f64) -> f64 {
    let columns = schema.columns().len() + if schema.is_sampled() { schema.features().len() } else { 0 };
    let counting = match keep {
        // The table is made, and summed over supersets.
        StateDetail::Full => columns as f64 * cells(columns),
        StateDetail::UpTo(order) => {
            let mut sets = 1.0;
            let sets: f64 = (0..order)
                .map(|i| {
                    sets *= (columns as f64 - i as f64).max(0.0) / (i as f64 + 1.0);
                    sets
                })
                .sum();
            sets * (reports / 64.0).max(BLOCK_WORDS)
        }
        _ => 0.0,
    };
    reports * columns as f64 + counting
}

/// Steps of counting all subsets of so many columns.
fn of_counts(keep: StateDetail, reports: f64, columns: usize) -> f64 {
    let each = if keep == StateDetail::Reports { 1.0 + reports / 64.0 } else { 1.0 };
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
        let (counts, reports) =
            (of_estimates(StateDetail::UpTo(2), 1e6, &pairs), of_estimates(StateDetail::Reports, 1e6, &pairs));
        assert!(reports > 1e4 * counts);
        // 100 * 100 / 2 unions of four columns: 16 subsets of twenty steps each.
        assert_eq!(of_covariances(StateDetail::Full, 1e6, &pairs), 5000.0 * 16.0 * 20.0);
        assert!(of_fits(&[vec![0; 12]], 12) > 1e8 && of_fits(&[vec![0; 13]], 12) == 0.0);
    }
}
