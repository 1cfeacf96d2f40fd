//! Bounds on the errors of answers: how far a marginal of the model, or of rows of it, is at most
//! from the exact one.
//!
//! ```text
//! within a measured set   |M_r(D) - a|_1 <= |y_r - a|_1 + B_r                               (A6)
//! took part in a choice   |M_r(D) - a|_1 <= |M_r(D) - M_r(p)|_1 + |M_r(p) - a|_1            (A8)
//! any                     |M_r(D) - a|_1 <= N_up + |a|_1
//! ```
//!
//! `a` is the answer, `y_r` the mean of least variance of everything measured about r, `p` the
//! model before the last choice in which r took part. All hold together with the stated
//! confidence. Derivation: `docs/math/adaptive-marginals.md`.

mod choices;
mod noise;

use privacy_core::AttrSet;
use synthetic_people::{Measurement, Model, PossibleCells};

pub(crate) use choices::{Choice, Choices};
use noise::NoiseBound;

use crate::budget::Sensitivity;
use crate::error::Error;
use crate::plan::{cells_of, within};
use crate::release::AdaptiveRelease;
use crate::score::Scale;
use crate::workload::Candidate;

/// Covers the rounding of a few thousand floating-point operations.
const ROOM: f64 = 1e-9;

/// The probability over the coins of a release with which all of its bounds hold together, at
/// least 0.5 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct JointConfidence(f64);

impl JointConfidence {
    /// Checks a probability.
    ///
    /// # Errors
    /// [`Error::Setting`] below 0.5, and from 1.
    pub fn new(probability: f64) -> Result<Self, Error> {
        let is_within = (0.5..1.0).contains(&probability);
        within("confidence", "at least 0.5 and below 1", probability, is_within)?;
        Ok(Self(probability))
    }

    /// The probability.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// What a bound follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundBasis {
    /// The marginal is within a measured one: the noise is known.
    Measured,
    /// The marginal took part in the choice of this round, counted from 0, and another one was
    /// chosen: its error was hardly larger.
    Choice {
        /// The round, a position in [`AdaptiveRelease::rounds`].
        round: usize,
    },
    /// The number of people alone: two tables differ by at most the sum of both.
    People,
}

/// How far an answer is at most from the exact marginal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ErrorBound {
    /// The marginal.
    pub set: AttrSet,
    /// The largest sum of absolute differences over its cells, in counts.
    pub l1: f64,
    /// What it follows from.
    pub basis: BoundBasis,
}

/// What a release knows of itself, so that its errors can be bounded: nothing of the data.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) sizes: Vec<usize>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) possible: PossibleCells,
    pub(crate) sensitivity: Sensitivity,
    pub(crate) first_variance: f64,
    /// The number of people, where it is public.
    pub(crate) public_total: Option<f64>,
    pub(crate) choices: Choices,
}

/// Bounds on the errors of the answers to every marginal of the workload and its subsets.
///
/// # Guarantee
/// For every table of data that keeps to the declared structural zeros, with at least the stated
/// probability over the coins of the release, all bounds about all candidates hold together, for
/// any answers that are computed from the release. They are computed from what is published, so
/// they cost no budget.
#[derive(Clone, Debug)]
pub struct ErrorBounds<'a> {
    measurements: &'a [Measurement],
    model: &'a Model,
    facts: &'a Facts,
    confidence: JointConfidence,
    people: (f64, f64),
}

impl AdaptiveRelease {
    /// Bounds on the errors of answers, all of which hold together with this probability.
    #[must_use]
    pub fn error_bounds(&self, confidence: JointConfidence) -> ErrorBounds<'_> {
        ErrorBounds::new(self.measurements(), self.model(), self.facts(), confidence)
    }
}

impl<'a> ErrorBounds<'a> {
    fn new(measurements: &'a [Measurement], model: &'a Model, facts: &'a Facts, confidence: JointConfidence) -> Self {
        let unknown = Self { measurements, model, facts, confidence, people: (0.0, f64::INFINITY) };
        Self { people: unknown.measured_people(), ..unknown }
    }

    /// The probability with which all bounds hold together.
    #[must_use]
    pub fn confidence(&self) -> JointConfidence {
        self.confidence
    }

    /// The least and the largest number of people (rows) of the data, in counts.
    #[must_use]
    pub fn people(&self) -> (f64, f64) {
        self.people
    }

    /// How far the model's marginal is from the exact one.
    ///
    /// # Errors
    /// [`Error::NotACandidate`] for a set that is no subset of the workload's.
    pub fn of_model(&self, set: AttrSet) -> Result<ErrorBound, Error> {
        self.candidate(set)?;
        self.of_answer(set, &self.model.marginal(set, f64::INFINITY)?)
    }

    /// How far a table over a set is from the exact one, in counts, row-major: of synthetic rows,
    /// say. It may be any function of the release and of coins of its own.
    ///
    /// # Errors
    /// [`Error::NotACandidate`] for a set that is no subset of the workload's,
    /// [`Error::WrongAnswer`] for a table with another number of cells, or one that is not finite.
    pub fn of_answer(&self, set: AttrSet, answer: &[f64]) -> Result<ErrorBound, Error> {
        let candidate = self.candidate(set)?;
        let fits = answer.len() as f64 == cells_of(&self.facts.sizes, set) && answer.iter().all(|x| x.is_finite());
        if !fits {
            return Err(Error::WrongAnswer { set });
        }
        let people = self.people.1 + answer.iter().map(|value| value.abs()).sum::<f64>();
        let (l1, basis) = match self.measured(set) {
            Some((measured, noise)) => (distance(&measured, answer) + noise, BoundBasis::Measured),
            None => self.of_unmeasured(candidate, answer)?.unwrap_or((people, BoundBasis::People)),
        };
        let (l1, basis) = if people < l1 { (people, BoundBasis::People) } else { (l1, basis) };
        Ok(ErrorBound { set, l1: l1 * (1.0 + ROOM), basis })
    }

    fn measured_people(&self) -> (f64, f64) {
        if let Some(total) = self.facts.public_total {
            return (total, total);
        }
        let Some((measured, bound)) = self.measured(AttrSet::EMPTY) else { return self.people };
        let total: f64 = measured.iter().sum();
        ((total - bound).max(0.0), (total + bound).max(0.0))
    }

    fn candidate(&self, set: AttrSet) -> Result<Candidate, Error> {
        let found = self.facts.candidates.iter().find(|candidate| candidate.set == set);
        found.copied().ok_or(Error::NotACandidate { set })
    }

    /// Half of what may fail is for the noise of all candidates and of the number of people.
    fn noise_failure(&self) -> f64 {
        (1.0 - self.confidence.get()) / 2.0 / (self.facts.candidates.len() + 1) as f64
    }

    /// The other half is for choices, each in proportion to its cost, which is known before it.
    fn choice_failure(&self, choice: &Choice) -> f64 {
        (1.0 - self.confidence.get()) / 2.0 * choice.share
    }

    /// What was measured about a marginal, and the bound on its noise: (A5). `None` if nothing was.
    fn measured(&self, set: AttrSet) -> Option<(Vec<f64>, f64)> {
        let facts = self.facts;
        let cells = facts.possible.count(set);
        let about = self.measurements.iter().filter(|measured| set.is_subset_of(measured.set));
        let mut mean = vec![0.0; cells_of(&facts.sizes, set) as usize];
        let mut information = 0.0;
        for measured in about {
            // Of a signed sum of the smaller table: as many independent cells as the larger has.
            let weight = 1.0 / (facts.possible.count(measured.set) * measured.variance);
            if weight.is_finite() {
                information += weight;
                let sums = measured.sums_over(&facts.sizes, set);
                mean.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += weight * sum);
            }
        }
        if information == 0.0 {
            return None;
        }
        mean.iter_mut().for_each(|value| *value /= information);
        let bound = NoiseBound { cells, first_variance: facts.first_variance, failure: self.noise_failure() };
        Some((mean, bound.at(information)))
    }

    /// (A8), from the last choice in which a candidate took part; `None` if it never did.
    fn of_unmeasured(&self, candidate: Candidate, answer: &[f64]) -> Result<Option<(f64, BoundBasis)>, Error> {
        let Some(choice) = self.facts.choices.last_with(candidate.set) else { return Ok(None) };
        let at_choice = self.at_choice(choice, candidate)?;
        let model = choice.model.marginal(candidate.set, f64::INFINITY)?;
        let basis = BoundBasis::Choice { round: choice.round };
        Ok(at_choice.map(|bound| (bound + distance(&model, answer), basis)))
    }

    /// (A7): the distance of a candidate that took part from the model before the choice.
    fn at_choice(&self, choice: &Choice, candidate: Candidate) -> Result<Option<f64>, Error> {
        let facts = self.facts;
        let chosen = self.candidate(choice.chosen)?;
        let Some((measured, noise)) = self.measured(chosen.set) else { return Ok(None) };
        let chosen_error = distance(&measured, &choice.model.marginal(chosen.set, f64::INFINITY)?) + noise;
        let heaviest = facts.candidates.iter().map(|candidate| candidate.weight).max().unwrap_or(1);
        let person = f64::from(facts.sensitivity.l1) * heaviest as f64;
        let slack = (choice.took_part as f64).ln() - self.choice_failure(choice).ln();
        let scale = |of: Candidate| Scale::new(of.weight, facts.possible.count(of.set), choice.step.sigma2);
        let chosen_score = chosen.weight as f64 * (chosen_error - scale(chosen).least_offset());
        let best_score = chosen_score + 2.0 * person / choice.step.epsilon.to_f64() * slack;
        Ok(Some((best_score / candidate.weight as f64 + scale(candidate).largest_offset()).max(0.0)))
    }
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum()
}

#[cfg(test)]
mod tests;
