//! Relations between shifts of cells, solved for some of them: integer pivoting.
//!
//! `d_j` the distance of cell `j` from the truth. Every relation that holds of the truth says
//! `sum of s_j d_j = 0`, `s_j = 1` or `-1`, over the cells that may move. Rows are such equations
//! times a common integer `D > 0`, with
//!
//! ```text
//! (4)  D d_b + sum over the free cells of a_bj d_j = 0        one basic cell b for each row
//! ```
//!
//! A pivot on `a_rs` makes `s` basic in place of the cell of row `r`:
//! `a'_ij = (a_ij a_rs - a_is a_rj) / D`, `D' = |a_rs|`. All entries stay minors of the relations,
//! so they are whole, and small for tables (Edmonds 1967). There is no rounding anywhere.

use crate::error::Error;

/// Coefficients that are held, at most: a third of a gigabyte.
const MOST_COEFFICIENTS: usize = 40 << 20;

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Basic, in this row.
    Basic(usize),
    /// Free.
    Free,
}

/// The rows of (4), each with the multipliers of the relations that it is made of.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    /// Cells; columns after them are multipliers of relations, in the order of the relations.
    pub(crate) cells: usize,
    pub(crate) rows: Vec<Vec<i64>>,
    pub(crate) basic: Vec<usize>,
    pub(crate) place: Vec<Place>,
    pub(crate) denominator: i64,
}

/// Refuses a program of this many columns and relations if it is too large.
pub(crate) fn check_size(columns: usize, relations: usize) -> Result<(), Error> {
    match columns.saturating_mul(relations) > MOST_COEFFICIENTS {
        true => Err(Error::TooLargeProgram { limit: MOST_COEFFICIENTS }),
        false => Ok(()),
    }
}

impl Tableau {
    /// Solves the relations, each a list of cells with signs, for as many cells as they determine.
    /// Relations that follow from others are dropped. With `keeps_multipliers`, rows remember the
    /// relations that they are made of.
    pub(crate) fn new(cells: usize, relations: &[Vec<(usize, i64)>], keeps_multipliers: bool) -> Result<Self, Error> {
        let width = cells + if keeps_multipliers { relations.len() } else { 0 };
        check_size(width, relations.len())?;
        let mut tableau =
            Self { cells, rows: Vec::new(), basic: Vec::new(), place: vec![Place::Free; cells], denominator: 1 };
        for (index, relation) in relations.iter().enumerate() {
            let mut row = vec![0_i64; width];
            for &(cell, sign) in relation {
                tableau.add_cell(&mut row, cell, sign)?;
            }
            if keeps_multipliers {
                row[cells + index] = tableau.denominator;
            }
            // An entry of size D keeps the denominator, and all other rows as short as they are.
            let entries = (0..cells).filter(|&cell: &usize| row[cell] != 0);
            if let Some(cell) =
                entries.min_by_key(|&cell| (row[cell].unsigned_abs() != tableau.denominator.unsigned_abs(), cell))
            {
                tableau.rows.push(row);
                tableau.basic.push(usize::MAX);
                tableau.pivot(tableau.rows.len() - 1, cell)?;
            }
        }
        Ok(tableau)
    }

    /// Adds `sign` times a cell to a row that is to have free cells alone.
    fn add_cell(&self, row: &mut [i64], cell: usize, sign: i64) -> Result<(), Error> {
        match self.place[cell] {
            Place::Free => row[cell] += sign * self.denominator,
            Place::Basic(own) => {
                // D d_b = - sum of a_bj d_j: the row of the cell, without the cell.
                for (entry, (column, &other)) in row.iter_mut().zip(self.rows[own].iter().enumerate()) {
                    if column != cell {
                        *entry = entry.checked_sub(sign * other).ok_or(Error::Limit)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// One more cell that is the sum of others, basic from the start.
    pub(crate) fn push_sum_of(&mut self, parts: &[usize]) -> Result<usize, Error> {
        let (cell, width) = (self.cells, self.rows.first().map_or(self.cells, Vec::len));
        assert_eq!(width, self.cells, "cells are added to a tableau without multipliers");
        let mut row = vec![0; width];
        parts.iter().try_for_each(|&part| self.add_cell(&mut row, part, -1))?;
        self.rows.iter_mut().for_each(|row| row.push(0));
        row.push(self.denominator);
        self.rows.push(row);
        self.basic.push(cell);
        self.place.push(Place::Basic(self.rows.len() - 1));
        self.cells += 1;
        Ok(cell)
    }

    /// Makes a free cell basic in a row.
    pub(crate) fn pivot(&mut self, row: usize, cell: usize) -> Result<(), Error> {
        if self.rows[row][cell] < 0 {
            self.rows[row].iter_mut().for_each(|entry| *entry = -*entry);
        }
        let pivot_row = std::mem::take(&mut self.rows[row]);
        let (pivot, before) = (pivot_row[cell], self.denominator);
        let entries: Vec<usize> = (0..pivot_row.len()).filter(|&column: &usize| pivot_row[column] != 0).collect();
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let factor = other[cell];
            if pivot == before {
                // Most pivots of tables are of size D: entries outside the pivot row stay.
                if factor != 0 {
                    for &column in &entries {
                        other[column] = changed(other[column], pivot, (factor, pivot_row[column]), before)?;
                    }
                }
            } else {
                for (entry, &own) in other.iter_mut().zip(&pivot_row).filter(|(entry, own)| **entry != 0 || **own != 0)
                {
                    *entry = changed(*entry, pivot, (factor, own), before)?;
                }
            }
        }
        let leaving = std::mem::replace(&mut self.basic[row], cell);
        if leaving != usize::MAX {
            self.place[leaving] = Place::Free;
        }
        self.place[cell] = Place::Basic(row);
        self.denominator = pivot;
        self.rows[row] = pivot_row;
        Ok(())
    }
}

/// `(entry * pivot - factor * own) / before`, which is whole. In 64 bits where they suffice, which
/// is nearly always; a result that leaves them ends the search.
fn changed(entry: i64, pivot: i64, (factor, own): (i64, i64), before: i64) -> Result<i64, Error> {
    let products = entry.checked_mul(pivot).zip(factor.checked_mul(own));
    if let Some(difference) = products.and_then(|(scaled, taken)| scaled.checked_sub(taken)) {
        return Ok(if before == 1 { difference } else { difference / before });
    }
    let wide = i128::from(entry) * i128::from(pivot) - i128::from(factor) * i128::from(own);
    i64::try_from(wide / i128::from(before)).map_err(|_| Error::Limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 3 x 3 table with totals: 16 cells, 8 relations, one of which follows from the others.
    fn relations() -> Vec<Vec<(usize, i64)>> {
        let line = |cell: &dyn Fn(usize) -> usize| {
            (0..4).map(|place| (cell(place), if place == 3 { -1 } else { 1 })).collect()
        };
        (0..4).flat_map(|line_of| [line(&|place| 4 * line_of + place), line(&|place| 4 * place + line_of)]).collect()
    }

    #[test]
    fn rows_are_the_relations_solved_for_one_cell_each() {
        let relations = relations();
        let mut tableau = Tableau::new(16, &relations, true).unwrap();
        assert_eq!(tableau.rows.len(), 7);
        for cell in (0..16).rev() {
            if let (Place::Free, Some(row)) = (tableau.place[cell], (0..7).find(|&row| tableau.rows[row][cell] != 0)) {
                tableau.pivot(row, cell).unwrap();
            }
            for (row, &basic) in tableau.rows.iter().zip(&tableau.basic) {
                assert_eq!(row[basic], tableau.denominator);
                let basics = tableau.basic.iter().filter(|&&other| other != basic);
                assert!(basics.into_iter().all(|&other| row[other] == 0));
                // The multipliers make the row out of the relations.
                let mut made = [0_i64; 16];
                for (multiplier, relation) in row[16..].iter().zip(&relations) {
                    relation.iter().for_each(|&(cell, sign)| made[cell] += multiplier * sign);
                }
                assert_eq!(made, row[..16]);
            }
        }
    }

    #[test]
    fn a_sum_of_cells_is_one_more_row() {
        let mut tableau = Tableau::new(16, &relations(), false).unwrap();
        let sum = tableau.push_sum_of(&[0, 5]).unwrap();
        assert_eq!((sum, tableau.rows.len()), (16, 8));
        // Row 0 less cells 2 and 3 is cells 0 and 1; the sum moves with cells 0 and 5.
        let row = tableau.rows[7].clone();
        let value = |shift: &[i64; 17]| row.iter().zip(shift).map(|(entry, shift)| entry * shift).sum::<i64>();
        let mut square = [0; 17];
        for (cell, shift) in [(0, 1), (1, -1), (4, -1), (5, 1), (16, 2)] {
            square[cell] = shift;
        }
        assert_eq!(value(&square), 0);
        square[16] = 1;
        assert_ne!(value(&square), 0);
    }
}
