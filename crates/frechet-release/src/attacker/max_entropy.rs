//! The maximum-entropy attacker, to whom people are alike beyond what is published.
//!
//! `u_e` people of a cell, each counted or not; before the numbers are known all responses are
//! equally likely. The table of largest entropy that satisfies the rows is, with one factor `s_i`
//! a row,
//!
//! ```text
//! (13) x_e = u_e w_e / (1 + w_e),     x_e = w_e without capacities,     w_e = product of s_i over the rows of e
//! ```
//!
//! and the factors are found row by row: each is set so that its row holds (iterative
//! proportional fitting; Newton steps in `ln s`, kept in a bracket, where there are capacities).
//! A row known as a range keeps `s = 1` where it can.
//!
//! Kind: proxy. The mean of a class is what this attacker expects, not a bound.

use frechet_certificate::Row;

use privacy_core::stop::StopFlag;

use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;

/// Factors of ranges stay within this, so that they can be taken back.
const MOST_FACTOR: f64 = 1e150;

/// Relative tolerance and maximum number of sweeps of the maximum-entropy fit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EntropyOptions {
    /// The largest miss of a row, relative to 1 more than its number, at which the fit has
    /// converged.
    pub tolerance: f64,
    /// Passes over the rows, at most.
    pub max_sweeps: u32,
    /// Ends the fit with [`Error::Stopped`]. Never set by default.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl Default for EntropyOptions {
    /// A tolerance of 1e-9 and 10,000 passes.
    fn default() -> Self {
        Self { tolerance: 1e-9, max_sweeps: 10_000, stop: StopFlag::never() }
    }
}

/// Expected counts under the maximum-entropy table consistent with the published numbers.
#[derive(Clone)]
pub struct MaxEntropy {
    grid: Grid,
    expected: Vec<f64>,
    residual: f64,
    sweeps: u32,
}

impl MaxEntropy {
    /// Fits to all rows. A fit that has not converged is returned with its residual.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn fit(knowledge: &Knowledge, options: &EntropyOptions) -> Result<Self, Error> {
        let system = &knowledge.system;
        let mut weights: Vec<f64> = system.capacity.iter().map(|&most| if most == 0 { 0.0 } else { 1.0 }).collect();
        let mut factors = vec![1.0; system.rows.len()];
        let mut done = 0;
        let residual = loop {
            for (row, factor) in system.rows.iter().zip(&mut factors) {
                if options.stop.is_set() {
                    return Err(Error::Stopped);
                }
                scale(row, &system.capacity, &mut weights, factor);
            }
            done += 1;
            let misses = system.rows.iter().map(|row| miss(row, &system.capacity, &weights));
            let residual = misses.fold(0.0, f64::max);
            if residual <= options.tolerance || done >= options.max_sweeps {
                break residual;
            }
        };
        let expected = weights.iter().zip(&system.capacity).map(|(&w, &most)| count(w, most)).collect();
        Ok(Self { grid: knowledge.grid.clone(), expected, residual, sweeps: done })
    }

    /// The count that the attacker expects in a class.
    ///
    /// # Errors
    /// [`Error::LevelCount`] and [`Error::NoSuchLevel`].
    pub fn mean(&self, class: &Class) -> Result<f64, Error> {
        class.checked(&self.grid)?;
        Ok(self.grid.cells_of(class).into_iter().map(|cell| self.expected[cell as usize]).sum())
    }

    /// The largest miss of a row, relative to `1 +` its number.
    #[must_use]
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Passes over the rows that were made.
    #[must_use]
    pub fn sweeps(&self) -> u32 {
        self.sweeps
    }
}

/// Debug output shows no expectation: it follows from counts.
impl std::fmt::Debug for MaxEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MaxEntropy").field("cells", &self.expected.len()).finish_non_exhaustive()
    }
}

/// Equation (13) for one cell; written so that weights of 0 and of infinity give 0 and all.
fn count(weight: f64, most: i64) -> f64 {
    if most == NO_CAPACITY {
        weight
    } else if most == 0 {
        0.0
    } else {
        most as f64 / (1.0 + 1.0 / weight)
    }
}

fn sum(row: &Row, capacity: &[i64], weights: &[f64], factor: f64) -> f64 {
    row.cells().iter().map(|&cell| count(weights[cell as usize] * factor, capacity[cell as usize])).sum()
}

fn miss(row: &Row, capacity: &[i64], weights: &[f64]) -> f64 {
    let held = sum(row, capacity, weights, 1.0);
    (row.lower() as f64 - held).max(held - row.upper() as f64).max(0.0) / (1.0 + row.upper() as f64)
}

/// Sets the factor of a row so that the row holds.
fn scale(row: &Row, capacity: &[i64], weights: &mut [f64], factor: &mut f64) {
    let (lower, upper) = (row.lower() as f64, row.upper() as f64);
    let without = if lower < upper { 1.0 / *factor } else { 1.0 };
    let held = sum(row, capacity, weights, without);
    let target = held.clamp(lower, upper);
    let mut change = if target == held { without } else { solve(row, capacity, weights, target) };
    if lower < upper {
        change = (*factor * change).clamp(1.0 / MOST_FACTOR, MOST_FACTOR) / *factor;
        *factor *= change;
    }
    for &cell in row.cells() {
        let weight = &mut weights[cell as usize];
        if *weight > 0.0 && weight.is_finite() {
            *weight *= change;
        }
    }
}

/// The change of the row's factor that makes its sum the target.
fn solve(row: &Row, capacity: &[i64], weights: &[f64], target: f64) -> f64 {
    let cells = || row.cells().iter().map(|&cell| (weights[cell as usize], capacity[cell as usize]));
    if cells().all(|(_, most)| most == NO_CAPACITY) {
        let held: f64 = cells().map(|(weight, _)| weight).sum();
        return if held > 0.0 { target / held } else { 1.0 };
    }
    let most: f64 = cells().map(|(weight, most)| if weight > 0.0 { most as f64 } else { 0.0 }).sum();
    if target <= 0.0 {
        return 0.0;
    }
    if target >= most {
        return f64::INFINITY;
    }
    // The sum grows with ln s, so a bracket and Newton's steps inside it.
    let (mut low, mut high, mut log) = (-700.0_f64, 700.0_f64, 0.0_f64);
    for _ in 0..200 {
        let factor = log.exp();
        let value = sum(row, capacity, weights, factor) - target;
        if value > 0.0 {
            high = log;
        } else {
            low = log;
        }
        let slope: f64 = cells().map(|(weight, most)| slope(weight * factor, most)).sum();
        let newton = log - value / slope;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - log).abs() <= 1e-14 * (1.0 + log.abs()) {
            return next.exp();
        }
        log = next;
    }
    log.exp()
}

/// Derivative of (13) in `ln w`.
fn slope(weight: f64, most: i64) -> f64 {
    let held = count(weight, most);
    if most == NO_CAPACITY { held } else { held / (1.0 + weight) }
}
