//! The attack on everything exact that leaves together.
//!
//! One unknown table over all attributes that the exact and the filtered part use. The attacker reads the exact numbers of
//! both, and how many rows there are where noisy tables tell it exactly; knows what the exact part says everybody knows and, where every row is an entity, that a group which is not shown has
//! fewer rows than are always shown. Each part was judged by itself before; a total of one less the groups of the other is
//! found out here.

use std::collections::{BTreeMap, BTreeSet};

use disclosure::core::{AttrSet, CountSource, Domain};
use disclosure::frechet::{CountInterval, Error, Knowledge, Limits, NO_CAPACITY, Region, Solver};
use privacy_data::{Microdata, combinations};

use super::exact_part::{ExactPart, Sum, Withheld};
use crate::error::Failure;
use crate::lcf::Filtered;

/// Most cells of the unknown table times numbers that are asked about: some minutes. And simplex steps for all of them; what comes
/// after is not decided.
const MOST_WORK: f64 = 1e8;
const ALL_STEPS: u64 = 10_000_000;

/// Most groups of a filter, whether or not anybody is in them.
const MOST_GROUPS: f64 = 1e5;

/// What the attacker can tell of a number that does not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// Whole tables that fit show counts further apart than discloses.
    Open,
    /// Known to within what discloses: proved.
    Pinned,
    /// A limit was reached before either was shown.
    Unknown,
}

/// A number that does not leave, and what can be told of it.
#[derive(Debug, serde::Serialize)]
pub(super) struct Found {
    /// Attributes and labels.
    pub(super) of: BTreeMap<String, String>,
    pub(super) verdict: Verdict,
    /// How far apart the largest and the least count are that fit; null where nothing bounds it.
    pub(super) width: Option<u64>,
}

/// What the attacker found.
#[derive(Debug, Default)]
pub(super) struct Joint {
    /// How many exact numbers they read or knew.
    pub(super) numbers: usize,
    /// Whether they used that groups which are not shown are small.
    pub(super) uses_smallness: bool,
    pub(super) cells: Vec<Found>,
    pub(super) groups: Vec<Found>,
}

/// Those that count against a target: what is pinned, and what was not decided.
pub(super) fn exposed(found: &[Found]) -> u64 {
    found.iter().filter(|found| found.verdict != Verdict::Open).count() as u64
}

/// Attacks what leaves of `rows`. `total`: how many they are, where the noisy tables tell it exactly.
pub(super) fn attack(
    rows: &Microdata,
    exact: Option<&ExactPart>,
    filtered: Option<&Filtered<'_>>,
    total: Option<u64>,
) -> Result<Joint, Failure> {
    let mut told = exact.map(ExactPart::told).transpose()?.unwrap_or_default();
    told.extend(total.map(|total| Sum { fixed: Vec::new(), lower: total, upper: total }));
    let cells = exact.map(ExactPart::withheld).transpose()?.unwrap_or_default();
    let names = attributes(&told, &cells, filtered);
    let space = Space::of(rows, &names)?;
    let limits = exact.map_or_else(Limits::default, ExactPart::limits);
    let groups: Vec<Withheld> = filtered.iter().flat_map(|filtered| withheld_groups(filtered, &space)).collect();
    if cells.is_empty() && groups.is_empty() {
        return Ok(Joint { numbers: told.len(), ..Joint::default() });
    }
    if let (None, None, Some(filtered)) = (exact, total, filtered) {
        return Ok(alone(filtered, groups));
    }
    space.check_work(cells.len() + groups.len())?;
    let mut sums = told;
    sums.extend(filtered.iter().flat_map(|filtered| shown_groups(filtered, &space)));
    let numbers = sums.len();
    let small = filtered.map_or(Ok(Vec::new()), |filtered| small_groups(filtered, &space))?;
    let uses_smallness = !small.is_empty();
    sums.extend(small);
    let mut solver = space.solver(&sums, rows, limits)?;
    let tau = exact.map_or(0, ExactPart::tau);
    let mut ask = |asked: &[Withheld]| -> Result<Vec<Found>, Failure> {
        asked.iter().map(|asked| space.ask(&mut solver, asked, tau)).collect()
    };
    Ok(Joint { numbers, uses_smallness, cells: ask(&cells)?, groups: ask(&groups)? })
}

/// Groups without other exact numbers: each is between nobody and the most that is withheld, whatever the others are. No law shows
/// a group of one, so that is two counts at least.
fn alone(filtered: &Filtered<'_>, groups: Vec<Withheld>) -> Joint {
    let width = filtered.most_withheld();
    let found = |group: Withheld| Found { of: group.labels.into_iter().collect(), verdict: Verdict::Open, width };
    let (numbers, uses_smallness) = (filtered.shown().count(), width.is_some());
    Joint { numbers, uses_smallness, cells: Vec::new(), groups: groups.into_iter().map(found).collect() }
}

/// The attributes that any number is about.
fn attributes(told: &[Sum], cells: &[Withheld], filtered: Option<&Filtered<'_>>) -> BTreeSet<String> {
    let in_sums = told.iter().flat_map(|sum| &sum.fixed).chain(cells.iter().flat_map(|cell| &cell.fixed));
    let names = in_sums.map(|(name, _)| name.clone());
    names.chain(filtered.iter().flat_map(|filtered| filtered.group_by().iter().cloned())).collect()
}

fn withheld_groups(filtered: &Filtered<'_>, space: &Space) -> Vec<Withheld> {
    let of = |labels: Vec<&str>| {
        let named = filtered.group_by().iter().zip(&labels);
        let labels_of = named.map(|(name, &label)| (name.clone(), label.to_owned())).collect();
        Withheld { labels: labels_of, fixed: space.levels(filtered.group_by(), &labels) }
    };
    filtered.withheld().map(of).collect()
}

fn shown_groups(filtered: &Filtered<'_>, space: &Space) -> Vec<Sum> {
    let of = |(labels, (lower, upper)): (Vec<&str>, (u64, u64))| Sum {
        fixed: space.levels(filtered.group_by(), &labels),
        lower,
        upper,
    };
    filtered.shown().map(of).collect()
}

/// That every group which is not shown, whether or not anybody is in it, has fewer rows than are always shown. An attack that left
/// this out would find less than can be found, so more of them than can be used are refused.
fn small_groups(filtered: &Filtered<'_>, space: &Space) -> Result<Vec<Sum>, Failure> {
    let by = filtered.group_by();
    let axes: Vec<&[String]> = by.iter().map(|name| space.labels(name)).collect();
    let Some(upper) = filtered.most_withheld() else { return Ok(Vec::new()) };
    let groups = axes.iter().map(|labels| labels.len() as f64).product::<f64>();
    if groups > MOST_GROUPS {
        let message =
            format!("{groups:.1e} groups, shown or not, are more than the {MOST_GROUPS:.0e} that the attack uses");
        return Err(Failure::new("E0621", message).next("coarser or fewer attributes in group_by"));
    }
    let shown: BTreeSet<Vec<&str>> = filtered.shown().map(|(labels, _)| labels).collect();
    let hidden = combinations(axes).filter(|labels| !shown.contains(labels));
    Ok(hidden.map(|labels| Sum { fixed: space.levels(by, &labels), lower: 0, upper }).collect())
}

/// The unknown table: its attributes, and where they are in the rows.
struct Space {
    domain: Domain,
    set: AttrSet,
}

impl Space {
    fn of(rows: &Microdata, names: &BTreeSet<String>) -> Result<Self, Failure> {
        let all = rows.domain();
        // Sections name attributes of the job, and were checked.
        let names: Vec<&String> = names.iter().collect();
        let set = all.set_of(&names).map_err(|error| Failure::new("E0244", error.to_string()))?;
        let attributes = set.iter().map(|attribute| all.attributes()[attribute].clone()).collect();
        let domain = Domain::new(attributes).expect("attributes of a domain make a domain");
        Ok(Self { domain, set })
    }

    /// Refuses an attack that would take too long, by its size.
    fn check_work(&self, asked: usize) -> Result<(), Failure> {
        let cells = self.domain.shape(self.domain.all()).iter().map(|&size| size as f64).product::<f64>();
        if cells * asked as f64 <= MOST_WORK {
            return Ok(());
        }
        let message = format!("{cells:.1e} cells for each of the numbers that are withheld is above {MOST_WORK:.0e}");
        Err(Failure::new("E0621", message).next("coarser or fewer attributes in [exact] and [filtered]"))
    }

    fn axis(&self, name: &str) -> usize {
        self.domain.index_of(name).expect("every attribute that a number is about was asked for")
    }

    fn labels(&self, name: &str) -> &[String] {
        self.domain.attributes()[self.axis(name)].labels()
    }

    /// Labels as levels of attributes by name.
    fn levels(&self, names: &[String], labels: &[&str]) -> Vec<(String, Vec<usize>)> {
        let level = |(name, label): (&String, &&str)| {
            let level = self.labels(name).iter().position(|own| own == label);
            (name.clone(), vec![level.expect("groups have labels of their attributes")])
        };
        names.iter().zip(labels).map(level).collect()
    }

    fn region(&self, fixed: &[(String, Vec<usize>)]) -> Region {
        let all = fixed.iter();
        all.fold(Region::everything(), |region, (name, levels)| region.with(self.axis(name), levels.clone()))
    }

    /// A solver for what is told, which knows the true table as one that fits.
    fn solver(&self, sums: &[Sum], rows: &Microdata, limits: Limits) -> Result<Solver, Failure> {
        let mut knowledge = Knowledge::of_counts(self.domain.clone())?;
        for (number, sum) in (1..).zip(sums) {
            knowledge.publish_range(format!("number {number}"), &self.region(&sum.fixed), sum.lower, sum.upper)?;
        }
        let mut tables = rows.marginals(&[self.set]).map_err(|_| Error::TooManyCells { limit: 1 << 24 })?;
        let truth = tables.pop().expect("one table for one set");
        let truth: Vec<i64> =
            truth.cells().iter().map(|&count| i64::try_from(count).expect("a total is at most 2^53")).collect();
        knowledge.system().check(&truth)?;
        let mut solver = match Solver::new(knowledge.clone(), limits.clone()) {
            Err(Error::Unbounded) => {
                // The largest that counts have anyhow, so nothing is invented.
                knowledge.publish_range("people there can be", &Region::everything(), 0, NO_CAPACITY.unsigned_abs())?;
                Solver::new(knowledge, limits)?
            }
            solver => solver?,
        };
        solver.limit_all_steps(ALL_STEPS);
        solver.add_table(&truth)?;
        Ok(solver)
    }

    fn ask(&self, solver: &mut Solver, asked: &Withheld, tau: u64) -> Result<Found, Failure> {
        let interval = solver.region(&self.region(&asked.fixed))?;
        let (verdict, width) = judged(&interval, tau);
        Ok(Found { of: asked.labels.iter().cloned().collect(), verdict, width })
    }
}

/// What an interval tells: shown by tables on one side, proved on the other.
fn judged(interval: &CountInterval, tau: u64) -> (Verdict, Option<u64>) {
    let width = |lower: i64, upper: i64| upper.abs_diff(lower);
    let proved = width(interval.lower.value, interval.upper.value);
    let shown = width(interval.lower.witness.value, interval.upper.witness.value);
    let verdict = match () {
        () if shown > tau => Verdict::Open,
        () if proved <= tau => Verdict::Pinned,
        () => Verdict::Unknown,
    };
    (verdict, (proved < NO_CAPACITY.unsigned_abs() / 2).then_some(proved))
}
