//! A measurement as other programs take it: independent measurements of residuals, for mbi (private-pgm).
//!
//! `Q_i` the residual queries of attribute i, `r_B` the residual table over B:
//!
//! ```text
//! y_B = ((x) Q_i) r_B = ((x) Q_i) v_B + noise,   independent numbers of variance sigma_B^2
//! ```
//!
//! Marginals themselves are no independent measurements: they are sums of these, and share noise.

use std::io::{self, Seek, Write};
use std::path::Path;

use disclosure::core::AttrSet;
use disclosure::core::subsets::apply_kronecker;
use disclosure::resplan::{Plan, StoredMeasurement, StoredOrigin};
use ndarray::Array2;
use privacy_data::write_atomic_with;
use serde::Serialize;

use crate::error::Failure;

#[derive(Serialize)]
struct Measurement<'a> {
    clique: Vec<&'a str>,
    stddev: f64,
    noisy_measurement: Vec<f64>,
}

/// Writes the residuals of a measurement as one JSON document, one residual at a time.
pub(super) fn export<R: io::Read + Seek>(
    stored: &mut StoredMeasurement<R>,
    target: &Path,
    most_bytes: f64,
) -> Result<(), Failure> {
    let plan = stored.plan().clone();
    let queries = queries(&plan, most_bytes)?;
    let total = stored.residual(AttrSet::EMPTY)?.sum();
    // A damaged measurement ends the writing; what was wrong with it is kept here.
    let mut damaged = None;
    let written = write_atomic_with(target, |out| {
        write_head(out, stored.origin(), &plan, &queries, total)?;
        let mut separator = "\n";
        for (set, sigma2) in plan.residuals().filter(|(set, _)| !set.is_empty()) {
            let residual = stored.residual(set).map_err(|error| {
                damaged = Some(error);
                io::Error::other("the measurement could not be read")
            })?;
            let matrices: Vec<_> = set.iter().map(|attribute| queries[attribute].view()).collect();
            let measurement = Measurement {
                clique: plan.domain().names(set).collect(),
                stddev: sigma2.to_f64().sqrt(),
                noisy_measurement: apply_kronecker(&matrices, &residual.into_raw_vec_and_offset().0),
            };
            piece(out, separator, &measurement)?;
            separator = ",\n";
        }
        out.write_all(b"\n]}\n")
    });
    match damaged {
        Some(error) => Err(error.into()),
        None => Ok(written?),
    }
}

/// The residual queries of every attribute that was measured; none of the others. Refused before they are made if they
/// are larger than the limit: an attribute of k categories has about k^2 numbers.
fn queries(plan: &Plan, most_bytes: f64) -> Result<Vec<Array2<f64>>, Failure> {
    let measured = plan.residuals().fold(AttrSet::EMPTY, |union, (set, _)| union.union(set));
    let bytes: f64 = measured.iter().map(|attribute| 8.0 * (plan.domain().cardinality(attribute) as f64).powi(2)).sum();
    // Written so that a NaN is over.
    if bytes <= most_bytes {
        let of = |attribute| {
            if measured.contains(attribute) { plan.residual_queries(attribute) } else { Array2::zeros((0, 0)) }
        };
        Ok((0..plan.domain().len()).map(of).collect())
    } else {
        Err(Failure::new(
            "E0611",
            format!("the residual queries take {bytes:.3e} bytes, the limit is {most_bytes:.3e}"),
        ))
    }
}

/// Everything before the measurements.
fn write_head(
    out: &mut dyn Write,
    origin: StoredOrigin,
    plan: &Plan,
    queries: &[Array2<f64>],
    total: f64,
) -> io::Result<()> {
    piece(out, "{\"schema\":\"disclosure.resplan-mbi/1\",\"origin\":", &origin)?;
    let attributes = plan.domain().attributes();
    let mut separator = ",\n\"domain\":{";
    for attribute in attributes {
        piece(out, separator, &attribute.name())?;
        piece(out, ":", &attribute.cardinality())?;
        separator = ",";
    }
    piece(out, "},\n\"known_total\":", &total)?;
    let mut separator = ",\n\"queries\":{\n";
    for (attribute, matrix) in attributes.iter().zip(queries).filter(|(_, matrix)| !matrix.is_empty()) {
        piece(out, separator, &attribute.name())?;
        let rows: Vec<Vec<f64>> = matrix.rows().into_iter().map(|row| row.to_vec()).collect();
        piece(out, ":", &rows)?;
        separator = ",\n";
    }
    // Without an attribute that varies there is no query, and no measurement but the total.
    out.write_all(if separator == ",\n" { b"\n}" } else { b",\n\"queries\":{}" })?;
    out.write_all(b",\n\"measurements\":[")
}

/// A piece of JSON, and a value.
fn piece(out: &mut dyn Write, text: &str, value: &impl Serialize) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    Ok(serde_json::to_writer(out, value)?)
}
