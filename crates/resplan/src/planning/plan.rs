//! The plan: how much noise each residual gets, chosen without looking at the data.
//!
//! `c` the budget (pcost), `p_B` and `v_B` as in the closure. The least loss at cost c, by
//! Cauchy-Schwarz:
//!
//! ```text
//! T = (sum of sqrt(v_B p_B))^2 / c,      sigma_B^2 = sqrt(T p_B / (c v_B))
//! ```
//!
//! Every sigma_B^2 is then rounded up to a rational with 32 significant bits, so that the cost
//! stays at or below c. Source: as `closure`.

use std::ops::Deref;

use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain};

use crate::error::Error;
use crate::measurement::lattice::check_noise;
use crate::planning::adjacency::Adjacency;
use crate::planning::bounds::least_sum_within;
use crate::planning::budget::{Spending, all_measured, costs, least_loss, unspent, within_budget};
use crate::planning::closure::Closure;
use crate::planning::corners::Corners;
use crate::planning::design::Design;
use crate::planning::equal::{EqualError, equal_error};
use crate::planning::minimax::{Minimax, minimax};
use crate::planning::rows::{Priced, Scale};
use crate::planning::spec::{NormOrder, Objective, PlanSpec, checked_bounds};
#[cfg(feature = "linalg")]
use crate::planning::together::joint_design;
use crate::queries::basis::QueryBasis;
use crate::queries::workload::PlanLimits;
use crate::strategy::axes::Axes;
use crate::strategy::choice::Choice;
#[cfg(feature = "linalg")]
use crate::strategy::kinds::Strategy;

/// Noise for every residual of a workload: checked, within budget, ready to measure once.
///
/// A plan is not `Clone`, since its noise is drawn once and its cost is spent once. What may be
/// known about it is its [`Design`], to which it dereferences.
///
/// With identity queries alone the objective is at its minimum for the budget over all unbiased
/// Gaussian linear mechanisms, up to [`Design::gap`]. With others it is at its minimum for the
/// strategies of the attributes, which are within some tenths of a percent of that
/// (`docs/math/resplan.md`). Both for add-remove neighbours; for replace, over this family at the
/// bound of each residual.
#[derive(Debug)]
pub struct Plan {
    design: Design,
    /// Ends the measurement.
    stop: StopFlag,
}

impl Deref for Plan {
    type Target = Design;

    fn deref(&self) -> &Design {
        &self.design
    }
}

impl Plan {
    /// The plan of least objective. `O(marginals * 2^order)`, times some dozen to some hundred
    /// steps for the largest variance; some dozen eigen-decompositions for every kind of
    /// attribute that is not asked for its categories.
    ///
    /// # Errors
    /// What [`Workload::sets`](crate::Workload::sets) and
    /// [`QueryBasis::check`](crate::QueryBasis::check) refuse; [`Error::BadContribution`];
    /// [`Error::NoStrategy`]; [`Error::NoiseOutOfRange`] when a variance is too small or too
    /// large for exact noise, and [`Error::BudgetOutOfRange`] when numbers overflow on the way to
    /// one; [`Error::BadBound`] and [`Error::BoundsOutOfReach`]; [`Error::NeedsLinalg`] without
    /// the feature `linalg`; [`Error::Stopped`].
    pub fn new(spec: PlanSpec, limits: &PlanLimits) -> Result<Self, Error> {
        let design = match spec.gaussian_budget {
            Some(most) if !spec.bounds.is_empty() => least_with_bounds(spec, most, limits),
            _ => least(spec, limits),
        };
        // Iterations that were cut short may fail, or succeed with less than they promise: a set
        // flag outranks both.
        if limits.stop.is_set() { Err(Error::Stopped) } else { Ok(Self::from_design(design?, &limits.stop)) }
    }
    /// A plan with this design, which was checked: within budget, with noise that can be drawn.
    pub(crate) fn from_design(design: Design, stop: &StopFlag) -> Self {
        Self { design, stop: stop.clone() }
    }

    /// What is measured with how much noise. It cannot be measured.
    #[must_use]
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The same plan, whose measurement ends with this flag, and reports to its progress: for a
    /// caller who plans in one call and measures in another.
    #[must_use]
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The flag that ends the measurement: that of the limits the plan was made under, unless
    /// [`with_stop`](Self::with_stop) gave another.
    pub(crate) fn stop(&self) -> &StopFlag {
        &self.stop
    }

    /// The design of a plan that has been used up.
    pub(crate) fn into_design(self) -> Design {
        self.design
    }

    /// A second plan with the same design. Each of the two costs [`Design::pcost`] when it is
    /// measured; two releases from the same data cost the sum. For repeated trials in
    /// simulations, and for tables of different people.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self { design: self.design.clone(), stop: self.stop.clone() }
    }
}

/// The number of answers about a set.
fn answers(domain: &Domain, bases: &[QueryBasis], set: AttrSet) -> f64 {
    set.iter().map(|attribute| bases[attribute].queries(domain.cardinality(attribute)) as f64).product()
}

/// Most plans that are made for bounds and a budget in Gaussian differential privacy, and what is
/// left of a budget that was found, for the roundings of the next plan.
const MOST_PLANS: usize = 24;
const SLIGHTLY_LESS: f64 = 1.0 - 1e-9;
/// The largest factor by which a budget is lowered where nothing says by how much it should be.
const LARGEST_STEP: f64 = 64.0;
/// The part of a budget that is spent before a plan is looked for that spends more.
const NEARLY_ALL: f64 = 1.0 - 1e-3;

/// The design of least objective that keeps bounds, within a budget in Gaussian differential
/// privacy. Its variances cannot be scaled, since a bound might break: the budget is lowered until
/// the plan made with it is within the other one.
fn least_with_bounds(spec: PlanSpec, most: PrivacyCost, limits: &PlanLimits) -> Result<Design, Error> {
    let overflow = || Error::BudgetOutOfRange { pcost: most.get() };
    let mut spec = PlanSpec { gaussian_budget: None, ..spec };
    // The budgets between which the largest is that will do: one that is too large, and one that is
    // not.
    let (mut too_large, mut enough) = (f64::INFINITY, None);
    // Noise of less than a step of its lattice does not say how much too large.
    let mut step = 1.5;
    let mut found = Err(overflow());
    for _ in 0..MOST_PLANS {
        let budget = spec.budget.get();
        let mut lower = budget;
        match least(spec.clone(), limits) {
            // Nothing is measured with noise.
            Ok(design) if design.is_free() => return Ok(design),
            Ok(design) => match design.gaussian_cost().map_or(step, |cost| cost.get() / most.get()) {
                excess if excess > 1.0 => {
                    too_large = budget;
                    lower = budget / excess * SLIGHTLY_LESS;
                    step = (step * step).min(LARGEST_STEP);
                }
                excess => {
                    (enough, found) = (Some(budget), Ok(design));
                    if excess > NEARLY_ALL || too_large.is_infinite() {
                        break;
                    }
                }
            },
            // It may have been lowered too far for the bounds.
            Err(error @ Error::BoundsOutOfReach { .. }) if too_large.is_finite() => {
                enough = Some(budget);
                found = found.or(Err(error));
            }
            // A plan that is within both budgets is not lost to one that cannot be made.
            Err(error) => match found.is_ok() && !limits.stop.is_set() {
                true => break,
                false => return Err(error),
            },
        }
        let next = match enough {
            Some(enough) if too_large / enough > 1.0 / NEARLY_ALL => (enough * too_large).sqrt(),
            Some(_) => break,
            None => lower,
        };
        spec.budget = PrivacyCost::new(next).map_err(|_| overflow())?;
    }
    found
}

/// The variances of least loss for replaced rows, with their gap, where the exact program is known.
fn least_sum_of_corners(
    axes: &Axes,
    closure: &Closure,
    adjacency: Adjacency,
    budget: f64,
    stop: &StopFlag,
) -> Option<(Vec<f64>, f64)> {
    let replaced = adjacency.neighbours == Neighbours::Replace;
    let corners = Corners::new(axes, closure, adjacency, stop).filter(|_| replaced)?;
    let least = corners.least_sum(budget)?;
    Some((least.variances, least.gap))
}

/// The design of least objective.
fn least(spec: PlanSpec, limits: &PlanLimits) -> Result<Design, Error> {
    let stop = &limits.stop;
    let PlanSpec { neighbours, rows_per_person, gaussian_budget, .. } = spec;
    let PlanSpec { domain, bases, workload, strategy, objective, bounds, budget, .. } = spec;
    if rows_per_person == 0 {
        return Err(Error::BadContribution);
    }
    if bases.len() != domain.len() {
        return Err(Error::BadBasis { what: "there is one basis for each attribute" });
    }
    let adjacency = Adjacency { neighbours, rows_per_person };
    let workload = workload.sets(&domain, &bases, limits)?;
    let bounds = checked_bounds(&bounds, &workload, objective)?;
    let budget = budget.get();
    let spending = Spending { budget, gaussian: gaussian_budget.map(PrivacyCost::get) };
    let overflow = Error::BudgetOutOfRange { pcost: budget };
    // Tables that are to have the same error count alike in the choice, whatever their answers.
    let by_table = |weighted: &[(AttrSet, f64)]| match objective {
        Objective::EqualError => {
            weighted.iter().map(|&(set, weight)| (set, weight / answers(&domain, &bases, set))).collect()
        }
        _ => weighted.to_vec(),
    };
    let choose = |weighted: &[(AttrSet, f64)]| Choice::new(&domain, &bases, &by_table(weighted), strategy, stop);
    let mut choice = choose(&workload)?;
    let (axes, closure, ideal, gap) = if objective == Objective::EqualError {
        let EqualError { axes, closure, least } =
            equal_error(choice, choose, &workload, adjacency, budget, stop)?.ok_or(overflow)?;
        (axes, closure, least.variances, least.gap)
    } else if objective == Objective::MaxVariance && !choice.is_settled() {
        let Minimax { axes, closure, least } =
            minimax(&mut choice, &workload, adjacency, budget, stop)?.ok_or(overflow)?;
        (axes, closure, least.variances, least.gap)
    } else {
        let axes = choice.axes()?;
        let closure = Closure::new(&axes, &workload, stop)?;
        let cost = costs(&axes, &closure, adjacency);
        let least_sum = least_loss(&closure, &cost, budget);
        let priced = Priced {
            axes: &axes,
            workload: &workload,
            closure: &closure,
            cost: &cost,
            budget,
            scale: Scale::Weighted,
            stop,
        };
        let (ideal, gap) = match objective {
            Objective::SumVariance if bounds.is_empty() => {
                least_sum_of_corners(&axes, &closure, adjacency, budget, stop).unwrap_or((least_sum, 0.0))
            }
            Objective::SumVariance => {
                least_sum_within(&priced, &bounds, |variances| unspent(&axes, &closure, adjacency, variances, budget))?
            }
            Objective::NormVariance(NormOrder(order)) => priced.least_mean_norm(order).ok_or(overflow)?.certified(),
            Objective::MaxVariance | Objective::EqualError => {
                priced.least_maximum(&least_sum).ok_or(overflow)?.certified()
            }
        };
        (axes, closure, ideal, gap)
    };
    let (variances, pcost) = within_budget(&axes, &closure, adjacency, &all_measured(ideal), spending)?;
    for (&set, &sigma2) in closure.sets().iter().zip(&variances).filter(|(_, sigma2)| !sigma2.is_zero()) {
        // What exact noise refuses is refused here, before a budget is spent.
        check_noise(&axes, set, sigma2)?;
    }
    let design = Design { domain, axes, workload, closure, variances, adjacency, objective, bounds, gap, pcost };
    #[cfg(feature = "linalg")]
    if strategy == Strategy::Joint {
        return Ok(joint_design(&design, spending, stop)?.unwrap_or(design));
    }
    Ok(design)
}
