//! The least sum of variances where a row is replaced: the exact program over the corners.
//!
//! `D` the attributes in which two rows differ, `y_B = 1 / sigma_B^2`, `v_B` the loss of residual
//! B, `a_DB = m^2 2 (p_B - inner product of two columns that differ in D)` as in `cost`; `m` rows
//! a person, `c` the budget.
//!
//! ```text
//! least  sum of v_B / y_B   with   sum of a_DB y_B <= c   for every D other than {}
//! least  max over D of sum of a_DB y_B   with   sum of v_B / y_B <= 1        the same, up to a
//! factor
//! ```
//!
//! The second form is the program of the largest variance (`norm`), with corners as rows, losses
//! as costs and precisions as variances. It begins with few corners; the worst of each size are
//! found by one transform over the subsets of the attributes and added, until none is worse than
//! those the program knows. Attributes with equal columns make many corners alike: instead of a
//! corner, the mean of all that differ from it by an exchange of such attributes is added where
//! it is broken as well, which one row then says for all of them. A dual of fewer corners is a
//! bound for all, so the gap is that of the whole. With several rows a person there is one row
//! more: that of a person who is added.

use privacy_core::AttrSet;
use privacy_core::stop::StopFlag;
use rustc_hash::FxHashSet;

use crate::planning::adjacency::Adjacency;
use crate::planning::closure::Closure;
use crate::planning::cost::inner_products;
use crate::planning::norm::{LeastNorm, Program, Sparse};
use crate::strategy::axes::Axes;

/// Relative gap that is enough, most steps of one program, and most rounds of adding corners.
const GAP: f64 = 2e-6;
const MOST_STEPS: usize = 1_000;
const MOST_ROUNDS: usize = 30;
/// Most attributes: there are two to this number of corners.
const MOST_ATTRIBUTES: usize = 14;

/// The program of one workload.
pub(crate) struct Corners<'a> {
    axes: &'a Axes,
    closure: &'a Closure,
    adjacency: Adjacency,
    stop: &'a StopFlag,
    /// Residuals that cost something, by their place in the closure.
    priced: Vec<usize>,
    used: AttrSet,
    /// The attributes in use, those of equal columns together.
    alike: Vec<AttrSet>,
}

/// Variances for a budget, and how far their loss may be above the least, relative.
pub(crate) struct LeastSum {
    pub(crate) variances: Vec<f64>,
    pub(crate) gap: f64,
    /// A lower bound of the least loss.
    pub(crate) dual: f64,
}

impl<'a> Corners<'a> {
    /// `None` where the cost of a replaced row is a bound and not a maximum over corners: for too
    /// many attributes. `None` as well where nothing costs anything.
    pub(crate) fn new(axes: &'a Axes, closure: &'a Closure, adjacency: Adjacency, stop: &'a StopFlag) -> Option<Self> {
        let is_priced = |set: AttrSet| !(set.is_empty() && adjacency.total_is_public());
        let priced: Vec<usize> = (0..closure.sets().len()).filter(|&at| is_priced(closure.sets()[at])).collect();
        let used = closure.sets().iter().fold(AttrSet::EMPTY, |all, set| all.union(*set));
        let few = used.len() <= MOST_ATTRIBUTES;
        (few && !used.is_empty()).then(|| Self {
            axes,
            closure,
            adjacency,
            stop,
            priced,
            used,
            alike: alike(axes, used),
        })
    }

    /// The variances of least loss for this budget.
    pub(crate) fn least_sum(&self, budget: f64) -> Option<LeastSum> {
        let loss: Vec<f64> = self.priced.iter().map(|&at| self.closure.loss()[at]).collect();
        let mut rows = Sparse::new();
        let (mut known, mut orbits) = (FxHashSet::<AttrSet>::default(), FxHashSet::<Vec<usize>>::default());
        if !self.adjacency.total_is_public() {
            rows.push(self.person_who_is_added());
        }
        // Every residual costs something at a corner of a single attribute.
        for corner in self.used.iter().map(AttrSet::single).chain([self.used]) {
            if known.insert(corner) {
                rows.push(self.corner(corner));
            }
        }
        let (mut best, mut dual, mut start) = (None::<(f64, Vec<f64>)>, 0.0_f64, None);
        for _ in 0..MOST_ROUNDS {
            let counts = vec![1.0; rows.len()];
            let program = Program {
                rows: &rows,
                counts: &counts,
                cost: &loss,
                budget: 1.0,
                order: f64::INFINITY,
                gap: 0.5 * GAP,
                most_steps: MOST_STEPS,
                stop: self.stop,
            };
            let LeastNorm { variances: precisions, dual: bound, weights, .. } = program.solve(start.take())?;
            dual = dual.max(bound);
            let of_known = rows.times(&precisions).into_iter().fold(0.0, f64::max);
            let worst = self.worst(&precisions);
            let cost = worst.iter().map(|(_, cost)| *cost).fold(of_known, f64::max);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, precisions.clone()));
            }
            let reached = best.as_ref().map_or(f64::INFINITY, |(least, _)| least / dual - 1.0);
            // Only corners above the dual bound can keep the certificate from being reached.
            let enough = dual * (1.0 + 0.5 * GAP);
            let before = rows.len();
            for (corner, _) in worst.into_iter().filter(|(_, cost)| *cost > enough) {
                let (profile, mean) = (self.profile(corner), self.mean_of_orbit(corner));
                let is_broken = mean.iter().map(|&(place, a)| a * precisions[place as usize]).sum::<f64>() > enough;
                if is_broken && orbits.insert(profile) {
                    rows.push(mean);
                } else if known.insert(corner) {
                    rows.push(self.corner(corner));
                }
            }
            if reached <= GAP || self.stop.is_set() || rows.len() == before {
                break;
            }
            // A row that was not known begins with the weight of an average one.
            let average = 1.0 / weights.len() as f64;
            start = Some(weights.into_iter().chain((before..rows.len()).map(|_| average)).collect());
        }
        let (cost, precisions) = best?;
        let mut variances = vec![0.0; self.closure.sets().len()];
        for (&at, y) in self.priced.iter().zip(&precisions) {
            variances[at] = cost / budget / y;
        }
        Some(LeastSum { variances, gap: (cost / dual - 1.0).max(0.0), dual: dual / budget })
    }

    fn group(&self) -> f64 {
        f64::from(self.adjacency.rows_per_person).powi(2)
    }

    /// a_DB of every priced residual, D fixed.
    fn corner(&self, corner: AttrSet) -> Vec<(u32, f64)> {
        let coefficient = |set: AttrSet| {
            let inner: f64 = set
                .iter()
                .map(|attribute| {
                    let (p, c) = self.axes.get(attribute).columns();
                    if corner.contains(attribute) { c } else { p }
                })
                .product();
            2.0 * self.group() * (self.axes.cost(set) - inner).max(0.0)
        };
        self.row(coefficient)
    }

    /// How many attributes of each group of equal ones a corner has.
    fn profile(&self, corner: AttrSet) -> Vec<usize> {
        self.alike.iter().map(|group| group.intersection(corner).len()).collect()
    }

    /// The mean of a_DB over all corners of the profile of this one: a constraint that holds
    /// where all of them do.
    fn mean_of_orbit(&self, corner: AttrSet) -> Vec<(u32, f64)> {
        self.row(|set| {
            let of_group = |group: &AttrSet| {
                let (own, differing) = (group.intersection(set), group.intersection(corner).len());
                let Some(first) = own.iter().next() else { return 1.0 };
                let (p, c) = self.axes.get(first).columns();
                mean_product(group.len(), differing, own.len(), [p, c])
            };
            let inner: f64 = self.alike.iter().map(of_group).product();
            2.0 * self.group() * (self.axes.cost(set) - inner).max(0.0)
        })
    }

    /// What adding a person costs, by residual: (2) for several rows.
    fn person_who_is_added(&self) -> Vec<(u32, f64)> {
        self.row(|set| self.group() * self.axes.cost(set))
    }

    fn row(&self, coefficient: impl Fn(AttrSet) -> f64) -> Vec<(u32, f64)> {
        let sets = self.priced.iter().map(|&at| self.closure.sets()[at]);
        (0..).zip(sets).map(|(place, set)| (place, coefficient(set))).filter(|(_, a)| *a > 0.0).collect()
    }

    /// Of all corners of each size, that of the largest cost for these precisions, and that cost.
    fn worst(&self, precisions: &[f64]) -> Vec<(AttrSet, f64)> {
        let of_sets = self.priced.iter().map(|&at| self.closure.sets()[at]).zip(precisions.iter().copied());
        let residuals: Vec<(AttrSet, f64)> = of_sets.filter(|(set, _)| !set.is_empty()).collect();
        let lengths: f64 = residuals.iter().map(|&(set, y)| y * self.axes.cost(set)).sum();
        let inner = inner_products(self.axes, self.used, residuals.into_iter());
        let mut least = vec![(0, f64::INFINITY); self.used.len() + 1];
        for (mask, &inner) in inner.iter().enumerate().skip(1) {
            let of_size = &mut least[mask.count_ones() as usize];
            if inner < of_size.1 {
                *of_size = (mask, inner);
            }
        }
        let corners = least.into_iter().skip(1).filter(|(mask, _)| *mask > 0);
        corners.map(|(mask, inner)| (self.corner_of(mask), 2.0 * self.group() * (lengths - inner))).collect()
    }

    fn corner_of(&self, mask: usize) -> AttrSet {
        let chosen = self.used.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
        chosen.map(|(_, attribute)| attribute).collect()
    }
}

/// The attributes of equal columns together, in the order of their first.
fn alike(axes: &Axes, used: AttrSet) -> Vec<AttrSet> {
    let mut groups: Vec<AttrSet> = Vec::new();
    for attribute in used.iter() {
        let is_equal = |group: &AttrSet| {
            group.iter().next().is_some_and(|first| axes.get(first).columns() == axes.get(attribute).columns())
        };
        match groups.iter().position(is_equal) {
            Some(at) => groups[at] = groups[at].union(AttrSet::single(attribute)),
            None => groups.push(AttrSet::single(attribute)),
        }
    }
    groups
}

/// The mean of `p^(own - j) c^j` where `j` of `own` attributes are among `differing` that were
/// drawn from `all`: one attribute after the other, each with the share of those left that differ.
fn mean_product(all: usize, differing: usize, own: usize, [p, c]: [f64; 2]) -> f64 {
    // By how many of those so far differ: the sum of the products with their probabilities.
    let mut sums = vec![1.0];
    for seen in 0..own {
        let left = (all - seen) as f64;
        let mut next = vec![0.0; sums.len() + 1];
        for (drawn, sum) in sums.iter().enumerate() {
            let share = (differing.saturating_sub(drawn)) as f64 / left;
            next[drawn] += sum * (1.0 - share) * p;
            next[drawn + 1] += sum * share * c;
        }
        sums = next;
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_over_an_orbit_is_that_of_all_its_corners() {
        let (p, c) = (0.75, -0.25);
        for (all, differing, own) in [(4, 2, 3), (5, 5, 2), (5, 0, 4), (3, 1, 0), (6, 4, 6)] {
            let corners = AttrSet::first(all).subsets_of_size(differing);
            let products: Vec<f64> = corners
                .map(|corner| (0..own).map(|attribute| if corner.contains(attribute) { c } else { p }).product())
                .collect();
            let want = products.iter().sum::<f64>() / products.len() as f64;
            assert!((mean_product(all, differing, own, [p, c]) - want).abs() < 1e-15, "{all} {differing} {own}");
        }
    }
}
