//! Rows that are exchanged until their tables are those that they should be.
//!
//! Rows that are drawn by weight differ from the weights' tables by about the root of each count.
//! A row is exchanged for a person drawn by weight whenever the sum of squared differences over
//! all tables falls: exchange as in the construction of experimental designs (Fedorov 1972). With
//! `d` the difference in a cell, a row that leaves cell a for cell b changes the sum by
//! `2 (d_b - d_a + 1)`.

use privacy_core::AttrSet;
use privacy_core::rng::below;
use rand_core::Rng;

use crate::rows::Rows;
use crate::sampling::uniform;

/// Exchanges that are tried for each row, and in all.
const TRIES_A_ROW: usize = 20;
const MOST_TRIES: usize = 4_000_000;

/// A table of the rows.
struct Table {
    /// Its attributes, and the stride of each.
    strides: Vec<(usize, u32)>,
    /// The number of rows in each cell, less what it should be.
    differences: Vec<f64>,
}

impl Table {
    fn place(&self, person: &[u32]) -> usize {
        let places = self.strides.iter().map(|&(attribute, stride)| person[attribute] * stride);
        places.sum::<u32>() as usize
    }
}

/// Rows, as the people that they are.
pub(crate) struct Exchange {
    attributes: usize,
    /// The categories of one person after the other.
    people: Vec<u32>,
    chosen: Vec<u32>,
    tables: Vec<Table>,
}

impl Exchange {
    /// `tables` are the probabilities that the rows should have, each over its attributes.
    pub(crate) fn new(
        sizes: &[usize],
        people: &Rows,
        chosen: Vec<u32>,
        tables: impl Iterator<Item = (AttrSet, Vec<f64>)>,
    ) -> Self {
        let attributes = sizes.len();
        let digits = (0..people.len()).flat_map(|person| (0..attributes).map(move |a| people.column(a)[person]));
        let rows = chosen.len() as f64;
        let tables = tables.map(|(set, shares)| Table {
            strides: strides(sizes, set),
            differences: shares.into_iter().map(|share| -rows * share).collect(),
        });
        let mut exchange = Self { attributes, people: digits.collect(), chosen, tables: tables.collect() };
        for table in &mut exchange.tables {
            for &chosen in &exchange.chosen {
                let place = table.place(person(&exchange.people, attributes, chosen));
                table.differences[place] += 1.0;
            }
        }
        exchange
    }

    /// Tries exchanges, each with a row drawn uniformly and a person drawn by weight.
    pub(crate) fn run<R: Rng + ?Sized>(&mut self, weights: &[f64], rng: &mut R) {
        if self.chosen.is_empty() || self.tables.is_empty() {
            return;
        }
        let running: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        let sum = running.last().copied().unwrap_or(0.0);
        for _ in 0..(TRIES_A_ROW * self.chosen.len()).min(MOST_TRIES) {
            let row = below(self.chosen.len(), rng);
            let drawn = uniform(rng) * sum;
            // The first person whose running sum is above it: never one of weight 0.
            let person = running.partition_point(|upto| *upto <= drawn).min(running.len() - 1);
            self.try_exchange(row, person as u32);
        }
    }

    fn try_exchange(&mut self, row: usize, next: u32) {
        let Self { attributes, people, chosen, tables } = self;
        let (from, to) = (person(people, *attributes, chosen[row]), person(people, *attributes, next));
        let mut change = 0.0;
        for table in tables.iter() {
            let (a, b) = (table.place(from), table.place(to));
            if a != b {
                change += table.differences[b] - table.differences[a] + 1.0;
            }
        }
        if change >= 0.0 {
            return;
        }
        for table in tables.iter_mut() {
            let (a, b) = (table.place(from), table.place(to));
            table.differences[a] -= 1.0;
            table.differences[b] += 1.0;
        }
        chosen[row] = next;
    }

    pub(crate) fn into_chosen(self) -> Vec<u32> {
        self.chosen
    }

    #[cfg(test)]
    fn sum_of_squares(&self) -> f64 {
        self.tables.iter().flat_map(|table| &table.differences).map(|d| d * d).sum()
    }
}

/// The categories of a person.
fn person(people: &[u32], attributes: usize, person: u32) -> &[u32] {
    let start = person as usize * attributes;
    &people[start..start + attributes]
}

/// Row-major, the last attribute fastest.
fn strides(sizes: &[usize], set: AttrSet) -> Vec<(usize, u32)> {
    let mut stride = 1;
    let mut strides: Vec<(usize, u32)> = Vec::with_capacity(set.len());
    for attribute in set.iter().collect::<Vec<_>>().into_iter().rev() {
        strides.push((attribute, stride));
        stride *= sizes[attribute] as u32;
    }
    strides
}

#[cfg(test)]
mod tests {
    use privacy_core::rng::SimRng;

    use super::*;
    use crate::model::{Model, ModelSpec};

    #[test]
    fn exchanges_bring_rows_closer_to_their_tables() {
        let sizes = [3, 2, 4];
        let model = Model::fit(&ModelSpec::new(sizes.to_vec(), 1.0), &[]).unwrap();
        let mut rng = SimRng::for_trial(1, "exchange", 0);
        let people = model.rows(5_000, &mut rng);
        let weights = vec![1.0 / 5_000.0; 5_000];
        let pairs = || AttrSet::first(3).subsets_of_size(2);
        let tables = pairs().map(|pair| {
            let cells = pair.iter().map(|a| sizes[a]).product();
            (pair, vec![1.0 / cells as f64; cells])
        });
        let chosen = (0..1_000).map(|_| below(5_000, &mut rng) as u32).collect();
        let mut exchange = Exchange::new(&sizes, &people, chosen, tables);
        let before = exchange.sum_of_squares();
        exchange.run(&weights, &mut rng);
        // Independent draws are off by about 1,000 for each of three tables.
        assert!(before > 500.0 && exchange.sum_of_squares() < 20.0, "{before} {}", exchange.sum_of_squares());
        let chosen = exchange.into_chosen();
        let rows = people.select(&chosen);
        let squares: f64 = pairs()
            .flat_map(|pair| {
                let counts = rows.counts(&sizes, pair);
                let want = 1_000.0 / counts.len() as f64;
                counts.into_iter().map(move |count| (count - want) * (count - want))
            })
            .sum();
        assert!(squares < 20.0, "{squares}");
    }
}
