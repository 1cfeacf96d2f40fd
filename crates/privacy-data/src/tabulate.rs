//! Marginals of coded rows: one pass over the columns a set, in parallel, the same counts at any
//! thread count.
//!
//! The cell of a row is its mixed-radix index `(c1 k2 + c2) k3 + c3 ...` over codes `c` and
//! cardinalities `k`, the last attribute fastest. Rows go in blocks: the indices of a block are
//! made column by column (one vector loop each), then its bins are raised. Counts are integers,
//! so neither the order of the sets nor the split of the rows can show.

use std::ops::Range;

use privacy_core::stop::StopFlag;
use privacy_core::table::CountError;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use rayon::prelude::*;

use crate::microdata::{Column, Microdata};

/// Most cells of one marginal: 2 GiB of counts.
pub const MAX_CELLS: u64 = 1 << 28;

/// Rows whose indices are made at once: they stay in the first-level cache.
const BLOCK: usize = 4096;

/// Rows counted by one task when a single set is split over threads.
const ROWS_PER_TASK: usize = 1 << 18;

/// A set that was checked: its cells, and the cardinality of each of its attributes.
struct Plan {
    set: AttrSet,
    cells: usize,
    axes: Vec<(usize, u32)>,
}

impl Plan {
    fn new(domain: &Domain, set: AttrSet) -> Result<Self, CountError> {
        if !domain.contains(set) {
            return Err(CountError::UnknownAttribute { asked: set, have: domain.all() });
        }
        let cells = domain.cells(set).filter(|&cells| cells <= MAX_CELLS).ok_or(CountError::TooManyCells { set })?;
        // A factor of at most 2^28 cells, as every index below: neither cast loses anything.
        let axes = set.iter().map(|a| (a, domain.cardinality(a) as u32)).collect();
        Ok(Self { set, cells: cells as usize, axes })
    }

    /// Adds the rows of one range to the bins; some of them only where the flag is set.
    fn add(&self, data: &Microdata, rows: Range<usize>, bins: &mut [u64], stop: &StopFlag) {
        let mut indices = [0_u32; BLOCK];
        for start in rows.clone().step_by(BLOCK) {
            if stop.is_set() {
                return;
            }
            let block = start..rows.end.min(start + BLOCK);
            let indices = &mut indices[..block.len()];
            self.index(data, block.clone(), indices);
            match data.weights() {
                None => indices.iter().for_each(|&cell| bins[cell as usize] += 1),
                Some(weights) => {
                    let weighted = indices.iter().zip(&weights[block]);
                    weighted.for_each(|(&cell, &weight)| bins[cell as usize] += weight);
                }
            }
        }
    }

    /// The cell of every row of a block.
    fn index(&self, data: &Microdata, block: Range<usize>, indices: &mut [u32]) {
        indices.fill(0);
        for &(attribute, cardinality) in &self.axes {
            match &data.columns()[attribute] {
                Column::Byte(codes) => extend(indices, cardinality, &codes[block.clone()]),
                Column::Short(codes) => extend(indices, cardinality, &codes[block.clone()]),
                Column::Word(codes) => extend(indices, cardinality, &codes[block.clone()]),
            }
        }
    }

    /// All rows, split over threads when there are many rows and few cells; too few where the flag
    /// is set.
    fn count(&self, data: &Microdata, stop: &StopFlag) -> Vec<u64> {
        let rows = data.rows();
        let of_rows = |rows| {
            let mut bins = vec![0; self.cells];
            self.add(data, rows, &mut bins, stop);
            bins
        };
        if rows <= ROWS_PER_TASK || self.cells > ROWS_PER_TASK / 4 {
            return of_rows(0..rows);
        }
        let tasks = (0..rows.div_ceil(ROWS_PER_TASK)).into_par_iter();
        let parts = tasks.map(|i| of_rows(i * ROWS_PER_TASK..rows.min((i + 1) * ROWS_PER_TASK)));
        parts.reduce_with(sum).expect("there are rows, so there is a part")
    }
}

/// One more digit behind each index.
fn extend<C: Copy + Into<u32>>(indices: &mut [u32], cardinality: u32, codes: &[C]) {
    for (index, &code) in indices.iter_mut().zip(codes) {
        // Below 2^28 by the plan; wrapping arithmetic has no check that would keep the loop from
        // being a vector loop.
        *index = index.wrapping_mul(cardinality).wrapping_add(code.into());
    }
}

fn sum(mut left: Vec<u64>, right: Vec<u64>) -> Vec<u64> {
    left.iter_mut().zip(right).for_each(|(a, b)| *a += b);
    left
}

fn plans(domain: &Domain, sets: &[AttrSet]) -> Result<Vec<Plan>, CountError> {
    sets.iter().map(|&set| Plan::new(domain, set)).collect()
}

impl CountSource for Microdata {
    fn domain(&self) -> &Domain {
        self.domain()
    }

    /// All sets are checked before anything is counted: [`CountError::UnknownAttribute`], and
    /// [`CountError::TooManyCells`] above [`MAX_CELLS`]. Time in proportion to sets times rows,
    /// plus the cells.
    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        let tables = self.marginals_until(sets, &StopFlag::never())?;
        Ok(tables.expect("nobody sets this flag"))
    }

    fn marginals_until(&self, sets: &[AttrSet], stop: &StopFlag) -> Result<Option<Vec<ContingencyTable>>, CountError> {
        let plans = plans(self.domain(), sets)?;
        let tables =
            plans.par_iter().map(|plan| ContingencyTable::from_cells(self.domain(), plan.set, plan.count(self, stop)));
        let tables = tables.collect::<Result<_, _>>()?;
        // Once it is set it stays so: a flag that is not set here was never seen set.
        Ok((!stop.is_set()).then_some(tables))
    }
}

/// Marginals that grow block by block.
pub(crate) struct Tabulation {
    sums: Vec<(Plan, Vec<u64>)>,
}

impl Tabulation {
    pub(crate) fn new(domain: &Domain, sets: &[AttrSet]) -> Result<Self, CountError> {
        let with_bins = |plan: Plan| {
            let bins = vec![0; plan.cells];
            (plan, bins)
        };
        Ok(Self { sums: plans(domain, sets)?.into_iter().map(with_bins).collect() })
    }

    pub(crate) fn add(&mut self, block: &Microdata) {
        self.sums.par_iter_mut().for_each(|(plan, bins)| plan.add(block, 0..block.rows(), bins, &StopFlag::never()));
    }

    pub(crate) fn into_tables(self, domain: &Domain) -> Result<Vec<ContingencyTable>, CountError> {
        self.sums.into_iter().map(|(plan, bins)| ContingencyTable::from_cells(domain, plan.set, bins)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_cannot_be_held_are_refused_before_they_are_allocated() {
        let domain = Domain::of_cardinalities(&[100; 5]).unwrap();
        let data = Microdata::from_codes(domain, vec![vec![0]; 5]).unwrap();
        let all = AttrSet::first(5);
        assert!(matches!(data.marginals(&[AttrSet::EMPTY, all]), Err(CountError::TooManyCells { set }) if set == all));
        let unknown = data.marginals(&[AttrSet::single(5)]);
        assert!(matches!(unknown, Err(CountError::UnknownAttribute { .. })));
        let total = data.marginals(&[AttrSet::EMPTY]).unwrap();
        assert_eq!(total[0].cells(), [1]);
    }

    #[test]
    fn rows_split_over_tasks_are_all_counted_once() {
        let rows = 2 * ROWS_PER_TASK as u32 + 3;
        let codes = vec![(0..rows).map(|row| row % 3).collect(), (0..rows).map(|row| row % 7 / 4).collect()];
        let data = Microdata::from_codes(Domain::of_cardinalities(&[3, 2]).unwrap(), codes).unwrap();
        let tables = data.marginals(&[AttrSet::first(2)]).unwrap();
        let mut expected = vec![0; 6];
        for row in 0..rows {
            expected[(row % 3 * 2 + row % 7 / 4) as usize] += 1;
        }
        assert_eq!(tables[0].cells(), expected);
        let flag = StopFlag::new();
        assert_eq!(data.marginals_until(&[AttrSet::first(2)], &flag).unwrap(), Some(tables));
        flag.set();
        assert_eq!(data.marginals_until(&[AttrSet::first(2)], &flag).unwrap(), None, "no table with too few rows");
    }
}
