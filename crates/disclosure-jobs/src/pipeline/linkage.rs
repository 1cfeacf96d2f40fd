//! The linkage attack on everything exact that leaves together.
//!
//! One unknown table over all attributes that the exact and the filtered part use. The attacker
//! reads the exact numbers of both, and the number of rows where noisy tables state it exactly.
//! The attacker also knows what the exact part declares as known and, where every row is an
//! entity, that a group which is not shown has fewer rows than are always shown. Each part was
//! judged by itself before; here a total of one part less the groups of the other is found out.
//!
//! Where another part adds numbers to the exact ones, every class of the exact part's rule is asked
//! about again, of all parts together, and so is every difference of published numbers.

use std::collections::BTreeSet;

use disclosure::frechet::{
    DisclosureRule, Error, Knowledge, Limits, LinkageAttack, LinkageStatus, LinkedClass, LinkedDifference,
    LinkedPopulation, NoisyNumbers, Region,
};
use disclosure::privacy_core::labels::Labels;
use disclosure::privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use privacy_data::{Microdata, combinations};

use super::documents::LinkageFinding;
use crate::error::JobError;
use crate::exact::{self, ExactNumber, PolicyClass, PublicPopulation, WithheldNumber};
use crate::filter;
use crate::marginals::ResidualNumbers;

/// Largest number of possible groups of a filter, whether or not anybody is in them.
const MOST_GROUPS: f64 = 1e5;

/// The largest number that a table can count: what is said to be below it is not bounded.
const UNBOUNDED: u64 = 1 << 53;

/// What the linkage attack found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LinkageReport {
    /// Number of exact numbers that the attacker reads or knows.
    pub numbers: usize,
    /// Whether the attacker uses that groups which are not shown are small.
    pub uses_smallness: bool,
    /// Cells that the exact part withholds.
    pub cells: Vec<LinkageFinding>,
    /// Groups that the filtered part withholds.
    pub groups: Vec<LinkageFinding>,
    /// What all parts together say about the rule of the exact part; `None` where no other part
    /// adds an exact number.
    pub policy: Option<PolicyTogether>,
}

/// What all parts together say about the rule of the exact part.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PolicyTogether {
    /// How many classes were asked about.
    pub asked: usize,
    /// Classes that are disclosed, or not decided.
    pub exposed: Vec<LinkageFinding>,
    /// Differences of published numbers that violate the rule.
    pub differences: Vec<LinkedDifference>,
}

impl PolicyTogether {
    /// Number of findings that count against the target.
    #[must_use]
    pub fn violations(&self) -> u64 {
        (self.exposed.len() + self.differences.len()) as u64
    }
}

impl LinkageReport {
    /// The attacker, in words.
    pub(super) fn against(&self) -> String {
        let small = if self.uses_smallness { ", and that a suppressed group is small" } else { "" };
        format!(
            "anyone who knows all {} exact numbers that are released, or that the job declares public or known{small}, \
             and nothing else",
            self.numbers
        )
    }
}

/// Number of findings that count against a target: determined, or not decided.
pub(super) fn exposed(findings: &[LinkageFinding]) -> u64 {
    findings.iter().filter(|finding| finding.is_exposed()).count() as u64
}

/// The parts whose numbers leave exactly.
#[derive(Clone, Copy)]
pub(super) struct ExactParts<'a> {
    pub(super) rows: &'a Microdata,
    pub(super) exact: Option<&'a exact::Planned>,
    pub(super) filtered: Option<&'a filter::DecidedSection>,
    /// The number of rows, where noisy tables state it exactly.
    pub(super) total: Option<u64>,
}

/// The attack as it was made, for what else is read beside the exact numbers.
#[derive(Debug)]
pub(super) struct Attacked {
    pub(super) attack: LinkageAttack,
    pub(super) space: Space,
    /// Cells that the exact part withholds.
    pub(super) withheld: Vec<Region>,
    pub(super) truth: ContingencyTable,
}

/// Attacks the exact numbers of all parts together.
pub(super) fn attack(parts: ExactParts<'_>, limits: Limits) -> Result<(LinkageReport, Option<Attacked>), JobError> {
    let mut numbers = parts.exact.map(exact::Planned::exact_numbers).transpose()?.unwrap_or_default();
    numbers.extend(parts.total.map(ExactNumber::total));
    let cells = parts.exact.map(exact::Planned::withheld_numbers).transpose()?.unwrap_or_default();
    let policy = parts.exact.filter(|_| parts.filtered.is_some() || parts.total.is_some());
    let policy = policy.map(Policy::of).transpose()?;
    let space = Space::of(parts.rows, &attributes(&numbers, &cells, policy.as_ref(), parts.filtered))?;
    let groups: Vec<WithheldNumber> =
        parts.filtered.iter().flat_map(|filtered| space.withheld_groups(filtered)).collect();
    if cells.is_empty() && groups.is_empty() && policy.is_none() {
        return Ok((LinkageReport { numbers: numbers.len(), ..LinkageReport::default() }, None));
    }
    if let (None, None, Some(filtered)) = (parts.exact, parts.total, parts.filtered) {
        return Ok((filter_alone(filtered, groups), None));
    }
    numbers.extend(parts.filtered.iter().flat_map(|filtered| space.shown_groups(filtered)));
    let mut attack = LinkageAttack::new(space.domain.clone())?;
    // Refused by its size before anything is built of it.
    let classes = policy.as_ref().map_or(0, |policy| policy.classes.len());
    attack.check_size(cells.len() + groups.len() + classes)?;
    let published = numbers.iter().filter(|number| number.upper < UNBOUNDED).count();
    let small = parts.filtered.map_or(Ok(Vec::new()), |filtered| space.small_groups(filtered))?;
    space.tell(&mut attack, numbers.iter().chain(&small))?;
    let cell_count = cells.len();
    let withheld: Vec<Region> = cells.iter().chain(&groups).map(|number| space.region(&number.fixed)).collect();
    limits.stop.begin((withheld.len() + classes) as u64);
    let truth = space.count(parts.rows)?;
    let (found, policy) = match policy {
        Some(policy) => {
            let classes: Vec<LinkedClass> = policy.classes.iter().map(|class| space.class(class)).collect();
            let [found, judged] = attack.run_with_classes(&truth, &withheld, &classes, &policy.rule, limits.clone())?;
            let population = policy.population.as_ref().and_then(|population| space.population(population));
            let differences = attack.differences(&truth, population, &policy.rule, &limits)?;
            (found, Some(policy.together(judged, differences)))
        }
        None => {
            let width = parts.exact.map_or(0, exact::Planned::min_interval_width);
            (attack.run(&truth, &withheld, width, limits)?, None)
        }
    };
    let attacked = Attacked { attack, space, withheld: withheld[..cell_count].to_vec(), truth };
    let mut found = cells.into_iter().chain(groups).zip(found).map(|(number, found)| finding(number.labels, found));
    let report = LinkageReport {
        numbers: published,
        uses_smallness: !small.is_empty(),
        cells: found.by_ref().take(cell_count).collect(),
        groups: found.collect(),
        policy,
    };
    Ok((report, Some(attacked)))
}

fn finding(labels: Vec<(String, String)>, found: disclosure::frechet::LinkageFinding) -> LinkageFinding {
    LinkageFinding { labels: labels.into_iter().collect(), status: found.status, width: found.width }
}

/// The rule of the exact part, and whom it is about.
struct Policy {
    rule: DisclosureRule,
    classes: Vec<PolicyClass>,
    population: Option<PublicPopulation>,
}

impl Policy {
    fn of(exact: &exact::Planned) -> Result<Self, JobError> {
        Ok(Self { rule: exact.rule(), classes: exact.policy_classes()?, population: exact.public_population() })
    }

    fn together(
        self,
        judged: Vec<disclosure::frechet::LinkageFinding>,
        differences: Vec<LinkedDifference>,
    ) -> PolicyTogether {
        let asked = self.classes.len();
        let classes = self.classes.into_iter().zip(judged);
        let exposed =
            classes.filter(|(_, found)| found.is_exposed()).map(|(class, found)| finding(class.labels, found));
        PolicyTogether { asked, exposed: exposed.collect(), differences }
    }
}

/// Groups without any other exact number: each has between nobody and the most rows that are
/// withheld, whatever the others have. No law shows a group of one, so these are two counts at
/// least.
fn filter_alone(filtered: &filter::DecidedSection, groups: Vec<WithheldNumber>) -> LinkageReport {
    let width = filtered.most_withheld();
    let groups = groups.into_iter().map(|group| LinkageFinding {
        labels: group.labels.into_iter().collect(),
        status: LinkageStatus::Open,
        width,
    });
    LinkageReport {
        numbers: filtered.shown().filter(|(_, (_, most))| most.is_some()).count(),
        uses_smallness: width.is_some(),
        cells: Vec::new(),
        groups: groups.collect(),
        policy: None,
    }
}

/// The attributes that any number is about.
fn attributes(
    numbers: &[ExactNumber],
    cells: &[WithheldNumber],
    policy: Option<&Policy>,
    filtered: Option<&filter::DecidedSection>,
) -> BTreeSet<String> {
    let classes = policy.iter().flat_map(|policy| &policy.classes).flat_map(|class| &class.fixed);
    let fixed = numbers.iter().flat_map(|number| &number.fixed).chain(cells.iter().flat_map(|cell| &cell.fixed));
    let fixed = fixed.chain(classes);
    let names = fixed.map(|(name, _)| name.clone());
    names.chain(filtered.iter().flat_map(|filtered| filtered.group_by().iter().cloned())).collect()
}

/// The unknown table: its attributes, and which of the data they are.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) domain: Domain,
    set: AttrSet,
}

impl Space {
    fn of(rows: &Microdata, names: &BTreeSet<String>) -> Result<Self, JobError> {
        let all = rows.domain();
        let names: Vec<&String> = names.iter().collect();
        let set = all.set_of(&names).map_err(|error| JobError::new("E0244", error.to_string()))?;
        let attributes = set.iter().map(|attribute| all.attributes()[attribute].clone()).collect();
        let domain = Domain::new(attributes).expect("attributes of a domain make a domain");
        let domain = domain.with_provenance(all.provenance());
        Ok(Self { domain, set })
    }

    fn axis(&self, name: &str) -> usize {
        self.domain.index_of(name).expect("the table has every attribute that a number is about")
    }

    fn labels(&self, name: &str) -> &Labels {
        self.domain.attributes()[self.axis(name)].labels()
    }

    /// Labels of a group as levels of its attributes.
    fn levels(&self, names: &[String], labels: &[&str]) -> Vec<(String, Vec<usize>)> {
        let levels = names.iter().zip(labels).map(|(name, label)| {
            let level = self.labels(name).position(label);
            (name.clone(), vec![level.expect("groups have labels of their attributes")])
        });
        levels.collect()
    }

    pub(super) fn region(&self, fixed: &[(String, Vec<usize>)]) -> Region {
        fixed.iter().fold(Region::everything(), |region, (name, levels)| region.with(self.axis(name), levels.clone()))
    }

    /// Whether the table has an attribute of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.domain.index_of(name).is_ok()
    }

    /// How many people of a table are in a region.
    pub(super) fn total(&self, table: &ContingencyTable, region: &Region) -> Result<i64, JobError> {
        let grid = Knowledge::of_counts(self.domain.clone())?;
        let cells = grid.cells_of(region)?;
        Ok(cells.iter().map(|&cell| i64::try_from(table.cells()[cell as usize]).unwrap_or(i64::MAX)).sum())
    }

    /// Adds noisy numbers of another part, by the names of their attributes.
    pub(super) fn add_residual(&self, numbers: &mut NoisyNumbers, residual: &ResidualNumbers) -> Result<(), JobError> {
        let axes = residual.attributes.iter().map(|name| self.axis(name));
        // Both parts list attributes in the order of the data.
        let queries: Vec<_> = axes.zip(residual.queries.iter().cloned()).collect();
        Ok(numbers.add_gaussian(&queries, residual.variance, &residual.values)?)
    }

    /// For example `{age "0 to 17"+"18 to 64", sex "female"}`.
    fn name(&self, fixed: &[(String, Vec<usize>)]) -> String {
        let parts = fixed.iter().map(|(name, levels)| {
            let axis = self.axis(name);
            let levels: Vec<String> = levels.iter().map(|&level| self.domain.category_name(axis, level)).collect();
            format!("{name} {}", levels.join("+"))
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "total".to_owned() } else { format!("{{{}}}", parts.join(", ")) }
    }

    /// Tells the attacker every number, published or known besides.
    fn tell<'a>(
        &self,
        attack: &mut LinkageAttack,
        numbers: impl Iterator<Item = &'a ExactNumber>,
    ) -> Result<(), JobError> {
        for number in numbers {
            let region = self.region(&number.fixed);
            if number.is_published {
                attack.add_named(self.name(&number.fixed), &region, number.lower, number.upper)?;
            } else {
                attack.assume(&region, number.lower, number.upper)?;
            }
        }
        Ok(())
    }

    fn class(&self, class: &PolicyClass) -> LinkedClass {
        LinkedClass { region: self.region(&class.fixed), people: class.people }
    }

    /// The population table's axes; `None` where the response is in no number.
    fn population(&self, population: &PublicPopulation) -> Option<LinkedPopulation> {
        let axis = |name: &String| self.domain.index_of(name).ok();
        let profile = population.profile.iter().filter_map(axis).collect();
        Some(LinkedPopulation { response_axis: axis(&population.response)?, profile })
    }

    /// The true table, with which the search for tables that fit begins.
    fn count(&self, rows: &Microdata) -> Result<ContingencyTable, JobError> {
        let mut tables = rows.marginals(&[self.set]).map_err(|_| Error::TooManyCells { limit: 1 << 24 })?;
        Ok(tables.pop().expect("one table for one set"))
    }

    fn withheld_groups(&self, filtered: &filter::DecidedSection) -> Vec<WithheldNumber> {
        let by = filtered.group_by();
        let groups = filtered.withheld().map(|labels| WithheldNumber {
            labels: by.iter().cloned().zip(labels.iter().map(|&label| label.to_owned())).collect(),
            fixed: self.levels(by, &labels),
        });
        groups.collect()
    }

    fn shown_groups(&self, filtered: &filter::DecidedSection) -> Vec<ExactNumber> {
        let groups = filtered.shown().map(|(labels, (lower, upper))| ExactNumber {
            fixed: self.levels(filtered.group_by(), &labels),
            lower,
            upper: upper.unwrap_or(UNBOUNDED),
            // Differences are of counts; a line that stands for several numbers is used as it is.
            is_published: upper == Some(lower),
        });
        groups.collect()
    }

    /// States that every group which is not shown, whether or not anybody is in it, has fewer
    /// rows than are always shown. An attack without these numbers would find less than can be
    /// found, so more of them than can be used are refused.
    fn small_groups(&self, filtered: &filter::DecidedSection) -> Result<Vec<ExactNumber>, JobError> {
        let by = filtered.group_by();
        let Some(upper) = filtered.most_withheld() else { return Ok(Vec::new()) };
        let axes: Vec<Vec<&str>> = by.iter().map(|name| self.labels(name).iter().collect()).collect();
        let groups = axes.iter().map(|labels| labels.len() as f64).product::<f64>();
        if groups > MOST_GROUPS {
            let message =
                format!("{groups:.1e} groups, shown or not, are more than the {MOST_GROUPS:.0e} that the attack uses");
            return Err(JobError::new("E0621", message).next("use coarser or fewer attributes in group_by"));
        }
        let shown: BTreeSet<Vec<&str>> = filtered.shown().map(|(labels, _)| labels).collect();
        let hidden = combinations(axes).filter(|labels| !shown.contains(labels));
        Ok(hidden
            .map(|labels| ExactNumber { fixed: self.levels(by, &labels), lower: 0, upper, is_published: false })
            .collect())
    }
}
