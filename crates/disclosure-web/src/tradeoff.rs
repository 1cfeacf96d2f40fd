//! What a budget buys: the error of every table, and what an attacker gains, before anything is
//! spent. No row is read.

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::normal;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{MarginalSummary, PlanDocument, Planned};
use disclosure_jobs::observer::Observer;

use crate::choices::Noise;
use crate::jobfile::plan_spec;
use crate::project::Project;

/// Most tables and cells of a plan that a page waits for: more are planned by a release alone.
pub(crate) const LIVE: Limits =
    Limits { marginals: 20_000, answers: 200_000_000, memory_bytes: 2 << 30, planning_seconds: 1 };

/// A plan at a budget, with what it means.
#[derive(Debug)]
pub(crate) struct TradeOff {
    /// The plan: `plan.json`.
    pub(crate) plan: PlanDocument,
    /// Sentences on a budget that protects little.
    pub(crate) warnings: Vec<String>,
    /// How often an attacker with even odds guesses right at most whether one person is in the
    /// data.
    pub(crate) guess: f64,
    /// Rows of the data: for the owner.
    rows: u64,
}

impl TradeOff {
    /// The plan of the choices that are shown, at a budget.
    ///
    /// # Errors
    /// What planning refuses: too large a plan, choices that are not complete.
    pub(crate) fn new(project: &Project, noise: &Noise, observer: &dyn Observer) -> Result<Self, JobError> {
        let (spec, files) = plan_spec(project, noise)?;
        let planned = Planned::parse(&spec, &files, &LIVE, observer)?;
        let plan = planned.document();
        let guess = guess(plan.rho, plan.mu);
        let rows = project.opening().map_or(0, |opening| opening.rows);
        Ok(Self { warnings: planned.warnings(), guess, plan, rows })
    }

    /// Whether the noise of a table is larger than what it shows: the interval of a number reaches
    /// further than the mean cell is large. It depends on the number of rows, and is for the owner.
    pub(crate) fn is_useless(&self, table: &MarginalSummary) -> bool {
        table.ci95_half_width > self.rows as f64 / table.queries.max(1.0)
    }

    /// Number of tables whose noise is larger than what they show.
    pub(crate) fn useless(&self) -> usize {
        self.plan.marginals.iter().filter(|table| self.is_useless(table)).count()
    }
}

/// The largest probability of a right guess from even odds: from the exact trade-off of Gaussian
/// differential privacy where `mu` is known, else from bounds on the total variation under
/// rho-zCDP (Pinsker, Bretagnolle and Huber).
pub(crate) fn guess(rho: f64, mu: Option<f64>) -> f64 {
    let by_zcdp = 0.5 + 0.5 * (rho / 2.0).sqrt().min((-(-rho).exp_m1()).sqrt());
    let by_mu = mu.map_or(1.0, |mu| normal::at_most(mu / 2.0));
    by_zcdp.min(by_mu).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::budget::percent;

    #[test]
    fn the_chance_of_a_right_guess_is_that_of_the_readme() {
        let rhos = [0.01, 0.05, 0.1, 0.5, 1.0, 2.0];
        let by_zcdp = rhos.map(|rho| percent(guess(rho, None)));
        assert_eq!(by_zcdp, ["53.6 %", "58.0 %", "61.2 %", "75.0 %", "85.4 %", "96.5 %"]);
        let gaussian = rhos.map(|rho: f64| percent(guess(rho, Some((2.0 * rho).sqrt()))));
        assert_eq!(gaussian, ["52.9 %", "56.3 %", "58.9 %", "69.2 %", "76.1 %", "84.2 %"]);
        assert_eq!((guess(0.0, Some(0.0)), guess(1e9, None)), (0.5, 1.0));
    }
}
