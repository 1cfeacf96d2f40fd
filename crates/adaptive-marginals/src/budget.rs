//! How the budget is divided: noise and choices of every round, and what they have cost.
//!
//! `T` rounds, `a` share for noise, `S1`, `S2` how far one person moves a marginal: sum of
//! changes, sum of their squares.
//!
//! ```text
//! first noise       sigma^2 = S2 T / (2 a rho)            costs  S2 / (2 sigma^2)
//! first choice      epsilon = sqrt(8 (1 - a) rho / T)     costs  epsilon^2 / 8
//! annealing         sigma / 2 and 2 epsilon, when a table moved no more than 0.6 of its noise
//! last round        all that is left, when it is at most two rounds
//! ```
//!
//! Parameters are rational, costs are rounded up, what is left is rounded down: the sum of all
//! costs is at most rho. Source: McKenna et al. (2022), algorithms 1 to 3.

use privacy_core::accounting::Neighbours;
use privacy_core::noise::{DiscreteGaussian, Rational, RationalError};
use privacy_core::round::{add_up, div_up, mul_down, mul_up, sub_down};

/// How far one person moves a marginal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sensitivity {
    /// Sum of changes.
    pub(crate) l1: u32,
    /// Sum of their squares.
    pub(crate) l2_squared: u32,
}

impl Sensitivity {
    /// A person with up to `rows` rows, of 1 to 1,000: all of them in one cell is the worst.
    pub(crate) fn new(neighbours: Neighbours, rows: u32) -> Self {
        let tables = match neighbours {
            Neighbours::AddRemove => 1,
            // Out of one cell, into another.
            Neighbours::Replace => 2,
        };
        Self { l1: tables * rows, l2_squared: tables * rows * rows }
    }
}

/// The parameters of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) sigma2: Rational,
    pub(crate) epsilon: Rational,
}

/// What is left, and how the next round uses it.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    rho: f64,
    noise_share: f64,
    sensitivity: Sensitivity,
    used: f64,
    next: Step,
    is_over: bool,
}

/// Bits of a variance; more would only make draws slower.
const BITS: u32 = 20;
/// Steps of epsilon.
const EPSILON_UNIT: f64 = (1_u64 << 24) as f64;
/// Room for the roundings of a few floating-point operations, on the side of more noise.
const ROOM: f64 = 1e-9;

impl Budget {
    /// # Errors
    /// [`RationalError`] when the noise is out of range.
    pub(crate) fn new(
        rho: f64,
        noise_share: f64,
        rounds: u32,
        sensitivity: Sensitivity,
    ) -> Result<Self, RationalError> {
        let next = Step::of(rho / f64::from(rounds), noise_share, sensitivity)?;
        Ok(Self { rho, noise_share, sensitivity, used: 0.0, next, is_over: false })
    }

    pub(crate) fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// How the next round uses the budget, unless it is the last one.
    pub(crate) fn next(&self) -> Step {
        self.next
    }

    /// The parameters of the first choice after this many measurements that nobody chose.
    pub(crate) fn first_choice(&self, measurements: usize) -> Step {
        let mut budget = self.clone();
        for _ in 0..measurements {
            let _ = budget.take_noise();
        }
        // Noise that is out of range is an error of the release, which has no first choice.
        budget.take_round().ok().flatten().unwrap_or(self.next)
    }

    /// What was spent so far, rounded up.
    pub(crate) fn used(&self) -> f64 {
        self.used
    }

    /// Share of the budget that was spent.
    pub(crate) fn share_used(&self) -> f64 {
        (self.used / self.rho).min(1.0)
    }

    /// The noise of a measurement that nobody chose. `None` when it does not fit any more.
    pub(crate) fn take_noise(&mut self) -> Option<Rational> {
        let used = add_up(self.used, self.noise_cost(self.next.sigma2));
        (used <= self.rho).then(|| {
            self.used = used;
            self.next.sigma2
        })
    }

    /// The next round, paid for. `None` after the last one.
    ///
    /// # Errors
    /// [`RationalError`] when the noise of the last round is out of range.
    pub(crate) fn take_round(&mut self) -> Result<Option<Step>, RationalError> {
        let left = sub_down(self.rho, self.used);
        if self.is_over || left <= 0.0 {
            return Ok(None);
        }
        if left <= 2.0 * self.cost(self.next) {
            self.next = Step::of(left, self.noise_share, self.sensitivity)?;
            self.is_over = true;
        }
        let used = add_up(self.used, self.cost(self.next));
        if used > self.rho {
            return Ok(None);
        }
        self.used = used;
        Ok(Some(self.next))
    }

    /// Half the noise and twice the epsilon from the next round on.
    ///
    /// # Errors
    /// [`RationalError`] when the noise is out of range.
    pub(crate) fn anneal(&mut self) -> Result<(), RationalError> {
        let Step { sigma2, epsilon } = self.next;
        let sigma2 = match sigma2.denominator().checked_mul(4) {
            Some(denominator) => Rational::new(sigma2.numerator(), denominator)?,
            None => return Err(RationalError::Overflow),
        };
        DiscreteGaussian::check(sigma2)?;
        self.next = Step { sigma2, epsilon: epsilon.times(2)? };
        Ok(())
    }

    fn noise_cost(&self, sigma2: Rational) -> f64 {
        // At most 53 bits over a power of two: the conversion is exact.
        div_up(f64::from(self.sensitivity.l2_squared), mul_down(2.0, sigma2.to_f64()))
    }

    fn cost(&self, step: Step) -> f64 {
        let epsilon = step.epsilon.to_f64();
        add_up(self.noise_cost(step.sigma2), div_up(mul_up(epsilon, epsilon), 8.0))
    }
}

impl Step {
    /// The round that costs at most `rho`.
    fn of(rho: f64, noise_share: f64, sensitivity: Sensitivity) -> Result<Self, RationalError> {
        let sigma2 = f64::from(sensitivity.l2_squared) / (2.0 * noise_share * rho) * (1.0 + ROOM);
        let epsilon = (8.0 * (1.0 - noise_share) * rho).sqrt() * (1.0 - ROOM);
        let sigma2 = Rational::round_up(sigma2, BITS)?;
        DiscreteGaussian::check(sigma2)?;
        let units = (epsilon * EPSILON_UNIT).floor();
        Ok(Self { sigma2, epsilon: Rational::new(units as u128, EPSILON_UNIT as u128)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is annealed and when, costs that are added up as exact fractions stay within the
    /// budget, and nearly all of it is used.
    #[test]
    fn rounds_use_the_budget_and_no_more() {
        for (rho, rounds, neighbours, rows) in [
            (0.1, 32, Neighbours::AddRemove, 1),
            (1e-4, 224, Neighbours::Replace, 1),
            (50.0, 3, Neighbours::AddRemove, 7),
            (1.0 / 3.0, 1, Neighbours::Replace, 3),
        ] {
            for pattern in 0_u32..32 {
                let sensitivity = Sensitivity::new(neighbours, rows);
                let mut budget = Budget::new(rho, 0.9, rounds, sensitivity).unwrap();
                let mut exact = 0.0_f64;
                let mut round = 0;
                while let Some(step) = budget.take_round().unwrap() {
                    exact += f64::from(sensitivity.l2_squared) / (2.0 * step.sigma2.to_f64());
                    exact += step.epsilon.to_f64().powi(2) / 8.0;
                    if pattern >> (round % 5) & 1 == 1 {
                        budget.anneal().unwrap();
                    }
                    round += 1;
                }
                assert!(exact <= rho * (1.0 + 1e-12) && budget.used() <= rho, "{exact} of {rho}");
                assert!(exact >= 0.99 * rho, "{exact} of {rho}");
                assert!(round <= rounds, "{round} of {rounds}");
            }
        }
    }

    #[test]
    fn a_person_moves_a_marginal_by_all_their_rows() {
        let of = |neighbours, rows| {
            let sensitivity = Sensitivity::new(neighbours, rows);
            (sensitivity.l1, sensitivity.l2_squared)
        };
        assert_eq!((of(Neighbours::AddRemove, 1), of(Neighbours::Replace, 1)), ((1, 1), (2, 2)));
        assert_eq!((of(Neighbours::AddRemove, 3), of(Neighbours::Replace, 3)), ((3, 9), (6, 18)));
    }
}
