use privacy_core::rng::{SimRng, below};
use privacy_core::{ContingencyTable, Domain};

use super::*;
use crate::table::class::Region;

/// Three axes of which one has two levels, and margins each of its own table.
fn folded(shape: [usize; 3], tables: [&[u64]; 3]) -> Knowledge {
    let domain = Domain::of_cardinalities(&shape).unwrap();
    let mut knowledge = Knowledge::of_counts(domain.clone()).unwrap();
    for (counts, axes) in tables.into_iter().zip([[0, 1], [0, 2], [1, 2]]) {
        let table = ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap();
        knowledge.publish_margin(&table.marginal(axes.into_iter().collect()).unwrap()).unwrap();
    }
    knowledge
}

#[test]
fn margins_of_different_tables_are_not_consistent() {
    let own = [2, 1, 0, 3, 1, 1, 2, 2, 0, 1, 3, 1];
    // The first axis folds away: other sums at its first level, and other ones at its second alone.
    let (mut first_level, mut second_level) = (own, own);
    (first_level[0], first_level[6]) = (3, 1);
    (second_level[6], second_level[7]) = (3, 1);
    for (other, is_consistent) in [(own, true), (first_level, false), (second_level, false)] {
        let knowledge = folded([2, 3, 2], [&own, &other, &own]);
        let network = Network::of(&knowledge, &StopFlag::never()).unwrap();
        assert_eq!(network.is_consistent(), is_consistent, "{other:?}");
    }
}

#[test]
fn rows_beside_the_margins_are_none_of_a_network() {
    let own = [2, 1, 0, 3, 1, 1, 2, 2, 0, 1, 3, 1];
    let mut knowledge = folded([2, 3, 2], [&own, &own, &own]);
    assert!(Network::of(&knowledge, &StopFlag::never()).is_some());
    knowledge.publish_count("cell", &Region::everything().with(0, [0]).with(1, [0]).with(2, [0]), 2).unwrap();
    assert!(Network::of(&knowledge, &StopFlag::never()).is_none());
}

#[test]
fn cells_are_pinned_where_their_interval_is_one_number() {
    let (mut pinned, mut free) = (0, 0);
    for (number, shape) in [[3, 4, 2], [3, 2, 4], [2, 4, 3]].into_iter().cycle().take(30).enumerate() {
        let mut rng = SimRng::for_trial(0, "pinned", number as u64);
        let counts: Vec<u64> = (0..24).map(|_| (below(4, &mut rng) as u64).saturating_sub(1)).collect();
        let knowledge = folded(shape, [&counts, &counts, &counts]);
        let mut network = Network::of(&knowledge, &StopFlag::never()).unwrap();
        let said = network.pinned(&knowledge);
        let grid = &knowledge.grid;
        for cell in 0..24 {
            let class = Class::new(grid.all(), grid.levels(cell, grid.all()));
            let width = network.interval(&knowledge, &class).unwrap().width();
            assert_eq!(said.contains(&(cell as u32)), width == 0, "{shape:?} {cell} {counts:?}");
            *(if width == 0 { &mut pinned } else { &mut free }) += 1;
        }
    }
    assert!(pinned > 50 && free > 50, "{pinned} {free}");
}
