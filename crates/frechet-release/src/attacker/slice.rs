//! A draw along a line through a table: `x + t d` for whole `t`, `d` a move that changes no row.
//!
//! `x_e` count, `d_e` change, `u_e` capacity, `w` the weight that a prior gives to a table:
//!
//! ```text
//! ln w(x) = sum of ln u_e! - ln x_e! - ln (u_e - x_e)!     with capacities
//!         = sum of - ln x_e!                               without
//! ```
//!
//! Both are concave, so along a line `t` has one interval where `ln w(x + t d) >= h`, whatever
//! `h`. A slice: draw `h` below `ln w(x)` by an exponential variable, then `t` evenly from that
//! interval. This leaves the prior as it is, however long the line is, and evaluates `w` as often
//! as the interval's length has digits.
//!
//! Source: R. M. Neal, *Slice sampling* (2003), section 3.

use privacy_core::rng::{SimRng, number_below};
use privacy_core::special::{ln_gamma, log1pmx, stirling_error};
use rand_core::Rng;

use crate::attacker::noised::evidence::EvidenceLine;
use crate::table::system::NO_CAPACITY;

/// Counts from which Stirling's formula is taken: it loses nothing where `ln x!` itself would
/// lose all digits.
const LARGE: i64 = 64;

/// A line through a table.
pub(crate) struct SliceLine<'a> {
    pub(crate) table: &'a [i64],
    pub(crate) capacity: &'a [i64],
    /// Cells and their changes, none of them 0.
    pub(crate) cells: &'a [(usize, i64)],
    /// Rows that the move changes: how far their sums are above the least and below the largest,
    /// and the change.
    pub(crate) rows: &'a [(i64, i64, i64)],
    /// Whether tables weigh as people can be assigned to them; else alike.
    pub(crate) is_weighted: bool,
    /// Noisy numbers by whose likelihood tables weigh besides.
    pub(crate) evidence: Option<&'a EvidenceLine>,
}

impl SliceLine<'_> {
    /// How many steps of the line to take, backwards when below 0.
    pub(crate) fn draw(&self, rng: &mut SimRng) -> i64 {
        let (back, forth) = (self.reach(-1), self.reach(1));
        if back == 0 && forth == 0 {
            return 0;
        }
        let (back, forth) = match self.is_weighted || self.evidence.is_some() {
            true => {
                // In (0, 1], so that the logarithm is finite.
                let height = (((rng.next_u64() >> 11) + 1) as f64 * (-53_f64).exp2()).ln();
                let within = |t: i64| self.log_ratio(t) >= height;
                (furthest(back, |t| within(-t)), furthest(forth, within))
            }
            false => (back, forth),
        };
        number_below((back + forth).unsigned_abs() + 1, rng).cast_signed() - back
    }

    /// How many steps stay within the boxes and the rows.
    fn reach(&self, direction: i64) -> i64 {
        let of_cell =
            |&(cell, change): &(usize, i64)| (self.table[cell], self.capacity[cell] - self.table[cell], change);
        let rooms = self.cells.iter().map(of_cell).chain(self.rows.iter().copied());
        rooms
            .map(|(down, up, change): (i64, i64, i64)| if change * direction > 0 { up } else { down } / change.abs())
            .min()
            .unwrap_or(0)
    }

    /// `ln w(x + t d) - ln w(x)`, with the likelihood of noisy numbers.
    fn log_ratio(&self, t: i64) -> f64 {
        let prior = if self.is_weighted { self.prior_ratio(t) } else { 0.0 };
        prior + self.evidence.map_or(0.0, |evidence| evidence.log_ratio(t))
    }

    /// `ln w(x + t d) - ln w(x)`.
    fn prior_ratio(&self, t: i64) -> f64 {
        self.cells
            .iter()
            .map(|&(cell, change): &(usize, i64)| {
                let (from, most) = (self.table[cell], self.capacity[cell]);
                let others =
                    if most == NO_CAPACITY { 0.0 } else { ln_factorials(most - from, most - from - t * change) };
                -ln_factorials(from, from + t * change) - others
            })
            .sum()
    }
}

/// `ln to! - ln from!`, without the digits that both share.
fn ln_factorials(from: i64, to: i64) -> f64 {
    let (a, b, change) = (to as f64, from as f64, (to - from) as f64);
    if from.min(to) < LARGE {
        return ln_gamma(a + 1.0) - ln_gamma(b + 1.0);
    }
    let y = change / b;
    change * b.ln() + (a * log1pmx(y) + change * y) + 0.5 * (a / b).ln() + stirling_error(a) - stirling_error(b)
}

/// The largest `t` of `0..=limit` within, where those within are `0..=t`.
fn furthest(limit: i64, within: impl Fn(i64) -> bool) -> i64 {
    let (mut inside, mut outside, mut step) = (0, limit + 1, 1);
    while outside - inside > 1 {
        // Strides double until one leaves; then the rest is halved.
        let next = if outside > limit { (inside + step).min(limit) } else { inside + (outside - inside) / 2 };
        match within(next) {
            true => inside = next,
            false => outside = next,
        }
        step = step.saturating_mul(2);
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_logarithms_keep_their_digits_up_to_the_largest_counts() {
        let slow = |from: i64, to: i64| (from + 1..=to).map(|n| (n as f64).ln()).sum::<f64>();
        for (from, to) in [(0, 5), (3, 70), (64, 64), (64, 90), (1_000, 1_400), (1 << 40, (1 << 40) + 300)] {
            let (got, expected) = (ln_factorials(from, to), slow(from, to));
            assert!((got - expected).abs() <= 1e-12 * (1.0 + expected), "{from} {to}: {got} {expected}");
            assert_eq!(ln_factorials(to, from).total_cmp(&0.0).is_lt(), to > from);
            assert!((ln_factorials(to, from) + expected).abs() <= 1e-12 * (1.0 + expected));
        }
        // The most likely split of 2^52 people is even, and one standard deviation away it is
        // exp(-1/2) as likely.
        let line = SliceLine {
            table: &[1 << 51],
            capacity: &[1 << 52],
            cells: &[(0, 1)],
            rows: &[],
            is_weighted: true,
            evidence: None,
        };
        assert!((line.log_ratio(1 << 25) + 0.5).abs() < 1e-6, "{}", line.log_ratio(1 << 25));
    }

    #[test]
    fn a_line_ends_at_the_nearest_box_or_row() {
        let line = |rows| SliceLine {
            table: &[5, 5],
            capacity: &[20, 20],
            cells: &[(0, 2), (1, -1)],
            rows,
            is_weighted: false,
            evidence: None,
        };
        let reach = |rows| (line(rows).reach(-1), line(rows).reach(1));
        assert_eq!(reach(&[]), (2, 5));
        assert_eq!(reach(&[(1, 3, 1)]), (1, 3));
        assert_eq!(reach(&[(1, 3, -2)]), (1, 0));
    }

    #[test]
    fn the_furthest_step_within_is_found_at_any_distance() {
        for limit in [0_i64, 1, 2, 7, 100] {
            for last in 0..=limit {
                assert_eq!(furthest(limit, |t| t <= last), last);
            }
        }
        assert_eq!(furthest(NO_CAPACITY, |t| t <= 1 << 50), 1 << 50);
    }
}
