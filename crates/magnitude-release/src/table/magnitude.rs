//! A table of amounts with everybody who contributes to it.

use std::fmt;

use crate::error::Error;
use crate::table::additive::{AdditiveTable, MOST_AMOUNT, UNBOUNDED};
use crate::table::contributions::{Contribution, Contributions};
use crate::table::cube::Cube;

/// Respondents of a table that was made elsewhere, at most.
const MOST_RECORDS: usize = 1 << 25;

/// A row of the data.
#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    /// The category on every axis, as an index among the leaves of the axis.
    pub leaves: Vec<usize>,
    /// Whose amount it is, from 0.
    pub respondent: u32,
    /// The amount, in units, at least 0.
    pub amount: i64,
}

/// Debug output shows no amount.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("leaves", &self.leaves).finish_non_exhaustive()
    }
}

/// A row of a table that was made elsewhere: a cell of categories with its largest contributions.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadyCell {
    /// The category on every axis, as an index among the leaves of the axis.
    pub leaves: Vec<usize>,
    /// The amount of the cell, in units.
    pub amount: i64,
    /// How many respondents contribute.
    pub respondents: u32,
    /// The largest contributions, the largest first.
    pub largest: Vec<i64>,
}

/// Debug output shows no amount.
impl fmt::Debug for ReadyCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyCell").field("leaves", &self.leaves).finish_non_exhaustive()
    }
}

/// A table of amounts, with all its totals and all contributions.
#[derive(Clone, PartialEq, Eq)]
pub struct MagnitudeTable {
    cube: Cube,
    pub(crate) additive: AdditiveTable,
    pub(crate) contributions: Contributions,
}

impl MagnitudeTable {
    /// Adds up the records.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::NoSuchCell`], [`Error::TooLarge`] and
    /// [`Error::TooLargeProgram`].
    pub fn from_records(cube: Cube, records: &[Record]) -> Result<Self, Error> {
        cube.check_program()?;
        let mut cells = vec![Vec::new(); cube.cells()];
        let mut total = 0_i64;
        for record in records {
            if record.amount < 0 {
                return Err(Error::Negative);
            }
            total = total.checked_add(record.amount).filter(|&total| total <= MOST_AMOUNT).ok_or(Error::TooLarge)?;
            if record.leaves.len() != cube.axes().len() {
                return Err(Error::NoSuchCell { index: record.leaves.len() });
            }
            let own = Contribution { respondent: record.respondent, amount: record.amount };
            cube.cells_above(&record.leaves)?.into_iter().for_each(|cell| cells[cell].push(own));
        }
        let contributions = Contributions::new(cells);
        let cells = (0..cube.cells()).map(|cell| contributions.of_cell(cell));
        let amounts = cells.map(|own| own.iter().map(|own| own.amount).sum()).collect();
        let known = vec![(0, UNBOUNDED); cube.cells()];
        let additive = AdditiveTable::new(amounts, known, cube.relations())?;
        Ok(Self { cube, additive, contributions })
    }

    /// A table whose records nobody has any more. Every respondent is taken to contribute to one
    /// cell of categories alone; those who are not listed are taken to be equal. That changes
    /// nothing that a rule or an attacker asks, as long as as many contributions are listed as a
    /// rule adds up and one more than a coalition has members: the largest
    /// contributors of a cell know most, with the restrictions in `docs/math/magnitude-release.md`.
    ///
    /// # Errors
    /// As [`MagnitudeTable::from_records`]; [`Error::BrokenRelation`] with the position of a row
    /// whose contributions do not add up to its amount.
    pub fn from_cells(cube: Cube, cells: &[ReadyCell]) -> Result<Self, Error> {
        let mut records = Vec::new();
        for (row, cell) in cells.iter().enumerate() {
            let broken = Error::BrokenRelation { relation: row };
            let mut amounts = cell.largest.clone();
            let others = (cell.respondents as usize).checked_sub(amounts.len()).ok_or(broken.clone())?;
            let listed: i128 = amounts.iter().map(|&amount| i128::from(amount)).sum();
            let rest = i64::try_from(i128::from(cell.amount) - listed).ok().filter(|&rest| rest >= 0);
            let rest = rest.ok_or(broken.clone())?;
            let is_sorted = amounts.windows(2).all(|pair| pair[0] >= pair[1]);
            if !is_sorted || others == 0 && rest > 0 {
                return Err(broken);
            }
            if records.len() + cell.respondents as usize > MOST_RECORDS {
                return Err(Error::TooLarge);
            }
            if others > 0 {
                let share = rest / others as i64;
                let larger = (rest % others as i64) as usize;
                amounts.extend((0..others).map(|place| share + i64::from(place < larger)));
                let least = cell.largest.last().copied().unwrap_or(MOST_AMOUNT);
                if amounts[cell.largest.len()] > least {
                    return Err(broken);
                }
            }
            let first = u32::try_from(records.len()).map_err(|_| Error::TooLarge)?;
            let own = |(respondent, amount)| Record { leaves: cell.leaves.clone(), respondent, amount };
            records.extend((first..).zip(amounts).map(own));
        }
        Self::from_records(cube, &records)
    }

    /// The axes and cells.
    #[must_use]
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The amounts and the sums that link them.
    #[must_use]
    pub fn additive(&self) -> &AdditiveTable {
        &self.additive
    }

    /// The contributions to a cell, the largest first.
    #[must_use]
    pub fn contributions(&self, cell: usize) -> &[Contribution] {
        self.contributions.of_cell(cell)
    }
}

/// Debug output shows sizes and no amount.
impl fmt::Debug for MagnitudeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MagnitudeTable").field("cells", &self.cube.cells()).finish_non_exhaustive()
    }
}
