//! The plan: how much noise each residual gets, chosen without looking at the data.
//!
//! `c` the budget (pcost), `p_B` and `v_B` as in the closure. The least loss at cost c, by Cauchy-Schwarz:
//!
//! ```text
//! T = (sum of sqrt(v_B p_B))^2 / c,      sigma_B^2 = sqrt(T p_B / (c v_B))
//! ```
//!
//! Every sigma_B^2 is then rounded up to a rational with 32 significant bits, so that the cost stays at or below c.
//! Source: as `closure`; the variance of a cell of A is
//! `sum over B subset of A of sigma_B^2 (product of (k_i - 1) / k_i over B) (product of 1 / k_j^2 over A \ B)`.

use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::noise::{DiscreteGaussian, Rational};
use privacy_core::param::{ParamError, StdDev};
use privacy_core::round::mul_up;
use privacy_core::{AttrSet, Domain};

use crate::adjacency::Adjacency;
use crate::closure::{Closure, variance_terms, varying};
use crate::cost::{total_cost, worst_cost};
use crate::error::Error;
use crate::measure::scaled_variance;
use crate::norm::{LeastNorm, least_norm};
use crate::workload::{Limits, Workload};

/// Rounds of scaling before a budget is given up on. One is the rule; two when roundings add up.
const MOST_ROUNDS: usize = 8;
/// Bits of a variance: a relative excess of at most 2^-31.
const VARIANCE_BITS: u32 = 32;

/// What a plan makes small.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Objective {
    /// The weighted sum of the variances of all released cells: in closed form.
    #[default]
    SumVariance,
    /// The largest weighted variance of a released cell: by an iteration that certifies its gap.
    MaxVariance,
    /// The mean over all cells of the q-th power of the weighted variance, to the power 1/q: the larger q, the more the
    /// largest variances count. Between the other two, and certified as well.
    NormVariance(NormOrder),
}

/// The order q of a norm: from 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormOrder(f64);

impl NormOrder {
    /// Accepts a number from 1 to 64; beyond, [`Objective::MaxVariance`] is meant.
    ///
    /// # Errors
    /// [`Error::BadNorm`] for anything else, NaN included.
    pub fn new(order: f64) -> Result<Self, Error> {
        if (1.0..=64.0).contains(&order) { Ok(Self(order)) } else { Err(Error::BadNorm { order }) }
    }

    /// The order itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// What a plan is made from.
#[derive(Clone, Debug)]
pub struct PlanSpec {
    /// The domain of the data.
    pub domain: Domain,
    /// The marginals to be released.
    pub workload: Workload,
    /// What is to be small.
    pub objective: Objective,
    /// The privacy budget.
    pub budget: PrivacyCost,
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// How many rows one person may have; 1 where a row is the unit of privacy. `m` rows cost `m^2`. With
    /// [`Neighbours::Replace`] and 1 the number of rows is public, and the total goes out exactly.
    pub rows_per_person: u32,
}

/// Noise for every residual of a workload: checked, within budget, ready to measure once.
///
/// The objective is at its minimum for the budget over all unbiased Gaussian linear mechanisms, up to
/// [`Plan::gap`] (add-remove neighbours; for replace, over this family at the bound of each residual).
#[derive(Clone, Debug)]
pub struct Plan {
    domain: Domain,
    workload: Vec<(AttrSet, f64)>,
    closure: Closure,
    variances: Vec<Rational>,
    adjacency: Adjacency,
    objective: Objective,
    gap: f64,
    pcost: f64,
}

/// A released marginal, before the data is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlannedMarginal {
    /// Its attributes.
    pub attributes: AttrSet,
    /// Its weight in the objective.
    pub weight: f64,
    /// Its cells.
    pub cells: f64,
    /// Variance of every one of its cells, in counts squared.
    pub variance: f64,
}

impl Plan {
    /// The plan of least objective. `O(marginals * 2^order)`, times some dozen to some hundred steps for the largest
    /// variance.
    ///
    /// # Errors
    /// What [`Workload::sets`] refuses; [`Error::BadContribution`]; [`Error::NoiseOutOfRange`] when a variance leaves
    /// 2^-64 to 2^100, and [`Error::BudgetOutOfRange`] when numbers overflow on the way to one.
    pub fn new(spec: PlanSpec, limits: &Limits) -> Result<Self, Error> {
        let PlanSpec { domain, workload, objective, budget, neighbours, rows_per_person } = spec;
        if rows_per_person == 0 {
            return Err(Error::BadContribution);
        }
        let adjacency = Adjacency { neighbours, rows_per_person };
        let workload = workload.sets(&domain, limits)?;
        let closure = Closure::of(&domain, &workload);
        let cost = costs(&domain, &closure, adjacency);
        let certified = |order| {
            let least = least_norm(&domain, &workload, &closure, &cost, budget.get(), order);
            let LeastNorm { variances, gap } = least.ok_or(Error::BudgetOutOfRange { pcost: budget.get() })?;
            Ok::<_, Error>((variances, gap))
        };
        let (ideal, gap) = match objective {
            Objective::SumVariance => (least_loss(&closure, &cost, budget.get()), 0.0),
            Objective::MaxVariance => certified(f64::INFINITY)?,
            Objective::NormVariance(NormOrder(order)) => certified(order)?,
        };
        let (variances, pcost) = within_budget(&domain, &closure, adjacency, &ideal, budget.get())?;
        for (&set, &sigma2) in closure.sets().iter().zip(&variances).filter(|(_, sigma2)| !sigma2.is_zero()) {
            // What exact noise refuses is refused here, before a budget is spent.
            DiscreteGaussian::check(scaled_variance(&domain, set, sigma2)?)?;
        }
        Ok(Self { domain, workload, closure, variances, adjacency, objective, gap, pcost })
    }

    /// The domain that the plan is for.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What the plan spends as pcost, rounded up; at most the budget. The release is `pcost / 2`-zCDP.
    #[must_use]
    pub fn pcost(&self) -> f64 {
        self.pcost
    }

    /// What neighbouring tables differ in.
    #[must_use]
    pub fn neighbours(&self) -> Neighbours {
        self.adjacency.neighbours
    }

    /// How many rows of one person the cost covers.
    #[must_use]
    pub fn rows_per_person(&self) -> u32 {
        self.adjacency.rows_per_person
    }

    /// Every residual with its variance `sigma_B^2` (0: the total, where it is the same for all neighbours).
    pub fn residuals(&self) -> impl ExactSizeIterator<Item = (AttrSet, Rational)> {
        self.closure.sets().iter().copied().zip(self.variances.iter().copied())
    }

    /// The released marginals in the order of the workload, with the variance of their cells.
    pub fn marginals(&self) -> impl ExactSizeIterator<Item = PlannedMarginal> {
        self.workload.iter().map(|&(attributes, weight)| {
            let cells = self.domain.cells(attributes).map_or(f64::INFINITY, |cells| cells as f64);
            let variance = self.variance_within_closure(attributes);
            PlannedMarginal { attributes, weight, cells, variance }
        })
    }

    /// Variance of every cell of the marginal over `set`, in counts squared. `O(2^|set|)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] when `set` is not a subset of a planned marginal.
    pub fn variance(&self, set: AttrSet) -> Result<f64, Error> {
        self.check_measured(set)?;
        Ok(self.variance_within_closure(set))
    }

    /// What the plan makes small.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The value of the objective: a weighted sum of variances, or the largest weighted variance. Counts squared.
    #[must_use]
    pub fn objective_value(&self) -> f64 {
        match self.objective {
            Objective::SumVariance => {
                self.closure.loss().iter().zip(&self.variances).map(|(v, variance)| v * variance.to_f64()).sum()
            }
            Objective::MaxVariance => self.marginals().map(|m| m.weight * m.variance).fold(0.0, f64::max),
            Objective::NormVariance(NormOrder(order)) => {
                let power = |m: PlannedMarginal| m.cells * (m.weight * m.variance).powf(order);
                let cells: f64 = self.marginals().map(|m| m.cells).sum();
                (self.marginals().map(power).sum::<f64>() / cells).powf(1.0 / order)
            }
        }
    }

    /// How far the objective may be above its optimum, relative: certified by a dual. 0 where there is a closed form.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Root of the mean variance over all released cells, in counts.
    #[must_use]
    pub fn rmse(&self) -> f64 {
        let (sum, cells) =
            self.marginals().fold((0.0, 0.0), |(sum, cells), m| (sum + m.cells * m.variance, cells + m.cells));
        (sum / cells).sqrt()
    }

    /// The least budget for which the same workload, objective and neighbours have a root mean square error of at most
    /// `target` counts: variances fall as one over the cost. Rounded up, by 1e-9 of it.
    ///
    /// # Errors
    /// [`ParamError`] when the budget is out of the range of a cost, or this plan has no noise to compare with.
    pub fn cost_for_rmse(&self, target: StdDev) -> Result<PrivacyCost, ParamError> {
        self.cost_for_variance(self.rmse().powi(2) / target.get().powi(2))
    }

    /// The least budget for which no released cell has a standard deviation above `target` counts; as
    /// [`Plan::cost_for_rmse`]. Smallest with [`Objective::MaxVariance`] and equal weights.
    ///
    /// # Errors
    /// As [`Plan::cost_for_rmse`].
    pub fn cost_for_largest_sd(&self, target: StdDev) -> Result<PrivacyCost, ParamError> {
        let largest = self.marginals().map(|m| m.variance).fold(0.0, f64::max);
        self.cost_for_variance(largest / target.get().powi(2))
    }

    /// The cost at which variances are this many times smaller. Variances of a plan are rounded up by less than 2^-31
    /// of them; twice that is added, so that the next plan's roundings are covered.
    fn cost_for_variance(&self, times: f64) -> Result<PrivacyCost, ParamError> {
        PrivacyCost::new(mul_up(mul_up(self.pcost, times), 1.0 + 1.0 / (1_u64 << 30) as f64))
    }

    pub(crate) fn closure(&self) -> &Closure {
        &self.closure
    }

    pub(crate) fn check_measured(&self, set: AttrSet) -> Result<(), Error> {
        let known = self.domain.contains(set) && (self.closure.position(varying(&self.domain, set)).is_some());
        if known { Ok(()) } else { Err(Error::NotMeasured { set }) }
    }

    fn variance_within_closure(&self, set: AttrSet) -> f64 {
        let mut terms = Vec::new();
        variance_terms(&self.domain, set, 1.0, &mut terms);
        terms.into_iter().map(|(subset, factor)| factor * self.residual_variance(subset).unwrap_or(0.0)).sum()
    }

    /// `sigma_B^2`; `None` when B is not in the closure.
    pub(crate) fn residual_variance(&self, residual: AttrSet) -> Option<f64> {
        self.closure.position(residual).map(|i| self.variances[i].to_f64())
    }
}

/// What a unit of precision of each residual costs, in the order of the closure.
fn costs(domain: &Domain, closure: &Closure, adjacency: Adjacency) -> Vec<f64> {
    let group = f64::from(adjacency.rows_per_person) * f64::from(adjacency.rows_per_person);
    closure.sets().iter().map(|&set| group * worst_cost(domain, set, adjacency)).collect()
}

/// The variances of least loss at this budget.
fn least_loss(closure: &Closure, cost: &[f64], budget: f64) -> Vec<f64> {
    let root: f64 = cost.iter().zip(closure.loss()).map(|(p, v)| (p * v).sqrt()).sum();
    cost.iter().zip(closure.loss()).map(|(p, v)| root / budget * (p / v).sqrt()).collect()
}

/// The variances rounded up and scaled until the whole costs at most the budget, and what it costs.
fn within_budget(
    domain: &Domain,
    closure: &Closure,
    adjacency: Adjacency,
    ideal: &[f64],
    budget: f64,
) -> Result<(Vec<Rational>, f64), Error> {
    // A sum of bounds may overstate the cost of replacing a row: spend what it leaves.
    let exact: Vec<_> = closure.sets().iter().copied().zip(ideal.iter().copied()).collect();
    let free = ideal.iter().all(|&variance| variance == 0.0);
    let mut scale = match adjacency.neighbours {
        Neighbours::Replace if !free => total_cost(domain, &exact, adjacency) / budget,
        _ => 1.0,
    };
    for _ in 0..MOST_ROUNDS {
        let round_up = |variance| Rational::round_up(variance * scale, VARIANCE_BITS);
        let variances: Vec<Rational> = ideal.iter().copied().map(round_up).collect::<Result<_, _>>()?;
        let rounded: Vec<_> = closure.sets().iter().copied().zip(variances.iter().map(|v| v.to_f64())).collect();
        let cost = total_cost(domain, &rounded, adjacency);
        if cost <= budget {
            return Ok((variances, cost));
        }
        // Only roundings should be missing: one more step of the last bit covers them.
        scale *= (cost / budget) * (1.0 + 1.0 / (1_u64 << 40) as f64);
    }
    Err(Error::BudgetOutOfRange { pcost: budget })
}
