//! The least budget for a target of accuracy.
//!
//! Without bounds, the variances of the best plan fall as one over the cost, so one plan tells the
//! cost of every target. With bounds on standard deviations they do not: a bound that shapes the
//! plan at one budget is slack at a larger one, and out of reach at a smaller one. Then the plan is
//! made again, with the same strategies, at budgets between one that misses the target and one
//! that meets it.

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::{ParamError, StdDev};
use privacy_core::round::mul_up;
use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::planning::bounds::least_sum_within;
use crate::planning::budget::{Spending, all_measured, costs, unspent, within_budget};
use crate::planning::design::Design;
use crate::planning::rows::{Priced, Scale};

/// How far apart the two budgets may be in the end, relative.
const CLOSE: f64 = 1e-6;
/// Most times that a budget is doubled, and most halvings after that.
const MOST_DOUBLINGS: usize = 200;
const MOST_HALVINGS: usize = 64;

impl Design {
    /// The least budget for which the same job has a root mean square error of at most `target`
    /// counts: the same workload, objective, bounds, strategies and neighbours. Rounded up, by
    /// 1e-9 of it; where the job has bounds on standard deviations, 1e-6 of it above a budget that
    /// misses the target or the bounds.
    ///
    /// # Errors
    /// [`ParamError`] when the budget is out of the range of a cost, or this plan has no noise to
    /// compare with; [`ParamError`] as well when planning fails at a budget in between.
    pub fn cost_for_rmse(&self, target: StdDev) -> Result<PrivacyCost, ParamError> {
        self.cost_for_variance(target, |design| design.rmse().powi(2))
    }

    /// The least budget for which no answer has a standard deviation above `target` counts; as
    /// [`Design::cost_for_rmse`]. Smallest with
    /// [`Objective::MaxVariance`](crate::Objective::MaxVariance) and equal weights.
    ///
    /// # Errors
    /// As [`Design::cost_for_rmse`].
    pub fn cost_for_largest_sd(&self, target: StdDev) -> Result<PrivacyCost, ParamError> {
        self.cost_for_variance(target, Self::largest_variance)
    }

    fn cost_for_variance(&self, target: StdDev, variance: fn(&Self) -> f64) -> Result<PrivacyCost, ParamError> {
        let most = target.get() * target.get();
        if self.bounds.is_empty() {
            // Variances of a plan are rounded up by less than 2^-31 of them; twice that is added,
            // so that the next plan's roundings are covered.
            let rounded = 1.0 + 1.0 / (1_u64 << 30) as f64;
            return PrivacyCost::new(mul_up(mul_up(self.pcost, variance(self) / most), rounded));
        }
        PrivacyCost::new(self.least_cost(|design| variance(design) <= most))
    }

    /// NaN where no budget was found.
    fn least_cost(&self, meets: impl Fn(&Self) -> bool) -> f64 {
        let (mut low, mut high) = (self.pcost, self.pcost);
        // Outwards first, from the cost of this plan, until one end misses and the other meets.
        for _ in 0..MOST_DOUBLINGS {
            if self.is_enough(high, &meets) {
                break;
            }
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..MOST_DOUBLINGS {
            if !self.is_enough(low, &meets) {
                break;
            }
            (low, high) = (0.5 * low, low);
        }
        for _ in 0..MOST_HALVINGS {
            if high <= low * (1.0 + CLOSE) {
                break;
            }
            let middle = (low * high).sqrt();
            if self.is_enough(middle, &meets) { high = middle } else { low = middle }
        }
        // The end that is returned was tried, whatever lies between.
        if self.is_enough(high, &meets) { high } else { f64::NAN }
    }

    fn is_enough(&self, cost: f64, meets: &impl Fn(&Self) -> bool) -> bool {
        self.at_cost(cost).is_ok_and(|design| meets(&design))
    }

    /// The plan of the same job at another budget, with the same strategies.
    fn at_cost(&self, budget: f64) -> Result<Self, Error> {
        let Self { axes, closure, adjacency, .. } = self;
        let (stop, cost) = (&StopFlag::never(), costs(axes, closure, *adjacency));
        let scale = Scale::Weighted;
        let priced = Priced { axes, workload: &self.workload, closure, cost: &cost, budget, scale, stop };
        let (ideal, gap) =
            least_sum_within(&priced, &self.bounds, |variances| unspent(axes, closure, *adjacency, variances, budget))?;
        let (variances, pcost) =
            within_budget(axes, closure, *adjacency, &all_measured(ideal), Spending::cost(budget))?;
        Ok(Self { variances, pcost, gap, ..self.clone() })
    }
}
