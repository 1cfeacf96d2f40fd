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

/// Synthetic rows by column: a category for each row and attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    columns: Vec<Vec<u32>>,
    rows: usize,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The categories of an attribute, one for each row.
    ///
    /// # Panics
    /// If there is no such attribute.
    #[must_use]
    pub fn column(&self, attribute: usize) -> &[u32] {
        &self.columns[attribute]
    }

    /// How many rows there are of every combination of `set`, row-major.
    ///
    /// # Panics
    /// If the set or a category is outside of `sizes`, the numbers of categories.
    #[must_use]
    pub fn counts(&self, sizes: &[usize], set: AttrSet) -> Vec<f64> {
        let mut counts = vec![0.0; count(sizes, set) as usize];
        self.codes(sizes, set).into_iter().for_each(|code| counts[code as usize] += 1.0);
        counts
    }

    /// The place of each row in a table over `set`, which has less than 2^32 cells.
    fn codes(&self, sizes: &[usize], set: AttrSet) -> Vec<u32> {
        let mut codes = vec![0; self.rows];
        for attribute in set.iter() {
            let size = sizes[attribute] as u32;
            codes.iter_mut().zip(&self.columns[attribute]).for_each(|(code, value)| *code = *code * size + value);
        }
        codes
    }
}

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

/// `rows` rows over cells with these probabilities, up to a common factor: each gets its share
/// rounded up or down, on average its share. `start` is uniform in [0, 1).
fn shares(rows: usize, probabilities: &[f64], start: f64) -> Vec<usize> {
    let sum: f64 = probabilities.iter().sum();
    let last = probabilities.iter().rposition(|p| *p > 0.0);
    let (mut running, mut given) = (0.0, 0_usize);
    let shares = probabilities.iter().enumerate().map(|(cell, p)| {
        running += p;
        // The last cell that is possible takes what rounding left; those behind it get none.
        let upto = match last {
            Some(last) if cell < last => ((rows as f64 * (running / sum) + start).floor() as usize).min(rows),
            _ => rows,
        };
        let share = if *p > 0.0 || last.is_none() { upto.saturating_sub(given) } else { 0 };
        given += share;
        share
    });
    shares.collect()
}

/// Uniform in [0, 1).
fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random order (Fisher and Yates).
fn shuffle<R: Rng + ?Sized, T>(values: &mut [T], rng: &mut R) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(last as u64 + 1, rng) as usize);
    }
}

/// Uniform below `end`, which is above 0: multiplication and rejection (Lemire 2019).
fn below<R: Rng + ?Sized>(end: u64, rng: &mut R) -> u64 {
    let reject = end.wrapping_neg() % end;
    loop {
        let wide = u128::from(rng.next_u64()) * u128::from(end);
        if wide as u64 >= reject {
            return (wide >> 64) as u64;
        }
    }
}

/// The order of rows says nothing.
fn shuffle_rows<R: Rng + ?Sized>(rows: &mut Rows, rng: &mut R) {
    let mut order: Vec<u32> = (0..rows.rows as u32).collect();
    shuffle(&mut order, rng);
    for column in &mut rows.columns {
        *column = order.iter().map(|&row| column[row as usize]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_or_down_and_add_up() {
        let p = [0.2, 0.0, 0.31, 0.49, 0.0];
        for rows in [0, 1, 7, 1000] {
            let mut sums = [0.0; 5];
            for step in 0..1000 {
                let got = shares(rows, &p, (f64::from(step) + 0.5) / 1000.0);
                assert_eq!(got.iter().sum::<usize>(), rows);
                for (cell, (&got, p)) in got.iter().zip(p).enumerate() {
                    assert!((got as f64 - rows as f64 * p).abs() < 1.0 + 1e-9, "{rows} {cell}");
                    sums[cell] += got as f64 / 1000.0;
                }
            }
            for (sum, p) in sums.iter().zip(p) {
                assert!((sum - rows as f64 * p).abs() < 2e-3, "{rows}: {sum}");
            }
        }
    }
}
