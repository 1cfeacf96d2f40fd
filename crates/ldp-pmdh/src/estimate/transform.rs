//! Maps between reports and truth on full tables of `n` columns, in place, in `O(n 2^n)`.
//!
//! Tables are indexed by column set (bit `i` of the index is column `i`). `h_y` reports equal to
//! `y`, `r_x` true rows equal to `x`: cells. `c_S`, `t_S` reports and true rows with all columns
//! of `S` set: counts, sums of cells over supersets. Numbers in brackets are those of
//! `docs/math/ldp-pmdh.md`.

use ldp_client::Channel;

/// Applies to every pair (without column `i`, with column `i`) what
/// `map` makes of the channel of column `i`.
fn map_columns<M: Fn(&mut f64, &mut f64)>(channels: &[Channel], values: &mut [f64], map: impl Fn(Channel) -> M) {
    assert_eq!(Some(values.len()), 1_usize.checked_shl(channels.len() as u32), "2^n values for n columns");
    // The matrix of the whole table is the Kronecker product of one 2 x 2 matrix per column, so
    // it is applied a column at a time and never formed.
    for (column, &channel) in channels.iter().enumerate() {
        let (half, map) = (1 << column, map(channel));
        for block in values.chunks_exact_mut(2 * half) {
            let (without, with) = block.split_at_mut(half);
            without.iter_mut().zip(with).for_each(|(without, with)| map(without, with));
        }
    }
}

/// Unbiased true counts from report counts:
/// `t_J = prod 1/d * sum over S in J of c_S prod over J \ S of (-p)`. (3.5)
///
/// # Panics
/// If there are not `2^n` counts for `n` channels.
pub fn truth_from_counts(channels: &[Channel], counts: &mut [f64]) {
    map_columns(channels, counts, |channel| {
        // Only the half with the column changes: in counts its inverse is triangular.
        let (p, scale) = (channel.p(), 1.0 / channel.gap());
        move |without: &mut f64, with: &mut f64| *with = (*with - p * *without) * scale
    });
}

/// Expected report counts of true counts:
/// `E c_J = sum over S in J of t_S prod over S of d prod over J \ S of p`. (3.1)
///
/// # Panics
/// If there are not `2^n` counts for `n` channels.
pub fn counts_from_truth(channels: &[Channel], truth: &mut [f64]) {
    map_columns(channels, truth, |channel| {
        let (p, gap) = (channel.p(), channel.gap());
        move |without: &mut f64, with: &mut f64| *with = p * *without + gap * *with
    });
}

/// Unbiased true cells from a histogram of reports: the inverse of every channel. (1.6)
///
/// # Panics
/// If there are not `2^n` cells for `n` channels.
pub fn cells_from_reports(channels: &[Channel], reports: &mut [f64]) {
    map_columns(channels, reports, |channel| {
        let (p, q, scale) = (channel.p(), channel.q(), 1.0 / channel.gap());
        move |zero: &mut f64, one: &mut f64| {
            (*zero, *one) = ((q * *zero - (1.0 - q) * *one) * scale, ((1.0 - p) * *one - p * *zero) * scale);
        }
    });
}

/// Expected reports of true cells, `A r` with `A(y | x)` the product of the channels. (1.6)
///
/// # Panics
/// If there are not `2^n` cells for `n` channels.
pub fn reports_from_cells(channels: &[Channel], cells: &mut [f64]) {
    map_columns(channels, cells, |channel| {
        let (p, q) = (channel.p(), channel.q());
        move |zero: &mut f64, one: &mut f64| {
            (*zero, *one) = ((1.0 - p) * *zero + (1.0 - q) * *one, p * *zero + q * *one);
        }
    });
}

/// `A^T v`: for each true cell the mean of a function of the reports.
///
/// # Panics
/// If there are not `2^n` values for `n` channels.
pub fn mean_over_reports(channels: &[Channel], values: &mut [f64]) {
    map_columns(channels, values, |channel| {
        let (p, q) = (channel.p(), channel.q());
        move |zero: &mut f64, one: &mut f64| {
            (*zero, *one) = ((1.0 - p) * *zero + p * *one, (1.0 - q) * *zero + q * *one);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::subsets::{moebius_over_supersets, zeta_over_supersets};

    fn channels() -> Vec<Channel> {
        [(0.1, 0.8), (0.25, 0.5), (0.0, 1.0)].map(|(p, q)| Channel::new(p, q).unwrap()).to_vec()
    }

    fn assert_close(got: &[f64], want: &[f64]) {
        got.iter().zip(want).for_each(|(got, want)| assert!((got - want).abs() < 1e-11, "{got} for {want}"));
    }

    #[test]
    fn the_two_roads_from_reports_to_truth_meet() {
        let reports = [13.0, 0.0, 4.0, 9.0, 1.0, 7.0, 2.0, 5.0];
        let (mut cells, mut counts) = (reports, reports);
        cells_from_reports(&channels(), &mut cells);
        zeta_over_supersets(&mut counts);
        truth_from_counts(&channels(), &mut counts);
        let mut back = counts;
        moebius_over_supersets(&mut back);
        assert_close(&cells, &back);
        reports_from_cells(&channels(), &mut cells);
        assert_close(&cells, &reports);
        counts_from_truth(&channels(), &mut counts);
        moebius_over_supersets(&mut counts);
        assert_close(&counts, &reports);
    }

    #[test]
    fn the_mean_over_reports_is_the_transpose() {
        let (mut forward, mut back) =
            ([1.0, 2.0, 0.0, 5.0, 3.0, 1.0, 1.0, 4.0], [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0]);
        let (cells, values) = (forward, back);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        reports_from_cells(&channels(), &mut forward);
        mean_over_reports(&channels(), &mut back);
        assert!((dot(&forward, &values) - dot(&cells, &back)).abs() < 1e-12);
    }
}
