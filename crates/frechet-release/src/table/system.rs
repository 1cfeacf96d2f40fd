//! The fiber as a system of rows: every table of whole numbers `x` with
//!
//! ```text
//! 0 <= x_j <= capacity_j,     lower_i <= sum of x_j over the cells of row i <= upper_i
//! ```
//!
//! Everything that an attacker knows is such a row.

use std::fmt;

use privacy_core::table::MAX_TOTAL;

use crate::table::error::Error;

/// No count is larger, so a cell without a capacity has this one: 2^53.
pub const NO_CAPACITY: i64 = MAX_TOTAL as i64;

/// A published sum, known to lie between two numbers; they are equal when it was published exactly.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    name: String,
    cells: Box<[u32]>,
    lower: i64,
    upper: i64,
}

impl Row {
    /// A row over `cells`, in any order; repeated cells count once. The name appears in messages: attribute names and
    /// positions, no data.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] unless `0 <= lower <= upper`; [`Error::TooLarge`] above 2^53.
    pub fn new(name: impl Into<String>, mut cells: Vec<u32>, lower: i64, upper: i64) -> Result<Self, Error> {
        let name = name.into();
        if lower < 0 || lower > upper {
            return Err(Error::EmptyRow { row: name });
        }
        if upper > NO_CAPACITY {
            return Err(Error::TooLarge { row: name });
        }
        cells.sort_unstable();
        cells.dedup();
        Ok(Self { name, cells: cells.into(), lower, upper })
    }

    /// A row of counts and slack, whose upper end may pass 2^53. `cells` in increasing order.
    pub(crate) fn loosened(name: &str, cells: Vec<u32>, lower: i64, upper: i64) -> Self {
        Self { name: name.to_owned(), cells: cells.into(), lower, upper }
    }

    /// The name, as errors show it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cells that are summed, in increasing order.
    #[must_use]
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The least sum.
    #[must_use]
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// The largest sum.
    #[must_use]
    pub fn upper(&self) -> i64 {
        self.upper
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    pub(crate) fn holds(&self, cell: usize) -> bool {
        u32::try_from(cell).is_ok_and(|cell| self.cells.binary_search(&cell).is_ok())
    }

    pub(crate) fn admits(&self, table: &[i64]) -> bool {
        let sum: i128 = self.cells.iter().map(|&cell| i128::from(table[cell as usize])).sum();
        (i128::from(self.lower)..=i128::from(self.upper)).contains(&sum)
    }
}

/// Shapes may be told, counts may not.
impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("cells", &self.cells.len()).finish_non_exhaustive()
    }
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
            Some(row) => Err(Error::NotInFiber { row: row.name.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn admits(&self, table: &[i64]) -> bool {
        self.check(table).is_ok()
    }

    /// The rows that each cell is in.
    pub(crate) fn rows_by_cell(&self, rows: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let mut of_cell = vec![Vec::new(); self.capacity.len()];
        for (place, row) in rows.enumerate() {
            for &cell in &self.rows[row].cells {
                of_cell[cell as usize].push(u32::try_from(place).expect("rows are counted in 32 bits"));
            }
        }
        of_cell
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, rows) = (self.capacity.len(), self.rows.len());
        f.debug_struct("System").field("cells", &cells).field("rows", &rows).finish_non_exhaustive()
    }
}
