//! The cuts that a margin may be published with, best first.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

use crate::planner::problem::{Problem, Wanted};
use crate::planner::recoded_margin::Statistic;
use crate::planner::recoding::{Cut, Rule};
use crate::table::error::Error;
use crate::table::hierarchy::Hierarchy;

/// Cuts of one axis that are tried.
const MOST_CUTS: usize = 8;
/// Combinations of cuts that are looked at for one margin.
const MOST_COMBINATIONS: usize = 20_000;
/// Depths at which a hierarchy is cut off.
const MOST_DEPTHS: usize = 16;
/// Coarser pools are made by asking for so many doublings of the smallest group.
const DOUBLINGS: u32 = 6;

/// Weight times the logarithm of 1 more than the cells: a total is worth something.
pub(crate) fn utility(weight: f64, cells: usize) -> f64 {
    weight * (cells as f64).ln_1p()
}

/// Statistics over the axes wanted all of whose cells are empty or have enough people, where sizes are public; the most
/// cells first.
pub(crate) fn options(problem: &Problem, wanted: &Wanted) -> Result<Vec<Statistic>, Error> {
    let mut combinations: Vec<Vec<Cut>> = vec![Vec::new()];
    for axis in wanted.axes.iter() {
        let cuts = cuts(problem, axis);
        let with = |prefix: &Vec<Cut>| -> Vec<Vec<Cut>> {
            cuts.iter().map(|cut| prefix.iter().cloned().chain([cut.clone()]).collect()).collect()
        };
        combinations = combinations.iter().flat_map(with).take(MOST_COMBINATIONS).collect();
    }
    let axes: Vec<usize> = wanted.axes.iter().collect();
    let mut statistics: Vec<Statistic> =
        combinations.into_iter().map(|cuts| Statistic { axes: axes.clone(), cuts }).collect();
    statistics.sort_by_key(|statistic| std::cmp::Reverse(statistic.cells()));
    statistics.retain(|statistic| is_large(problem, statistic));
    Ok(statistics)
}

/// Whether every cell is empty or has enough people. Profiles alone, where votes are an axis, are public as they are.
pub(crate) fn is_large(problem: &Problem, statistic: &Statistic) -> bool {
    if problem.background.vote_axis().is_some_and(|vote| !statistic.axes.contains(&vote)) {
        return true;
    }
    let sizes = statistic.sizes(&problem.background);
    sizes.is_none_or(|sizes| sizes.iter().all(|&people| people == 0 || people >= problem.policy.kappa()))
}

fn cuts(problem: &Problem, axis: usize) -> Vec<Cut> {
    let attribute = &problem.background.domain().attributes()[axis];
    let flat;
    let tree = match problem.hierarchies.get(&axis) {
        Some(tree) => tree,
        None => {
            flat = Hierarchy::flat(attribute);
            &flat
        }
    };
    let is_vote = problem.background.vote_axis() == Some(axis);
    let people = if is_vote { None } else { problem.background.people(AttrSet::single(axis)) };
    let sizes: Option<Vec<u64>> =
        people.map(|people| people.into_iter().map(|count| u64::try_from(count).unwrap_or(0)).collect());
    let kappa = problem.policy.kappa();
    let doublings = if problem.merge && sizes.is_some() { DOUBLINGS } else { 0 };
    let mut found: BTreeSet<Cut> = BTreeSet::new();
    for depth in thinned((0..=height(tree)).collect(), MOST_DEPTHS) {
        for doubling in 0..=doublings {
            for merge in [false, problem.merge] {
                let kappa = kappa.saturating_mul(1 << doubling);
                found.extend(Cut::by(tree, &Rule { sizes: sizes.as_deref(), kappa, depth, merge }));
            }
        }
    }
    let mut cuts: Vec<Cut> = found.into_iter().collect();
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.groups().len()));
    thinned(cuts, MOST_CUTS)
}

/// At most so many, evenly spread, the first and the last among them.
pub(crate) fn thinned<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let last = all.len().saturating_sub(1);
    let kept: BTreeSet<usize> =
        if all.len() <= most { (0..all.len()).collect() } else { (0..most).map(|i| i * last / (most - 1)).collect() };
    all.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, item)| item).collect()
}

fn height(tree: &Hierarchy) -> usize {
    let depth = |mut node: usize| {
        let mut depth = 0;
        while let Some(parent) = tree.nodes()[node].parent {
            (node, depth) = (parent, depth + 1);
        }
        depth
    };
    (0..tree.nodes().len()).map(depth).max().unwrap_or(0)
}
