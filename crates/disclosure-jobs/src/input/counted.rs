//! Rows that were read, or the tables of rows that stayed where they are.

use disclosure::privacy_core::stop::StopFlag;
use disclosure::privacy_core::table::CountError;
use disclosure::privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use privacy_data::{CsvOptions, Microdata, Schema};

use super::DataSource;
use crate::error::JobError;

/// Most cells of tables that are counted by a source and held at once: 256 MiB of counts. Above,
/// the rows are read.
const MOST_CELLS: u64 = 1 << 25;

/// What the tables of a job are counted from.
#[derive(Clone, Debug)]
pub enum CountedRows {
    /// Rows in memory.
    Rows(Microdata),
    /// Tables that the source counted.
    Tables(CountedTables),
}

/// Tables over some sets of attributes, all of the same rows. Answers sets within these.
#[derive(Clone)]
pub struct CountedTables {
    domain: Domain,
    tables: Vec<ContingencyTable>,
    total: u64,
}

/// Shapes may be shown, counts may not.
impl std::fmt::Debug for CountedTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CountedTables").field("tables", &self.tables.len()).finish_non_exhaustive()
    }
}

impl CountedRows {
    /// The tables over `sets` as the source counts them, or its rows where it does not count or
    /// the tables are too large to be held together.
    ///
    /// # Errors
    /// Those of the source; E0613 for tables whose totals differ, which are not of the same rows.
    pub fn of(
        source: &dyn DataSource,
        schema: &Schema,
        options: &CsvOptions,
        sets: &[AttrSet],
    ) -> Result<Self, JobError> {
        let cells = sets.iter().try_fold(0_u64, |sum, &set| sum.checked_add(schema.domain().cells(set)?));
        if cells.is_some_and(|cells| cells <= MOST_CELLS)
            && !sets.is_empty()
            && let Some(tables) = source.count_marginals(schema, options, sets)?
        {
            return CountedTables::new(schema.domain().clone(), tables).map(Self::Tables);
        }
        source.read_rows(schema, options).map(Self::Rows)
    }

    /// How many people the rows stand for.
    #[must_use]
    pub fn total(&self) -> u64 {
        match self {
            Self::Rows(rows) => rows.total(),
            Self::Tables(tables) => tables.total,
        }
    }

    /// The rows, if they were read.
    #[must_use]
    pub fn rows(&self) -> Option<&Microdata> {
        match self {
            Self::Rows(rows) => Some(rows),
            Self::Tables(_) => None,
        }
    }
}

impl CountedTables {
    fn new(domain: Domain, tables: Vec<ContingencyTable>) -> Result<Self, JobError> {
        let total = tables.first().map_or(0, ContingencyTable::total);
        if tables.iter().any(|table| table.total() != total) {
            return Err(JobError::new("E0613", "tables that the source counted have different totals"));
        }
        Ok(Self { domain, tables, total })
    }

    /// The table with the fewest cells among those over at least `set`.
    fn over(&self, set: AttrSet) -> Result<ContingencyTable, CountError> {
        let wider = self.tables.iter().filter(|table| set.minus(table.attributes()).is_empty());
        let smallest = wider.min_by_key(|table| table.cells().len());
        let unknown = CountError::UnknownAttribute { asked: set, have: self.domain.all() };
        smallest.ok_or(unknown)?.marginal(set)
    }
}

impl CountSource for CountedRows {
    fn domain(&self) -> &Domain {
        match self {
            Self::Rows(rows) => rows.domain(),
            Self::Tables(tables) => &tables.domain,
        }
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        match self {
            Self::Rows(rows) => rows.marginals(sets),
            Self::Tables(tables) => sets.iter().map(|&set| tables.over(set)).collect(),
        }
    }

    fn marginals_until(&self, sets: &[AttrSet], stop: &StopFlag) -> Result<Option<Vec<ContingencyTable>>, CountError> {
        match self {
            Self::Rows(rows) => rows.marginals_until(sets, stop),
            Self::Tables(_) => self.marginals(sets).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain() -> Domain {
        Domain::of_cardinalities(&[2, 3]).unwrap()
    }

    fn table(cells: Vec<u64>) -> ContingencyTable {
        ContingencyTable::from_cells(&domain(), domain().all(), cells).unwrap()
    }

    #[test]
    fn sets_within_a_table_are_answered_and_others_are_not() {
        let first = ContingencyTable::from_cells(&domain(), AttrSet::single(0), vec![3, 7]).unwrap();
        let counted = CountedRows::Tables(CountedTables::new(domain(), vec![first]).unwrap());
        assert_eq!((counted.total(), counted.rows().is_none()), (10, true));
        assert_eq!(counted.marginals(&[AttrSet::EMPTY]).unwrap()[0].cells(), [10]);
        assert!(counted.marginals(&[AttrSet::single(1)]).is_err());
        let both = CountedRows::Tables(CountedTables::new(domain(), vec![table(vec![1, 2, 3, 4, 5, 6])]).unwrap());
        assert_eq!(both.marginals(&[AttrSet::single(1)]).unwrap()[0].cells(), [5, 7, 9]);
    }

    #[test]
    fn tables_of_different_rows_are_refused_and_debug_shows_no_count() {
        let first = ContingencyTable::from_cells(&domain(), AttrSet::single(0), vec![3, 8]).unwrap();
        let error = CountedTables::new(domain(), vec![first, table(vec![4321, 0, 0, 0, 0, 0])]).unwrap_err();
        assert!(error.has_code("E0613"));
        let one = CountedTables::new(domain(), vec![table(vec![4321, 0, 0, 0, 0, 0])]).unwrap();
        assert!(!format!("{one:?}").contains("4321"));
    }
}
