//! The same error for every table: the least largest mean variance of a table.
//!
//! `a_AB` what a unit of `x_B = sigma_B^2` adds to the mean variance of table A, times the weight
//! of the table; `p_B` cost of residual B, `c` the budget, V the value.
//!
//! ```text
//! least V   with   sum of a_AB x_B <= V for every table A,   sum of p_B / x_B <= c
//! optimal if and only if there are y >= 0 with sum of y_A a_AB = p_B / x_B^2, up to a factor
//! ```
//!
//! Where every residual belongs to exactly one table, as where the workload has every subset of
//! its tables, both lines are triangular systems: `x` follows from the smallest table up so that
//! all tables have the same value, and `y` from the largest down. If both are positive the plan is
//! the optimum, without an iteration. Otherwise some table is better than the others in every
//! optimum (its error may fall at no cost to another), or the system is not triangular: then the
//! program of `norm` with q infinite is solved, whose dual certifies the gap.
//!
//! The strategies are first those for tables that count alike, then those for tables that count
//! as much as their `y`.

use privacy_core::AttrSet;
use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::planning::adjacency::Adjacency;
use crate::planning::budget::costs;
use crate::planning::closure::Closure;
use crate::planning::norm::{LeastNorm, Sparse};
use crate::planning::rows::{Effort, Priced, Scale};
use crate::strategy::axes::Axes;
use crate::strategy::choice::Choice;

/// Rounds of choosing strategies for the tables that were hardest in the round before.
const ROUNDS: usize = 3;
/// The least weight of a table in such a choice, relative to the largest.
const LEAST_WEIGHT: f64 = 1e-6;

/// Strategies, the closure under them, and the plan of least largest error of a table.
pub(crate) struct EqualError {
    pub(crate) axes: Axes,
    pub(crate) closure: Closure,
    pub(crate) least: LeastNorm,
}

/// The best plan; `None` when numbers overflow.
pub(crate) fn equal_error(
    mut choice: Choice,
    choose: impl Fn(&[(AttrSet, f64)]) -> Result<Choice, Error>,
    workload: &[(AttrSet, f64)],
    adjacency: Adjacency,
    budget: f64,
    stop: &StopFlag,
) -> Result<Option<EqualError>, Error> {
    let mut best: Option<(f64, EqualError)> = None;
    for _ in 0..ROUNDS {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        let axes = choice.axes()?;
        let closure = Closure::new(&axes, workload, stop)?;
        let cost = costs(&axes, &closure, adjacency);
        let scale = Scale::Answers;
        let priced = Priced { axes: &axes, workload, closure: &closure, cost: &cost, budget, scale, stop };
        let Some(least) = priced.equal_error() else { break };
        let value = least.dual * (1.0 + least.gap);
        let weighted = reweighted(workload, &least.weights);
        if best.as_ref().is_none_or(|(best, _)| value < *best) {
            best = Some((value, EqualError { axes, closure, least }));
        }
        if choice.is_settled() {
            break;
        }
        choice = choose(&weighted)?;
    }
    Ok(best.map(|(_, best)| best))
}

/// The tables with the weights of the objective times their shares.
fn reweighted(workload: &[(AttrSet, f64)], shares: &[f64]) -> Vec<(AttrSet, f64)> {
    let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let tables = workload.iter().zip(shares);
    tables.map(|(&(set, weight), share)| (set, weight * (share / most).max(LEAST_WEIGHT))).collect()
}

/// The row of a table of the workload.
struct Row {
    /// The place of the table in the workload.
    table: usize,
    entries: Vec<(u32, f64)>,
    /// The place among the entries of the table's own residual.
    own: usize,
}

impl Priced<'_> {
    /// The least largest weighted mean variance of a table. The weights of bases play no part:
    /// the variances are those of the answers. `None` when numbers overflow.
    pub(crate) fn equal_error(&self) -> Option<LeastNorm> {
        let rows: Vec<Vec<(u32, f64)>> = self.workload.iter().map(|&(set, weight)| self.table(set, weight)).collect();
        if rows.iter().all(Vec::is_empty) {
            // Nothing that is asked has noise.
            let (variances, weights) = (vec![0.0; self.cost.len()], vec![1.0; rows.len()]);
            return Some(LeastNorm { variances, gap: 0.0, dual: 0.0, weights });
        }
        self.triangular(&rows).or_else(|| {
            let mut sparse = Sparse::new();
            rows.iter().for_each(|row| sparse.push(row.iter().copied()));
            let counts = vec![1.0; rows.len()];
            self.program(&sparse, &counts, f64::INFINITY, Effort::TABLES).solve(None)
        })
    }

    /// What the residuals add to the mean variance of the answers about a table.
    fn table(&self, set: AttrSet, weight: f64) -> Vec<(u32, f64)> {
        let mut terms = Vec::new();
        let answers = self.axes.queries(set);
        self.axes.products(set, weight / answers, |attribute| self.axes.get(attribute).sums(), &mut terms);
        self.priced(&terms)
    }

    /// The plan in which all tables have the same value, if it is the optimum.
    fn triangular(&self, rows: &[Vec<(u32, f64)>]) -> Option<LeastNorm> {
        let ordered = self.ordered(rows)?;
        let mut x = vec![0.0; self.cost.len()];
        for Row { entries, own, .. } in &ordered {
            let others: f64 = entries.iter().map(|&(at, a)| a * x[at as usize]).sum();
            let (at, diagonal) = entries[*own];
            let variance = (1.0 - others) / diagonal;
            // A NaN is no variance either.
            if variance.is_nan() || variance <= 0.0 {
                return None;
            }
            x[at as usize] = variance;
        }
        let spent: f64 = x.iter().zip(self.cost).filter(|(x, _)| **x > 0.0).map(|(x, p)| p / x).sum();
        let value = spent / self.budget;
        x.iter_mut().for_each(|x| *x *= value);
        let weights = self.multipliers(&ordered, &x)?;
        let finite = value.is_finite() && weights.iter().all(|y| y.is_finite());
        finite.then_some(LeastNorm { variances: x, gap: 0.0, dual: value, weights })
    }

    /// The rows with noise, from the smallest table up, each with its own residual; `None` where
    /// residuals and tables do not go together one by one.
    fn ordered(&self, rows: &[Vec<(u32, f64)>]) -> Option<Vec<Row>> {
        let mut ordered: Vec<Row> = Vec::with_capacity(rows.len());
        let mut owned = vec![false; self.cost.len()];
        for (table, entries) in rows.iter().enumerate().filter(|(_, entries)| !entries.is_empty()) {
            let at = self.closure.position(self.axes.varying(self.workload[table].0))?;
            let own = entries.iter().position(|&(residual, a)| residual as usize == at && a > 0.0)?;
            if std::mem::replace(&mut owned[at], true) {
                return None;
            }
            ordered.push(Row { table, entries: entries.clone(), own });
        }
        let all = owned.iter().zip(self.cost).all(|(owned, cost)| *owned || *cost == 0.0);
        // A residual within a table has fewer attributes than that of the table itself.
        ordered.sort_by_key(|row| row.entries.len());
        all.then_some(ordered)
    }

    /// The prices of the tables under which `x` is optimal, in the order of the workload, found
    /// from the largest table down; `None` if one would have to be below 0.
    fn multipliers(&self, ordered: &[Row], x: &[f64]) -> Option<Vec<f64>> {
        let slopes = x.iter().zip(self.cost).map(|(x, p)| if *x > 0.0 { p / (x * x) } else { 0.0 });
        let mut rest: Vec<f64> = slopes.collect();
        let mut prices = vec![0.0; self.workload.len()];
        for Row { table, entries, own } in ordered.iter().rev() {
            let (at, diagonal) = entries[*own];
            let price = rest[at as usize] / diagonal;
            if price.is_nan() || price < 0.0 {
                return None;
            }
            entries.iter().for_each(|&(at, a)| rest[at as usize] -= price * a);
            prices[*table] = price;
        }
        Some(prices)
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::accounting::{Neighbours, PrivacyCost};
    use privacy_core::{AttrSet, Domain};

    use crate::planning::spec::{Objective, PlanSpec};
    use crate::queries::workload::{PlanLimits, Workload};
    use crate::{Design, Plan};

    fn plan(sizes: &[usize], workload: Workload, neighbours: Neighbours) -> Plan {
        let domain = Domain::of_cardinalities(sizes).unwrap();
        let spec = PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap());
        let spec = PlanSpec { objective: Objective::EqualError, neighbours, ..spec };
        Plan::new(spec, &PlanLimits::default()).unwrap()
    }

    fn spread(design: &Design) -> (f64, f64) {
        let noisy = design.marginals().map(|table| table.mean_variance.sqrt()).filter(|sd| *sd > 0.0);
        noisy.fold((f64::INFINITY, 0.0), |(low, high), sd| (low.min(sd), high.max(sd)))
    }

    /// By hand: x of a residual is V times the product of (k + 1) / k over its attributes, so the
    /// cost of all subsets is (1 / V) times the product of 1 + (k - 1) / (k + 1) = 2 k / (k + 1).
    #[test]
    fn all_tables_of_a_full_cube_have_the_variance_of_the_formula() {
        for sizes in [vec![2], vec![2, 3], vec![5, 1, 4, 2], vec![16, 3, 7]] {
            let plan = plan(&sizes, Workload::UpTo(sizes.len()), Neighbours::AddRemove);
            let varying = sizes.iter().filter(|k| **k > 1);
            let want: f64 = varying.map(|&k| 2.0 * k as f64 / (k as f64 + 1.0)).product();
            let (low, high) = spread(&plan);
            assert!(high - low <= 1e-9 * high, "{sizes:?}: {low} to {high}");
            assert!((high * high / want - 1.0).abs() < 1e-9, "{sizes:?}: {} for {want}", high * high);
            assert!(plan.gap() <= 1e-9 && plan.pcost().get() > 1.0 - 1e-9);
        }
    }

    #[test]
    fn a_table_is_better_than_the_others_only_where_that_is_free() {
        // Twenty binary attributes: one-way tables together know the total better than asked.
        let plan = plan(&[2; 20], Workload::UpTo(1), Neighbours::AddRemove);
        let (low, high) = spread(&plan);
        let total = plan.mean_variance(AttrSet::EMPTY).unwrap().sqrt();
        assert!(total < 0.9 * high && (low - total).abs() < 1e-12, "{total} of {high}");
        let one_way = plan.marginals().filter(|table| !table.attributes.is_empty());
        assert!(one_way.map(|table| table.mean_variance.sqrt()).all(|sd| sd > high * (1.0 - 1e-9)));
        assert!(plan.gap() <= 1e-9, "{}", plan.gap());
    }

    #[test]
    fn no_other_objective_has_a_smaller_largest_table() {
        for (sizes, workload) in
            [(vec![3, 4, 5], Workload::UpTo(2)), (vec![2; 8], Workload::UpTo(3)), (vec![9, 2, 4], Workload::Exactly(2))]
        {
            for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
                let equal = plan(&sizes, workload.clone(), neighbours);
                let domain = Domain::of_cardinalities(&sizes).unwrap();
                let spec = PlanSpec::new(domain, workload.clone(), PrivacyCost::new(1.0).unwrap());
                let sum = Plan::new(PlanSpec { neighbours, ..spec }, &PlanLimits::default()).unwrap();
                assert!(spread(&equal).1 <= spread(&sum).1 * (1.0 + 1e-9), "{sizes:?} {neighbours:?}");
                assert!((equal.objective_value().sqrt() - spread(&equal).1).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn weights_set_the_ratios_of_the_errors() {
        let (one, two) = (AttrSet::single(0), AttrSet::single(1));
        let sets = vec![(AttrSet::EMPTY, 4.0), (one, 1.0), (two, 1.0), (one.union(two), 1.0)];
        let plan = plan(&[3, 6], Workload::Sets(sets), Neighbours::AddRemove);
        let total = plan.mean_variance(AttrSet::EMPTY).unwrap();
        let pair = plan.mean_variance(one.union(two)).unwrap();
        assert!((4.0 * total / pair - 1.0).abs() < 1e-9, "{total} and {pair}");
    }
}
