//! Whole-number bounds by cases: a tree of `x_j <= v` or `x_j >= v + 1`, each leaf closed by a
//! proved linear program.
//!
//! Depth first, the nearer case first. Each table met raises what
//! is attained, and leaves close against the best so far, so they close against the end result as
//! well.

use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome};
use frechet_certificate::{Multipliers, Node, Proof, Split};

/// Which cell makes the next cases.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branching {
    /// The one nearest to a half: both bounds move, and the tree stays small.
    Half,
    /// Of those with the fewest counts left the one nearest to a half. A cell with a long range
    /// would allow as many cases within cases as it has counts, wherever whole numbers of some
    /// parity are missing; that is where the first rule ends in its depth.
    FewestLeft,
    /// The one nearest to a whole number, on its nearer side: finds tables soon, proves little.
    Dive,
}

impl Branching {
    /// Cases within cases; a search that is deeper gives up.
    fn most_depth(self) -> usize {
        match self {
            Self::Half | Self::Dive => 400,
            Self::FewestLeft => 20_000,
        }
    }
}

/// The cell of a distinction, and what is left to do of it.
struct OpenSplit {
    cell: usize,
    /// The box before.
    case: (i64, i64),
    at_most: i64,
    /// Whether the case of at most `at_most` comes first.
    is_below_first: bool,
    /// The proof of the first case, once it is closed.
    first: Option<usize>,
}

impl OpenSplit {
    fn half(&self, is_below: bool) -> (i64, i64) {
        if is_below { (self.case.0, self.at_most) } else { (self.at_most + 1, self.case.1) }
    }
}

enum Visit {
    Closed(usize),
    Split(OpenSplit),
}

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
    pub(crate) branching: Branching,
    /// Nodes of the proof so far; the halves of a split come before it.
    pub(crate) nodes: Vec<Node>,
}

/// Nodes allowed for a first table, whatever the limit: without one there is no answer at all.
const LEAST_NODES: u32 = 1_000;

impl<'a> BranchAndBound<'a> {
    /// A search for any table.
    pub(crate) fn for_any(program: &'a mut LinearProgram, limits: &Limits, branching: Branching) -> Self {
        let nodes_left = limits.nodes.max(LEAST_NODES);
        let (best, found, nodes) = (None, Vec::new(), Vec::new());
        Self { program, cells: &[], sign: 1, best, found, nodes_left, enough: 0, branching, nodes }
    }

    /// The proof that nothing beats [`BranchAndBound::best`]; `None` when the nodes ran out, or
    /// when [`BranchAndBound::enough`] was attained, which needs no proof.
    pub(crate) fn run(&mut self) -> Option<Proof> {
        let root = self.search()?;
        Some(level_by_level(&mut self.nodes, root))
    }

    /// The index of the node that closes everything. Cases are undone at the end, whatever it is.
    fn search(&mut self) -> Option<usize> {
        let mut open: Vec<OpenSplit> = Vec::new();
        let root = self.walk(&mut open);
        for split in open.iter().rev() {
            self.program.set_case(split.cell, split.case);
        }
        root
    }

    /// Depth first, without recursion: cases may be nested deeper than a stack allows.
    fn walk(&mut self, open: &mut Vec<OpenSplit>) -> Option<usize> {
        loop {
            let mut closed = match self.visit(open.len())? {
                Visit::Closed(node) => node,
                Visit::Split(split) => {
                    self.program.set_case(split.cell, split.half(split.is_below_first));
                    open.push(split);
                    continue;
                }
            };
            loop {
                let Some(split) = open.last_mut() else { return Some(closed) };
                let Some(first) = split.first else {
                    split.first = Some(closed);
                    let second = split.half(!split.is_below_first);
                    self.program.set_case(split.cell, second);
                    break;
                };
                let (cell, at_most) = (split.cell, split.at_most);
                let (below, above) = if split.is_below_first { (first, closed) } else { (closed, first) };
                self.program.set_case(cell, split.case);
                open.pop();
                closed = self.add(Node::Split(Split { cell, at_most, below, above }));
            }
        }
    }

    /// Closes the cases at hand, or distinguishes more.
    fn visit(&mut self, depth: usize) -> Option<Visit> {
        if self.nodes_left == 0 || depth > self.branching.most_depth() {
            return None;
        }
        self.nodes_left -= 1;
        let point = match self.program.maximise(self.cells, self.sign) {
            LpOutcome::Empty(dual) => return Some(Visit::Closed(self.add(Node::Empty(dual)))),
            LpOutcome::Stalled => return None,
            LpOutcome::Point(point) => point,
        };
        if let Some(proof) = self.closed(&point) {
            return Some(Visit::Closed(proof));
        }
        if let Some(table) = self.program.table(&point) {
            let sum = self.cells.iter().map(|&cell| table[cell as usize]).sum();
            self.best = Some(self.best.map_or(sum, |best| self.sign * (self.sign * best).max(self.sign * sum)));
            self.found.push(table);
            return if self.is_enough() { None } else { self.closed(&point).map(Visit::Closed) };
        }
        self.split(&point).map(Visit::Split)
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

    fn split(&self, point: &[f64]) -> Option<OpenSplit> {
        let fractional = point.iter().enumerate().filter(|&(_, &value)| (value - value.round()).abs() >= 1e-6);
        let (cell, &value) = match self.branching {
            Branching::Half => fractional.min_by(|a, b| from_half(*a.1).total_cmp(&from_half(*b.1)))?,
            Branching::Dive => fractional.max_by(|a, b| from_half(*a.1).total_cmp(&from_half(*b.1)))?,
            Branching::FewestLeft => {
                let range = |cell: usize| self.program.range(cell).unsigned_abs().saturating_add(1).ilog2();
                let keyed = fractional.map(|own| ((range(own.0), from_half(*own.1)), own));
                keyed.min_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?.1
            }
        };
        // The nearer case first: it is likelier to hold a table, and a table found early closes
        // other leaves.
        let is_below_first = value - value.floor() < 0.5;
        let (case, at_most) = (self.program.case(cell), value.floor() as i64);
        Some(OpenSplit { cell, case, at_most, is_below_first, first: None })
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

#[cfg(test)]
mod tests;
