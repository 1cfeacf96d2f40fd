//! Golden numbers as fractions, and counts by enumeration.

pub(crate) mod fraction;
pub(crate) mod paper;

use ldp_pmdh::estimate::{Estimator, Population};
use ldp_pmdh::{Aggregator, Channel, Counts, Schema, State, StateDetail};
use serde_json::Value;

/// A number, or a fraction as text.
pub(crate) fn number(value: &Value) -> f64 {
    let Some(text) = value.as_str() else { return value.as_f64().unwrap() };
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// A symmetric matrix from the rows of its upper triangle.
pub(crate) fn triangle(value: &Value) -> impl Fn(usize, usize) -> f64 {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    move |i, j| rows[i.min(j)][i.max(j) - i.min(j)]
}

pub(crate) fn channels(case: &Value) -> Vec<Channel> {
    let (p, q) = (numbers(&case["p"]), numbers(&case["q"]));
    p.into_iter().zip(q).map(|(p, q)| Channel::new(p, q).unwrap()).collect()
}

/// Equal up to `tolerance` times the largest number wanted.
#[track_caller]
pub(crate) fn assert_all_close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let largest = want.iter().fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= tolerance * largest, "{what}, entry {i}: {got} for {want}");
    }
}

/// Equal up to 1e-9 of the number wanted, or of 1.
#[track_caller]
pub(crate) fn assert_close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{what}: {got} for {want}");
}

/// The nearest table in Norm-sub's own way: negative cells are set to 0, and the others lose alike.
pub(crate) fn norm_sub(mut cells: Vec<f64>) -> Vec<f64> {
    while cells.iter().any(|&cell| cell < 0.0) {
        let excess: f64 = cells.iter().filter(|&&cell| cell < 0.0).sum();
        let others = cells.iter().filter(|&&cell| cell > 0.0).count() as f64;
        cells.iter_mut().for_each(|cell| *cell = if *cell > 0.0 { *cell + excess / others } else { 0.0 });
    }
    cells
}

/// Reports as support bits, with the features that each covers; counted one by one.
pub(crate) struct Reports {
    pub(crate) bits: Vec<Vec<bool>>,
    pub(crate) covers: Vec<Vec<bool>>,
}

impl Reports {
    /// Reports that cover every one of `features` features.
    pub(crate) fn of(bits: Vec<Vec<bool>>, features: usize) -> Self {
        let covers = vec![vec![true; features]; bits.len()];
        Self { bits, covers }
    }

    /// Reports of a histogram over column sets.
    pub(crate) fn of_histogram(histogram: &[u64], columns: usize) -> Self {
        let row = |mask: usize| (0..columns).map(|column| mask >> column & 1 == 1).collect::<Vec<bool>>();
        let rows = histogram.iter().enumerate().flat_map(|(mask, &n)| std::iter::repeat_n(row(mask), n as usize));
        Self::of(rows.collect(), columns)
    }
}

impl Counts for Reports {
    fn reports(&self) -> u64 {
        self.bits.len() as u64
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let counts = |(bits, covers): &(&Vec<bool>, &Vec<bool>)| {
            columns.iter().all(|&column| bits[column]) && covering.iter().all(|&feature| covers[feature])
        };
        Some(self.bits.iter().zip(&self.covers).filter(counts).count() as u64)
    }
}

/// What two estimates are on average over all outcomes, with everybody's answers fixed: their
/// expectations, that of their product, and that of the covariance that is claimed.
pub(crate) fn moments<'a, C: Counts + 'a>(
    schema: &Schema,
    outcomes: impl IntoIterator<Item = (&'a C, f64)>,
    first: &[usize],
    second: &[usize],
) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for (counts, probability) in outcomes {
        let estimator = Estimator::new(schema, counts).for_population(Population::Fixed);
        let [one, other] = [first, second].map(|set| estimator.estimate(set).unwrap().count);
        let claimed = estimator.covariance(first, second).unwrap();
        for (sum, value) in sums.iter_mut().zip([one, other, one * other, claimed]) {
            *sum += probability * value;
        }
    }
    sums
}

/// The state of these reports; two parts of them merge to the same bytes in both orders.
#[track_caller]
pub(crate) fn merged_in_any_order(schema: &Schema, reports: &[Vec<u8>], detail: StateDetail) -> State {
    let (first, second) = reports.split_at(reports.len() / 5 * 2);
    let whole = counted(schema, reports, detail);
    let (mut one, mut other) = (counted(schema, first, detail), counted(schema, second, detail));
    let before = one.clone();
    one.merge(&other).unwrap();
    other.merge(&before).unwrap();
    assert_eq!((one.to_bytes(), other.to_bytes()), (whole.to_bytes(), whole.to_bytes()));
    whole
}

fn counted(schema: &Schema, reports: &[Vec<u8>], detail: StateDetail) -> State {
    let mut aggregator = Aggregator::new(schema.clone(), detail, 1e8).unwrap();
    reports.iter().for_each(|report| aggregator.push(report).unwrap());
    aggregator.finish().unwrap()
}

/// The schema that reads its own bytes again.
#[track_caller]
pub(crate) fn assert_reads_its_bytes(schema: &Schema) {
    let again = Schema::from_bytes(&schema.to_bytes()).unwrap();
    assert_eq!((&again, again.digest()), (schema, schema.digest()));
}
