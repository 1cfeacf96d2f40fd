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

#[cfg(test)]
mod tests {
    use privacy_core::stop::StopFlag;
    use privacy_core::{ContingencyTable, Domain};

    use super::*;
    use crate::table::class::Region;
    use crate::table::knowledge::Knowledge;

    /// Each two of three cells hold one person together, which no whole numbers do, beside rows
    /// that have no part in it.
    fn odd_circle() -> System {
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[5]).unwrap()).unwrap();
        for (name, members) in [("a", [0, 1]), ("no part", [3, 4]), ("b", [0, 2]), ("c", [1, 2]), ("none", [0, 4])] {
            knowledge.publish_count(name, &Region::everything().with(0, members), 1).unwrap();
        }
        knowledge.system
    }

    #[test]
    fn rows_that_have_no_part_in_a_contradiction_are_left_out() {
        let error = explain(&odd_circle(), Vec::new(), &Limits::default());
        let rows = ["a", "b", "c"].map(String::from).to_vec();
        let positions = vec![0, 2, 3];
        assert_eq!(error, Error::Inconsistent { rows, positions, only_whole_numbers: true, irreducible: true });
    }

    #[test]
    fn however_few_steps_there_are_the_rows_named_contradict_each_other() {
        let system = odd_circle();
        let (mut undecided, mut named) = (0, [0, 0]);
        for steps in 0..12 {
            match explain(&system, Vec::new(), &Limits { steps, ..Limits::default() }) {
                Error::Undecided => undecided += 1,
                Error::Inconsistent { positions, irreducible, .. } => {
                    assert!([0, 2, 3].iter().all(|own| positions.contains(own)), "{steps}: {positions:?}");
                    assert!(!irreducible || positions == [0, 2, 3], "{steps}: {positions:?}");
                    named[usize::from(irreducible)] += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(undecided > 0 && named[1] > 0, "{undecided} {named:?}");
    }

    #[test]
    fn a_row_that_there_is_no_time_to_leave_out_stays() {
        // The contradiction is found before the deadline; whether fewer rows make one is not.
        let (mut undecided, mut kept) = (0, 0);
        for looks in 0..60 {
            let limits = Limits { deadline: StopFlag::set_after(looks), ..Limits::default() };
            match explain(&odd_circle(), Vec::new(), &limits) {
                Error::Undecided => undecided += 1,
                Error::Inconsistent { positions, irreducible, .. } => {
                    assert!([0, 2, 3].iter().all(|own| positions.contains(own)), "{looks}: {positions:?}");
                    assert!(!irreducible || positions == [0, 2, 3], "{looks}: {positions:?}");
                    kept += usize::from(!irreducible && positions.len() == 5);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(undecided > 0 && kept > 0, "{undecided} {kept}");
    }

    #[test]
    fn a_row_that_asks_for_everybody_is_no_contradiction() {
        let domain = Domain::of_cardinalities(&[2]).unwrap();
        let people = ContingencyTable::from_cells(&domain, domain.all(), vec![2, 3]).unwrap();
        for (count, is_contradiction) in [(5, false), (6, true)] {
            let mut knowledge = Knowledge::with_population(domain.clone(), &people).unwrap();
            knowledge.publish_count("all", &Region::everything(), count).unwrap();
            let error = explain(&knowledge.system, Vec::new(), &Limits::default());
            assert_eq!(matches!(error, Error::Inconsistent { .. }), is_contradiction, "{count}: {error:?}");
        }
    }
}
