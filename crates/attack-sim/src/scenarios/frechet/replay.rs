//! The reader who knows the planner: lists every table consistent with a release, runs the planner
//! on each, and keeps those of which it would have made just this release.
//!
//! A trial draws a table, releases it, and asks for every requested number that was not published
//! exactly: is it one number in all tables that are kept? And is a class disclosed by them?
//! Claimed: never. Tables are listed by a search of this file; where there are too many, and where
//! the library refuses, a trial measures nothing. The reader stops once the tables kept so far
//! answer no question, since further tables only widen the ranges.

use disclosure::frechet::{DisclosureRule, MarginAction, PrivatePattern, ReleaseProblem, plan};
use disclosure::privacy_core::ContingencyTable;

use super::electorate::{Composition, Electorate, signed};
use super::pattern::pattern_budget;
use super::releases::{KAPPA, Release, World, rule};
use crate::prelude::*;

/// The budget of patterns that are drawn: so large that tables of small counts, whose consistent
/// tables can be listed, are published in part.
const EPSILON: f64 = 8.0;
const DELTA: f64 = 0.01;
/// Most tables that are listed.
const MOST_TABLES: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    decided_on: Basis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Basis {
    /// On the counts, so that nobody gains by knowing how. Nobody knows how many people there are.
    Robust,
    /// On the same, where numbers of people are public.
    RobustAmongPeople,
    /// On public numbers of people alone.
    PublicSizes,
    /// By a noisy threshold, which may lead from any consistent table to the same pattern.
    Private,
}

/// What the plan does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// It is the lightest one on the counts.
    OnTheCounts,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let never = ["a number that was not published is known", "a class is disclosed"];
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault: Option<Fault>| Ok(ReplayAudit { basis: spec.decided_on, is_on_counts: fault.is_some() }),
        |view, _| view.replayed(),
        |view, _| vec![None; view.numbers.len()],
    )
}

/// What the reader holds: the numbers, what happened to each margin, the policy and the planner.
struct View {
    electorate: Electorate,
    planner: Planner,
    release: Release,
    /// The published numbers of all margins.
    exact: Vec<(Vec<usize>, i64)>,
    /// The sums to find out: those withheld, then the classes.
    numbers: Vec<Vec<usize>>,
}

#[derive(Clone, Copy)]
struct Planner {
    policy: DisclosureRule,
    basis: Basis,
    is_on_counts: bool,
}

struct ReplayAudit {
    basis: Basis,
    is_on_counts: bool,
}

impl Planner {
    fn plan(&self, electorate: &Electorate, counts: &[u64]) -> Result<Vec<MarginAction>, Error> {
        let table = Electorate { counts: counts.to_vec(), ..electorate.clone() }.table();
        Ok(plan(&self.problem(electorate, &table)?)?.actions().to_vec())
    }

    /// Whether the pattern is drawn: from every table with some probability.
    fn draws(&self) -> bool {
        self.basis == Basis::Private && !self.is_on_counts
    }

    fn problem(&self, electorate: &Electorate, table: &ContingencyTable) -> Result<ReleaseProblem, Error> {
        let problem = electorate.problem(self.policy)?.allow_suppression();
        Ok(match self.basis {
            _ if self.is_on_counts => problem.decide_on_counts(table)?,
            Basis::Robust | Basis::RobustAmongPeople => problem.decide_robustly(table)?,
            Basis::PublicSizes | Basis::Private => problem,
        })
    }
}

impl View {
    /// The range of every number over the tables that would have led to this release, up to the
    /// table from which on no question is answered.
    fn replayed(&self) -> Vec<Option<[i64; 2]>> {
        self.ranges_until(|ranges| self.is_all_open(ranges))
    }

    /// The same, up to the table from which on `is_enough` holds of the ranges.
    fn ranges_until(&self, is_enough: impl Fn(&[Option<[i64; 2]>]) -> bool) -> Vec<Option<[i64; 2]>> {
        let mut ranges = vec![None; self.numbers.len()];
        let mut tables = Vec::new();
        let most = self.most();
        let mut table = vec![0; most.len()];
        if !self.extend(&mut table, 0, &most, &mut tables) {
            return ranges;
        }
        for counts in from_both_ends(&tables) {
            if self.is_alike(counts) {
                ranges.iter_mut().zip(&self.numbers).for_each(|(range, cells)| widen(range, counts, cells));
                if is_enough(&ranges) {
                    break;
                }
            }
        }
        ranges
    }

    /// Whether no question is answered, whatever other tables there are.
    fn is_all_open(&self, ranges: &[Option<[i64; 2]>]) -> bool {
        let answered = self.release.answered(&self.electorate, &self.planner.policy, ranges);
        ranges.iter().all(Option::is_some) && !answered.contains(&true)
    }

    /// Whether the planner makes just this plan of a table.
    fn is_alike(&self, counts: &[u64]) -> bool {
        if self.planner.draws() {
            return true;
        }
        let Ok(actions) = self.planner.plan(&self.electorate, counts) else { return false };
        actions
            .iter()
            .zip(&self.release.actions)
            .all(|(own, seen)| own.margin == seen.margin && own.statuses == seen.statuses)
    }

    /// The most that a cell can hold: its people, or the least published number that it is in.
    fn most(&self) -> Vec<u64> {
        (0..self.electorate.counts.len()).map(|cell| self.most_of(cell)).collect()
    }

    fn most_of(&self, cell: usize) -> u64 {
        let sums = self.exact.iter().filter(|(cells, _)| cells.contains(&cell));
        let people = match &self.electorate.composition {
            Composition::Capacities(people) => Some(people[cell]),
            _ => None,
        };
        sums.map(|(_, count)| count.unsigned_abs()).chain(people).min().unwrap_or(MOST_TABLES as u64 + 1)
    }

    /// Lists the tables that begin like `table`; `false` when there are too many.
    fn extend(&self, table: &mut Vec<u64>, cell: usize, most: &[u64], found: &mut Vec<Vec<u64>>) -> bool {
        let fits = self.exact.iter().all(|(cells, count)| {
            let sum: i64 = cells.iter().filter(|&&own| own < cell).map(|&own| signed(table[own])).sum();
            let rest: i64 = cells.iter().filter(|&&own| own >= cell).map(|&own| signed(most[own])).sum();
            sum <= *count && *count <= sum + rest
        });
        if !fits {
            return true;
        }
        if cell == most.len() {
            found.push(table.clone());
            return found.len() <= MOST_TABLES;
        }
        for count in 0..=most[cell] {
            table[cell] = count;
            if !self.extend(table, cell + 1, most, found) {
                return false;
            }
        }
        true
    }
}

impl Audit for ReplayAudit {
    type World = World;
    type View = View;
    type Answer = Vec<Option<[i64; 2]>>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = self.draw(rng);
        let policy = rule()?;
        let release = self.released(&electorate, policy, rng)?;
        Ok(World { electorate, policy, release })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let release = world.release.clone().unwrap_or_default();
        // The reader sees no count but those that are published.
        let electorate = Electorate { counts: vec![0; world.electorate.counts.len()], ..world.electorate.clone() };
        let (planner, exact, numbers) = (self.planner(world.policy), release.exact.concat(), world.questions());
        Ok(View { electorate, planner, release, exact, numbers })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        world.redrawn(rng)
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        world.measure(answer, measured);
    }
}

/// All tables, the first and the last of those that are left in turn: neighbours are much alike.
fn from_both_ends(tables: &[Vec<u64>]) -> impl Iterator<Item = &Vec<u64>> {
    let mut rest = tables.iter();
    (0..tables.len()).filter_map(move |turn| if turn % 2 == 0 { rest.next() } else { rest.next_back() })
}

/// Makes the range of a sum hold its value in one more table.
fn widen(range: &mut Option<[i64; 2]>, counts: &[u64], cells: &[usize]) {
    let sum = cells.iter().map(|&cell| signed(counts[cell])).sum();
    *range = Some(range.map_or([sum, sum], |[low, high]| [low.min(sum), high.max(sum)]));
}

impl ReplayAudit {
    fn planner(&self, policy: DisclosureRule) -> Planner {
        Planner { policy, basis: self.basis, is_on_counts: self.is_on_counts }
    }

    fn draw(&self, rng: &mut SimRng) -> Electorate {
        let axes = [AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
        let shape = [[3, 3], [2, 4], [4, 4]][rng.random_range(0..3)].to_vec();
        let cells = shape.iter().product::<usize>();
        if matches!(self.basis, Basis::Robust | Basis::Private) {
            let counts = (0..cells).map(|_| rng.random_range(0..=9)).collect();
            return Electorate { shape, composition: Composition::Unknown, counts, margins: axes.to_vec() };
        }
        let people: Vec<u64> = (0..cells).map(|_| rng.random_range(KAPPA..=KAPPA + 4)).collect();
        if self.basis == Basis::PublicSizes && !self.is_on_counts {
            // A plan on public sizes withholds no cell, and the full table would be refused.
            let counts = people.iter().map(|&people| rng.random_range(1..people)).collect();
            return Electorate {
                shape,
                composition: Composition::Capacities(people),
                counts,
                margins: axes[..2].to_vec(),
            };
        }
        let counts = people.iter().map(|&people| rng.random_range(0..=people)).collect();
        Electorate { shape, composition: Composition::Capacities(people), counts, margins: axes.to_vec() }
    }

    /// Carries a plan out; `None` when the library refuses.
    fn released(
        &self,
        electorate: &Electorate,
        policy: DisclosureRule,
        rng: &mut SimRng,
    ) -> Result<Option<Release>, Error> {
        let table = electorate.table();
        let planner = self.planner(policy);
        if planner.draws() {
            let pattern =
                PrivatePattern::new(&planner.problem(electorate, &table)?, &pattern_budget(EPSILON, DELTA, 1)?)?;
            let drawn = pattern.draw(&table, &mut release_rng(rng))?;
            let actions = drawn.actions().to_vec();
            let Ok(published) = drawn.release(&table) else { return Ok(None) };
            return Ok(Some(Release::of(electorate, actions, &published)));
        }
        let Ok(planned) = plan(&self.planner(policy).problem(electorate, &table)?) else { return Ok(None) };
        let actions = planned.actions().to_vec();
        let Ok((published, _)) = planned.release(&table, &mut release_rng(rng)) else { return Ok(None) };
        Ok(Some(Release::of(electorate, actions, &published)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(world: &World, ranges: &[Option<[i64; 2]>]) -> [Option<f64>; 2] {
        let mut measured = [None; 2];
        world.measure(ranges, &mut measured);
        measured
    }

    /// Whether a reader asked of each release of a planner, and knew something, after it was shown
    /// that one who stops early finds the same.
    fn asked_and_known(audit: ReplayAudit) -> Vec<[bool; 2]> {
        let of_trial = |trial| {
            let mut rng = SimRng::for_trial(7, "replay", trial);
            let world = audit.world(&mut rng).unwrap();
            let view = audit.view(&world, &mut rng).unwrap();
            let early = measured(&world, &view.replayed());
            assert_eq!(early, measured(&world, &view.ranges_until(|_| false)), "trial {trial}");
            [!view.numbers.is_empty(), early.contains(&Some(1.0))]
        };
        (0..12).map(of_trial).collect()
    }

    #[test]
    fn a_reader_who_stops_early_finds_what_one_who_lists_every_table_does() {
        let planners = [(Basis::Robust, false), (Basis::Robust, true), (Basis::PublicSizes, true)];
        let found: Vec<[bool; 2]> = std::thread::scope(|scope| {
            let audit = |(basis, is_on_counts)| ReplayAudit { basis, is_on_counts };
            let threads = planners.map(|planner| scope.spawn(move || asked_and_known(audit(planner))));
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let [asked, known] = [0, 1].map(|what| found.iter().filter(|found| found[what]).count());
        assert!(asked >= 12 && known >= 2, "{asked} releases, {known} with something known");
    }

    #[test]
    fn tables_come_from_both_ends_and_each_once() {
        let tables: Vec<Vec<u64>> = (0..5).map(|number| vec![number]).collect();
        let order: Vec<u64> = from_both_ends(&tables).map(|table| table[0]).collect();
        assert_eq!(order, [0, 4, 1, 3, 2]);
    }
}
