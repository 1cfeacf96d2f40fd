//! Worlds of exact release: people in groups, how many of each are counted, and the margins that
//! go out.
//!
//! `N_e` people and `T_e` counted in cell `e`. What the library is given and what an attacker
//! holds are made from the same numbers by different code: margins of the library's tables there,
//! sums over cells here.

use disclosure::frechet::{Class, DisclosureRule, DisclosureTarget, Knowledge, Limits, ReleaseProblem, Scope};
use disclosure::privacy_core::{ContingencyTable, Domain};

use crate::facts::Facts;
use crate::prelude::*;

/// What everybody knows of the people.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Composition {
    /// Nothing.
    Unknown,
    /// How many are in each cell; the table counts some of them.
    Capacities(Vec<u64>),
    /// How many are in each profile; the last axis is what they voted for.
    Candidates(Vec<u64>),
}

/// A table, what is public about its people, and what is published of it.
#[derive(Clone, Debug)]
pub(super) struct Electorate {
    pub(super) shape: Vec<usize>,
    pub(super) composition: Composition,
    pub(super) counts: Vec<u64>,
    pub(super) margins: Vec<AttrSet>,
}

/// The random worlds of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Worlds {
    /// Two and three axes, up to 12 people a cell, any margins; numbers of people are public.
    Composition,
    /// The same where nobody knows how many people there are.
    Counts,
    /// 2 x 2 x 2 with three or two empty cells, and one, two or four people in each of the
    /// others, one-way margins: real and whole numbers part ways there.
    Scarce,
    /// 2 x 2 x 2, and 2 x 2 x 2 x 2 with all its three-way margins: one unknown number.
    Parity,
    /// Two axes of people who vote for one of three.
    Candidates,
}

/// Shapes, and the most people a cell so that all tables can be enumerated.
const SHAPES: [(&[usize], u64); 6] =
    [(&[2, 2], 12), (&[2, 3], 8), (&[3, 3], 4), (&[2, 2, 2], 4), (&[2, 2, 3], 2), (&[4], 6)];

impl Electorate {
    /// Draws a world.
    pub(super) fn draw(worlds: Worlds, rng: &mut SimRng) -> Self {
        let (shape, most): (&[usize], u64) = match worlds {
            Worlds::Composition | Worlds::Counts => SHAPES[rng.random_range(0..SHAPES.len())],
            Worlds::Scarce => (&[2, 2, 2], 4),
            Worlds::Parity => [(&[2, 2, 2][..], 4), (&[2, 2, 2, 2], 3)][rng.random_range(0..2)],
            Worlds::Candidates => (&[2, 2, 3], 6),
        };
        let cells: usize = shape.iter().product();
        let axes = AttrSet::first(shape.len());
        let people = match worlds {
            Worlds::Scarce => scarce_people(rng),
            Worlds::Candidates => some_people(cells / 3, most, rng),
            _ => some_people(cells, most, rng),
        };
        let (composition, counts) = match worlds {
            Worlds::Counts | Worlds::Parity => (Composition::Unknown, people),
            Worlds::Composition | Worlds::Scarce => {
                let counts = counted(&people, rng);
                (Composition::Capacities(people), counts)
            }
            Worlds::Candidates => {
                let counts = votes(&people, rng);
                (Composition::Candidates(people), counts)
            }
        };
        let margins = match worlds {
            Worlds::Scarce => axes.subsets_of_size(1).collect(),
            Worlds::Candidates => [0, 1].map(|axis| AttrSet::single(axis).with(2)).to_vec(),
            Worlds::Parity => axes.subsets_of_size(shape.len() - 1).collect(),
            Worlds::Composition | Worlds::Counts if rng.random() => axes.subsets_of_size(1).collect(),
            Worlds::Composition | Worlds::Counts => some_margins(axes, rng),
        };
        Self { shape: shape.to_vec(), composition, counts, margins }
    }

    /// Other people in the same groups: who they are outside the data.
    pub(super) fn redrawn(&self, rng: &mut SimRng) -> Self {
        let counts = match &self.composition {
            Composition::Unknown => self.counts.iter().map(|_| rng.random_range(0..=4)).collect(),
            Composition::Capacities(people) => counted(people, rng),
            Composition::Candidates(people) => votes(people, rng),
        };
        Self { counts, ..self.clone() }
    }

    pub(super) fn domain(&self) -> Domain {
        Domain::of_cardinalities(&self.shape).expect("a few axes of a few levels")
    }

    /// The table as the library has it.
    pub(super) fn table(&self) -> ContingencyTable {
        self.table_of(AttrSet::first(self.shape.len()), &self.counts)
    }

    fn table_of(&self, axes: AttrSet, cells: &[u64]) -> ContingencyTable {
        ContingencyTable::from_cells(&self.domain(), axes, cells.to_vec()).expect("a count for every cell")
    }

    /// What is public before anything is published, as the library has it.
    pub(super) fn background(&self) -> Result<Knowledge, Error> {
        let domain = self.domain();
        Ok(match &self.composition {
            Composition::Unknown => Knowledge::of_counts(domain)?,
            Composition::Capacities(people) => {
                let population = self.table_of(domain.all(), people);
                Knowledge::with_population(domain, &population)?
            }
            Composition::Candidates(people) => {
                let vote = self.shape.len() - 1;
                Knowledge::with_responses(domain, vote, &self.table_of(AttrSet::first(vote), people))?
            }
        })
    }

    /// The same with the margins published.
    pub(super) fn knowledge(&self) -> Result<Knowledge, Error> {
        let (mut knowledge, table) = (self.background()?, self.table());
        for &axes in &self.margins {
            knowledge.publish_margin(&table.marginal(axes).expect("axes of the table"))?;
        }
        Ok(knowledge)
    }

    /// What an attacker holds before anything is published.
    pub(super) fn public_facts(&self) -> Facts {
        match &self.composition {
            // Nobody counts to more than everybody, and an attacker may not know even that:
            // margins will say.
            Composition::Unknown => Facts::new(vec![i64::MAX; self.counts.len()]),
            Composition::Capacities(people) => Facts::new(people.iter().map(|&people| signed(people)).collect()),
            Composition::Candidates(people) => {
                let candidates = self.shape[self.shape.len() - 1];
                let mut facts = Facts::new(vec![i64::MAX; self.counts.len()]);
                for (profile, &people) in people.iter().enumerate() {
                    let cells: Vec<usize> = (profile * candidates..(profile + 1) * candidates).collect();
                    facts.add_count(&cells, signed(people));
                }
                facts
            }
        }
    }

    /// What an attacker holds who reads the margins.
    pub(super) fn facts(&self) -> Facts {
        let mut facts = self.public_facts();
        for &axes in &self.margins {
            for class in classes_on(&self.shape, axes) {
                let cells = cells_of(&self.shape, &class);
                facts.add_count(&cells, self.count(&cells));
            }
        }
        facts
    }

    pub(super) fn count(&self, cells: &[usize]) -> i64 {
        cells.iter().map(|&cell| signed(self.counts[cell])).sum()
    }

    /// Whether the count of some cells lies in a range.
    pub(super) fn is_count_in(&self, cells: &[usize], [low, high]: [i64; 2]) -> bool {
        (low..=high).contains(&self.count(cells))
    }

    /// All margins requested, none of which may disclose anything.
    pub(super) fn problem(&self, rule: DisclosureRule) -> Result<ReleaseProblem, Error> {
        let background = self.background()?;
        let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
        Ok(self.margins.iter().try_fold(problem, |problem, &axes| problem.request_margin(axes, 1.0))?)
    }

    /// How many people are in a class, where that is public.
    pub(super) fn people(&self, class: &Class) -> Option<i64> {
        let cells = cells_of(&self.shape, class);
        match &self.composition {
            Composition::Unknown => None,
            Composition::Capacities(people) => Some(cells.iter().map(|&cell| signed(people[cell])).sum()),
            // Everybody in the table gave some answer.
            Composition::Candidates(people) => {
                let candidates = self.shape[self.shape.len() - 1];
                Some(cells.iter().map(|&cell| signed(people[cell / candidates])).sum())
            }
        }
    }

    /// The classes that an audit of everything judges.
    pub(super) fn classes(&self) -> Vec<Class> {
        let axes = AttrSet::first(self.shape.len());
        let vote = matches!(self.composition, Composition::Candidates(_)).then(|| self.shape.len() - 1);
        let sets = axes.subsets().filter(|set| match vote {
            Some(vote) => set.contains(vote) && set.len() > 1,
            None => !set.is_empty(),
        });
        let classes = sets.flat_map(|axes| classes_on(&self.shape, axes));
        classes.filter(|class| self.people(class) != Some(0)).collect()
    }

    /// Whether the count of a class is a sum of published ones.
    pub(super) fn is_published(&self, class: &Class) -> bool {
        self.margins.iter().any(|margin| class.axes.is_subset_of(*margin))
    }
}

/// A policy that some classes meet and others do not.
pub(super) fn some_policy(rng: &mut SimRng) -> Result<DisclosureRule, Error> {
    let beta = [0.1, 0.2, 0.25, 0.3][rng.random_range(0..4)];
    let (tau, kappa) = (rng.random_range(0..=2), [1, 2, 5][rng.random_range(0..3)]);
    Ok(DisclosureRule::new(tau, beta, kappa, Scope::All)?)
}

/// Every class on these axes, row-major.
pub(super) fn classes_on(shape: &[usize], axes: AttrSet) -> Vec<Class> {
    let mut classes = vec![Vec::new()];
    for axis in axes.iter() {
        classes = classes
            .into_iter()
            .flat_map(|levels: Vec<usize>| (0..shape[axis]).map(move |level| [&levels[..], &[level]].concat()))
            .collect();
    }
    classes.into_iter().map(|levels| Class::new(axes, levels)).collect()
}

/// The cells of a class.
pub(super) fn cells_of(shape: &[usize], class: &Class) -> Vec<usize> {
    (0..shape.iter().product())
        .filter(|&cell| class.axes.iter().zip(&class.levels).all(|(axis, &own)| level(shape, cell, axis) == own))
        .collect()
}

/// The level of a cell on one axis.
fn level(shape: &[usize], cell: usize, axis: usize) -> usize {
    cell / shape[axis + 1..].iter().product::<usize>() % shape[axis]
}

pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).expect("counts are at most 2^53")
}

fn some_people(cells: usize, most: u64, rng: &mut SimRng) -> Vec<u64> {
    (0..cells).map(|_| rng.random_range(0..=most)).collect()
}

/// As many people in each of 000, 011, 101, 110 and 001, sometimes in one cell more, seen from
/// any corner.
fn scarce_people(rng: &mut SimRng) -> Vec<u64> {
    let (most, corner, other) = ([1, 2, 4][rng.random_range(0..3)], rng.random_range(0..8), rng.random_range(0..16));
    let peopled = [0b000, 0b011, 0b101, 0b110, 0b001, other];
    (0..8).map(|cell| if peopled.contains(&(cell ^ corner)) { most } else { 0 }).collect()
}

/// Some of the people of each cell: none, all or any number, so that groups are unanimous as
/// often as not.
fn counted(people: &[u64], rng: &mut SimRng) -> Vec<u64> {
    people
        .iter()
        .map(|&people: &u64| match rng.random_range(0..4) {
            0 => 0,
            1 => people,
            _ => rng.random_range(0..=people),
        })
        .collect()
}

/// How the people of each profile vote, for one of three.
fn votes(people: &[u64], rng: &mut SimRng) -> Vec<u64> {
    people
        .iter()
        .flat_map(|&people: &u64| {
            let first = rng.random_range(0..=people);
            let second = rng.random_range(0..=people - first);
            [first, second, people - first - second]
        })
        .collect()
}

/// Margins none of which says what another says as well.
pub(super) fn some_margins(axes: AttrSet, rng: &mut SimRng) -> Vec<AttrSet> {
    let sets: Vec<AttrSet> = axes.subsets().filter(|set| !set.is_empty() && *set != axes).collect();
    let mut margins: Vec<AttrSet> = Vec::new();
    for set in sets {
        if rng.random() {
            margins.retain(|margin| !margin.is_subset_of(set));
            if !margins.iter().any(|margin| set.is_subset_of(*margin)) {
                margins.push(set);
            }
        }
    }
    // The total at least, so that every cell has an end.
    if margins.is_empty() { vec![AttrSet::EMPTY] } else { margins }
}
