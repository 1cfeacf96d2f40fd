//! What a bounded simplex computes with one basis `B`: values, columns and rows of its inverse, an
//! exchange of one variable. Up to [`MOST_EXPLICIT`] rows the inverse is explicit and
//! column-major; above, `B` is kept as [factors](super::factors).

use super::factors::{Column, Factors};
use super::{FRESH, PIVOT, Place, Simplex};
use crate::engine::linear_program::SearchEnd;

/// Rows up to which the inverse is explicit: a pivot takes their square at worst, which for a few
/// hundred is less than what factors take.
const MOST_EXPLICIT: usize = 400;

#[derive(Clone)]
pub(super) enum Inverse {
    /// Column-major.
    Explicit(Vec<f64>),
    Factored(Factors),
}

impl Inverse {
    /// That of the first basis, the sums of all rows.
    pub(super) fn of_sums(rows: usize) -> Self {
        if rows <= MOST_EXPLICIT {
            let mut inverse = vec![0.0; rows * rows];
            (0..rows).for_each(|row| inverse[row * rows + row] = -1.0);
            return Self::Explicit(inverse);
        }
        Self::Factored(Factors::of(rows, Column::Sum).expect("the sums of all rows are a basis"))
    }

    /// Whether exchanges have made it worth starting afresh: rounding errors add up, and factors
    /// grow.
    pub(super) fn is_worn(&self, pivots: usize) -> bool {
        match self {
            Self::Explicit(_) => pivots >= FRESH,
            Self::Factored(factors) => factors.is_worn(),
        }
    }
}

impl Simplex {
    /// Values of the basic variables from those of the others.
    pub(super) fn refresh_values(&mut self) {
        let mut right = vec![0.0; self.rows];
        for variable in 0..self.cells + self.rows {
            let value = match self.place[variable] {
                Place::Basic(_) => continue,
                Place::Lower => self.lower[variable],
                Place::Upper => self.upper[variable],
            };
            if value != 0.0 {
                if variable < self.cells {
                    self.rows_of(variable).iter().for_each(|&row| right[row as usize] -= value);
                } else {
                    right[variable - self.cells] += value;
                }
            }
        }
        match &mut self.inverse {
            // `B x_B = right`: the product with the inverse, column by column, since most right
            // sides are zero.
            Inverse::Explicit(inverse) => {
                self.values.fill(0.0);
                for (row, &amount) in right.iter().enumerate().filter(|&(_, &amount)| amount != 0.0) {
                    let column = &inverse[row * self.rows..(row + 1) * self.rows];
                    self.values.iter_mut().zip(column).for_each(|(value, &entry)| *value += amount * entry);
                }
            }
            Inverse::Factored(factors) => {
                factors.solve(&mut right);
                self.values = right;
            }
        }
    }

    pub(super) fn rows_of(&self, cell: usize) -> &[u32] {
        &self.entries[self.starts[cell]..self.starts[cell + 1]]
    }

    /// `column = B^-1 a`.
    pub(super) fn solve_column(&mut self, variable: usize) {
        let rows = self.rows;
        let column = &mut self.column;
        let sum = variable.checked_sub(self.cells);
        match &mut self.inverse {
            Inverse::Explicit(inverse) => {
                if let Some(sum) = sum {
                    let from = sum * rows;
                    column.iter_mut().zip(&inverse[from..from + rows]).for_each(|(c, &entry)| *c = -entry);
                    return;
                }
                column.fill(0.0);
                for &row in &self.entries[self.starts[variable]..self.starts[variable + 1]] {
                    let from = row as usize * rows;
                    column.iter_mut().zip(&inverse[from..from + rows]).for_each(|(c, &entry)| *c += entry);
                }
            }
            Inverse::Factored(factors) => {
                column.fill(0.0);
                match sum {
                    Some(sum) => column[sum] = -1.0,
                    None => self.entries[self.starts[variable]..self.starts[variable + 1]]
                        .iter()
                        .for_each(|&row| column[row as usize] = 1.0),
                }
                factors.solve(column);
            }
        }
    }

    /// `row = e_place B^-1`.
    pub(super) fn solve_row(&mut self, place: usize) {
        match &mut self.inverse {
            Inverse::Explicit(inverse) => {
                for (entry, column) in self.row.iter_mut().zip(inverse.chunks_exact(self.rows)) {
                    *entry = column[place];
                }
            }
            Inverse::Factored(factors) => {
                self.row.fill(0.0);
                self.row[place] = 1.0;
                factors.solve_transposed(&mut self.row);
            }
        }
    }

    /// `y = c_B B^-1`, for the basic variables that have a cost.
    pub(super) fn solve_prices(&mut self, costs: &[(usize, f64)]) {
        match &mut self.inverse {
            // Few basic variables have a cost, so the product takes rows times those few.
            Inverse::Explicit(inverse) => {
                for (price, column) in self.prices.iter_mut().zip(inverse.chunks_exact(self.rows.max(1))) {
                    *price = costs.iter().map(|&(row, cost)| cost * column[row]).sum();
                }
            }
            Inverse::Factored(factors) => {
                self.prices.fill(0.0);
                costs.iter().for_each(|&(row, cost)| self.prices[row] = cost);
                if !costs.is_empty() {
                    factors.solve_transposed(&mut self.prices);
                }
            }
        }
    }

    /// Exchanges the basic variable of `row`; `column` holds the entering one's.
    pub(super) fn pivot(&mut self, row: usize, price: f64) {
        let pivot = self.column[row];
        if matches!(self.inverse, Inverse::Factored(_)) {
            self.solve_row(row);
        }
        match &mut self.inverse {
            // Every column of the inverse loses the multiple of the entering column that makes its
            // entry in the pivot row right (a product form update). Columns with a zero there stay
            // as they are: inverses of tables are sparse.
            Inverse::Explicit(inverse) => {
                let column = &self.column;
                for (y, inverse) in self.prices.iter_mut().zip(inverse.chunks_exact_mut(self.rows)) {
                    let ratio = inverse[row] / pivot;
                    if ratio != 0.0 {
                        inverse.iter_mut().zip(column).for_each(|(entry, &alpha)| *entry -= alpha * ratio);
                        inverse[row] = ratio;
                        // The price of the row moves by the same ratio, so prices need no product
                        // of their own.
                        *y += price * ratio;
                    }
                }
            }
            Inverse::Factored(factors) => {
                let step = price / pivot;
                self.prices.iter_mut().zip(&self.row).for_each(|(y, &entry)| *y += step * entry);
                factors.exchange(row, &self.column);
            }
        }
        self.pivots_since_fresh += 1;
    }

    /// The inverse from scratch; `false` if the basis is singular, or the call was stopped.
    pub(super) fn refactor(&mut self) -> bool {
        let found = match &self.inverse {
            Inverse::Explicit(_) => self.inverted(),
            Inverse::Factored(_) => {
                let column = |place: usize| match self.basis[place].checked_sub(self.cells) {
                    Some(sum) => Column::Sum(sum),
                    None => Column::Cell(self.rows_of(self.basis[place])),
                };
                Factors::of(self.rows, column).map(Inverse::Factored)
            }
        };
        let Some(inverse) = found else { return false };
        self.inverse = inverse;
        self.pivots_since_fresh = 0;
        self.refresh_values();
        true
    }

    /// The explicit inverse, by Gauss-Jordan elimination with row exchanges.
    fn inverted(&self) -> Option<Inverse> {
        let n = self.rows;
        // Row-major here: [basis | identity], then rows are exchanged and scaled.
        let mut left = vec![0.0; n * n];
        for (place, &variable) in self.basis.iter().enumerate() {
            if variable >= self.cells {
                left[(variable - self.cells) * n + place] = -1.0;
            } else {
                self.rows_of(variable).iter().for_each(|&row| left[row as usize * n + place] = 1.0);
            }
        }
        let row_major = inverted(left, n, &self.end)?;
        let mut inverse = vec![0.0; n * n];
        for (row, entries) in row_major.chunks_exact(n).enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| inverse[column * n + row] = entry);
        }
        Some(Inverse::Explicit(inverse))
    }
}
/// The inverse of a row-major matrix; `None` for a singular one, or when the call was stopped.
fn inverted(mut left: Vec<f64>, n: usize, end: &SearchEnd) -> Option<Vec<f64>> {
    let mut right = vec![0.0; n * n];
    (0..n).for_each(|i| right[i * n + i] = 1.0);
    for k in 0..n {
        // Partial pivoting: the largest entry of the column keeps rounding errors small.
        let best = (k..n).max_by(|&a, &b| left[a * n + k].abs().total_cmp(&left[b * n + k].abs()))?;
        if left[best * n + k].abs() < PIVOT || end.is_set() {
            return None;
        }
        for column in 0..n {
            left.swap(k * n + column, best * n + column);
            right.swap(k * n + column, best * n + column);
        }
        let scale = 1.0 / left[k * n + k];
        for matrix in [&mut left, &mut right] {
            matrix[k * n..(k + 1) * n].iter_mut().for_each(|entry| *entry *= scale);
        }
        for other in (0..n).filter(|&other| other != k) {
            let factor = left[other * n + k];
            if factor != 0.0 {
                for matrix in [&mut left, &mut right] {
                    subtract_row(matrix, n, other, k, factor);
                }
            }
        }
    }
    Some(right)
}

/// Row `to` less `factor` times row `from`.
fn subtract_row(matrix: &mut [f64], n: usize, to: usize, from: usize, factor: f64) {
    let (head, tail) = matrix.split_at_mut(to.max(from) * n);
    let (target, source) = if to > from {
        (&mut tail[..n], &head[from * n..(from + 1) * n])
    } else {
        (&mut head[to * n..(to + 1) * n], &tail[..n])
    };
    target.iter_mut().zip(source).for_each(|(t, &s)| *t -= factor * s);
}
