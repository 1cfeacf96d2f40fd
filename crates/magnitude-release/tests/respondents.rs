//! Every respondent, alone or with another, against every withheld cell of released tables, with a
//! linear program of their own (`microlp`); and against releases with a fault, which they must
//! break.

use crate::support::Draws;
use magnitude_release::{Axis, Cube, Error, MagnitudeTable, Record, SensitivityRule, Share, SuppressionProblem, plan};
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem};

/// Per cent of the rule.
const PERCENT: f64 = 10.0;
const FIRMS: u32 = 14;

/// What the plan does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Singletons and other respondents are not taken for attackers.
    ReadersOnly,
    /// Sensitive cells are withheld, and nothing to protect them.
    SensitiveOnly,
    /// Sensitive cells, and further ones until no line has only one withheld cell.
    TwoInEveryLine,
    /// The plants of a holding are taken for several respondents.
    RowsForRespondents,
}

fn records(shape: &[usize], draws: &mut Draws) -> Vec<Record> {
    let mut records = Vec::new();
    for respondent in 0..FIRMS {
        // One in four is a holding with two plants.
        for _ in 0..1 + usize::from(draws.below(4) == 0) {
            let leaves = shape.iter().map(|&size| draws.below(size)).collect();
            let amount = (50.0 * (1.0 - draws.next()).powf(-0.8)).min(1e6) as i64;
            records.push(Record { leaves, respondent, amount });
        }
    }
    records
}

fn rule(coalition: usize) -> SensitivityRule {
    SensitivityRule::new(Some(Share::of_percent("p", PERCENT).unwrap()), vec![], None, coalition).unwrap()
}

fn table(shape: &[usize], records: &[Record]) -> MagnitudeTable {
    let axis = |size: usize| Axis::flat("axis", "total", (0..size).map(|level| level.to_string())).unwrap();
    let cube = Cube::new(shape.iter().map(|&size| axis(size)).collect()).unwrap();
    MagnitudeTable::from_records(cube, records).unwrap()
}

/// The pattern of the mechanism, or of one with a fault; `None` where a table cannot be protected.
fn pattern(table: &MagnitudeTable, records: &[Record], together: usize, fault: Option<Fault>) -> Option<Vec<bool>> {
    let rule = rule(if fault == Some(Fault::ReadersOnly) { 0 } else { together });
    let sensitive = (0..table.cube().cells()).map(|cell| rule.is_sensitive(table.contributions(cell))).collect();
    match fault {
        Some(Fault::SensitiveOnly) => return Some(sensitive),
        Some(Fault::TwoInEveryLine) => return Some(two_in_every_line(table, sensitive)),
        _ => {}
    }
    let apart = (0_u32..).zip(records).map(|(respondent, record)| Record { respondent, ..record.clone() });
    let apart = MagnitudeTable::from_records(table.cube().clone(), &apart.collect::<Vec<_>>()).unwrap();
    let planned = if fault == Some(Fault::RowsForRespondents) { &apart } else { table };
    match plan(&SuppressionProblem::new(planned, &rule)) {
        Ok(plan) => Some(plan.is_withheld()),
        Err(Error::Unprotectable { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn two_in_every_line(table: &MagnitudeTable, mut is_withheld: Vec<bool>) -> Vec<bool> {
    let amounts = table.additive().amounts();
    loop {
        let mut relations = table.additive().relations().iter();
        let lonely = relations.find(|own| own.terms.iter().filter(|term| is_withheld[term.0]).count() == 1);
        let Some(relation) = lonely else { return is_withheld };
        let others = relation.terms.iter().filter(|term| !is_withheld[term.0]).map(|term| term.0);
        match others.min_by_key(|&cell| (amounts[cell] == 0, amounts[cell])) {
            Some(cell) => is_withheld[cell] = true,
            None => return is_withheld,
        }
    }
}

/// The most that a coalition thinks a withheld cell can hold, from the published cells, the sums
/// and its own amounts.
fn most(table: &MagnitudeTable, is_withheld: &[bool], coalition: &[u32], target: usize) -> f64 {
    let amounts = table.additive().amounts();
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<_> = (0..amounts.len())
        .map(|cell| {
            let contributions = table.contributions(cell);
            let own = contributions.iter().filter(|own| coalition.contains(&own.respondent));
            let (members, known) = own.fold((0, 0), |(members, sum), own| (members + 1, sum + own.amount));
            let range = match (is_withheld[cell], members == contributions.len()) {
                (false, _) => (amounts[cell] as f64, amounts[cell] as f64),
                (true, true) => (known as f64, known as f64),
                (true, false) => (known as f64, 1e9),
            };
            program.add_var(f64::from(u8::from(cell == target)), range)
        })
        .collect();
    for relation in table.additive().relations() {
        let mut sum = LinearExpr::empty();
        relation.terms.iter().for_each(|&(cell, taken)| sum.add(variables[cell], if taken { -1.0 } else { 1.0 }));
        program.add_constraint(sum, ComparisonOp::Eq, 0.0);
    }
    program.solve().unwrap().solution().map_or(f64::INFINITY, microlp::Solution::objective)
}

/// Whether a coalition of at most this many estimates somebody's amount in a withheld cell from
/// above to within p %.
fn is_broken(table: &MagnitudeTable, is_withheld: &[bool], together: usize) -> bool {
    let singles = (0..FIRMS).map(|one| vec![one]);
    let pairs = (0..FIRMS).flat_map(|one| (0..one).map(move |other| vec![other, one])).filter(|_| together > 1);
    let mut coalitions = std::iter::once(Vec::new()).chain(singles).chain(pairs);
    coalitions.any(|coalition| {
        (0..is_withheld.len()).filter(|&cell: &usize| is_withheld[cell]).any(|cell| {
            let contributions = table.contributions(cell);
            let others: Vec<i64> =
                contributions.iter().filter(|own| !coalition.contains(&own.respondent)).map(|own| own.amount).collect();
            let Some(&largest) = others.first().filter(|&&largest| largest > 0) else { return false };
            let own = contributions.iter().map(|own| own.amount).sum::<i64>() - others.iter().sum::<i64>();
            let estimate = most(table, is_withheld, &coalition, cell) - own as f64;
            estimate < (1.0 + PERCENT / 100.0) * largest as f64 - 1e-3
        })
    })
}

/// In how many of some tables the attackers win.
fn broken(together: usize, fault: Option<Fault>, tables: u64) -> usize {
    let shapes: [&[usize]; 4] = [&[3, 3], &[2, 4], &[4], &[2, 2, 2]];
    let mut broken = 0;
    for seed in 0..tables {
        let shape = shapes[usize::try_from(seed).unwrap() % shapes.len()];
        let records = records(shape, &mut Draws(seed + 1));
        let table = table(shape, &records);
        if let Some(is_withheld) = pattern(&table, &records, together, fault) {
            broken += usize::from(is_broken(&table, &is_withheld, together));
        }
    }
    broken
}

#[test]
fn no_respondent_comes_closer_than_the_rule_allows() {
    assert_eq!(broken(1, None, 32), 0);
}

#[test]
fn no_two_respondents_do() {
    assert_eq!(broken(2, None, 8), 0);
}

#[test]
fn patterns_that_ignore_respondents_are_broken_by_them() {
    for fault in [Fault::ReadersOnly, Fault::SensitiveOnly, Fault::TwoInEveryLine, Fault::RowsForRespondents] {
        let broken = broken(1, Some(fault), 24);
        assert!(broken >= 1, "{fault:?}: {broken} of 24");
    }
}
