//! The auditor of noised cells: is the epsilon of a release what its statement says?
//!
//! Two tables one step apart, `x` and `x'` their counts, and `s_c` the scale of the noise of cell
//! `c`, which is public. The likelihood ratio of the published numbers `y` is
//!
//! ```text
//! ln P'(y) / P(y) = sum over c of (|y_c - x_c| - |y_c - x'_c|) / s_c
//! ```
//!
//! over all noised cells that the step moves. It is largest, and equal to epsilon, where every
//! `y_c` is on the far side of its `x'_c`: the attacker says "with" there, and an audit of that
//! event alone reaches epsilon. Two other events look where a slip of the noise would show: far
//! out in the tail, and the difference of two cells.

use disclosure::frechet::{self, CellStatus, DisclosureRule, RecodedMargin, ReleasePlan, Scope};
use disclosure::privacy_core::ContingencyTable;
use disclosure::privacy_core::noise::{DiscreteLaplace, Rational};

use super::electorate::{Composition, Electorate, signed};
use super::releases::noise_budget;
use crate::prelude::*;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    shape: Vec<usize>,
    /// People by cell, public.
    people: Vec<u64>,
    /// How many of them are counted, without the person.
    counted: Vec<u64>,
    /// The margins that are published; cells of fewer than `kappa` people have noise.
    margins: Vec<Vec<usize>>,
    kappa: u64,
    epsilon: f64,
    /// The cell of the person.
    person: usize,
    /// The cell of somebody who is counted if the person is not: exact numbers stay as they are.
    exchanged_with: Option<usize>,
    event: Event,
}

/// Where the attacker says "with".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Event {
    /// Where the likelihood ratio is largest.
    LikelihoodRatio,
    /// The same, and every cell so far beyond the count with the person.
    Tail(i64),
    /// Where the first noised cell less the second is what it is with the person, as if both had
    /// the same noise.
    Difference,
}

/// What the noise does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Half the sensitivity, so half the scale.
    SensitivityHalved,
    /// The scale divided by 1.05.
    ScaleFivePercentShort,
    /// Each cell spends the whole budget, though a person is in several.
    CellsNotAddedUp,
    /// One draw for all cells.
    NoiseReused,
    /// Draws beyond four scales are drawn again.
    TailTruncated,
    /// The magnitude is drawn as it should be and has its sign by a coin, so that 0 is twice as
    /// likely as it should be.
    ZeroDrawnTwice,
}

/// A release of one of two tables.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let tables = tables(blueprint, &spec)?;
    let right = planned(&spec, spec.epsilon)?;
    let Some(schedule) = right.schedule().cloned() else {
        return Err(blueprint.refuse("no cell has noise: raise kappa"));
    };
    let auditor = NoiseAuditor::new(moved(&spec, &right, &tables)?, spec.event);
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon: schedule.statement.epsilon, delta: 0.0 },
        |fault, has_person| {
            let audit = NoiseAudit::new(&spec, &right, fault, tables.clone())?;
            let with = tables[usize::from(has_person)].clone();
            Ok(NoiseAudit { tables: [tables[0].clone(), with], ..audit })
        },
        move |numbers, _| auditor.says_with(numbers),
    )
}

/// Most people of a cell, and cells of an axis: a scenario is small.
const MOST: u64 = 1_000_000;

/// The table without the person and with them.
fn tables(blueprint: &Blueprint<'_>, spec: &Spec) -> Result<[ContingencyTable; 2], Error> {
    let is_small = (1..=4).contains(&spec.shape.len()) && spec.shape.iter().all(|levels| (1..=16).contains(levels));
    let is_known = spec.margins.iter().flatten().all(|&axis| axis < spec.shape.len());
    if !is_small || !is_known || spec.people.iter().any(|&people| people > MOST) {
        return Err(blueprint.refuse("one to four axes of at most 16 levels, a million people a cell at most"));
    }
    let cells: usize = spec.shape.iter().product();
    let is_whole = spec.people.len() == cells && spec.counted.len() == cells;
    let is_room = spec.counted.get(spec.person) < spec.people.get(spec.person);
    let is_fitting = spec.counted.iter().zip(&spec.people).all(|(counted, people)| counted <= people);
    let is_there = spec.exchanged_with.is_none_or(|other| spec.counted.get(other).is_some_and(|&count| count > 0));
    if !is_whole || !is_room || !is_fitting || !is_there {
        return Err(blueprint.refuse("the person fits in no cell, or a cell has no count"));
    }
    let mut with = spec.counted.clone();
    with[spec.person] += 1;
    spec.exchanged_with.iter().for_each(|&other| with[other] -= 1);
    Ok([spec.counted.clone(), with].map(|counts| electorate(spec, counts).table()))
}

fn electorate(spec: &Spec, counts: Vec<u64>) -> Electorate {
    let margins = spec.margins.iter().map(|axes| axes.iter().copied().collect()).collect();
    let composition = Composition::Capacities(spec.people.clone());
    Electorate { shape: spec.shape.clone(), composition, counts, margins }
}

/// The plan on public sizes, which knows no counts.
fn planned(spec: &Spec, epsilon: f64) -> Result<ReleasePlan, Error> {
    let electorate = electorate(spec, spec.counted.clone());
    let policy = DisclosureRule::new(0, 0.01, spec.kappa, Scope::All)?;
    Ok(frechet::plan(&electorate.problem(policy)?.allow_noise(noise_budget(epsilon)?))?)
}

/// A noised cell: its place among all published numbers, its counts in both tables, and its
/// scale.
#[derive(Clone, Copy, Debug)]
struct Moved {
    place: usize,
    counts: [i64; 2],
    scale: f64,
}

/// The noised cells, moved ones or not.
fn moved(spec: &Spec, plan: &ReleasePlan, tables: &[ContingencyTable; 2]) -> Result<Vec<Moved>, Error> {
    let domain = electorate(spec, spec.counted.clone()).domain();
    let noise = plan.schedule().map_or(&[][..], |schedule| &schedule.cells);
    let mut all = Vec::new();
    let mut place = 0;
    for (number, action) in plan.actions().iter().enumerate() {
        let axes: AttrSet = action.axes.iter().copied().collect();
        let cells = RecodedMargin::finest(&domain, axes)?.cells();
        let counts = [0, 1].map(|side: usize| tables[side].marginal(axes).expect("axes of the table"));
        for (cell, fate) in action.statuses.iter().enumerate().filter(|_| action.statuses.len() == cells) {
            let of_cell = noise.iter().find(|noised| (noised.action, noised.cell) == (number, cell));
            if let (CellStatus::Noised, Some(noised)) = (fate, of_cell) {
                let counts = [0, 1].map(|side: usize| signed(counts[side].cells()[cell]));
                all.push(Moved { place: place + cell, counts, scale: noised.scale });
            }
        }
        place += action.statuses.len();
    }
    Ok(all)
}

/// A release, or one whose noise is drawn wrongly.
struct NoiseAudit {
    plan: ReleasePlan,
    tables: [ContingencyTable; 2],
    slip: Option<Slip>,
}

/// Noise that the game draws by itself.
#[derive(Clone)]
struct Slip {
    fault: Fault,
    /// Scale of every published number; `None` for exact ones.
    scales: Vec<Option<DiscreteLaplace>>,
    margins: Vec<AttrSet>,
}

impl NoiseAudit {
    fn new(
        spec: &Spec,
        right: &ReleasePlan,
        fault: Option<Fault>,
        tables: [ContingencyTable; 2],
    ) -> Result<Self, Error> {
        let plan = match fault {
            Some(Fault::SensitivityHalved) => planned(spec, 2.0 * spec.epsilon)?,
            Some(Fault::ScaleFivePercentShort) => planned(spec, 1.05 * spec.epsilon)?,
            _ => right.clone(),
        };
        let slip = match fault
            .filter(|fault: &Fault| !matches!(fault, Fault::SensitivityHalved | Fault::ScaleFivePercentShort))
        {
            Some(fault) => Some(Slip::new(spec, right, &tables, fault)?),
            None => None,
        };
        Ok(Self { plan, tables, slip })
    }
}

impl Slip {
    fn new(spec: &Spec, right: &ReleasePlan, tables: &[ContingencyTable; 2], fault: Fault) -> Result<Self, Error> {
        let numbers = right.actions().iter().map(|action| action.statuses.len()).sum();
        let mut scales = vec![None; numbers];
        for cell in moved(spec, right, tables)? {
            let scale = if fault == Fault::CellsNotAddedUp { 1.0 / spec.epsilon } else { cell.scale };
            let law = Rational::round_up(scale, 24).and_then(DiscreteLaplace::new);
            scales[cell.place] = Some(law.map_err(frechet::Error::from)?);
        }
        let margins = right.actions().iter().map(|action| action.axes.iter().copied().collect()).collect();
        Ok(Self { fault, scales, margins })
    }

    fn release(&self, table: &ContingencyTable, rng: &mut SimRng) -> Vec<i64> {
        let margins = self.margins.iter().map(|&axes| table.marginal(axes).expect("axes of the table"));
        let mut numbers: Vec<i64> = margins.flat_map(|margin| margin.cells().to_vec()).map(signed).collect();
        let mut first = None;
        for (number, law) in numbers.iter_mut().zip(&self.scales) {
            let Some(law) = *law else { continue };
            let own = self.draw(law, rng);
            *number += if self.fault == Fault::NoiseReused { *first.get_or_insert(own) } else { own };
        }
        numbers
    }

    fn draw(&self, law: DiscreteLaplace, rng: &mut SimRng) -> i64 {
        let mut rng = release_rng(rng);
        let most = (4.0 * law.scale().to_f64()) as i64;
        loop {
            let draw = law.sample(&mut rng);
            match self.fault {
                Fault::TailTruncated if draw.abs() > most => {}
                // Half of the other draws are drawn again, so that 0 is twice as likely beside
                // them.
                Fault::ZeroDrawnTwice if draw != 0 && rng.random() => {}
                _ => return draw,
            }
        }
    }
}

impl NeighbouringInputs for NoiseAudit {
    /// Every published number, margin after margin.
    type View = Vec<i64>;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Vec<i64>, Error> {
        let table = &self.tables[usize::from(side == Side::With)];
        if let Some(slip) = &self.slip {
            return Ok(slip.release(table, rng));
        }
        let (published, _) = self.plan.clone().release(table, &mut release_rng(rng))?;
        let numbers = published.margins.iter().flat_map(|margin| &margin.cells);
        // What is suppressed is the same for both, so any number will do.
        Ok(numbers.map(|cell| cell.value.unwrap_or(0)).collect())
    }
}

/// Says whether the person is counted.
struct NoiseAuditor {
    cells: Vec<Moved>,
    event: Event,
    /// The largest likelihood ratio, as a logarithm.
    largest: f64,
}

impl NoiseAuditor {
    fn new(cells: Vec<Moved>, event: Event) -> Self {
        let largest = cells.iter().map(|cell| (cell.counts[1] - cell.counts[0]).abs() as f64 / cell.scale).sum();
        Self { cells, event, largest }
    }

    fn log_ratio(&self, numbers: &[i64]) -> f64 {
        self.cells
            .iter()
            .map(|cell: &Moved| {
                let [without, with] = cell.counts.map(|count| (numbers[cell.place] - count).abs());
                (without - with) as f64 / cell.scale
            })
            .sum()
    }

    /// Whether every moved cell is so far beyond the count with the person.
    fn is_beyond(&self, numbers: &[i64], most: i64) -> bool {
        self.cells.iter().all(|cell| {
            let step = (cell.counts[1] - cell.counts[0]).signum();
            step == 0 || step * (numbers[cell.place] - cell.counts[1]) >= most
        })
    }

    fn says_with(&self, numbers: &[i64]) -> bool {
        match self.event {
            // A hair less for rounding: the next smaller ratio is a whole step away.
            Event::LikelihoodRatio => self.log_ratio(numbers) >= self.largest - 1e-6,
            Event::Tail(most) => self.is_beyond(numbers, most),
            Event::Difference => match self.cells[..] {
                [first, second, ..] => {
                    numbers[first.place] - numbers[second.place] == first.counts[1] - second.counts[1]
                }
                _ => false,
            },
        }
    }
}
