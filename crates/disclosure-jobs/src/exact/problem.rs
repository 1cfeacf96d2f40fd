//! The unknown table, and which attacker knows what of it.

use std::collections::BTreeMap;

use disclosure::frechet::{Error, Knowledge};
use disclosure::privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain};
use ndarray::Axis;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::error::too_many_cells;
use crate::exact::facts::Fact;
use crate::exact::spec::ResponseSpec;
use crate::input::{domain_error, meant_label};

/// Most cells of a table, with and without the people who are not counted.
const MOST_CELLS: u64 = 1 << 24;

/// A response that was checked.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// The axis of the response in the data.
    pub(super) axis: usize,
    /// The value that is counted.
    pub(super) level: Option<usize>,
}

impl Response {
    /// `is_declared` says that labels are those of the job, so that they may be shown.
    pub(super) fn new(domain: &Domain, spec: &ResponseSpec, is_declared: bool) -> Result<Self, JobError> {
        let axis = domain.index_of(&spec.column).map_err(|error| domain_error("E0232", domain, &error))?;
        let mut level = None;
        if let Some(value) = &spec.value {
            let value = value.text();
            level = domain.attributes()[axis].labels().iter().position(|label| *label == value);
            if level.is_none() {
                let labels = if is_declared { declared_labels(&domain.attributes()[axis]) } else { String::new() };
                let meant = meant_label(domain, axis, &value);
                let message = format!("the value of the response is not a label of {:?}{labels}{meant}", spec.column);
                return Err(JobError::new("E0232", message));
            }
        }
        if domain.len() < 2 {
            return Err(JobError::new("E0232", "there is no attribute besides the response"));
        }
        Ok(Self { axis, level })
    }
}

/// Most labels that a message lists.
const MOST_LABELS: usize = 12;

pub(super) fn declared_labels(attribute: &Attribute) -> String {
    let labels = attribute.labels();
    let more = if labels.len() > MOST_LABELS { ", …" } else { "" };
    let listed: Vec<String> = labels.iter().take(MOST_LABELS).map(|label| format!("{label:?}")).collect();
    format!(", which are {}{more}", listed.join(", "))
}

/// The table that an attacker would like to know, and what is true of it.
#[derive(Clone, Debug)]
pub(super) struct UnknownTable {
    /// Its axes: the response is one of them when all of its values are counted.
    pub(super) domain: Domain,
    /// The truth; unknown when only published numbers were given.
    pub(super) table: Option<ContingencyTable>,
    /// The population: everybody, over the axes that are not the response.
    pub(super) people: Option<ContingencyTable>,
    /// The axis of the response.
    pub(super) response: Option<usize>,
}

/// What is published, and what else the attacker knows.
#[derive(Clone, Debug, Default)]
pub(super) struct DisclosedFacts {
    /// Margins, each with its weight.
    pub(super) margins: BTreeMap<AttrSet, f64>,
    pub(super) publish: Vec<Fact>,
    pub(super) known: Vec<Fact>,
}

/// An attacker, by what they know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attacker {
    /// The published numbers alone.
    Release,
    /// The population table as well.
    Composition,
    /// The facts of `known` as well.
    Facts,
}

impl UnknownTable {
    /// A table of which only numbers are known.
    pub(super) fn unseen(domain: Domain) -> Result<Self, JobError> {
        check_cells(&domain)?;
        Ok(Self { domain, table: None, people: None, response: None })
    }

    /// The axes of the table that [`count`](Self::count) would count, without a count.
    pub(super) fn uncounted(domain: Domain, response: Option<&Response>) -> Result<Self, JobError> {
        check_cells(&domain)?;
        let Some(response) = response else { return Self::unseen(domain) };
        if response.level.is_none() {
            return Ok(Self { domain, table: None, people: None, response: Some(response.axis) });
        }
        Self::unseen(without_axis(&domain, response.axis))
    }

    /// The table of a source, split by the response.
    pub(super) fn count(source: &impl CountSource, response: Option<&Response>) -> Result<Self, JobError> {
        let domain = source.domain().clone();
        check_cells(&domain)?;
        let mut tables = source.marginals(&[domain.all()]).map_err(too_many_cells)?;
        let all = tables.pop().expect("one table for one set");
        let Some(response) = response else {
            return Ok(Self { domain, table: Some(all), people: None, response: None });
        };
        let profile = domain.all().minus(AttrSet::single(response.axis));
        let people = all.marginal(profile).map_err(too_many_cells)?;
        let Some(level) = response.level else {
            return Ok(Self { domain, table: Some(all), people: Some(people), response: Some(response.axis) });
        };
        let counted = all.counts().index_axis(Axis(response.axis), level).iter().copied().collect();
        let domain = without_axis(&domain, response.axis);
        let over = |cells| ContingencyTable::from_cells(&domain, domain.all(), cells).map_err(too_many_cells);
        let (table, people) = (Some(over(counted)?), Some(over(people.cells().to_vec())?));
        Ok(Self { domain, table, people, response: None })
    }

    /// The axes of a person's profile: all but the response.
    pub(super) fn profile(&self) -> AttrSet {
        self.response.map_or(self.domain.all(), |response| self.domain.all().minus(AttrSet::single(response)))
    }

    /// Attackers that differ, the weakest first; the last knows everything that is disclosed or
    /// assumed.
    pub(super) fn attackers(&self, disclosed: &DisclosedFacts) -> Vec<Attacker> {
        let composition = self.people.as_ref().map(|_| Attacker::Composition);
        let facts = (!disclosed.known.is_empty()).then_some(Attacker::Facts);
        [Attacker::Release].into_iter().chain(composition).chain(facts).collect()
    }

    /// The axes of a margin: the response is in every one.
    pub(super) fn with_response(&self, set: AttrSet) -> AttrSet {
        self.response.map_or(set, |response| set.with(response))
    }

    /// What an attacker knows.
    pub(super) fn knowledge(&self, disclosed: &DisclosedFacts, attacker: Attacker) -> Result<Knowledge, Error> {
        let mut knowledge = self.background(disclosed, attacker)?;
        for (&set, table) in disclosed.margins.keys().zip(self.table.iter().cycle()) {
            let margin = table.marginal(self.with_response(set)).expect("sets of the domain's attributes");
            knowledge.publish_margin(&margin)?;
        }
        Ok(knowledge)
    }

    /// What an attacker knows besides the margins.
    pub(super) fn background(&self, disclosed: &DisclosedFacts, attacker: Attacker) -> Result<Knowledge, Error> {
        let people = self.people.as_ref().filter(|_| attacker >= Attacker::Composition);
        let domain = self.domain.clone();
        let mut knowledge = match (people, self.response) {
            (None, _) => Knowledge::of_counts(domain)?,
            (Some(people), None) => Knowledge::with_population(domain, people)?,
            (Some(people), Some(response)) => Knowledge::with_responses(domain, response, people)?,
        };
        disclosed.publish.iter().try_for_each(|fact| fact.publish(&mut knowledge))?;
        if attacker >= Attacker::Facts {
            disclosed.known.iter().try_for_each(|fact| fact.assume(&mut knowledge))?;
        }
        Ok(knowledge)
    }
}

fn without_axis(domain: &Domain, axis: usize) -> Domain {
    let others = domain.attributes().iter().enumerate().filter(|(other, _)| *other != axis);
    let attributes = others.map(|(_, attribute)| attribute.clone()).collect();
    Domain::new(attributes).expect("attributes of a domain make a domain")
}

pub(super) fn check_cells(domain: &Domain) -> Result<(), JobError> {
    match domain.cells(domain.all()) {
        Some(0..=MOST_CELLS) => Ok(()),
        _ => Err(JobError::new("E0621", "the table has more than 2^24 cells")),
    }
}
