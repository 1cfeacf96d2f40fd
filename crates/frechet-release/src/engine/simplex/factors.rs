//! A sparse basis matrix as a product: `B = L U`, times one elementary matrix for each basis
//! exchanged since.
//!
//! Columns with one entry come first and take no elimination; the others follow by their number of
//! entries. A pivot is the entry in the row with the fewest entries left among those that are not
//! small (a threshold rule of Markowitz), so tables, whose bases are nearly triangular, fill in
//! little. Vectors over rows are solved with dense storage and skip zeros.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A pivot is at least this share of the largest entry of its column.
const SHARE: f64 = 0.1;
/// Entries that count as zero.
const TINY: f64 = 1e-11;

/// No step.
const NONE: u32 = u32::MAX;

/// Entries of one column, by row or by position in the basis.
type Sparse = Vec<(u32, f64)>;

#[derive(Clone, Default)]
pub(super) struct Factors {
    /// For each step of the elimination, the row of its pivot and the place of its column in the
    /// basis.
    pivots: Vec<(u32, u32)>,
    /// Multiples of the pivot row that other rows lost, by row.
    lower: Vec<Sparse>,
    /// Steps whose `lower` is not empty.
    lower_steps: Vec<u32>,
    /// Entries of the column in earlier pivot rows, by row; the pivot itself apart.
    upper: Vec<Sparse>,
    diagonal: Vec<f64>,
    /// Exchanges: the place, its entry, and the other entries of the entering column.
    exchanges: Vec<(u32, f64, Sparse)>,
    exchanged_entries: usize,
    work: Vec<f64>,
}

impl Factors {
    /// Factors of the basis whose columns are given by `column`; `None` if it is singular.
    pub(super) fn of<'a>(rows: usize, column: impl Fn(usize) -> Column<'a>) -> Option<Self> {
        let mut factors = Self { work: vec![0.0; rows], ..Self::default() };
        let mut left = vec![0_u32; rows];
        let mut order: Vec<u32> = (0..small(rows)).collect();
        for place in 0..rows {
            column(place).for_each(|row, _| left[row] += 1);
        }
        order.sort_by_key(|&place| column(place as usize).len());
        let mut elimination = Elimination {
            left,
            step_of: vec![NONE; rows],
            touched: Vec::new(),
            is_touched: vec![false; rows],
            waiting: BinaryHeap::new(),
        };
        for place in order {
            factors.eliminate(place, &column(place as usize), &mut elimination)?;
        }
        Some(factors)
    }

    /// One step: the column with what earlier pivots took from it, and its pivot. It costs what the
    /// entries that it touches cost, whatever the number of rows.
    fn eliminate(&mut self, place: u32, column: &Column<'_>, at: &mut Elimination) -> Option<()> {
        column.for_each(|row, value| {
            self.work[row] = value;
            at.touch(row);
        });
        // A row is below a pivot only if its own pivot comes later, so steps come in their order.
        while let Some(Reverse(step)) = at.waiting.pop() {
            let factor = self.work[self.pivots[step as usize].0 as usize];
            for &(row, entry) in &self.lower[step as usize] {
                self.work[row as usize] -= factor * entry;
                at.touch(row as usize);
            }
        }
        let (mut above, mut below, mut largest) = (Sparse::new(), Sparse::new(), 0.0_f64);
        for row in at.touched.drain(..) {
            at.is_touched[row as usize] = false;
            let value = std::mem::take(&mut self.work[row as usize]);
            if value.abs() > TINY {
                let is_done = at.step_of[row as usize] != NONE;
                let slot = if is_done { &mut above } else { &mut below };
                slot.push((row, value));
                largest = if is_done { largest } else { largest.max(value.abs()) };
            }
        }
        let candidates = below.iter().filter(|(_, value)| value.abs() >= SHARE * largest);
        let &(pivot_row, pivot) = candidates.min_by_key(|&&(row, _)| (at.left[row as usize], row))?;
        if pivot.abs() < super::PIVOT {
            return None;
        }
        at.step_of[pivot_row as usize] = small(self.pivots.len());
        below.retain(|&(row, _)| row != pivot_row);
        below.iter_mut().for_each(|(_, value)| *value /= pivot);
        column.for_each(|row, _| at.left[row] = at.left[row].saturating_sub(1));
        if !below.is_empty() {
            self.lower_steps.push(small(self.pivots.len()));
        }
        self.pivots.push((pivot_row, place));
        self.lower.push(below);
        self.upper.push(above);
        self.diagonal.push(pivot);
        Some(())
    }

    /// Turns a vector over rows into `B^-1` times it, over places.
    pub(super) fn solve(&mut self, vector: &mut [f64]) {
        for &step in &self.lower_steps {
            let factor = vector[self.pivots[step as usize].0 as usize];
            if factor != 0.0 {
                self.lower[step as usize].iter().for_each(|&(row, entry)| vector[row as usize] -= factor * entry);
            }
        }
        for (step, &(row, place)) in self.pivots.iter().enumerate().rev() {
            let value = vector[row as usize];
            let value = if value == 0.0 { 0.0 } else { value / self.diagonal[step] };
            self.work[place as usize] = value;
            if value != 0.0 {
                self.upper[step].iter().for_each(|&(row, entry)| vector[row as usize] -= value * entry);
            }
        }
        vector.copy_from_slice(&self.work);
        self.work.fill(0.0);
        for (place, pivot, others) in &self.exchanges {
            let value = vector[*place as usize] / pivot;
            vector[*place as usize] = value;
            if value != 0.0 {
                others.iter().for_each(|&(row, entry)| vector[row as usize] -= value * entry);
            }
        }
    }

    /// Turns a vector over places into it times `B^-1`, over rows.
    pub(super) fn solve_transposed(&mut self, vector: &mut [f64]) {
        for (place, pivot, others) in self.exchanges.iter().rev() {
            let rest: f64 = others.iter().map(|&(row, entry)| vector[row as usize] * entry).sum();
            vector[*place as usize] = (vector[*place as usize] - rest) / pivot;
        }
        for (step, &(row, place)) in self.pivots.iter().enumerate() {
            let own = vector[place as usize];
            if self.upper[step].is_empty() {
                self.work[row as usize] = own / self.diagonal[step];
                continue;
            }
            let rest: f64 = self.upper[step].iter().map(|&(row, entry)| self.work[row as usize] * entry).sum();
            self.work[row as usize] = (own - rest) / self.diagonal[step];
        }
        for &step in self.lower_steps.iter().rev() {
            let rest: f64 = self.lower[step as usize].iter().map(|&(row, entry)| self.work[row as usize] * entry).sum();
            self.work[self.pivots[step as usize].0 as usize] -= rest;
        }
        vector.copy_from_slice(&self.work);
        self.work.fill(0.0);
    }

    /// Exchanges the basic variable at `place`; `column` is the entering one's, solved.
    pub(super) fn exchange(&mut self, place: usize, column: &[f64]) {
        let others = column.iter().enumerate().filter(|&(other, &entry)| other != place && entry.abs() > TINY);
        let others: Sparse = others.map(|(other, &entry)| (small(other), entry)).collect();
        self.exchanged_entries += others.len();
        self.exchanges.push((small(place), column[place], others));
    }

    /// Whether factors from scratch would cost less than the exchanges do by now.
    pub(super) fn is_worn(&self) -> bool {
        self.exchanges.len() > 100 || self.exchanged_entries > 20 * self.pivots.len() + 2_000
    }
}

/// What an elimination has to remember between its steps.
struct Elimination {
    /// For each row, the entries in columns that are still to come.
    left: Vec<u32>,
    /// The step whose pivot is in a row, or [`NONE`].
    step_of: Vec<u32>,
    /// Rows of the column at hand that may not be zero.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Steps whose pivot rows the column has an entry in, the first of them first.
    waiting: BinaryHeap<Reverse<u32>>,
}

impl Elimination {
    fn touch(&mut self, row: usize) {
        if !std::mem::replace(&mut self.is_touched[row], true) {
            self.touched.push(small(row));
            if self.step_of[row] != NONE {
                self.waiting.push(Reverse(self.step_of[row]));
            }
        }
    }
}

/// A column of the constraint matrix.
pub(super) enum Column<'a> {
    /// A cell: 1 in these rows.
    Cell(&'a [u32]),
    /// A sum: -1 in its row.
    Sum(usize),
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Cell(rows) => rows.len(),
            Self::Sum(_) => 0,
        }
    }

    fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Cell(rows) => rows.iter().for_each(|&row| visit(row as usize, 1.0)),
            Self::Sum(row) => visit(*row, -1.0),
        }
    }
}

/// Rows are counted in 32 bits.
fn small(n: usize) -> u32 {
    u32::try_from(n).expect("rows are counted in 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_both_ways_before_and_after_exchanges() {
        // Columns {0, 1}, {1, 2}, {0, 2} and the sum of row 3: determinant 2, up to its sign.
        let cells: [&[u32]; 3] = [&[0, 1], &[1, 2], &[0, 2]];
        let column = |place: usize| cells.get(place).map_or(Column::Sum(3), |rows| Column::Cell(rows));
        let mut factors = Factors::of(4, column).unwrap();
        let mut right = [3.0, 4.0, 5.0, -6.0];
        factors.solve(&mut right);
        assert!(right.iter().zip([1.0, 3.0, 2.0, 6.0]).all(|(got, want)| (got - want).abs() < 1e-12), "{right:?}");
        // Costs 1, 2, 3, 4: y0 + y1 = 1, y1 + y2 = 2, y0 + y2 = 3, -y3 = 4.
        let mut costs = [1.0, 2.0, 3.0, 4.0];
        factors.solve_transposed(&mut costs);
        assert!(costs.iter().zip([1.0, 0.0, 2.0, -4.0]).all(|(got, want)| (got - want).abs() < 1e-12), "{costs:?}");
        // The cell {0, 3} enters in place of the sum.
        let mut entering = [1.0, 0.0, 0.0, 1.0];
        factors.solve(&mut entering);
        factors.exchange(3, &entering);
        let mut right = [9.0, 4.0, 5.0, 6.0];
        factors.solve(&mut right);
        assert!(right.iter().zip([1.0, 3.0, 2.0, 6.0]).all(|(got, want)| (got - want).abs() < 1e-12), "{right:?}");
        let mut costs = [1.0, 2.0, 3.0, 4.0];
        factors.solve_transposed(&mut costs);
        assert!(costs.iter().zip([1.0, 0.0, 2.0, 3.0]).all(|(got, want)| (got - want).abs() < 1e-12), "{costs:?}");
    }

    #[test]
    fn short_columns_come_first_and_pivots_are_in_rows_with_few_entries() {
        // A sum has one entry and no row of its own, so it comes before all cells.
        let cells: [&[u32]; 4] = [&[0, 1, 2, 3], &[0, 2], &[0, 3], &[1]];
        let column = |place: usize| cells.get(place).map_or(Column::Sum(4), |rows| Column::Cell(rows));
        let factors = Factors::of(5, column).unwrap();
        // Row 0 has three entries and row 2 has two; then rows 0 and 3 have two each.
        assert_eq!(factors.pivots, [(4, 4), (1, 3), (2, 1), (0, 2), (3, 0)]);
    }

    #[test]
    fn exchanges_wear_factors_out_by_their_entries() {
        // 20 entries for each of 200 rows, and 2,000.
        let mut factors = Factors::of(200, Column::Sum).unwrap();
        let entries = |others: usize| (0..200).map(|row| f64::from(u8::from(row <= others))).collect::<Vec<f64>>();
        (0..30).for_each(|_| factors.exchange(0, &entries(199)));
        factors.exchange(0, &entries(30));
        assert!(factors.exchanged_entries == 6_000 && !factors.is_worn());
        factors.exchange(0, &entries(1));
        assert!(factors.is_worn());
    }

    #[test]
    fn a_singular_basis_has_no_factors() {
        let cells: [&[u32]; 4] = [&[0, 1], &[1, 2], &[2, 3], &[0, 3]];
        assert!(Factors::of(4, |place| Column::Cell(cells[place])).is_none());
    }
}
