//! The attacker of suppression patterns: is a cell that the engine of linked tables calls
//! protected protected?
//!
//! `x_j` the count of a suppressed cell, `known_j` between which numbers everybody knows it to
//! be, links their sums with signs. Tables are sums over all axes: inner cells, margins and the
//! total, each a cell that may be suppressed as well.

use disclosure::frechet::{
    CellRelation, Class, Limits, LinkedCell, LinkedTable, Protection, ProtectionStatus, SuppressionStatus,
};
use privacy_data::{JjStatus, read_jj};

use super::electorate::{cells_of, classes_on, signed};
use crate::facts::{Facts, Sum};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Spec {
    /// Random tables of these shapes with all their sums and a public limit for each cell, which
    /// everybody knows.
    Random { shapes: Vec<Vec<usize>>, most: u64 },
    /// The counts and sensitive cells of a file, and random others suppressed for them.
    Jj { path: String },
}

/// What the judge of a pattern does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Protected when no sum has it for its only suppressed cell.
    TwoInEveryLine,
    /// Protected when real numbers leave more than 1e-8: the attack of a peer.
    RealNumbers,
    /// Only the protection above the count is asked for.
    UpperSideOnly,
}

/// A pattern of cells that are suppressed.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let source = match blueprint.spec()? {
        Spec::Random { shapes, most } => {
            if shapes.is_empty()
                || !shapes.iter().all(|shape: &Vec<usize>| {
                    (1..=3).contains(&shape.len()) && shape.iter().all(|levels| (1..=9).contains(levels))
                })
                || most > 1_000
            {
                return Err(blueprint.refuse("one to three axes of at most 9 levels, 1,000 people a cell at most"));
            }
            Source::Random { shapes, most }
        }
        Spec::Jj { path } => {
            let text = std::fs::read(blueprint.root.join(path)).map_err(|error| blueprint.refuse(error))?;
            let file = read_jj(&text).map_err(|error| blueprint.refuse(error))?;
            Source::Jj(Additive::of_jj(&file))
        }
    };
    let never = [
        "called protected, and not as asked",
        "called exposed, and protected",
        "ends that are not those of all tables",
    ];
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault| Ok(LinkedAudit { source: source.clone(), fault }),
        |facts, _| {
            let questions: Vec<Vec<usize>> = (0..facts.most.len()).map(|cell| vec![cell]).collect();
            facts.ranges(&questions)
        },
        |facts, _| vec![None; facts.most.len()],
    )
}

#[derive(Clone)]
enum Source {
    Random { shapes: Vec<Vec<usize>>, most: u64 },
    Jj(Additive),
}

/// Cells and links before anything is judged.
#[derive(Clone)]
struct Additive {
    cells: Vec<LinkedCell>,
    links: Vec<CellRelation>,
}

impl Additive {
    fn of_jj(file: &privacy_data::JjFile) -> Self {
        let cells = file.cells.iter().map(|cell| LinkedCell {
            count: cell.count,
            status: match cell.status {
                JjStatus::Published => SuppressionStatus::Published,
                JjStatus::Primary => SuppressionStatus::Primary,
                JjStatus::Secondary => SuppressionStatus::Secondary,
            },
            known: (cell.least, cell.most),
            protection: Protection {
                lower: cell.protection[0],
                upper: cell.protection[1],
                sliding: cell.protection[2],
            },
        });
        let links = file.relations.iter().map(|link| CellRelation { constant: link.sum, terms: link.terms.clone() });
        Self { cells: cells.collect(), links: links.collect() }
    }

    /// A table with all its sums: every sum over the last of the axes left is a link.
    fn draw(shape: &[usize], most: u64, rng: &mut SimRng) -> Self {
        let inner: Vec<u64> = (0..shape.iter().product()).map(|_| rng.random_range(0..=most)).collect();
        let sets: Vec<AttrSet> = AttrSet::first(shape.len()).subsets().collect();
        let classes: Vec<Class> = sets.iter().flat_map(|&axes| classes_on(shape, axes)).collect();
        let mut links = Vec::new();
        for (total, class) in classes.iter().enumerate() {
            for axis in (0..shape.len()).filter(|&axis| !class.axes.contains(axis)) {
                let own = cells_of(shape, class);
                let parts = classes.iter().enumerate().filter(|(_, part)| part.axes == class.axes.with(axis));
                let parts = parts.filter(|(_, part)| cells_of(shape, part).iter().all(|cell| own.contains(cell)));
                let terms = parts.map(|(cell, _)| (cell, false)).chain([(total, true)]).collect();
                links.push(CellRelation { constant: 0, terms });
            }
        }
        let cells = classes.iter().map(|class| {
            let own = cells_of(shape, class);
            let count = own.iter().map(|&cell| inner[cell]).sum();
            let known = (0, most * own.len() as u64);
            let [lower, upper, half_sliding] = [(); 3].map(|()| rng.random_range(0..=1));
            let protection = Protection { lower, upper, sliding: 2 * half_sliding };
            LinkedCell { count, status: SuppressionStatus::Published, known, protection }
        });
        Self { cells: cells.collect(), links }
    }

    /// Some cells are sensitive, some are suppressed for them.
    fn suppressed(mut self, sensitive: f64, others: f64, rng: &mut SimRng) -> Self {
        for cell in &mut self.cells {
            let draw: f64 = rng.random();
            cell.status = match cell.status {
                SuppressionStatus::Primary => SuppressionStatus::Primary,
                _ if draw < sensitive => SuppressionStatus::Primary,
                _ if draw < sensitive + others => SuppressionStatus::Secondary,
                _ => SuppressionStatus::Published,
            };
        }
        self
    }

    /// What somebody knows who reads the published cells: counts of the suppressed ones, in their
    /// order.
    fn facts(&self) -> Facts {
        let suppressed = self.suppressed_cells();
        let mut facts = Facts::new(suppressed.iter().map(|&cell| signed(self.cells[cell].known.1)).collect());
        for (place, &cell) in suppressed.iter().enumerate() {
            let (least, most) = self.cells[cell].known;
            facts.sums.push(Sum { terms: vec![(place, false)], least: signed(least), largest: signed(most) });
        }
        for link in &self.links {
            let (mut terms, mut left) = (Vec::new(), link.constant);
            for &(cell, taken) in &link.terms {
                let count = signed(self.cells[cell].count);
                match suppressed.binary_search(&cell) {
                    Ok(place) => terms.push((place, taken)),
                    Err(_) => left -= if taken { -count } else { count },
                }
            }
            facts.sums.push(Sum { terms, least: left, largest: left });
        }
        facts.sums.retain(|sum| !sum.terms.is_empty());
        facts
    }

    fn suppressed_cells(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&cell: &usize| self.cells[cell].status != SuppressionStatus::Published).collect()
    }
}

struct World {
    table: Additive,
    /// The counts that an answer is held against: those of the table, or of people outside.
    counts: Vec<u64>,
    /// What is said of every suppressed cell: whether it is protected, and its ends.
    said: Vec<(ProtectionStatus, [i64; 2])>,
}

struct LinkedAudit {
    source: Source,
    fault: Option<Fault>,
}

impl Audit for LinkedAudit {
    type World = World;
    /// What is published, which leaves the suppressed cells open.
    type View = Facts;
    type Answer = Vec<Option<[i64; 2]>>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let table = match &self.source {
            Source::Random { shapes, most } => {
                let shape = &shapes[rng.random_range(0..shapes.len())];
                Additive::draw(shape, *most, rng).suppressed(0.3, 0.3, rng)
            }
            Source::Jj(table) => table.clone().suppressed(0.0, 0.3, rng),
        };
        let said = said(&table, self.fault)?;
        let counts = table.cells.iter().map(|cell| cell.count).collect();
        Ok(World { table, counts, said })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<Facts, Error> {
        Ok(world.table.facts())
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        let counts =
            world.table.cells.iter().map(|cell: &LinkedCell| rng.random_range(cell.known.0..=cell.known.1)).collect();
        World { table: world.table.clone(), counts, said: world.said.clone() }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        let mut is_won = [false; 3];
        for ((cell, range), (said, ends)) in world.table.suppressed_cells().into_iter().zip(answer).zip(&world.said) {
            let truth = signed(world.counts[cell]);
            let Some(range) = range.filter(|[low, high]| *low <= truth && truth <= *high) else { continue };
            let is_protected = is_protected(&world.table.cells[cell], range);
            is_won[0] |= *said == ProtectionStatus::Yes && !is_protected;
            is_won[1] |= *said == ProtectionStatus::No && is_protected;
            is_won[2] |= *ends != range;
        }
        measured.iter_mut().zip(is_won).for_each(|(measured, won)| *measured = Some(f64::from(won)));
    }
}

/// Whether a range leaves as much as a cell asks for; a cell that is not sensitive asks for a
/// second count.
fn is_protected(cell: &LinkedCell, [low, high]: [i64; 2]) -> bool {
    let Protection { lower, upper, sliding } = cell.protection;
    let count = signed(cell.count);
    let as_asked = low <= count - signed(lower) && high >= count + signed(upper) && high - low >= signed(sliding);
    high > low && (cell.status != SuppressionStatus::Primary || as_asked)
}

/// What the engine says, or one with a fault.
fn said(table: &Additive, fault: Option<Fault>) -> Result<Vec<(ProtectionStatus, [i64; 2])>, Error> {
    let linked = LinkedTable::new(table.cells.clone(), table.links.clone())?;
    let Some(mut solver) = linked.solver(Limits::default())? else { return Ok(Vec::new()) };
    let facts = table.facts();
    let findings = linked.audit(&mut solver)?;
    let said = findings.iter().enumerate().map(|(place, finding)| {
        let ends = [finding.lower, finding.upper];
        let is_protected = match fault {
            None => return (finding.protected, ends),
            // Bounds of single cells are sums of one, and no links.
            Some(Fault::TwoInEveryLine) => {
                facts.sums[findings.len()..].iter().all(|sum| sum.terms.len() != 1 || sum.terms[0].0 != place)
            }
            Some(Fault::RealNumbers) => facts.real_range(&[place]).is_some_and(|[low, high]| high - low > 1e-8),
            Some(Fault::UpperSideOnly) => {
                let cell = &table.cells[finding.cell];
                is_protected(&LinkedCell { protection: Protection { lower: 0, ..cell.protection }, ..*cell }, ends)
            }
        };
        (if is_protected { ProtectionStatus::Yes } else { ProtectionStatus::No }, ends)
    });
    Ok(said.collect())
}
