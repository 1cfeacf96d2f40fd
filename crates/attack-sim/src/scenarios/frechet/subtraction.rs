//! The subtracting reader: from every published total, takes the published numbers within it, and
//! reads what is left.
//!
//! A trial releases a 4 x 4 table of counts with its margins, small counts withheld. What is left
//! of a line counts somebody, and fewer than may be published? Claimed: never. A release that the
//! library refuses shows nothing, so such a trial measures nothing.

use disclosure::frechet::{DisclosureRule, Limits, PrimaryCell, Region, Scope, SuppressibleCell, suppress};

use super::electorate::{Composition, Electorate, cells_of, classes_on, signed};
use super::releases::{KAPPA, Protection, released};
use crate::prelude::*;

const BETA: f64 = 0.05;
const LEVELS: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// The largest count of a cell.
    most: u64,
}

/// What the release does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Every withheld cell keeps a range, and nothing is asked about sums of them.
    CellsAlone,
}

/// Cells, and their count.
type Number = (Vec<usize>, i64);

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { most } = blueprint.spec()?;
    blueprint.trials(
        Quantity::shares_of(0.0, &["what is left of a total is a number that may not be published"])?,
        |fault: Option<Fault>| Ok(SubtractionAudit { most, is_of_cells: fault.is_some() }),
        |published: &Vec<Number>, _: &mut SimRng| remainders(published),
        |_: &Vec<Number>, _: &mut SimRng| Vec::new(),
    )
}

/// Every published number less the smaller ones within it.
fn remainders(published: &[Number]) -> Vec<Number> {
    let wholes = published.iter().filter(|whole| whole.0.len() > 1);
    wholes.map(|whole| remainder(whole, published)).filter(|rest| !rest.0.is_empty()).collect()
}

/// A number less the published cells within it.
fn remainder(whole: &Number, published: &[Number]) -> Number {
    let cells: Vec<&Number> =
        published.iter().filter(|part| part.0.len() == 1 && whole.0.contains(&part.0[0])).collect();
    let rest = whole.0.iter().copied().filter(|cell| !cells.iter().any(|part| part.0.contains(cell)));
    (rest.collect(), whole.1 - cells.iter().map(|part| part.1).sum::<i64>())
}

struct SubtractionAudit {
    most: u64,
    is_of_cells: bool,
}

struct World {
    electorate: Electorate,
    /// `None` when the library refuses.
    published: Option<Vec<Number>>,
}

impl SubtractionAudit {
    /// The lightest pattern that keeps a range for every cell, by itself.
    fn of_cells(electorate: &Electorate) -> Result<Option<Vec<Number>>, Error> {
        let (table, mut background) = (electorate.table(), electorate.background()?);
        let totals = [0, 1].map(|axis| table.marginal(AttrSet::single(axis)).expect("an axis of the table"));
        if totals.iter().any(|total| total.cells().iter().any(|&count| is_small(signed(count)))) {
            return Ok(None);
        }
        totals.iter().try_for_each(|total| background.publish_margin(total))?;
        let cells: Vec<SuppressibleCell> =
            electorate.counts.iter().enumerate().map(|(cell, &count)| suppressible(cell, count)).collect();
        let small = (0..cells.len()).filter(|&cell| is_small(signed(cells[cell].count)));
        let primaries: Vec<PrimaryCell> = small.map(|cell| PrimaryCell { cell, width: 1 }).collect();
        let Ok(pattern) = suppress(&background, &cells, &primaries, &Limits::default()) else { return Ok(None) };
        let lines = [0, 1].into_iter().flat_map(|axis| classes_on(&electorate.shape, AttrSet::single(axis)));
        let lines = lines.map(|class| cells_of(&electorate.shape, &class));
        let kept = (0..cells.len()).filter(|cell| !pattern.withheld.contains(cell)).map(|cell| vec![cell]);
        Ok(Some(lines.chain(kept).map(|cells| (cells.clone(), electorate.count(&cells))).collect()))
    }
}

fn suppressible(cell: usize, count: u64) -> SuppressibleCell {
    SuppressibleCell {
        name: format!("cell {cell}"),
        region: Region::everything().with(0, [cell / LEVELS]).with(1, [cell % LEVELS]),
        count,
        weight: count.max(1),
    }
}

fn is_small(count: i64) -> bool {
    0 < count && count < signed(KAPPA)
}

impl Audit for SubtractionAudit {
    type World = World;
    type View = Vec<Number>;
    type Answer = Vec<Number>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let counts = (0..LEVELS * LEVELS).map(|_| rng.random_range(0..=self.most)).collect();
        let margins = vec![AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
        let electorate = Electorate { shape: vec![LEVELS; 2], composition: Composition::Unknown, counts, margins };
        let policy = DisclosureRule::new(0, BETA, KAPPA, Scope::All)?;
        let published = if self.is_of_cells {
            Self::of_cells(&electorate)?
        } else {
            released(&electorate, &policy, Protection::Suppression, rng)?.map(|release| release.exact.concat())
        };
        Ok(World { electorate, published })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<Vec<Number>, Error> {
        Ok(world.published.clone().unwrap_or_default())
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: world.electorate.redrawn(rng), published: world.published.clone() }
    }

    fn measure(&self, world: &World, answer: &Vec<Number>, measured: &mut [Option<f64>]) {
        if world.published.is_none() {
            return;
        }
        let mut small = answer.iter().filter(|number| is_small(number.1));
        measured[0] = Some(f64::from(small.any(|(cells, count)| world.electorate.count(cells) == *count)));
    }
}
