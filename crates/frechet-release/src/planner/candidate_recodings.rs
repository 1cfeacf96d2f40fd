//! The recodings that a margin may be published with, best first.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::margin::recoding::{GroupingRule, Recoding};
use crate::planner::problem::{ReleaseProblem, RequestedMargin};
use crate::table::error::Error;
use crate::table::hierarchy::Hierarchy;

/// Recodings of one axis that are tried.
const MOST_CUTS: usize = 8;
/// Combinations of recodings that are considered for one margin.
const MOST_COMBINATIONS: usize = 20_000;
/// Depths at which a hierarchy is truncated.
const MOST_DEPTHS: usize = 16;
/// Coarser pools come from doubling the minimum frequency up to this many times.
const DOUBLINGS: u32 = 6;

/// Weight times the logarithm of 1 more than the cells: a total is worth something.
pub(crate) fn utility(weight: f64, cells: usize) -> f64 {
    weight * (cells as f64).ln_1p()
}

/// Recoded margins over the requested axes whose cells are all empty or have enough people, where
/// sizes are public; the most cells first.
pub(crate) fn options(problem: &ReleaseProblem, requested: &RequestedMargin) -> Result<Vec<RecodedMargin>, Error> {
    let mut combinations: Vec<Vec<Recoding>> = vec![Vec::new()];
    for axis in requested.axes.iter() {
        let recodings = recodings(problem, axis);
        combinations = combinations
            .iter()
            .flat_map(|prefix: &Vec<Recoding>| -> Vec<Vec<Recoding>> {
                recodings.iter().map(|recoding| prefix.iter().cloned().chain([recoding.clone()]).collect()).collect()
            })
            .take(MOST_COMBINATIONS)
            .collect();
    }
    let axes: Vec<usize> = requested.axes.iter().collect();
    let mut margins: Vec<RecodedMargin> =
        combinations.into_iter().map(|recodings| RecodedMargin { axes: axes.clone(), recodings }).collect();
    margins.sort_by_key(|margin| std::cmp::Reverse(margin.cells()));
    let mut large = Vec::new();
    for margin in margins {
        problem.limits.check_stop()?;
        if is_large(problem, &margin) {
            large.push(margin);
        }
    }
    Ok(large)
}

/// Whether every cell is empty or has enough people. Where there is a response axis, margins of
/// profiles alone are public already.
pub(crate) fn is_large(problem: &ReleaseProblem, margin: &RecodedMargin) -> bool {
    if problem.background.response_axis().is_some_and(|response_axis| !margin.axes.contains(&response_axis)) {
        return true;
    }
    let sizes = margin.sizes(&problem.background);
    sizes.is_none_or(|sizes| sizes.iter().all(|&people| people == 0 || people >= problem.rule.min_frequency()))
}

fn recodings(problem: &ReleaseProblem, axis: usize) -> Vec<Recoding> {
    let attribute = &problem.background.domain().attributes()[axis];
    let flat;
    let tree = match problem.hierarchies.get(&axis) {
        Some(tree) => tree,
        None => {
            flat = Hierarchy::flat(attribute);
            &flat
        }
    };
    let is_response = problem.background.response_axis() == Some(axis);
    let people = if is_response { None } else { problem.background.people(AttrSet::single(axis)) };
    let sizes: Option<Vec<u64>> =
        people.map(|people| people.into_iter().map(|count| u64::try_from(count).unwrap_or(0)).collect());
    let min_frequency = problem.rule.min_frequency();
    let doublings = if problem.merge && sizes.is_some() { DOUBLINGS } else { 0 };
    let mut found: BTreeSet<Recoding> = BTreeSet::new();
    for depth in thinned((0..=height(tree)).collect(), MOST_DEPTHS) {
        for doubling in 0..=doublings {
            for merge in [false, problem.merge] {
                let min_frequency = min_frequency.saturating_mul(1 << doubling);
                found
                    .extend(Recoding::by(tree, &GroupingRule { sizes: sizes.as_deref(), min_frequency, depth, merge }));
            }
        }
    }
    let mut recodings: Vec<Recoding> = found.into_iter().collect();
    recodings.sort_by_key(|recoding| std::cmp::Reverse(recoding.groups().len()));
    thinned(recodings, MOST_CUTS)
}

/// At most this many, evenly spread, including the first and the last.
pub(crate) fn thinned<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let last = all.len().saturating_sub(1);
    let kept: BTreeSet<usize> =
        if all.len() <= most { (0..all.len()).collect() } else { (0..most).map(|i| i * last / (most - 1)).collect() };
    all.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, item)| item).collect()
}

fn height(tree: &Hierarchy) -> usize {
    (0..tree.nodes().len())
        .map(|mut node: usize| {
            let mut depth = 0;
            while let Some(parent) = tree.nodes()[node].parent {
                (node, depth) = (parent, depth + 1);
            }
            depth
        })
        .max()
        .unwrap_or(0)
}
