//! Simulated attacks on a release, as documents report them.

use disclosure::screen::ScreenSpec;
use label_attack::{
    AttackLimits, AttackScore, Evidence, ExactOutcome, LabelRelease, LabelSource, LabelTrial, MeanOverTrials, Method,
    Population, simulate_labels,
};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::observer::{Observer, during};

/// Steps that all trials together may take: about half an hour on one core.
const MOST_STEPS: f64 = 1e12;

/// How often to attack, and how large an attack may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttackEffort {
    /// Releases to attack.
    pub trials: u64,
    /// Seed of tables and noise; the same seed gives the same figures.
    pub seed: u64,
    /// Most memberships of rows in queries.
    pub max_entries: u64,
}

impl AttackEffort {
    /// The effort of a pipeline: three releases under a fixed seed.
    pub const PIPELINE: Self = Self { trials: 3, seed: 1, max_entries: 20_000_000 };
}

/// A mean over trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanSummary {
    /// The mean.
    pub mean: f64,
    /// Its standard error; null for a single trial.
    pub standard_error: Option<f64>,
}

/// What the attackers got right, between what needs no release and what no attacker reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackSummary {
    /// Releases that were attacked.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// Accuracy of the most frequent class for everybody.
    pub blind_accuracy: MeanSummary,
    /// The best accuracy that rows with identical known columns allow.
    pub ceiling_accuracy: MeanSummary,
    /// Counts that were released.
    pub released_counts: MeanSummary,
    /// The best of all attackers and of guessing, release by release: the figure that is judged.
    #[serde(default)]
    pub strongest: StrongestSummary,
    /// The attackers, by their evidence.
    pub attackers: Vec<AttackerSummary>,
}

/// The best of all attackers and of guessing, release by release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrongestSummary {
    /// Share of the labels that the best attacker on each release gets right.
    pub accuracy: MeanSummary,
    /// How much more that is than guessing the most frequent class.
    pub gain: MeanSummary,
    /// What the attacker uses who was best most often; null for guessing.
    pub evidence: Option<Evidence>,
    /// The method of that attacker; null for guessing.
    pub method: Option<Method>,
}

impl StrongestSummary {
    pub(super) fn of(trials: &[LabelTrial]) -> Self {
        let by: Vec<_> = trials.iter().map(|trial| trial.strongest().1).collect();
        let times = |who: &Option<(Evidence, Method)>| by.iter().filter(|other| *other == who).count();
        // The first of those that were best equally often.
        let best = by.iter().rev().max_by_key(|who| times(who)).copied().flatten();
        Self {
            accuracy: mean(trials, |trial| trial.strongest().0),
            gain: mean(trials, |trial| trial.strongest().0 - trial.blind),
            evidence: best.map(|(evidence, _)| evidence),
            method: best.map(|(_, method)| method),
        }
    }
}

/// The attackers who use one kind of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackerSummary {
    /// What they use.
    pub evidence: Evidence,
    /// Share of the labels that are right.
    pub accuracy: MeanSummary,
    /// The same among the more confident half of the rows.
    pub top_half_accuracy: MeanSummary,
    /// The same among the most confident tenth of the rows.
    pub top_tenth_accuracy: MeanSummary,
    /// Share of the rows whose label is proved.
    pub exposed_share: MeanSummary,
    /// Share of the rows for which a proof was sought.
    pub tried_share: MeanSummary,
    /// Share of the trials in which labels were found that meet every released count.
    pub solved_share: MeanSummary,
    /// Trials in which the integer program reached its limit in seconds: with any, figures depend
    /// on the machine.
    pub timed_out: usize,
    /// The accuracy of each method, over the trials in which it took part.
    pub methods: Vec<MethodSummary>,
}

/// One method of attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The method.
    pub method: Method,
    /// Share of the labels that are right.
    pub accuracy: MeanSummary,
}

impl AttackSummary {
    /// The figure that a target is compared with: the best of all attackers and of guessing on each
    /// release, on average, and twice its standard error more. Nothing more for a single trial, of
    /// which nobody knows the error.
    #[must_use]
    pub fn judged(&self) -> f64 {
        let MeanSummary { mean, standard_error } = self.strongest.accuracy;
        mean + 2.0 * standard_error.unwrap_or(0.0)
    }

    /// The accuracy of the attackers who use this evidence.
    pub(super) fn accuracy_with(&self, evidence: Evidence) -> MeanSummary {
        let attacker = self.attackers.iter().find(|attacker| attacker.evidence == evidence);
        attacker.map_or(self.blind_accuracy, |attacker| attacker.accuracy)
    }

    fn of(trials: &[LabelTrial], effort: AttackEffort) -> Self {
        Self {
            trials: effort.trials,
            seed: effort.seed,
            blind_accuracy: mean(trials, |trial| trial.blind),
            ceiling_accuracy: mean(trials, |trial| trial.ceiling),
            released_counts: mean(trials, |trial| trial.released as f64),
            strongest: StrongestSummary::of(trials),
            attackers: vec![
                AttackerSummary::of(trials, Evidence::Released, |trial| &trial.from_released),
                AttackerSummary::of(trials, Evidence::WithSuppressed, |trial| &trial.with_suppressed),
            ],
        }
    }
}

/// The score of one kind of evidence.
type ScoreOf = fn(&LabelTrial) -> &AttackScore;

impl AttackerSummary {
    fn of(trials: &[LabelTrial], evidence: Evidence, score: ScoreOf) -> Self {
        Self {
            evidence,
            accuracy: mean(trials, |trial| score(trial).accuracy),
            top_half_accuracy: mean(trials, |trial| score(trial).top_half),
            top_tenth_accuracy: mean(trials, |trial| score(trial).top_tenth),
            exposed_share: mean(trials, |trial| score(trial).exposed),
            tried_share: mean(trials, |trial| score(trial).tried),
            solved_share: mean(trials, |trial| f64::from(u8::from(score(trial).is_solved))),
            timed_out: trials.iter().filter(|trial| score(trial).exact == ExactOutcome::TimedOut).count(),
            methods: Method::ALL.iter().filter_map(|&method| MethodSummary::of(trials, method, score)).collect(),
        }
    }
}

impl MethodSummary {
    /// A method takes part in every trial, except where a limit on size excluded it: the mean is
    /// over the others.
    fn of(trials: &[LabelTrial], method: Method, score: ScoreOf) -> Option<Self> {
        let took_part = trials.iter().filter(|trial| score(trial).accuracy_of(method).is_some());
        let took_part: Vec<LabelTrial> = took_part.cloned().collect();
        let accuracy = mean(&took_part, |trial| score(trial).accuracy_of(method).unwrap_or(f64::NAN));
        (!took_part.is_empty()).then_some(Self { method, accuracy })
    }
}

pub(super) fn mean(trials: &[LabelTrial], number: impl Fn(&LabelTrial) -> f64) -> MeanSummary {
    let MeanOverTrials { mean, standard_error, .. } = MeanOverTrials::of(trials, number);
    MeanSummary { mean, standard_error: standard_error.is_finite().then_some(standard_error) }
}

/// Attacks tables drawn from the model of a release.
pub(super) fn attack_model(
    spec: &ScreenSpec,
    effort: AttackEffort,
    observer: &dyn Observer,
) -> Result<AttackSummary, JobError> {
    attack(&LabelSource::Population(Population::of_screen(spec)?), spec, effort, observer)
}

/// Attacks the tables of a source, released under the rule of `spec`.
pub(super) fn attack(
    source: &LabelSource,
    spec: &ScreenSpec,
    effort: AttackEffort,
    observer: &dyn Observer,
) -> Result<AttackSummary, JobError> {
    let entries = usize::try_from(effort.max_entries).unwrap_or(usize::MAX);
    let limits = AttackLimits { entries, stop: observer.stop_flag(), ..AttackLimits::default() };
    let release = LabelRelease::of_screen(spec)?;
    check_steps(spec, &limits, effort.trials)?;
    let trials =
        during(observer, "attacking labels", || simulate_labels(source, &release, &limits, effort.trials, effort.seed));
    Ok(AttackSummary::of(&trials?, effort))
}

fn check_steps(spec: &ScreenSpec, limits: &AttackLimits, trials: u64) -> Result<(), JobError> {
    let squares = spec.subsets() * spec.rows() as f64 * f64::from(limits.iterations);
    let steps = trials as f64 * (squares + 2.0 * limits.visits as f64);
    if steps <= MOST_STEPS {
        return Ok(());
    }
    let most = (MOST_STEPS / steps * trials as f64).floor();
    let next = match most >= 1.0 {
        true => format!("request at most {most:.0} trials"),
        false => "simulate fewer rows, or a smaller max_order".to_owned(),
    };
    Err(JobError::new("E0636", format!("{trials} trials would take about {steps:.1e} steps")).next(next))
}
