//! Differencing between two reference periods: what both disclose together and neither alone.
//!
//! The rule for `disclosed` is that of [`audit`](crate::audit()), for every class and each
//! [`PeriodGroup`] of its people. Those who left or came, `n` of them, are a published number
//! when the class is published exactly in both periods and nobody moved the other way; fewer of
//! them than the minimum frequency are never large enough for that: their count, known to within
//! the minimum interval width, is a disclosure.

use privacy_core::AttrSet;

use crate::audit::classes::with_response;
use crate::audit::reference_periods::{PeriodGroup, PeriodPair, PopulationFlows, PublishedPeriods};
use crate::audit::rule::{DisclosureRule, DisclosureStatus, Finding, JudgedClass, judge};
use crate::engine::linear_program::Limits;
use crate::solver::{Solver, open_ended};
use crate::table::error::Error;
use crate::table::interval::{CountInterval, CountRange};
use crate::table::knowledge::Knowledge;

/// What both periods reveal about one group of a class.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DifferencingFinding {
    /// Whose counts.
    pub group: PeriodGroup,
    /// What is proved about them.
    pub finding: Finding,
    /// Whether it is disclosed by both periods together, and by neither alone.
    pub is_by_difference: bool,
    /// Whether the class is published exactly in both periods, and fewer of its people than the
    /// minimum frequency left or came.
    pub is_small_difference: bool,
}

/// What two periods reveal together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DifferencingAudit {
    /// One finding for each class, group and response, the smallest sets of axes first. Empty
    /// groups, and groups that are the same people as another group, have none.
    pub findings: Vec<DifferencingFinding>,
    /// Findings that both periods disclose together, and neither alone.
    pub by_difference: usize,
    /// Findings that are not decided: they certify nothing.
    pub unknown: usize,
}

impl DifferencingAudit {
    /// Whether nothing is disclosed by the difference, and nothing was left undecided.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.by_difference == 0 && self.unknown == 0
    }
}

/// Judges every class in scope by the numbers of two reference periods of one population.
///
/// At most `turnover` of the people who stayed changed their response from one period to the
/// other; 0 says that nobody did. Without a population table nobody left or came, and `turnover`
/// bounds how many counts differ by one.
///
/// # Guarantee
/// Kind: guarantee, against anyone who knows the rows and population tables of both periods and
/// nothing else, as long as the assumption holds. In no cell does somebody leave while somebody
/// else comes: such an exchange counts as a changed response. Unit: a person in either table.
/// Three solvers over three (with changes five) times the cells.
///
/// # Errors
/// [`Error::DifferentPopulations`]; [`Error::Inconsistent`] when the responses of more people
/// changed; as [`Solver::interval`].
pub fn audit_differencing(
    before: &Knowledge,
    after: &Knowledge,
    turnover: u64,
    rule: &DisclosureRule,
    limits: Limits,
) -> Result<DifferencingAudit, Error> {
    let periods = PeriodPair::of(before, after, turnover)?;
    let mut solvers = Solvers::of(&periods, &limits)?;
    let (grid, response_axis) = (periods.grid(), before.response_axis());
    let responses: Vec<Option<usize>> =
        response_axis.map_or(vec![None], |axis| (0..grid.size(axis)).map(Some).collect());
    let mut findings = Vec::new();
    for axes in rule.scope().sets(before.profile()) {
        let flows = periods.flows(axes);
        for index in 0..grid.classes(axes) {
            let levels = grid.levels_of_class(index, axes);
            let flows = flows.as_ref().map(|flows| flows[index]);
            for group in groups(flows, periods.may_change()) {
                for &response in &responses {
                    let subject = GroupQuery { axes, levels: &levels, response, group, flows };
                    findings.push(solvers.find(&subject, rule)?);
                }
            }
        }
    }
    let count = |what: fn(&DifferencingFinding) -> bool| findings.iter().filter(|&finding| what(finding)).count();
    let by_difference = count(|found| found.is_by_difference);
    let unknown = count(|found| found.finding.status == DisclosureStatus::Unknown);
    Ok(DifferencingAudit { findings, by_difference, unknown })
}

/// The groups of a class that are somebody, and different people or different counts.
fn groups(flows: Option<PopulationFlows>, may_change: bool) -> Vec<PeriodGroup> {
    let Some(flows) = flows else {
        return if may_change { vec![PeriodGroup::Before, PeriodGroup::After] } else { vec![PeriodGroup::Before] };
    };
    let (leave, come) = (flows.left > 0, flows.came > 0);
    let wanted = [
        (PeriodGroup::Before, true),
        (PeriodGroup::After, leave || come || may_change),
        (PeriodGroup::Stayed, leave && (come || may_change)),
        (PeriodGroup::Left, true),
        (PeriodGroup::Came, true),
    ];
    wanted.into_iter().filter(|&(group, is)| is && flows.people(group) > 0).map(|(group, _)| group).collect()
}

/// A group of a class, and a response.
struct GroupQuery<'a> {
    axes: AttrSet,
    levels: &'a [usize],
    response: Option<usize>,
    group: PeriodGroup,
    flows: Option<PopulationFlows>,
}

struct Solvers<'a> {
    periods: &'a PeriodPair<'a>,
    both: Solver,
    /// With the numbers of one period; `None` where they leave cells open or a limit is reached.
    alone: [Option<Solver>; 2],
}

impl<'a> Solvers<'a> {
    fn of(periods: &'a PeriodPair<'a>, limits: &Limits) -> Result<Self, Error> {
        let both = Solver::new(periods.knowledge(PublishedPeriods::Both)?, limits.clone())?;
        let alone =
            |published| open_ended(periods.knowledge(published).and_then(|known| Solver::new(known, limits.clone())));
        let alone = [alone(PublishedPeriods::First)?, alone(PublishedPeriods::Second)?];
        Ok(Self { periods, both, alone })
    }

    fn find(&mut self, query: &GroupQuery<'_>, rule: &DisclosureRule) -> Result<DifferencingFinding, Error> {
        let response_axis = self.periods.before.response_axis();
        let class = with_response(query.axes, query.levels, response_axis.zip(query.response));
        let region = self.periods.region(&class, query.group);
        let people = query.flows.map(|flows| flows.people(query.group));
        let in_both = [self.periods.before, self.periods.after].map(|period| period.released(&class).is_some());
        let is_small = people.is_some_and(|people| people < i64::try_from(rule.min_frequency()).unwrap_or(i64::MAX));
        let (is_published, is_small_difference) = published(query, in_both, self.periods.may_change(), is_small);
        let (axes, levels, response) = (query.axes, query.levels, query.response);
        let subject = JudgedClass { axes, levels, response, people, is_published, overall: None };
        let finding = judge(&subject, &CountRange::from(&self.both.region(&region)?), rule);
        let mut is_by_difference = finding.status == DisclosureStatus::Disclosed;
        for solver in self.alone.iter_mut().flatten() {
            let known: Option<CountInterval> =
                if is_by_difference { open_ended(solver.region(&region))? } else { None };
            is_by_difference &= known.is_none_or(|known| {
                judge(&subject, &CountRange::from(&known), rule).status != DisclosureStatus::Disclosed
            });
        }
        Ok(DifferencingFinding { group: query.group, finding, is_by_difference, is_small_difference })
    }
}

/// Whether the count of the group is itself published, and whether it is the small difference of
/// two that are.
fn published(query: &GroupQuery<'_>, in_both: [bool; 2], may_change: bool, is_small: bool) -> (bool, bool) {
    let [before, after] = in_both;
    let flows = query.flows.unwrap_or_default();
    let nobody_moved = flows.left == 0 && flows.came == 0 && !may_change;
    let one_way = before && after && !may_change && (flows.left == 0 || flows.came == 0);
    match query.group {
        PeriodGroup::Before => (before || nobody_moved && after, false),
        PeriodGroup::After => (after, false),
        PeriodGroup::Stayed => (false, false),
        PeriodGroup::Left | PeriodGroup::Came => (one_way && !is_small, before && after && is_small),
    }
}
