//! Whole-number bounds by cases: a tree of `x_j <= v` or `x_j >= v + 1`, each leaf closed by a
//! proved linear program.
//!
//! Depth first, on the cell nearest to a half, the nearer case first. Each table met raises what
//! is attained, and leaves close against the best so far, so they close against the end result as
//! well.

use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome};
use frechet_certificate::{Multipliers, Node, Proof, Split};

/// Cases within cases; the recursion's stack stays small.
const MOST_DEPTH: u32 = 400;

pub(crate) struct BranchAndBound<'a> {
    pub(crate) program: &'a mut LinearProgram,
    pub(crate) cells: &'a [u32],
    pub(crate) sign: i64,
    /// The best sum attained so far.
    pub(crate) best: Option<i64>,
    /// Tables met that were better than all before.
    pub(crate) found: Vec<Vec<i64>>,
    pub(crate) nodes_left: u32,
    /// A sum that cannot be beaten: the search ends when it is attained.
    pub(crate) enough: i64,
    /// Nodes of the proof so far; the halves of a split come before it.
    pub(crate) nodes: Vec<Node>,
}

/// Nodes allowed for a first table, whatever the limit: without one there is no answer at all.
const LEAST_NODES: u32 = 1_000;

impl<'a> BranchAndBound<'a> {
    /// A search for any table.
    pub(crate) fn for_any(program: &'a mut LinearProgram, limits: &Limits) -> Self {
        let nodes_left = limits.nodes.max(LEAST_NODES);
        Self { program, cells: &[], sign: 1, best: None, found: Vec::new(), nodes_left, enough: 0, nodes: Vec::new() }
    }

    /// The proof that nothing beats [`BranchAndBound::best`]; `None` when the nodes ran out, or
    /// when [`BranchAndBound::enough`] was attained, which needs no proof.
    pub(crate) fn run(&mut self) -> Option<Proof> {
        let root = self.node(0)?;
        Some(level_by_level(&mut self.nodes, root))
    }

    /// The index of the node that closes the cases at hand.
    fn node(&mut self, depth: u32) -> Option<usize> {
        if self.nodes_left == 0 || depth > MOST_DEPTH {
            return None;
        }
        self.nodes_left -= 1;
        let point = match self.program.maximise(self.cells, self.sign) {
            LpOutcome::Empty(dual) => return Some(self.add(Node::Empty(dual))),
            LpOutcome::Stalled => return None,
            LpOutcome::Point(point) => point,
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
    fn closed(&mut self, point: &[f64]) -> Option<usize> {
        let best = self.best?;
        let sum: f64 = self.cells.iter().map(|&cell| point[cell as usize]).sum();
        // Sums are whole numbers, so a real bound less than 1 above the best closes the case. The
        // solver's sum only says whether to try; the exact multipliers decide.
        if self.sign as f64 * (sum - best as f64) > 1.0 - 1e-6 {
            return None;
        }
        let (dual, relaxed) = self.program.prove(self.cells, self.sign)?;
        let reach = if self.sign > 0 { relaxed.floor() } else { relaxed.ceil() };
        (self.sign * reach <= self.sign * best).then(|| self.add(Node::Bound(dual)))
    }

    fn split(&mut self, point: &[f64], depth: u32) -> Option<usize> {
        // The cell nearest to a half changes most in both cases, so both bounds move and the tree
        // stays small.
        let fractional = point.iter().enumerate().filter(|&(_, &value)| (value - value.round()).abs() >= 1e-6);
        let (cell, &value) = fractional.min_by(|a, b| from_half(*a.1).total_cmp(&from_half(*b.1)))?;
        let at_most = value.floor() as i64;
        let case = self.program.case(cell);
        let (below, above) = ((case.0, at_most), (at_most + 1, case.1));
        // The nearer case first: it is likelier to hold a table, and a table found early closes
        // other leaves.
        let is_low = value - value.floor() < 0.5;
        let mut halves = [0, 0];
        for is_below in [is_low, !is_low] {
            self.program.set_case(cell, if is_below { below } else { above });
            let half = self.node(depth + 1);
            self.program.set_case(cell, case);
            halves[usize::from(!is_below)] = half?;
        }
        let [below, above] = halves;
        Some(self.add(Node::Split(Split { cell, at_most, below, above })))
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// The tree under a node with its root first, each level after the one above: what closed cases
/// that were abandoned later is left out, and the file of a proof does not depend on which case
/// was searched first.
fn level_by_level(nodes: &mut [Node], root: usize) -> Proof {
    let mut waiting = vec![root];
    let mut ordered = Vec::new();
    while let Some(&index) = waiting.get(ordered.len()) {
        let mut node = std::mem::replace(&mut nodes[index], Node::Bound(Multipliers::integral(Vec::new())));
        if let Node::Split(split) = &mut node {
            let first = waiting.len();
            waiting.extend([split.below, split.above]);
            (split.below, split.above) = (first, first + 1);
        }
        ordered.push(node);
    }
    Proof { nodes: ordered }
}

/// Distance of the fractional part from a half.
fn from_half(value: f64) -> f64 {
    (value - value.floor() - 0.5).abs()
}
