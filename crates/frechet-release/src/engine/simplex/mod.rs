//! Bounded primal simplex over rows `A x - r = 0` with `x` and `r` in boxes.
//!
//! `A` has entries 0 and 1. Variables `0..n` are cells, `n + i` is the sum `r_i` of row `i`. The
//! first basis consists of all sums, so dependent rows do no harm. What is computed with a basis
//! takes its inverse, explicit or as factors. Prices
//! are updated from step to step, and the entering variable is the best of a block of variables.
//! Boxes may change between solves, and the basis stays: the next query starts near its answer.
//!
//! # Termination
//! A step that moves increases the objective (or decreases the sum of violations), so no basis
//! returns. Degenerate steps may cycle under largest-price pricing. After [`DEGENERATE`] of them
//! in a row Bland's rule takes over: the improving variable with the least index enters, and
//! among ties the least index leaves, which excludes cycles (R. G. Bland 1977). The next step
//! that moves ends Bland's rule. A limit on steps ends what remains.
//!
//! This module moves from basis to basis, [`dual_steps`] too, where prices are optimal and the
//! point is not within its boxes; [`basis`] computes with one basis.
//!
//! No caller trusts the results: multipliers are made exact ([`dual`](crate::engine::dual)) and
//! tables are checked against every row.

mod basis;
mod dual_steps;
mod factors;

use self::basis::Inverse;
use crate::engine::linear_program::{MOST_SMALL, SearchEnd};

/// Steps without progress before Bland's rule.
const DEGENERATE: usize = 60;
/// Pivots between fresh factorisations. Inverses of tables are small fractions, which drift
/// little.
const FRESH: usize = 2_000;
/// Distance from a box, relative to the value, that counts as inside.
const FEASIBLE: f64 = 1e-7;
/// Reduced costs below this improve nothing.
const PRICE: f64 = 1e-7;
/// Pivots below this would blow up the inverse; with 0/1 rows, genuine pivots are fractions of
/// small denominators.
const PIVOT: f64 = 1e-8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Optimal,
    /// The prices prove it.
    Infeasible,
    /// Steps ran out, or numbers went bad.
    Stalled,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Basic(usize),
    Lower,
    Upper,
}

#[derive(Clone)]
pub(crate) struct Simplex {
    rows: usize,
    cells: usize,
    /// Rows of cell `j`: `entries[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
    entries: Vec<u32>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    place: Vec<Place>,
    basis: Vec<usize>,
    inverse: Inverse,
    /// Values of the basic variables.
    values: Vec<f64>,
    prices: Vec<f64>,
    column: Vec<f64>,
    /// A row of the inverse.
    row: Vec<f64>,
    scan_from: usize,
    pivots_since_fresh: usize,
    steps_left: u64,
    /// Looked at before every step, and for every column of a fresh factorisation.
    end: SearchEnd,
}

/// What the current phase maximises.
enum Phase<'a> {
    /// Less the sum of violations.
    Feasibility,
    /// The sum of the marked cells, times a sign.
    Objective(&'a [f64]),
}

impl Simplex {
    /// `columns[j]` lists the rows of cell `j`; boxes of cells, then of rows. Infinite upper ends
    /// are allowed.
    pub(crate) fn new(
        columns: &[Vec<u32>],
        boxes: impl Iterator<Item = (f64, f64)>,
        rows: usize,
        end: SearchEnd,
    ) -> Self {
        let cells = columns.len();
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for column in columns {
            entries.extend_from_slice(column);
            starts.push(entries.len());
        }
        let (lower, upper): (Vec<f64>, Vec<f64>) = boxes.unzip();
        let mut place = vec![Place::Lower; cells + rows];
        (0..rows).for_each(|row| place[cells + row] = Place::Basic(row));
        let basis = (cells..cells + rows).collect();
        let mut simplex = Self {
            rows,
            cells,
            starts,
            entries,
            lower,
            upper,
            place,
            basis,
            inverse: Inverse::of_sums(rows),
            values: vec![0.0; rows],
            prices: vec![0.0; rows],
            column: vec![0.0; rows],
            row: vec![0.0; rows],
            scan_from: 0,
            pivots_since_fresh: 0,
            steps_left: 0,
            end,
        };
        simplex.refresh_values();
        simplex
    }

    /// Changes the box of a cell.
    pub(crate) fn set_box(&mut self, cell: usize, lower: f64, upper: f64) {
        (self.lower[cell], self.upper[cell]) = (lower, upper);
        if self.place[cell] == Place::Upper && upper.is_infinite() {
            self.place[cell] = Place::Lower;
        }
    }

    /// Maximises `cost . x` over the cells, from the basis at hand, within `steps`.
    pub(crate) fn maximise(&mut self, cost: &[f64], steps: u64) -> Outcome {
        self.steps_left = steps;
        // Boxes may have changed since the last solve, so non-basic variables may stand
        // elsewhere.
        self.refresh_values();
        if !self.is_feasible() {
            // After a case was entered the prices are still optimal, and a few dual steps lead
            // back; a basis from elsewhere has prices that are not. Where there are few rows, primal
            // steps are as few, and their points are whole numbers more often.
            if self.cells > MOST_SMALL && self.has_many_rows() {
                match self.return_by_dual(&Phase::Objective(cost)) {
                    Some(Outcome::Optimal) => return self.run(&Phase::Objective(cost)),
                    Some(outcome) => return outcome,
                    None => {}
                }
            }
            match self.run(&Phase::Feasibility) {
                // The least sum of violations is positive: the prices are Farkas multipliers.
                Outcome::Optimal if !self.is_feasible() => return Outcome::Infeasible,
                Outcome::Optimal => {}
                other => return other,
            }
        }
        self.run(&Phase::Objective(cost))
    }

    /// Whether the inverse is kept as factors.
    pub(crate) fn has_many_rows(&self) -> bool {
        matches!(self.inverse, Inverse::Factored(_))
    }

    /// What the last solve left of its steps.
    pub(crate) fn steps_left(&self) -> u64 {
        self.steps_left
    }

    /// Multipliers of the rows at the end of the last solve.
    pub(crate) fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// The cells at the end of the last solve.
    pub(crate) fn point(&self) -> Vec<f64> {
        (0..self.cells).map(|cell| self.value(cell)).collect()
    }

    fn value(&self, variable: usize) -> f64 {
        match self.place[variable] {
            Place::Basic(row) => self.values[row],
            Place::Lower => self.lower[variable],
            Place::Upper => self.upper[variable],
        }
    }

    fn is_feasible(&self) -> bool {
        (0..self.rows).all(|row| self.violation(row) == 0.0)
    }

    /// `+1` below the box of the basic variable of a row, `-1` above, else 0.
    fn violation(&self, row: usize) -> f64 {
        let (variable, value) = (self.basis[row], self.values[row]);
        let slack = FEASIBLE * (1.0 + value.abs().min(1e4));
        if value < self.lower[variable] - slack {
            1.0
        } else if value > self.upper[variable] + slack {
            -1.0
        } else {
            0.0
        }
    }

    fn run(&mut self, phase: &Phase<'_>) -> Outcome {
        self.refresh_prices(phase);
        let mut still = 0;
        loop {
            if self.steps_left == 0 || self.end.is_set() {
                return Outcome::Stalled;
            }
            self.steps_left -= 1;
            if self.inverse.is_worn(self.pivots_since_fresh) {
                // Rounding errors of the updates add up; a fresh inverse also gives fresh prices.
                if !self.refactor() {
                    return Outcome::Stalled;
                }
                self.refresh_prices(phase);
            }
            // Largest prices need fewest steps; Bland's rule is slow but cannot cycle.
            let is_bland = still > DEGENERATE;
            let Some((entering, price)) = self.entering(phase, is_bland) else { return Outcome::Optimal };
            let Some(moved) = self.step(entering, price, is_bland) else { return Outcome::Stalled };
            still = if moved { 0 } else { still + 1 };
            // Feasibility has another objective after each step: the set of violated rows
            // changes, and with it the costs of the basis. So prices are computed afresh instead
            // of being updated.
            if matches!(phase, Phase::Feasibility) {
                if self.is_feasible() {
                    return Outcome::Optimal;
                }
                self.refresh_prices(phase);
            }
        }
    }

    /// `y = c_B B^-1`.
    fn refresh_prices(&mut self, phase: &Phase<'_>) {
        let costs: Vec<(usize, f64)> = (0..self.rows)
            .map(|row| match phase {
                Phase::Feasibility => (row, self.violation(row)),
                Phase::Objective(cost) => (row, cost.get(self.basis[row]).copied().unwrap_or(0.0)),
            })
            .filter(|&(_, cost)| cost != 0.0)
            .collect();
        self.solve_prices(&costs);
    }

    fn reduced_cost(&self, variable: usize, phase: &Phase<'_>) -> f64 {
        // The column of a sum is `-1` in its own row, and a sum has no cost.
        if variable >= self.cells {
            return self.prices[variable - self.cells];
        }
        let own = if let Phase::Objective(cost) = phase { cost[variable] } else { 0.0 };
        own - self.rows_of(variable).iter().map(|&row| self.prices[row as usize]).sum::<f64>()
    }

    /// A variable and its reduced cost, if a move away from where it stands improves the
    /// objective.
    fn improving(&self, variable: usize, phase: &Phase<'_>) -> Option<(usize, f64)> {
        let price = match self.place[variable] {
            Place::Basic(_) => return None,
            // A fixed variable cannot move.
            _ if self.lower[variable] == self.upper[variable] => return None,
            _ => self.reduced_cost(variable, phase),
        };
        let helps = if self.place[variable] == Place::Lower { price > PRICE } else { price < -PRICE };
        helps.then_some((variable, price))
    }

    /// A variable whose move improves, with its reduced cost: the best of the first block that
    /// has one.
    fn entering(&mut self, phase: &Phase<'_>, is_bland: bool) -> Option<(usize, f64)> {
        let all = self.cells + self.rows;
        if is_bland {
            return (0..all).find_map(|variable| self.improving(variable, phase));
        }
        // Partial pricing: the best of an eighth of the variables is nearly as good as the best
        // of all, and finding it costs an eighth. The scan goes on where the last one succeeded,
        // so that every variable gets its turn.
        let block = (all / 8).max(128);
        let mut seen = 0;
        let mut from = self.scan_from;
        while seen < all {
            let width = block.min(all - seen);
            let best = (from..from + width)
                .filter_map(|v| self.improving(v % all, phase))
                .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            if best.is_some() {
                self.scan_from = from % all;
                return best;
            }
            (seen, from) = (seen + width, (from + width) % all);
        }
        None
    }

    /// Moves the entering variable as far as it goes; whether anything moved, or `None` if it
    /// goes on for ever.
    fn step(&mut self, entering: usize, price: f64, is_bland: bool) -> Option<bool> {
        self.solve_column(entering);
        let direction = if self.place[entering] == Place::Lower { 1.0 } else { -1.0 };
        let (leaving, length) = self.ratio_test(direction, is_bland);
        let width = self.upper[entering] - self.lower[entering];
        // The entering variable reaches its own other end first: no basis changes, only its
        // place.
        if width <= length {
            if width.is_infinite() {
                return None;
            }
            self.shift(direction * width);
            self.place[entering] = if direction > 0.0 { Place::Upper } else { Place::Lower };
            return Some(true);
        }
        let (row, to_upper) = leaving?;
        let start = self.value(entering);
        self.shift(direction * length);
        let gone = self.basis[row];
        self.place[gone] = if to_upper { Place::Upper } else { Place::Lower };
        self.place[entering] = Place::Basic(row);
        self.basis[row] = entering;
        self.values[row] = start + direction * length;
        self.pivot(row, price);
        Some(length > 1e-12)
    }

    /// The first basic variable to reach an end of its box, the one it was outside of included:
    /// its row and whether the end is the upper one, and how far the entering variable goes.
    /// Among ties the largest pivot, or Bland's choice.
    fn ratio_test(&self, direction: f64, is_bland: bool) -> (Option<(usize, bool)>, f64) {
        let mut best: Option<(usize, bool)> = None;
        let mut length = f64::INFINITY;
        for (row, &alpha) in self.column.iter().enumerate() {
            let rate = -direction * alpha;
            if rate.abs() < PIVOT {
                continue;
            }
            let (variable, value) = (self.basis[row], self.values[row]);
            let violation = self.violation(row);
            // A variable inside its box blocks at the end that it moves to. One outside that
            // moves towards its box blocks at the end that it violates; one that moves away
            // blocks nowhere: the prices count the violation.
            let (end, to_upper) = match (rate > 0.0, violation) {
                (true, v) if v > 0.0 => (self.lower[variable], false),
                (true, v) if v < 0.0 => continue,
                (true, _) => (self.upper[variable], true),
                (false, v) if v < 0.0 => (self.upper[variable], true),
                (false, v) if v > 0.0 => continue,
                (false, _) => (self.lower[variable], false),
            };
            let reach = ((end - value) / rate).max(0.0);
            // Among ties the largest pivot keeps the inverse accurate; under Bland's rule the
            // least index must leave.
            let ties = (reach - length).abs() <= 1e-9;
            if reach < length - 1e-9
                || ties
                    && best.is_none_or(|(old, _): (usize, bool)| {
                        if is_bland { variable < self.basis[old] } else { alpha.abs() > self.column[old].abs() }
                    })
            {
                (best, length) = (Some((row, to_upper)), reach.min(length));
            }
        }
        (best, length)
    }

    fn shift(&mut self, amount: f64) {
        if amount != 0.0 {
            self.values.iter_mut().zip(&self.column).for_each(|(value, &alpha)| *value -= amount * alpha);
        }
    }
}

#[cfg(test)]
mod tests;
