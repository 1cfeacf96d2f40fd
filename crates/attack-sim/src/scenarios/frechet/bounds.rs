//! The linear-program attacker: somebody with an engine of their own and the known composition,
//! against the bounds and the verdicts of an audit.
//!
//! The attacker answers with the least and the largest count of every class over all tables. It
//! wins a trial in four ways, each claimed never to happen: a certified class that is not within
//! the policy, a disclosed class that is called something else, a possible count outside the
//! bounds, and bounds said to be attained that are not. Who is counted must fit the answer: of
//! people outside the data it is not right.

use std::collections::BTreeMap;

use disclosure::frechet::{Class, DisclosureRule, DisclosureStatus, Finding, Knowledge, Limits, Solver, audit};
use privacy_data::{CsvOptions, DomainFile, tabulate_csv};

use super::electorate::{Composition, Electorate, Worlds, cells_of, classes_on, some_margins, some_policy};
use super::slips::{BoundClaim, Fault, Slip};
use super::verdicts::{is_disclosed, is_within};
use crate::facts::Facts;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RandomSpec {
    worlds: Worlds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableSpec {
    /// A table with a column `n` of counts, and its domain beside it.
    table: String,
    /// The attribute of which the last level is counted.
    counted: String,
}

/// Random small worlds.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: RandomSpec = blueprint.spec()?;
    scenario(blueprint, Source::Random(spec.worlds))
}

/// Random releases of one real table.
pub(super) fn build_on_table(blueprint: &Blueprint<'_>) -> Built {
    let spec: TableSpec = blueprint.spec()?;
    scenario(blueprint, Source::Table(read_table(blueprint, &spec)?))
}

fn scenario(blueprint: &Blueprint<'_>, source: Source) -> Built {
    let never = [
        "certified, and not within the policy",
        "disclosed, and called something else",
        "a possible count outside the bounds",
        "bounds said to be attained that are not",
    ];
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault| Ok(BoundsAudit { source: source.clone(), fault }),
        |view, _| view.solve(),
        |_, _| Ranges::new(),
    )
}

/// Reads a table: the people of every profile, and how many of them have the last level of an
/// attribute.
fn read_table(blueprint: &Blueprint<'_>, spec: &TableSpec) -> Result<Electorate, Error> {
    let path = blueprint.root.join(&spec.table);
    let schema = DomainFile::load(&path.with_extension("domain.toml"))
        .and_then(DomainFile::into_schema)
        .map_err(|error| blueprint.refuse(error))?;
    let file = std::fs::File::open(&path).map_err(|error| blueprint.refuse(error))?;
    let options = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
    let domain = schema.domain().clone();
    let tables = tabulate_csv(file, &schema, &options, &[domain.all()]).map_err(|error| blueprint.refuse(error))?;
    let vote = domain.index_of(&spec.counted).map_err(|error| blueprint.refuse(error))?;
    let profile = domain.all().minus(AttrSet::single(vote));
    let last = domain.cardinality(vote) - 1;
    let shape = domain.shape(profile);
    let levels = domain.shape(domain.all());
    let (mut people, mut counts) = (Vec::new(), Vec::new());
    for class in classes_on(&levels, profile) {
        let cells = cells_of(&levels, &class);
        people.push(cells.iter().map(|&cell| tables[0].cells()[cell]).sum());
        counts.push(tables[0].cells()[cells[last]]);
    }
    Ok(Electorate { shape, composition: Composition::Capacities(people), counts, margins: Vec::new() })
}

#[derive(Clone, Debug)]
enum Source {
    Random(Worlds),
    Table(Electorate),
}

struct World {
    electorate: Electorate,
    policy: DisclosureRule,
    promises: BTreeMap<Class, BoundClaim>,
}

/// What is published, and the classes that an attacker may ask about.
struct View {
    facts: Facts,
    classes: Vec<(Class, Vec<usize>)>,
}

type Ranges = BTreeMap<Class, [i64; 2]>;

struct BoundsAudit {
    source: Source,
    fault: Option<Fault>,
}

impl Audit for BoundsAudit {
    type World = World;
    type View = View;
    type Answer = Ranges;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = match &self.source {
            Source::Random(worlds) => Electorate::draw(*worlds, rng),
            Source::Table(table) => {
                let margins = some_margins(AttrSet::first(table.shape.len()), rng);
                Electorate { margins, ..table.clone() }
            }
        };
        let policy = some_policy(rng)?;
        let promises = promises(&electorate, &policy, self.fault)?;
        Ok(World { electorate, policy, promises })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let electorate = &world.electorate;
        let classes = electorate.classes().into_iter().map(|class| {
            let cells = cells_of(&electorate.shape, &class);
            (class, cells)
        });
        Ok(View { facts: electorate.facts(), classes: classes.collect() })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: world.electorate.redrawn(rng), policy: world.policy, promises: world.promises.clone() }
    }

    fn measure(&self, world: &World, answer: &Ranges, measured: &mut [Option<f64>]) {
        let mut is_won = [false; 4];
        for (class, &range) in answer {
            if world.electorate.is_count_in(&cells_of(&world.electorate.shape, class), range) {
                let ways = world.ways_to_win(class, range);
                is_won.iter_mut().zip(ways).for_each(|(won, way)| *won |= way);
            }
        }
        measured.iter_mut().zip(is_won).for_each(|(measured, won)| *measured = Some(f64::from(won)));
    }
}

impl World {
    fn ways_to_win(&self, class: &Class, [low, high]: [i64; 2]) -> [bool; 4] {
        // A class that the audit does not mention is one of which it says that there is nothing
        // to say.
        let Some(promise) = self.promises.get(class) else { return [false, true, false, false] };
        let (people, is_published) = (self.electorate.people(class), self.electorate.is_published(class));
        let is_within = is_within(&self.policy, people, [low, high]);
        let is_disclosed = is_disclosed(&self.policy, people, is_published, [low, high]);
        let is_certified = promise.verdict == DisclosureStatus::Certified;
        [
            is_certified && (is_disclosed || !is_within),
            is_disclosed && promise.verdict != DisclosureStatus::Disclosed,
            low < promise.ends[0] || high > promise.ends[1],
            promise.is_sharp && [low, high] != promise.ends,
        ]
    }
}

/// What the audit promises of every class, or what one with a fault does.
fn promises(
    electorate: &Electorate,
    policy: &DisclosureRule,
    fault: Option<Fault>,
) -> Result<BTreeMap<Class, BoundClaim>, Error> {
    let limits = match fault {
        Some(Fault::WholeNumbersIgnored) => Limits { nodes: 0, ..Limits::default() },
        _ => Limits::default(),
    };
    let knowledge = match fault {
        Some(Fault::CompositionIgnored) => {
            Electorate { composition: Composition::Unknown, ..electorate.clone() }.knowledge()?
        }
        _ => electorate.knowledge()?,
    };
    let findings = audited(knowledge, policy, limits)?;
    let slip = fault.map(|fault| Slip { electorate, policy, fault });
    Ok(findings
        .into_iter()
        .map(|(class, finding): (Class, Finding)| {
            let right = BoundClaim {
                ends: [finding.lower, finding.upper],
                is_sharp: finding.is_sharp,
                verdict: finding.status,
            };
            let promise = slip.as_ref().map_or(right, |slip| slip.promise(&class, right));
            (class, promise)
        })
        .collect())
}

fn audited(knowledge: Knowledge, policy: &DisclosureRule, limits: Limits) -> Result<Vec<(Class, Finding)>, Error> {
    let vote = knowledge.response_axis();
    let mut solver = Solver::new(knowledge, limits)?;
    let found = audit(&mut solver, policy)?;
    let findings = found.findings.into_iter().map(|finding| {
        // The axis of candidates is the last one.
        let axes: AttrSet = finding.axes.iter().copied().chain(vote).collect();
        let levels: Vec<usize> = finding.levels.iter().copied().chain(finding.response).collect();
        (Class::new(axes, levels), finding)
    });
    Ok(findings.collect())
}

impl View {
    /// The ranges by the attacker's own engine.
    fn solve(&self) -> Ranges {
        let questions: Vec<Vec<usize>> = self.classes.iter().map(|(_, cells)| cells.clone()).collect();
        let ranges = self.facts.ranges(&questions);
        let known = self.classes.iter().zip(ranges).filter_map(|((class, _), range)| Some((class.clone(), range?)));
        known.collect()
    }
}
