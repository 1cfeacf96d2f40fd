//! A table with all its totals under the cell-key method, and what it tells its readers.
//!
//! `R(l, n)` the key of `n` people of whom the data say `l`, `C` a class (a cell or a total), `n_l`
//! its people by what the data say, `n` all of them, `m` what is published:
//!
//! ```text
//! (6)  key(C) = sum of R(l, n_l) over l, modulo 2^64;   m = n + v(n, draw(key(C)))
//! (7)  a class and one of its parts with different m: somebody is in the class and not in the part
//! (8)  parts of a class that are all published as 0, and it is not: two groups of parts have somebody
//! ```
//!
//! `v` by the perturbation table and `draw` a keyed function, both the same wherever the class is
//! published. Totals are perturbed by themselves, so they are no sums of their parts. Two classes
//! of the same people have the same number, which is what (7) uses; of classes of different
//! people the draws are independent to anyone without the secret. So (3) of every class with (7)
//! are all that a reader of a table with its totals can be certain of.

use std::collections::BTreeMap;

use privacy_core::prf::Secret;
use privacy_core::{AttrSet, ContingencyTable};

use crate::cell_key::perturbation::PerturbationTable;
use crate::cell_key::records::KeyedTable;
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;

/// Parts of a class for which (7) has a row each.
const MOST_PARTS: usize = 16;
/// Groups of parts in (8), at least two parts in each.
const GROUPS: usize = 8;

/// A perturbed table over some attributes with all its totals. It comes from
/// [`PerturbationTable::perturb`] alone.
#[derive(Clone, PartialEq)]
pub struct PerturbedTable {
    design: PerturbationTable,
    axes: AttrSet,
    /// Every set of axes, the grand total first.
    margins: Vec<ContingencyTable>,
    /// Of classes with many parts, all published as 0: the digit of the parts' positions, to the
    /// base [`GROUPS`], by which two that have somebody differ. By axes, axis of the parts, class.
    digits: BTreeMap<(AttrSet, usize, usize), u32>,
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
    /// Unit: a person in the table. Which counts are likelier is not covered.
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
        let (mut margins, mut counted) = (Vec::new(), BTreeMap::new());
        for set in sets {
            let (mut counts, mut keys) = (vec![0_u64; grid.classes(set)], vec![0_u64; grid.classes(set)]);
            for (cell, (&count, &sum)) in people.table.cells().iter().zip(&people.sums).enumerate() {
                let class = grid.class_of_cell(cell, set);
                // A total of the table is at most 2^53.
                counts[class] += count;
                keys[class] = keys[class].wrapping_add(sum);
            }
            let published = counts.iter().zip(keys).map(|(&count, key)| self.published(count, draws.draw(key)));
            let table = ContingencyTable::from_cells(domain, set, published.collect());
            margins.push(table.map_err(|_| Error::TooLarge { row: "total".to_owned() })?);
            counted.insert(set, counts);
        }
        let mut perturbed = PerturbedTable { design: self.clone(), axes, margins, digits: BTreeMap::new() };
        perturbed.digits = perturbed.telling_digits(&grid, &counted);
        Ok(perturbed)
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

    /// The digits of (8), where they are not the last.
    fn telling_digits(
        &self,
        grid: &Grid,
        counted: &BTreeMap<AttrSet, Vec<u64>>,
    ) -> BTreeMap<(AttrSet, usize, usize), u32> {
        let mut digits = BTreeMap::new();
        for (axes, axis) in self.steps().filter(|&(_, axis)| grid.size(axis) > MOST_PARTS) {
            let parts = &counted[&axes.with(axis)];
            for (index, &whole) in self.margin(axes).cells().iter().enumerate() {
                let class = Class { axes, levels: grid.levels_of_class(index, axes) };
                let own = parts_of(grid, &class, axis);
                if whole == 0 || own.iter().any(|&part| self.margin(axes.with(axis)).cells()[part] > 0) {
                    continue;
                }
                let mut peopled = (0..own.len()).filter(|&level| parts[own[level]] > 0);
                if let (Some(one), Some(other)) = (peopled.next(), peopled.next()) {
                    let digit = (0..).find(|&digit| group(one, digit) != group(other, digit));
                    digits.extend(digit.filter(|&digit| digit > 0).map(|digit| ((axes, axis, index), digit)));
                }
            }
        }
        digits
    }

    /// Every set of axes with one axis more.
    fn steps(&self) -> impl Iterator<Item = (AttrSet, usize)> {
        let all = self.axes;
        all.subsets().flat_map(move |axes| all.minus(axes).iter().map(move |axis| (axes, axis)).collect::<Vec<_>>())
    }

    fn margin(&self, axes: AttrSet) -> &ContingencyTable {
        let found = self.margins.iter().find(|margin| margin.attributes() == axes);
        found.expect("every set of the axes has a margin")
    }
}

impl Knowledge {
    /// Adds a perturbed table with all its totals: what a reader of it is certain of who knows
    /// the method and the design, by (3) and (7). Of a class with more than 16 parts that are all
    /// published as 0 it is a little more, (8), which is true and takes rows in proportion to the
    /// parts: what is found open is open to the reader.
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
        for (axes, axis) in perturbed.steps() {
            self.publish_differences(perturbed, axes, axis)?;
        }
        Ok(())
    }

    /// (7) for the classes over some axes and their parts by one axis more. Where a part beside
    /// it has somebody by (3), nothing is added. Of many parts that are all published as 0, (8).
    fn publish_differences(&mut self, perturbed: &PerturbedTable, axes: AttrSet, axis: usize) -> Result<(), Error> {
        let (wholes, parts) = (perturbed.margin(axes), perturbed.margin(axes.with(axis)));
        let size = self.grid.size(axis);
        for (index, &whole) in wholes.cells().iter().enumerate() {
            let class = Class { axes, levels: self.grid.levels_of_class(index, axes) };
            let numbers = parts_of(&self.grid, &class, axis).into_iter().map(|part| parts.cells()[part]);
            let numbers: Vec<u64> = numbers.collect();
            let positive: Vec<usize> = (0..size).filter(|&level| numbers[level] > 0).collect();
            // The levels that leave somebody to the others.
            let left_out: Vec<Vec<usize>> = match *positive.as_slice() {
                [] if whole == 0 => Vec::new(),
                [] if size > MOST_PARTS => groups(size, *perturbed.digits.get(&(axes, axis, index)).unwrap_or(&0)),
                [] => (0..size).map(|level| vec![level]).collect(),
                [one] if numbers[one] != whole => vec![vec![one]],
                _ => Vec::new(),
            };
            let most = perturbed.design.range(whole).map_or(0, |(_, most)| most);
            for levels in left_out.iter().filter(|levels| levels.len() < size) {
                let others: Vec<usize> = (0..size).filter(|level| levels.binary_search(level).is_err()).collect();
                let name = self.row_name("differs from a part of", axes, index);
                self.publish_range(name, &Region::from(&class).with(axis, others), 1, most)?;
            }
        }
        Ok(())
    }
}

/// The group of a level in (8).
fn group(level: usize, digit: u32) -> usize {
    level / GROUPS.pow(digit) % GROUPS
}

/// The levels of an axis by one digit of their positions; groups without a level are left out.
fn groups(size: usize, digit: u32) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); GROUPS];
    (0..size).for_each(|level| groups[group(level, digit)].push(level));
    groups.retain(|levels| !levels.is_empty());
    groups
}

/// The parts of a class by one axis more, by level: their positions among all of their kind.
fn parts_of(grid: &Grid, class: &Class, axis: usize) -> Vec<usize> {
    let axes = class.axes.with(axis);
    let place = axes.iter().position(|own| own == axis).expect("an axis of the parts");
    let mut levels = class.levels.clone();
    levels.insert(place, 0);
    let part = |level| {
        levels[place] = level;
        grid.class_index(axes, &levels)
    };
    (0..grid.size(axis)).map(part).collect()
}
