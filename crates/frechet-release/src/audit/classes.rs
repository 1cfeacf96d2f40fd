//! Verdicts over the classes of a table: see [`verdict`](crate::audit::rule) for the rule.

use std::collections::BTreeMap;

use privacy_core::AttrSet;

use crate::audit::primary::{self, Unfit};
use crate::audit::rule::{Finding, Policy, Subject, Verdict, judge};
use crate::solver::{AT_ONCE, Before, Solver};
use crate::table::class::Class;
use crate::table::error::Error;

/// What the attacker, run on the release, must not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Target {
    /// No class in scope is disclosed or unknown.
    Undisclosed,
    /// Every class in scope is certified. Full profiles of an electorate hardly ever are.
    Certified,
}

/// Verdicts for all classes in scope that are not empty.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Audit {
    /// One finding a class and candidate, the smallest sets of axes first.
    pub findings: Vec<Finding>,
    /// Published numbers that are none to publish by themselves, whatever is in scope: each by its name.
    pub unfit: Vec<(String, Unfit)>,
    /// Classes known to be empty, which have no verdict.
    pub empty_classes: usize,
    /// People whose own vote is known for sure, because everybody with their full profile voted alike. `None` without
    /// the composition, or when full profiles are not in scope.
    pub exposed_people: Option<i64>,
}

impl Audit {
    /// Whether every class in scope that is not empty is certified. Nothing less is a promise about the release.
    #[must_use]
    pub fn is_certified(&self) -> bool {
        !self.findings.is_empty() && self.count(Verdict::Certified) == self.findings.len()
    }

    /// Whether a release of these numbers is what was aimed at: none of them unfit, and no class disclosed or unknown, or
    /// every one certified.
    #[must_use]
    pub fn meets(&self, target: Target) -> bool {
        let is_sound = match target {
            Target::Certified => self.is_certified(),
            Target::Undisclosed => self.count(Verdict::Disclosed) + self.count(Verdict::Unknown) == 0,
        };
        is_sound && self.unfit.is_empty()
    }

    /// How many findings have a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

/// Judges every class in scope.
///
/// # Guarantee
/// Kind: guarantee, against an attacker who knows the rows and capacities and nothing else, whatever their prior over
/// the tables that fit. Unit: a person of the table. A fact that the attacker may hold belongs into the knowledge; a class
/// whose count is such a fact is judged as for those who do not hold the facts, since it is no news to those who do.
///
/// # Errors
/// As [`Solver::interval`].
pub fn audit(solver: &mut Solver, policy: &Policy) -> Result<Audit, Error> {
    let knowledge = solver.knowledge();
    let (profile, vote) = (knowledge.profile(), knowledge.vote_axis());
    let candidates: Vec<Option<usize>> =
        vote.map_or(vec![None], |axis| (0..knowledge.grid.size(axis)).map(Some).collect());
    let overall = candidates.iter().map(|&candidate| overall_rate(solver, vote.zip(candidate)));
    let rates: Vec<(Option<usize>, Option<f64>)> = candidates.iter().copied().zip(overall).collect();
    let unfit = primary::unfit_numbers(knowledge, policy);
    let mut audit = Audit { findings: Vec::new(), unfit, empty_classes: 0, exposed_people: None };
    for axes in policy.scope().sets(profile) {
        let exposed = audit.add(solver, policy, axes, &rates)?;
        if axes == profile {
            audit.exposed_people = exposed;
        }
    }
    Ok(audit)
}

impl Audit {
    /// Judges the classes on these axes, each for every candidate with the rate of everybody, and counts the people who are
    /// exposed, where the composition is public.
    fn add(
        &mut self,
        solver: &mut Solver,
        policy: &Policy,
        axes: AttrSet,
        rates: &[(Option<usize>, Option<f64>)],
    ) -> Result<Option<i64>, Error> {
        let (vote, people) = (solver.knowledge().vote_axis(), solver.knowledge().people(axes));
        let grid = solver.knowledge().grid.clone();
        let people_of = |index: usize| people.as_ref().map(|people| people[index]);
        let peopled: Vec<usize> = (0..grid.classes(axes)).filter(|&index| people_of(index) != Some(0)).collect();
        self.empty_classes += grid.classes(axes) - peopled.len();
        let mut exposed = BTreeMap::new();
        let questions = |&index: &usize| rates.iter().map(move |&(candidate, overall)| (index, candidate, overall));
        let questions: Vec<_> = peopled.iter().flat_map(questions).collect();
        for batch in questions.chunks(AT_ONCE) {
            let class = |&(index, candidate, _): &(usize, _, _)| {
                with_candidate(axes, &grid.levels_of_class(index, axes), vote.zip(candidate))
            };
            let classes: Vec<Class> = batch.iter().map(class).collect();
            let intervals = solver.intervals(&classes)?;
            for ((&(index, candidate, overall), class), interval) in batch.iter().zip(&classes).zip(&intervals) {
                let is_published = solver.knowledge().released(class).is_some();
                let (levels, people) = (grid.levels_of_class(index, axes), people_of(index));
                let subject = Subject { axes, levels: &levels, candidate, people, is_published, overall };
                let mut finding = judge(&subject, interval, policy);
                match solver.before_facts(class)? {
                    Before::Same => {}
                    Before::Open => finding.judged_as(Verdict::Ambiguous, None, None),
                    Before::Interval(before) => {
                        let weaker = judge(&subject, &before, policy);
                        finding.judged_as(weaker.verdict, weaker.mode, weaker.unanimity);
                    }
                }
                if people == Some(finding.lower) || candidate.is_none() && finding.upper == 0 {
                    exposed.insert(index, people.unwrap_or(0));
                }
                self.findings.push(finding);
            }
        }
        Ok(people.map(|_| exposed.into_values().sum()))
    }
}

/// The class on these axes, of one candidate if there are candidates.
pub(crate) fn with_candidate(axes: AttrSet, levels: &[usize], candidate: Option<(usize, usize)>) -> Class {
    let Some((vote, candidate)) = candidate else { return Class::new(axes, levels) };
    let with = axes.with(vote);
    let level = |axis| axes.axis_of(axis).map_or(candidate, |place| levels[place]);
    Class { axes: with, levels: with.iter().map(level).collect() }
}

/// The rate of everybody, where both counts are public.
fn overall_rate(solver: &Solver, candidate: Option<(usize, usize)>) -> Option<f64> {
    let knowledge = solver.knowledge();
    let class = with_candidate(AttrSet::EMPTY, &[], candidate);
    let people = knowledge.people(AttrSet::EMPTY)?[0];
    Some(knowledge.released(&class)? as f64 / people as f64)
}
