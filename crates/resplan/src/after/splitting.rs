//! The least-squares problem over residuals with non-negative cells, by Douglas-Rachford
//! splitting.
//!
//! `rhat_B`, `sigma_B^2` measured residual and its variance,
//! `h_B = trust^(levels of B below the largest table) / sigma_B^2` (infinite for the total, which
//! is kept); A a largest table, `rho_A` its penalty, `x_A` its cells.
//!
//! ```text
//! minimise    sum over B of h_B / 2 |r_B - rhat_B|^2 in the metric (x) K_i,   with x_A >= 0 for every A           (1)
//!
//! z_A = |s_A|,  z_AB its marginal over B, a(.) coordinates as in `frame`
//! a_B = (h_B mu_B a(rhat_B) + sum over A containing B of rho_A a(z_AB)) / (h_B mu_B + sum of rho_A)                (3)
//! x_A = sum over B subset of A of V a_B spread by u                        all A agree on what they share
//! s_A <- s_A + RELAXATION (x_A - max(s_A, 0))                              stops when x_A = max(s_A, 0)           (4)
//! ```
//!
//! The multipliers are `rho_A max(-s_A, 0) / product of u`. Source: Lions and Mercier (1979);
//! Mullins, Fuentes, Xiao, Kifer, Musco, Sheldon (NeurIPS 2024) state (1) for trust 1; (3) in
//! closed form is ours: `docs/math/after-noise.md`.

use privacy_core::AttrSet;
use privacy_core::parallel;
use privacy_core::stop::StopFlag;

use super::NonnegativeSpec;
use super::frame::Frames;
use crate::error::Error;
use crate::measurement::measured::Measured;

/// How far each step goes: 1 is the plain splitting, 2 the end of convergence.
const RELAXATION: f64 = 1.7;
/// Penalty of a table at first, in units of its precision.
const PENALTY: f64 = 4.0;
/// Steps after which penalties are raised, when `max(-s, 0)` is more than this share of
/// `max(s, 0)` over the table: by the power [`RAISE`] of the ratio, at most [`MOST_RAISE`] times.
/// Nearly empty tables need 1000 times the penalty of full ones, since few of their cells answer
/// to a change of all. Found by trial on tables of 60 to a million cells.
const RAISED_AT: [usize; 8] = [1, 3, 6, 10, 15, 20, 30, 40];
const BALANCE: f64 = 1e-2;
const RAISE: f64 = 0.7;
const MOST_RAISE: f64 = 5.0;
/// Tables worked on before their marginals are added up: bounds memory, and is fixed so that sums
/// do not depend on threads.
const TABLES_AT_ONCE: usize = 64;
/// With fewer cells a step on one thread is faster than on two: 9 us instead of 44 with 671 cells,
/// 48 instead of 56 with 7,825.
const CELLS_FOR_THREADS: usize = 8192;

/// A residual within a largest table.
struct Inner {
    set: AttrSet,
    /// a(rhat_B), the measured coordinates.
    target: Vec<f64>,
    /// h.
    weight: f64,
    /// The residual table at present.
    table: Vec<f64>,
    /// The sum of rho over the tables that hold it, and of `rho_A z_AB`, for the next one.
    penalty: f64,
    pull: Vec<f64>,
}

/// A largest table, with the residual that it alone has.
struct Outer {
    set: AttrSet,
    position: usize,
    target: Vec<f64>,
    weight: f64,
    penalty: f64,
    /// s.
    split: Vec<f64>,
    /// Positions of the residuals over its proper subsets, by the bits of their places.
    inner: Vec<usize>,
}

/// The problem and its state. Residuals by their position in the closure; `None` where a largest
/// table is.
pub(crate) struct Splitting<'a> {
    frames: &'a Frames,
    total: f64,
    stop: StopFlag,
    steps: usize,
    inner: Vec<Option<Inner>>,
    outer: Vec<Outer>,
    /// Whether a step has cells enough for several threads.
    is_large: bool,
}

impl<'a> Splitting<'a> {
    /// The state before the first step: the cells as measured. `None` when they are non-negative
    /// already.
    pub(crate) fn new<Origin>(
        measured: &Measured<Origin>,
        frames: &'a Frames,
        total: f64,
        spec: &NonnegativeSpec,
    ) -> Result<Option<Self>, Error> {
        let design = measured.design();
        let sets = design.closure().sets();
        let depth = depths(sets, |set| design.closure().position(set));
        let cells = parallel::map(sets, |&set| measured.cells(set).map(|cells| cells.into_raw_vec_and_offset().0));
        let cells: Vec<Vec<f64>> = cells.into_iter().collect::<Result<_, _>>()?;
        // Largest tables without a negative cell solve (1) with every multiplier 0: the
        // measurement itself.
        if cells.iter().zip(&depth).all(|(cells, depth)| depth.held || cells.iter().all(|&cell| cell >= 0.0)) {
            return Ok(None);
        }
        let is_large = cells.iter().map(Vec::len).sum::<usize>() >= CELLS_FOR_THREADS;
        let (inner, outer) = (Vec::new(), Vec::new());
        let mut state = Self { frames, total, stop: spec.stop.clone(), steps: 0, inner, outer, is_large };
        for (position, (cells, depth)) in cells.into_iter().zip(depth).enumerate() {
            let set = sets[position];
            let weight = spec.trust.get().powi((depth.size - set.len()) as i32) / design.noise(set);
            let target = frames.coordinates(set, cells.clone());
            if depth.held {
                let (table, pull) = (Vec::new(), vec![0.0; cells.len()]);
                state.inner.push(Some(Inner { set, target, weight, penalty: 0.0, table, pull }));
            } else {
                let mut inner: Vec<usize> = set.subsets().filter_map(|s| design.closure().position(s)).collect();
                inner.pop(); // The set itself comes last.
                // In the units of the objective: the mean precision of a coordinate of this
                // table.
                let penalty = PENALTY * weight * frames.scale(set);
                state.inner.push(None);
                state.outer.push(Outer { set, position, target, weight, penalty, split: cells, inner });
            }
        }
        for outer in &state.outer {
            let marginals = frames.marginals(outer.set, &absolute(&outer.split));
            pull(&mut state.inner, outer, &marginals);
        }
        Ok(Some(state))
    }

    /// One step of (3) and (4): about `5 |A|` passes over the cells of every largest table A.
    /// Returns the sum of `|x_A - max(s_A, 0)|` over all of them.
    pub(crate) fn step(&mut self) -> f64 {
        self.settle_inner();
        self.steps += 1;
        let mut unsettled = 0.0;
        let mut waiting = std::mem::take(&mut self.outer).into_iter();
        loop {
            let batch: Vec<Outer> = waiting.by_ref().take(TABLES_AT_ONCE).collect();
            if batch.is_empty() {
                return unsettled;
            }
            // Pulls are added in the order of the tables, not as threads finish: sums have the
            // same bits every time.
            let advanced = parallel::map_into_if(self.is_large, batch, |outer| self.advanced(outer));
            for (outer, change, marginals) in advanced {
                unsettled += change;
                pull(&mut self.inner, &outer, &marginals);
                self.outer.push(outer);
            }
        }
    }

    /// (3) for the residuals within largest tables; their pulls start anew.
    fn settle_inner(&mut self) {
        let (frames, total) = (self.frames, self.total);
        self.inner = parallel::map_into_if(self.is_large, std::mem::take(&mut self.inner), |inner| {
            let mut inner = inner?;
            let cells = inner.pull.len();
            let pull = std::mem::replace(&mut inner.pull, vec![0.0; cells]);
            let penalty = std::mem::take(&mut inner.penalty);
            inner.table = if inner.set.is_empty() {
                vec![total]
            } else {
                let pull = frames.coordinates(inner.set, pull);
                settled(frames, inner.set, &inner.target, inner.weight, pull, penalty)
            };
            Some(inner)
        });
    }

    /// (4) for one table: the table, how unsettled it was, and the marginals of its new z.
    fn advanced(&self, mut outer: Outer) -> (Outer, f64, Vec<Vec<f64>>) {
        if self.stop.is_set() {
            // What a stopped adjustment leaves behind is dropped.
            return (outer, 0.0, Vec::new());
        }
        let mut tables: Vec<Vec<f64>> =
            outer.inner.iter().map(|&position| self.inner_table(position).to_vec()).collect();
        tables.push(own_residual(self.frames, &outer));
        let cells = self.frames.cells(outer.set, tables);
        let mut unsettled = 0.0;
        // (4), over-relaxed: any factor between 0 and 2 converges.
        for (split, cell) in outer.split.iter_mut().zip(cells) {
            let change = cell - split.max(0.0);
            unsettled += change.abs();
            *split += RELAXATION * change;
        }
        if RAISED_AT.contains(&self.steps) {
            raise_penalty(&mut outer);
        }
        let marginals = self.frames.marginals(outer.set, &absolute(&outer.split));
        (outer, unsettled, marginals)
    }

    fn inner_table(&self, position: usize) -> &[f64] {
        &self.inner[position].as_ref().expect("a proper subset is no largest table").table
    }

    /// The residual tables at present, in the order of the closure, and the positions of the
    /// largest ones.
    pub(crate) fn finished(mut self) -> (Vec<Vec<f64>>, Vec<usize>) {
        self.settle_inner();
        let frames = self.frames;
        let outer = parallel::map_into(self.outer, |outer| (outer.position, own_residual(frames, &outer)));
        let inner = self.inner.into_iter().map(|inner| inner.map_or_else(Vec::new, |inner| inner.table));
        let mut residuals: Vec<Vec<f64>> = inner.collect();
        let largest = outer.iter().map(|&(position, _)| position).collect();
        for (position, table) in outer {
            residuals[position] = table;
        }
        (residuals, largest)
    }
}

/// (3) for the residual that one table alone has.
fn own_residual(frames: &Frames, outer: &Outer) -> Vec<f64> {
    let mut pull = frames.coordinates(outer.set, absolute(&outer.split));
    pull.iter_mut().for_each(|coordinate| *coordinate *= outer.penalty);
    settled(frames, outer.set, &outer.target, outer.weight, pull, outer.penalty)
}

/// A higher penalty for the same cells and multipliers, where the multipliers are large for the
/// cells.
fn raise_penalty(outer: &mut Outer) {
    let above: f64 = outer.split.iter().map(|split| split.max(0.0)).sum();
    let below: f64 = outer.split.iter().map(|split| (-split).max(0.0)).sum();
    let raise = (below / (BALANCE * above)).powf(RAISE).min(MOST_RAISE);
    // s = x where x > 0 and -multiplier / rho elsewhere: a higher rho with the same multipliers
    // shrinks what is below 0. The number of raises is fixed (RAISED_AT), so convergence for a
    // fixed penalty applies from the last one on.
    if raise > 1.0 {
        outer.penalty *= raise;
        outer.split.iter_mut().filter(|split| **split < 0.0).for_each(|split| *split /= raise);
    }
}

/// Adds what one table contributes to (3) for the residuals within it.
fn pull(inner: &mut [Option<Inner>], outer: &Outer, marginals: &[Vec<f64>]) {
    for (&position, marginal) in outer.inner.iter().zip(marginals) {
        let inner = inner[position].as_mut().expect("a proper subset is no largest table");
        inner.penalty += outer.penalty;
        add_scaled(&mut inner.pull, marginal, outer.penalty);
    }
}

/// (3), as a table: `pull` is the sum of `rho_A a(z_AB)`.
fn settled(frames: &Frames, set: AttrSet, target: &[f64], weight: f64, mut pull: Vec<f64>, penalty: f64) -> Vec<f64> {
    let precisions = frames.precisions(set);
    let coordinates = pull.iter_mut().zip(target);
    match precisions[..] {
        [mu] => coordinates.for_each(|(pull, &target)| *pull = weighted_mean(weight * mu, target, penalty, *pull)),
        _ => coordinates.zip(&precisions).for_each(|((pull, &target), &mu)| {
            *pull = weighted_mean(weight * mu, target, penalty, *pull);
        }),
    }
    frames.table(set, pull)
}

/// (3) for one coordinate: a mean of what was measured and of the tables', whose sum is `pull`.
fn weighted_mean(precision: f64, target: f64, penalty: f64, pull: f64) -> f64 {
    (precision * target + pull) / (precision + penalty)
}

/// Where a residual stands among the tables that hold it.
#[derive(Clone, Copy)]
struct Depth {
    /// Attributes of the largest table that holds it.
    size: usize,
    /// Whether a table with more attributes holds it.
    held: bool,
}

fn depths(sets: &[AttrSet], position: impl Fn(AttrSet) -> Option<usize>) -> Vec<Depth> {
    let mut depths: Vec<Depth> = sets.iter().map(|set| Depth { size: set.len(), held: false }).collect();
    // From the largest down: what holds a set is passed on to the sets with one attribute less.
    for (i, set) in sets.iter().enumerate().rev() {
        // Where one strategy measures a block, the total alone is below it.
        let total = position(AttrSet::EMPTY).filter(|_| set.len() > 1 && sets.len() == 2);
        let smaller = set.iter().filter_map(|attribute| position(set.minus(AttrSet::single(attribute))));
        for smaller in smaller.chain(total) {
            depths[smaller] = Depth { size: depths[smaller].size.max(depths[i].size), held: true };
        }
    }
    depths
}

fn absolute(cells: &[f64]) -> Vec<f64> {
    cells.iter().map(|cell| cell.abs()).collect()
}

pub(super) fn add_scaled(target: &mut [f64], source: &[f64], scale: f64) {
    target.iter_mut().zip(source).for_each(|(cell, &value)| *cell += scale * value);
}
