//! Sets of attributes: their order, and what comes out of them.

use privacy_core::AttrSet;
use proptest::prelude::*;

#[test]
fn subsets_come_after_their_own_subsets() {
    let set: AttrSet = [1, 4, 127].into_iter().collect();
    let all: Vec<_> = set.subsets().collect();
    assert_eq!(all.len(), 8);
    assert_eq!((all[0], all[7]), (AttrSet::EMPTY, set));
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| !a.is_subset_of(*b)));
    }
    assert_eq!(AttrSet::EMPTY.subsets().collect::<Vec<_>>(), [AttrSet::EMPTY]);
}

#[test]
fn subsets_of_a_size_are_in_order_and_complete() {
    let set = AttrSet::first(6);
    for size in 0..=7 {
        let got: Vec<_> = set.subsets_of_size(size).collect();
        let mut want: Vec<_> = set.subsets().filter(|s| s.len() == size).collect();
        want.sort();
        assert_eq!(got, want, "size {size}");
    }
    assert_eq!(AttrSet::first(128).subsets_of_size(2).count(), 8128);
}

#[test]
fn lists_that_are_no_sets_are_refused() {
    assert_eq!(AttrSet::try_from(vec![127, 0]).unwrap(), [0, 127].into_iter().collect());
    assert!(AttrSet::try_from(vec![128]).is_err() && AttrSet::try_from(vec![3, 3]).is_err());
    assert_eq!(Vec::from(AttrSet::first(3)), [0, 1, 2]);
}

#[test]
fn axis_is_the_rank_within_the_set() {
    let set: AttrSet = [3, 5, 9].into_iter().collect();
    assert_eq!([3, 5, 9, 4].map(|a| set.axis_of(a)), [Some(0), Some(1), Some(2), None]);
    assert_eq!(AttrSet::first(128).axis_of(127), Some(127));
}

proptest! {
    #[test]
    fn iteration_and_collection_are_inverse(bits: u128) {
        let set = AttrSet::from_bits(bits);
        prop_assert_eq!(set.iter().collect::<AttrSet>(), set);
        prop_assert_eq!(set.iter().count(), set.len());
        prop_assert!(set.iter().zip(set.iter().skip(1)).all(|(a, b)| a < b));
    }
}
