//! In which order residuals are measured: from which marginal each is made, and how many marginals at once.

use privacy_core::AttrSet;

use crate::plan::Plan;

/// Cells of the marginals that a source is asked for at once (unless one marginal alone is larger).
const CELLS_PER_BATCH: u64 = 1 << 22;

/// Marginals to ask for in one pass, and what is made from them.
pub(crate) struct Batch {
    pub(crate) marginals: Vec<AttrSet>,
    pub(crate) jobs: Vec<Job>,
}

/// One residual.
pub(crate) struct Job {
    /// Its position in the closure.
    pub(crate) residual: usize,
    /// Position of the marginal it is made from, within the batch.
    pub(crate) marginal: usize,
}

/// Every residual of the plan once, each made from a largest set of the closure that holds it.
pub(crate) fn batches(plan: &Plan) -> Vec<Batch> {
    let closure = plan.closure();
    let mut taken = vec![false; closure.sets().len()];
    let (mut batches, mut batch, mut cells) = (Vec::new(), Batch { marginals: Vec::new(), jobs: Vec::new() }, 0_u64);
    // From the largest sets down: a set that is not taken yet when its turn comes lies in no larger one.
    for &set in closure.sets().iter().rev() {
        if closure.position(set).is_some_and(|position| taken[position]) {
            continue;
        }
        let size = plan.domain().cells(set).unwrap_or(u64::MAX);
        if cells.saturating_add(size) > CELLS_PER_BATCH && !batch.marginals.is_empty() {
            batches.push(std::mem::replace(&mut batch, Batch { marginals: Vec::new(), jobs: Vec::new() }));
            cells = 0;
        }
        cells = cells.saturating_add(size);
        let marginal = batch.marginals.len();
        batch.marginals.push(set);
        for residual in set.subsets().filter_map(|subset| closure.position(subset)) {
            if !std::mem::replace(&mut taken[residual], true) {
                batch.jobs.push(Job { residual, marginal });
            }
        }
    }
    batches.push(batch);
    batches
}
