//! Rows from a model: whole people whose tables are as close to the model's as whole numbers are.
//!
//! Clique after clique, from the root down. The root's cells get `n p` rows each, rounded up or
//! down by systematic sampling: the running sums of `n p`, moved by one uniform number, count a row
//! for every whole number that they pass. Every cell has `n p` rows on average, never a whole row
//! more or less. The rows with the same values of what a clique shares with its parent then share
//! out its other attributes in the same way, in random order. So a table over a clique differs
//! from the model's by less than one row a cell given its parent's, where independent draws would
//! differ by the root of the count.

use privacy_core::AttrSet;
use rand_core::Rng;

use crate::cells::{Within, count};
use crate::model::Model;
use crate::rows::Rows;
use crate::sampling::{shares, shuffle, uniform};

impl Model {
    /// This many rows, in random order. `O(rows * attributes + cells)`.
    ///
    /// # Panics
    /// If there are 2^32 rows or more.
    #[must_use]
    pub fn rows<R: Rng + ?Sized>(&self, rows: usize, rng: &mut R) -> Rows {
        assert!(u32::try_from(rows).is_ok(), "rows are numbered in 32 bits");
        let sizes = &self.tree.sizes;
        let mut drawn = Rows { columns: vec![vec![0; rows]; sizes.len()], rows };
        for clique in 0..self.tree.cliques.len() {
            let set = self.tree.cliques[clique].set;
            let shared = self.tree.cliques[clique].parent.as_ref().map_or(AttrSet::EMPTY, |parent| parent.separator);
            let own = set.minus(shared);
            let table = self.own_last(clique, shared);
            let cells = count(sizes, own) as usize;
            let mut chosen = vec![0_u32; rows];
            let Groups { rows: mut sorted, sizes: counts } = Groups::new(&drawn, sizes, shared);
            let mut rest = sorted.as_mut_slice();
            for (size, probabilities) in counts.into_iter().zip(table.chunks_exact(cells)) {
                let (group, others) = std::mem::take(&mut rest).split_at_mut(size);
                rest = others;
                shuffle(group, rng);
                let mut next = group.iter();
                for (cell, share) in shares(group.len(), probabilities, uniform(rng)).into_iter().enumerate() {
                    next.by_ref().take(share).for_each(|&row| chosen[row as usize] = cell as u32);
                }
            }
            write(&mut drawn, sizes, own, chosen);
        }
        shuffle_rows(&mut drawn, rng);
        drawn
    }

    /// The probabilities of a clique with the shared attributes first: one block of the others for
    /// each of their combinations.
    fn own_last(&self, clique: usize, shared: AttrSet) -> Vec<f64> {
        let (sizes, set) = (&self.tree.sizes, self.tree.cliques[clique].set);
        let own = set.minus(shared);
        let (blocks, places) = (Within::new(sizes, set, shared).places(), Within::new(sizes, set, own).places());
        let cells = count(sizes, own) as usize;
        let mut table = vec![0.0; self.beliefs[clique].len()];
        for ((block, place), p) in blocks.iter().zip(&places).zip(&self.beliefs[clique]) {
            table[*block as usize * cells + *place as usize] = *p;
        }
        table
    }
}

/// The rows by their combination of some attributes.
struct Groups {
    /// Those of the first combination, then those of the second, and so on.
    rows: Vec<u32>,
    /// How many rows each combination has.
    sizes: Vec<usize>,
}

impl Groups {
    fn new(rows: &Rows, sizes: &[usize], shared: AttrSet) -> Self {
        let codes = rows.codes(sizes, shared);
        let mut counts = vec![0; count(sizes, shared) as usize];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        // Counting sort: where the next row of each combination goes.
        let mut next: Vec<usize> = counts
            .iter()
            .scan(0, |before, size| {
                *before += size;
                Some(*before - size)
            })
            .collect();
        let mut sorted = vec![0; codes.len()];
        for (row, code) in (0_u32..).zip(codes) {
            sorted[next[code as usize]] = row;
            next[code as usize] += 1;
        }
        Self { rows: sorted, sizes: counts }
    }
}

/// The categories of `own` in the cell that each row was given.
fn write(rows: &mut Rows, sizes: &[usize], own: AttrSet, mut cells: Vec<u32>) {
    let attributes: Vec<usize> = own.iter().collect();
    for &attribute in attributes.iter().rev() {
        let size = sizes[attribute] as u32;
        for (value, cell) in rows.columns[attribute].iter_mut().zip(&mut cells) {
            (*value, *cell) = (*cell % size, *cell / size);
        }
    }
}

/// The order of rows says nothing.
fn shuffle_rows<R: Rng + ?Sized>(rows: &mut Rows, rng: &mut R) {
    let mut order: Vec<u32> = (0..rows.rows as u32).collect();
    shuffle(&mut order, rng);
    *rows = rows.select(&order);
}
