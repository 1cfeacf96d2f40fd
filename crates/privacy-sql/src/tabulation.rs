//! Dense tables of many sets of attributes, to each of which every row is added.

use std::sync::Arc;

use privacy_core::table::{CountError, MAX_TOTAL};
use privacy_core::{AttrSet, ContingencyTable, Domain};

/// Rows whose cells are found at once: they stay in the first-level cache.
const BLOCK: usize = 4096;

/// Most cells of the tables that one pass keeps in every partition: 32 MiB of counts.
const CELLS_PER_PASS: u64 = 1 << 22;

/// Where the tables of a pass are, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    sets: Vec<AttrSet>,
    /// Of every set: its first cell, and its columns with their cardinalities.
    axes: Vec<(usize, Vec<(usize, u32)>)>,
    cells: usize,
}

impl Layout {
    /// # Errors
    /// [`CountError::UnknownAttribute`]; [`CountError::TooManyCells`] from 2^32 cells.
    pub(crate) fn new(domain: &Domain, sets: &[AttrSet]) -> Result<Self, CountError> {
        let (mut axes, mut start) = (Vec::new(), 0_usize);
        for &set in sets {
            if !domain.contains(set) {
                return Err(CountError::UnknownAttribute { asked: set, have: domain.all() });
            }
            let cells = domain.cells(set).and_then(|cells| u32::try_from(cells).ok());
            let end = cells.and_then(|cells| start.checked_add(cells as usize));
            let end = end.ok_or(CountError::TooManyCells { set })?;
            // Each is at most the number of cells.
            axes.push((start, set.iter().map(|a| (a, domain.cardinality(a) as u32)).collect()));
            start = end;
        }
        Ok(Self { sets: sets.to_vec(), axes, cells: start })
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    #[cfg(feature = "ballista")]
    pub(crate) fn sets(&self) -> &[AttrSet] {
        &self.sets
    }

    /// Adds rows to the tables, each with its weight where there are weights.
    pub(crate) fn add(&self, columns: &[Vec<u32>], weights: Option<&[u64]>, rows: usize, bins: &mut [u64]) {
        let mut cells = [0_u32; BLOCK];
        for start in (0..rows).step_by(BLOCK) {
            let block = start..rows.min(start + BLOCK);
            let cells = &mut cells[..block.len()];
            for (first, axes) in &self.axes {
                cells.fill(0);
                for &(column, cardinality) in axes {
                    for (cell, &code) in cells.iter_mut().zip(&columns[column][block.clone()]) {
                        // Below 2^32 by the layout; wrapping keeps it a vector loop.
                        *cell = cell.wrapping_mul(cardinality).wrapping_add(code);
                    }
                }
                let bins = &mut bins[*first..];
                match weights {
                    None => cells.iter().for_each(|&cell| bins[cell as usize] += 1),
                    Some(weights) => {
                        let weighted = cells.iter().zip(&weights[block.clone()]);
                        weighted.for_each(|(&cell, &weight)| {
                            let bin = &mut bins[cell as usize];
                            // A sum of weights beyond 2^53 is refused at the end, and never wraps.
                            *bin = bin.saturating_add(weight);
                        });
                    }
                }
            }
        }
    }

    /// The tables.
    ///
    /// # Errors
    /// [`CountError::TotalTooLarge`].
    pub(crate) fn into_tables(self, domain: &Domain, bins: &[u64]) -> Result<Vec<ContingencyTable>, CountError> {
        let ends = self.axes.iter().skip(1).map(|(start, _)| *start).chain([self.cells]);
        let parts = self.sets.iter().zip(&self.axes).zip(ends);
        parts
            .map(|((&set, (start, _)), end)| {
                let cells = &bins[*start..end];
                if cells.iter().any(|&count| count > MAX_TOTAL) {
                    return Err(CountError::TotalTooLarge);
                }
                ContingencyTable::from_cells(domain, set, cells.to_vec())
            })
            .collect()
    }
}

/// Sets in passes whose tables are small enough together; a larger table has a pass of its own.
pub(crate) fn passes(domain: &Domain, sets: &[AttrSet]) -> Vec<Vec<AttrSet>> {
    let (mut passes, mut pass, mut held): (Vec<Vec<AttrSet>>, Vec<AttrSet>, u64) = Default::default();
    for &set in sets {
        let cells = domain.cells(set).unwrap_or(u64::MAX);
        if !pass.is_empty() && held.saturating_add(cells) > CELLS_PER_PASS {
            passes.push(std::mem::take(&mut pass));
            held = 0;
        }
        pass.push(set);
        held = held.saturating_add(cells);
    }
    if !pass.is_empty() {
        passes.push(pass);
    }
    passes
}

/// A layout that accumulators of one query share.
pub(crate) type SharedLayout = Arc<Layout>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_to_every_table() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let sets = [AttrSet::EMPTY, AttrSet::single(1), AttrSet::first(2)];
        let layout = Layout::new(&domain, &sets).unwrap();
        let columns = [vec![0, 1, 1], vec![2, 0, 0]];
        let mut bins = vec![0; layout.cells()];
        layout.add(&columns, None, 3, &mut bins);
        assert_eq!(bins, [3, 2, 0, 1, 0, 0, 1, 2, 0, 0]);
        layout.add(&columns, Some(&[0, 5, 1]), 3, &mut bins);
        let tables = layout.clone().into_tables(&domain, &bins).unwrap();
        assert_eq!(tables.iter().map(ContingencyTable::total).collect::<Vec<_>>(), [9; 3]);
        assert_eq!(tables[1].cells(), [8, 0, 1]);
        bins[0] = MAX_TOTAL + 1;
        assert!(matches!(layout.into_tables(&domain, &bins), Err(CountError::TotalTooLarge)));
    }

    #[test]
    fn blocks_of_rows_are_all_counted() {
        let rows = 3 * BLOCK as u32 + 5;
        let domain = Domain::of_cardinalities(&[7]).unwrap();
        let layout = Layout::new(&domain, &[domain.all()]).unwrap();
        let mut bins = vec![0; 7];
        layout.add(&[(0..rows).map(|row| row % 7).collect()], None, rows as usize, &mut bins);
        assert_eq!(bins.iter().sum::<u64>(), u64::from(rows));
        assert_eq!(bins[6], u64::from(rows) / 7);
    }

    #[test]
    fn passes_hold_few_cells_and_every_set_once() {
        let domain = Domain::of_cardinalities(&[1 << 12; 4]).unwrap();
        let pairs: Vec<AttrSet> = (0..3).map(|a| AttrSet::single(a).with(a + 1)).collect();
        let singles: Vec<AttrSet> = (0..4).map(AttrSet::single).collect();
        assert_eq!(passes(&domain, &pairs).len(), 3);
        assert_eq!(passes(&domain, &singles), std::slice::from_ref(&singles));
        assert!(passes(&domain, &[]).is_empty());
        assert!(Layout::new(&domain, &[AttrSet::single(4)]).is_err());
        assert!(matches!(Layout::new(&domain, &[domain.all()]), Err(CountError::TooManyCells { .. })));
    }
}
