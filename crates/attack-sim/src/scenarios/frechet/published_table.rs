//! What readers of a whole table with all its totals share: the facts that its numbers are to them,
//! and the search for what these leave of the count of every class.

use disclosure::privacy_core::ContingencyTable;
use serde::de::DeserializeOwned;

use crate::facts::Facts;
use crate::prelude::*;

/// What the reader knows, and which sums of cells are asked about.
#[derive(Clone)]
pub(super) struct View {
    pub(super) facts: Facts,
    pub(super) classes: Vec<Vec<usize>>,
}

/// The least and the largest count of every class, where they were found.
pub(super) type Ranges = Vec<Option<[i64; 2]>>;

/// A scenario in which the reader wins by knowing one count more closely than was promised.
pub(super) fn scenario<F, A>(
    blueprint: &Blueprint<'_>,
    quantity: &'static str,
    audit: impl Fn(Option<F>) -> Result<A, Error>,
) -> Built
where
    F: DeserializeOwned,
    A: Audit<View = View, Answer = Ranges> + Send + 'static,
{
    blueprint.trials(Quantity::shares_of(0.0, &[quantity])?, audit, |view, _| attacked(view), |view, _| unread(view))
}

/// What integer programs and enumeration leave of each class.
fn attacked(view: &View) -> Ranges {
    view.classes.iter().map(|class| view.facts.ranges(std::slice::from_ref(class))[0]).collect()
}

/// A reader who reads nothing.
fn unread(view: &View) -> Ranges {
    vec![None; view.classes.len()]
}

/// The sets of axes, the cells last: the order of rounded margins.
fn sets_of(table: &ContingencyTable) -> Vec<AttrSet> {
    let mut sets: Vec<AttrSet> = table.attributes().subsets().collect();
    sets.sort_by_key(|set| (set.len(), set.iter().collect::<Vec<_>>()));
    sets
}

pub(super) fn numbers_of(table: &ContingencyTable) -> Vec<u64> {
    let margins = sets_of(table).into_iter().map(|set| table.marginal(set).expect("a set of the table's axes"));
    margins.flat_map(|margin| margin.cells().to_vec()).collect()
}

/// The cells of every class, in the order of the rounded margins.
pub(super) fn classes_of(shape: &[usize], table: &ContingencyTable) -> Vec<Vec<usize>> {
    let mut classes = Vec::new();
    for set in sets_of(table) {
        let many: usize = set.iter().map(|axis| shape[axis]).product();
        let first = classes.len();
        classes.resize(first + many, Vec::new());
        for cell in 0..table.cells().len() {
            let class = set.iter().fold(0, |class, axis| class * shape[axis] + level(cell, axis, shape));
            classes[first + class].push(cell);
        }
    }
    classes
}

/// The level of a cell on an axis.
fn level(cell: usize, axis: usize, shape: &[usize]) -> usize {
    cell / shape[axis + 1..].iter().product::<usize>() % shape[axis]
}
