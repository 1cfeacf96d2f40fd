//! Which rows contradict each other: a set that no table satisfies, though every smaller one can
//! be satisfied.
//!
//! A contradiction comes with multipliers (Farkas): the rows they name are a first set. Then rows
//! are left out one by one as long as the rest still contradict each other. Where a limit keeps
//! that from being decided, the row stays and the error says so.

use crate::engine::branch_and_bound::{BranchAndBound, Branching};
use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome};
use crate::table::error::Error;
use crate::table::system::System;

enum Feasibility {
    Feasible,
    Empty { rows: Vec<usize>, only_whole_numbers: bool },
    Unknown,
}

/// The error that names the rows of `suspects` in conflict; [`Error::Undecided`] if they are not
/// found to conflict.
pub(crate) fn explain(system: &System, mut suspects: Vec<usize>, limits: &Limits) -> Error {
    if suspects.is_empty() {
        suspects = (0..system.rows.len()).collect();
    }
    suspects.sort_unstable();
    suspects.dedup();
    let (mut rows, mut only_whole_numbers) = match feasibility(system, &suspects, limits) {
        Feasibility::Empty { rows, only_whole_numbers } => (rows, only_whole_numbers),
        _ if limits.stop.is_set() => return Error::Stopped,
        Feasibility::Feasible | Feasibility::Unknown => return Error::Undecided,
    };
    let mut irreducible = true;
    let mut place = 0;
    while place < rows.len() {
        if limits.stop.is_set() {
            return Error::Stopped;
        }
        // Deletion filter: a row without which the rest still contradicts itself is not needed.
        // One pass is enough, since a row that was needed once is needed by every subset that
        // follows.
        let mut fewer = rows.clone();
        fewer.remove(place);
        match feasibility(system, &fewer, limits) {
            // The smaller set may be much smaller; what was kept so far is needed, so it is still
            // there, in order.
            Feasibility::Empty { rows: smaller, only_whole_numbers: whole } => {
                (rows, only_whole_numbers) = (smaller, whole);
            }
            Feasibility::Feasible => place += 1,
            Feasibility::Unknown => {
                irreducible = false;
                place += 1;
            }
        }
    }
    let names = rows.iter().map(|&row| system.rows[row].name().to_owned()).collect();
    Error::Inconsistent { rows: names, positions: rows, only_whole_numbers, irreducible }
}

/// Whether tables satisfy these rows alone; if not, the rows that a proof names, in order.
fn feasibility(system: &System, rows: &[usize], limits: &Limits) -> Feasibility {
    let part =
        System { capacity: system.capacity.clone(), rows: rows.iter().map(|&row| system.rows[row].clone()).collect() };
    // One-cell rows beyond a capacity leave an empty box, which the solver must not see.
    for (place, row) in part.rows.iter().enumerate() {
        let most: i128 = row.cells().iter().map(|&cell| i128::from(part.capacity[cell as usize])).sum();
        if i128::from(row.lower()) > most {
            return Feasibility::Empty { rows: vec![rows[place]], only_whole_numbers: false };
        }
    }
    let Ok(mut program) = LinearProgram::all_rows(part, limits) else { return Feasibility::Unknown };
    let point = match program.maximise(&[], 1) {
        LpOutcome::Empty(dual) => {
            let named = dual.numerators.iter().map(|&(row, _)| rows[row]).collect();
            return Feasibility::Empty { rows: named, only_whole_numbers: false };
        }
        LpOutcome::Stalled => return Feasibility::Unknown,
        LpOutcome::Point(point) => point,
    };
    if program.table(&point).is_some() {
        return Feasibility::Feasible;
    }
    let mut search = BranchAndBound::for_any(&mut program, limits, Branching::Half);
    match search.run() {
        Some(_) => Feasibility::Empty { rows: rows.to_vec(), only_whole_numbers: true },
        None if search.found.is_empty() => Feasibility::Unknown,
        None => Feasibility::Feasible,
    }
}
