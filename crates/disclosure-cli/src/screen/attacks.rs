//! Simulated attacks on a release, as `screen simulate` and `screen search --confirm` report them.

use disclosure::screen::ScreenSpec;
use label_attack::{
    AttackLimits, AttackScore, Error, ExactOutcome, LabelRelease, LabelSource, LabelTrial, MeanOverTrials, Method,
    Population, simulate_labels,
};
use serde::Serialize;

use crate::error::Failure;

/// Steps that all trials together may take: some half an hour on one core.
const MOST_STEPS: f64 = 1e12;

/// How often to attack, and what a trial may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) trials: u64,
    pub(super) seed: u64,
    pub(super) max_entries: u64,
}

/// A mean over trials; the standard error is null for a single trial.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

/// What the attackers got right, beside what needs no release and what no attacker gets.
#[derive(Debug, Serialize)]
pub(super) struct Attacks {
    pub(super) trials: u64,
    pub(super) seed: u64,
    pub(super) blind_accuracy: Mean,
    pub(super) ceiling_accuracy: Mean,
    pub(super) released_counts: Mean,
    pub(super) attackers: Vec<AttackerReport>,
}

/// The attackers who use one kind of evidence.
#[derive(Debug, Serialize)]
pub(super) struct AttackerReport {
    /// `released` or `with-suppressed`.
    pub(super) evidence: &'static str,
    pub(super) accuracy: Mean,
    /// Among the more confident half, and tenth, of the rows.
    pub(super) top_half_accuracy: Mean,
    pub(super) top_tenth_accuracy: Mean,
    /// Share of the rows whose label is proved, out of the share that was tried.
    pub(super) exposed_share: Mean,
    pub(super) tried_share: Mean,
    /// Share of the trials in which labels were found that meet every released count.
    pub(super) solved_share: Mean,
    /// Trials in which the integer program reached its limit in seconds: with any, figures depend on the machine.
    pub(super) timed_out: usize,
    pub(super) methods: Vec<MethodReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodReport {
    pub(super) method: &'static str,
    pub(super) accuracy: Mean,
}

impl Attacks {
    /// The accuracy of the attacker who uses all that is told.
    pub(super) fn strongest(&self) -> Mean {
        let means = self.attackers.iter().map(|attacker| attacker.accuracy);
        means
            .fold(Mean { mean: 0.0, standard_error: 0.0 }, |most, next| if next.mean > most.mean { next } else { most })
    }
}

/// Attacks worlds of a spec.
pub(super) fn attack_model(spec: &ScreenSpec, effort: Effort) -> Result<Attacks, Failure> {
    let source = LabelSource::Population(Population::of_screen(spec).map_err(refused)?);
    attack(&source, spec, effort)
}

/// Attacks worlds of a source under the rule of a spec.
pub(super) fn attack(source: &LabelSource, spec: &ScreenSpec, effort: Effort) -> Result<Attacks, Failure> {
    let limits =
        AttackLimits { entries: usize::try_from(effort.max_entries).unwrap_or(usize::MAX), ..AttackLimits::default() };
    let release = LabelRelease::of_screen(spec).map_err(refused)?;
    let squares = spec.subsets() * spec.rows() as f64 * f64::from(limits.iterations);
    let steps = effort.trials as f64 * (squares + 2.0 * limits.visits as f64);
    if steps > MOST_STEPS {
        let most = (MOST_STEPS / steps * effort.trials as f64).floor();
        return Err(Failure::new("E0636", format!("{} trials would take some {steps:.1e} steps", effort.trials))
            .next(if most >= 1.0 { format!("ask for at most {most:.0} trials") } else { TOO_LONG.to_owned() }));
    }
    let trials = simulate_labels(source, &release, &limits, effort.trials, effort.seed).map_err(refused)?;
    Ok(report(&trials, effort))
}

const TOO_LONG: &str = "simulate fewer rows, or a smaller max_order";

/// What the attackers refuse. Sizes are those of the spec.
fn refused(error: Error) -> Failure {
    let code = match &error {
        Error::TooManyEntries { .. } | Error::TooManyRows { .. } => "E0635",
        _ => "E0257",
    };
    Failure::new(code, error.to_string())
}

fn report(trials: &[LabelTrial], Effort { trials: number, seed, .. }: Effort) -> Attacks {
    Attacks {
        trials: number,
        seed,
        blind_accuracy: mean(trials, |trial| trial.blind),
        ceiling_accuracy: mean(trials, |trial| trial.ceiling),
        released_counts: mean(trials, |trial| trial.released as f64),
        attackers: vec![
            attacker(trials, "released", |trial| &trial.from_released),
            attacker(trials, "with-suppressed", |trial| &trial.with_suppressed),
        ],
    }
}

fn attacker(trials: &[LabelTrial], evidence: &'static str, of: fn(&LabelTrial) -> &AttackScore) -> AttackerReport {
    // Whoever takes part does so in every trial but where a limit on size left it out: the mean is over where it did.
    let method = |method: Method| {
        let took_part: Vec<LabelTrial> =
            trials.iter().filter(|trial| accuracy_of(of(trial), method).is_some()).cloned().collect();
        let mean = || mean(&took_part, |trial| accuracy_of(of(trial), method).unwrap_or(f64::NAN));
        (!took_part.is_empty()).then(|| MethodReport { method: name(method), accuracy: mean() })
    };
    AttackerReport {
        evidence,
        accuracy: mean(trials, |trial| of(trial).accuracy),
        top_half_accuracy: mean(trials, |trial| of(trial).top_half),
        top_tenth_accuracy: mean(trials, |trial| of(trial).top_tenth),
        exposed_share: mean(trials, |trial| of(trial).exposed),
        tried_share: mean(trials, |trial| of(trial).tried),
        solved_share: mean(trials, |trial| f64::from(u8::from(of(trial).is_solved))),
        timed_out: trials.iter().filter(|trial| of(trial).exact == ExactOutcome::TimedOut).count(),
        methods: METHODS.iter().filter_map(|&(member, _)| method(member)).collect(),
    }
}

const METHODS: [(Method, &str); 5] = [
    (Method::LeastSquares, "least-squares"),
    (Method::Propagation, "belief-propagation"),
    (Method::Feasible, "feasible-labels"),
    (Method::Walk, "walk"),
    (Method::Average, "average"),
];

fn name(method: Method) -> &'static str {
    METHODS.iter().find(|(known, _)| *known == method).map_or("other", |(_, name)| name)
}

fn accuracy_of(score: &AttackScore, method: Method) -> Option<f64> {
    score.members.iter().find(|(member, _)| *member == method).map(|(_, accuracy)| *accuracy)
}

fn mean(trials: &[LabelTrial], number: impl Fn(&LabelTrial) -> f64) -> Mean {
    let MeanOverTrials { mean, standard_error, .. } = MeanOverTrials::of(trials, number);
    Mean { mean, standard_error }
}
