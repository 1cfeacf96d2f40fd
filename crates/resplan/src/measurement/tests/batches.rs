//! How many marginals a source is asked for at once.

use privacy_core::accounting::PrivacyCost;
use privacy_core::{AttrSet, Domain};

use crate::measurement::batches::batches;
use crate::{Plan, PlanLimits, PlanSpec, Workload};

/// 4 million cells.
const MOST_CELLS: u64 = 1 << 22;

/// The cells of the marginals of every batch of pairs (0, 1), (2, 3), ... of attributes of these
/// sizes.
fn cells_of_batches(sizes: &[usize]) -> Vec<Vec<u64>> {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let pairs = (0..sizes.len()).step_by(2).map(|i| AttrSet::single(i).with(i + 1));
    let spec = PlanSpec::new(domain.clone(), Workload::from_sets(pairs), PrivacyCost::new(1.0).unwrap());
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let cells = batches(&plan)
        .into_iter()
        .map(|batch| batch.marginals.into_iter().map(|set| domain.cells(set).unwrap()).collect());
    cells.collect()
}

#[test]
fn a_batch_is_as_large_as_it_may_be() {
    let half = [1 << 11, 1 << 10];
    for (sizes, marginals) in [
        // Two halves fill a batch to the last cell.
        ([half, half, half].concat(), vec![2, 1]),
        ([half, half, [2, 2]].concat(), vec![2, 1]),
        // One cell row more.
        ([half, [(1 << 11) + 1, 1 << 10]].concat(), vec![1, 1]),
        // A marginal that is larger than a batch has one of its own, first or last.
        ([[1 << 12, 1 << 11], [2, 2]].concat(), vec![1, 1]),
        ([[2, 2], [1 << 12, 1 << 11]].concat(), vec![1, 1]),
        ([[2, 3], [3, 4], [5, 6], [7, 2]].concat(), vec![4]),
    ] {
        let batches = cells_of_batches(&sizes);
        let mut counts: Vec<usize> = batches.iter().map(Vec::len).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(counts, marginals, "{sizes:?}");
        for batch in &batches {
            assert!(batch.len() == 1 || batch.iter().sum::<u64>() <= MOST_CELLS, "{sizes:?}");
        }
        // What comes first in a batch had no room in the one before.
        for pair in batches.windows(2) {
            assert!(pair[0].iter().sum::<u64>() + pair[1][0] > MOST_CELLS, "{sizes:?}");
        }
    }
}
