//! Numbers besides margins: what else is published, and what the attacker is assumed to know.
//!
//! A fact is a sum over a region, known to lie between two numbers. Published ones are counted in
//! the data, and published in a [`PublishedForm`].

use std::collections::BTreeMap;

use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::frechet::{Error, Knowledge, NO_CAPACITY, PublishedForm, Region};
use disclosure::privacy_core::{ContingencyTable, Domain};
use ndarray::Axis;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::numbers::{ExactNumber, Levels};
use crate::input::{domain_error, meant_label};

/// The largest count that a fact without an upper end allows.
const MOST: u64 = NO_CAPACITY.unsigned_abs();

/// One `[[publish]]`: exact unless a base is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishSpec {
    /// A name for reports.
    name: Option<String>,
    /// The labels of each attribute that the number is restricted to; several labels are added
    /// up.
    #[serde(default)]
    r#where: BTreeMap<String, Labels>,
    /// Published as a multiple of this, to the nearest.
    rounded: Option<u64>,
    /// Published as an interval of this length: 0-9, 10-19, ... for 10.
    interval: Option<u64>,
}

/// One `[[known]]`: a number, or the ends of a range.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownSpec {
    /// A name for reports.
    name: Option<String>,
    /// The labels of each attribute that the number is restricted to; several labels are added
    /// up.
    #[serde(default)]
    r#where: BTreeMap<String, Labels>,
    /// The count, where it is known exactly.
    value: Option<u64>,
    /// The smallest count that the attacker holds possible.
    at_least: Option<u64>,
    /// The largest count that the attacker holds possible.
    at_most: Option<u64>,
}

impl PublishSpec {
    /// The attributes that it restricts.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.r#where.keys()
    }

    fn form(&self) -> Result<PublishedForm, JobError> {
        match (self.rounded, self.interval) {
            (None, None) => Ok(PublishedForm::Exact),
            (Some(base), None) => Ok(PublishedForm::Rounded(base)),
            (None, Some(base)) => Ok(PublishedForm::Interval(base)),
            _ => Err(JobError::new("E0233", "give rounded or interval, not both")),
        }
    }
}

impl KnownSpec {
    /// The attributes that it restricts.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.r#where.keys()
    }

    fn range(&self) -> Result<(u64, u64), JobError> {
        match (self.value, self.at_least, self.at_most) {
            (Some(value), None, None) => Ok((value, value)),
            (None, lower, Some(upper)) => Ok((lower.unwrap_or(0), upper)),
            (None, Some(lower), None) => Ok((lower, MOST)),
            _ => Err(JobError::new("E0233", "give either value, or at_least and at_most")),
        }
    }
}

/// A label, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a label, or a list of labels")]
enum Labels {
    One(Label),
    Many(Vec<Label>),
}

/// A label; one that looks like a number may be written as a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a label: a text or an integer")]
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
#[derive(Clone, Debug)]
pub(super) struct Fact {
    name: String,
    region: Vec<(usize, Vec<usize>)>,
    lower: u64,
    upper: u64,
}

/// A number that is published besides the tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDocument {
    /// For example `publish 2 "under 30"`.
    pub name: String,
    /// Labels of each attribute that is restricted.
    pub r#where: BTreeMap<String, Vec<String>>,
    /// The least count that is published like this one.
    pub lower: u64,
    /// The largest count that is published like this one.
    pub upper: u64,
}

/// What labels mean: the domain of the unknown table, and trees over some of its attributes.
pub(super) struct LabelResolver<'a> {
    pub(super) domain: &'a Domain,
    pub(super) hierarchies: &'a BTreeMap<usize, Hierarchy>,
}

impl Fact {
    /// A number that is published, counted in the true table.
    pub(super) fn published(
        index: usize,
        spec: &PublishSpec,
        labels: &LabelResolver<'_>,
        table: &ContingencyTable,
    ) -> Result<Self, JobError> {
        let name = name_of("publish", index, spec.name.as_deref());
        let region = labels.region(&spec.r#where).map_err(|error| error.in_section(&name))?;
        let counts =
            region.iter().fold(table.counts().clone(), |counts, (axis, levels)| counts.select(Axis(*axis), levels));
        let form = spec.form().map_err(|error| error.in_section(&name))?;
        let range = form.range(counts.sum()).map_err(|error| JobError::new("E0233", error.to_string()));
        let (lower, upper) = range.map_err(|error| error.in_section(&name))?;
        Ok(Self { name, region, lower, upper })
    }

    /// A number that the attacker is assumed to know.
    pub(super) fn known(index: usize, spec: &KnownSpec, labels: &LabelResolver<'_>) -> Result<Self, JobError> {
        let name = name_of("known", index, spec.name.as_deref());
        let region = labels.region(&spec.r#where).map_err(|error| error.in_section(&name))?;
        let (lower, upper) = spec.range().map_err(|error| error.in_section(&name))?;
        Ok(Self { name, region, lower, upper })
    }

    /// The fact with the labels of the domain that it was made for.
    pub(super) fn document(&self, domain: &Domain) -> FactDocument {
        let restricted = self.region.iter().map(|(axis, levels)| {
            let attribute = &domain.attributes()[*axis];
            let labels = levels.iter().map(|&level| attribute.labels()[level].to_owned()).collect();
            (attribute.name().to_owned(), labels)
        });
        FactDocument { name: self.name.clone(), r#where: restricted.collect(), lower: self.lower, upper: self.upper }
    }

    /// The same sum, with attributes by name, among people at the levels of `counted`.
    pub(super) fn exact_number(&self, domain: &Domain, counted: Option<&Levels>) -> ExactNumber {
        let own =
            self.region.iter().map(|(axis, levels)| (domain.attributes()[*axis].name().to_owned(), levels.clone()));
        ExactNumber {
            fixed: own.chain(counted.cloned()).collect(),
            lower: self.lower,
            upper: self.upper,
            is_published: true,
        }
    }

    /// Adds it to what is published.
    pub(super) fn publish(&self, knowledge: &mut Knowledge) -> Result<(), Error> {
        knowledge.publish_range(self.name.clone(), &self.region(), self.lower, self.upper)
    }

    /// Adds it to what the attacker is assumed to know.
    pub(super) fn assume(&self, knowledge: &mut Knowledge) -> Result<(), Error> {
        knowledge.assume_range(self.name.clone(), &self.region(), self.lower, self.upper)
    }

    fn region(&self) -> Region {
        let axes = self.region.iter().cloned();
        axes.fold(Region::everything(), |region, (axis, levels)| region.with(axis, levels))
    }
}

/// For example `known 2 "last year"`: the row's name in messages, made of the specification
/// alone.
fn name_of(kind: &str, index: usize, name: Option<&str>) -> String {
    name.map_or_else(|| format!("{kind} {}", index + 1), |name| format!("{kind} {} {name:?}", index + 1))
}

impl LabelResolver<'_> {
    /// The levels on each axis that is restricted.
    fn region(&self, restricted: &BTreeMap<String, Labels>) -> Result<Vec<(usize, Vec<usize>)>, JobError> {
        let region: Result<Vec<_>, JobError> =
            restricted.iter().map(|(name, labels)| self.levels_on(name, labels)).collect();
        let is_less = |(axis, levels): &(usize, Vec<usize>)| levels.len() < self.domain.cardinality(*axis);
        Ok(region?.into_iter().filter(is_less).collect())
    }

    fn levels_on(&self, name: &str, labels: &Labels) -> Result<(usize, Vec<usize>), JobError> {
        let axis = self.domain.index_of(name).map_err(|error| domain_error("E0233", self.domain, &error))?;
        let labels: &[Label] = match labels {
            Labels::One(label) => std::slice::from_ref(label),
            Labels::Many(labels) => labels,
        };
        let mut levels = Vec::new();
        for (index, label) in labels.iter().enumerate() {
            let label = label.text();
            levels.extend(self.levels_of(axis, &label).ok_or_else(|| {
                let meant = meant_label(self.domain, axis, &label);
                let message = format!("label {} for {name:?} is not one of its labels or groups{meant}", index + 1);
                JobError::new("E0233", message)
            })?);
        }
        levels.sort_unstable();
        levels.dedup();
        Ok((axis, levels))
    }

    /// A label is itself; a group is the labels below it.
    fn levels_of(&self, axis: usize, label: &str) -> Option<Vec<usize>> {
        let own = self.domain.attributes()[axis].labels().position(label);
        let group = || Some(self.hierarchies.get(&axis)?.levels_of(label)?.to_vec());
        own.map(|level| vec![level]).or_else(group)
    }
}

#[cfg(test)]
mod tests {
    use privacy_data::parse_toml;

    use super::*;

    #[test]
    fn a_published_number_has_one_form() {
        let form = |text: &str| parse_toml::<PublishSpec>(text).unwrap().form();
        assert_eq!(form(""), Ok(PublishedForm::Exact));
        assert_eq!(form("rounded = 5"), Ok(PublishedForm::Rounded(5)));
        assert!(form("rounded = 5\ninterval = 5").unwrap_err().has_code("E0233"));
    }

    #[test]
    fn a_known_number_is_a_value_or_has_ends() {
        let range = |text: &str| parse_toml::<KnownSpec>(text).unwrap().range();
        assert_eq!(range("value = 5"), Ok((5, 5)));
        assert_eq!(range("at_most = 5"), Ok((0, 5)));
        assert_eq!(range("at_least = 5"), Ok((5, MOST)));
        assert!(range("").is_err() && range("value = 5\nat_most = 5").is_err());
    }
}
