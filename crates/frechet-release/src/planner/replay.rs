//! The reader who knows the planner: runs it on every table consistent with a plan's exact
//! numbers, and keeps those for which it plans just this.
//!
//! Source: minimality attack, Wong, Fu, Wang, Pei 2007; simulatable auditing, Kenthapadi, Mishra,
//! Nissim 2005; optimal anonymisation and attackers who know it, Cormode, Srivastava, Li, Li 2010.

use privacy_core::ContingencyTable;
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;

use crate::attacker::fiber_sampler::Prior;
use crate::engine::linear_program::MOST_SMALL;
use crate::planner::action::{CellStatus, MarginAction};
use crate::planner::attack::{DisclosedMargin, knowledge};
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::plan::{ReleasePlan, plan};
use crate::planner::problem::{DecisionData, ReleaseProblem};
use crate::planner::robust::group::Judged;
use crate::planner::robust::search::{Evidence, all_tables, drawn_from};
use crate::table::error::Error;

/// Seeds the draws: the same plan gives the same report.
const SEED: u64 = 0;
/// Steps for each cell of a large table between two draws.
const SPARSE_STEPS: u64 = 512;
/// The confidence of what is said from draws.
const CONFIDENCE: f64 = 0.95;

/// Largest number of tables that the replay of a plan examines. Each takes as long as a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayLimits {
    /// Up to this many consistent tables are all looked at.
    pub tables: u64,
    /// This number of them is drawn where there are more.
    pub draws: u64,
}

impl ReplayLimits {
    /// Fewer for larger tables, whose plans take longer: up to 500 tables, and up to 100 draws.
    #[must_use]
    pub fn of_cells(cells: usize) -> Self {
        let cells = cells.max(1) as u64;
        Self { tables: (10_000 / cells).clamp(10, 500), draws: (2_000 / cells).clamp(5, 100) }
    }
}

/// What a reader who knows the planner learns from a plan. Everything here is a function of what
/// is published, so it tells nothing that such a reader does not find alone.
///
/// Kind: guarantee where `is_whole`, for the ranges and for what is not known; elsewhere measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReplayReport {
    /// Whether every table consistent with the exact numbers was looked at.
    pub is_whole: bool,
    /// How many tables were looked at.
    pub looked_at: u64,
    /// For how many of them the same is published.
    pub same: u64,
    /// Requested numbers that are not published exactly.
    pub withheld: usize,
    /// Those that are known to within the minimum interval width from the tables for which the
    /// same is published.
    pub known: usize,
    /// Those that are known exactly.
    pub known_exactly: usize,
    /// Classes in scope that these tables disclose.
    pub disclosed_classes: usize,
    /// Where tables were drawn: with 95 % confidence, a reader to whom all consistent assignments
    /// of people are equally likely is right about each number counted in `known` with at least
    /// this probability. `None` where every table was looked at, and where no draw gave the same.
    pub probability_at_least: Option<f64>,
}

impl ReleasePlan {
    /// What a robust plan was shown to keep, from the tables that were looked at when it was made;
    /// `None` for other plans, and for one that publishes no number exactly.
    #[must_use]
    pub fn robustness(&self) -> Option<ReplayReport> {
        let Evidence { is_whole, looked_at, members, withheld } = self.evidence?;
        let (known, known_exactly, disclosed_classes) = (0, 0, 0);
        let same = members;
        Some(ReplayReport {
            is_whole,
            looked_at,
            same,
            withheld,
            known,
            known_exactly,
            disclosed_classes,
            probability_at_least: None,
        })
    }

    /// What a reader who knows the planner learns if this plan is carried out on `table`.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::OtherTable`] for a table that the plan was not made for; as
    /// [`Solver::new`](crate::Solver::new).
    ///
    /// # Panics
    /// Never for tables whose total is at most 2^53.
    pub fn replay(&self, table: &ContingencyTable, limits: ReplayLimits) -> Result<ReplayReport, Error> {
        let mut reader = self.problem.clone();
        if self.is_late {
            // The reader has more time than the owner, whose time is over.
            reader.limits.deadline = StopFlag::never();
        }
        let problem = &reader;
        problem.checked(table)?;
        let domain = problem.background.domain();
        let mut parts: Vec<(&RecodedMargin, Vec<u64>, &[CellStatus])> = Vec::new();
        for action in &self.actions {
            if let Some(margin) = &action.margin {
                parts.push((margin, margin.counts(domain, table)?, &action.statuses));
            }
        }
        let tests: Vec<_> =
            parts.iter().map(|(_, _, statuses)| move |cell: usize| statuses[cell] == CellStatus::Exact).collect();
        let disclosed: Vec<DisclosedMargin<'_>> = parts
            .iter()
            .zip(&tests)
            .map(|((margin, counts, _), is_published)| DisclosedMargin { margin, counts, is_published })
            .collect();
        let (known, _) = knowledge(&problem.background, &disclosed)?;
        let judged = Judged::new(problem, &known, &|place, cell| is_shown(problem, &self.actions[place], cell));
        let mut report = ReplayReport {
            is_whole: true,
            looked_at: 0,
            same: 0,
            withheld: judged.withheld(),
            known: 0,
            known_exactly: 0,
            disclosed_classes: 0,
            probability_at_least: None,
        };
        let mut group = judged.group();
        let mut look_at = |own: &[i64], report: &mut ReplayReport| -> Result<(), Error> {
            problem.limits.check_stop()?;
            problem.limits.stop.advance(1);
            report.looked_at += 1;
            if self.gives_the_same(own)? {
                group.add(&judged, own);
            }
            Ok(())
        };
        match all_tables(&known, limits.tables, problem)? {
            Some(tables) => {
                problem.limits.stop.begin(tables.len() as u64);
                tables.iter().try_for_each(|own| look_at(own, &mut report))?;
            }
            None => {
                report.is_whole = false;
                problem.limits.stop.begin(limits.draws);
                let mut rng = SimRng::for_trial(SEED, "replay of a plan", 0);
                if let Some(mut walk) = drawn_from(known, problem, Prior::People)? {
                    for _ in 0..limits.draws {
                        // Of fewer draws, less is said.
                        if problem.limits.deadline.is_set() {
                            break;
                        }
                        walk.advance(steps_between(walk.table().len()), &mut rng)?;
                        look_at(walk.table(), &mut report)?;
                    }
                }
            }
        }
        let lost = judged.lost(&group, problem);
        report.same = group.members;
        (report.known, report.known_exactly, report.disclosed_classes) = (lost.withheld, lost.exactly, lost.classes);
        if !report.is_whole && report.same > 0 {
            // All of these draws agreed: a probability below this would have had a chance of less
            // than 5 % to do that.
            report.probability_at_least = Some((1.0 - CONFIDENCE).powf(1.0 / report.same as f64));
        }
        Ok(report)
    }

    /// Whether the planner plans just this for another table.
    fn gives_the_same(&self, table: &[i64]) -> Result<bool, Error> {
        if matches!(self.problem.decision_data(), DecisionData::PublicSizes | DecisionData::Private) {
            // The plan is made without a table, or every table leads to it with some probability.
            return Ok(true);
        }
        let domain = self.problem.background.domain();
        let counts = table.iter().map(|count| count.unsigned_abs()).collect();
        let Ok(counts) = ContingencyTable::from_cells(domain, domain.all(), counts) else { return Ok(false) };
        let mut other = ReleaseProblem { counts: Some(counts), ..self.problem.clone() };
        if !self.is_late {
            // The owner had time enough.
            other.limits.deadline = StopFlag::never();
        }
        // The stage counts tables, not what the planner does for each.
        other.limits.stop = other.limits.stop.without_progress();
        match plan(&other) {
            Ok(other) => Ok(is_same_pattern(&self.actions, &other.actions)),
            Err(Error::Stopped) => Err(Error::Stopped),
            // For that table the planner refuses.
            Err(_) => Ok(false),
        }
    }
}

/// Steps of the walk from one draw to the next. In a large sparse table about one in a hundred
/// steps changes anything.
fn steps_between(cells: usize) -> u64 {
    let each = if cells > MOST_SMALL { SPARSE_STEPS } else { 1 };
    cells as u64 * each
}

fn is_same_pattern(one: &[MarginAction], other: &[MarginAction]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.margin == other.margin && one.statuses == other.statuses)
}

/// Whether a cell of the requested margin is published as it is.
fn is_shown(problem: &ReleaseProblem, action: &MarginAction, cell: usize) -> bool {
    let Some(margin) = &action.margin else { return false };
    let group = margin.cell_of(problem.background.domain(), cell);
    let is_alone = margin.groups(group).iter().all(|group| group.levels.len() == 1);
    is_alone && action.statuses[group] == CellStatus::Exact
}
