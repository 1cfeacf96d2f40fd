//! The unknown table, and who knows what of it.

use std::collections::BTreeMap;

use disclosure::core::{AttrSet, ContingencyTable, CountSource, Domain};
use disclosure::frechet::{Error, Knowledge};
use ndarray::Axis;

use super::columns::Vote;
use super::facts::Fact;
use crate::error::Failure;
use disclosure_jobs::exact::too_many_cells;

/// Most cells of a table, with and without those who did not vote so.
const MOST_CELLS: u64 = 1 << 24;

/// The table that an attacker would like to know, and what is true of it.
#[derive(Debug)]
pub(super) struct Problem {
    /// Its axes: the vote is one of them when all candidates count.
    pub(super) domain: Domain,
    /// The truth; unknown when only published numbers were given.
    pub(super) table: Option<ContingencyTable>,
    /// The composition: everybody, over the axes that are not the vote.
    pub(super) people: Option<ContingencyTable>,
    /// The axis of the candidates.
    pub(super) candidates: Option<usize>,
}

/// What is published, and what else is known.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Margins, each with how much it is wanted.
    pub(super) margins: BTreeMap<AttrSet, f64>,
    pub(super) publish: Vec<Fact>,
    pub(super) known: Vec<Fact>,
}

/// Whoever knows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attacker {
    /// The published numbers alone.
    Release,
    /// The composition as well.
    Composition,
    /// The facts of `known` as well.
    Facts,
}

impl Problem {
    /// A table of which only numbers are known.
    pub(super) fn unseen(domain: Domain) -> Result<Self, Failure> {
        check_cells(&domain)?;
        Ok(Self { domain, table: None, people: None, candidates: None })
    }

    /// The table of a source, split by the vote.
    pub(super) fn of(source: &impl CountSource, vote: Option<&Vote>) -> Result<Self, Failure> {
        let domain = source.domain().clone();
        check_cells(&domain)?;
        let mut tables = source.marginals(&[domain.all()]).map_err(too_many_cells)?;
        let all = tables.pop().expect("one table for one set");
        let Some(vote) = vote else {
            return Ok(Self { domain, table: Some(all), people: None, candidates: None });
        };
        let profile = domain.all().minus(AttrSet::single(vote.axis));
        let people = all.marginal(profile).map_err(too_many_cells)?;
        let Some(level) = vote.level else {
            return Ok(Self { domain, table: Some(all), people: Some(people), candidates: Some(vote.axis) });
        };
        let counted = all.counts().index_axis(Axis(vote.axis), level).iter().copied().collect();
        let attributes = profile.iter().map(|axis| domain.attributes()[axis].clone()).collect();
        let domain = Domain::new(attributes).expect("attributes of a domain make a domain");
        let over = |cells| ContingencyTable::from_cells(&domain, domain.all(), cells).map_err(too_many_cells);
        let (table, people) = (Some(over(counted)?), Some(over(people.cells().to_vec())?));
        Ok(Self { domain, table, people, candidates: None })
    }

    /// The axes of a person's profile: all but the candidates.
    pub(super) fn profile(&self) -> AttrSet {
        self.candidates.map_or(self.domain.all(), |vote| self.domain.all().minus(AttrSet::single(vote)))
    }

    /// Attackers that differ, the weakest first; the last knows all that is said.
    pub(super) fn attackers(&self, told: &Told) -> Vec<Attacker> {
        let composition = self.people.as_ref().map(|_| Attacker::Composition);
        let facts = (!told.known.is_empty()).then_some(Attacker::Facts);
        [Attacker::Release].into_iter().chain(composition).chain(facts).collect()
    }

    /// The axes of a margin: the candidates are in every one.
    pub(super) fn with_responses(&self, set: AttrSet) -> AttrSet {
        self.candidates.map_or(set, |vote| set.with(vote))
    }

    /// What an attacker knows.
    pub(super) fn knowledge(&self, told: &Told, attacker: Attacker) -> Result<Knowledge, Error> {
        let mut knowledge = self.background(told, attacker)?;
        for (&set, table) in told.margins.keys().zip(self.table.iter().cycle()) {
            let margin = table.marginal(self.with_responses(set)).expect("sets of the domain's attributes");
            knowledge.publish_margin(&margin)?;
        }
        Ok(knowledge)
    }

    /// What an attacker knows besides the margins.
    pub(super) fn background(&self, told: &Told, attacker: Attacker) -> Result<Knowledge, Error> {
        let people = self.people.as_ref().filter(|_| attacker >= Attacker::Composition);
        let domain = self.domain.clone();
        let mut knowledge = match (people, self.candidates) {
            (None, _) => Knowledge::of_counts(domain)?,
            (Some(people), None) => Knowledge::with_population(domain, people)?,
            (Some(people), Some(vote)) => Knowledge::with_responses(domain, vote, people)?,
        };
        told.publish.iter().try_for_each(|fact| fact.publish(&mut knowledge))?;
        if attacker >= Attacker::Facts {
            told.known.iter().try_for_each(|fact| fact.hold(&mut knowledge))?;
        }
        Ok(knowledge)
    }
}

pub(super) fn check_cells(domain: &Domain) -> Result<(), Failure> {
    match domain.cells(domain.all()) {
        Some(0..=MOST_CELLS) => Ok(()),
        _ => Err(Failure::new("E0621", "the table has more than 2^24 cells")),
    }
}
