//! In which order residuals are measured: from which table each is made, and how many marginals
//! are held at once.

use privacy_core::{AttrSet, Domain};
use rustc_hash::FxHashSet;

use crate::planning::design::Design;

/// Cells of the marginals that a source is asked for at once (unless one marginal alone is
/// larger).
const CELLS_PER_BATCH: u64 = 1 << 22;

/// Marginals to ask for in one pass, and what is made from them.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) marginals: Vec<AttrSet>,
    /// Tables to make, by their number of attributes, largest first; each level needs the one
    /// before it alone.
    pub(crate) levels: Vec<Vec<TableStep>>,
    cells: u64,
    steps: Vec<TableStep>,
}

/// One table, and the residual that is measured from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableStep {
    pub(crate) set: AttrSet,
    /// The table it is summed from: one attribute more, or itself when it is a marginal of the
    /// batch.
    pub(crate) from: AttrSet,
    /// Position in the closure of the residual over `set`, unless the table is only on the way to
    /// another.
    pub(crate) residual: Option<usize>,
}

impl TableStep {
    fn new(domain: &Domain, marginal: AttrSet, set: AttrSet, residual: Option<usize>) -> Self {
        Self { set, from: parent(domain, marginal, set), residual }
    }
}

/// Every residual of the plan once, each made from a largest set of the closure that holds it.
pub(crate) fn batches(design: &Design) -> Vec<Batch> {
    let closure = design.closure();
    let mut taken = vec![false; closure.sets().len()];
    let (mut batches, mut batch) = (Vec::new(), Batch::default());
    // From the largest sets down: a set that is not taken yet when its turn comes lies in no
    // larger one.
    for (position, &set) in closure.sets().iter().enumerate().rev() {
        if taken[position] {
            continue;
        }
        let size = design.domain().cells(set).unwrap_or(u64::MAX);
        if batch.cells.saturating_add(size) > CELLS_PER_BATCH && !batch.marginals.is_empty() {
            batches.push(std::mem::take(&mut batch).finished());
        }
        batch.cells = batch.cells.saturating_add(size);
        batch.marginals.push(set);
        let residuals = set.subsets().filter_map(|subset| Some((subset, closure.position(subset)?)));
        let new = residuals.filter(|&(_, residual)| !std::mem::replace(&mut taken[residual], true)).collect();
        batch.add(design.domain(), set, new);
    }
    batches.push(batch.finished());
    batches
}

impl Batch {
    /// The steps from a marginal to the residuals within it, by way of tables that lose one
    /// attribute at a time: the smallest table with one attribute more than a set is the one with
    /// the smallest such attribute.
    fn add(&mut self, domain: &Domain, marginal: AttrSet, residuals: Vec<(AttrSet, usize)>) {
        let mut wanted: FxHashSet<AttrSet> = residuals.iter().map(|(set, _)| *set).collect();
        let steps = residuals.into_iter().map(|(set, position)| TableStep::new(domain, marginal, set, Some(position)));
        let mut steps: Vec<TableStep> = steps.collect();
        // Tables on the way to others may need tables of their own: the list grows while it is
        // read.
        let mut next = 0;
        while next < steps.len() {
            let from = steps[next].from;
            if wanted.insert(from) {
                steps.push(TableStep::new(domain, marginal, from, None));
            }
            next += 1;
        }
        self.steps.append(&mut steps);
    }

    /// The steps sorted into levels.
    fn finished(mut self) -> Self {
        let most = self.steps.iter().map(|step| step.set.len()).max().unwrap_or(0);
        self.levels = vec![Vec::new(); most + 1];
        for step in std::mem::take(&mut self.steps) {
            self.levels[most - step.set.len()].push(step);
        }
        self
    }
}

fn parent(domain: &Domain, marginal: AttrSet, set: AttrSet) -> AttrSet {
    let smallest = marginal.minus(set).iter().min_by_key(|&attribute| domain.cardinality(attribute));
    smallest.map_or(set, |attribute| set.with(attribute))
}
