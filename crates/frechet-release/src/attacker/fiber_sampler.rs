//! A Markov chain over the fiber: the posterior of an attacker with a prior.
//!
//! Each step draws along a move that leaves every exact row alone, and within the ranges of the
//! others: swaps and larger block moves where margins allow them, one person between cells that
//! are in the same rows, and differences of tables found by the solver. It goes as far along the
//! move as the prior allows (`slice.rs`), so large counts take no more steps than small ones. The
//! chain reaches every table where that is proved; elsewhere it may stay in a part of the fiber,
//! and says so. Whether it has run long enough is another question:
//! [`has_converged`](crate::has_converged) compares two chains that started far apart.
//!
//! Source: Diaconis and Sturmfels (1998); swaps connect the fibers of decomposable margins: Dobra
//! (2003).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use privacy_core::rng::{SimRng, below};
use privacy_core::stop::StopFlag;
use rand_core::Rng;

use crate::attacker::noised::evidence::Evidence;
use crate::attacker::slice::SliceLine;
use crate::engine::linear_program::MOST_SMALL;
use crate::engine::markov_moves::BlockMoves;
use crate::solver::Solver;
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::system::System;
use frechet_certificate::{Row, SparseTable};

/// Known tables whose differences become moves.
const MOST_TABLES: usize = 64;
/// Seeds the way from the solver's table to the first one.
const SEED: u64 = 0;
/// Cells whose bounds are computed to find a distant table.
const PROBES: usize = 16;

/// The prior of an attacker, before the numbers are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Prior {
    /// Every table is equally likely.
    Tables,
    /// Every assignment of people is equally likely: a table weighs
    /// `product of binomial(N_e, x_e)` with capacities, and `1 / product of x_e!` without.
    People,
}

/// Whether the chain is known to reach every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Connectivity {
    /// Swaps reach every table (decomposable margins, nothing else known), or there is one
    /// direction only.
    Proved,
    /// Not proved: the draws may come from a part of the fiber.
    NotProved,
}

/// A Markov chain over the fiber, and its current table.
#[derive(Clone)]
pub struct FiberSampler {
    grid: Grid,
    capacity: Vec<i64>,
    prior: Prior,
    proposals: Proposals,
    /// Rows known as ranges.
    ranges: Vec<Row>,
    connectivity: Connectivity,
    table: Vec<i64>,
    stop: StopFlag,
}

impl FiberSampler {
    /// A chain that starts at a table that the solver knows. Where swaps do not suffice, the
    /// bounds of all cells are found first: differences of their witnesses are moves. In tables of
    /// more than 1,024 cells that would take long. There the chain starts from a table to which
    /// ways lead from that of the solver, and has block moves alone.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// Never: a solver knows a table.
    pub fn new(solver: &mut Solver, prior: Prior) -> Result<Self, Error> {
        let moves = BlockMoves::of(solver.knowledge());
        let by_swaps = solver.is_decomposable() && moves.as_ref().is_some_and(BlockMoves::is_complete_for_swaps);
        let is_large = solver.knowledge().grid.cells() > MOST_SMALL && moves.is_some();
        if !by_swaps && !is_large {
            solver.explore()?;
        }
        let tables = solver.tables()?;
        let knowledge = solver.knowledge();
        let is_line = solver.is_line();
        let connectivity = if by_swaps || is_line { Connectivity::Proved } else { Connectivity::NotProved };
        let mut table = tables.first().expect("a solver knows a table").to_dense(knowledge.grid.cells());
        if let Some(moves) = moves.as_ref().filter(|_| is_large && !by_swaps) {
            // The solver's table is a corner: most of its counts are 0, and next to no move is
            // possible.
            let (mut rng, end) = (SimRng::for_trial(SEED, "from a corner", 0), solver.limits().search_end());
            let ways = table.len();
            moves.roam(&mut table, &knowledge.system, ways, (&mut rng, &end));
        }
        let stop = solver.limits().stop.clone();
        let (grid, capacity) = (knowledge.grid.clone(), knowledge.system.capacity.clone());
        // Swaps suffice where they are proved to.
        let ranges: Vec<Row> = knowledge.system.rows.iter().filter(|row| !row.is_exact()).cloned().collect();
        let mut cells = if by_swaps { BTreeSet::new() } else { differences(&tables, knowledge.grid.cells()) };
        cells.extend(if by_swaps { Vec::new() } else { twins(&knowledge.system) });
        let differences = cells.into_iter().map(|cells| Difference::new(cells, &ranges)).collect();
        let proposals = Proposals { moves, differences };
        Ok(Self { grid, capacity, prior, proposals, ranges, connectivity, table, stop })
    }

    /// Two chains that start as far apart as tables are known to be: where they agree after a
    /// while, neither is still near its start.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    pub fn apart(solver: &mut Solver, prior: Prior) -> Result<[Self; 2], Error> {
        let first = Self::new(solver, prior)?;
        let mut tables = solver.tables()?;
        let cells = first.grid.cells();
        for probe in 0..PROBES.min(cells) {
            let cell = first.grid.levels(probe * cells / PROBES.min(cells), first.grid.all());
            let interval = solver.interval(&Class::cell(cell))?;
            tables.extend([interval.lower.witness.table, interval.upper.witness.table]);
        }
        let dense = tables.iter().map(|table| table.to_dense(cells));
        let furthest = dense.max_by_key(|table| distance(&first.table, table));
        let second = Self { table: furthest.unwrap_or_else(|| first.table.clone()), ..first.clone() };
        Ok([first, second])
    }

    /// Whether the chain is known to reach every table.
    #[must_use]
    pub fn connectivity(&self) -> Connectivity {
        self.connectivity
    }

    /// The current table, row-major.
    #[must_use]
    pub fn table(&self) -> &[i64] {
        &self.table
    }

    /// One draw along a random move. Logarithmic in how far the move goes.
    pub fn step(&mut self, rng: &mut SimRng) {
        self.step_by(None, rng);
    }

    /// The same where tables weigh by the likelihood of noisy numbers besides. `evidence` is that
    /// of the current table, and is kept so.
    pub(crate) fn step_beside(&mut self, evidence: &mut Evidence<'_>, rng: &mut SimRng) {
        self.step_by(Some(evidence), rng);
    }

    fn step_by(&mut self, evidence: Option<&mut Evidence<'_>>, rng: &mut SimRng) {
        let Some(difference) = self.proposals.draw(self.table.len(), rng) else { return };
        let cells = &difference.cells;
        let rooms: Vec<(i64, i64, i64)> = difference
            .rows
            .iter()
            .map(|&(row, change): &(usize, i64)| {
                let row = &self.ranges[row];
                let sum: i64 = row.cells().iter().map(|&cell| self.table[cell as usize]).sum();
                (sum - row.lower(), row.upper() - sum, change)
            })
            .collect();
        let is_weighted = self.prior == Prior::People;
        let (table, capacity) = (&self.table, &self.capacity);
        let line = evidence.as_ref().map(|evidence| evidence.line(cells));
        let slice = SliceLine { table, capacity, cells, rows: &rooms, is_weighted, evidence: line.as_ref() };
        let steps = slice.draw(rng);
        if let (Some(evidence), Some(line)) = (evidence, &line) {
            evidence.go(line, steps);
        }
        cells.iter().for_each(|&(cell, change)| self.table[cell] += steps * change);
    }

    /// Puts the chain at another table of the fiber: one that it came from.
    pub(crate) fn return_to(&mut self, table: Vec<i64>) {
        self.table = table;
    }

    /// Takes this many steps.
    ///
    /// # Errors
    /// [`Error::Stopped`], by the flag of the solver that the sampler was made from.
    pub fn advance(&mut self, steps: u64, rng: &mut SimRng) -> Result<(), Error> {
        for _ in 0..steps {
            if self.stop.is_set() {
                return Err(Error::Stopped);
            }
            self.step(rng);
        }
        Ok(())
    }

    /// How often a class had each count over `draws` draws, with `thin` steps between two draws.
    ///
    /// # Errors
    /// [`Error::LevelCount`] and [`Error::NoSuchLevel`]; as [`FiberSampler::advance`].
    pub fn frequencies(
        &mut self,
        class: &Class,
        draws: u64,
        thin: u64,
        rng: &mut SimRng,
    ) -> Result<BTreeMap<i64, u64>, Error> {
        class.checked(&self.grid)?;
        let cells = self.grid.cells_of(class);
        let mut seen = BTreeMap::new();
        for _ in 0..draws {
            self.advance(thin, rng)?;
            let count: i64 = cells.iter().map(|&cell| self.table[cell as usize]).sum();
            *seen.entry(count).or_insert(0) += 1;
        }
        Ok(seen)
    }
}

/// How many counts differ, added up over the cells.
fn distance(one: &[i64], other: &[i64]) -> i128 {
    one.iter().zip(other).map(|(&x, &y)| i128::from((x - y).abs())).sum()
}

/// Moves that a chain draws from.
#[derive(Clone)]
struct Proposals {
    moves: Option<BlockMoves>,
    differences: Vec<Difference>,
}

impl Proposals {
    /// A move that does not depend on the current table, so that the line is equally likely to be
    /// chosen from any of its tables.
    fn draw(&self, cells: usize, rng: &mut SimRng) -> Option<Cow<'_, Difference>> {
        // The choice of a move must not look at the table: then the step and its reverse are
        // equally likely proposals, and the slice leaves the prior as it is.
        let by_difference = !self.differences.is_empty() && (self.moves.is_none() || rng.next_u64() & 1 == 1);
        if by_difference {
            return Some(Cow::Borrowed(&self.differences[below(self.differences.len(), rng)]));
        }
        let e = below(cells, rng);
        let cells = self.moves.as_ref()?.blindly(e, rng)?;
        Some(Cow::Owned(Difference { cells, rows: Vec::new() }))
    }
}

/// A move: it leaves the rows known exactly alone, and may change those known as ranges.
#[derive(Clone)]
struct Difference {
    /// Cells and their changes.
    cells: Vec<(usize, i64)>,
    /// Positions among the ranges, and the changes of their sums.
    rows: Vec<(usize, i64)>,
}

impl Difference {
    fn new(cells: Vec<(usize, i64)>, ranges: &[Row]) -> Self {
        let changes = ranges.iter().map(|row| change_of(row, &cells)).enumerate();
        let rows = changes.filter(|&(_, change)| change != 0).collect();
        Self { cells, rows }
    }
}

/// The change of a row's sum by a move.
fn change_of(row: &Row, cells: &[(usize, i64)]) -> i64 {
    let own = cells.iter().filter(|(cell, _)| u32::try_from(*cell).is_ok_and(|cell| row.contains(cell)));
    own.map(|(_, change)| change).sum()
}

/// One person from a cell to the next that is in the same rows known exactly; or one more, where
/// there is no such row.
fn twins(system: &System) -> Vec<Vec<(usize, i64)>> {
    let exact = (0..system.rows.len()).filter(|&row| system.rows[row].is_exact());
    let mut alike: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for (cell, rows) in system.rows_by_cell(exact).into_iter().enumerate() {
        alike.entry(rows).or_default().push(cell);
    }
    let pairs = alike.values().flat_map(|cells| cells.windows(2).map(|pair| vec![(pair[0], 1), (pair[1], -1)]));
    let free = alike.get(&Vec::new()).into_iter().flatten().map(|&cell| vec![(cell, 1)]);
    pairs.chain(free).collect()
}

/// Debug output shows no table: it may be the true one.
impl std::fmt::Debug for FiberSampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FiberSampler").field("connectivity", &self.connectivity).finish_non_exhaustive()
    }
}

/// Differences of pairs of tables, divided by their greatest common divisor, each direction once.
fn differences(tables: &[SparseTable], cells: usize) -> BTreeSet<Vec<(usize, i64)>> {
    let dense: Vec<Vec<i64>> = tables.iter().take(MOST_TABLES).map(|table| table.to_dense(cells)).collect();
    let mut found = BTreeSet::new();
    let pairs = (0..dense.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    for (a, b) in pairs {
        let changes = dense[a].iter().zip(&dense[b]).map(|(x, y)| x - y).enumerate();
        let mut cells: Vec<(usize, i64)> = changes.filter(|&(_, change)| change != 0).collect();
        let divisor = cells.iter().fold(0_u64, |divisor, &(_, change)| gcd(divisor, change.unsigned_abs()));
        let Some(&(_, first)) = cells.first() else { continue };
        let divisor = i64::try_from(divisor).expect("divides a count") * first.signum();
        cells.iter_mut().for_each(|(_, change)| *change /= divisor);
        found.insert(cells);
    }
    found
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
