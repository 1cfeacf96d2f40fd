//! The audit of all classes of a table; [`rule`](crate::audit::rule) judges one.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::AttrSet;

use crate::audit::derived::derived_cells;
use crate::audit::primary::{self, PrimaryReason};
use crate::audit::rule::{DisclosureRule, DisclosureStatus, Finding, JudgedClass, judge};
use crate::engine::linear_program::MOST_SMALL;
use crate::engine::query::Need;
use crate::solver::{AT_ONCE, Solver, WithoutFacts};
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::interval::{CountInterval, CountRange};
use crate::table::knowledge::Knowledge;

/// The condition that the attack on a release must satisfy before it is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum DisclosureTarget {
    /// No class in scope is disclosed or unknown.
    Undisclosed,
    /// Every class in scope is certified. Full profiles hardly ever are.
    Certified,
}

/// Findings for all classes in scope that are not empty.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DisclosureAudit {
    /// One finding for each class and response, the smallest sets of axes first.
    pub findings: Vec<Finding>,
    /// Published cells that violate the rule on their own (primary disclosures), and differences
    /// of published cells that do, whatever is in scope, by name.
    pub primary_cells: Vec<(String, PrimaryReason)>,
    /// Classes known to be empty, which have no status.
    pub empty_classes: usize,
    /// People whose own response is known with certainty, because everybody with their full
    /// profile gave the same one. `None` without the population table, or when full profiles are
    /// not in scope.
    pub exposed_people: Option<i64>,
}

impl DisclosureAudit {
    /// Whether every class in scope that is not empty is certified. Nothing less is a promise
    /// about the release.
    #[must_use]
    pub fn is_certified(&self) -> bool {
        !self.findings.is_empty() && self.count(DisclosureStatus::Certified) == self.findings.len()
    }

    /// Whether a release of these numbers meets the target: none of them violates the rule on its
    /// own, and no class is disclosed or unknown, or every one is certified.
    #[must_use]
    pub fn meets(&self, target: DisclosureTarget) -> bool {
        let is_sound = match target {
            DisclosureTarget::Certified => self.is_certified(),
            DisclosureTarget::Undisclosed => {
                self.count(DisclosureStatus::Disclosed) + self.count(DisclosureStatus::Unknown) == 0
            }
        };
        is_sound && self.primary_cells.is_empty()
    }

    /// How many findings have this status.
    #[must_use]
    pub fn count(&self, status: DisclosureStatus) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }
}

/// Judges every class in scope, with [`AuditDetail::of`] the table.
///
/// # Guarantee
/// Kind: guarantee, against an attacker who knows the rows and capacities and nothing else,
/// whatever their prior over the tables that fit. Unit: a person in the table. A fact that the
/// attacker may hold belongs into the knowledge; a class whose count is such a fact is judged as
/// for those who do not hold the facts, since it is no news to those who do.
///
/// Classes that were judged are reported to the progress of the limits' flag.
///
/// # Errors
/// As [`Solver::interval`].
pub fn audit(solver: &mut Solver, rule: &DisclosureRule) -> Result<DisclosureAudit, Error> {
    let detail = AuditDetail::of(solver.knowledge());
    audit_in_detail(solver, rule, detail)
}

/// What an audit says of the ends of a class where its status does not depend on them. Statuses are
/// the same in any detail, up to those that a limit leaves unknown.
///
/// Every end is proved, in any detail: no table is outside of it. An end that is not
/// [sharp](Finding::is_sharp) may be wider than the interval. Where rates are judged, which takes
/// both ends, they are sharp in any detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum AuditDetail {
    /// The ends that propagation proves, where known tables show that the class is not disclosed.
    Status,
    /// The ends that linear programs prove.
    Linear,
    /// Sharp ends.
    Sharp,
}

impl AuditDetail {
    /// [`Self::Sharp`] for tables of up to 1,024 cells, [`Self::Status`] for larger ones.
    #[must_use]
    pub fn of(knowledge: &Knowledge) -> Self {
        if knowledge.grid.cells() <= MOST_SMALL { Self::Sharp } else { Self::Status }
    }

    /// What is needed of a class. Where people are known, rates are judged, which takes both ends.
    fn need(self, knowledge: &Knowledge, rule: &DisclosureRule) -> Need {
        let width = i64::try_from(rule.min_interval_width()).expect("checked when the rule was made");
        match self {
            Self::Sharp => Need::Ends,
            _ if knowledge.has_people() => Need::Ends,
            Self::Linear => Need::WiderThan(width),
            Self::Status => Need::OnlyWiderThan(width),
        }
    }
}

/// The intervals behind the findings of an audit, each end with its proof and the furthest table
/// that was found: what a certificate of the audit shows. `classes` are those of the findings. An
/// interval is no wider than its finding says, unless a limit was reached.
///
/// # Errors
/// As [`Solver::interval`].
pub fn audited_intervals(
    solver: &mut Solver,
    classes: &[Class],
    findings: &[Finding],
    rule: &DisclosureRule,
) -> Result<Vec<CountInterval>, Error> {
    let mut intervals: Vec<Option<CountInterval>> = vec![None; classes.len()];
    // What the finding says takes the least detail that says it.
    for detail in [AuditDetail::Status, AuditDetail::Linear, AuditDetail::Sharp] {
        let is_enough = |own: &CountInterval, finding: &Finding| {
            detail == AuditDetail::Sharp || own.lower.value >= finding.lower && own.upper.value <= finding.upper
        };
        let is_left =
            |place: &usize| intervals[*place].is_none() && (detail == AuditDetail::Sharp || !findings[*place].is_sharp);
        let left: Vec<usize> = (0..classes.len()).filter(is_left).collect();
        let asked: Vec<Class> = left.iter().map(|&place| classes[place].clone()).collect();
        let found = solver.needed_intervals(&asked, detail.need(solver.knowledge(), rule))?;
        for (place, interval) in left.into_iter().zip(found) {
            intervals[place] = Some(interval).filter(|own| is_enough(own, &findings[place]));
        }
    }
    Ok(intervals.into_iter().flatten().collect())
}

/// [`audit`] in another detail.
///
/// # Guarantee
/// As [`audit`].
///
/// # Errors
/// As [`Solver::interval`].
pub fn audit_in_detail(
    solver: &mut Solver,
    rule: &DisclosureRule,
    detail: AuditDetail,
) -> Result<DisclosureAudit, Error> {
    let knowledge = solver.knowledge();
    let (profile, response_axis) = (knowledge.profile(), knowledge.response_axis());
    let responses: Vec<Option<usize>> =
        response_axis.map_or(vec![None], |axis| (0..knowledge.grid.size(axis)).map(Some).collect());
    let overall = responses.iter().map(|&response| overall_rate(solver, response_axis.zip(response)));
    let rates: Vec<(Option<usize>, Option<f64>)> = responses.iter().copied().zip(overall).collect();
    let mut primary_cells = primary::primary_cells(knowledge, rule);
    let (derived, mut seen) = (derived_cells(knowledge, rule, solver.limits())?, BTreeSet::new());
    let new = derived.into_iter().filter(|derived| seen.insert(derived.cells.clone()));
    primary_cells.extend(new.map(|derived| (derived.name, derived.reason)));
    let mut audit = DisclosureAudit { findings: Vec::new(), primary_cells, empty_classes: 0, exposed_people: None };
    for axes in rule.scope().sets(profile) {
        let exposed = audit.add((solver, detail), rule, axes, &rates)?;
        if axes == profile {
            audit.exposed_people = exposed;
        }
    }
    Ok(audit)
}

impl DisclosureAudit {
    /// Judges the classes on these axes, each for every response with its overall rate, and
    /// counts the exposed people, where the population table is public.
    fn add(
        &mut self,
        (solver, detail): (&mut Solver, AuditDetail),
        rule: &DisclosureRule,
        axes: AttrSet,
        rates: &[(Option<usize>, Option<f64>)],
    ) -> Result<Option<i64>, Error> {
        let (response_axis, people) = (solver.knowledge().response_axis(), solver.knowledge().people(axes));
        let grid = solver.knowledge().grid.clone();
        let need = detail.need(solver.knowledge(), rule);
        let people_of = |index: usize| people.as_ref().map(|people| people[index]);
        let peopled: Vec<usize> = (0..grid.classes(axes)).filter(|&index| people_of(index) != Some(0)).collect();
        self.empty_classes += grid.classes(axes) - peopled.len();
        let passed_over = (grid.classes(axes) - peopled.len()) * rates.len();
        solver.limits().stop.advance(passed_over as u64);
        let mut exposed = BTreeMap::new();
        let questions = |&index: &usize| rates.iter().map(move |&(response, overall)| (index, response, overall));
        let questions: Vec<_> = peopled.iter().flat_map(questions).collect();
        let class = |&(index, response, _): &(usize, _, _)| {
            with_response(axes, &grid.levels_of_class(index, axes), response_axis.zip(response))
        };
        if matches!(need, Need::OnlyWiderThan(_)) {
            solver.spread(&questions.iter().map(class).collect::<Vec<_>>(), need)?;
        }
        for batch in questions.chunks(AT_ONCE) {
            let classes: Vec<Class> = batch.iter().map(class).collect();
            let ranges = solver.needed_ranges(&classes, need)?;
            for ((&(index, response, overall), class), range) in batch.iter().zip(&classes).zip(&ranges) {
                let is_published = solver.knowledge().released(class).is_some();
                let (levels, people) = (grid.levels_of_class(index, axes), people_of(index));
                let subject = JudgedClass { axes, levels: &levels, response, people, is_published, overall };
                let mut finding = judge(&subject, range, rule);
                match solver.without_assumptions(class)? {
                    WithoutFacts::Same => {}
                    WithoutFacts::Open => finding.judged_as(DisclosureStatus::Ambiguous, None, None),
                    WithoutFacts::Interval(before) => {
                        let weaker = judge(&subject, &CountRange::from(&before), rule);
                        finding.judged_as(weaker.status, weaker.mode, weaker.unanimity);
                    }
                }
                if people == Some(finding.lower) || response.is_none() && finding.upper == 0 {
                    exposed.insert(index, people.unwrap_or(0));
                }
                self.findings.push(finding);
            }
            solver.limits().stop.advance(batch.len() as u64);
        }
        Ok(people.map(|_| exposed.into_values().sum()))
    }
}

/// The class on these axes, of one response if there is a response axis.
pub(crate) fn with_response(axes: AttrSet, levels: &[usize], response: Option<(usize, usize)>) -> Class {
    let Some((response_axis, response)) = response else { return Class::new(axes, levels) };
    let with = axes.with(response_axis);
    Class {
        axes: with,
        levels: with.iter().map(|axis| axes.axis_of(axis).map_or(response, |place| levels[place])).collect(),
    }
}

/// The overall rate, where both counts are public.
fn overall_rate(solver: &Solver, response: Option<(usize, usize)>) -> Option<f64> {
    let knowledge = solver.knowledge();
    let class = with_response(AttrSet::EMPTY, &[], response);
    let people = knowledge.people(AttrSet::EMPTY)?[0];
    Some(knowledge.released(&class)? as f64 / people as f64)
}
