//! Whole numbers with sums that are far from those of their cells, and what is said of both.

use super::*;

/// Numbers without a pattern from 0 to below `below`.
struct Draws(u64);

impl Draws {
    fn below(&mut self, below: i64) -> i64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % below as u64) as i64
    }

    /// Sums from 0 to 5 that add up to this, if there are any.
    fn sums(&mut self, count: usize, total: i64) -> Option<Vec<i64>> {
        let mut sums: Vec<i64> = (1..count).map(|_| self.below(6)).collect();
        sums.push(total - sums.iter().sum::<i64>());
        (0..6).contains(sums.last()?).then_some(sums)
    }
}

/// All tables of two rows and three columns with these sums and no number below 0.
fn tables(rows: &[i64], columns: &[i64]) -> Vec<[i64; 6]> {
    let firsts = (0..=columns[0]).flat_map(|a| (0..=columns[1]).map(move |b| [a, b]));
    let tables = firsts.map(|[a, b]| {
        let c = rows[0] - a - b;
        [a, b, c, columns[0] - a, columns[1] - b, columns[2] - c]
    });
    tables.filter(|table| table.iter().all(|&y| y >= 0)).collect()
}

#[test]
fn sums_that_nobody_rounded_are_reached_as_tightly_as_any_table_does() {
    let (mut draws, mut met) = (Draws(7), [0; 3]);
    for _ in 0..6_000 {
        let cells: Vec<f64> = (0..6).map(|_| [0.0, 0.25, 0.5, 1.0, 1.5, 2.0][draws.below(6) as usize]).collect();
        let total = draws.below(9);
        let (Some(rows), Some(columns)) = (draws.sums(2, total), draws.sums(3, total)) else { continue };
        let got = with_sums(&cells, &rows, &columns);
        let all = tables(&rows, &columns);
        assert!(all.iter().any(|table| got == *table), "{cells:?} {rows:?} {columns:?}: {got:?}");
        let is_tight = |table: &[i64]| table.iter().zip(&cells).all(|(&y, &x)| (y as f64 - x).abs() < 1.0);
        let is_near = |table: &[i64]| table.iter().zip(&cells).all(|(&y, &x)| (y as f64 - x).abs() <= 1.0);
        let (tight, near) = (all.iter().any(|t| is_tight(t)), all.iter().any(|t| is_near(t)));
        assert!(!tight || is_tight(&got), "{cells:?} {rows:?} {columns:?}: {got:?}");
        assert!(!near || is_near(&got), "{cells:?} {rows:?} {columns:?}: {got:?}");
        met[usize::from(tight) + usize::from(near)] += 1;
    }
    assert!(met.iter().all(|&count| count > 20), "every kind is met: {met:?}");
}

#[test]
fn every_row_and_every_column_may_be_wrong_at_first() {
    assert_eq!(with_sums(&[1.0], &[2], &[2]), [2]);
    assert_eq!(with_sums(&[3.0], &[1], &[1]), [1]);
    let sums = |table: &[i64], width: usize| -> (Vec<i64>, Vec<i64>) {
        let rows = table.chunks(width).map(|row| row.iter().sum()).collect();
        (rows, (0..width).map(|column| table.iter().skip(column).step_by(width).sum()).collect())
    };
    for (cells, rows, columns) in [
        ([2.0, 2.0, 2.0, 2.0, 2.0, 2.0], [9, 9], [6, 6, 6]),
        ([2.0, 2.0, 2.0, 2.0, 2.0, 2.0], [3, 3], [2, 2, 2]),
        ([3.0, 3.0, 0.0, 3.0, 3.0, 0.0], [6, 6], [5, 5, 2]),
        ([3.0, 3.0, 0.0, 3.0, 3.0, 0.0], [6, 6], [3, 3, 6]),
        ([0.5, 3.5, 0.0, 2.0, 1.0, 0.25], [0, 12], [0, 0, 12]),
    ] {
        let got = with_sums(&cells, &rows, &columns);
        assert_eq!(sums(&got, 3), (rows.to_vec(), columns.to_vec()), "{cells:?}: {got:?}");
        assert!(got.iter().all(|&y| y >= 0));
    }
}

/// A measurement of these counts over two attributes, whose numbers of categories are powers of 2,
/// so that nothing is rounded.
fn of_cells(cells: &[f64], width: usize) -> Measured<SimulatedNoise> {
    let height = cells.len() / width;
    let plan = plan(&[height, width], vec![QueryBasis::Identity; 2], &[&[0, 1]]);
    let total: f64 = cells.iter().sum();
    let [k, l] = [height, width].map(|size| size as f64);
    let rows: Vec<f64> = cells.chunks(width).map(|row| row.iter().sum()).collect();
    let columns: Vec<f64> = (0..width).map(|j| cells.iter().skip(j).step_by(width).sum()).collect();
    let residuals = plan.closure().sets().iter().map(|set| match set.iter().collect::<Vec<_>>()[..] {
        [] => vec![total],
        [0] => rows.iter().map(|row| row - total / k).collect(),
        [1] => columns.iter().map(|column| column - total / l).collect(),
        _ => {
            let residual = |(i, x): (usize, &f64)| x - rows[i / width] / l - columns[i % width] / k + total / (k * l);
            cells.iter().enumerate().map(residual).collect()
        }
    });
    let residuals = residuals.collect();
    Measured::new(plan.into_design(), residuals)
}

/// The second row and the first column have the largest fractions: the one record is in a cell
/// that has nobody.
#[test]
fn cells_beyond_the_numbers_next_to_them_are_counted() {
    let cells = [0.375, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.125];
    let measured = of_cells(&cells, 4);
    let both = AttrSet::first(2);
    assert_eq!(measured.cells(both).unwrap().into_raw_vec_and_offset().0, cells);
    let rounded = measured.rounded(both).unwrap();
    assert_eq!(rounded.cells.into_raw_vec_and_offset().0, [0, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(rounded.beyond, 1);
    let fits = of_cells(&[0.375, 0.0, 0.0, 0.0, 0.25, 0.125, 0.125, 0.125], 4).rounded(both).unwrap();
    assert_eq!((fits.beyond, fits.cells.sum()), (0, 1));
}

/// The sum of what is below zero is at least the lowest cell, and at most all eight of this size.
#[test]
fn what_is_repaired_is_the_lowest_cell_and_the_share_of_all_that_are_below_zero() {
    let measured = of_cells(&[-2.0, 5.0, -0.5, 2.0, 1.0, 2.75, -0.25, 0.0], 4);
    let after =
        |most_steps| measured.nonnegative(NonnegativeSpec { most_steps, ..NonnegativeSpec::default() }).unwrap();
    for most_steps in [0, 1, 2, 5] {
        let adjusted = after(most_steps);
        let (lowest, share) = (adjusted.largest_violation(), adjusted.share_moved());
        assert!(lowest > 1e-3 && lowest < 2.0, "{most_steps}: {lowest}");
        let [least, most] = [lowest, 8.0 * lowest].map(|below_zero| below_zero / (8.0 + below_zero));
        assert!(share >= least - 1e-12 && share <= most + 1e-12, "{most_steps}: {least} {share} {most}");
    }
    assert!(after(200).largest_violation() < 1e-3 && after(200).share_moved() < 1e-3);
}

#[test]
fn a_total_of_zero_needs_no_step() {
    let measured = measured(plan(&[3, 2], vec![QueryBasis::Identity; 2], &[&[0, 1]]), 0.0, 3.0, 6);
    let adjusted = measured.nonnegative(NonnegativeSpec::default()).unwrap();
    assert_eq!((adjusted.steps(), adjusted.share_moved()), (0, 0.0));
    assert!(flat(&adjusted, AttrSet::first(2)).iter().all(|&cell| cell == 0.0));
}

/// What is left to do is compared with the total: people or thousands of them need as many steps.
#[test]
fn steps_end_at_a_share_of_the_total() {
    let spec = NonnegativeSpec { unsettled: Probability::new(0.01).unwrap(), ..NonnegativeSpec::default() };
    let steps = |unit: f64| {
        let plan = plan(&[3, 4], vec![QueryBasis::Identity; 2], &[&[0, 1]]);
        measured(plan, 40.0 * unit, 9.0 * unit, 3).nonnegative(spec.clone()).unwrap().steps()
    };
    assert!((2..200).contains(&steps(1.0)), "{}", steps(1.0));
    assert_eq!([1.0 / 1024.0, 1024.0].map(steps), [steps(1.0); 2]);
}
