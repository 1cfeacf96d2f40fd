//! The complement attacker: everything that is published exactly, added and taken away until a cell that is not comes out.
//!
//! A trial draws a table, plans its release, carries it out, and asks for every cell that was withheld or has noise: is its count
//! known from the exact numbers, the public composition, and that people are whole? Claimed: never to within tau. A release that the
//! library refuses shows nothing, so such a trial measures nothing.

use disclosure::core::rng::SimRng;
use disclosure::core::{AttrSet, param::Epsilon};
use disclosure::frechet::{
    Action, Class, Error as FrechetError, Fate, Limits, Loss, Noise, Policy, Problem, Scope, Target, plan,
};
use rand::RngExt;

use super::electorate::{Composition, Electorate, cells_of, classes_on, signed};
use super::facts::Facts;
use super::never;
use crate::error::Error;
use crate::game::{Attacker, Game, Judged, Quantity, Scenario, release_rng};
use crate::scenarios::Blueprint;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    protected_by: Protection,
}

/// How the library may protect a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Protection {
    /// A 3 x 3 table with its margins, small counts withheld, others so that they stay so. Numbers of people are not public.
    Suppression,
    /// One axis of up to five groups beside its total; small groups have noise.
    Noise,
}

/// What the release does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Small cells are withheld, and nothing else.
    RowTotalsKept,
    /// The same, and more, until no line has exactly one withheld cell: the rule of thumb that FCSM Working Paper 22 warns of.
    TwoInEveryLine,
    /// Small cells have noise, and nothing else, beside an exact total: Magarshak, remark 3 and proposition 9(b).
    NoiseBesideTotal,
}

/// A release of a random table.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let spec: Spec = blueprint.spec()?;
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let of_noise = |fault: Fault| fault == Fault::NoiseBesideTotal;
    if [planted, Some(broken)].into_iter().flatten().any(|f| of_noise(f) != (spec.protected_by == Protection::Noise)) {
        return Err(blueprint.refuse("the fault is one of the other protection".into()));
    }
    let game = |fault| ComplementGame { protection: spec.protected_by, fault };
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: game(planted),
        broken: game(Some(broken)),
        attacker: Subtracts,
        blind: Guesses,
    }))
}

/// Smallest group that is published exactly.
const KAPPA: u64 = 4;

struct World {
    electorate: Electorate,
    /// `None` when the library refuses.
    release: Option<Release>,
}

/// What went out exactly, and what did not.
#[derive(Clone)]
struct Release {
    exact: Vec<(Vec<usize>, i64)>,
    withheld: Vec<Vec<usize>>,
}

/// What is published, and the cells to ask about.
struct View {
    facts: Facts,
    withheld: Vec<Vec<usize>>,
}

struct ComplementGame {
    protection: Protection,
    fault: Option<Fault>,
}

impl Game for ComplementGame {
    type World = World;
    type View = View;
    type Answer = Vec<Option<[i64; 2]>>;

    fn quantities(&self) -> Vec<Quantity> {
        never(&["a cell that was not published is known"])
    }

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = self.draw(rng);
        let release = match self.fault {
            None => released(&electorate, self.protection, rng)?,
            Some(fault) => Some(with_fault(&electorate, fault)),
        };
        Ok(World { electorate, release })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let mut facts = world.electorate.public_facts();
        let Some(release) = &world.release else { return Ok(View { facts, withheld: Vec::new() }) };
        release.exact.iter().for_each(|(cells, count)| facts.add_count(cells, *count));
        Ok(View { facts, withheld: release.withheld.clone() })
    }

    fn control(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: world.electorate.redrawn(rng), release: world.release.clone() }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, _: &mut SimRng, measured: &mut [Option<f64>]) {
        let Some(release) = &world.release else { return };
        let is_known = |(cells, range): (&Vec<usize>, &Option<[i64; 2]>)| {
            let truth = world.electorate.count(cells);
            range.is_some_and(|[low, high]| low == high && low == truth)
        };
        measured[0] = Some(f64::from(release.withheld.iter().zip(answer).any(is_known)));
    }
}

impl ComplementGame {
    fn draw(&self, rng: &mut SimRng) -> Electorate {
        match self.protection {
            Protection::Suppression => {
                let counts = (0..9).map(|_| rng.random_range(0..=9)).collect();
                let axes = [AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
                Electorate { shape: vec![3, 3], composition: Composition::Unknown, counts, margins: axes.to_vec() }
            }
            Protection::Noise => {
                let groups = rng.random_range(3..=5);
                let people: Vec<u64> = (0..groups).map(|_| rng.random_range(0..=12)).collect();
                let counts = people.iter().map(|&people| rng.random_range(0..=people)).collect();
                let margins = vec![AttrSet::EMPTY, AttrSet::single(0)];
                Electorate { shape: vec![groups], composition: Composition::Capacities(people), counts, margins }
            }
        }
    }
}

/// Carries out the library's plan.
fn released(electorate: &Electorate, protection: Protection, rng: &mut SimRng) -> Result<Option<Release>, Error> {
    let table = electorate.table();
    let policy = Policy::new(0, 0.01, KAPPA, Scope::All)?;
    let mut problem = Problem::new(electorate.background()?, policy, Target::Undisclosed, Limits::default());
    for &axes in &electorate.margins {
        problem = problem.wants(axes, 1.0)?;
    }
    let problem = match protection {
        Protection::Suppression => problem.allow_suppression().deciding_on(&table)?,
        Protection::Noise => {
            let epsilon = Epsilon::new(1.0).expect("1 is an epsilon");
            problem.allow_noise(Noise { epsilon, delta: None, loss: Loss::Variance })
        }
    };
    let planned = plan(&problem)?;
    let actions = planned.actions().to_vec();
    let published = match planned.release(&table, &mut release_rng(rng)) {
        Err(FrechetError::PolicyMissed { .. }) => return Ok(None),
        published => published?,
    };
    let mut release = Release { exact: Vec::new(), withheld: Vec::new() };
    for (action, margin) in actions.iter().zip(&published.margins) {
        for (number, cell) in margin.cells.iter().enumerate() {
            let cells = cells_of_number(electorate, action, number);
            match (cell.fate, cell.value) {
                (Fate::Exact, Some(value)) => release.exact.push((cells, value)),
                _ => release.withhold(electorate, cells),
            }
        }
    }
    Ok(Some(release))
}

/// The cells that a published number counts.
fn cells_of_number(electorate: &Electorate, action: &Action, number: usize) -> Vec<usize> {
    let Some(statistic) = &action.statistic else { return Vec::new() };
    let groups = statistic.groups(number);
    let every = AttrSet::first(electorate.shape.len());
    let is_in = |class: &Class| {
        let mut fixed = statistic.axes.iter().zip(&groups);
        fixed.all(|(&axis, group)| group.levels.contains(&class.levels[axis]))
    };
    let classes = classes_on(&electorate.shape, every).into_iter().enumerate();
    classes.filter(|(_, class)| is_in(class)).map(|(cell, _)| cell).collect()
}

impl Release {
    /// Nobody is known by the count of an empty group.
    fn withhold(&mut self, electorate: &Electorate, cells: Vec<usize>) {
        let is_empty = match &electorate.composition {
            Composition::Capacities(people) => cells.iter().all(|&cell| people[cell] == 0),
            _ => false,
        };
        if !is_empty {
            self.withheld.push(cells);
        }
    }
}

/// What goes out when the rule of the fault decides on every cell by itself.
fn with_fault(electorate: &Electorate, fault: Fault) -> Release {
    let mut release = Release { exact: Vec::new(), withheld: Vec::new() };
    let sizes = match &electorate.composition {
        Composition::Capacities(people) => people,
        _ => &electorate.counts,
    };
    let mut is_kept: Vec<bool> = sizes.iter().map(|&size| size == 0 || size >= KAPPA).collect();
    if fault == Fault::TwoInEveryLine {
        withhold_two_in_every_line(&electorate.counts, &mut is_kept);
    }
    for &axes in &electorate.margins {
        for class in classes_on(&electorate.shape, axes) {
            let cells = cells_of(&electorate.shape, &class);
            if axes.len() < electorate.shape.len() || is_kept[cells[0]] {
                let count = electorate.count(&cells);
                release.exact.push((cells, count));
            } else {
                release.withhold(electorate, cells);
            }
        }
    }
    release
}

/// In every line of a 3 x 3 table with one withheld cell, the smallest other joins it.
fn withhold_two_in_every_line(counts: &[u64], is_kept: &mut [bool]) {
    let lines: Vec<[usize; 3]> = (0..3).flat_map(|i| [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]]).collect();
    let lonely = |is_kept: &[bool]| {
        lines.iter().find(|line| line.iter().filter(|&&cell| !is_kept[cell]).count() == 1).copied()
    };
    while let Some(line) = lonely(is_kept) {
        let partner = line.into_iter().filter(|&cell| is_kept[cell]).min_by_key(|&cell| signed(counts[cell]));
        is_kept[partner.expect("one of three is withheld")] = false;
    }
}

/// Solves over all that is published.
struct Subtracts;

impl Attacker<View> for Subtracts {
    type Answer = Vec<Option<[i64; 2]>>;

    fn answer(&self, view: &View, _: &mut SimRng) -> Self::Answer {
        if view.withheld.is_empty() { Vec::new() } else { view.facts.ranges(&view.withheld) }
    }
}

/// Says of every cell that a count is in it: the commonest guess at a small number.
struct Guesses;

impl Attacker<View> for Guesses {
    type Answer = Vec<Option<[i64; 2]>>;

    fn answer(&self, view: &View, _: &mut SimRng) -> Self::Answer {
        vec![None; view.withheld.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_in_every_line_leave_no_line_with_one() {
        let counts = [1, 9, 8, 7, 6, 5, 4, 9, 2];
        let mut is_kept: Vec<bool> = counts.iter().map(|&count| count >= KAPPA).collect();
        withhold_two_in_every_line(&counts, &mut is_kept);
        for i in 0..3 {
            for line in [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]] {
                assert_ne!(line.iter().filter(|&&cell| !is_kept[cell]).count(), 1, "{is_kept:?}");
            }
        }
    }

    #[test]
    fn a_third_is_what_the_total_and_two_others_leave() {
        let people = vec![9, 9, 3];
        let electorate = Electorate {
            shape: vec![3],
            composition: Composition::Capacities(people),
            counts: vec![4, 5, 2],
            margins: vec![AttrSet::EMPTY, AttrSet::single(0)],
        };
        let release = with_fault(&electorate, Fault::NoiseBesideTotal);
        assert_eq!((release.exact.len(), release.withheld), (3, vec![vec![2]]));
    }
}
