//! Dual steps: after a box was narrowed, the basis of the last solve still has the right prices,
//! and only a few basic variables lie outside their boxes.
//!
//! A step takes a basic variable that is furthest outside its box to the end that it violates, and
//! lets the variable enter whose price reaches 0 first, so that all prices keep their sign. When
//! none can enter, the row of the inverse proves that there is no table.

use super::{FEASIBLE, Outcome, PIVOT, PRICE, Phase, Place, Simplex};

/// Steps for each row after which primal steps take over: they have a rule against cycles.
const MOST_STEPS: usize = 2;

impl Simplex {
    /// From prices that are optimal for an objective to a point within all boxes; `None` when they
    /// are not, or primal steps should try.
    pub(super) fn return_by_dual(&mut self, phase: &Phase<'_>) -> Option<Outcome> {
        self.refresh_prices(phase);
        if self.has_optimal_prices(phase) { self.run_dual(phase) } else { None }
    }

    /// Whether no variable that stands at an end of its box would improve the objective.
    fn has_optimal_prices(&self, phase: &Phase<'_>) -> bool {
        (0..self.cells + self.rows).all(|variable| self.improving(variable, phase).is_none())
    }

    /// Goes from optimal prices to a point within all boxes; `None` when the steps do not get
    /// there and primal ones should try.
    fn run_dual(&mut self, phase: &Phase<'_>) -> Option<Outcome> {
        for _ in 0..MOST_STEPS * self.rows + 100 {
            if self.steps_left == 0 || self.end.is_set() {
                return Some(Outcome::Stalled);
            }
            let Some((row, is_below)) = self.furthest_outside() else { return Some(Outcome::Optimal) };
            self.steps_left -= 1;
            if self.inverse.is_worn(self.pivots_since_fresh) {
                if !self.refactor() {
                    return Some(Outcome::Stalled);
                }
                self.refresh_prices(phase);
                continue;
            }
            let Some((entering, price)) = self.dual_entering(row, is_below, phase) else {
                return self.empty_by_row(row, is_below).then_some(Outcome::Infeasible);
            };
            self.solve_column(entering);
            let alpha = self.column[row];
            // The row of the inverse and the column of the basis must agree about the pivot.
            if alpha.abs() < PIVOT {
                return None;
            }
            let leaving = self.basis[row];
            let end = if is_below { self.lower[leaving] } else { self.upper[leaving] };
            let length = (self.values[row] - end) / alpha;
            let start = self.value(entering);
            self.shift(length);
            self.place[leaving] = if is_below { Place::Lower } else { Place::Upper };
            self.place[entering] = Place::Basic(row);
            self.basis[row] = entering;
            self.values[row] = start + length;
            self.pivot(row, price);
        }
        None
    }

    /// The row whose basic variable is furthest outside its box, and whether it is below.
    fn furthest_outside(&self) -> Option<(usize, bool)> {
        let mut furthest: Option<(usize, bool, f64)> = None;
        for (row, (&variable, &value)) in self.basis.iter().zip(&self.values).enumerate() {
            let slack = FEASIBLE * (1.0 + value.abs().min(1e4));
            let (below, above) = (self.lower[variable] - value, value - self.upper[variable]);
            let outside = below.max(above);
            if outside > slack && furthest.is_none_or(|(.., most)| outside > most) {
                furthest = Some((row, below > above, outside));
            }
        }
        furthest.map(|(row, is_below, _)| (row, is_below))
    }

    /// The variable whose price is the first to reach 0 when the basic variable of `row` moves to
    /// its end, and that price; among ties the one with the largest pivot.
    fn dual_entering(&mut self, row: usize, is_below: bool, phase: &Phase<'_>) -> Option<(usize, f64)> {
        self.solve_row(row);
        let mut best: Option<(usize, f64, f64, f64)> = None;
        for variable in 0..self.cells + self.rows {
            let at_lower = match self.place[variable] {
                Place::Basic(_) => continue,
                _ if self.lower[variable] == self.upper[variable] => continue,
                place => place == Place::Lower,
            };
            let alpha = self.row_entry(variable);
            // The basic variable must move inwards while the entering one leaves its end.
            if alpha.abs() < 1e-7 || (alpha > 0.0) == (is_below == at_lower) {
                continue;
            }
            let price = self.reduced_cost(variable, phase);
            let ratio = price.abs() / alpha.abs();
            if best.is_none_or(|(.., size, least)| ratio < least - 1e-9 || ratio <= least + 1e-9 && alpha.abs() > size)
            {
                best = Some((variable, price, alpha.abs(), ratio));
            }
        }
        best.map(|(variable, price, ..)| (variable, price))
    }

    /// The entry of a variable's column in the row of the inverse at hand.
    fn row_entry(&self, variable: usize) -> f64 {
        match variable.checked_sub(self.cells) {
            Some(sum) => -self.row[sum],
            None => self.rows_of(variable).iter().map(|&row| self.row[row as usize]).sum(),
        }
    }

    /// Farkas multipliers: the row of the inverse, with the sign that makes the right side
    /// negative.
    fn empty_by_row(&mut self, row: usize, is_below: bool) -> bool {
        let violation = self.violation(row);
        let sign = if is_below { 1.0 } else { -1.0 };
        self.prices.iter_mut().zip(&self.row).for_each(|(price, &entry)| *price = sign * entry);
        violation != 0.0 && self.prices.iter().any(|price| price.abs() > PRICE)
    }
}

#[cfg(test)]
mod tests;
