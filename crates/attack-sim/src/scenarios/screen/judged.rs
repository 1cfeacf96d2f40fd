//! The figure that a target is compared with: does a simple attacker do better?
//!
//! A trial is a table, the figure that a screening of it reports, and another release of the same
//! table, which simple attackers read: guessing, and least squares with and without what
//! suppression discloses. The portfolio may have believed somebody else on the releases that it
//! attacked; the figure must cover them all the same.

use label_attack::{
    AttackLimits, Evidence, Features, LabelGuess, LabelRelease, LabelSource, LabelTrial, LabelView, LabelWorld,
    MeanOverTrials, Method, Population, attack_labels, simulate_labels,
};

use super::players::blind;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    rows: usize,
    /// Values of each known column, all equally frequent.
    cardinalities: Vec<u32>,
    class_shares: Vec<f64>,
    suppress_below: u64,
    noise: u64,
    /// Releases that the screening attacks.
    releases: u64,
    /// How far above the figure an attacker on one release may be.
    margin: f64,
    within: f64,
}

/// The fault of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The mean accuracy of the attacker whom the portfolio believes, and of nobody else.
    BelievesOneAttacker,
}

/// Builds the scenario of a file's entry.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let population = Population::new(spec.rows, Features::uniform(&spec.cardinalities), &spec.class_shares)?;
    let release = LabelRelease::new(spec.suppress_below, spec.noise)?;
    let Spec { releases, margin, within, .. } = spec;
    blueprint.trials(
        vec![Quantity::share("releases on which no simple attacker exceeds the figure", Claim::at_least(within)?)?],
        |fault| Ok(JudgedAudit { population: population.clone(), release: release.clone(), releases, margin, fault }),
        simple_attackers,
        |view: &LabelView, _: &mut SimRng| vec![blind(view)],
    )
}

/// Few steps: what is judged is which attacker is reported, not how far each one gets.
fn limits() -> AttackLimits {
    AttackLimits { visits: 20_000, exact_entries: 0, sweeps: 20, proofs: 0, ..AttackLimits::default() }
}

/// What guessing and least squares say.
fn simple_attackers(view: &LabelView, rng: &mut SimRng) -> Vec<LabelGuess> {
    let attacks = [Evidence::Released, Evidence::WithSuppressed].map(|evidence| {
        let attack = attack_labels(view, evidence, &limits(), rng).ok()?;
        attack.of(Method::LeastSquares).cloned()
    });
    attacks.into_iter().flatten().chain([blind(view)]).collect()
}

#[derive(Clone, Debug)]
struct JudgedAudit {
    population: Population,
    release: LabelRelease,
    releases: u64,
    margin: f64,
    fault: Option<Fault>,
}

impl JudgedAudit {
    fn figure(&self, trials: &[LabelTrial]) -> f64 {
        let mean = |of: fn(&LabelTrial) -> f64| MeanOverTrials::of(trials, of);
        match self.fault {
            None => {
                let MeanOverTrials { mean, standard_error, .. } = mean(|trial| trial.strongest().0);
                mean + 2.0 * standard_error
            }
            Some(Fault::BelievesOneAttacker) => {
                let suppressed = mean(|trial| trial.with_suppressed.accuracy).mean;
                mean(|trial| trial.from_released.accuracy).mean.max(suppressed)
            }
        }
    }
}

impl Audit for JudgedAudit {
    type World = (LabelWorld, f64);
    type View = LabelView;
    type Answer = Vec<LabelGuess>;

    fn world(&self, rng: &mut SimRng) -> Result<Self::World, Error> {
        let world = LabelWorld::draw(&self.population, rng);
        let source = LabelSource::Table(world.clone());
        let trials = simulate_labels(&source, &self.release, &limits(), self.releases, rng.random())?;
        Ok((world, self.figure(&trials)))
    }

    fn view(&self, (world, _): &Self::World, rng: &mut SimRng) -> Result<LabelView, Error> {
        Ok(LabelView::of(world, &self.release, &limits(), rng)?)
    }

    fn outsiders(&self, (world, figure): &Self::World, rng: &mut SimRng) -> Self::World {
        (world.redrawn(rng), *figure)
    }

    fn measure(&self, (world, figure): &Self::World, guesses: &Vec<LabelGuess>, measured: &mut [Option<f64>]) {
        let best = guesses.iter().map(|guess| world.accuracy(&guess.labels)).fold(0.0, f64::max);
        measured[0] = Some(f64::from(best <= figure + self.margin));
    }
}
