//! Two-way tables with capacities: flows find what linear programs find, and pinned cells without
//! any.

use crate::common::Case;
use frechet_release::{Limits, Method, Region, Side, Solver, verify};
use proptest::prelude::*;

fn case() -> impl Strategy<Value = Case> {
    (2_usize..6, 3_usize..6).prop_flat_map(|(rows, columns)| {
        let pairs = prop::collection::vec((0_u64..9, 0_u64..4), rows * columns);
        pairs.prop_map(move |pairs| {
            let people = pairs.iter().map(|(count, spare)| count + spare).collect();
            Case::axial(&[rows, columns], pairs.iter().map(|pair| pair.0).collect()).with_people(people)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flows_and_linear_programs_agree(case in case()) {
        let system = case.knowledge().system().clone();
        let mut general = case.knowledge();
        general.publish_range("nothing new", &Region::everything(), 0, 1 << 40).unwrap();
        let general = Solver::new(general, Limits::default()).unwrap().cells().unwrap();
        let flows = case.solver(Limits::default()).cells().unwrap();
        for (cell, (flow, program)) in (0..).zip(flows.iter().zip(&general)) {
            prop_assert_eq!(flow.method, Method::Network);
            prop_assert_eq!((flow.lower.value, flow.upper.value), (program.lower.value, program.upper.value));
            prop_assert_eq!(verify(&system, &[cell], Side::Lower, &flow.lower), Ok(()));
            prop_assert_eq!(verify(&system, &[cell], Side::Upper, &flow.upper), Ok(()));
        }
        let pinned: Vec<u32> = (0..).zip(&general).filter(|(_, interval)| interval.width() == 0).map(|(c, _)| c).collect();
        prop_assert_eq!(case.solver(Limits::default()).exactly_disclosed_cells().unwrap(), pinned);
    }

    /// One axis of two levels makes three two-way margins a flow.
    #[test]
    fn three_axes_fold_into_two(counts in prop::collection::vec(0_u64..6, 24), binary in 0_usize..3) {
        let mut shape = vec![3, 4];
        shape.insert(binary, 2);
        let case = Case::of(&shape, counts, vec![vec![0, 1], vec![0, 2], vec![1, 2]]);
        let system = case.knowledge().system().clone();
        let mut general = case.knowledge();
        general.publish_range("nothing new", &Region::everything(), 0, 1 << 40).unwrap();
        let general = Solver::new(general, Limits::default()).unwrap().cells().unwrap();
        let flows = case.solver(Limits::default()).cells().unwrap();
        for (cell, (flow, program)) in (0..).zip(flows.iter().zip(&general)) {
            prop_assert_eq!(flow.method, Method::Network);
            prop_assert_eq!((flow.lower.value, flow.upper.value), (program.lower.value, program.upper.value));
            prop_assert_eq!(verify(&system, &[cell], Side::Lower, &flow.lower), Ok(()));
            prop_assert_eq!(verify(&system, &[cell], Side::Upper, &flow.upper), Ok(()));
        }
    }
}
