//! A column of numbers that gets bins.

use std::collections::BTreeMap;

use crate::bin_names::bin_names;
use crate::coder::{bin_of, number};
use crate::dialect::DecimalMark;
use crate::error::Defect;
use crate::schema::AttributeSpec;

/// What was seen of a column of numbers, and how its bins are made.
#[derive(Debug)]
pub(super) struct Numbers {
    bins: Bins,
    are_integers: bool,
}

#[derive(Debug)]
enum Bins {
    /// The edges of a person, the last of them infinite.
    Given(Vec<f64>),
    /// This many bins; the numbers with how often each occurs, by a key that sorts as they do.
    Quantiles { bins: usize, seen: BTreeMap<i64, u64> },
}

impl Numbers {
    /// Bins between these edges, and one above the last.
    pub(super) fn between(edges: &[f64]) -> Self {
        let mut edges = edges.to_vec();
        if edges.last().is_some_and(|last| last.is_finite()) {
            edges.push(f64::INFINITY);
        }
        Self { bins: Bins::Given(edges), are_integers: true }
    }

    /// Bins of about as many rows each.
    pub(super) fn in_quantiles(bins: usize) -> Self {
        Self { bins: Bins::Quantiles { bins, seen: BTreeMap::new() }, are_integers: true }
    }

    /// Adds the number in a field.
    pub(super) fn add(&mut self, field: &[u8], mark: DecimalMark) -> Result<(), Defect> {
        let value = number(field, mark).ok_or(Defect::NotANumber)?;
        self.are_integers &= value.fract() == 0.0;
        match &mut self.bins {
            Bins::Given(edges) => bin_of(edges, value).map(|_| ()).ok_or(Defect::OutsideBins),
            Bins::Quantiles { seen, .. } => {
                *seen.entry(sorted_key(value)).or_default() += 1;
                Ok(())
            }
        }
    }

    /// The attribute, with names for its bins.
    pub(super) fn into_spec(self, name: String) -> AttributeSpec {
        let edges = match self.bins {
            Bins::Given(edges) => edges,
            Bins::Quantiles { bins, seen } => quantiles(bins, &seen),
        };
        AttributeSpec { names: Some(bin_names(&edges, self.are_integers)), ..AttributeSpec::of_bins(name, edges) }
    }
}

/// Edges at the quantiles; the outer ones are infinite, so that they tell no extreme value. Equal
/// quantiles make one edge, so there may be fewer bins.
fn quantiles(bins: usize, seen: &BTreeMap<i64, u64>) -> Vec<f64> {
    let all: u64 = seen.values().sum();
    let mut edges = vec![f64::NEG_INFINITY];
    let (mut below, mut next) = (0_u64, 1_usize);
    for (&key, &times) in seen {
        // The edge i is the least number with at least the share i / bins of the rows below it.
        let mut is_edge = false;
        while next < bins && u128::from(below) * bins as u128 >= u128::from(all) * next as u128 {
            is_edge = true;
            next += 1;
        }
        if is_edge {
            edges.push(number_of(key));
        }
        below += times;
    }
    edges.push(f64::INFINITY);
    edges
}

/// A key in the order of the numbers; a negative zero is zero.
fn sorted_key(number: f64) -> i64 {
    let bits = (number + 0.0).to_bits().cast_signed();
    // Negative numbers sort backwards by their bits.
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn number_of(key: i64) -> f64 {
    let bits = if key < 0 { key ^ i64::MAX } else { key };
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(bins: usize, numbers: &[f64]) -> Vec<f64> {
        let mut seen = BTreeMap::new();
        numbers.iter().for_each(|&number| *seen.entry(sorted_key(number)).or_default() += 1);
        quantiles(bins, &seen)
    }

    #[test]
    fn keys_sort_as_the_numbers_and_give_them_back() {
        let numbers = [-1e300, -2.5, -1e-310, 0.0, 1e-310, 0.1, 3.0, 1e300];
        let keys: Vec<i64> = numbers.iter().map(|&number| sorted_key(number)).collect();
        assert!(keys.is_sorted() && keys.iter().zip(numbers).all(|(&key, number)| number_of(key) == number));
        assert_eq!(sorted_key(-0.0), sorted_key(0.0));
    }

    #[test]
    fn quantiles_split_the_rows_and_tell_no_extreme_value() {
        let inf = f64::INFINITY;
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(edges(4, &hundred), [-inf, 26.0, 51.0, 76.0, inf]);
        assert_eq!(edges(2, &[-5.0, 5.0]), [-inf, 5.0, inf]);
        assert_eq!(edges(4, &[7.0; 9]), [-inf, inf], "one value is one bin");
        assert_eq!(edges(4, &[0.0, 0.0, 0.0, 0.0, 1.0]), [-inf, 1.0, inf]);
    }
}
