//! What noised tables and choices tell of two inputs: logarithms of likelihood ratios.

use adaptive_marginals::Measurement;
use disclosure::privacy_core::{ContingencyTable, CountSource};

use super::release::{Published, refused};
use crate::prelude::*;

/// Of the noised tables, by the law of normal noise: the sum over tables of
/// `<y - (without + with) / 2, with - without> / variance`.
pub(super) fn of_tables(tables: &[Measurement], sides: &[TableSource; 2]) -> Option<f64> {
    let sets: Vec<AttrSet> = tables.iter().map(|table| table.set).collect();
    let [without, with] = sides.each_ref().map(|side| side.marginals(&sets));
    let mut ratio = 0.0;
    for (table, (without, with)) in tables.iter().zip(without.ok()?.iter().zip(&with.ok()?)) {
        for (y, (&a, &b)) in table.values.iter().zip(without.cells().iter().zip(with.cells())) {
            let (a, b) = (a as f64, b as f64);
            ratio += (y - 0.5 * (a + b)) * (b - a) / table.variance;
        }
    }
    Some(ratio)
}

/// Of the first choice: `P(r)` is proportional to `exp(epsilon q_r / (2 Delta))`, and `q_r` the
/// weighted distance of a table from the model of the attributes, which is a product of the noised
/// ones. Formulas (A1) and (A2) of docs/math/adaptive-marginals.md, for pairs of equal weight.
pub(super) struct ChoiceEvidence {
    sizes: Vec<usize>,
    /// The candidates that may be chosen, and their counts on both sides.
    candidates: Vec<Candidate>,
    /// `2 Delta`.
    unit: f64,
}

struct Candidate {
    set: AttrSet,
    weight: f64,
    counts: [Vec<f64>; 2],
}

impl ChoiceEvidence {
    pub(super) fn new(sizes: &[usize], rows_per_person: u32, sides: &[TableSource; 2]) -> Result<Self, Error> {
        let all = AttrSet::first(sizes.len());
        let sets: Vec<AttrSet> = (1..=2).flat_map(|size| all.subsets_of_size(size)).collect();
        let [without, with] = sides.each_ref().map(|side| side.marginals(&sets).map_err(refused));
        let (without, with) = (without?, with?);
        let counts = |table: &ContingencyTable| table.cells().iter().map(|&count| count as f64).collect();
        let candidates = sets.iter().zip(without.iter().zip(&with)).map(|(&set, (without, with))| {
            let shared: usize = all.subsets_of_size(2).map(|pair| pair.intersection(set).len()).sum();
            let weight = shared as f64 / (set.len() as f64).sqrt();
            Candidate { set, weight, counts: [counts(without), counts(with)] }
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let heaviest = candidates.iter().map(|candidate| candidate.weight).fold(0.0, f64::max);
        Ok(Self { sizes: sizes.to_vec(), candidates, unit: 2.0 * f64::from(rows_per_person) * heaviest })
    }

    /// `ln P'(choice) / P(choice)`; 0 where nothing was chosen.
    pub(super) fn of(&self, published: &Published) -> f64 {
        let Some(choice) = published.first else { return 0.0 };
        let attributes = self.attributes(&published.tables);
        let noise = (2.0 * choice.variance / std::f64::consts::PI).sqrt();
        let exponents = [0, 1].map(|side: usize| {
            let exponent = |candidate: &Candidate| {
                let distance = candidate.distance(side, &attributes, published.total);
                let cells = candidate.counts[side].len() as f64;
                choice.epsilon * candidate.weight * (distance - noise * cells) / self.unit
            };
            self.candidates.iter().map(exponent).collect::<Vec<f64>>()
        });
        let chosen = self.candidates.iter().position(|candidate| candidate.set == choice.set);
        let [without, with] = exponents.each_ref().map(|all| chosen.map_or(0.0, |at| all[at]) - log_sum(all));
        with - without
    }

    /// The share of each value of each attribute, as it was measured.
    fn attributes(&self, tables: &[Measurement]) -> Vec<Vec<f64>> {
        (0..self.sizes.len()).map(|attribute| self.shares(attribute, tables)).collect()
    }

    fn shares(&self, attribute: usize, tables: &[Measurement]) -> Vec<f64> {
        let single = tables.iter().find(|table| table.set == AttrSet::single(attribute));
        let values = single.map_or_else(|| vec![1.0; self.sizes[attribute]], |table| table.values.clone());
        let total = values.iter().sum::<f64>().max(1.0);
        values.iter().map(|value| value / total).collect()
    }
}

impl Candidate {
    /// From the product of the attributes.
    fn distance(&self, side: usize, attributes: &[Vec<f64>], total: f64) -> f64 {
        let mut expected = vec![total];
        for attribute in self.set.iter() {
            expected =
                expected.iter().flat_map(|mass| attributes[attribute].iter().map(move |share| mass * share)).collect();
        }
        self.counts[side].iter().zip(expected).map(|(count, expected)| (count - expected).abs()).sum()
    }
}

fn log_sum(exponents: &[f64]) -> f64 {
    let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + exponents.iter().map(|exponent| (exponent - most).exp()).sum::<f64>().ln()
}
