//! From the ideal variances to those of the plan: rational, rounded up, and within the budget.
//!
//! Every sigma_B^2 is rounded up to a rational with 32 significant bits; what the roundings of
//! the cost take away is given back by scaling all of them.

use privacy_core::AttrSet;
use privacy_core::accounting::{Neighbours, discrete};
use privacy_core::noise::Rational;
use privacy_core::round::{div_down, integer_down, integer_up};

use crate::error::Error;
use crate::measurement::lattice::lattice_variance;
use crate::planning::adjacency::Adjacency;
use crate::planning::closure::Closure;
use crate::planning::cost::{total_cost, worst_cost};
use crate::strategy::axes::Axes;

/// Rounds of scaling before a budget is given up on. One is the rule; two when roundings add up;
/// some dozen when noise is too small for a bound in Gaussian differential privacy.
const MOST_ROUNDS: usize = 64;
/// The part of a budget that is spent before a plan is looked for that spends more.
const WELL_SPENT: f64 = 1.0 - 1e-6;
/// The ratio of two scales that count as one.
const NEAR: f64 = 1.0 + 1e-9;
/// Bits of a variance: a relative excess of at most 2^-31.
pub(crate) const VARIANCE_BITS: u32 = 32;

/// What a unit of precision of each residual costs, in the order of the closure.
pub(crate) fn costs(axes: &Axes, closure: &Closure, adjacency: Adjacency) -> Vec<f64> {
    let group = f64::from(adjacency.rows_per_person) * f64::from(adjacency.rows_per_person);
    closure.sets().iter().map(|&set| group * worst_cost(axes, set, adjacency)).collect()
}

/// The variance that is best for a residual, up to a common factor. What costs nothing has no
/// noise, and what no answer needs has no precision.
pub(crate) fn variance(cost: f64, loss: f64) -> f64 {
    if cost > 0.0 { (cost / loss).sqrt() } else { 0.0 }
}

/// The variances of least loss at this budget.
pub(crate) fn least_loss(closure: &Closure, cost: &[f64], budget: f64) -> Vec<f64> {
    let root: f64 = cost.iter().zip(closure.loss()).map(|(p, v)| (p * v).sqrt()).sum();
    all_measured(cost.iter().zip(closure.loss()).map(|(&p, &v)| root / budget * variance(p, v)).collect())
}

/// What no answer needs would get no precision at all: it gets a millionth of the least that
/// another gets, so that every residual is measured.
pub(crate) fn all_measured(ideal: Vec<f64>) -> Vec<f64> {
    let largest = ideal.iter().copied().filter(|variance| variance.is_finite()).fold(0.0, f64::max);
    ideal.into_iter().map(|variance| if variance == f64::INFINITY { largest * 1e6 } else { variance }).collect()
}

/// What a plan may spend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spending {
    /// As squared sensitivity over variance: twice rho.
    pub(crate) budget: f64,
    /// As the square of mu of Gaussian differential privacy, besides.
    pub(crate) gaussian: Option<f64>,
}

impl Spending {
    /// A budget in rho alone.
    pub(crate) fn cost(budget: f64) -> Self {
        Self { budget, gaussian: None }
    }

    /// The factor by which a plan of this cost spends too much; at most 1 where it does not.
    fn excess(self, cost: f64, gaussian: impl FnOnce() -> Option<f64>) -> f64 {
        let in_rho = cost / self.budget;
        let in_mu = self.gaussian.map_or(0.0, |most| match gaussian() {
            Some(cost) => cost / most,
            // Noise of less than a step of its lattice has no bound: there has to be more.
            None => 1.5,
        });
        in_rho.max(in_mu)
    }
}

/// A variance as a number that is at most it, since the nearest would have less cost than the noise
/// that is drawn. Itself where its parts have up to 53 bits and the quotient is a number, as in
/// every plan that is made here; a file may have any fraction.
pub(crate) fn variance_below(variance: Rational) -> f64 {
    div_down(integer_down(variance.numerator()), integer_up(variance.denominator()))
}

/// What residuals with these variances cost in Gaussian differential privacy, rounded up: every
/// variance is made as small as that of the continuous noise that costs the same (accounting.md
/// (12)). `None` where the noise of a residual is less than a step of its lattice.
pub(crate) fn gaussian_cost(
    axes: &Axes,
    residuals: impl Iterator<Item = (AttrSet, Rational)>,
    adjacency: Adjacency,
) -> Option<f64> {
    let continuous = residuals.map(|(set, sigma2)| {
        if sigma2.is_zero() {
            return Some((set, 0.0));
        }
        let on_lattice = lattice_variance(axes, set, sigma2).ok()?;
        Some((set, discrete::continuous_variance(variance_below(sigma2), on_lattice)?))
    });
    Some(total_cost(axes, &continuous.collect::<Option<Vec<_>>>()?, adjacency))
}

/// The variances rounded up and scaled until the whole costs at most what may be spent, and what
/// it costs.
pub(crate) fn within_budget(
    axes: &Axes,
    closure: &Closure,
    adjacency: Adjacency,
    ideal: &[f64],
    spending: Spending,
) -> Result<(Vec<Rational>, f64), Error> {
    let budget = spending.budget;
    let scaled = |scale| Scaled::new(axes, closure, adjacency, ideal, scale, spending);
    let (mut scale, mut too_small) = (unspent(axes, closure, adjacency, ideal, budget), None);
    for _ in 0..MOST_ROUNDS {
        let plan = scaled(scale)?;
        if plan.excess <= 1.0 {
            let least = too_small.filter(|_| plan.excess < WELL_SPENT);
            let plan = least.map_or(Ok(plan.clone()), |too_small| least_scale(scaled, (too_small, scale), plan))?;
            return Ok((plan.variances, plan.cost));
        }
        if !plan.excess.is_finite() {
            // Numbers overflowed on the way here.
            break;
        }
        // Besides what the cost tells, the roundings may be missing that made this cost lower
        // than it would have been.
        too_small = Some(scale);
        scale *= plan.excess * (1.0 + 2.0 / (1_u64 << VARIANCE_BITS) as f64);
    }
    Err(Error::BudgetOutOfRange { pcost: budget })
}

/// The variances at a scale, and what they cost.
#[derive(Clone, Debug)]
struct Scaled {
    variances: Vec<Rational>,
    cost: f64,
    excess: f64,
}

impl Scaled {
    fn new(
        axes: &Axes,
        closure: &Closure,
        adjacency: Adjacency,
        ideal: &[f64],
        scale: f64,
        spending: Spending,
    ) -> Result<Self, Error> {
        let rounded = ideal.iter().map(|variance| Rational::round_up(variance * scale, VARIANCE_BITS));
        let variances: Vec<Rational> = rounded.collect::<Result<_, _>>()?;
        let rounded: Vec<_> = closure.sets().iter().copied().zip(variances.iter().map(|v| v.to_f64())).collect();
        let cost = total_cost(axes, &rounded, adjacency);
        let sets = closure.sets().iter().copied();
        let excess = spending.excess(cost, || gaussian_cost(axes, sets.zip(variances.iter().copied()), adjacency));
        Ok(Self { variances, cost, excess })
    }
}

/// The plan of the least scale that is within the budget, between one that is not and one that is:
/// near a step of the lattice the cost in Gaussian differential privacy falls faster than the scale
/// rises, and has no bound below.
fn least_scale(
    scaled: impl Fn(f64) -> Result<Scaled, Error>,
    (mut too_small, mut enough): (f64, f64),
    mut least: Scaled,
) -> Result<Scaled, Error> {
    for _ in 0..MOST_ROUNDS {
        if enough / too_small < NEAR || least.excess >= WELL_SPENT {
            break;
        }
        let middle = (too_small * enough).sqrt();
        let plan = scaled(middle)?;
        if plan.excess <= 1.0 {
            (enough, least) = (middle, plan);
        } else {
            too_small = middle;
        }
    }
    Ok(least)
}

/// The factor by which all variances may be made smaller: a sum of the residuals' worst costs
/// overstates the cost of replacing a row. 1 where a row is added or removed.
pub(crate) fn unspent(axes: &Axes, closure: &Closure, adjacency: Adjacency, variances: &[f64], budget: f64) -> f64 {
    let free = variances.iter().all(|&variance| variance == 0.0);
    if free || adjacency.neighbours == Neighbours::AddRemove {
        return 1.0;
    }
    let residuals: Vec<_> = closure.sets().iter().copied().zip(variances.iter().copied()).collect();
    total_cost(axes, &residuals, adjacency) / budget
}
