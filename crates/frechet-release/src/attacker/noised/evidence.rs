//! How likely a table makes noisy numbers, kept up to date along a chain.
//!
//! `r` what the table leaves of the Gaussian numbers, in standard deviations, `g` what it leaves of
//! the Laplace ones. Along a move `d`, with `D` and `c` the changes of their expectations per
//! step:
//!
//! ```text
//! ln L(x + t d) - ln L(x) = t r D - t^2 |D|^2 / 2 - sum of (|g - t c| - |g|) / b
//! ```
//!
//! It is concave in `t`, so a slice of a line is an interval.

use crate::attacker::noised::numbers::{Block, NoisyNumbers};

/// Noisy numbers, and for every cell which of the Laplace numbers it is part of.
pub(crate) struct NumbersByCell<'a> {
    numbers: &'a NoisyNumbers,
    laplace: Vec<Vec<usize>>,
}

impl<'a> NumbersByCell<'a> {
    /// A list for each cell: for tables that are attacked.
    pub(crate) fn of(numbers: &'a NoisyNumbers) -> Self {
        let mut laplace = vec![Vec::new(); numbers.cells()];
        for (place, number) in numbers.laplace.iter().enumerate() {
            number.cells.iter().for_each(|&cell| laplace[cell as usize].push(place));
        }
        Self { numbers, laplace }
    }
}

/// What a table leaves of noisy numbers.
pub(crate) struct Evidence<'a> {
    by_cell: &'a NumbersByCell<'a>,
    residuals: Vec<Vec<f64>>,
    gaps: Vec<i64>,
}

/// Noisy numbers along a move.
pub(crate) struct EvidenceLine {
    slope: f64,
    curvature: f64,
    /// Changes of each block per step; empty where it does not change.
    changes: Vec<Vec<f64>>,
    /// Laplace numbers that change: which, what is left of it, its change per step, its scale.
    laplace: Vec<(usize, i64, i64, f64)>,
}

impl<'a> Evidence<'a> {
    /// What `table` leaves.
    pub(crate) fn at(by_cell: &'a NumbersByCell<'a>, table: &[i64]) -> Self {
        let numbers = by_cell.numbers;
        let residuals = numbers.blocks.iter().map(|block| residual(block, table)).collect();
        let gaps = numbers.laplace.iter().map(|number| number.gap(table)).collect();
        Self { by_cell, residuals, gaps }
    }

    /// `ln L`, up to a constant.
    pub(crate) fn log_likelihood(&self) -> f64 {
        let squares: f64 = self.residuals.iter().flatten().map(|own| own * own).sum();
        let laplace = self.gaps.iter().zip(&self.by_cell.numbers.laplace);
        -0.5 * squares - laplace.map(|(&gap, number)| gap.unsigned_abs() as f64 / number.scale).sum::<f64>()
    }

    /// The numbers along a move: cells and their changes.
    pub(crate) fn line(&self, cells: &[(usize, i64)]) -> EvidenceLine {
        let changes: Vec<Vec<f64>> = self.by_cell.numbers.blocks.iter().map(|block| change(block, cells)).collect();
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (residual, change) in self.residuals.iter().zip(&changes) {
            slope += residual.iter().zip(change).map(|(r, d)| r * d).sum::<f64>();
            curvature += change.iter().map(|d| d * d).sum::<f64>();
        }
        EvidenceLine { slope, curvature, changes, laplace: self.laplace_line(cells) }
    }

    fn laplace_line(&self, cells: &[(usize, i64)]) -> Vec<(usize, i64, i64, f64)> {
        let NumbersByCell { numbers, laplace } = self.by_cell;
        let own = |&(cell, change): &(usize, i64)| laplace[cell].iter().map(move |&number| (number, change));
        let mut net = net_changes(cells.iter().flat_map(own));
        // Sums of rounded terms depend on their order.
        net.sort_unstable();
        let along = |(place, change): (usize, i64)| (place, self.gaps[place], change, numbers.laplace[place].scale);
        net.into_iter().map(along).collect()
    }

    /// The table went `steps` steps along the line.
    pub(crate) fn go(&mut self, line: &EvidenceLine, steps: i64) {
        let far = steps as f64;
        for (residual, change) in self.residuals.iter_mut().zip(&line.changes) {
            residual.iter_mut().zip(change).for_each(|(own, change)| *own -= far * change);
        }
        for &(place, _, change, _) in &line.laplace {
            self.gaps[place] -= steps * change;
        }
    }
}

impl EvidenceLine {
    /// `ln L(x + t d) - ln L(x)`.
    pub(crate) fn log_ratio(&self, t: i64) -> f64 {
        let far = t as f64;
        let of_laplace = |&(_, gap, change, scale): &(usize, i64, i64, f64)| {
            let moved = i128::from(gap) - i128::from(t) * i128::from(change);
            (i128::from(gap.abs()) - moved.abs()) as f64 / scale
        };
        far * (self.slope - 0.5 * far * self.curvature) + self.laplace.iter().map(of_laplace).sum::<f64>()
    }
}

fn residual(block: &Block, table: &[i64]) -> Vec<f64> {
    let mut sums = vec![0_i64; block.columns.len() / block.values.len().max(1)];
    block.class_of_cell.iter().zip(table).for_each(|(&class, &count)| sums[class as usize] += count);
    let mut left = block.values.clone();
    for (class, &sum) in (0..).zip(&sums).filter(|(_, sum)| **sum != 0) {
        left.iter_mut().zip(block.column(class)).for_each(|(own, coefficient)| *own -= sum as f64 * coefficient);
    }
    left
}

/// The change of a block's numbers per step; empty where the sums of its classes stay.
fn change(block: &Block, cells: &[(usize, i64)]) -> Vec<f64> {
    let net = net_changes(cells.iter().map(|&(cell, change)| (block.class_of_cell[cell], change)));
    if net.is_empty() {
        return Vec::new();
    }
    let mut all = vec![0.0; block.values.len()];
    for (class, sum) in net {
        all.iter_mut().zip(block.column(class)).for_each(|(own, coefficient)| *own += sum as f64 * coefficient);
    }
    all
}

/// Changes added up by what they change, in the order in which it is met first, without what stays
/// as it is. A move has few.
fn net_changes<K: PartialEq>(changes: impl Iterator<Item = (K, i64)>) -> Vec<(K, i64)> {
    let mut net: Vec<(K, i64)> = Vec::new();
    for (place, change) in changes {
        match net.iter_mut().find(|(own, _)| *own == place) {
            Some((_, sum)) => *sum += change,
            None => net.push((place, change)),
        }
    }
    net.retain(|(_, sum)| *sum != 0);
    net
}

#[cfg(test)]
mod tests {
    use privacy_core::Domain;

    use super::*;
    use crate::table::class::Region;

    #[test]
    fn a_line_says_how_the_likelihood_changes() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let mut numbers = NoisyNumbers::new(&domain).unwrap();
        numbers.add_gaussian(&[], 3.0, &[14.5]).unwrap();
        let second = vec![vec![1.0, -1.0, 0.0], vec![0.5, 0.5, -1.0]];
        numbers.add_gaussian(&[(0, vec![vec![1.0, -1.0]]), (1, second)], 0.7, &[1.5, -2.25]).unwrap();
        numbers.add_laplace(&Region::everything().with(1, [2]), 1.5, 4).unwrap();
        // Cells of two numbers, and of none.
        numbers.add_laplace(&Region::everything().with(0, [1]), 0.8, 9).unwrap();
        numbers.add_laplace(&Region::everything().with(0, [0, 1]).with(1, [1, 2]), 2.0, 11).unwrap();
        let (table, numbers) = ([3, 1, 4, 1, 5, 2], NumbersByCell::of(&numbers));
        let mut evidence = Evidence::at(&numbers, &table);
        for cells in [vec![(0, 1), (4, -1)], vec![(2, 2)], vec![(0, 1), (2, -1), (3, -1), (5, 1)]] {
            let line = evidence.line(&cells);
            for t in [-2, 1, 3] {
                let mut moved = table;
                cells.iter().for_each(|&(cell, change)| moved[cell] += t * change);
                let expected = Evidence::at(&numbers, &moved).log_likelihood() - evidence.log_likelihood();
                assert!((line.log_ratio(t) - expected).abs() < 1e-9, "{cells:?} {t}");
            }
        }
        let line = evidence.line(&[(1, 1), (5, -1)]);
        evidence.go(&line, 2);
        let expected = Evidence::at(&numbers, &[3, 3, 4, 1, 5, 0]).log_likelihood();
        assert!((evidence.log_likelihood() - expected).abs() < 1e-9);
    }
}
