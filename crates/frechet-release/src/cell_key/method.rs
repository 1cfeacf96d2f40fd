//! A table with all its totals under the cell-key method, and what it tells its readers.
//!
//! `r` the key of a person, `C` a class (a cell or a total), `n` its people, `m` what is
//! published:
//!
//! ```text
//! (6)  key(C) = sum of r over the people of C, modulo 2^64;   m = n + v(n, draw(key(C)))
//! (7)  a class and one of its parts with different m: somebody is in the class and not in the part
//! ```
//!
//! `v` by the perturbation table and `draw` a keyed function, both the same wherever the class is
//! published. Totals are perturbed by themselves, so they are no sums of their parts. Two classes
//! of the same people have the same number, which is what (7) uses; of classes of different
//! people the draws are independent to anyone without the secret. So (3) of every class with (7)
//! are all that a reader of a table with its totals can be certain of.

use privacy_core::prf::Secret;
use privacy_core::{AttrSet, ContingencyTable};

use crate::cell_key::perturbation::PerturbationTable;
use crate::cell_key::records::KeyedTable;
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;

/// A perturbed table over some attributes with all its totals. It comes from
/// [`PerturbationTable::perturb`] alone.
#[derive(Clone, PartialEq)]
pub struct PerturbedTable {
    design: PerturbationTable,
    axes: AttrSet,
    /// Every set of axes, the grand total first.
    margins: Vec<ContingencyTable>,
}

/// Debug output shows the design and no number.
impl std::fmt::Debug for PerturbedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PerturbedTable").field("margins", &self.margins.len()).finish_non_exhaustive()
    }
}

impl PerturbationTable {
    /// Perturbs the table over `axes` with all its totals. The same people under the same secret
    /// have the same number in every table.
    ///
    /// # Guarantee
    /// Kind: guarantee, against an attacker who knows this program, the design, all numbers of
    /// tables under it and no key: a class has the count of some table that meets (3) for every
    /// number and (7), and every such table gives these numbers under some keys; how many counts
    /// that leaves to a class is found by an [`audit`](crate::audit) of
    /// [`Knowledge::publish_perturbed`]. Kind of mean and variance: calibration, over the keys.
    /// Unit: a person of the table. Which counts are likelier is not covered.
    ///
    /// Cost: sets of axes times cells; a draw of some 220 ns for each class.
    ///
    /// # Errors
    /// [`Error::Shape`] for axes that the table does not have; [`Error::TooLarge`] near 2^53.
    pub fn perturb(&self, people: &KeyedTable, axes: AttrSet, secret: &Secret) -> Result<PerturbedTable, Error> {
        let (domain, grid) = (&people.domain, Grid::of(&people.domain)?);
        if !axes.is_subset_of(domain.all()) {
            return Err(Error::Shape { expected: domain.shape(domain.all()), got: Vec::new() });
        }
        let draws = secret.sticky_draw();
        let mut sets: Vec<AttrSet> = axes.subsets().collect();
        sets.sort_by_key(|set| (set.len(), set.iter().collect::<Vec<_>>()));
        let margins = sets.into_iter().map(|set| {
            let (mut counts, mut keys) = (vec![0_u64; grid.classes(set)], vec![0_u64; grid.classes(set)]);
            for (cell, (&count, &sum)) in people.table.cells().iter().zip(&people.sums).enumerate() {
                let class = grid.class_of_cell(cell, set);
                // A total of the table is at most 2^53.
                counts[class] += count;
                keys[class] = keys[class].wrapping_add(sum);
            }
            let published = counts.iter().zip(keys).map(|(&count, key)| self.published(count, draws.draw(key)));
            let table = ContingencyTable::from_cells(domain, set, published.collect());
            table.map_err(|_| Error::TooLarge { row: "total".to_owned() })
        });
        Ok(PerturbedTable { design: self.clone(), axes, margins: margins.collect::<Result<_, _>>()? })
    }
}

impl PerturbedTable {
    /// The design, which its readers know.
    #[must_use]
    pub fn design(&self) -> &PerturbationTable {
        &self.design
    }

    /// The axes of the table.
    #[must_use]
    pub fn attributes(&self) -> AttrSet {
        self.axes
    }

    /// Every set of axes with its published numbers, the grand total first. Totals are no sums.
    pub fn margins(&self) -> impl Iterator<Item = (AttrSet, &ContingencyTable)> {
        self.margins.iter().map(|margin| (margin.attributes(), margin))
    }

    fn margin(&self, axes: AttrSet) -> &ContingencyTable {
        let found = self.margins.iter().find(|margin| margin.attributes() == axes);
        found.expect("every set of the axes has a margin")
    }
}

impl Knowledge {
    /// Adds a perturbed table with all its totals: what a reader of it is certain of who knows
    /// the method and the design, by (3) and (7).
    ///
    /// # Errors
    /// [`Error::Shape`] when the table is of another domain; as [`Knowledge::publish_range`].
    pub fn publish_perturbed(&mut self, perturbed: &PerturbedTable) -> Result<(), Error> {
        for (axes, margin) in perturbed.margins() {
            // The shape is checked before a level is named.
            self.cells_over(axes, margin)?;
            for (index, &number) in margin.cells().iter().enumerate() {
                let class = Class { axes, levels: self.grid.levels_of_class(index, axes) };
                // Every number of a perturbed table is one that is published.
                if let Some((lower, upper)) = perturbed.design.range(number) {
                    let name = self.row_name("perturbed", axes, index);
                    self.publish_range(name, &Region::from(&class), lower, upper)?;
                }
            }
        }
        for axes in perturbed.axes.subsets() {
            for axis in perturbed.axes.minus(axes).iter() {
                self.publish_differences(perturbed, axes, axis)?;
            }
        }
        Ok(())
    }

    /// (7) for the classes over some axes and their parts by one axis more. Where a part beside
    /// it has somebody by (3), nothing is added.
    fn publish_differences(&mut self, perturbed: &PerturbedTable, axes: AttrSet, axis: usize) -> Result<(), Error> {
        let (wholes, parts) = (perturbed.margin(axes), perturbed.margin(axes.with(axis)));
        let size = self.grid.size(axis);
        for (index, &whole) in wholes.cells().iter().enumerate() {
            let levels = self.grid.levels_of_class(index, axes);
            let class = Class { axes, levels };
            let numbers: Vec<u64> = (0..size).map(|level| part(&self.grid, &class, axis, level, parts)).collect();
            let most = perturbed.design.range(whole).map_or(0, |(_, most)| most);
            for level in 0..size {
                let others: Vec<usize> = (0..size).filter(|&other| other != level).collect();
                if numbers[level] == whole || others.is_empty() || others.iter().any(|&other| numbers[other] > 0) {
                    continue;
                }
                let name = self.row_name("differs from a part of", axes, index);
                self.publish_range(name, &Region::from(&class).with(axis, others), 1, most)?;
            }
        }
        Ok(())
    }
}

/// The number of a part of a class.
fn part(grid: &Grid, class: &Class, axis: usize, level: usize, parts: &ContingencyTable) -> u64 {
    let mut of_axis: Vec<(usize, usize)> = class.axes.iter().zip(class.levels.iter().copied()).collect();
    of_axis.push((axis, level));
    of_axis.sort_unstable();
    let levels: Vec<usize> = of_axis.into_iter().map(|(_, level)| level).collect();
    parts.cells()[grid.class_index(class.axes.with(axis), &levels)]
}
