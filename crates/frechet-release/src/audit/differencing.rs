//! What two cycles tell together that neither tells alone.
//!
//! The rule for `disclosed` is that of [`audit`](crate::audit()), for every class and each [`CycleGroup`] of its people.
//! Those who left or came, `n` of them, are a published number when the class is published exactly in both cycles and
//! nobody moved the other way; fewer than `kappa` of them are never large enough for that: their count, known to within
//! `tau`, discloses.

use privacy_core::AttrSet;

use crate::audit::classes::with_candidate;
use crate::audit::reference_periods::{CycleGroup, Cycles, Moves, Told};
use crate::audit::rule::{Finding, Policy, Subject, Verdict, judge};
use crate::engine::linear_program::Limits;
use crate::solver::{Solver, open_ended};
use crate::table::error::Error;
use crate::table::interval::Interval;
use crate::table::knowledge::Knowledge;

/// What both cycles tell about one group of a class.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CycleFinding {
    /// Whose counts.
    pub group: CycleGroup,
    /// What is proved about them.
    pub finding: Finding,
    /// Whether it is disclosed by both cycles together, and by neither alone.
    pub is_by_difference: bool,
    /// Whether the class is published exactly in both cycles, and fewer than `kappa` of its people left or came.
    pub is_small_difference: bool,
}

/// What two cycles tell together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CycleAudit {
    /// One finding a class, group and candidate, the smallest sets of axes first. Groups of nobody, and those that are
    /// the same people as another group, have none.
    pub findings: Vec<CycleFinding>,
    /// Findings that both cycles disclose together, and neither alone.
    pub by_difference: usize,
    /// Findings that are not decided: they certify nothing.
    pub unknown: usize,
}

impl CycleAudit {
    /// Whether nothing is disclosed by the difference, and nothing was left undecided.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.by_difference == 0 && self.unknown == 0
    }
}

/// Judges every class in scope by the numbers of two cycles of one population.
///
/// At most `changed` of those who stayed changed their vote from one cycle to the other; 0 says that nobody did. Without a
/// composition nobody left or came, and `changed` bounds how many counts differ by one.
///
/// # Guarantee
/// Kind: guarantee, against whoever knows the rows and compositions of both cycles and nothing else, as long as the
/// assumption holds. In no cell somebody left while somebody else came: such exchanges count as changed votes. Unit: a
/// person of either table. Three solvers over three (with changes five) times the cells.
///
/// # Errors
/// [`Error::OtherCycle`]; [`Error::Inconsistent`] when the votes of more people changed; as [`Solver::interval`].
pub fn audit_cycles(
    before: &Knowledge,
    after: &Knowledge,
    changed: u64,
    policy: &Policy,
    limits: Limits,
) -> Result<CycleAudit, Error> {
    let cycles = Cycles::of(before, after, changed)?;
    let mut solvers = Solvers::of(&cycles, limits)?;
    let (grid, vote) = (cycles.grid(), before.vote_axis());
    let candidates: Vec<Option<usize>> = vote.map_or(vec![None], |axis| (0..grid.size(axis)).map(Some).collect());
    let mut findings = Vec::new();
    for axes in policy.scope().sets(before.profile()) {
        let moves = cycles.moves(axes);
        for index in 0..grid.classes(axes) {
            let levels = grid.levels_of_class(index, axes);
            let moves = moves.as_ref().map(|moves| moves[index]);
            for group in groups(moves, cycles.may_change()) {
                for &candidate in &candidates {
                    let subject = Question { axes, levels: &levels, candidate, group, moves };
                    findings.push(solvers.find(&subject, policy)?);
                }
            }
        }
    }
    let count = |what: fn(&CycleFinding) -> bool| findings.iter().filter(|&finding| what(finding)).count();
    let by_difference = count(|found| found.is_by_difference);
    let unknown = count(|found| found.finding.verdict == Verdict::Unknown);
    Ok(CycleAudit { findings, by_difference, unknown })
}

/// The groups of a class that are somebody, and different people or different counts.
fn groups(moves: Option<Moves>, may_change: bool) -> Vec<CycleGroup> {
    let Some(moves) = moves else {
        return if may_change { vec![CycleGroup::Before, CycleGroup::After] } else { vec![CycleGroup::Before] };
    };
    let (leave, come) = (moves.left > 0, moves.came > 0);
    let wanted = [
        (CycleGroup::Before, true),
        (CycleGroup::After, leave || come || may_change),
        (CycleGroup::Stayed, leave && (come || may_change)),
        (CycleGroup::Left, true),
        (CycleGroup::Came, true),
    ];
    wanted.into_iter().filter(|&(group, is)| is && moves.people(group) > 0).map(|(group, _)| group).collect()
}

/// A group of a class, and a candidate.
struct Question<'a> {
    axes: AttrSet,
    levels: &'a [usize],
    candidate: Option<usize>,
    group: CycleGroup,
    moves: Option<Moves>,
}

struct Solvers<'a> {
    cycles: &'a Cycles<'a>,
    both: Solver,
    /// With the numbers of one cycle; `None` where they leave cells open or a limit is reached.
    alone: [Option<Solver>; 2],
}

impl<'a> Solvers<'a> {
    fn of(cycles: &'a Cycles<'a>, limits: Limits) -> Result<Self, Error> {
        let both = Solver::new(cycles.knowledge(Told::Both)?, limits)?;
        let alone = |told| open_ended(cycles.knowledge(told).and_then(|known| Solver::new(known, limits)));
        let alone = [alone(Told::FirstCycle)?, alone(Told::SecondCycle)?];
        Ok(Self { cycles, both, alone })
    }

    fn find(&mut self, asked: &Question<'_>, policy: &Policy) -> Result<CycleFinding, Error> {
        let vote = self.cycles.before.vote_axis();
        let class = with_candidate(asked.axes, asked.levels, vote.zip(asked.candidate));
        let region = self.cycles.region(&class, asked.group);
        let people = asked.moves.map(|moves| moves.people(asked.group));
        let in_both = [self.cycles.before, self.cycles.after].map(|cycle| cycle.released(&class).is_some());
        let is_small = people.is_some_and(|people| people < i64::try_from(policy.kappa()).unwrap_or(i64::MAX));
        let (is_published, is_small_difference) = published(asked, in_both, self.cycles.may_change(), is_small);
        let (axes, levels, candidate) = (asked.axes, asked.levels, asked.candidate);
        let subject = Subject { axes, levels, candidate, people, is_published, overall: None };
        let finding = judge(&subject, &self.both.region(&region)?, policy);
        let mut is_by_difference = finding.verdict == Verdict::Disclosed;
        for solver in self.alone.iter_mut().flatten() {
            let known: Option<Interval> = if is_by_difference { open_ended(solver.region(&region))? } else { None };
            is_by_difference &= known.is_none_or(|known| judge(&subject, &known, policy).verdict != Verdict::Disclosed);
        }
        Ok(CycleFinding { group: asked.group, finding, is_by_difference, is_small_difference })
    }
}

/// Whether the count of the group is itself published, and whether it is the small difference of two that are.
fn published(asked: &Question<'_>, in_both: [bool; 2], may_change: bool, is_small: bool) -> (bool, bool) {
    let [before, after] = in_both;
    let moves = asked.moves.unwrap_or_default();
    let nobody_moved = moves.left == 0 && moves.came == 0 && !may_change;
    let one_way = before && after && !may_change && (moves.left == 0 || moves.came == 0);
    match asked.group {
        CycleGroup::Before => (before || nobody_moved && after, false),
        CycleGroup::After => (after, false),
        CycleGroup::Stayed => (false, false),
        CycleGroup::Left | CycleGroup::Came => (one_way && !is_small, before && after && is_small),
    }
}
