//! Dividing a person's budget among noised numbers.
//!
//! `e_c` epsilon of number `c`, `W_c` its weight, `b` the budget, `p` 2 for the variance of
//! Laplace noise (`2 / e^2`), 1 for its absolute error (`1 / e`) and for the variance of Gaussian
//! noise in terms of rho (`1 / (2 rho)`).
//!
//! ```text
//! (5)  minimise  sum_c W_c e_c^-p   so that   sum of e_c over the numbers a person is in <= b, for every person
//! (6)  everybody in all numbers:   e_c = b W_c^(1/(p+1)) / sum_k W_k^(1/(p+1))
//! (7)  lambda >= 0, mu_c = sum of lambda over persons in c:
//!      sum_c (p+1) W_c^(1/(p+1)) (mu_c / p)^(p/(p+1)) - b sum lambda  <=  the minimum
//! ```
//!
//! (7) is Lagrange's dual, attained. Multipliers grow with how much of the budget their person
//! spends (`lambda <- lambda * spent / b`, monotone by Yu 2010); every pass gives both sides, so
//! the gap is certified.

use privacy_core::stop::StopFlag;

/// The loss that the allocation of a noise budget minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum AllocationLoss {
    /// The weighted sum of variances, up to a factor: `W / e^2`.
    Variance,
    /// The weighted sum of absolute errors: `W / e`. With rho in place of epsilon, of variances
    /// of Gaussian noise.
    AbsoluteError,
}

impl AllocationLoss {
    fn power(self) -> f64 {
        match self {
            Self::Variance => 2.0,
            Self::AbsoluteError => 1.0,
        }
    }

    fn of(self, weights: &[f64], shares: &[f64]) -> f64 {
        weights.iter().zip(shares).map(|(weight, share)| weight / share.powf(self.power())).sum()
    }
}

/// An allocation of a noise budget, with a bound on its distance from the optimum.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Allocation {
    /// The share of each number. Nobody's shares add up to more than the budget, up to rounding.
    pub shares: Vec<f64>,
    /// The loss.
    pub value: f64,
    /// No division has a smaller loss, up to rounding.
    pub at_least: f64,
}

impl Allocation {
    /// How much smaller the loss might be, relative to it.
    #[must_use]
    pub fn gap(&self) -> f64 {
        ((self.value - self.at_least) / self.value).max(0.0)
    }
}

const SMALL_GAP: f64 = 1e-9;
const MOST_PASSES: usize = 20_000;

/// (6): the least loss when every person is in every number, in closed form. Shares are
/// proportional to a root of the weights, which are positive, as is the budget.
///
/// # Panics
/// If the budget or a weight is not positive and finite.
#[must_use]
pub fn allocate_common_budget(weights: &[f64], budget: f64, loss: AllocationLoss) -> Allocation {
    check(weights, budget);
    let roots: Vec<f64> = weights.iter().map(|weight| weight.powf(1.0 / (loss.power() + 1.0))).collect();
    let sum: f64 = roots.iter().sum();
    let shares: Vec<f64> = roots.into_iter().map(|root| budget * root / sum).collect();
    let value = loss.of(weights, &shares);
    Allocation { shares, value, at_least: value }
}

/// (5): `persons` lists for each kind of person the numbers they are in. A number that nobody is
/// in has the whole budget. At most 20,000 passes over the lists; a relative gap below 1e-9 ends
/// them.
///
/// ```
/// use frechet_release::{AllocationLoss, allocate_budget};
///
/// // Numbers 0 and 1 share a person; numbers 2 and 3 share none.
/// let persons = [vec![0, 1], vec![2], vec![3]];
/// let best = allocate_budget(&[1.0; 4], &persons, 1.0, AllocationLoss::Variance);
/// assert!((best.value - 10.0).abs() < 1e-6); // an even split among all four would lose 16 in the first two alone...
/// ```
///
/// # Panics
/// If the budget or a weight is not positive and finite, or a person is in a number that does not
/// exist.
#[must_use]
pub fn allocate_budget(weights: &[f64], persons: &[Vec<usize>], budget: f64, loss: AllocationLoss) -> Allocation {
    allocate(weights, persons, budget, loss, &StopFlag::never())
}

/// [`allocate_budget`], with fewer passes when the flag is set.
pub(crate) fn allocate(
    weights: &[f64],
    persons: &[Vec<usize>],
    budget: f64,
    loss: AllocationLoss,
    stop: &StopFlag,
) -> Allocation {
    check(weights, budget);
    let persons: Vec<&Vec<usize>> = persons.iter().filter(|numbers| !numbers.is_empty()).collect();
    let mut multipliers = vec![1.0 / persons.len().max(1) as f64; persons.len()];
    let mut best = Allocation { shares: Vec::new(), value: f64::INFINITY, at_least: 0.0 };
    for _ in 0..MOST_PASSES {
        let (shares, at_least) = respond(weights, &persons, &multipliers, budget, loss);
        let spent: Vec<f64> = persons.iter().map(|numbers| numbers.iter().map(|&c| shares[c]).sum()).collect();
        let most = spent.iter().copied().fold(0.0, f64::max);
        // Shares scaled until the person who spends most spends the budget are allowed, so their
        // loss is an upper bound; the dual (7) at these multipliers is a lower one.
        let scale = if most > 0.0 { budget / most } else { 1.0 };
        let shares: Vec<f64> = shares.iter().map(|share| (share * scale).min(budget)).collect();
        let value = loss.of(weights, &shares);
        if value < best.value {
            best = Allocation { shares, value, at_least: best.at_least };
        }
        best.at_least = best.at_least.max(at_least);
        if best.gap() < SMALL_GAP || stop.is_set() {
            break;
        }
        // Who spends more than the others gets dearer: multiplicative updates keep multipliers
        // positive and decrease the loss from pass to pass (Yu 2010).
        multipliers.iter_mut().zip(&spent).for_each(|(multiplier, spent)| *multiplier *= spent);
        let sum: f64 = multipliers.iter().sum();
        multipliers.iter_mut().for_each(|multiplier| *multiplier /= sum);
    }
    best
}

/// The shares that are best at these prices, and the bound (7) at the best common factor of the
/// prices.
fn respond(
    weights: &[f64],
    persons: &[&Vec<usize>],
    multipliers: &[f64],
    budget: f64,
    loss: AllocationLoss,
) -> (Vec<f64>, f64) {
    let p = loss.power();
    let mut prices = vec![0.0; weights.len()];
    for (numbers, multiplier) in persons.iter().zip(multipliers) {
        numbers.iter().for_each(|&number| prices[number] += multiplier);
    }
    let q = p / (p + 1.0);
    let free: f64 =
        weights.iter().zip(&prices).filter(|(_, price)| **price == 0.0).map(|(w, _)| w / budget.powf(p)).sum();
    let priced = weights.iter().zip(&prices).filter(|(_, price)| **price > 0.0);
    let sum: f64 = priced.map(|(w, price)| (p + 1.0) * w.powf(1.0 / (p + 1.0)) * (price / p).powf(q)).sum();
    // With prices times s: s^q sum - s b, largest at s = (q sum / b)^(p + 1).
    let factor = (q * sum / budget).powf(p + 1.0);
    let at_least = factor.powf(q) * sum - factor * budget;
    (
        weights
            .iter()
            .zip(&prices)
            .map(
                |(w, price): (&f64, &f64)| {
                    if *price > 0.0 { (p * w / (factor * price)).powf(1.0 / (p + 1.0)) } else { budget }
                },
            )
            .collect(),
        at_least + free,
    )
}

fn check(weights: &[f64], budget: f64) {
    assert!(is_positive(budget) && weights.iter().all(|&w| is_positive(w)), "weights and budgets are positive");
}

fn is_positive(v: f64) -> bool {
    v > 0.0 && v < f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cube_roots_share_the_variance_and_square_roots_the_absolute_error() {
        let weights = [3.0, 10.0, 40.0];
        let best = allocate_common_budget(&weights, 1.0, AllocationLoss::Variance);
        assert!((best.value - 345.5).abs() < 0.1, "{}", best.value);
        let equal = AllocationLoss::Variance.of(&weights, &[1.0 / 3.0; 3]);
        assert!((equal - 477.0).abs() < 1e-9);
        let shares = allocate_common_budget(&[1.0, 4.0], 3.0, AllocationLoss::AbsoluteError).shares;
        assert!((shares[0] - 1.0).abs() < 1e-12 && (shares[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_that_nobody_shares_do_not_share_a_budget() {
        // Two numbers meet in one person, two others in none: 4 + 4 + 1 + 1 instead of 16.
        let persons = [vec![0, 1], vec![2], vec![3]];
        let got = allocate_budget(&[1.0; 4], &persons, 1.0, AllocationLoss::Variance);
        assert!((got.value - 10.0).abs() < 1e-7 && got.gap() < 1e-8, "{got:?}");
        assert!((AllocationLoss::Variance.of(&[1.0; 4], &[0.5; 4]) - 16.0).abs() < 1e-12);
    }

    #[test]
    fn a_number_that_nobody_is_in_has_the_whole_budget() {
        let got = allocate_budget(&[1.0, 1.0], &[vec![0]], 2.0, AllocationLoss::Variance);
        assert!((got.shares[0] - 2.0).abs() < 1e-9 && (got.shares[1] - 2.0).abs() < 1e-9, "{got:?}");
    }

    proptest! {
        #[test]
        fn the_program_agrees_with_the_closed_form(weights in proptest::collection::vec(0.1_f64..50.0, 1..6), budget in 0.1_f64..5.0, first: bool) {
            let loss = if first { AllocationLoss::Variance } else { AllocationLoss::AbsoluteError };
            let everybody = vec![(0..weights.len()).collect::<Vec<usize>>()];
            let (closed, solved) = (allocate_common_budget(&weights, budget, loss), allocate_budget(&weights, &everybody, budget, loss));
            prop_assert!((closed.value - solved.value).abs() < 1e-8 * closed.value);
            for (a, b) in closed.shares.iter().zip(&solved.shares) {
                prop_assert!((a - b).abs() < 1e-4 * a);
            }
        }

        #[test]
        fn no_division_beats_the_bound(
            weights in proptest::collection::vec(0.1_f64..9.0, 5),
            persons in proptest::collection::vec(proptest::collection::btree_set(0_usize..5, 1..4), 1..6),
            other in proptest::collection::vec(0.05_f64..1.0, 5),
        ) {
            let persons: Vec<Vec<usize>> = persons.into_iter().map(|set| set.into_iter().collect()).collect();
            let got = allocate_budget(&weights, &persons, 1.0, AllocationLoss::Variance);
            let spends = |shares: &[f64]| persons.iter().map(|p| p.iter().map(|&c| shares[c]).sum::<f64>()).fold(0.0, f64::max);
            prop_assert!(spends(&got.shares) <= 1.0 + 1e-12);
            let scale = spends(&other);
            let other: Vec<f64> = other.iter().map(|share| (share / scale).min(1.0)).collect();
            prop_assert!(AllocationLoss::Variance.of(&weights, &other) >= got.at_least * (1.0 - 1e-12));
            prop_assert!(got.gap() < 1e-3, "{}", got.gap());
        }
    }
}
