//! Failures of jobs as `disclosure.Error`, and what the codes mean.

use disclosure_jobs::JobError;
use disclosure_jobs::error::explanation;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception of a failure: its class by the kind of the code.
pub(crate) fn exception(py: Python<'_>, error: &JobError) -> PyErr {
    made(py, error).unwrap_or_else(|failed| failed)
}

fn made(py: Python<'_>, error: &JobError) -> PyResult<PyErr> {
    let class = CLASS.import(py, "disclosure._errors", "Error")?;
    let fields = PyDict::new(py);
    fields.set_item("code", error.code())?;
    fields.set_item("hint", error.next_step())?;
    fields.set_item("exit_code", error.exit_code())?;
    fields.set_item("spent", error.is_after_spending())?;
    let raised = class.call_method("_made", (error.message(),), Some(&fields))?;
    Ok(PyErr::from_value(raised))
}

/// The paragraph that explains a code.
#[pyfunction]
fn explain(code: &str) -> Option<&'static str> {
    explanation(code)
}

/// Every code, in order.
#[pyfunction]
fn codes() -> Vec<&'static str> {
    let mut codes: Vec<&str> = disclosure_jobs::error::explanations().map(|(code, _)| code).collect();
    codes.extend(disclosure_jobs::privacy_data::EXPLANATIONS.iter().map(|(code, _)| *code));
    codes.sort_unstable();
    codes
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(codes, module)?)
}
