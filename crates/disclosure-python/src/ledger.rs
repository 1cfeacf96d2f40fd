//! Ledgers in files.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::document::json_of;
use disclosure_jobs::ledger::{FileLedger, Ledger, LedgerTerms, NewLedger, Uncounted};
use pyo3::prelude::*;

use crate::error::exception;
use crate::generator::system;
use crate::run::run;

/// A path, and the whole budget where the first charge may make the ledger.
pub(crate) type LedgerAt = Option<(PathBuf, Option<f64>)>;

/// The ledger of a release; without a path it is not counted.
pub(crate) fn ledger_at(at: &LedgerAt) -> Result<Box<dyn Ledger>, JobError> {
    Ok(match at {
        Some((path, Some(rho))) => Box::new(NewLedger::at(path, *rho, &mut system()?)),
        Some((path, None)) => Box::new(FileLedger::at(path)),
        None => Box::new(Uncounted),
    })
}

/// A document as text.
pub(crate) fn json(document: &impl serde::Serialize) -> String {
    String::from_utf8_lossy(&json_of(document)).into_owned()
}

/// Makes a ledger with a budget, in rho of zCDP.
#[pyfunction]
fn ledger_open(py: Python<'_>, path: PathBuf, rho: f64, neighbours: &str, rows_per_person: u32) -> PyResult<()> {
    let neighbours = serde_json::from_value(serde_json::Value::String(neighbours.to_owned()))
        .map_err(|_| JobError::new("E0200", "neighbours is \"add-remove\" or \"replace\""));
    let neighbours = neighbours.map_err(|error| exception(py, &error))?;
    run(py, None, |_| {
        FileLedger::create(&path, rho, LedgerTerms { neighbours, rows_per_person }, &mut system()?)?;
        Ok(())
    })
}

/// The ledger as JSON, every line checked.
#[pyfunction]
fn ledger_read(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    run(py, None, |_| Ok(json(&FileLedger::at(&path).read()?.document())))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(ledger_open, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_read, module)?)
}
