//! The linkage attack: differencing across the parts of a release.
//!
//! Each part of a release may be judged safe by itself, and still a total of one part less the
//! groups that another part publishes can be a number that was withheld. So the attacker knows
//! one table over all attributes of all parts, reads every exact number of every part as a row
//! over its cells, and asks for the interval of every number that was withheld.
//!
//! A number is *open* when two whole tables that satisfy all rows show counts further apart than
//! the rule's width: proved by the tables. It is *pinned* when no two tables can: proved by
//! certificates. Where neither was shown within the limits, it is *unknown*, and counts as
//! exposed.

use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::attacker::noised::attack::PosteriorAttack;
use crate::audit::derived::PublishedGroups;
use crate::audit::primary::{PrimaryReason, judge};
use crate::audit::rule::DisclosureRule;
use crate::engine::linear_program::Limits;
use crate::solver::Solver;
use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::interval::CountInterval;
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;

/// Most cells of the table times withheld numbers: some minutes of work.
const MOST_WORK: f64 = 1e8;
/// Simplex steps for all of them; a number that is reached after them is unknown.
const ALL_STEPS: u64 = 10_000_000;

/// What the attacker can infer about a withheld number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum LinkageStatus {
    /// Tables that satisfy all published numbers show counts further apart than the width of the
    /// rule: proved.
    Open,
    /// No two such tables show counts further apart than that width: proved.
    Pinned,
    /// A limit was reached before either was shown.
    Unknown,
}

/// What the linkage attack found about one withheld number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkageFinding {
    /// Whether the number is known to within the width of the rule.
    pub status: LinkageStatus,
    /// The largest less the least count that is not excluded; `None` where nothing bounds it.
    pub width: Option<u64>,
}

/// A class that the rule of a part is about, which all parts together may disclose.
#[derive(Clone, Debug)]
pub struct LinkedClass {
    /// What it counts.
    pub region: Region,
    /// How many people it has, where that is public.
    pub people: Option<u64>,
}

/// The public population table of a part.
#[derive(Clone, Copy, Debug)]
pub struct LinkedPopulation {
    /// The axis of the response.
    pub response_axis: usize,
    /// The axes of the population table.
    pub profile: AttrSet,
}

/// A difference of published numbers that violates the rule of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkedDifference {
    /// The numbers that it follows from, by their names: `one less another, a third`.
    pub name: String,
    /// Why it must not be known.
    pub reason: PrimaryReason,
}

/// Everything exact that leaves in any part, and what else the attacker knows.
///
/// Kind: guarantee. Against: anyone who knows the numbers added here and nothing else. Noised
/// numbers are not used, and neither is the rule by which numbers were withheld.
#[derive(Clone, Debug)]
pub struct LinkageAttack {
    knowledge: Knowledge,
    numbers: usize,
}

impl LinkageAttack {
    /// An attack on a table over all attributes that any part uses.
    ///
    /// # Errors
    /// [`Error::TooManyCells`].
    pub fn new(domain: Domain) -> Result<Self, Error> {
        Ok(Self { knowledge: Knowledge::of_counts(domain)?, numbers: 0 })
    }

    /// Adds a sum over a region that the attacker reads, or knows, to lie between two numbers.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`]. Messages name a number by its position, from 1.
    pub fn add(&mut self, region: &Region, lower: u64, upper: u64) -> Result<(), Error> {
        self.numbers += 1;
        self.knowledge.publish_range(format!("number {}", self.numbers), region, lower, upper)
    }

    /// Adds a published number under a name, which findings use.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`].
    pub fn add_named(&mut self, name: String, region: &Region, lower: u64, upper: u64) -> Result<(), Error> {
        self.numbers += 1;
        self.knowledge.publish_range(name, region, lower, upper)
    }

    /// Adds a number that the attacker knows and that no part publishes: public before, or assumed.
    /// Differences from it are not judged.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`].
    pub fn assume(&mut self, region: &Region, lower: u64, upper: u64) -> Result<(), Error> {
        self.numbers += 1;
        self.knowledge.assume_range(format!("number {}", self.numbers), region, lower, upper)
    }

    /// How many numbers were added.
    #[must_use]
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// Refuses an attack on this many withheld numbers that would take too long, from its size
    /// alone.
    ///
    /// # Errors
    /// [`Error::LinkageTooLarge`].
    pub fn check_size(&self, withheld: usize) -> Result<(), Error> {
        let cells = self.knowledge.grid.cells() as f64;
        if cells * withheld as f64 <= MOST_WORK {
            Ok(())
        } else {
            Err(Error::LinkageTooLarge { cells, limit: MOST_WORK })
        }
    }

    /// What the numbers reveal about each withheld sum, in the same order. Sums known to within
    /// `min_interval_width` are exactly disclosed. `truth` is the table that the numbers were
    /// counted in: the search starts from it.
    ///
    /// # Errors
    /// [`Error::LinkageTooLarge`]; [`Error::NotInFiber`] when a number is not true of `truth`; as
    /// [`Solver::region`](crate::Solver::region).
    ///
    /// # Panics
    /// Never for a table of this library, whose total is at most 2^53.
    pub fn run(
        &self,
        truth: &ContingencyTable,
        withheld: &[Region],
        min_interval_width: u64,
        limits: Limits,
    ) -> Result<Vec<LinkageFinding>, Error> {
        self.check_size(withheld.len())?;
        let mut solver = self.solver(truth, limits)?;
        let found = |region| Ok(LinkageFinding::of(&reported(&mut solver, region)?, min_interval_width));
        withheld.iter().map(found).collect()
    }

    /// What the numbers reveal about each withheld sum, then about each class under the rule: a
    /// class is open when two whole tables show that it need not be disclosed, pinned when it is
    /// disclosed.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// Never for a table of this library, whose total is at most 2^53.
    pub fn run_with_classes(
        &self,
        truth: &ContingencyTable,
        withheld: &[Region],
        classes: &[LinkedClass],
        rule: &DisclosureRule,
        limits: Limits,
    ) -> Result<[Vec<LinkageFinding>; 2], Error> {
        self.check_size(withheld.len() + classes.len())?;
        let mut solver = self.solver(truth, limits)?;
        let width = rule.min_interval_width();
        let of_cells = withheld
            .iter()
            .map(|region| Ok(LinkageFinding::of(&reported(&mut solver, region)?, width)))
            .collect::<Result<_, Error>>()?;
        let published = PublishedGroups::of(&self.knowledge);
        let assumed = self.knowledge.assumed_counts();
        let judged = |class: &LinkedClass| {
            let cells = class.region.cells(&self.knowledge.grid)?;
            // What the attacker is assumed to know is no news.
            let is_published = assumed.contains(cells.as_slice()) || published.is_published(&cells);
            let people = class.people.map(|people| i64::try_from(people).expect("a total is at most 2^53"));
            let interval = reported(&mut solver, &class.region)?;
            Ok(LinkageFinding::of_class(&interval, people, is_published, rule))
        };
        Ok([of_cells, classes.iter().map(judged).collect::<Result<_, Error>>()?])
    }

    /// The attacker who reads noisy numbers besides: ready for them. `truth` is the table that the
    /// exact numbers were counted in.
    ///
    /// # Errors
    /// [`Error::PosteriorTooLarge`]; [`Error::NotInFiber`] when a number is not true of `truth`; as
    /// [`Solver::interval`](crate::Solver::interval).
    pub fn beside_noise(
        &self,
        truth: &ContingencyTable,
        withheld: &[Region],
        limits: Limits,
    ) -> Result<PosteriorAttack, Error> {
        PosteriorAttack::new(&self.knowledge, truth, withheld, limits)
    }

    /// Every difference of published numbers that violates the rule, judged as if it were
    /// published. With a population table, people of the same profiles are counted in `truth`.
    ///
    /// # Errors
    /// [`Error::Stopped`] once the flag of `limits` is set.
    pub fn differences(
        &self,
        truth: &ContingencyTable,
        population: Option<LinkedPopulation>,
        rule: &DisclosureRule,
        limits: &Limits,
    ) -> Result<Vec<LinkedDifference>, Error> {
        let judged = |cells: &[u32], count: u64| match population {
            None => judge(rule, count, None),
            Some(population) => self.judge_within(truth, population, rule, cells, count),
        };
        let mut seen = std::collections::BTreeSet::new();
        let found = PublishedGroups::of(&self.knowledge).violations(&judged, limits)?.into_iter();
        let new = found.filter(|derived| seen.insert(derived.cells.clone()));
        Ok(new.map(|derived| LinkedDifference { name: derived.name, reason: derived.reason }).collect())
    }

    /// Judges the count of some cells among the people of their profiles. Everybody of some
    /// profiles is no news; everybody of finer classes is a count of people.
    fn judge_within(
        &self,
        truth: &ContingencyTable,
        population: LinkedPopulation,
        rule: &DisclosureRule,
        cells: &[u32],
        count: u64,
    ) -> Option<PrimaryReason> {
        let grid = &self.knowledge.grid;
        let profiles = self.closure(cells, population.profile);
        if profiles.len() == cells.len() {
            return None;
        }
        let everybody = self.closure(cells, grid.all().minus(AttrSet::single(population.response_axis)));
        if everybody.len() == cells.len() {
            return judge(rule, count, None);
        }
        let people = everybody.iter().map(|&cell| truth.cells()[cell as usize]).sum();
        judge(rule, count, Some(people))
    }

    /// All cells that agree on these axes with one of the cells, in increasing order.
    fn closure(&self, cells: &[u32], axes: AttrSet) -> Vec<u32> {
        let grid = &self.knowledge.grid;
        let classes: std::collections::BTreeSet<usize> =
            cells.iter().map(|&cell| grid.class_of_cell(cell as usize, axes)).collect();
        let all = 0..u32::try_from(grid.cells()).expect("at most 2^24 cells");
        all.filter(|&cell| classes.contains(&grid.class_of_cell(cell as usize, axes))).collect()
    }

    fn solver(&self, truth: &ContingencyTable, limits: Limits) -> Result<Solver, Error> {
        let truth: Vec<i64> =
            truth.cells().iter().map(|&count| i64::try_from(count).expect("a total is at most 2^53")).collect();
        self.knowledge.system().check(&truth)?;
        let mut solver = Solver::with_table(self.knowledge.clone().bounded()?, limits, &truth)?;
        solver.limit_all_steps(ALL_STEPS);
        Ok(solver)
    }
}

/// The interval of a sum, reported to the progress of the limits' flag.
fn reported(solver: &mut Solver, region: &Region) -> Result<CountInterval, Error> {
    let interval = solver.region(region)?;
    solver.limits().stop.advance(1);
    Ok(interval)
}

impl LinkageFinding {
    /// Whether the number counts against a target: it is exactly disclosed, or it was not
    /// decided.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.status != LinkageStatus::Open
    }

    /// What an interval shows: its witnesses show that a number is open, its proofs that it is
    /// exactly disclosed.
    fn of(interval: &CountInterval, min_interval_width: u64) -> Self {
        let (lower, upper) = (&interval.lower, &interval.upper);
        let shown = upper.witness.value.abs_diff(lower.witness.value);
        let proved = upper.value.abs_diff(lower.value);
        let status = match () {
            () if shown > min_interval_width => LinkageStatus::Open,
            () if proved <= min_interval_width => LinkageStatus::Pinned,
            () => LinkageStatus::Unknown,
        };
        Self { status, width: known_width(proved) }
    }

    /// What an interval shows about a class. Fewer tables never make a class less disclosed, so
    /// two tables that leave it undisclosed prove that all of them do.
    fn of_class(interval: &CountInterval, people: Option<i64>, is_published: bool, rule: &DisclosureRule) -> Self {
        let (lower, upper) = (&interval.lower, &interval.upper);
        let status = match () {
            () if rule.discloses((lower.value, upper.value), people, is_published) => LinkageStatus::Pinned,
            () if rule.discloses((lower.witness.value, upper.witness.value), people, is_published) => {
                LinkageStatus::Unknown
            }
            () => LinkageStatus::Open,
        };
        Self { status, width: known_width(upper.value.abs_diff(lower.value)) }
    }
}

/// A width near 2^53 comes from the largest count there can be, not from a published number.
fn known_width(proved: u64) -> Option<u64> {
    (proved < NO_CAPACITY.unsigned_abs() / 2).then_some(proved)
}

#[cfg(test)]
mod tests {
    use privacy_core::{AttrSet, Domain};

    use super::*;

    /// Two sexes in three towns.
    fn table() -> (Domain, ContingencyTable) {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), vec![4, 1, 9, 6, 8, 2]).unwrap();
        (domain, table)
    }

    fn run(attack: &LinkageAttack, withheld: &[Region], width: u64) -> Vec<(LinkageStatus, Option<u64>)> {
        let found = attack.run(&table().1, withheld, width, Limits::default()).unwrap();
        found.into_iter().map(|finding| (finding.status, finding.width)).collect()
    }

    /// One part publishes how many people are in each town, another how many men are in each town
    /// but the second.
    fn parts() -> LinkageAttack {
        let (domain, table) = table();
        let mut attack = LinkageAttack::new(domain).unwrap();
        for (town, &people) in table.marginal(AttrSet::single(1)).unwrap().cells().iter().enumerate() {
            attack.add(&Region::everything().with(1, [town]), people, people).unwrap();
        }
        for (town, men) in [(0, 4), (2, 9)] {
            attack.add(&Region::everything().with(0, [0]).with(1, [town]), men, men).unwrap();
        }
        attack
    }

    #[test]
    fn a_total_of_one_part_less_the_groups_of_another_is_found() {
        let withheld = Region::everything().with(0, [0]).with(1, [1]);
        let mut attack = parts();
        assert_eq!(run(&attack, std::slice::from_ref(&withheld), 0), [(LinkageStatus::Open, Some(9))]);
        attack.add(&Region::everything().with(0, [0]), 14, 14).unwrap();
        assert_eq!(attack.numbers(), 6);
        let women = Region::everything().with(0, [1]).with(1, [1]);
        assert_eq!(run(&attack, &[withheld, women], 0), [(LinkageStatus::Pinned, Some(0)); 2]);
    }

    #[test]
    fn the_width_of_the_rule_decides_what_is_pinned() {
        let withheld = [Region::everything().with(0, [0]).with(1, [1])];
        assert_eq!(run(&parts(), &withheld, 8), [(LinkageStatus::Open, Some(9))]);
        assert_eq!(run(&parts(), &withheld, 9), [(LinkageStatus::Pinned, Some(9))]);
    }

    #[test]
    fn classes_and_differences_of_all_parts_are_judged_by_the_rule() {
        let mut attack = parts();
        let rule = DisclosureRule::new(0, 0.1, 3, crate::Scope::Cells).unwrap();
        let class = |sex: usize, town: usize| LinkedClass {
            region: Region::everything().with(0, [sex]).with(1, [town]),
            people: None,
        };
        let status = |attack: &LinkageAttack| {
            let classes = [class(0, 0), class(1, 0), class(1, 1)];
            let [cells, classes] =
                attack.run_with_classes(&table().1, &[], &classes, &rule, Limits::default()).unwrap();
            assert!(cells.is_empty());
            classes.into_iter().map(|finding| finding.status).collect::<Vec<_>>()
        };
        // The women of the first town are its people less its men: known, and not published.
        assert_eq!(status(&attack), [LinkageStatus::Open, LinkageStatus::Pinned, LinkageStatus::Open]);
        let names = |attack: &LinkageAttack, rule: &DisclosureRule| {
            attack
                .differences(&table().1, None, rule, &Limits::default())
                .unwrap()
                .into_iter()
                .map(|found| found.name)
                .collect::<Vec<_>>()
        };
        // 11 people and 9 men in the third town: two women.
        assert_eq!(names(&attack, &rule), ["number 3 less number 5"]);
        attack.assume(&Region::everything().with(0, [0]), 14, 14).unwrap();
        assert_eq!(names(&attack, &rule).len(), 1, "what is assumed is not judged");
        assert_eq!(status(&attack)[2], LinkageStatus::Pinned, "and it is used");
    }

    #[test]
    fn a_number_that_nothing_bounds_is_open_without_a_width() {
        let attack = LinkageAttack::new(table().0).unwrap();
        assert_eq!(run(&attack, &[Region::everything()], 0), [(LinkageStatus::Open, None)]);
        assert!(attack.run(&table().1, &[], 0, Limits::default()).unwrap().is_empty());
    }

    #[test]
    fn numbers_that_are_not_true_and_attacks_that_are_too_large_are_refused() {
        let mut attack = LinkageAttack::new(table().0).unwrap();
        attack.add(&Region::everything(), 31, 31).unwrap();
        let refused = attack.run(&table().1, &[], 0, Limits::default()).unwrap_err();
        assert_eq!(refused, Error::NotInFiber { row: "number 1".to_owned() });
        assert!(attack.check_size(10_000_000).is_ok());
        assert_eq!(attack.check_size(20_000_000), Err(Error::LinkageTooLarge { cells: 6.0, limit: 1e8 }));
    }
}
