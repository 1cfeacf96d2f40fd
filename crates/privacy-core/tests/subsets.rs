//! Kronecker products against products that were formed in full; sums over subsets and back.

use ndarray::{Array2, ArrayView2};
use privacy_core::subsets::{
    apply_along_axis, apply_kronecker, moebius_over_subsets, moebius_over_supersets, zeta_over_subsets,
    zeta_over_supersets,
};
use proptest::prelude::*;
use serde_json::Value;
use testkit::fixtures::json;

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(floats).collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

#[test]
fn axis_by_axis_is_the_kronecker_product() {
    for case in json("resplan/kron.json").as_array().unwrap() {
        let factors: Vec<Array2<f64>> = case["mats"].as_array().unwrap().iter().map(matrix).collect();
        let views: Vec<ArrayView2<'_, f64>> = factors.iter().map(|factor| factor.view()).collect();
        // Small integers: exact.
        assert_eq!(apply_kronecker(&views, &floats(&case["vec"])), floats(&case["result"]));
    }
}

#[test]
fn zeta_sums_over_subsets_and_supersets() {
    let mut below: Vec<i64> = (0..16).map(|mask| 1 << mask).collect();
    let mut above = below.clone();
    zeta_over_subsets(&mut below);
    zeta_over_supersets(&mut above);
    for s in 0..16_i64 {
        let sum = |keep: &dyn Fn(i64) -> bool| (0..16).filter(|&b| keep(b)).map(|b| 1 << b).sum::<i64>();
        assert_eq!(below[s as usize], sum(&|b| b & s == b));
        assert_eq!(above[s as usize], sum(&|b| b & s == s));
    }
}

#[test]
#[should_panic(expected = "2^n values")]
fn lengths_that_are_no_power_of_two_are_refused() {
    zeta_over_subsets(&mut [1, 2, 3]);
}

proptest! {
    #[test]
    fn moebius_undoes_zeta(values in proptest::collection::vec(any::<i32>(), 32)) {
        let original: Vec<i64> = values.into_iter().map(i64::from).collect();
        let mut values = original.clone();
        zeta_over_subsets(&mut values);
        moebius_over_subsets(&mut values);
        prop_assert_eq!(&values, &original);
        zeta_over_supersets(&mut values);
        moebius_over_supersets(&mut values);
        prop_assert_eq!(&values, &original);
    }

    #[test]
    fn axes_commute(a in proptest::collection::vec(-9_i32..9, 6), b in proptest::collection::vec(-9_i32..9, 8),
                    cells in proptest::collection::vec(-9_i32..9, 24)) {
        // 2 x 3 on axis 0 (size 3), 4 x 2 on axis 2 (size 2), the middle axis (size 4)
        // untouched.
        let floats = |v: Vec<i32>| v.into_iter().map(f64::from).collect::<Vec<_>>();
        let a = Array2::from_shape_vec((2, 3), floats(a)).unwrap();
        let b = Array2::from_shape_vec((4, 2), floats(b)).unwrap();
        let cells = floats(cells);
        let one = apply_along_axis(b.view(), &apply_along_axis(a.view(), &cells, &[3, 4, 2], 0), &[2, 4, 2], 2);
        let other = apply_along_axis(a.view(), &apply_along_axis(b.view(), &cells, &[3, 4, 2], 2), &[3, 4, 4], 0);
        prop_assert_eq!(&one, &other);
        let identity = Array2::eye(4);
        prop_assert_eq!(one, apply_kronecker(&[a.view(), identity.view(), b.view()], &cells));
    }
}
