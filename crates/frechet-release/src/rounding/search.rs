//! Tables of three axes and more: a search for a rounding that keeps every total within the base.
//!
//! Cells are rounded up or down at random, by their residues; then a cell of a total that is too
//! far away is turned, the one that brings all totals closest, or at times any. The first draw
//! alone may be any rounding, so every controlled rounding has a positive probability.

use std::collections::BTreeMap;

use privacy_core::AttrSet;
use privacy_core::noise::{Rational, bernoulli};
use privacy_core::rng::below;
use privacy_core::stop::StopFlag;
use rand_core::CryptoRng;

use crate::table::error::Error;
use crate::table::grid::Grid;

/// Cells times the totals that each is part of, at most.
const MOST_TERMS: usize = 1 << 22;
/// Draws from the beginning.
const ATTEMPTS: usize = 20;
/// Turns for each cell of one attempt.
const TURNS_PER_CELL: usize = 100;
/// Cells that are looked at, in all attempts: a minute.
const MOST_LOOKS: u64 = 1 << 33;
/// One turn in this number is any cell of the total.
const ANY_CELL: u64 = 10;

/// Whether each cell is rounded up. `residues` are row-major, below the base.
///
/// # Errors
/// [`Error::TooManyCells`], [`Error::NoRounding`] and [`Error::Stopped`].
pub(super) fn round_up<R: CryptoRng + ?Sized>(
    shape: &[usize],
    residues: &[u64],
    base: u64,
    stop: &StopFlag,
    rng: &mut R,
) -> Result<Vec<bool>, Error> {
    let grid = Grid::new(shape)?;
    let totals_of_cell = (1_usize << shape.len().min(20)) - 1;
    if residues.len().saturating_mul(totals_of_cell) > MOST_TERMS {
        return Err(Error::TooManyCells { limit: MOST_TERMS / totals_of_cell });
    }
    let mut search = Search::new(&grid, residues, base);
    let found = (0..ATTEMPTS).any(|_| {
        search.draw(rng);
        search.repair(stop, rng)
    });
    match found {
        true => Ok(search.is_up),
        false if stop.is_set() => Err(Error::Stopped),
        false => Err(Error::NoRounding),
    }
}

struct Search {
    base: i64,
    residues: Vec<i64>,
    is_up: Vec<bool>,
    /// The totals that each cell is part of.
    totals_of: Vec<Vec<usize>>,
    /// The cells of each total that are no multiples of the base.
    cells_of: Vec<Vec<usize>>,
    /// How far each total is from its count.
    deviations: Vec<i64>,
    /// Totals that are too far away, and where each stands in the list.
    broken: Vec<usize>,
    place: BTreeMap<usize, usize>,
    /// Cells that may still be looked at.
    looks: u64,
}

impl Search {
    fn new(grid: &Grid, residues: &[u64], base: u64) -> Self {
        let (mut totals_of, mut cells_of) = (vec![Vec::new(); residues.len()], Vec::new());
        for axes in grid.all().subsets().filter(|&axes: &AttrSet| axes != grid.all()) {
            let first = cells_of.len();
            cells_of.resize(first + grid.classes(axes), Vec::new());
            for (cell, &residue) in residues.iter().enumerate() {
                let total = first + grid.class_of_cell(cell, axes);
                totals_of[cell].push(total);
                if residue > 0 {
                    cells_of[total].push(cell);
                }
            }
        }
        Self {
            base: base as i64,
            residues: residues.iter().map(|&residue| residue as i64).collect(),
            is_up: vec![false; residues.len()],
            totals_of,
            deviations: vec![0; cells_of.len()],
            cells_of,
            broken: Vec::new(),
            place: BTreeMap::new(),
            looks: MOST_LOOKS,
        }
    }

    /// Rounds every cell by itself, up as often as its residue says.
    fn draw<R: CryptoRng + ?Sized>(&mut self, rng: &mut R) {
        self.deviations.fill(0);
        self.broken.clear();
        self.place.clear();
        for (cell, &residue) in self.residues.iter().enumerate() {
            let up = Rational::new(residue.unsigned_abs().into(), self.base.unsigned_abs().into());
            let up = up.expect("a base is not 0");
            self.is_up[cell] = residue > 0 && bernoulli(up, rng).expect("a residue is below the base");
            let by = if self.is_up[cell] { self.base - residue } else { -residue };
            self.totals_of[cell].iter().for_each(|&total| self.deviations[total] += by);
        }
        (0..self.deviations.len()).for_each(|total| self.note(total));
    }

    /// Turns cells until every total is within the base; whether that came about.
    fn repair<R: CryptoRng + ?Sized>(&mut self, stop: &StopFlag, rng: &mut R) -> bool {
        for _ in 0..TURNS_PER_CELL * self.residues.len() {
            if self.broken.is_empty() {
                return true;
            }
            let total = self.broken[below(self.broken.len(), rng)];
            self.looks = self.looks.saturating_sub(self.cells_of[total].len() as u64);
            if self.looks == 0 || stop.is_set() {
                return false;
            }
            let is_above = self.deviations[total] > 0;
            let helpful: Vec<usize> =
                self.cells_of[total].iter().copied().filter(|&cell| self.is_up[cell] == is_above).collect();
            let cell = match rng.next_u64() % ANY_CELL {
                0 => helpful[below(helpful.len(), rng)],
                _ => self.best(&helpful, rng),
            };
            self.turn(cell);
        }
        self.broken.is_empty()
    }

    /// The cell whose turn brings all totals closest, the first after a random one.
    fn best<R: CryptoRng + ?Sized>(&self, cells: &[usize], rng: &mut R) -> usize {
        let offset = below(cells.len(), rng);
        let by_turns = (0..cells.len()).map(|place| cells[(place + offset) % cells.len()]);
        by_turns.min_by_key(|&cell| self.change(cell)).expect("a total too far away has cells to turn")
    }

    /// What a turn adds to the distances beyond the base.
    fn change(&self, cell: usize) -> i64 {
        let by = self.step(cell);
        let totals = self.totals_of[cell].iter().map(|&total| self.deviations[total]);
        totals.map(|deviation| self.excess(deviation + by) - self.excess(deviation)).sum()
    }

    fn step(&self, cell: usize) -> i64 {
        if self.is_up[cell] { -self.base } else { self.base }
    }

    fn excess(&self, deviation: i64) -> i64 {
        (deviation.abs() - (self.base - 1)).max(0)
    }

    fn turn(&mut self, cell: usize) {
        let by = self.step(cell);
        self.is_up[cell] = !self.is_up[cell];
        for place in 0..self.totals_of[cell].len() {
            let total = self.totals_of[cell][place];
            self.deviations[total] += by;
            self.note(total);
        }
    }

    /// Keeps the list of totals that are too far away.
    fn note(&mut self, total: usize) {
        let is_broken = self.excess(self.deviations[total]) > 0;
        match (is_broken, self.place.get(&total).copied()) {
            (true, None) => {
                self.place.insert(total, self.broken.len());
                self.broken.push(total);
            }
            (false, Some(place)) => {
                self.place.remove(&total);
                self.broken.swap_remove(place);
                if let Some(&moved) = self.broken.get(place) {
                    self.place.insert(moved, place);
                }
            }
            _ => {}
        }
    }
}
