//! Every respondent, alone or with another, against every withheld cell of a published table of
//! amounts.
//!
//! `x_j` the amount of a withheld cell, `a_j` what the attackers put into it: `x_j >= a_j`, and
//! `x_j = a_j` where nobody else contributes. Every total is the sum of its parts. A linear program
//! (`microlp`) bounds `x_j` from above, and `x_j - a_j` bounds everybody else's amount there. The
//! attackers win if that is within p % of the largest one.

use disclosure::magnitude::{
    Axis, Contribution, Cube, Error as MagnitudeError, MagnitudeTable, Record, SensitivityRule, Share,
    SuppressionProblem, plan,
};

use crate::facts::{Facts, Sum};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spec {
    /// Shapes of the tables, without their totals.
    shapes: Vec<Vec<usize>>,
    /// Respondents of a table.
    respondents: u32,
    /// Per cent of the rule.
    percent: u32,
    /// How many respondents attack together, 1 or 2.
    together: usize,
}

/// What the plan does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Only readers without an amount of their own are taken for attackers: singletons are not.
    ReadersOnly,
    /// Only single respondents are.
    OneRespondent,
    /// Sensitive cells are withheld, and nothing to protect them.
    SensitiveOnly,
    /// Until no line has only one withheld cell.
    TwoInEveryLine,
    /// Every row is a respondent of its own: holdings are not added up.
    RowsForRespondents,
}

/// Tables of amounts that were released.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { shapes, respondents, percent, together } = blueprint.spec()?;
    let fits =
        shapes.iter().all(|shape| (1..=3).contains(&shape.len()) && shape.iter().all(|size| (2..=6).contains(size)));
    if shapes.is_empty()
        || !fits
        || !(2..=60).contains(&respondents)
        || !(1..=100).contains(&percent)
        || !(1..=2).contains(&together)
    {
        return Err(blueprint
            .refuse("one to three axes of 2 to 6 levels, 2 to 60 respondents, 1 to 100 per cent, 1 or 2 together"));
    }
    let quantities =
        ["an amount bounded from above within p %", "a sensitive cell bounded from below within its level"];
    blueprint.trials(
        Quantity::shares_of(0.0, &quantities)?,
        |fault| Ok(RespondentsAudit { shapes: shapes.clone(), respondents, percent, together, fault }),
        |views: &Vec<Facts>, _| views.iter().map(bounds).collect(),
        |views, _| vec![Vec::new(); views.len()],
    )
}

/// The range of every withheld cell.
fn bounds(facts: &Facts) -> Vec<Option<[f64; 2]>> {
    (0..facts.most.len()).map(|cell| facts.real_range(&[cell])).collect()
}

struct World {
    /// The contributions to each withheld cell.
    contributions: Vec<Vec<Contribution>>,
    coalitions: Vec<Vec<u32>>,
    views: Vec<Facts>,
    percent: f64,
}

struct RespondentsAudit {
    shapes: Vec<Vec<usize>>,
    respondents: u32,
    percent: u32,
    together: usize,
    fault: Option<Fault>,
}

impl RespondentsAudit {
    fn records(&self, shape: &[usize], rng: &mut SimRng) -> Vec<Record> {
        let mut records = Vec::new();
        for respondent in 0..self.respondents {
            // One in four is a holding with plants.
            let plants = if rng.random_range(0..4) == 0 { rng.random_range(2..=3) } else { 1 };
            for _ in 0..plants {
                let leaves = shape.iter().map(|&size| rng.random_range(0..size)).collect();
                let size: f64 = rng.random();
                let amount = (50.0 * (1.0 - size).powf(-0.8)).min(1e6) as i64;
                records.push(Record { leaves, respondent, amount });
            }
        }
        records
    }

    fn rule(&self, coalition: usize) -> Result<SensitivityRule, MagnitudeError> {
        let p = Share::of_percent("p_percent", f64::from(self.percent))?;
        SensitivityRule::new(Some(p), Vec::new(), None, coalition)
    }

    /// The pattern of the mechanism, or of one with a fault; `None` where a table cannot be
    /// protected.
    fn pattern(&self, table: &MagnitudeTable, records: &[Record]) -> Result<Option<Vec<bool>>, Error> {
        let coalition = match self.fault {
            Some(Fault::ReadersOnly) => 0,
            Some(Fault::OneRespondent) => 1,
            _ => self.together,
        };
        let rule = self.rule(coalition)?;
        let sensitive = || (0..table.cube().cells()).map(|cell| rule.is_sensitive(table.contributions(cell))).collect();
        match self.fault {
            Some(Fault::SensitiveOnly) => return Ok(Some(sensitive())),
            Some(Fault::TwoInEveryLine) => return Ok(Some(two_in_every_line(table, sensitive()))),
            _ => {}
        }
        let apart;
        let planned = if self.fault == Some(Fault::RowsForRespondents) {
            let own = (0_u32..).zip(records).map(|(respondent, record)| Record { respondent, ..record.clone() });
            apart = MagnitudeTable::from_records(table.cube().clone(), &own.collect::<Vec<_>>())?;
            &apart
        } else {
            table
        };
        match plan(&SuppressionProblem::new(planned, &rule)) {
            Ok(plan) => Ok(Some(plan.is_withheld())),
            Err(MagnitudeError::Unprotectable { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Withholds the smallest published cell of every relation with only one withheld cell, until
/// every line has two, or no cell is left.
fn two_in_every_line(table: &MagnitudeTable, mut is_withheld: Vec<bool>) -> Vec<bool> {
    let amounts = table.additive().amounts();
    let is_lonely =
        |terms: &[(usize, bool)], is_withheld: &[bool]| terms.iter().filter(|term| is_withheld[term.0]).count() == 1;
    loop {
        let relations = table.additive().relations().iter();
        let mut lonely = relations.filter(|relation| is_lonely(&relation.terms, &is_withheld));
        let Some(relation) = lonely.next() else { return is_withheld };
        let others = relation.terms.iter().filter(|term| !is_withheld[term.0]).map(|term| term.0);
        match others.min_by_key(|&cell| (amounts[cell] == 0, amounts[cell])) {
            Some(cell) => is_withheld[cell] = true,
            None => return is_withheld,
        }
    }
}

/// What a coalition knows of the withheld cells.
fn facts(table: &MagnitudeTable, withheld: &[usize], coalition: &[u32]) -> Facts {
    let amounts = table.additive().amounts();
    let most = amounts.iter().max().copied().unwrap_or(0) * 100 + 1_000;
    let mut facts = Facts::new(vec![most; withheld.len()]);
    for (place, &cell) in withheld.iter().enumerate() {
        let contributions = table.contributions(cell);
        let own = contributions.iter().filter(|own| coalition.contains(&own.respondent));
        let (members, known) = own.fold((0, 0), |(members, sum), own| (members + 1, sum + own.amount));
        // Where nobody else contributes, and where nobody does at all, the amount is known.
        let largest = if members == contributions.len() { known } else { most };
        facts.sums.push(Sum { terms: vec![(place, false)], least: known, largest });
    }
    for relation in table.additive().relations() {
        let (mut terms, mut left) = (Vec::new(), relation.constant);
        for &(cell, taken) in &relation.terms {
            match withheld.binary_search(&cell) {
                Ok(place) => terms.push((place, taken)),
                Err(_) => left -= if taken { -amounts[cell] } else { amounts[cell] },
            }
        }
        if !terms.is_empty() {
            facts.sums.push(Sum { terms, least: left, largest: left });
        }
    }
    facts
}

/// Every coalition of at most this many.
fn coalitions(respondents: u32, together: usize) -> Vec<Vec<u32>> {
    let singles = (0..respondents).map(|one| vec![one]);
    let pairs = (0..respondents).flat_map(|one| (0..one).map(move |other| vec![other, one]));
    let pairs = pairs.filter(|_| together > 1);
    std::iter::once(Vec::new()).chain(singles).chain(pairs).collect()
}

impl Audit for RespondentsAudit {
    type World = World;
    /// What each coalition knows.
    type View = Vec<Facts>;
    type Answer = Vec<Vec<Option<[f64; 2]>>>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        loop {
            let shape = &self.shapes[rng.random_range(0..self.shapes.len())];
            let axes = shape
                .iter()
                .enumerate()
                .map(|(axis, &size)| Axis::flat(axis.to_string(), "total", (0..size).map(|level| level.to_string())));
            let cube = Cube::new(axes.collect::<Result<_, _>>()?)?;
            let records = self.records(shape, rng);
            let table = MagnitudeTable::from_records(cube, &records)?;
            let Some(is_withheld) = self.pattern(&table, &records)? else { continue };
            let withheld: Vec<usize> = (0..is_withheld.len()).filter(|&cell: &usize| is_withheld[cell]).collect();
            let coalitions = coalitions(self.respondents, self.together);
            return Ok(World {
                contributions: withheld.iter().map(|&cell| table.contributions(cell).to_vec()).collect(),
                views: coalitions.iter().map(|coalition| facts(&table, &withheld, coalition)).collect(),
                coalitions,
                percent: f64::from(self.percent) / 100.0,
            });
        }
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<Vec<Facts>, Error> {
        Ok(world.views.clone())
    }

    /// Respondents of a larger economy, in the same cells.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        let larger = world.contributions.iter().map(|cell| {
            let amounts = cell.iter().map(|own| (own.amount + 1) * rng.random_range(200..500));
            cell.iter().zip(amounts).map(|(own, amount)| Contribution { amount, ..*own }).collect()
        });
        let contributions = larger.collect();
        World { contributions, coalitions: world.coalitions.clone(), views: Vec::new(), percent: world.percent }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        let mut is_won = [false; 2];
        for (coalition, ranges) in world.coalitions.iter().zip(answer) {
            for (contributions, range) in world.contributions.iter().zip(ranges) {
                let Some([low, high]) = *range else { continue };
                let others: Vec<f64> = contributions
                    .iter()
                    .filter(|own| !coalition.contains(&own.respondent))
                    .map(|own| own.amount as f64)
                    .collect();
                let (all, rest): (f64, f64) =
                    (contributions.iter().map(|own| own.amount as f64).sum(), others.iter().sum());
                let Some(largest) = others.iter().copied().reduce(f64::max).filter(|&largest| largest > 0.0) else {
                    continue;
                };
                // What the coalition itself put in comes off; a program of floats is near its end.
                let (own, near) = (all - rest, 1e-6 * (1.0 + all));
                let level = world.percent * largest - (rest - largest);
                let estimate = high - own;
                is_won[0] |= estimate >= largest - near && estimate < (1.0 + world.percent) * largest - near;
                is_won[1] |= level > 0.0 && low <= all + near && low > (all - level).max(own) + near + 1.0;
            }
        }
        measured.iter_mut().zip(is_won).for_each(|(measured, won)| *measured = Some(f64::from(won)));
    }
}
