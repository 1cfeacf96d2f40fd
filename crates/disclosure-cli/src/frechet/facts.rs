//! Numbers besides margins: what else is published, and what the attacker is said to know.
//!
//! A fact is a sum over a region, known to lie between two numbers. Published ones are read off the data; with a base
//! `b`, the count `n` is told as
//!
//! ```text
//! rounded    r = b floor((n + floor(b / 2)) / b):    r - floor(b / 2)  <=  n  <=  r + b - 1 - floor(b / 2)
//! interval   k = b floor(n / b):                     k  <=  n  <=  k + b - 1
//! ```

use std::collections::BTreeMap;

use disclosure::core::{ContingencyTable, Domain};
use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::frechet::{Error, Knowledge, NO_CAPACITY, Region};
use ndarray::Axis;
use serde::{Deserialize, Serialize};

use super::part::Sum;
use crate::error::Failure;

/// Largest base of rounding: no count is larger.
const MOST: u64 = NO_CAPACITY as u64;

/// One `[[publish]]`: exact unless a base is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishSpec {
    name: Option<String>,
    #[serde(default)]
    r#where: BTreeMap<String, Labels>,
    rounded: Option<u64>,
    interval: Option<u64>,
}

/// One `[[known]]`: a number, or ends of a range.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownSpec {
    name: Option<String>,
    #[serde(default)]
    r#where: BTreeMap<String, Labels>,
    value: Option<u64>,
    at_least: Option<u64>,
    at_most: Option<u64>,
}

impl PublishSpec {
    /// The attributes that it restricts.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.r#where.keys()
    }
}

impl KnownSpec {
    /// The attributes that it restricts.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.r#where.keys()
    }
}

/// A label, or several; a label that looks like a number may be written as one.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a label, or a list of labels")]
enum Labels {
    One(Label),
    Many(Vec<Label>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a label: a text or a whole number")]
pub(super) enum Label {
    Text(String),
    Number(i64),
}

impl Label {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// A sum that is known to lie between two numbers.
#[derive(Debug)]
pub(super) struct Fact {
    name: String,
    region: Vec<(usize, Vec<usize>)>,
    lower: u64,
    upper: u64,
}

/// A fact as programs read it.
#[derive(Debug, Serialize)]
pub(super) struct FactReport {
    name: String,
    r#where: BTreeMap<String, Vec<String>>,
    lower: u64,
    upper: u64,
}

/// What labels mean: the domain of the unknown table, and trees over some of its attributes.
pub(super) struct Names<'a> {
    pub(super) domain: &'a Domain,
    pub(super) hierarchies: &'a BTreeMap<usize, Hierarchy>,
}

impl Fact {
    /// A statistic that goes out, counted in the true table.
    pub(super) fn published(
        number: usize,
        spec: &PublishSpec,
        names: &Names<'_>,
        table: &ContingencyTable,
    ) -> Result<Self, Failure> {
        let name = named("publish", number, spec.name.as_deref());
        let region = names.region(&spec.r#where).map_err(|failure| failure.in_section(&name))?;
        let counts =
            region.iter().fold(table.counts().clone(), |counts, (axis, levels)| counts.select(Axis(*axis), levels));
        let told = told(counts.sum(), spec.rounded, spec.interval);
        let (lower, upper) = told.map_err(|words| Failure::new("E0233", words).in_section(&name))?;
        Ok(Self { name, region, lower, upper })
    }

    /// A fact that the attacker holds, as the user says.
    pub(super) fn known(number: usize, spec: &KnownSpec, names: &Names<'_>) -> Result<Self, Failure> {
        let name = named("known", number, spec.name.as_deref());
        let region = names.region(&spec.r#where).map_err(|failure| failure.in_section(&name))?;
        let (lower, upper) = match (spec.value, spec.at_least, spec.at_most) {
            (Some(value), None, None) => (value, value),
            (None, lower, Some(upper)) => (lower.unwrap_or(0), upper),
            (None, Some(lower), None) => (lower, MOST),
            _ => return Err(Failure::new("E0233", "give value, or at_least and at_most").in_section(&name)),
        };
        Ok(Self { name, region, lower, upper })
    }

    /// What it says, with the labels of the domain that it was made for.
    pub(super) fn report(&self, domain: &Domain) -> FactReport {
        let restricted = self.region.iter().map(|(axis, levels)| {
            let attribute = &domain.attributes()[*axis];
            let labels = levels.iter().map(|&level| attribute.labels()[level].clone()).collect();
            (attribute.name().to_owned(), labels)
        });
        FactReport { name: self.name.clone(), r#where: restricted.collect(), lower: self.lower, upper: self.upper }
    }

    /// The same sum, with attributes by name, among those who `also` fit.
    pub(super) fn sum(&self, domain: &Domain, also: &[(String, Vec<usize>)]) -> Sum {
        let own =
            self.region.iter().map(|(axis, levels)| (domain.attributes()[*axis].name().to_owned(), levels.clone()));
        Sum { fixed: own.chain(also.iter().cloned()).collect(), lower: self.lower, upper: self.upper }
    }

    /// Adds it to what is published.
    pub(super) fn publish(&self, knowledge: &mut Knowledge) -> Result<(), Error> {
        knowledge.publish_range(self.name.clone(), &self.region(), self.lower, self.upper)
    }

    /// Adds it to what the attacker holds.
    pub(super) fn hold(&self, knowledge: &mut Knowledge) -> Result<(), Error> {
        knowledge.assume_range(self.name.clone(), &self.region(), self.lower, self.upper)
    }

    fn region(&self) -> Region {
        let axes = self.region.iter().cloned();
        axes.fold(Region::everything(), |region, (axis, levels)| region.with(axis, levels))
    }
}

/// For example `known 2 "last year"`: the row's name in messages, from words of the spec alone.
fn named(kind: &str, number: usize, name: Option<&str>) -> String {
    name.map_or_else(|| format!("{kind} {}", number + 1), |name| format!("{kind} {} {name:?}", number + 1))
}

/// What is told of a count.
fn told(count: u64, rounded: Option<u64>, interval: Option<u64>) -> Result<(u64, u64), &'static str> {
    let (base, half) = match (rounded, interval) {
        (None, None) => return Ok((count, count)),
        (Some(base), None) => (base, base / 2),
        (None, Some(base)) => (base, 0),
        _ => return Err("give rounded or interval, not both"),
    };
    if !(1..=MOST).contains(&base) {
        return Err("a base is a whole number from 1 to 2^53");
    }
    let multiple = (count + half) / base * base;
    Ok((multiple.saturating_sub(half), (multiple + base - 1 - half).min(MOST)))
}

impl Names<'_> {
    /// The levels on each axis that is restricted.
    fn region(&self, restricted: &BTreeMap<String, Labels>) -> Result<Vec<(usize, Vec<usize>)>, Failure> {
        let levels = |(name, labels): (&String, &Labels)| {
            let axis = self.domain.index_of(name).map_err(|error| Failure::new("E0233", error.to_string()))?;
            let labels: &[Label] = match labels {
                Labels::One(label) => std::slice::from_ref(label),
                Labels::Many(labels) => labels,
            };
            let mut levels = Vec::new();
            for (place, label) in labels.iter().enumerate() {
                levels.extend(self.levels(axis, &label.text()).ok_or_else(|| {
                    let message = format!("label {} for {name:?} is none of its labels or groups", place + 1);
                    Failure::new("E0233", message)
                })?);
            }
            levels.sort_unstable();
            levels.dedup();
            Ok((axis, levels))
        };
        let region: Result<Vec<_>, Failure> = restricted.iter().map(levels).collect();
        let is_less = |(axis, levels): &(usize, Vec<usize>)| levels.len() < self.domain.cardinality(*axis);
        Ok(region?.into_iter().filter(is_less).collect())
    }

    /// A label is itself; a group is the labels below it.
    fn levels(&self, axis: usize, label: &str) -> Option<Vec<usize>> {
        let own = self.domain.attributes()[axis].labels().iter().position(|own| own == label);
        let group = || Some(self.hierarchies.get(&axis)?.levels_of(label)?.to_vec());
        own.map(|level| vec![level]).or_else(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_count_holds_it_and_every_count_that_is_told_alike() {
        for base in [1, 2, 3, 5, 10] {
            for count in 0..40 {
                for (rounded, interval) in [(Some(base), None), (None, Some(base))] {
                    let range = told(count, rounded, interval).unwrap();
                    let alike = (0..100).filter(|&other| told(other, rounded, interval).unwrap() == range);
                    let alike: Vec<u64> = alike.collect();
                    assert!(range.0 <= count && count <= range.1);
                    assert_eq!((alike[0], alike[alike.len() - 1]), range, "base {base}, count {count}");
                }
            }
        }
        assert_eq!(told(7, Some(5), None), Ok((3, 7)));
        assert_eq!(told(12, None, Some(10)), Ok((10, 19)));
        assert_eq!(told(7, None, None), Ok((7, 7)));
    }

    #[test]
    fn bases_that_cannot_be_are_refused() {
        assert!(told(1, Some(0), None).is_err() && told(1, Some(2), Some(2)).is_err());
        assert!(told(1, Some(u64::MAX), None).is_err());
        assert_eq!(told(MOST, Some(MOST), None), Ok((MOST - MOST / 2, MOST)));
    }
}
