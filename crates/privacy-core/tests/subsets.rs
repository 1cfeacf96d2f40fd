//! Kronecker products against products that were formed in full.

use ndarray::{Array2, ArrayView2};
use privacy_core::subsets::apply_kronecker;
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
