//! The fiber as a system of rows: every table of whole numbers `x` with
//!
//! ```text
//! 0 <= x_j <= capacity_j,     lower_i <= sum of x_j over the cells of row i <= upper_i
//! ```
//!
//! Everything that an attacker knows is such a row.

use std::fmt;

use frechet_certificate::{Bound, Checker, Flaw, Row, Side};
use privacy_core::table::MAX_TOTAL;

use crate::table::error::Error;

/// No count is larger, so a cell without a capacity has this one: 2^53.
pub const NO_CAPACITY: i64 = MAX_TOTAL as i64;

/// A row over `cells`, in any order, whose ends are counts.
///
/// # Errors
/// [`Error::EmptyRow`] unless `0 <= lower <= upper`; [`Error::TooLarge`] above 2^53.
pub(crate) fn checked_row(name: impl Into<String>, cells: Vec<u32>, lower: i64, upper: i64) -> Result<Row, Error> {
    let name = name.into();
    if lower < 0 || lower > upper {
        return Err(Error::EmptyRow { row: name });
    }
    if upper > NO_CAPACITY {
        return Err(Error::TooLarge { row: name });
    }
    Ok(Row::new(name, cells, lower, upper))
}

/// Capacities and rows.
#[derive(Clone)]
pub struct System {
    pub(crate) capacity: Vec<i64>,
    pub(crate) rows: Vec<Row>,
}

impl System {
    /// The most that each cell can hold; [`NO_CAPACITY`] where nothing is known.
    #[must_use]
    pub fn capacity(&self) -> &[i64] {
        &self.capacity
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether a table is in the fiber: one pass over the rows.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::NotInFiber`].
    pub fn check(&self, table: &[i64]) -> Result<(), Error> {
        if table.len() != self.capacity.len() {
            return Err(Error::Shape { expected: vec![self.capacity.len()], got: vec![table.len()] });
        }
        if table.iter().zip(&self.capacity).any(|(&count, &most)| count < 0 || count > most) {
            return Err(Error::NotInFiber { row: "capacity".into() });
        }
        match self.rows.iter().find(|row| !row.admits(table)) {
            Some(row) => Err(Error::NotInFiber { row: row.name().to_owned() }),
            None => Ok(()),
        }
    }

    pub(crate) fn admits(&self, table: &[i64]) -> bool {
        self.check(table).is_ok()
    }

    /// The most that each cell holds by its capacity or one of its rows.
    pub(crate) fn most(&self) -> Vec<i64> {
        let mut most = self.capacity.clone();
        for row in &self.rows {
            row.cells().iter().for_each(|&cell| most[cell as usize] = most[cell as usize].min(row.upper()));
        }
        most
    }

    /// The rows that each cell is in.
    pub(crate) fn rows_by_cell(&self, rows: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let mut of_cell = vec![Vec::new(); self.capacity.len()];
        for (place, row) in rows.enumerate() {
            for &cell in self.rows[row].cells() {
                of_cell[cell as usize].push(u32::try_from(place).expect("rows are counted in 32 bits"));
            }
        }
        of_cell
    }
}

/// Checks one end of the interval of a set of cells, in increasing order, without the solver: see
/// [`Checker::check`].
///
/// Linear in the system. Make one [`Checker`] of [`System::capacity`] and [`System::rows`] for
/// many bounds.
///
/// # Errors
/// The first [`Flaw`].
///
/// # Panics
/// Never: the rows of a system are well-formed.
pub fn verify(system: &System, cells: &[u32], side: Side, bound: &Bound) -> Result<(), Flaw> {
    let mut checker = Checker::new(&system.capacity, &system.rows).expect("the rows of a system are well-formed");
    checker.check(cells, side, bound)
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, rows) = (self.capacity.len(), self.rows.len());
        f.debug_struct("System").field("cells", &cells).field("rows", &rows).finish_non_exhaustive()
    }
}
