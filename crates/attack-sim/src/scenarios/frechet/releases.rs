//! Releases: what the library's plan lets out, and what rules of thumb would.

use disclosure::frechet::{
    AllocationLoss, CellStatus, DisclosureRule, Error as FrechetError, MarginAction, NoiseBudget, Published,
    ReleaseProblem, Scope, plan,
};

use super::electorate::{Composition, Electorate, cells_of, classes_on};
use super::verdicts::is_disclosed;
use crate::prelude::*;

/// How the library may protect a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Protection {
    /// A 3 x 3 table with its margins, small counts withheld, others so that they stay so.
    /// Numbers of people are not public.
    Suppression,
    /// One axis of up to five groups beside its total; small groups have noise.
    Noise,
    /// Two or three axes, any margins, numbers of people public or not, decided on them or on the
    /// counts, with suppression, merging and noise.
    Anything,
}

/// What the release does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fault {
    /// Small cells are withheld, and nothing else.
    RowTotalsKept,
    /// The same, and more, until no line has exactly one withheld cell: the rule of thumb that
    /// FCSM Working Paper 22 warns of.
    TwoInEveryLine,
    /// Small cells have noise, and nothing else, beside an exact total: Magarshak, remark 3 and
    /// proposition 9(b).
    NoiseBesideTotal,
}

/// Smallest group that is published exactly.
pub(super) const KAPPA: u64 = 4;
/// Least rate that must stay possible on both sides.
const BETA: f64 = 0.05;

/// The rule of all releases of these scenarios.
pub(super) fn rule() -> Result<DisclosureRule, Error> {
    Ok(DisclosureRule::new(0, BETA, KAPPA, Scope::All)?)
}

/// A budget for noise, divided so that the sum of variances is least.
pub(super) fn noise_budget(epsilon: f64) -> Result<NoiseBudget, Error> {
    let epsilon = Epsilon::new(epsilon).map_err(|_| Error::BadClaim { name: "epsilon" })?;
    Ok(NoiseBudget { epsilon, delta: None, loss: AllocationLoss::Variance })
}

/// A table and what is released of it; `None` when the library refuses.
pub(super) struct World {
    pub(super) electorate: Electorate,
    pub(super) policy: DisclosureRule,
    pub(super) release: Option<Release>,
}

impl World {
    /// Other people in the same groups, under the same release.
    pub(super) fn redrawn(&self, rng: &mut SimRng) -> Self {
        Self { electorate: self.electorate.redrawn(rng), policy: self.policy, release: self.release.clone() }
    }

    /// The sums that an attacker asks for: those withheld, then the classes. None without a
    /// release.
    pub(super) fn questions(&self) -> Vec<Vec<usize>> {
        let Some(release) = &self.release else { return Vec::new() };
        let classes = self.electorate.classes().into_iter().map(|class| cells_of(&self.electorate.shape, &class));
        release.withheld.iter().cloned().chain(classes).collect()
    }

    /// From the ranges of all questions: whether a number that was withheld is known, and whether
    /// a class is disclosed. Ranges count that hold the truth.
    pub(super) fn measure(&self, ranges: &[Option<[i64; 2]>], measured: &mut [Option<f64>]) {
        let Some(release) = &self.release else { return };
        let answered = release.answered(&self.electorate, &self.policy, ranges);
        let answers = self.questions().into_iter().zip(ranges.iter().zip(answered));
        let right: Vec<bool> = answers
            .map(|(cells, (range, is_answered))| {
                is_answered && range.is_some_and(|range| self.electorate.is_count_in(&cells, range))
            })
            .collect();
        let (withheld, classes) = right.split_at(right.len().min(release.withheld.len()));
        measured[0] = Some(f64::from(withheld.contains(&true)));
        measured[1] = Some(f64::from(classes.contains(&true)));
    }
}

/// What went out exactly, and what did not.
#[derive(Clone, Default)]
pub(super) struct Release {
    /// What the plan does to every margin; nothing where there was no plan.
    pub(super) actions: Vec<MarginAction>,
    /// Margin after margin; none counts a person twice.
    pub(super) exact: Vec<Vec<(Vec<usize>, i64)>>,
    /// The cells of every number that does not go out, or goes out with noise.
    pub(super) withheld: Vec<Vec<usize>>,
}

/// Carries out the library's plan.
pub(super) fn released(
    electorate: &Electorate,
    policy: &DisclosureRule,
    protection: Protection,
    rng: &mut SimRng,
) -> Result<Option<Release>, Error> {
    let table = electorate.table();
    let problem = match problem(electorate, policy, protection, rng) {
        Err(Error::Frechet(FrechetError::NoPublicSizes)) => return Ok(None),
        problem => problem?,
    };
    let planned = match plan(&problem) {
        // What is public misses the policy before anything goes out.
        Err(
            FrechetError::Unprotectable { .. }
            | FrechetError::GroupWithinIntervalWidth { .. }
            | FrechetError::NoPublicSizes,
        ) => {
            return Ok(None);
        }
        planned => planned?,
    };
    let actions = planned.actions().to_vec();
    match planned.release(&table, &mut release_rng(rng)) {
        Err(FrechetError::TargetMissed { .. }) => Ok(None),
        published => Ok(Some(Release::of(electorate, actions, &published?.0))),
    }
}

fn problem(
    electorate: &Electorate,
    policy: &DisclosureRule,
    protection: Protection,
    rng: &mut SimRng,
) -> Result<ReleaseProblem, Error> {
    let (problem, noise, table) = (electorate.problem(*policy)?, noise_budget(1.0)?, electorate.table());
    Ok(match protection {
        Protection::Suppression => problem.allow_suppression().decide_on_counts(&table)?,
        Protection::Noise => problem.allow_noise(noise),
        Protection::Anything => {
            let problem = if rng.random() { problem.allow_merging() } else { problem };
            let problem = if rng.random() { problem.allow_noise(noise) } else { problem };
            let problem = if rng.random() { problem.allow_suppression() } else { problem };
            if rng.random() { problem.decide_on_counts(&table)? } else { problem }
        }
    })
}

/// The cells that a published number counts.
fn cells_of_number(electorate: &Electorate, action: &MarginAction, number: usize) -> Vec<usize> {
    let Some(statistic) = &action.margin else { return Vec::new() };
    let groups = statistic.groups(number);
    let every = AttrSet::first(electorate.shape.len());
    let classes = classes_on(&electorate.shape, every).into_iter().enumerate();
    let counted = classes.filter(|(_, class)| {
        let mut fixed = statistic.axes.iter().zip(&groups);
        fixed.all(|(&axis, group)| group.levels.contains(&class.levels[axis]))
    });
    counted.map(|(cell, _)| cell).collect()
}

impl Release {
    /// What a plan lets out, and what not.
    pub(super) fn of(electorate: &Electorate, actions: Vec<MarginAction>, published: &Published) -> Self {
        let mut release = Self::default();
        for (action, margin) in actions.iter().zip(&published.margins) {
            let mut exact = Vec::new();
            for (number, cell) in margin.cells.iter().enumerate() {
                let cells = cells_of_number(electorate, action, number);
                match (cell.status, cell.value) {
                    (CellStatus::Exact, Some(value)) => exact.push((cells, value)),
                    _ => release.withhold(electorate, cells),
                }
            }
            release.exact.push(exact);
        }
        Self { actions, ..release }
    }

    /// Whether these cells are a sum of numbers of one margin.
    pub(super) fn is_published(&self, cells: &[usize]) -> bool {
        self.exact.iter().any(|margin: &Vec<(Vec<usize>, i64)>| {
            let parts = margin.iter().filter(|(own, _)| own.iter().all(|cell| cells.contains(cell)));
            parts.map(|(own, _)| own.len()).sum::<usize>() == cells.len()
        })
    }

    /// Whether the range of each question, in the order of [`World::questions`], answers it: a
    /// withheld number has one value, a class is disclosed. Uses no count of the electorate. A
    /// wider range answers no question that a narrower one leaves open.
    pub(super) fn answered(
        &self,
        electorate: &Electorate,
        policy: &DisclosureRule,
        ranges: &[Option<[i64; 2]>],
    ) -> Vec<bool> {
        let (of_withheld, of_classes) = ranges.split_at(ranges.len().min(self.withheld.len()));
        let withheld = of_withheld.iter().map(|range| range.is_some_and(|[low, high]| low == high));
        let classes = electorate.classes().into_iter().zip(of_classes).map(|(class, range)| {
            let (people, cells) = (electorate.people(&class), cells_of(&electorate.shape, &class));
            range.is_some_and(|range| is_disclosed(policy, people, self.is_published(&cells), range))
        });
        withheld.chain(classes).collect()
    }

    /// Nobody is known by the count of an empty group.
    fn withhold(&mut self, electorate: &Electorate, cells: Vec<usize>) {
        let is_empty = match &electorate.composition {
            Composition::Capacities(people) => cells.iter().all(|&cell| people[cell] == 0),
            _ => false,
        };
        if !is_empty {
            self.withheld.push(cells);
        }
    }
}

/// What goes out when the rule of the fault decides on every cell by itself.
pub(super) fn with_fault(electorate: &Electorate, fault: Fault) -> Release {
    let mut release = Release::default();
    let sizes = match &electorate.composition {
        Composition::Capacities(people) => people,
        _ => &electorate.counts,
    };
    let mut is_kept: Vec<bool> = sizes.iter().map(|&size| size == 0 || size >= KAPPA).collect();
    if fault == Fault::TwoInEveryLine {
        withhold_two_in_every_line(&electorate.counts, &mut is_kept);
    }
    for &axes in &electorate.margins {
        let mut exact = Vec::new();
        for class in classes_on(&electorate.shape, axes) {
            let cells = cells_of(&electorate.shape, &class);
            if axes.len() < electorate.shape.len() || is_kept[cells[0]] {
                let count = electorate.count(&cells);
                exact.push((cells, count));
            } else {
                release.withhold(electorate, cells);
            }
        }
        release.exact.push(exact);
    }
    release
}

/// In every line of a 3 x 3 table with one withheld cell, the smallest other joins it.
fn withhold_two_in_every_line(counts: &[u64], is_kept: &mut [bool]) {
    while let Some(line) = line_with_one_withheld(is_kept) {
        let partner = line.into_iter().filter(|&cell| is_kept[cell]).min_by_key(|&cell| counts[cell]);
        is_kept[partner.expect("one of three is withheld")] = false;
    }
}

fn line_with_one_withheld(is_kept: &[bool]) -> Option<[usize; 3]> {
    let mut lines = (0..3).flat_map(|i| [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]]);
    lines.find(|line| line.iter().filter(|&&cell| !is_kept[cell]).count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_in_every_line_leave_no_line_with_one() {
        let counts = [1, 9, 8, 7, 6, 5, 4, 9, 2];
        let mut is_kept: Vec<bool> = counts.iter().map(|&count| count >= KAPPA).collect();
        withhold_two_in_every_line(&counts, &mut is_kept);
        for i in 0..3 {
            for line in [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]] {
                assert_ne!(line.iter().filter(|&&cell| !is_kept[cell]).count(), 1, "{is_kept:?}");
            }
        }
    }

    #[test]
    fn a_third_is_what_the_total_and_two_others_leave() {
        let people = vec![9, 9, 3];
        let electorate = Electorate {
            shape: vec![3],
            composition: Composition::Capacities(people),
            counts: vec![4, 5, 2],
            margins: vec![AttrSet::EMPTY, AttrSet::single(0)],
        };
        let release = with_fault(&electorate, Fault::NoiseBesideTotal);
        assert_eq!((release.exact.concat().len(), release.withheld), (3, vec![vec![2]]));
    }
}
