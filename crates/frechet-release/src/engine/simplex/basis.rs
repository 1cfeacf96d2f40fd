//! The inverse of the basis, explicit and column-major: values and columns from it, its change by
//! a pivot, and from scratch.

use privacy_core::stop::StopFlag;

use super::{PIVOT, Place, Simplex};

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
        // `B x_B = right`: the product with the inverse, column by column, since most right sides
        // are zero.
        self.values.fill(0.0);
        for (row, &amount) in right.iter().enumerate().filter(|&(_, &amount)| amount != 0.0) {
            let column = &self.inverse[row * self.rows..(row + 1) * self.rows];
            self.values.iter_mut().zip(column).for_each(|(value, &entry)| *value += amount * entry);
        }
    }

    pub(super) fn rows_of(&self, cell: usize) -> &[u32] {
        &self.entries[self.starts[cell]..self.starts[cell + 1]]
    }

    /// `column = B^-1 a`.
    pub(super) fn solve_column(&mut self, variable: usize) {
        let rows = self.rows;
        if variable >= self.cells {
            let from = (variable - self.cells) * rows;
            self.column.iter_mut().zip(&self.inverse[from..from + rows]).for_each(|(c, &entry)| *c = -entry);
            return;
        }
        self.column.fill(0.0);
        for &row in &self.entries[self.starts[variable]..self.starts[variable + 1]] {
            let from = row as usize * rows;
            self.column.iter_mut().zip(&self.inverse[from..from + rows]).for_each(|(c, &entry)| *c += entry);
        }
    }

    /// Exchanges the basic variable of `row`; `column` holds the entering one's.
    pub(super) fn pivot(&mut self, row: usize, price: f64) {
        // Every column of the inverse loses the multiple of the entering column that makes its
        // entry in the pivot row right (a product form update). Columns with a zero there stay as
        // they are: inverses of tables are sparse.
        let pivot = self.column[row];
        let column = &self.column;
        for (y, inverse) in self.prices.iter_mut().zip(self.inverse.chunks_exact_mut(self.rows)) {
            let ratio = inverse[row] / pivot;
            if ratio != 0.0 {
                inverse.iter_mut().zip(column).for_each(|(entry, &alpha)| *entry -= alpha * ratio);
                inverse[row] = ratio;
                // The price of the row moves by the same ratio, so prices need no product of
                // their own.
                *y += price * ratio;
            }
        }
        self.pivots_since_fresh += 1;
    }

    /// The inverse from scratch, by Gauss-Jordan elimination with row exchanges; `false` if the
    /// basis is singular.
    pub(super) fn refactor(&mut self) -> bool {
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
        let Some(inverse) = inverted(left, n, &self.stop) else { return false };
        for (row, entries) in inverse.chunks_exact(n).enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| self.inverse[column * n + row] = entry);
        }
        self.pivots_since_fresh = 0;
        self.refresh_values();
        true
    }
}

/// The inverse of a row-major matrix; `None` for a singular one, or when the call was stopped.
fn inverted(mut left: Vec<f64>, n: usize, stop: &StopFlag) -> Option<Vec<f64>> {
    let mut right = vec![0.0; n * n];
    (0..n).for_each(|i| right[i * n + i] = 1.0);
    for k in 0..n {
        // Partial pivoting: the largest entry of the column keeps rounding errors small.
        let best = (k..n).max_by(|&a, &b| left[a * n + k].abs().total_cmp(&left[b * n + k].abs()))?;
        if left[best * n + k].abs() < PIVOT || stop.is_set() {
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
