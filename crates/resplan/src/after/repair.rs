//! From cells that are nearly non-negative to cells that are, all still consistent.
//!
//! `x_A` the cells of a largest table, `n_A = max(-x_A, 0)`, `N` the total, `m` the sum of all
//! cells of all `n_A`. Each n_A, spread by u over the attributes that A does not have, is a table
//! of the whole domain with no negative cell (u > 0). Adding all of them to every marginal keeps
//! marginals consistent and makes each x_A at least `x_A + n_A >= 0`; one factor then gives the
//! total back:
//!
//! ```text
//! r_B <- (r_B + sum over A containing B of the residual over B of n_A) N / (N + m)                    (5)
//! ```
//!
//! It is a mixture with another consistent table, of which that has the share `m / (N + m)`: the
//! less the steps before left to do, the less it changes.

use privacy_core::AttrSet;
use privacy_core::parallel;

use super::frame::Frames;
use super::splitting::add_scaled;
use crate::planning::closure::Closure;

/// Tables whose corrections are held at once.
const TABLES_AT_ONCE: usize = 64;

/// What was repaired.
#[derive(Clone, Copy, Default)]
pub(crate) struct Repair {
    /// The largest `-x`, in people.
    pub(crate) largest: f64,
    /// `m / (N + m)`.
    pub(crate) share: f64,
}

/// Applies (5) to the residuals of a closure; `largest` the positions of the largest tables.
pub(crate) fn repair(frames: &Frames, closure: &Closure, residuals: &mut [Vec<f64>], largest: &[usize]) -> Repair {
    let total = residuals[0][0];
    let (mut mass, mut worst) = (0.0, 0.0_f64);
    let mut corrections: Vec<Vec<f64>> = residuals.iter().map(|_| Vec::new()).collect();
    // All corrections are computed from the residuals as they were: the order of the tables does
    // not matter.
    for batch in largest.chunks(TABLES_AT_ONCE) {
        let missing = parallel::map(batch, |&position| missing(frames, closure, closure.sets()[position], residuals));
        for (added, deepest, parts) in missing {
            mass += added;
            worst = worst.max(deepest);
            for (position, part) in parts {
                match &mut corrections[position] {
                    empty if empty.is_empty() => *empty = part,
                    sum => add_scaled(sum, &part, 1.0),
                }
            }
        }
    }
    let keep = if mass > 0.0 { total / (total + mass) } else { 1.0 };
    for (residual, correction) in residuals.iter_mut().zip(&corrections) {
        add_scaled(residual, correction, 1.0);
        residual.iter_mut().for_each(|cell| *cell *= keep);
    }
    // The empty set is the first residual. The factor gives its total back up to rounding; here
    // it is exact.
    residuals[0][0] = total;
    Repair { largest: worst, share: 1.0 - keep }
}

/// The sum and the largest cell of `n_A`, and its residuals by position.
fn missing(
    frames: &Frames,
    closure: &Closure,
    set: AttrSet,
    residuals: &[Vec<f64>],
) -> (f64, f64, Vec<(usize, Vec<f64>)>) {
    // In the order of the subsets, the set itself last.
    let places: Vec<usize> = set.subsets().filter_map(|subset| closure.position(subset)).collect();
    let mut cells = frames.cells(set, places.iter().map(|&position| residuals[position].clone()).collect());
    cells.iter_mut().for_each(|cell| *cell = (-*cell).max(0.0));
    let (sum, deepest) = cells.iter().fold((0.0, 0.0_f64), |(sum, deepest), &cell| (sum + cell, deepest.max(cell)));
    if sum == 0.0 {
        return (0.0, 0.0, Vec::new());
    }
    let mut marginals = frames.marginals(set, &cells);
    marginals.push(cells);
    let residuals = places.into_iter().zip(marginals).map(|(position, marginal)| {
        let subset = closure.sets()[position];
        (position, frames.table(subset, frames.coordinates(subset, marginal)))
    });
    (sum, deepest, residuals.collect())
}
