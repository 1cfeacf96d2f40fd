//! Whole-number bounds by cases: a tree of `x_j <= v` or `x_j >= v + 1`, each leaf closed by a proved linear program.
//!
//! Depth first, on the cell nearest to a half, the nearer case first. Each table met raises what is attained, and
//! leaves close against the best so far, so they close against the end result as well.

use crate::engine::linear_program::{Limits, Program, Solved};
use crate::table::certificate::Tree;

/// Cases within cases; the recursion's stack stays small.
const MOST_DEPTH: u32 = 400;

pub(crate) struct Search<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) cells: &'a [u32],
    pub(crate) sign: i64,
    /// The best sum attained so far.
    pub(crate) best: Option<i64>,
    /// Tables met that were better than all before.
    pub(crate) found: Vec<Vec<i64>>,
    pub(crate) nodes_left: u32,
    /// A sum that cannot be beaten: the search ends when it is attained.
    pub(crate) enough: i64,
}

/// Nodes allowed for a first table, whatever the limit: without one there is no answer at all.
const LEAST_NODES: u32 = 1_000;

impl<'a> Search<'a> {
    /// A search for any table.
    pub(crate) fn for_any(program: &'a mut Program, limits: &Limits) -> Self {
        let nodes_left = limits.nodes.max(LEAST_NODES);
        Self { program, cells: &[], sign: 1, best: None, found: Vec::new(), nodes_left, enough: 0 }
    }

    /// The proof that nothing beats [`Search::best`]; `None` when the nodes ran out, or when [`Search::enough`] was
    /// attained, which needs no proof.
    pub(crate) fn run(&mut self) -> Option<Tree> {
        self.node(0)
    }

    fn node(&mut self, depth: u32) -> Option<Tree> {
        if self.nodes_left == 0 || depth > MOST_DEPTH {
            return None;
        }
        self.nodes_left -= 1;
        let point = match self.program.maximise(self.cells, self.sign) {
            Solved::Empty(dual) => return Some(Tree::Empty(dual)),
            Solved::Stalled => return None,
            Solved::Point(point) => point,
        };
        if let Some(proof) = self.closed(&point) {
            return Some(proof);
        }
        if let Some(table) = self.program.table(&point) {
            let sum = self.cells.iter().map(|&cell| table[cell as usize]).sum();
            self.best = Some(self.best.map_or(sum, |best| self.sign * (self.sign * best).max(self.sign * sum)));
            self.found.push(table);
            return if self.is_enough() { None } else { self.closed(&point) };
        }
        self.split(&point, depth)
    }

    fn is_enough(&self) -> bool {
        self.best.is_some_and(|best| self.sign * best >= self.sign * self.enough)
    }

    /// The proof that nothing here beats the best so far, where the solver's sum suggests one.
    fn closed(&self, point: &[f64]) -> Option<Tree> {
        let best = self.best?;
        let sum: f64 = self.cells.iter().map(|&cell| point[cell as usize]).sum();
        if self.sign as f64 * (sum - best as f64) > 1.0 - 1e-6 {
            return None;
        }
        let (dual, relaxed) = self.program.prove(self.cells, self.sign)?;
        let reach = if self.sign > 0 { relaxed.floor() } else { relaxed.ceil() };
        (self.sign * reach <= self.sign * best).then_some(Tree::Bound(dual))
    }

    fn split(&mut self, point: &[f64], depth: u32) -> Option<Tree> {
        let distance = |value: f64| (value - value.floor() - 0.5).abs();
        let fractional = point.iter().enumerate().filter(|&(_, &value)| (value - value.round()).abs() >= 1e-6);
        let (cell, &value) = fractional.min_by(|a, b| distance(*a.1).total_cmp(&distance(*b.1)))?;
        let at_most = value.floor() as i64;
        let case = self.program.case(cell);
        let (below, above) = ((case.0, at_most), (at_most + 1, case.1));
        let is_low = value - value.floor() < 0.5;
        let mut subtrees = [None, None];
        for is_below in [is_low, !is_low] {
            self.program.set_case(cell, if is_below { below } else { above });
            let subtree = self.node(depth + 1);
            self.program.set_case(cell, case);
            subtrees[usize::from(!is_below)] = Some(Box::new(subtree?));
        }
        let [below, above] = subtrees.map(|tree| tree.expect("both cases were walked"));
        Some(Tree::Split { cell, at_most, below, above })
    }
}
