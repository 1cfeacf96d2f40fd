//! Exact tables as a part of a job that has others: what they tell, and what they withhold.

use std::path::Path;

use disclosure::core::round::add_up;
use disclosure::core::table::TableSource;
use disclosure::core::{AttrSet, ContingencyTable, CountSource, Domain};
use disclosure::frechet::{
    CategoryGroup, CellStatus, DecisionData, DisclosureTarget, MarginAction, NoisedCell, Published, RecodedMargin,
    ReleasePlan, Treatment,
};
use ndarray::IxDyn;
use privacy_data::{DomainFile, Microdata, OutputDir};
use rand_chacha::rand_core::CryptoRng;
use serde::Serialize;

use super::audit;
use super::columns::{add_vote, vote_of};
use super::facts::Fact;
use super::job::Job;
use super::plan::PlanReport;
use super::problem::{Problem, check_cells};
use super::release::{FileRecord, NOT_COVERED, ReleaseRecord, check_columns, write};
use super::report::Promise;
use super::show_plan::treatment;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{Digested, json_of};
use disclosure_jobs::exact::too_many_cells;

/// Most cells of a part: the attack on all parts takes each by itself.
const MOST_CELLS: u64 = 1 << 16;

/// Levels of an attribute, by its name and by their positions.
type Levels = (String, Vec<usize>);

/// A number that leaves, or that the attacker knows: the people at these levels are between so many and so many.
#[derive(Clone)]
pub(crate) struct Sum {
    pub(crate) fixed: Vec<Levels>,
    pub(crate) lower: u64,
    pub(crate) upper: u64,
}

/// A number that was asked for and does not leave exactly.
#[derive(Clone)]
pub(crate) struct Withheld {
    /// Attributes and labels.
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) fixed: Vec<Levels>,
}

/// A table that was asked for, in short.
pub(crate) struct Kept {
    pub(crate) attributes: Vec<String>,
    pub(crate) treatment: &'static str,
    pub(crate) exact: usize,
    pub(crate) noised: usize,
    pub(crate) withheld: usize,
}

/// What the noise of a plan costs.
#[derive(Clone, Copy)]
pub(crate) struct NoiseCost {
    /// Epsilon of what the statement compares, never below what was asked for.
    pub(crate) epsilon: f64,
    /// By how many cells of the full table that changes.
    pub(crate) sensitivity: u32,
    /// What it compares, in words.
    pub(crate) change: &'static str,
    /// Whether there are two tables that it compares.
    pub(crate) has_neighbours: bool,
    /// The most that one row more or less can move: of every table its dearest cell.
    pub(crate) row: f64,
}

/// A plan for exact tables, for the rows of a job.
pub(crate) struct ExactPart {
    job: Job,
    plan: ReleasePlan,
    /// Those who are counted, where the table counts those who voted so.
    counted: Option<Levels>,
    target_met: bool,
}

/// Tables that were drawn, to be written.
pub(crate) struct ReleasedExact {
    job: Job,
    published: Published,
}

impl SpecFile {
    /// Adds the column of a vote that is no attribute to those of a job.
    pub(crate) fn with_vote(&self, columns: &mut DomainFile) {
        add_vote(columns, self);
    }
}

impl ExactPart {
    /// Checks a section of a job, files beside it, and plans for the attributes that it names.
    pub(crate) fn new(
        section: &SpecFile,
        beside: &Path,
        (title, digest): (&str, &str),
        rows: &Microdata,
    ) -> Result<Self, Failure> {
        section.check_is_part()?;
        let source = projected(section, rows)?;
        let vote = section.vote.as_ref().map(|vote| vote_of(source.domain(), vote)).transpose()?;
        let problem = Problem::of(&source, vote.as_ref())?;
        let job = Job::about(problem, beside, (title.to_owned(), digest.to_owned()), section)?;
        check_columns(&job.problem.domain)?;
        let name = |vote: &super::columns::Vote| source.domain().attributes()[vote.axis].name().to_owned();
        let counted = vote.and_then(|vote| vote.level.map(|level| (name(&vote), vec![level])));
        let plan = job.plan()?;
        let target_met = PlanReport::of(&job, &plan, job.table()?)?.target_met;
        Ok(Self { job, plan, counted, target_met })
    }

    /// What would follow if all that was asked for went out as it is: for the owner of the data.
    pub(crate) fn audit(&self) -> Result<impl Serialize, Failure> {
        audit::report(&self.job, None, None)
    }

    /// What is done about it: for the owner of the data.
    pub(crate) fn document(&self) -> Result<impl Serialize, Failure> {
        PlanReport::of(&self.job, &self.plan, self.job.table()?)
    }

    /// Whether the numbers that leave keep the target of the section.
    pub(crate) fn is_target_met(&self) -> bool {
        self.target_met
    }

    /// The name of that target.
    pub(crate) fn target_name(&self) -> &'static str {
        match self.job.target {
            DisclosureTarget::Certified => "certified",
            DisclosureTarget::Undisclosed => "undisclosed",
        }
    }

    /// What it promises: kind, statement, against whom.
    pub(crate) fn promise(&self) -> (&'static str, String, String) {
        let Promise { kind, statement, against, .. } = Promise::of_release(&self.job);
        (kind, statement.to_owned(), against)
    }

    /// What that leaves open.
    pub(crate) fn not_covered() -> &'static [&'static str] {
        &NOT_COVERED
    }

    /// The widest interval that discloses, in counts.
    pub(crate) fn tau(&self) -> u64 {
        self.job.policy.min_interval_width()
    }

    /// How much work a question may take.
    pub(crate) fn limits(&self) -> disclosure::frechet::Limits {
        self.job.limits
    }

    /// What noise costs, where any may be drawn. Where counts decide about noise, its epsilon is charged whether there is any.
    pub(crate) fn noise(&self) -> Option<NoiseCost> {
        let asked = self.job.means.noise?.epsilon.get();
        match self.plan.schedule() {
            Some(schedule) => Some(NoiseCost {
                epsilon: schedule.statement.epsilon.max(asked),
                // Where counts decide what is exact, the charge must not tell what they decided.
                sensitivity: match self.plan.decision_data() {
                    DecisionData::Counts => 1,
                    DecisionData::PublicSizes => schedule.statement.sensitivity,
                },
                change: schedule.statement.change.words(),
                has_neighbours: schedule.statement.has_neighbours,
                row: dearest_cells(&schedule.cells),
            }),
            None if self.plan.decision_data() == DecisionData::Counts => Some(NoiseCost {
                epsilon: asked,
                sensitivity: 1,
                change: "nothing was noised",
                has_neighbours: false,
                row: asked,
            }),
            None => None,
        }
    }

    /// What happens to each table that was asked for.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        let kept = |action: &MarginAction| {
            let fates = |fate| action.statuses.iter().filter(|own| **own == fate).count();
            Kept {
                attributes: names(&self.job.problem.domain, action),
                treatment: treatment(action.treatment),
                exact: fates(CellStatus::Exact),
                noised: fates(CellStatus::Noised),
                withheld: fates(CellStatus::Suppressed),
            }
        };
        self.plan.actions().iter().map(kept).collect()
    }

    /// Every exact number that leaves, and all that the attacker is said to know besides.
    pub(crate) fn told(&self) -> Result<Vec<Sum>, Failure> {
        let (problem, told) = (&self.job.problem, &self.job.told);
        let also: Vec<Levels> = self.counted.iter().cloned().collect();
        let mut sums = Vec::new();
        if let Some(people) = &problem.people {
            let statistic = RecodedMargin::finest(&problem.domain, problem.profile())?;
            let sum = |(cell, &count): (usize, &u64)| self.sum(&statistic, cell, count, &[]);
            sums.extend(people.cells().iter().enumerate().map(sum));
        }
        for action in self.plan.actions() {
            let Some(statistic) = &action.margin else { continue };
            let counts = statistic.counts(&problem.domain, self.job.table()?)?;
            let exact = counts.into_iter().enumerate().filter(|(cell, _)| action.statuses[*cell] == CellStatus::Exact);
            sums.extend(exact.map(|(cell, count)| self.sum(statistic, cell, count, &also)));
        }
        let facts = told.publish.iter().chain(&told.known);
        sums.extend(facts.map(|fact: &Fact| fact.sum(&problem.domain, &also)));
        Ok(sums)
    }

    fn sum(&self, statistic: &RecodedMargin, cell: usize, count: u64, also: &[Levels]) -> Sum {
        let fixed = self.levels(statistic, cell).into_iter().chain(also.iter().cloned()).collect();
        Sum { fixed, lower: count, upper: count }
    }

    fn levels(&self, statistic: &RecodedMargin, cell: usize) -> Vec<Levels> {
        let name = |axis: usize| self.job.problem.domain.attributes()[axis].name().to_owned();
        let groups = statistic.axes.iter().zip(statistic.groups(cell));
        groups.map(|(&axis, group)| (name(axis), group.levels.clone())).collect()
    }

    /// Every number of the tables that were asked for that does not leave exactly: what is withheld or noised, and the single
    /// cells of what leaves in groups. Cells that everybody knows to be empty are left out.
    pub(crate) fn withheld(&self) -> Result<Vec<Withheld>, Failure> {
        let mut all = Vec::new();
        for action in self.plan.actions() {
            let finest = RecodedMargin::finest(&self.job.problem.domain, action.axes.iter().copied().collect())?;
            let planned = action.margin.as_ref().filter(|_| action.treatment != Treatment::Withheld);
            let mut exact = std::collections::BTreeSet::new();
            for (cell, fate) in planned.iter().flat_map(|_| action.statuses.iter().enumerate()) {
                let statistic = planned.expect("there are cells of it");
                match fate {
                    CellStatus::Exact => drop(exact.insert(self.levels(statistic, cell))),
                    _ if !statistic.groups(cell).iter().all(|group| group.levels.len() == 1) => {
                        all.push(self.asked(statistic, cell));
                    }
                    _ => {}
                }
            }
            let is_open = |cell: &usize| !exact.contains(&self.levels(&finest, *cell));
            for cell in (0..finest.cells()).filter(is_open) {
                if !self.is_known_empty(&finest, cell)? {
                    all.push(self.asked(&finest, cell));
                }
            }
        }
        Ok(all)
    }

    fn asked(&self, statistic: &RecodedMargin, cell: usize) -> Withheld {
        let label = |group: &CategoryGroup| group.label.clone();
        let fixed = self.levels(statistic, cell);
        let labels = fixed.iter().map(|(name, _)| name.clone()).zip(statistic.groups(cell).into_iter().map(label));
        let labels = labels.collect();
        Withheld { labels, fixed: fixed.into_iter().chain(self.counted.iter().cloned()).collect() }
    }

    /// Whether everybody knows that nobody is there.
    fn is_known_empty(&self, finest: &RecodedMargin, cell: usize) -> Result<bool, Failure> {
        let (Some(people), profile) = (&self.job.problem.people, self.job.problem.profile()) else { return Ok(false) };
        let levels = finest.axes.iter().zip(finest.groups(cell)).filter(|(axis, _)| profile.contains(**axis));
        let (axes, place): (Vec<usize>, Vec<usize>) = levels.map(|(&axis, group)| (axis, group.levels[0])).unzip();
        let margin: ContingencyTable = people.marginal(axes.into_iter().collect()).map_err(too_many_cells)?;
        Ok(margin.counts()[IxDyn(&place)] == 0)
    }

    /// Carries the plan out; it is used up.
    pub(crate) fn release<R: CryptoRng + ?Sized>(self, rng: &mut R) -> Result<ReleasedExact, Failure> {
        let Self { job, plan, .. } = self;
        let (published, _) = plan.release(job.table()?, rng)?;
        Ok(ReleasedExact { job, published })
    }
}

impl ReleasedExact {
    /// Writes the tables; the record that goes beside them, and the digests of their files.
    pub(crate) fn write(&self, directory: &mut OutputDir) -> Result<(Vec<u8>, Vec<Digested>), Failure> {
        let record: ReleaseRecord<'_> = write(directory, &self.job, &self.published)?;
        let digested = |file: &FileRecord| Some((file.name.clone()?, file.sha256.clone()?, file.bytes));
        let files = record.files.iter().filter_map(digested).collect();
        Ok((json_of(&record), files))
    }
}

/// The most that one row can move: it is in one cell of every table, which may be the dearest.
fn dearest_cells(cells: &[NoisedCell]) -> f64 {
    let mut dearest = std::collections::BTreeMap::new();
    for cell in cells {
        let most: &mut f64 = dearest.entry(cell.action).or_insert(0.0);
        *most = most.max(cell.epsilon);
    }
    dearest.values().fold(0.0, |sum, &epsilon| add_up(sum, epsilon))
}

fn names(domain: &Domain, action: &MarginAction) -> Vec<String> {
    domain.names(action.axes.iter().copied().collect()).map(str::to_owned).collect()
}

/// The table over the attributes that a section names.
fn projected(section: &SpecFile, rows: &Microdata) -> Result<TableSource, Failure> {
    let all = rows.domain();
    let set: AttrSet = match section.named() {
        Some(names) => all.set_of(&names.into_iter().collect::<Vec<_>>()),
        None => Ok(all.all()),
    }
    .map_err(|error| Failure::new("E0231", error.to_string()))?;
    let attributes = set.iter().map(|attribute| all.attributes()[attribute].clone()).collect();
    let domain = Domain::new(attributes).map_err(|_| Failure::new("E0237", "the section names no attribute"))?;
    check_cells(&domain)?;
    if domain.cells(domain.all()).is_none_or(|cells| cells > MOST_CELLS) {
        let message = format!(
            "the attributes of the section make more than {MOST_CELLS} cells, which are attacked with the other parts"
        );
        return Err(Failure::new("E0621", message));
    }
    let mut tables = rows.marginals(&[set]).map_err(too_many_cells)?;
    let table = tables.pop().expect("one table for one set");
    TableSource::new(domain, table.cells().to_vec()).map_err(too_many_cells)
}
