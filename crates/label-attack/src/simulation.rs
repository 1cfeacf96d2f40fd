//! Trials: a world, its release, and how much the attackers get right, beside blind guessing and
//! the ceiling.

use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::attack::{LabelAttack, Method, attack_labels};
use crate::error::Error;
use crate::exact::ExactOutcome;
use crate::exposed::exposed_rows;
use crate::limits::AttackLimits;
use crate::problem::Evidence;
use crate::setting::{LabelRelease, Population};
use crate::view::LabelView;
use crate::world::LabelWorld;

/// Where the worlds of trials come from.
#[derive(Clone, Debug)]
pub enum LabelSource {
    /// A table drawn anew for each trial.
    Population(Population),
    /// One real table; only the noise is drawn anew.
    Table(LabelWorld),
}

impl LabelSource {
    /// A world for a trial.
    ///
    /// # Panics
    /// Never: nobody sets the flag that could stop it.
    pub fn world(&self, rng: &mut SimRng) -> LabelWorld {
        self.world_until(&StopFlag::never(), rng).expect("nobody sets this flag")
    }

    /// The same, unless the flag is set before the end.
    fn world_until(&self, stop: &StopFlag, rng: &mut SimRng) -> Result<LabelWorld, Error> {
        match self {
            Self::Population(population) => LabelWorld::draw_until(population, stop, rng),
            Self::Table(world) => Ok(world.clone()),
        }
    }
}

/// One trial.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LabelTrial {
    /// Accuracy of the commonest class for every row: what needs no release.
    pub blind: f64,
    /// The best accuracy that rows with identical known columns allow.
    pub ceiling: f64,
    /// Counts that were released.
    pub released: usize,
    /// The attacker who uses released counts only.
    pub from_released: AttackScore,
    /// The attacker who also uses that withheld counts are small.
    pub with_suppressed: AttackScore,
}

impl LabelTrial {
    /// The best accuracy of any attacker on this release, guessing among them, and who reached
    /// it: `None` for guessing. Whichever method a portfolio took for the best, the release
    /// allowed this.
    #[must_use]
    pub fn strongest(&self) -> (f64, Option<(Evidence, Method)>) {
        self.strongest_with(Evidence::WithSuppressed)
    }

    /// The same among the attackers who use at most this evidence: those who may use what
    /// withheld counts tell may also leave it out.
    #[must_use]
    pub fn strongest_with(&self, most: Evidence) -> (f64, Option<(Evidence, Method)>) {
        let scores = [(Evidence::Released, &self.from_released), (Evidence::WithSuppressed, &self.with_suppressed)];
        let allowed = if most == Evidence::Released { 1 } else { 2 };
        let mut best = (self.blind, None);
        for (evidence, score) in &scores[..allowed] {
            let members = score.members.iter().copied();
            for (method, accuracy) in members.chain([(score.chosen, score.accuracy)]) {
                if accuracy > best.0 {
                    best = (accuracy, Some((*evidence, method)));
                }
            }
        }
        best
    }
}

/// How well the attackers of one kind of evidence did. Accuracies are shares of the rows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AttackScore {
    /// Accuracy of the portfolio.
    pub accuracy: f64,
    /// Accuracy among the most confident tenth of the rows.
    pub top_tenth: f64,
    /// Accuracy among the more confident half of the rows.
    pub top_half: f64,
    /// Accuracy of each attacker that took part.
    pub members: Vec<(Method, f64)>,
    /// Rows whose label is proved, as a share of all rows. Only the most confident rows are
    /// tried.
    pub exposed: f64,
    /// Rows that were tried for a proof, as a share of all rows.
    pub tried: f64,
    /// Whether whole labels were found that meet all intervals.
    pub is_solved: bool,
    /// The method whose answer the portfolio gave.
    pub chosen: Method,
    /// How the integer program ended.
    pub exact: ExactOutcome,
}

impl AttackScore {
    /// Accuracy of one attacker, if it took part.
    #[must_use]
    pub fn accuracy_of(&self, method: Method) -> Option<f64> {
        self.members.iter().find(|(member, _)| *member == method).map(|(_, accuracy)| *accuracy)
    }

    fn of(world: &LabelWorld, view: &LabelView, attack: &LabelAttack, limits: &AttackLimits) -> Self {
        let (truth, rows) = (world.labels(), world.labels().len() as f64);
        let exposed = exposed_rows(view, attack.evidence, &attack.guess, limits);
        Self {
            accuracy: world.accuracy(&attack.guess.labels),
            top_tenth: attack.guess.top_accuracy(truth, 0.1),
            top_half: attack.guess.top_accuracy(truth, 0.5),
            members: attack.members.iter().map(|(method, guess)| (*method, world.accuracy(&guess.labels))).collect(),
            exposed: exposed.rows.len() as f64 / rows,
            tried: exposed.tried as f64 / rows,
            is_solved: attack.violation == 0,
            chosen: attack.chosen,
            exact: attack.exact,
        }
    }
}

/// Runs `trials` trials, on rayon with the feature `parallel`; the result is the same at any
/// number of threads, unless an integer program ended by [`ExactOutcome::TimedOut`].
///
/// # Errors
/// [`Error::NoTrial`], [`Error::TooManyRows`], [`Error::TooManyEntries`], [`Error::Stopped`].
pub fn simulate_labels(
    source: &LabelSource,
    release: &LabelRelease,
    limits: &AttackLimits,
    trials: u64,
    seed: u64,
) -> Result<Vec<LabelTrial>, Error> {
    if trials == 0 {
        return Err(Error::NoTrial);
    }
    if let LabelSource::Population(population) = source {
        let (rows, columns) = (population.rows(), population.features.columns());
        if rows.saturating_mul(columns) > limits.entries {
            return Err(Error::TooManyRows { rows, columns, limit: limits.entries });
        }
    }
    limits.stop.begin(trials);
    let trials = 0..trials;
    #[cfg(feature = "parallel")]
    let trials = trials.into_par_iter();
    let run = |trial| run_trial(source, release, limits, seed, trial).inspect(|_| limits.stop.advance(1));
    trials.map(run).collect()
}

fn run_trial(
    source: &LabelSource,
    release: &LabelRelease,
    limits: &AttackLimits,
    seed: u64,
    trial: u64,
) -> Result<LabelTrial, Error> {
    let mut of_world = SimRng::for_trial(seed, "labels: world", trial);
    let world = source.world_until(&limits.stop, &mut of_world)?;
    let view = LabelView::of(&world, release, limits, &mut of_world)?;
    let score = |evidence| -> Result<AttackScore, Error> {
        let mut rng = SimRng::for_trial(seed, "labels: attack", trial);
        let attack = attack_labels(&view, evidence, limits, &mut rng)?;
        let score = AttackScore::of(&world, &view, &attack, limits);
        limits.check_stop().map(|()| score)
    };
    Ok(LabelTrial {
        blind: world.blind_accuracy(),
        ceiling: world.ceiling_of(&view.units),
        released: view.released(),
        from_released: score(Evidence::Released)?,
        with_suppressed: score(Evidence::WithSuppressed)?,
    })
}

/// A mean over trials and how far it may be off by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MeanOverTrials {
    /// The mean.
    pub mean: f64,
    /// Its standard error; NaN for a single trial.
    pub standard_error: f64,
}

impl MeanOverTrials {
    /// The mean of a number of each trial.
    #[must_use]
    pub fn of(trials: &[LabelTrial], number: impl Fn(&LabelTrial) -> f64) -> Self {
        let count = trials.len() as f64;
        let mean = trials.iter().map(&number).sum::<f64>() / count;
        let squares: f64 = trials.iter().map(|trial| (number(trial) - mean).powi(2)).sum();
        let standard_error = if count > 1.0 { (squares / (count - 1.0) / count).sqrt() } else { f64::NAN };
        Self { mean, standard_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(accuracy: f64, members: &[(Method, f64)]) -> AttackScore {
        AttackScore {
            accuracy,
            top_tenth: 0.0,
            top_half: 0.0,
            members: members.to_vec(),
            exposed: 0.0,
            tried: 0.0,
            is_solved: true,
            chosen: Method::Walk,
            exact: ExactOutcome::TooLarge,
        }
    }

    /// What one release gave: the portfolio believed a walk that did worse than guessing.
    #[test]
    fn the_strongest_attacker_is_not_the_one_that_the_portfolio_believed() {
        let members = [(Method::Walk, 0.753), (Method::LeastSquares, 0.793)];
        let trial = LabelTrial {
            blind: 0.761,
            ceiling: 0.9,
            released: 1,
            from_released: score(0.753, &members),
            with_suppressed: score(0.753, &members[..1]),
        };
        assert_eq!(trial.strongest(), (0.793, Some((Evidence::Released, Method::LeastSquares))));
        let walks = LabelTrial { from_released: score(0.753, &members[..1]), ..trial };
        assert_eq!(walks.strongest(), (0.761, None), "guessing does better");
    }
}
