//! The lightest set of things to drop so that every clause holds.
//!
//! A clause asks that one of some things is dropped, or that one of some others is kept. Clauses
//! come from proofs: if a bound follows from some published numbers, every release that keeps
//! them all has it.
//!
//! Branch on a clause that does not hold while everything undecided is kept: one of its undecided
//! things is dropped, those before it are kept. Clauses that share nothing undecided each cost at
//! least their lightest thing.

use privacy_core::stop::StopFlag;

/// One of `drop` is dropped, or one of `keep` is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Clause {
    pub(crate) drop: Vec<usize>,
    pub(crate) keep: Vec<usize>,
}

impl Clause {
    pub(crate) fn holds(&self, dropped: &[bool]) -> bool {
        self.drop.iter().any(|&thing| dropped[thing]) || self.keep.iter().any(|&thing| !dropped[thing])
    }
}

/// What was dropped, and whether nothing lighter satisfies the clauses.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub(crate) dropped: Vec<bool>,
    pub(crate) is_lightest: bool,
}

struct CoverSearch<'a> {
    weights: &'a [f64],
    clauses: &'a [Clause],
    /// `None` while undecided.
    dropped: Vec<Option<bool>>,
    best: Option<(f64, Vec<bool>)>,
    nodes_left: u32,
    stop: &'a StopFlag,
}

/// The lightest choice that satisfies all clauses; `None` when none does, or none was found
/// within `nodes`.
pub(crate) fn lightest(weights: &[f64], clauses: &[Clause], nodes: u32, stop: &StopFlag) -> Option<Dropped> {
    // A good first choice closes most of the branches below.
    let best = greedy(weights, clauses).map(|dropped| (cost(weights, &dropped), dropped));
    let mut search =
        CoverSearch { weights, clauses, dropped: vec![None; weights.len()], best, nodes_left: nodes, stop };
    let is_complete = search.node(0.0);
    let (_, dropped) = search.best?;
    Some(Dropped { dropped, is_lightest: is_complete })
}

fn cost(weights: &[f64], dropped: &[bool]) -> f64 {
    dropped.iter().zip(weights).filter(|(dropped, _)| **dropped).map(|(_, weight)| weight).sum()
}

/// Drops what costs least for each clause that it satisfies, then takes back what is not needed.
fn greedy(weights: &[f64], clauses: &[Clause]) -> Option<Vec<bool>> {
    let mut dropped = vec![false; weights.len()];
    loop {
        let open: Vec<&Clause> = clauses.iter().filter(|clause| !clause.holds(&dropped)).collect();
        if open.is_empty() {
            break;
        }
        let mut helps = vec![0_u32; weights.len()];
        open.iter().for_each(|clause| clause.drop.iter().for_each(|&thing| helps[thing] += 1));
        let price = |thing: &usize| weights[*thing] / f64::from(helps[*thing]);
        let useful = (0..weights.len()).filter(|&thing| helps[thing] > 0 && !dropped[thing]);
        let cheapest = useful.min_by(|a, b| price(a).total_cmp(&price(b)))?;
        dropped[cheapest] = true;
    }
    // Later drops may have made earlier ones needless; the heaviest are tried first.
    let mut order: Vec<usize> = (0..weights.len()).filter(|&thing| dropped[thing]).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    for thing in order {
        dropped[thing] = false;
        dropped[thing] = !clauses.iter().all(|clause| clause.holds(&dropped));
    }
    Some(dropped)
}

impl CoverSearch<'_> {
    /// Whether everything that could be lighter than the best was looked at.
    fn node(&mut self, cost: f64) -> bool {
        if self.nodes_left == 0 || self.stop.is_set() {
            return false;
        }
        self.nodes_left -= 1;
        let current: Vec<bool> = self.dropped.iter().map(|dropped| *dropped == Some(true)).collect();
        let open: Vec<&Clause> = self.clauses.iter().filter(|clause| !clause.holds(&current)).collect();
        // Bound: what is dropped so far, plus the least that clauses without a common thing still
        // cost.
        if !self.can_improve(cost + self.at_least(&open)) {
            return true;
        }
        // The clause with fewest undecided things has fewest branches, and none at all where it
        // cannot hold any more.
        let Some(mut things) = open.iter().map(|clause| self.undecided(clause)).min_by_key(Vec::len) else {
            self.best = Some((cost, current));
            return true;
        };
        things.sort_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b]));
        let mut is_complete = true;
        for &thing in &things {
            self.dropped[thing] = Some(true);
            // One branch for each thing that is dropped; those before it are kept, so no choice
            // is looked at twice.
            is_complete &= self.node(cost + self.weights[thing]);
            self.dropped[thing] = Some(false);
        }
        things.iter().for_each(|&thing| self.dropped[thing] = None);
        is_complete
    }

    /// What may still be dropped for a clause.
    fn undecided(&self, clause: &Clause) -> Vec<usize> {
        clause.drop.iter().copied().filter(|&thing| self.dropped[thing].is_none()).collect()
    }

    fn can_improve(&self, cost: f64) -> bool {
        // Sums of equal weights in another order differ in their last bits.
        self.best.as_ref().is_none_or(|(best, _)| cost < best - 1e-12 * best.abs())
    }

    fn at_least(&self, open: &[&Clause]) -> f64 {
        let mut used = vec![false; self.weights.len()];
        let mut sum = 0.0;
        for clause in open {
            let mut free = clause.drop.iter().filter(|&&thing| self.dropped[thing].is_none());
            // Only clauses that share no undecided thing may be added up: one dropped thing could
            // satisfy both otherwise.
            if free.clone().any(|&thing| used[thing]) {
                continue;
            }
            sum += free.clone().map(|&thing| self.weights[thing]).fold(f64::INFINITY, f64::min);
            free.by_ref().for_each(|&thing| used[thing] = true);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_lighter_satisfies_the_clauses(
            weights in proptest::collection::vec(0_u32..9, 7),
            clauses in proptest::collection::vec((1_u32..128, 0_u32..128), 0..9),
        ) {
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let members = |mask: u32| (0..7).filter(|thing| mask >> thing & 1 == 1).collect::<Vec<usize>>();
            // Few clauses offer a way out by keeping something.
            let keep = |mask: u32| if mask.is_multiple_of(3) { members(mask & mask >> 3) } else { Vec::new() };
            let clauses: Vec<Clause> =
                clauses.into_iter().map(|(drop, kept)| Clause { drop: members(drop), keep: keep(kept & !drop) }).collect();
            let brute = (0_u32..128).filter_map(|mask| {
                let dropped: Vec<bool> = (0..7).map(|thing| mask >> thing & 1 == 1).collect();
                clauses.iter().all(|clause| clause.holds(&dropped)).then(|| cost(&weights, &dropped))
            });
            let got = lightest(&weights, &clauses, 10_000, &StopFlag::never()).expect("dropping everything satisfies a clause that drops");
            prop_assert!(got.is_lightest && clauses.iter().all(|clause| clause.holds(&got.dropped)));
            prop_assert_eq!(Some(cost(&weights, &got.dropped)), brute.reduce(f64::min));
        }
    }
}
