//! The portfolio: every attacker that the limits allow, and which of them to believe.
//!
//! Labels that meet all intervals are worth much when they are the only ones, and nothing more
//! than a guess when they are many. A walk from such labels tells the two apart: where it keeps
//! to them, it is believed alone; where it strays, its averages count as much as belief
//! propagation and least squares together.

use privacy_core::rng::SimRng;

use crate::annealing::{Point, anneal, walk};
use crate::error::Error;
use crate::exact::{self, ExactOutcome};
use crate::guess::{Expected, LabelGuess};
use crate::least_squares::least_squares;
use crate::limits::AttackLimits;
use crate::problem::{Evidence, LabelProblem};
use crate::propagation::{propagate, sweep_cost};
use crate::view::LabelView;

/// Share of the rows in which a walk must agree with where it began, on average, for labels to
/// count as settled. Rows of one unit may exchange their labels.
const SETTLED: f64 = 0.9;

/// One way to attack labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Method {
    /// Least squares over the simplex.
    LeastSquares,
    /// Belief propagation.
    #[cfg_attr(feature = "serde", serde(rename = "belief-propagation"))]
    Propagation,
    /// Labels that miss the intervals least, found by annealing or by the integer program; rows
    /// of one unit get their most frequent one.
    #[cfg_attr(feature = "serde", serde(rename = "feasible-labels"))]
    Feasible,
    /// Averages of a walk around those labels.
    Walk,
    /// Half the walk, half the mean of belief propagation and least squares.
    Average,
}

impl Method {
    /// All methods, in the order in which they are reported.
    pub const ALL: [Self; 5] = [Self::LeastSquares, Self::Propagation, Self::Feasible, Self::Walk, Self::Average];
}

/// What the attackers found in one view.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelAttack {
    /// What they made use of.
    pub evidence: Evidence,
    /// What the portfolio says.
    pub guess: LabelGuess,
    /// Whose word that is.
    pub chosen: Method,
    /// What each attacker says, in the order of [`Method`]; those that the limits left out are
    /// missing.
    pub members: Vec<(Method, LabelGuess)>,
    /// By how much the best whole labels miss the intervals; 0 when they are a solution.
    pub violation: u64,
    /// How the integer program ended.
    pub exact: ExactOutcome,
}

impl LabelAttack {
    /// What one attacker says, if it took part.
    #[must_use]
    pub fn of(&self, method: Method) -> Option<&LabelGuess> {
        self.members.iter().find(|(member, _)| *member == method).map(|(_, guess)| guess)
    }
}

/// Attacks the labels of a view. The same seed gives the same answer, unless
/// [`ExactOutcome::TimedOut`] says otherwise.
///
/// # Errors
/// [`Error::Stopped`] once the flag of `limits` is set.
pub fn attack_labels(
    view: &LabelView,
    evidence: Evidence,
    limits: &AttackLimits,
    rng: &mut SimRng,
) -> Result<LabelAttack, Error> {
    let problem = LabelProblem::until(view, evidence, &limits.stop)?;
    let squares = least_squares(&problem, limits.iterations, &limits.stop);
    let propagated =
        (sweep_cost(&problem) <= limits.sweep_cost).then(|| propagate(&problem, limits.sweeps, &limits.stop));
    // What was cut short is not an attack: every step ends early once the flag is set, and
    // nothing of it is used.
    limits.check_stop()?;
    let marginals: Vec<&Expected> = std::iter::once(&squares).chain(&propagated).collect();
    let (point, exact) = feasible_point(&problem, &marginals, limits, rng);
    let walked = walk(&problem, &point, limits.visits / 4, &limits.stop, rng);
    limits.check_stop()?;

    let whole = Expected::of_labels(&problem, &point.labels);
    let average = Expected::mean(&[&walked, &Expected::mean(&marginals)]);
    let (is_settled, exact) = match point.violation == 0 && walked.overlap(&whole) >= SETTLED {
        true => no_other_solution(&problem, &whole, exact, limits),
        false => (false, exact),
    };
    let (chosen, believed) = if is_settled { (Method::Walk, &walked) } else { (Method::Average, &average) };
    let guess = believed.guess(&problem);
    let mut members = vec![(Method::LeastSquares, squares.guess(&problem))];
    members.extend(propagated.map(|expected| (Method::Propagation, expected.guess(&problem))));
    members.extend([
        (Method::Feasible, whole.guess(&problem)),
        (Method::Walk, walked.guess(&problem)),
        (Method::Average, average.guess(&problem)),
    ]);
    limits.check_stop()?;
    Ok(LabelAttack { evidence, guess, chosen, members, violation: point.violation, exact })
}

/// Whether the integer program finds no labels that meet all intervals and differ in many rows,
/// and how it ended all in all. That it finds none proves nothing, and a walk that stands still
/// may be stuck, which is why both are asked.
fn no_other_solution(
    problem: &LabelProblem,
    whole: &Expected,
    before: ExactOutcome,
    limits: &AttackLimits,
) -> (bool, ExactOutcome) {
    // With an objective, linear programs take many times longer.
    let smaller = AttackLimits { exact_entries: limits.exact_entries / 10, ..limits.clone() };
    let (outcome, labels) = exact::solve(problem, &smaller, Some(whole));
    (
        !labels.is_some_and(|labels: Vec<u32>| Expected::of_labels(problem, &labels).overlap(whole) < SETTLED),
        if outcome == ExactOutcome::TimedOut { outcome } else { before },
    )
}

/// Whole labels that miss the intervals as little as the limits allow.
fn feasible_point(
    problem: &LabelProblem,
    marginals: &[&Expected],
    limits: &AttackLimits,
    rng: &mut SimRng,
) -> (Point, ExactOutcome) {
    let mut best: Option<Point> = None;
    for expected in marginals {
        let start = Point::new(problem, expected.rounded(problem));
        let found = anneal(problem, &start, limits.visits / marginals.len() as u64, &limits.stop, rng);
        if best.as_ref().is_none_or(|best| found.violation < best.violation) {
            best = Some(found);
        }
    }
    let best = best.expect("least squares always takes part");
    if best.violation == 0 {
        return (best, ExactOutcome::NotNeeded);
    }
    match exact::solve(problem, limits, None) {
        (outcome, Some(labels)) => (Point { labels, violation: 0 }, outcome),
        (outcome, None) => (best, outcome),
    }
}
