//! Specs as the fixtures write them.

use hetero_screen::{Classes, Column, ScreenSpec, Suppression, UniformNoise};
use serde_json::Value;

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

pub(crate) fn uniform(cardinalities: &[u64]) -> Vec<Column> {
    cardinalities.iter().map(|&d| Column::uniform(d).unwrap()).collect()
}

/// Per-class suppression below `below`, noise of half-width `noise`.
pub(crate) fn spec(rows: u64, columns: Vec<Column>, classes: &[f64], below: u64, noise: u32) -> ScreenSpec {
    let classes = Classes::with_shares(classes).unwrap();
    ScreenSpec::new(rows, columns, classes, Suppression::ClassCount(below), UniformNoise::uniform(noise)).unwrap()
}

/// From `R D K T e pi`.
pub(crate) fn spec_of(case: &Value) -> ScreenSpec {
    let cardinalities: Vec<u64> = numbers(&case["D"]).iter().map(|&d| d as u64).collect();
    let classes = match &case["pi"] {
        Value::Array(_) => numbers(&case["pi"]),
        _ => vec![1.0; case["K"].as_u64().unwrap() as usize],
    };
    let noise = case["e"].as_u64().unwrap_or(0) as u32;
    spec(case["R"].as_u64().unwrap(), uniform(&cardinalities), &classes, case["T"].as_u64().unwrap(), noise)
}
