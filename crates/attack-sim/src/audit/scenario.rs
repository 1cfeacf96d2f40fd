//! A scenario: a claim, the audit of it, the attackers, and the negative control that must be
//! exposed.

use disclosure::privacy_core::param::Probability;

use super::claim::{Measurement, Quantity};
use super::finding::{About, Finding, Runs};
use super::tally::{Tally, part};
use super::trials::{Attacker, Audit, SharedTrials, run_together, run_trials};
use crate::error::Error;

/// A claim that can be tested, whatever its mechanism: what a list of scenarios holds.
pub trait Scenario: Send + Sync {
    /// Identifier, claim, source and names.
    fn about(&self) -> &About;

    /// Runs all parts with `trials` trials each, and judges. `error_rate` is the probability
    /// that any interval misses.
    ///
    /// # Errors
    /// [`Error::NoTrial`], and what an audit refuses.
    fn run(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error>;
}

/// The share of `error_rate` for each of four runs, once there is a trial.
pub(super) fn quarter(trials: u64, error_rate: Probability) -> Result<Probability, Error> {
    if trials == 0 { Err(Error::NoTrial) } else { Ok(part(error_rate, 4)) }
}

/// An audit by independent trials, its negative control and its attackers. A scenario without a
/// negative control cannot be written.
#[derive(Clone, Debug)]
pub struct TrialScenario<G, A, B> {
    /// Identifier, claim, source and names.
    pub about: About,
    /// What every trial measures, and what is claimed of it.
    pub quantities: Vec<Quantity>,
    /// The audit of the promise.
    pub audit: G,
    /// The same audit of a promise with a fault.
    pub negative_control: G,
    /// The attacker.
    pub attacker: A,
    /// An attacker who answers without looking at the release.
    pub blind: B,
}

impl<G, A, B> Scenario for TrialScenario<G, A, B>
where
    G: Audit + Send,
    A: Attacker<G::View, Answer = G::Answer> + Send,
    B: Attacker<G::View, Answer = G::Answer> + Send,
{
    fn about(&self) -> &About {
        &self.about
    }

    fn run(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error> {
        let rate = quarter(trials, error_rate)?;
        let (audit, quantities, attacker) = (&self.audit, &self.quantities, &self.attacker);
        // The streams have the names that they had when the first results were recorded: another
        // name draws other numbers.
        let [stream, of_control] = ["attacker", "broken twin"].map(|run| self.about.stream(run));
        let shared = run_together(audit, quantities, attacker, &self.blind, (trials, seed), &stream)?;
        let of_control = run_trials(&self.negative_control, quantities, attacker, trials, seed, &of_control)?;
        judged(&self.about, quantities, &shared, &of_control, trials, rate)
    }
}

/// What the tallies of a scenario say, each interval at this error rate.
fn judged(
    about: &About,
    quantities: &[Quantity],
    shared: &SharedTrials,
    of_control: &[Tally],
    trials: u64,
    rate: Probability,
) -> Result<Finding, Error> {
    let runs = Runs {
        attacker: Measurement::worst(quantities, &shared.attacker, rate)?,
        negative_control: Measurement::worst(quantities, of_control, rate)?,
        outsiders: Measurement::worst(quantities, &shared.outsiders, rate)?,
        blind: Measurement::worst(quantities, &shared.blind, rate)?,
    };
    let unit = if quantities.iter().all(Quantity::is_share) { "share" } else { "mean" };
    Ok(Finding::new(about, unit, runs, trials))
}
