//! Marginals of tables, and cells that are refused.

use privacy_core::ndarray::{ArrayD, IxDyn};
use privacy_core::table::{CountError, MAX_TOTAL};
use privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
use proptest::prelude::*;

fn table(shape: &[usize], cells: Vec<u64>) -> ContingencyTable {
    let domain = Domain::of_cardinalities(shape).unwrap();
    ContingencyTable::from_cells(&domain, domain.all(), cells).unwrap()
}

#[test]
fn marginal_sums_the_other_axes() {
    let t = table(&[2, 3], vec![1, 2, 3, 4, 5, 6]);
    assert_eq!(t.marginal(AttrSet::single(0)).unwrap().cells(), [6, 15]);
    assert_eq!(t.marginal(AttrSet::single(1)).unwrap().cells(), [5, 7, 9]);
    assert_eq!(t.marginal(AttrSet::EMPTY).unwrap().cells(), [21]);
    assert!(matches!(t.marginal(AttrSet::single(2)), Err(CountError::UnknownAttribute { .. })));
}

#[test]
fn totals_above_2_to_the_53_are_refused() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let table_of = |cells| ContingencyTable::from_cells(&domain, domain.all(), cells);
    assert_eq!(table_of(vec![MAX_TOTAL - 1, 1]).unwrap().total(), MAX_TOTAL);
    assert!(matches!(table_of(vec![MAX_TOTAL, 1]), Err(CountError::TotalTooLarge)));
    assert!(matches!(table_of(vec![u64::MAX, u64::MAX]), Err(CountError::TotalTooLarge)));
    assert!(matches!(table_of(vec![1]), Err(CountError::Shape { .. })));
}

#[test]
fn groups_become_cells_and_what_they_cannot_be_is_refused() {
    let attributes = vec![
        Attribute::new("sex", ["f", "m"]).unwrap(),
        Attribute::codes("b", 3).unwrap(),
        Attribute::new("ill", ["no", "yes"]).unwrap(),
    ];
    let domain = Domain::new(attributes).unwrap();
    let set: AttrSet = [0, 2].into_iter().collect();
    let table_of = |groups: &[(&[&str], u64)]| ContingencyTable::from_groups(&domain, set, groups.iter().copied());
    assert_eq!(table_of(&[(&["m", "no"], 3), (&["f", "yes"], 5)]).unwrap().cells(), [0, 5, 3, 0]);
    assert_eq!(table_of(&[]).unwrap().total(), 0);
    let error = table_of(&[(&["m", "no"], 3), (&["m", "perhaps"], 4)]).unwrap_err();
    assert!(matches!(&error, CountError::UnknownLabel { attribute, group: 1 } if attribute == "ill"));
    assert!(!error.to_string().contains("perhaps"), "{error}");
    assert!(matches!(table_of(&[(&["m"], 3)]), Err(CountError::GroupLabels { group: 0, got: 1, expected: 2 })));
    let twice = table_of(&[(&["m", "no"], 3), (&["m", "no"], 0)]);
    assert!(matches!(twice, Err(CountError::RepeatedGroup { group: 1 })));
    let large = Domain::of_cardinalities(&[1 << 20; 4]).unwrap();
    let none: [([&str; 4], u64); 0] = [];
    let refused = ContingencyTable::from_groups(&large, large.all(), none);
    assert!(matches!(refused, Err(CountError::TooManyCells { .. })));
}

#[test]
fn column_major_input_is_read_by_its_indices() {
    let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
    let transposed = ArrayD::from_shape_vec(IxDyn(&[3, 2]), vec![1, 4, 2, 5, 3, 6]).unwrap();
    let t = ContingencyTable::new(&domain, domain.all(), transposed.reversed_axes()).unwrap();
    assert_eq!(t.cells(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn debug_shows_no_count() {
    let shown = format!("{:?}", table(&[2], vec![424_242, 7]));
    assert!(!shown.contains("424242"), "{shown}");
}

proptest! {
    #[test]
    fn marginal_of_a_marginal_is_the_marginal(
        shape in proptest::collection::vec(1_usize..4, 1..5), bits: u128, inner: u128, seed: u64,
    ) {
        let cells = shape.iter().product::<usize>() as u64;
        let t = table(&shape, (0..cells).map(|i| i.wrapping_mul(seed | 1) >> 50).collect());
        let outer = AttrSet::from_bits(bits).intersection(t.attributes());
        let inner = AttrSet::from_bits(inner).intersection(outer);
        let two_steps = t.marginal(outer).unwrap().marginal(inner).unwrap();
        prop_assert_eq!(&two_steps, &t.marginal(inner).unwrap());
        prop_assert_eq!(two_steps.cells().iter().sum::<u64>(), t.total());
    }
}
