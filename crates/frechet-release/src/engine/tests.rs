//! Tables of which margins are published, for the tests of all parts of the engine.

use privacy_core::{ContingencyTable, Domain};

use crate::table::knowledge::Knowledge;

/// What is known from these margins of a table, and its counts.
pub(super) fn of_margins(shape: &[usize], margins: &[&[usize]], counts: Vec<u64>) -> (Knowledge, Vec<i64>) {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), counts.clone()).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    for axes in margins {
        let axes = axes.iter().copied().collect();
        knowledge.publish_margin(&table.marginal(axes).unwrap()).unwrap();
    }
    (knowledge, counts.into_iter().map(u64::cast_signed).collect())
}

/// Words as one number (FNV-1a), for what a search did on its way.
pub(super) fn number_of(words: &str) -> u64 {
    words.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
