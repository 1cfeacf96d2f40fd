//! Complementary suppression: the lightest set of cells to withhold so that an attacker's
//! interval of every primary cell is wide enough.
//!
//! ```text
//! minimise  sum of w_j s_j   over s in {0, 1}
//! so that   U_p(s) - L_p(s) >= width_p   and   s_p = 1   for every primary p,
//! ```
//!
//! `U_p(s)`, `L_p(s)` the largest and least whole number that cell `p` takes among all tables
//! with the cells that are not withheld. The attacker finds an interval that is too narrow
//! together with its proofs. Whatever pattern publishes all rows that the two proofs name leaks
//! as much, so one of them must be withheld: a clause. The lightest set that satisfies all
//! clauses found is a lower bound; when the attacker finds nothing more, it is the answer.
//! (Benders' scheme of Fischetti and Salazar 2000, with integer proofs for cuts.)

use std::collections::BTreeSet;

use crate::engine::linear_program::Limits;
use crate::planner::attack::{self, Subject, Violation};
use crate::planner::clauses::{Clause, lightest};
use crate::solver::Solver;
use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::interval::CountInterval;
use crate::table::knowledge::Knowledge;
use frechet_certificate::SparseTable;

/// Patterns attacked before the search gives up.
const MOST_ROUNDS: usize = 10_000;
/// How much harder the lightest pattern is looked for once one is known that protects.
const LAST_EFFORT: u32 = 20;

/// A sum that may be withheld.
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SuppressibleCell {
    /// The name of its row, as errors show it: attributes and labels, no data.
    pub name: String,
    /// What it counts.
    pub region: Region,
    /// The count.
    pub count: u64,
    /// What withholding it costs; the count itself is usual.
    pub weight: u64,
}

/// Debug output shows names and no count.
impl std::fmt::Debug for SuppressibleCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SuppressibleCell").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A cell that must be withheld and protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrimaryCell {
    /// Its position among the cells offered.
    pub cell: usize,
    /// The attacker's interval must be at least so wide, in counts.
    pub width: u64,
}

/// The cells to suppress. The choice depends on the counts and reveals something about them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SuppressionPattern {
    /// All withheld cells, in increasing order.
    pub withheld: Vec<usize>,
    /// Those that are not primary.
    pub secondary: Vec<usize>,
    /// Sum of the weights of the secondary cells.
    pub secondary_weight: u64,
    /// Whether no lighter pattern protects the primaries. `false` when a search reached its
    /// limit.
    pub is_lightest: bool,
}

/// The pattern of least weight that protects all primaries against anyone who knows `background`
/// and the cells that remain.
///
/// ```
/// use frechet_release::{Knowledge, Limits, PrimaryCell, Region, SuppressibleCell, suppress};
/// use privacy_core::{AttrSet, ContingencyTable, Domain};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let domain = Domain::of_cardinalities(&[2, 2])?;
/// let counts = ContingencyTable::from_cells(&domain, domain.all(), vec![9, 1, 7, 8])?;
/// let mut background = Knowledge::of_counts(domain)?;
/// for axis in 0..2 {
///     background.publish_margin(&counts.marginal(AttrSet::single(axis))?)?;
/// }
/// let cell = |(cell, &count): (usize, &u64)| SuppressibleCell {
///     name: format!("cell {cell}"),
///     region: Region::everything().with(0, [cell / 2]).with(1, [cell % 2]),
///     count,
///     weight: count,
/// };
/// let cells: Vec<SuppressibleCell> = counts.cells().iter().enumerate().map(cell).collect();
/// let sensitive = PrimaryCell { cell: 1, width: 3 }; // the count of 1
/// let pattern = suppress(&background, &cells, &[sensitive], &Limits::default())?;
/// assert_eq!(pattern.withheld, [0, 1, 2, 3]); // a single other cell would give it away
/// # Ok(())
/// # }
/// ```
///
/// # Guarantee
/// Kind: guarantee. Two tables of whole numbers with the same published numbers hold each
/// primary's count `width` apart.
///
/// # Errors
/// [`Error::CannotSuppress`]; [`Error::NoSuchLevel`] for a primary that was not offered or a
/// region outside the table; [`Error::NotInFiber`] and [`Error::Inconsistent`] when counts and
/// background contradict each other.
pub fn suppress(
    background: &Knowledge,
    cells: &[SuppressibleCell],
    primaries: &[PrimaryCell],
    limits: &Limits,
) -> Result<SuppressionPattern, Error> {
    suppress_until(background, cells, primaries, limits, &mut |_| Ok(Vec::new()))
}

/// Further disclosures that the pattern must prevent.
pub(crate) type Findings<'a> = &'a mut dyn FnMut(&mut Solver) -> Result<Vec<Violation>, Error>;

/// The pattern of least weight that protects all primaries, and with which nothing else is found
/// either.
pub(crate) fn suppress_until(
    background: &Knowledge,
    cells: &[SuppressibleCell],
    primaries: &[PrimaryCell],
    limits: &Limits,
    findings: Findings<'_>,
) -> Result<SuppressionPattern, Error> {
    if let Some(primary) = primaries.iter().find(|primary| primary.cell >= cells.len()) {
        return Err(Error::NoSuchLevel { axis: 0, level: primary.cell });
    }
    let own: BTreeSet<usize> = primaries.iter().map(|primary| primary.cell).collect();
    let weights: Vec<f64> = cells.iter().map(|cell| cell.weight as f64).collect();
    let mut clauses: Vec<Clause> = own.iter().map(|&cell| Clause { drop: vec![cell], keep: Vec::new() }).collect();
    let (mut tables, mut last, mut nodes) = (Vec::new(), String::new(), limits.nodes);
    for _ in 0..MOST_ROUNDS {
        limits.check_stop()?;
        let Some(choice) = lightest(&weights, &clauses, nodes, &limits.stop) else { break };
        let (withheld, kept): (Vec<usize>, Vec<usize>) = (0..cells.len()).partition(|&cell| choice.dropped[cell]);
        // The lightest set under all clauses so far is a lower bound on the weight of every
        // pattern that protects, so the first one that the attacker cannot use is the lightest
        // that protects.
        let mut solver = solver_of(background, cells, &kept, limits, &tables)?;
        let first = background.system.rows.len();
        let mut found = BTreeSet::new();
        for leak in leaks(&mut solver, cells, primaries, &withheld, &mut *findings)? {
            let named = |rows: BTreeSet<usize>| {
                rows.into_iter().filter_map(|row| kept.get(row.checked_sub(first)?).copied()).collect()
            };
            // Whatever publishes all rows of the proof has the same bound: one of them must be
            // withheld. Where a limit was reached there is no proof, and only some other set of
            // withheld cells helps.
            let clause = Clause { drop: leak.rows.map_or_else(|| kept.clone(), named), keep: leak.publishing };
            if clause.drop.is_empty() && clause.keep.is_empty() {
                return Err(Error::CannotSuppress { cell: leak.subject });
            }
            last = leak.subject;
            found.insert(clause);
        }
        if found.is_empty() && !choice.is_lightest && nodes == limits.nodes {
            // Good enough to protect; now for the lightest.
            nodes = nodes.saturating_mul(LAST_EFFORT);
            continue;
        }
        if found.is_empty() {
            let secondary: Vec<usize> = withheld.iter().copied().filter(|cell| !own.contains(cell)).collect();
            let secondary_weight = secondary.iter().map(|&cell| cells[cell].weight).sum();
            return Ok(SuppressionPattern { withheld, secondary, secondary_weight, is_lightest: choice.is_lightest });
        }
        tables = solver.met().to_vec();
        clauses.extend(found);
    }
    Err(Error::CannotSuppress { cell: last })
}

fn solver_of(
    background: &Knowledge,
    cells: &[SuppressibleCell],
    kept: &[usize],
    limits: &Limits,
    tables: &[SparseTable],
) -> Result<Solver, Error> {
    let mut knowledge = background.clone();
    for &cell in kept {
        knowledge.publish_count(cells[cell].name.clone(), &cells[cell].region, cells[cell].count)?;
    }
    if shares_no_cell(&knowledge, background.system.rows.len()) {
        knowledge.remember_statistic(background.system.rows.len()..knowledge.system.rows.len());
    }
    attack::solver(knowledge.bounded()?, limits, tables)
}

fn shares_no_cell(knowledge: &Knowledge, first: usize) -> bool {
    let mut cells: Vec<u32> =
        knowledge.system.rows[first..].iter().flat_map(|row| row.cells().iter().copied()).collect();
    cells.sort_unstable();
    cells.windows(2).all(|pair| pair[0] != pair[1])
}

/// A disclosure that the pattern must prevent.
struct Leak {
    /// The rows that prove it; `None` where a limit was reached.
    rows: Option<BTreeSet<usize>>,
    /// Withheld cells that would not be a leak if they were published.
    publishing: Vec<usize>,
    subject: String,
}

fn leaks(
    solver: &mut Solver,
    cells: &[SuppressibleCell],
    primaries: &[PrimaryCell],
    withheld: &[usize],
    findings: Findings<'_>,
) -> Result<Vec<Leak>, Error> {
    let mut leaks = Vec::new();
    for primary in primaries {
        let interval = solver.region(&cells[primary.cell].region)?;
        leaks.extend(too_narrow(&interval, primary.width).map(|rows| Leak {
            rows,
            publishing: Vec::new(),
            subject: cells[primary.cell].name.clone(),
        }));
    }
    for violation in findings(solver)? {
        let grid = &solver.knowledge().grid;
        let (class, subject) = match &violation.subject {
            Subject::Class(class) => (grid.cells_of(class), "a class of the audit".to_owned()),
            Subject::Difference(name) => (Vec::new(), name.clone()),
        };
        let mut publishing = Vec::new();
        for &cell in withheld.iter().filter(|_| violation.is_narrow || violation.rows.is_none()) {
            let own = cells[cell].region.cells(grid)?;
            if own.iter().all(|cell| class.binary_search(cell).is_ok()) {
                publishing.push(cell);
            }
        }
        leaks.push(Leak { rows: violation.rows, publishing, subject });
    }
    Ok(leaks)
}

/// `None` when two tables are far enough apart; else the rows that prove that none are, where
/// that is proved.
fn too_narrow(interval: &CountInterval, width: u64) -> Option<Option<BTreeSet<usize>>> {
    if reaches(interval.upper.witness.value - interval.lower.witness.value, width) {
        return None;
    }
    if reaches(interval.width(), width) {
        return Some(None);
    }
    let mut rows = interval.lower.proof.rows();
    rows.extend(interval.upper.proof.rows());
    Some(Some(rows))
}

fn reaches(found: i64, width: u64) -> bool {
    u64::try_from(found).is_ok_and(|found| found >= width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::class::Class;
    use privacy_core::Domain;

    #[test]
    fn a_table_of_totals_and_one_cell_cannot_protect_it() {
        let mut background = Knowledge::of_counts(Domain::of_cardinalities(&[2]).unwrap()).unwrap();
        let region = |level: usize| Region::from(&Class::cell([level]));
        background.publish_count("total", &Region::everything(), 9).unwrap();
        background.publish_count("other", &region(1), 5).unwrap();
        let cell = SuppressibleCell { name: "own".into(), region: region(0), count: 4, weight: 4 };
        let primary = PrimaryCell { cell: 0, width: 1 };
        let got = suppress(&background, &[cell], &[primary], &Limits::default());
        assert_eq!(got, Err(Error::CannotSuppress { cell: "own".into() }));
    }
}
