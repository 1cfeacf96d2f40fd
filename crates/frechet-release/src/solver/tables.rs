//! The tables of a fiber that a solver has found or was given, and the values between its bounds
//! that some table attains.

use super::Solver;
use super::structure::Structure;
use crate::engine::general::has_table;
use crate::engine::known_tables::Difference;
use crate::engine::query::Need;
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::interval::CountRange;
use frechet_certificate::SparseTable;

impl Solver {
    /// Adds a table of the fiber that is known, the true one for instance, so that less has to be
    /// searched.
    ///
    /// # Errors
    /// [`Error::NotInFiber`]; as [`Solver::new`] when the general engine
    /// has to be made.
    pub fn add_table(&mut self, table: &[i64]) -> Result<(), Error> {
        self.knowledge.system.check(table)?;
        self.engine()?.add(table);
        Ok(())
    }

    /// Starts from tables known from an earlier question, as far as they are still possible.
    /// Closed forms need none.
    pub(crate) fn remember(&mut self, tables: &[SparseTable]) -> Result<(), Error> {
        if matches!(self.structure, Structure::General) {
            let cells = self.knowledge.grid.cells();
            for table in tables.iter().map(|table| table.to_dense(cells)) {
                if self.knowledge.system.admits(&table) {
                    self.engine()?.add(&table);
                }
            }
        }
        Ok(())
    }

    /// Adds tables of the fiber that differ from the first one in few cells.
    pub(crate) fn add_differences(&mut self, differences: impl Iterator<Item = Difference>) -> Result<(), Error> {
        let engine = self.engine()?;
        differences.for_each(|difference| engine.pool.add_moved(difference));
        Ok(())
    }

    /// What propagation and known tables say of classes, without linear programs: the general
    /// engine answers.
    pub(crate) fn known_ranges(&mut self, classes: &[Class]) -> Result<Vec<CountRange>, Error> {
        let engine = self.engine()?;
        Ok(classes.iter().map(|class| engine.known_range(class)).collect())
    }

    /// The tables met so far, where there is an engine that met any.
    pub(crate) fn met(&self) -> &[SparseTable] {
        self.engine.as_ref().map_or(&[], |engine| engine.pool().tables())
    }

    /// Which values a class takes, by asking for each between its bounds: whole numbers may leave
    /// holes. `None` when the interval is wider than `most` or a limit was reached.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// Never: counts are not negative.
    pub fn attained(&mut self, class: &Class, most: u32) -> Result<Option<Vec<i64>>, Error> {
        let interval = self.interval(class)?;
        if !interval.is_sharp() || interval.width() > i64::from(most) {
            return Ok(None);
        }
        let (lower, upper) = (interval.lower.value, interval.upper.value);
        let mut attained = vec![lower];
        for value in lower + 1..upper {
            let mut knowledge = self.knowledge.clone();
            let count = u64::try_from(value).expect("counts are not negative");
            knowledge.publish_count("a value asked for", &Region::from(class), count)?;
            match has_table(&knowledge, &self.limits)? {
                Some(true) => attained.push(value),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        attained.extend((upper > lower).then_some(upper));
        Ok(Some(attained))
    }

    /// Tables of the fiber met so far; at least one.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    pub fn tables(&mut self) -> Result<Vec<SparseTable>, Error> {
        Ok(self.engine()?.pool().tables().to_vec())
    }

    /// Asks the general engine for the bounds of every cell, so that [`Solver::tables`] are far
    /// apart.
    pub(crate) fn explore(&mut self) -> Result<(), Error> {
        let cells = self.all_cells();
        self.engine()?.intervals(&cells, Need::Ends);
        self.limits.check_stop()
    }
}
