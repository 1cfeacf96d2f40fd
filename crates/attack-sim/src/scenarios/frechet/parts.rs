//! The reader of all parts: two exact tables of one part, the groups that a filter shows in
//! another, and everything that follows from all of them.
//!
//! A trial draws a table over three axes. One part publishes the tables over the first two and the
//! last two axes, another the groups of the first and the last axis that are large enough. A
//! release goes out when the exact part keeps its rule by itself and the library's linkage attack
//! finds nothing. Is a class in scope that nobody published known? Claimed: never.

use disclosure::frechet::{
    DisclosureRule, DisclosureTarget, Knowledge, Limits, LinkageAttack, LinkedClass, Region, Scope, Solver, audit,
};

use super::electorate::{Composition, Electorate, cells_of, classes_on, signed};
use crate::facts::Facts;
use crate::prelude::*;

const BETA: f64 = 0.05;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    shape: [usize; 3],
    /// The largest count of a cell.
    most: u64,
    /// Groups of at least this number are shown.
    shown_from: u64,
}

/// What the release does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The rule is asked of the exact part alone; of all parts, only what each withholds.
    EachPartAlone,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let Spec { shape, most, shown_from } = spec;
    blueprint.trials(
        Quantity::shares_of(0.0, &["a class that nobody published is known"])?,
        |fault: Option<Fault>| Ok(PartsAudit { shape, most, shown_from, is_alone: fault.is_some() }),
        |view: &View, _: &mut SimRng| {
            if view.questions.is_empty() { Vec::new() } else { view.facts.ranges(&view.questions) }
        },
        |view: &View, _: &mut SimRng| vec![None; view.questions.len()],
    )
}

struct PartsAudit {
    shape: [usize; 3],
    most: u64,
    shown_from: u64,
    is_alone: bool,
}

struct World {
    electorate: Electorate,
    /// The groups of the filter that are shown; `None` when the release is refused.
    shown: Option<Vec<Vec<usize>>>,
}

/// What is published, and the classes that are not.
struct View {
    facts: Facts,
    questions: Vec<Vec<usize>>,
}

/// The tables of the exact part.
fn exact() -> [AttrSet; 2] {
    [AttrSet::first(2), AttrSet::single(1).with(2)]
}

/// The groups of the filter.
fn grouped() -> AttrSet {
    AttrSet::single(0).with(2)
}

fn rule() -> Result<DisclosureRule, Error> {
    Ok(DisclosureRule::new(0, BETA, 1, Scope::All)?)
}

impl PartsAudit {
    /// Whether the release goes out.
    fn goes_out(&self, electorate: &Electorate) -> Result<bool, Error> {
        let table = electorate.table();
        let mut knowledge = Knowledge::of_counts(electorate.domain())?;
        let mut attack = LinkageAttack::new(electorate.domain())?;
        for axes in exact() {
            knowledge.publish_margin(&table.marginal(axes).expect("axes of the table"))?;
            for class in classes_on(&electorate.shape, axes) {
                let count = electorate.count(&cells_of(&electorate.shape, &class)).unsigned_abs();
                attack.add(&Region::from(&class), count, count)?;
            }
        }
        let mut solver = Solver::new(knowledge, Limits::default())?;
        if !audit(&mut solver, &rule()?)?.meets(DisclosureTarget::Undisclosed) {
            return Ok(false);
        }
        let mut withheld = Vec::new();
        for class in classes_on(&electorate.shape, grouped()) {
            let count = electorate.count(&cells_of(&electorate.shape, &class)).unsigned_abs();
            if count >= self.shown_from {
                attack.add(&Region::from(&class), count, count)?;
            } else {
                withheld.push(Region::from(&class));
            }
        }
        if self.is_alone {
            let found = attack.run(&table, &withheld, 0, Limits::default())?;
            return Ok(!found.iter().any(|finding| finding.is_exposed()));
        }
        let sets = AttrSet::first(3).subsets().filter(|axes| !axes.is_empty());
        let classes = sets.flat_map(|axes| classes_on(&electorate.shape, axes));
        let classes: Vec<LinkedClass> =
            classes.map(|class| LinkedClass { region: Region::from(&class), people: None }).collect();
        let found = attack.run_with_classes(&table, &withheld, &classes, &rule()?, Limits::default())?;
        let is_exposed = found.iter().flatten().any(|finding| finding.is_exposed());
        Ok(!is_exposed && attack.differences(&table, None, &rule()?, &Limits::default())?.is_empty())
    }

    fn shown(&self, electorate: &Electorate) -> Vec<Vec<usize>> {
        let groups = classes_on(&electorate.shape, grouped()).into_iter();
        let groups = groups.map(|class| cells_of(&electorate.shape, &class));
        groups.filter(|cells| electorate.count(cells) >= signed(self.shown_from)).collect()
    }
}

impl Audit for PartsAudit {
    type World = World;
    type View = View;
    type Answer = Vec<Option<[i64; 2]>>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let counts = (0..self.shape.iter().product()).map(|_| rng.random_range(0..=self.most)).collect();
        let (shape, margins) = (self.shape.to_vec(), exact().to_vec());
        let electorate = Electorate { shape, composition: Composition::Unknown, counts, margins };
        let shown = self.goes_out(&electorate)?.then(|| self.shown(&electorate));
        Ok(World { electorate, shown })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let electorate = &world.electorate;
        let mut facts = electorate.facts();
        let Some(shown) = &world.shown else { return Ok(View { facts, questions: Vec::new() }) };
        shown.iter().for_each(|cells| facts.add_count(cells, electorate.count(cells)));
        let cells = classes_on(&electorate.shape, AttrSet::first(3)).into_iter();
        let cells = cells.map(|class| cells_of(&electorate.shape, &class));
        let groups = classes_on(&electorate.shape, grouped()).into_iter();
        let groups = groups.map(|class| cells_of(&electorate.shape, &class)).filter(|cells| !shown.contains(cells));
        Ok(View { facts, questions: cells.chain(groups).collect() })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: world.electorate.redrawn(rng), shown: world.shown.clone() }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        let Some(shown) = &world.shown else { return };
        let electorate = &world.electorate;
        let cells = classes_on(&electorate.shape, AttrSet::first(3)).into_iter();
        let cells = cells.map(|class| cells_of(&electorate.shape, &class));
        let groups = classes_on(&electorate.shape, grouped()).into_iter();
        let groups = groups.map(|class| cells_of(&electorate.shape, &class)).filter(|cells| !shown.contains(cells));
        let mut asked = cells.chain(groups).zip(answer);
        measured[0] =
            Some(f64::from(asked.any(|(cells, range)| {
                range.is_some_and(|[low, high]| low == high && low == electorate.count(&cells))
            })));
    }
}
