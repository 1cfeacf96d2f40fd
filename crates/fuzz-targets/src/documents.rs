//! What the command has written and reads again: plans, measurements, certificates.

use std::io::Cursor;

use disclosure_jobs::exact::verify;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Measurement, Planned};
use disclosure_jobs::observer::Silent;
use serde_json::Value;

/// Most values of an answer that a target looks at.
const MOST_ANSWERS: usize = 1 << 12;

/// A stored plan: what is accepted has a cost.
pub(crate) fn stored_plan(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(planned) = Planned::parse(text, &MemoryFiles::default(), &Limits::default(), &Silent) else { return false };
    let rho = planned.charge_request().rho;
    assert!(rho > 0.0, "no plan is free");
    if let Some(cost) = cost_of_identities(text) {
        assert!(rho >= cost / 2.0 * (1.0 - 1e-9), "a plan of cost {cost} is charged {rho}");
    }
    let _ = planned.document();
    let again = planned.to_stored();
    let again = Planned::parse(&again, &MemoryFiles::default(), &Limits::default(), &Silent);
    let again = again.expect("what is written is read").charge_request().rho;
    assert_eq!(again.to_bits(), rho.to_bits(), "at the same cost");
    true
}

/// The privacy cost of a plan by the formula, in floating point; none where a basis is no identity.
///
/// A residual over some attributes costs the product of (n - 1) / n over their numbers of
/// categories, divided by its variance. Only for one row that is added or removed.
fn cost_of_identities(text: &str) -> Option<f64> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let plan = &stored["job"]["plan"];
    let attributes = plan["attributes"].as_array()?;
    if !plan["joint"].is_null() || !attributes.iter().all(is_identity) {
        return None;
    }
    let residuals = plan["residuals"].as_array()?;
    let cost = residuals.iter().map(|residual| cost_of_residual(residual, attributes)).sum::<Option<f64>>()?;
    let rows = plan["rows_per_person"].as_f64()?;
    let one_row = plan["neighbours"] == "add-remove" && rows == 1.0;
    one_row.then_some(cost)
}

fn is_identity(attribute: &Value) -> bool {
    attribute["basis"] == "identity" && attribute["strategy"].is_null()
}

fn cost_of_residual(residual: &Value, attributes: &[Value]) -> Option<f64> {
    let variance = number(&residual["sigma2"][0])? / number(&residual["sigma2"][1])?;
    residual["attributes"].as_array()?.iter().try_fold(1.0 / variance, |cost, attribute| {
        let categories = attributes.get(attribute.as_u64()? as usize)?["labels"].as_array()?.len() as f64;
        Some(cost * (categories - 1.0) / categories)
    })
}

fn number(text: &Value) -> Option<f64> {
    text.as_str()?.parse().ok()
}

/// A stored measurement: every table within it is answered or refused.
pub(crate) fn measurement(bytes: &[u8]) -> bool {
    let Ok(mut measurement) = Measurement::open("any", Cursor::new(bytes), &Limits::default()) else { return false };
    let _ = measurement.header();
    let _ = measurement.marginals();
    for request in measurement.all().iter().take(16) {
        let Ok(answers) = measurement.answers(request) else { continue };
        if answers.len() <= MOST_ANSWERS {
            let lines = answers.lines().filter(|line| line.value.is_nan()).count();
            assert_eq!(lines, 0, "an answer is a number");
        }
    }
    true
}

/// A file of certificates.
pub(crate) fn certificates(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    verify(text).is_ok()
}
