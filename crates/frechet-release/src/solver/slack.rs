//! How far contradictory numbers are from consistency, and what they reveal once that much slack
//! is granted.
//!
//! `D` people, `e+` and `e-` what a row counts too little and too much. Numbers fit within `D`
//! when there is a table `x` with
//!
//! ```text
//! lower_i <= (A x)_i + e-_i - e+_i <= upper_i,      sum over the rows of one statistic of (e+ + e-) <= D .
//! ```
//!
//! A margin is one statistic, as is every other row; the population table is granted nothing.
//! With `z = D - e+` all entries are 0 and 1 again: `A x + e- + z` lies within
//! `lower + D ..= upper + D`, and `z + e+ = D`. What fits within `D` fits within `D + 1`, so the
//! least is found by doubling, then halving.

use std::ops::Range;

use crate::engine::branch_and_bound::{BranchAndBound, Branching};
use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome};
use crate::solver::check_bounded;
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::{NO_CAPACITY, System};
use frechet_certificate::{Ratio, Row, Side};

/// The least slack within which contradictory numbers are consistent, and the intervals there.
pub struct Slack {
    knowledge: Knowledge,
    program: LinearProgram,
    people: i64,
    limits: Limits,
}

impl Slack {
    /// The least slack at which a table of whole numbers fits: the apparent inconsistency. 0 for
    /// numbers that agree.
    ///
    /// # Errors
    /// [`Error::Unbounded`] and [`Error::TooLargeTogether`]; [`Error::TooLarge`] when a number
    /// and the slack tried pass 2^53; [`Error::TooManyRows`], with two rows and three cells more
    /// for each row; [`Error::Undecided`] at the limits.
    pub fn least(knowledge: Knowledge, limits: &Limits) -> Result<Self, Error> {
        check_bounded(&knowledge)?;
        let most = most(&knowledge);
        let (mut too_little, mut enough) = (-1, most);
        while enough - too_little > 1 {
            // Doubled until something fits: rows hold numbers and slack together, so slack is
            // kept small.
            let people = if enough == most { 2 * too_little + 2 } else { too_little + (enough - too_little) / 2 };
            let people = people.min(enough - 1);
            match fits(&knowledge, people, limits)? {
                true => enough = people,
                false => too_little = people,
            }
        }
        Self::of(knowledge, enough, limits)
    }

    /// What the numbers reveal when each margin or number may be off by this many people.
    ///
    /// # Errors
    /// As [`Slack::least`]; [`Error::Inconsistent`] when they do not fit even so.
    pub fn within(knowledge: Knowledge, people: u64, limits: &Limits) -> Result<Self, Error> {
        check_bounded(&knowledge)?;
        let people = i64::try_from(people).unwrap_or(NO_CAPACITY).min(most(&knowledge));
        if !fits(&knowledge, people, limits)? {
            return Err(crate::engine::conflict::explain(&knowledge.system, Vec::new(), limits));
        }
        Self::of(knowledge, people, limits)
    }

    fn of(knowledge: Knowledge, people: i64, limits: &Limits) -> Result<Self, Error> {
        let program = LinearProgram::all_rows(loosened(&knowledge, people)?, limits)?;
        Ok(Self { knowledge, program, people, limits: limits.clone() })
    }

    /// The slack, in people, of each margin or number.
    #[must_use]
    pub fn people(&self) -> i64 {
        self.people
    }

    /// The same as a share of everybody, where the population table is public and not empty.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let all = self.knowledge.people(privacy_core::AttrSet::EMPTY)?[0];
        (all > 0).then(|| self.people as f64 / all as f64)
    }

    /// The least and the largest count of a class over all tables that fit within the slack:
    /// proved by a linear program, rounded to whole numbers, and not always attained.
    ///
    /// # Errors
    /// [`Error::LevelCount`] and [`Error::NoSuchLevel`]; [`Error::Undecided`] at the limits.
    pub fn window(&mut self, class: &Class) -> Result<(i64, i64), Error> {
        class.checked(&self.knowledge.grid)?;
        let cells = self.knowledge.grid.cells_of(class);
        Ok((self.end(&cells, Side::Lower)?.ceil(), self.end(&cells, Side::Upper)?.floor()))
    }

    fn end(&mut self, cells: &[u32], side: Side) -> Result<Ratio, Error> {
        match self.program.maximise(cells, side.sign()) {
            LpOutcome::Point(_) => {
                let proved = self.program.prove(cells, side.sign());
                proved.map(|(_, relaxed)| relaxed).ok_or(Error::Undecided)
            }
            _ => self.limits.check_stop().and(Err(Error::Undecided)),
        }
    }
}

/// Within this much everything fits: the table may be any that the population table allows.
fn most(knowledge: &Knowledge) -> i64 {
    let rows = &knowledge.system.rows;
    let everybody = knowledge.people(privacy_core::AttrSet::EMPTY).map_or(0, |people| people[0]);
    statistics(knowledge)
        .into_iter()
        .map(|statistic: Range<usize>| rows[statistic].iter().map(Row::lower).sum::<i64>())
        .max()
        .unwrap_or(0)
        .saturating_add(everybody)
}

/// The rows of each margin or number, without those of the population table.
fn statistics(knowledge: &Knowledge) -> Vec<Range<usize>> {
    let rows = &knowledge.system.rows;
    let first = rows.len() - knowledge.published_rows().len();
    let mut statistics = Vec::new();
    let mut row = first;
    while row < rows.len() {
        let margin = knowledge.margins.iter().find(|margin| margin.first_row == row);
        let end = row + margin.map_or(1, |margin| knowledge.grid.classes(margin.axes));
        statistics.push(row..end);
        row = end;
    }
    statistics
}

fn fits(knowledge: &Knowledge, people: i64, limits: &Limits) -> Result<bool, Error> {
    let system = loosened(knowledge, people)?;
    // Rows beyond what their cells can hold leave an empty box, which the solver must not see.
    if system.rows.iter().any(|row| i128::from(row.lower()) > held_by_all(row, &system.capacity)) {
        return Ok(false);
    }
    let mut program = LinearProgram::all_rows(system, limits)?;
    let mut search = BranchAndBound::for_any(&mut program, limits, Branching::Half);
    let is_refuted = search.run().is_some();
    match (search.found.is_empty(), is_refuted) {
        (false, _) => Ok(true),
        (true, true) => Ok(false),
        (true, false) => limits.check_stop().and(Err(Error::Undecided)),
    }
}

/// What the cells of a row can hold together.
fn held_by_all(row: &Row, capacity: &[i64]) -> i128 {
    row.cells().iter().map(|&cell| i128::from(capacity[cell as usize])).sum()
}

/// The rows with three cells more for each that may be off: `e-`, `z` and `e+`.
fn loosened(knowledge: &Knowledge, people: i64) -> Result<System, Error> {
    let mut system = knowledge.system.clone();
    for statistic in statistics(knowledge) {
        let mut spent = Vec::new();
        for row in statistic {
            let first = u32::try_from(system.capacity.len()).map_err(|_| Error::TooManyCells { limit: 1 << 32 })?;
            let (missing, rest, surplus) = (first, first + 1, first + 2);
            system.capacity.extend([people; 3]);
            let old = &system.rows[row];
            let cells = old.cells().iter().copied().chain([missing, rest]).collect();
            if old.lower() + people > NO_CAPACITY {
                return Err(Error::TooLarge { row: old.name().to_owned() });
            }
            // An upper end may pass 2^53: there it says nothing.
            system.rows[row] = Row::new(old.name(), cells, old.lower() + people, old.upper() + people);
            system.rows.push(Row::new("slack", vec![rest, surplus], people, people));
            spent.extend([missing, surplus]);
        }
        system.rows.push(Row::new("slack of a statistic", spent, 0, people));
    }
    Ok(system)
}
