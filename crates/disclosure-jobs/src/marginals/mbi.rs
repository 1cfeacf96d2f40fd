//! A measurement as other programs take it: independent measurements of residuals, for mbi
//! (private-pgm).
//!
//! `Q_i` the residual queries of attribute i, `r_B` the residual table over B, `v_B` the
//! marginal:
//!
//! ```text
//! y_B = ((x) Q_i) r_B = ((x) Q_i) v_B + noise,   independent numbers of variance sigma_B^2
//! ```
//!
//! Marginals themselves are not independent measurements: they are sums of these, and share
//! noise. Where one strategy measures all attributes together there is one measurement, whose
//! queries are on the cells of its attributes and stand beside it.

use std::io::{self, Read, Seek, Write};

use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::subsets::apply_kronecker;
use disclosure::resplan::{Design, StoredError, StoredMeasurement};
use ndarray::Array2;
use serde::Serialize;

use super::plan_document::names;
use crate::error::JobError;
use crate::sink::Sink;

#[derive(Serialize)]
struct ResidualMeasurement {
    clique: Vec<String>,
    stddev: f64,
    /// Queries on the cells, the last attribute fastest, where they are not those of each
    /// attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Vec<Vec<f64>>>,
    noisy_measurement: Vec<f64>,
}

/// Writes the residuals of a measurement as one JSON document, one residual at a time.
pub(super) fn export<R: Read + Seek>(
    stored: &mut StoredMeasurement<R>,
    sink: &mut dyn Sink,
    name: &str,
    most_bytes: f64,
) -> Result<(), JobError> {
    let queries = residual_queries(stored.design(), most_bytes)?;
    let total = stored.residual(AttrSet::EMPTY)?.sum();
    // A damaged measurement ends the writing; what was wrong with it is kept here.
    let mut damaged = None;
    let written = sink.write_with(name, &mut |out| {
        write_head(out, stored, &queries, total)?;
        write_measurements(out, stored, &queries).map_err(|error| match error {
            StoredError::Io(error) => error,
            error => {
                damaged = Some(error);
                io::Error::other("the measurement could not be read")
            }
        })
    });
    match damaged {
        Some(error) => Err(error.into()),
        None => written.map(drop),
    }
}

/// The residual queries of every attribute that was measured, and empty matrices for the others.
/// Refused before they are made if they are larger than the limit: an attribute of k categories
/// has about k^2 numbers.
fn residual_queries(plan: &Design, most_bytes: f64) -> Result<Vec<Array2<f64>>, JobError> {
    let measured = plan.residuals().fold(AttrSet::EMPTY, |union, (set, _)| union.union(set));
    let bytes: f64 = measured.iter().map(|attribute| 8.0 * (plan.domain().cardinality(attribute) as f64).powi(2)).sum();
    if bytes.is_nan() || bytes > most_bytes {
        let message = format!("the residual queries need {bytes:.3e} bytes; the limit is {most_bytes:.3e}");
        return Err(JobError::new("E0611", message));
    }
    let attributes = 0..plan.domain().len();
    let together = plan.joint_queries().map_or(AttrSet::EMPTY, |(block, _)| block);
    Ok(attributes
        .map(|attribute| match measured.minus(together).contains(attribute) {
            true => plan.residual_queries(attribute),
            false => Array2::zeros((0, 0)),
        })
        .collect())
}

/// Everything before the measurements.
fn write_head<R: Read + Seek>(
    out: &mut dyn Write,
    stored: &StoredMeasurement<R>,
    queries: &[Array2<f64>],
    total: f64,
) -> io::Result<()> {
    let version = if stored.design().joint_queries().is_some() { 2 } else { 1 };
    write!(out, "{{\"schema\":\"disclosure.resplan-mbi/{version}\"")?;
    write_value(out, ",\"origin\":", &stored.origin())?;
    let attributes = stored.design().domain().attributes();
    let mut separator = ",\n\"domain\":{";
    for attribute in attributes {
        write_value(out, separator, &attribute.name())?;
        write_value(out, ":", &attribute.cardinality())?;
        separator = ",";
    }
    write_value(out, "},\n\"known_total\":", &total)?;
    let mut separator = ",\n\"queries\":{\n";
    for (attribute, matrix) in attributes.iter().zip(queries).filter(|(_, matrix)| !matrix.is_empty()) {
        write_value(out, separator, &attribute.name())?;
        write_value(out, ":", &rows(matrix))?;
        separator = ",\n";
    }
    // Without an attribute that varies there is no query, and no measurement but the total.
    out.write_all(if separator == ",\n" { b"\n}" } else { b",\n\"queries\":{}" })?;
    out.write_all(b",\n\"measurements\":[")
}

/// The measurements, and the end of the document.
fn write_measurements<R: Read + Seek>(
    out: &mut dyn Write,
    stored: &mut StoredMeasurement<R>,
    queries: &[Array2<f64>],
) -> Result<(), StoredError> {
    let together = stored.design().joint_queries();
    let residuals: Vec<(AttrSet, f64)> =
        stored.design().residuals().map(|(set, sigma2)| (set, sigma2.to_f64().sqrt())).collect();
    let mut separator = "\n";
    for (set, stddev) in residuals.into_iter().filter(|(set, _)| !set.is_empty()) {
        let residual = stored.residual(set)?.into_raw_vec_and_offset().0;
        let (noisy_measurement, queries) = match &together {
            Some((_, matrix)) => (apply_kronecker(&[matrix.view()], &residual), Some(rows(matrix))),
            None => {
                let matrices: Vec<_> = set.iter().map(|attribute| queries[attribute].view()).collect();
                (apply_kronecker(&matrices, &residual), None)
            }
        };
        let clique = names(stored.design(), set);
        write_value(out, separator, &ResidualMeasurement { clique, stddev, queries, noisy_measurement })?;
        separator = ",\n";
    }
    Ok(out.write_all(b"\n]}\n")?)
}

fn rows(matrix: &Array2<f64>) -> Vec<Vec<f64>> {
    matrix.rows().into_iter().map(|row| row.to_vec()).collect()
}

/// A piece of JSON, and a value.
fn write_value(out: &mut dyn Write, text: &str, value: &impl Serialize) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    Ok(serde_json::to_writer(out, value)?)
}
