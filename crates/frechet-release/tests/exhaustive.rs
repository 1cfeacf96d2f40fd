//! Every table of a tiny universe, under every set of margins that is different.

use std::collections::BTreeMap;

use crate::common::Case;
use frechet_release::{Limits, Side, verify};

/// All tables of 2 x 2 x 2 with counts 0 and 1, with and without capacities of 1, under eight
/// sets of margins. Tables with equal published numbers form a fiber: the bounds are the range
/// over it.
#[test]
fn all_binary_tables_have_the_range_of_their_fiber() {
    let families: [&[&[usize]]; 8] = [
        &[&[]],
        &[&[0]],
        &[&[0], &[1]],
        &[&[0], &[1], &[2]],
        &[&[0, 1], &[2]],
        &[&[0, 1], &[1, 2]],
        &[&[0, 1], &[0, 2], &[1, 2]],
        &[&[0, 2], &[1], &[]],
    ];
    let mut checked = 0;
    for family in families {
        let margins: Vec<Vec<usize>> = family.iter().map(|axes| axes.to_vec()).collect();
        for people in [None, Some(vec![1; 8])] {
            let mut seen: BTreeMap<Vec<(i64, i64)>, u32> = BTreeMap::new();
            for bits in 0_u32..256 {
                let counts = (0..8).map(|cell| u64::from(bits >> cell & 1)).collect();
                let case = Case { capacity: people.clone(), ..Case::of(&[2, 2, 2], counts, margins.clone()) };
                let fiber = case.fiber();
                let system = case.knowledge().system().clone();
                let intervals = case.solver(Limits::default()).cells().unwrap();
                for (cell, interval) in intervals.iter().enumerate() {
                    let values = || fiber.iter().map(|table| table[cell] as i64);
                    assert_eq!(
                        interval.lower.value,
                        values().min().unwrap(),
                        "{family:?} {bits:b} {:?}",
                        interval.method
                    );
                    assert_eq!(
                        interval.upper.value,
                        values().max().unwrap(),
                        "{family:?} {bits:b} {:?}",
                        interval.method
                    );
                    let cells = [u32::try_from(cell).unwrap()];
                    assert_eq!(verify(&system, &cells, Side::Lower, &interval.lower), Ok(()));
                    assert_eq!(verify(&system, &cells, Side::Upper, &interval.upper), Ok(()));
                    checked += 1;
                }
                *seen.entry(intervals.iter().map(|i| (i.lower.value, i.upper.value)).collect()).or_default() += 1;
            }
            assert!(seen.len() > 1, "bounds depend on the numbers");
        }
    }
    assert_eq!(checked, 8 * 2 * 256 * 8);
}
