//! The order of learnt labels.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::coder::{canonical_integer, decimal};

/// Labels in numeric order when all are numbers; by the number that they begin with when all begin
/// with one, as "5-9" and "10-19"; in byte order otherwise. Equal numbers are in byte order.
pub(super) fn in_order(labels: BTreeSet<String>) -> Vec<String> {
    let mut ordered: Vec<String> = labels.into_iter().collect();
    if let Some(keys) = ordered.iter().map(|label| integer(label)).collect::<Option<Vec<i128>>>() {
        return sorted_by(ordered, &keys, Ord::cmp);
    }
    let numbers = |read: fn(&str) -> Option<f64>| ordered.iter().map(|label| read(label)).collect::<Option<Vec<f64>>>();
    if let Some(keys) = numbers(|label| decimal(label.as_bytes())).or_else(|| numbers(first_number)) {
        return sorted_by(ordered, &keys, f64::total_cmp);
    }
    ordered.sort();
    ordered
}

/// An integer of any size that a label may have, in its one spelling.
fn integer(label: &str) -> Option<i128> {
    let digits = label.strip_prefix('-').unwrap_or(label);
    canonical_integer(digits.as_bytes()).and_then(|_| label.parse().ok())
}

/// The number that a label begins with: digits, and a point between digits.
fn first_number(label: &str) -> Option<f64> {
    let end = label.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(label.len());
    decimal(label[..end].trim_end_matches('.').as_bytes())
}

fn sorted_by<K>(labels: Vec<String>, keys: &[K], compare: fn(&K, &K) -> Ordering) -> Vec<String> {
    let mut pairs: Vec<(&K, String)> = keys.iter().zip(labels).collect();
    pairs.sort_by(|(a, one), (b, other)| compare(a, b).then_with(|| one.cmp(other)));
    pairs.into_iter().map(|(_, label)| label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_in_the_order_of_their_numbers() {
        for (labels, ordered) in [
            (vec!["10", "9", "-2"], vec!["-2", "9", "10"]),
            (vec!["10.5", "9.25", "-2"], vec!["-2", "9.25", "10.5"]),
            (vec!["10-19", "5-9", "65+", "20-64"], vec!["5-9", "10-19", "20-64", "65+"]),
            (vec!["2nd", "10th", "1st"], vec!["1st", "2nd", "10th"]),
            (vec!["b", "10", "a"], vec!["10", "a", "b"]),
        ] {
            assert_eq!(in_order(labels.into_iter().map(str::to_owned).collect()), ordered);
        }
    }
}
