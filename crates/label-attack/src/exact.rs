//! The exact attacker: an integer program whose every solution meets all intervals.
//!
//! Unknowns are the rows of each class in each unit. There is no objective, so any feasible point
//! is a solution, and where many are feasible it is an arbitrary one; or the objective is to
//! differ from a point in hand as much as possible. Floating point decides what is feasible, so a
//! point is checked in integers before it is used.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use microlp::{
    ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOptions, SolveOutcome, TerminationReason, Variable,
};
use privacy_core::stop::StopFlag;

use crate::guess::Expected;
use crate::limits::AttackLimits;
use crate::problem::LabelProblem;

/// How the integer program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ExactOutcome {
    /// Another attacker met all intervals before, so it was not run.
    NotNeeded,
    /// The program is larger than [`AttackLimits::exact_entries`].
    TooLarge,
    /// A point that meets all intervals.
    Solved,
    /// It reached [`AttackLimits::exact_nodes`], or its numbers lost their accuracy: the same on
    /// every machine.
    GaveUp,
    /// It reached [`AttackLimits::exact_seconds`]: another machine may get further.
    TimedOut,
}

/// Labels that meet all intervals, if the program finds some within the limits; far from those of
/// `unlike`, if given.
pub(crate) fn solve(
    problem: &LabelProblem,
    limits: &AttackLimits,
    unlike: Option<&Expected>,
) -> (ExactOutcome, Option<Vec<u32>>) {
    if problem.entries() * problem.layers > limits.exact_entries {
        return (ExactOutcome::TooLarge, None);
    }
    let (program, variables) = program(problem, unlike);
    let mut options = SolveOptions::default();
    options.node_limit = Some(limits.exact_nodes);
    options.time_limit = Some(Duration::from_secs(limits.exact_seconds));
    match solve_unless_stopped(program, options, &limits.stop) {
        None => (ExactOutcome::GaveUp, None),
        Some(Ok(outcome)) => {
            let timed_out = outcome.termination_reason() == TerminationReason::TimeLimit;
            let Some(solution) = outcome.solution() else {
                return (if timed_out { ExactOutcome::TimedOut } else { ExactOutcome::GaveUp }, None);
            };
            let values: Vec<f64> = variables.iter().map(|&variable| solution.var_value(variable).round()).collect();
            let labels = Expected::of_layers(problem, &values).rounded(problem);
            match problem.violation(&labels) {
                0 => (ExactOutcome::Solved, Some(labels)),
                _ => (ExactOutcome::GaveUp, None),
            }
        }
        // A release that followed its rule has a feasible point, the truth: an error of the
        // solver is its own.
        Some(Err(_)) => (ExactOutcome::GaveUp, None),
    }
}

/// How long a set flag may go unseen.
const LOOK: Duration = Duration::from_millis(20);

/// Solves on a thread of its own, since the solver has no way to be stopped; `None` once the flag
/// is set. The thread then ends by the limit in seconds, and nobody reads its answer.
fn solve_unless_stopped(
    program: Problem,
    options: SolveOptions,
    stop: &StopFlag,
) -> Option<Result<SolveOutcome, microlp::Error>> {
    let (answer, answered) = channel();
    std::thread::spawn(move || answer.send(program.solve_with(options)));
    loop {
        match answered.recv_timeout(LOOK) {
            Ok(outcome) => return Some(outcome),
            Err(RecvTimeoutError::Timeout) if !stop.is_set() => {}
            Err(_) => return None,
        }
    }
}

/// The program, and its variables by unit and layer.
fn program(problem: &LabelProblem, unlike: Option<&Expected>) -> (Problem, Vec<Variable>) {
    let mut program = Problem::new(OptimizationDirection::Minimize);
    let mut variables = Vec::with_capacity(problem.units() * problem.layers);
    for (unit, &size) in problem.sizes.iter().enumerate() {
        let most = i32::try_from(size).unwrap_or(i32::MAX);
        // Minimising the overlap with a point: a class costs 1 where the point has most of the
        // unit, and saves 1 elsewhere.
        let cost = |layer: usize| {
            let of_class = |unlike: &Expected| unlike.0[unit * problem.shares.len() + problem.class_of(layer)];
            unlike.map_or(0.0, |unlike| if 2.0 * of_class(unlike) > f64::from(size) { 1.0 } else { -1.0 })
        };
        let of_unit: Vec<Variable> =
            (0..problem.layers).map(|layer| program.add_integer_var(cost(layer), (0, most))).collect();
        if problem.layers > 1 {
            program.add_constraint(sum(of_unit.iter().copied()), ComparisonOp::Eq, f64::from(size));
        }
        variables.extend(of_unit);
    }
    for (set, units) in problem.sets.sets().enumerate() {
        for layer in 0..problem.layers {
            let bounds = problem.bounds[set * problem.layers + layer];
            let of_layer = || sum(units.iter().map(|&unit| variables[unit as usize * problem.layers + layer]));
            if bounds.lower > 0 {
                program.add_constraint(of_layer(), ComparisonOp::Ge, bounds.lower as f64);
            }
            if bounds.upper < i64::from(problem.rows_of[set]) {
                program.add_constraint(of_layer(), ComparisonOp::Le, bounds.upper as f64);
            }
        }
    }
    (program, variables)
}

fn sum(variables: impl Iterator<Item = Variable>) -> LinearExpr {
    let mut expression = LinearExpr::empty();
    variables.for_each(|variable| expression.add(variable, 1.0));
    expression
}
