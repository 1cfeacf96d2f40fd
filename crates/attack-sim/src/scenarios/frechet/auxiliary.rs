//! The attacker who holds one more fact, of their own choice: the count of a class that nobody
//! published.
//!
//! From the release alone the attacker works out, for every fact and every value that it can
//! have, which classes it would collapse: bring below beta, or within tau, that were not so
//! before. The report is an audit with that fact held. Claimed: it names all of them, whichever
//! fact it is.

use std::collections::{BTreeMap, BTreeSet};

use disclosure::frechet::{Class, DisclosureRule, DisclosureStatus, Limits, Region, Scope, Solver, audit};

use super::electorate::{Electorate, Worlds, cells_of, some_policy};
use super::verdicts::is_disclosed;
use crate::facts::Facts;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    worlds: Worlds,
}

/// What the report does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// It is the audit of the release: "the informed attacker learns nothing that it did not
    /// hold", Magarshak, theorem 7(4).
    SaysNothing,
    /// The fact is held to within one.
    FactOffByOne,
    /// Only full profiles are judged.
    CellsOnly,
}

/// Facts about random small worlds.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    blueprint.trials(
        Quantity::shares_of(0.0, &["one fact collapses a class that the report does not name"])?,
        |fault| Ok(AuxiliaryAudit { worlds: spec.worlds, fault }),
        |view, _| view.collapses(),
        |_, _| Collapses::new(),
    )
}

struct World {
    electorate: Electorate,
    /// For every fact, its value, and the classes that the report calls disclosed.
    report: BTreeMap<Class, (i64, BTreeSet<Class>)>,
    policy: DisclosureRule,
}

/// The release, what is public of every class, and the policy, which the report names.
struct View {
    facts: Facts,
    classes: Vec<Asked>,
    policy: DisclosureRule,
}

struct Asked {
    class: Class,
    cells: Vec<usize>,
    people: Option<i64>,
    is_published: bool,
}

impl Asked {
    fn is_disclosed(&self, policy: &DisclosureRule, range: [i64; 2]) -> bool {
        is_disclosed(policy, self.people, self.is_published, range)
    }
}

/// For every fact and each of its values, the classes that collapse, and to what.
type Collapses = BTreeMap<Class, BTreeMap<i64, Vec<(Class, [i64; 2])>>>;

struct AuxiliaryAudit {
    worlds: Worlds,
    fault: Option<Fault>,
}

impl Audit for AuxiliaryAudit {
    type World = World;
    type View = View;
    type Answer = Collapses;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = Electorate::draw(self.worlds, rng);
        let drawn = some_policy(rng)?;
        let scope = if self.fault == Some(Fault::CellsOnly) { Scope::Cells } else { Scope::All };
        let policy =
            DisclosureRule::new(drawn.min_interval_width(), drawn.rate_margin(), drawn.min_frequency(), scope)?;
        let mut report = BTreeMap::new();
        for fact in electorate.classes().into_iter().filter(|class| !electorate.is_published(class)) {
            let value = electorate.count(&cells_of(&electorate.shape, &fact));
            let named = self.named(&electorate, &policy, &fact, value)?;
            report.insert(fact, (value, named));
        }
        Ok(World { electorate, report, policy })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let electorate = &world.electorate;
        let classes = electorate.classes().into_iter().map(|class| Asked {
            cells: cells_of(&electorate.shape, &class),
            people: electorate.people(&class),
            is_published: electorate.is_published(&class),
            class,
        });
        Ok(View { facts: electorate.facts(), classes: classes.collect(), policy: world.policy })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: world.electorate.redrawn(rng), report: world.report.clone(), policy: world.policy }
    }

    fn measure(&self, world: &World, answer: &Collapses, measured: &mut [Option<f64>]) {
        let Electorate { shape, .. } = &world.electorate;
        let is_unnamed = world.report.iter().any(|(fact, (value, named))| {
            let collapsed = answer.get(fact).and_then(|by_value| by_value.get(value)).into_iter().flatten();
            let mut unnamed = collapsed.filter(|(class, _)| !named.contains(class));
            unnamed.any(|(class, range)| world.electorate.is_count_in(&cells_of(shape, class), *range))
        });
        measured[0] = Some(f64::from(is_unnamed));
    }
}

impl AuxiliaryAudit {
    /// The classes that an audit calls disclosed when the attacker holds a fact.
    fn named(
        &self,
        electorate: &Electorate,
        policy: &DisclosureRule,
        fact: &Class,
        value: i64,
    ) -> Result<BTreeSet<Class>, Error> {
        let mut knowledge = electorate.knowledge()?;
        let value = value.unsigned_abs();
        match self.fault {
            Some(Fault::SaysNothing) => {}
            Some(Fault::FactOffByOne) => knowledge.assume_range("a fact", &Region::from(fact), value, value + 1)?,
            Some(Fault::CellsOnly) | None => knowledge.assume_range("a fact", &Region::from(fact), value, value)?,
        }
        let found = audit(&mut Solver::new(knowledge, Limits::default())?, policy)?;
        let disclosed = found.findings.into_iter().filter(|finding| finding.status == DisclosureStatus::Disclosed);
        Ok(disclosed.map(|finding| Class::new(finding.axes.into_iter().collect(), finding.levels)).collect())
    }
}

impl View {
    /// What every fact would collapse.
    fn collapses(&self) -> Collapses {
        let mut tables: Vec<Vec<i64>> = Vec::new();
        let visited = self.facts.visit(&mut |table| {
            let counts = self.classes.iter().map(|asked| asked.cells.iter().map(|&cell| table[cell]).sum());
            tables.push(counts.collect());
        });
        if visited.is_err() {
            return Collapses::new();
        }
        let before = ranges(tables.iter());
        let facts = (0..self.classes.len()).filter(|&fact| !self.classes[fact].is_published);
        let collapses = facts.map(|fact| {
            let mut by_value: BTreeMap<i64, Vec<&Vec<i64>>> = BTreeMap::new();
            tables.iter().for_each(|counts| by_value.entry(counts[fact]).or_default().push(counts));
            let collapsed = by_value
                .into_iter()
                .map(|(value, tables)| (value, self.collapsed(fact, &before, &ranges(tables.into_iter()))));
            (self.classes[fact].class.clone(), collapsed.collect())
        });
        collapses.collect()
    }

    /// The classes other than the fact that are disclosed with it, and were not before.
    fn collapsed(&self, fact: usize, before: &[[i64; 2]], after: &[[i64; 2]]) -> Vec<(Class, [i64; 2])> {
        (0..self.classes.len())
            .filter(|&place| {
                let asked = &self.classes[place];
                place != fact
                    && asked.is_disclosed(&self.policy, after[place])
                    && !asked.is_disclosed(&self.policy, before[place])
            })
            .map(|place| (self.classes[place].class.clone(), after[place]))
            .collect()
    }
}

/// The least and the largest count of every class.
fn ranges<'a>(tables: impl Iterator<Item = &'a Vec<i64>>) -> Vec<[i64; 2]> {
    let mut ranges: Vec<[i64; 2]> = Vec::new();
    for counts in tables {
        if ranges.is_empty() {
            ranges = counts.iter().map(|&count| [count, count]).collect();
        }
        for ([low, high], &count) in ranges.iter_mut().zip(counts) {
            (*low, *high) = ((*low).min(count), (*high).max(count));
        }
    }
    ranges
}
