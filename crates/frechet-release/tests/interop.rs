//! Suppression patterns of another tool, judged as an attacker would.

use std::collections::BTreeSet;

use crate::common::{counts, numbers, sets, strides};
use frechet_release::{Class, Knowledge, Limits, Region, Side, Solver, verify};
use privacy_core::Domain;
use testkit::fixtures::json;

/// Everything but the suppressed sums of a 10 x 10 x 10 table; an index of 10 means "all".
fn published(cells: &[u64], suppressed: &[Vec<usize>]) -> Knowledge {
    let strides = strides(&[10, 10, 10]);
    let hidden: BTreeSet<&Vec<usize>> = suppressed.iter().collect();
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[10, 10, 10]).unwrap()).unwrap();
    for index in 0..11 * 11 * 11 {
        let key = vec![index / 121, index / 11 % 11, index % 11];
        if hidden.contains(&key) {
            continue;
        }
        let fixed = || key.iter().enumerate().filter(|&(_, &level)| level < 10);
        let region = fixed().fold(Region::everything(), |region, (axis, &level)| region.with(axis, [level]));
        let within = |cell: &usize| fixed().all(|(axis, &level)| cell / strides[axis] % 10 == level);
        let count = (0..1_000).filter(within).map(|cell| cells[cell]).sum();
        knowledge.publish_count(format!("sum {key:?}"), &region, count).unwrap();
    }
    knowledge
}

#[test]
fn cells_that_a_linear_check_takes_for_protected_are_known_exactly() {
    let peer = json("frechet/peer_gausssuppression_10x10x10.json");
    let knowledge = published(&counts(&peer["counts"]), &sets(&peer["suppressed"]));
    let system = knowledge.system().clone();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let (mut exact, mut rounded) = (BTreeSet::new(), BTreeSet::new());
    for cell in sets(&peer["primary"]).iter().filter(|cell| cell.iter().all(|&level| level < 10)) {
        let interval = solver.interval(&Class::cell(cell.clone())).unwrap();
        assert!(interval.is_sharp());
        let cells = [u32::try_from(cell[0] * 100 + cell[1] * 10 + cell[2]).unwrap()];
        verify(&system, &cells, Side::Lower, &interval.lower).unwrap();
        verify(&system, &cells, Side::Upper, &interval.upper).unwrap();
        if interval.width() == 0 {
            exact.insert(cell.clone());
        }
        if interval.lower.relaxed.ceil() == interval.upper.relaxed.floor() {
            rounded.insert(cell.clone());
        }
    }
    // The fixture lists those whose real interval holds one whole number. Cases find twelve more,
    // certified as well.
    let by_rounding: BTreeSet<Vec<usize>> =
        peer["integer_exact"].as_array().unwrap().iter().map(|found| numbers(&found["cell"])).collect();
    assert!(by_rounding.is_subset(&exact));
    assert_eq!(rounded, by_rounding);
    assert_eq!((by_rounding.len(), exact.len()), (25, 37));
}
