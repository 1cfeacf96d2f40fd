//! Rows whose label is proved: no other label agrees with the released counts.
//!
//! The rows of each class in each unit are the cells of an unknown table with a public
//! composition, and every interval is a row of [`frechet_release::Knowledge`]. A cell whose least
//! value is all rows of its unit exposes them. Bounds come with multipliers that are checked in
//! exact arithmetic; the solver in floating point only finds them.

use frechet_release::{Class, Knowledge, Region, Solver};
use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::guess::LabelGuess;
use crate::limits::AttackLimits;
use crate::problem::{Evidence, LabelProblem};
use crate::view::LabelView;

/// A row and the only label that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ExposedRow {
    /// The row, from 0.
    pub row: usize,
    /// Its label.
    pub label: u32,
}

/// Rows that are proved, and how many were tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Exposed {
    /// Proved rows, in order.
    ///
    /// Kind: **guarantee**, given that the release followed its rule. No other label of such a
    /// row agrees with the view.
    pub rows: Vec<ExposedRow>,
    /// Rows that were tried. What was tried and is not in the list was not proved, which does not
    /// say that it is safe.
    pub tried: usize,
}

/// Tries to prove the labels that a guess is most confident of.
///
/// Nothing is tried where the problem is larger than the limits allow or the guess is about other
/// rows, and nothing fails: a proof that is not found is missing. Once the flag of `limits` is
/// set, no further row is tried.
#[must_use]
pub fn exposed_rows(view: &LabelView, evidence: Evidence, guess: &LabelGuess, limits: &AttackLimits) -> Exposed {
    let mut exposed = Exposed::default();
    let Ok(problem) = LabelProblem::until(view, evidence, &limits.stop) else {
        return exposed;
    };
    let rows = problem.unit_of_row.len();
    let are_classes = guess.labels.iter().all(|&label| (label as usize) < problem.shares.len());
    let is_about_these = are_classes && guess.labels.len() == rows && guess.confidence.len() == rows;
    if problem.sets() > limits.proof_sets || problem.sets.is_empty() || !is_about_these {
        return exposed;
    }
    // One class against the rest: what ties three classes together beyond their sums is not used.
    // Made when first asked.
    let mut solvers: Vec<Option<Option<Solver>>> = (0..problem.layers).map(|_| None).collect();
    // The rows of a unit stand or fall together.
    let mut verdicts = vec![None; problem.units()];
    for row in guess.ranking().into_iter().take(limits.proofs).take_while(|_| !limits.stop.is_set()) {
        let (unit, label) = (problem.unit_of_row[row] as usize, guess.labels[row]);
        // The first of two classes is what the second leaves.
        let (layer, is_rest) = problem.layer_of(label).map_or((0, true), |layer| (layer, false));
        let solver = solvers[layer].get_or_insert_with(|| solver(&problem, layer, limits));
        exposed.tried += usize::from(solver.is_some());
        if *verdicts[unit].get_or_insert_with(|| {
            let size = if is_rest { 0 } else { i64::from(problem.sizes[unit]) };
            let found = solver.as_mut().and_then(|solver| solver.interval(&Class::cell([unit])).ok());
            found.is_some_and(|found| (found.lower.value, found.upper.value) == (size, size))
        }) {
            exposed.rows.push(ExposedRow { row, label });
        }
    }
    exposed.rows.sort_unstable_by_key(|exposed| exposed.row);
    exposed
}

/// The intervals of one layer as knowledge about a table of units.
fn solver(problem: &LabelProblem, layer: usize, limits: &AttackLimits) -> Option<Solver> {
    let sizes: Vec<u64> = problem.sizes.iter().map(|&size| u64::from(size)).collect();
    let domain = Domain::of_cardinalities(&[problem.units()]).ok()?;
    let people = ContingencyTable::from_cells(&domain, AttrSet::single(0), sizes).ok()?;
    let mut knowledge = Knowledge::with_population(domain, &people).ok()?;
    for (set, members) in problem.sets.sets().enumerate() {
        let bounds = problem.bounds[set * problem.layers + layer];
        let members: Vec<usize> = members.iter().map(|&unit| unit as usize).collect();
        let (lower, upper) = (u64::try_from(bounds.lower).ok()?, u64::try_from(bounds.upper).ok()?);
        knowledge.publish_range("released count", &Region::everything().with(0, members), lower, upper).ok()?;
    }
    let work = frechet_release::Limits {
        steps: limits.proof_steps,
        nodes: 0,
        rows: limits.proof_sets,
        stop: limits.stop.clone(),
        ..Default::default()
    };
    Solver::new(knowledge, work).ok()
}
