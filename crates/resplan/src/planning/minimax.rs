//! Strategies for the largest variance: the same, for queries that count as much as they need to.
//!
//! The least largest variance is the largest value of a game: weights on the queries against the
//! mechanism. For fixed weights the best strategy is that of the weighted queries. So the weights
//! are moved, like the multipliers of `optimum`:
//!
//! ```text
//! g_q <- g_q (largest variance of an answer with query q / largest variance)^eta
//! ```
//!
//! and the plan with the least largest variance is kept. The certificate of the plan is that of
//! `rows`: it holds for the strategies that were found; that no other strategies are better is
//! not certified.

use privacy_core::AttrSet;
use privacy_core::parallel;
use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::planning::adjacency::Adjacency;
use crate::planning::budget::{costs, least_loss};
use crate::planning::closure::Closure;
use crate::planning::norm::LeastNorm;
use crate::planning::rows::{Effort, Priced, Scale};
use crate::queries::basis::Form;
use crate::strategy::axes::{Axes, grown};
use crate::strategy::choice::Choice;
use crate::strategy::hull::hull;

/// Rounds of moving the weights.
const ROUNDS: usize = 40;
/// Rounds without a better plan after which no more are tried.
const PATIENCE: usize = 8;
/// How far a weight is moved.
const ETA: f64 = 1.0;
/// Weights are kept above this share of the largest.
const LEAST_WEIGHT: f64 = 1e-6;
/// Answers of an attribute up to which its queries are weighted.
const MOST_QUERIES: usize = 1 << 14;

/// A choice of strategies, the closure under them, and the plan of least largest variance.
pub(crate) struct Minimax {
    pub(crate) axes: Axes,
    pub(crate) closure: Closure,
    pub(crate) least: LeastNorm,
}

/// The best plan of the game; `None` when numbers overflow.
pub(crate) fn minimax(
    choice: &mut Choice,
    workload: &[(AttrSet, f64)],
    adjacency: Adjacency,
    budget: f64,
    stop: &StopFlag,
) -> Result<Option<Minimax>, Error> {
    let free = choice.free();
    let mut weights: Vec<Vec<f64>> =
        free.iter().map(|&(_, queries)| vec![1.0; if queries <= MOST_QUERIES { queries } else { 0 }]).collect();
    let (mut best, mut since) = (None::<(f64, Minimax)>, 0);
    for round in 0..ROUNDS {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        let axes = match if round == 0 { choice.axes() } else { choice.weighted_axes(&weights) } {
            // Strategies for weights that are too unequal have no factorisation: the plan so far
            // stands.
            #[cfg(feature = "linalg")]
            Err(Error::NoStrategy { .. }) if best.is_some() => break,
            axes => axes?,
        };
        let closure = Closure::new(&axes, workload, stop)?;
        let cost = costs(&axes, &closure, adjacency);
        let priced =
            Priced { axes: &axes, workload, closure: &closure, cost: &cost, budget, scale: Scale::Weighted, stop };
        let Some(least) = priced.least_maximum_by(&least_loss(&closure, &cost, budget), Effort::LOOK) else { break };
        // The primal value of this round: what the plan would have as its largest variance.
        let value = least.dual * (1.0 + least.gap);
        for (weights, (attributes, _)) in weights.iter_mut().zip(&free).filter(|(weights, _)| !weights.is_empty()) {
            // A query whose worst answer has the largest variance keeps its weight; the others
            // lose some of theirs.
            move_weights(weights, &largest_by_query(&priced, &least.variances, attributes), value);
        }
        // The value need not fall from round to round. Rounds end when it has not improved by
        // 1e-4 for a while.
        since += 1;
        if best.as_ref().is_none_or(|(best, _)| value < best * (1.0 - 1e-4)) {
            best = Some((value, Minimax { axes, closure, least }));
            since = 0;
        }
        if since == PATIENCE || weights.iter().all(Vec::is_empty) {
            break;
        }
    }
    // Rounds solve their programs loosely; the plan that is kept is solved again, to the gap that
    // is reported.
    let Some((_, Minimax { axes, closure, least })) = best else { return Ok(None) };
    let cost = costs(&axes, &closure, adjacency);
    let priced = Priced { axes: &axes, workload, closure: &closure, cost: &cost, budget, scale: Scale::Weighted, stop };
    let least = priced.least_maximum(&least.variances);
    Ok(least.map(|least| Minimax { axes, closure, least }))
}

fn move_weights(weights: &mut [f64], largest: &[f64], value: f64) {
    weights.iter_mut().zip(largest).for_each(|(weight, largest)| *weight *= (largest / value).powf(ETA));
    // Only ratios matter. A floor keeps every query in the Gram matrix, whose factorisation needs
    // it, and lets a weight grow back.
    let most = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight = (*weight / most).max(LEAST_WEIGHT));
}

/// For every query about some attributes of one kind: the largest weighted variance of an answer
/// that asks it.
fn largest_by_query(priced: &Priced<'_>, variances: &[f64], attributes: &[usize]) -> Vec<f64> {
    let axis = priced.axes.get(attributes[0]);
    let forms = axis.basis().forms(&axis.covariance(), &axis.spread());
    let by_marginal = parallel::map(priced.workload, |&(set, weight)| {
        let mut largest = vec![0.0; forms.len()];
        for &attribute in attributes.iter().filter(|&&attribute| set.contains(attribute)) {
            for part in parts(priced, set.minus(AttrSet::single(attribute)), attribute, variances) {
                for (largest, form) in largest.iter_mut().zip(&forms) {
                    *largest = f64::max(*largest, weight * (form.with * part.with + form.without * part.without));
                }
            }
        }
        largest
    });
    by_marginal.into_iter().fold(vec![0.0; forms.len()], |mut all, one| {
        all.iter_mut().zip(one).for_each(|(all, one)| *all = f64::max(*all, one));
        all
    })
}

/// What the others contribute to the variance of an answer that asks an attribute as well: by
/// residuals with the attribute and by those without it, for the queries about the others that
/// may be worst.
fn parts(priced: &Priced<'_>, others: AttrSet, attribute: usize, variances: &[f64]) -> Vec<Form> {
    let (axes, closure) = (priced.axes, priced.closure);
    let with = at_vertices(axes, others, |residual| closure.number(residual.with(attribute), variances));
    let without = at_vertices(axes, others, |residual| closure.number(residual, variances));
    hull(&with.into_iter().zip(without).map(|(with, without)| Form { with, without }).collect::<Vec<_>>())
}

/// The variances of the queries about `others` that may be worst, where a residual within `others`
/// has this variance. Only hull vertices: the variance is linear in the form of each attribute
/// with coefficients of at least 0, so its maximum is at vertices (see `hull`).
fn at_vertices(axes: &Axes, others: AttrSet, variance: impl Fn(AttrSet) -> f64) -> Vec<f64> {
    let mut tables: Vec<Vec<f64>> =
        axes.residuals(others).into_iter().map(|residual| vec![variance(residual)]).collect();
    for axis in axes.of(others) {
        tables = grown(tables, axis.varies(), axis.largest_loss());
    }
    tables.concat()
}
