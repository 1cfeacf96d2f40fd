//! Screening: what a solver is expected to reconstruct, and what simulated solvers do.

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::screening::{AttackEffort, ScreenLimits, ScreeningJob};
use pyo3::prelude::*;

use crate::data::Data;
use crate::files::JobText;
use crate::ledger::json;
use crate::run::run;

/// A document, and why its target is missed: a code and a sentence.
type Judged = (String, Option<(String, String)>);

fn judged(document: String, target: Result<(), JobError>) -> Judged {
    (document, target.err().map(|error| (error.code().to_owned(), error.message().to_owned())))
}

fn parsed(job: &JobText, margin: Option<f64>) -> Result<ScreeningJob, JobError> {
    Ok(ScreeningJob::parse(&job.text, Path::new(&job.title))?.with_margin(margin))
}

/// The closed forms for the described table; with data, for that table.
#[pyfunction]
#[pyo3(signature = (job, data=None, margin=None, progress=None))]
fn screen(
    py: Python<'_>,
    job: JobText,
    data: Option<Py<Data>>,
    margin: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Judged> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let (own, limits) = (parsed(&job, margin)?, ScreenLimits::default());
        let Some(data) = data else {
            let document = own.screen_model(&limits, observer)?;
            return Ok(judged(json(&document), document.check_target()));
        };
        own.check()?;
        let source = data.source(&FormatSpec::default(), observer)?;
        let screened = own.read_table(&job, source.as_ref(), observer)?.screen(&limits, observer)?;
        Ok(judged(json(&screened.document), screened.check_target()))
    })
}

/// Simulated attacks on releases of the described table; with data, of that table.
#[pyfunction]
#[pyo3(signature = (job, trials, seed, data=None, margin=None, max_entries=2_000_000, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn screen_attack(
    py: Python<'_>,
    job: JobText,
    trials: u64,
    seed: u64,
    data: Option<Py<Data>>,
    margin: Option<f64>,
    max_entries: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Judged> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let (own, limits) = (parsed(&job, margin)?, ScreenLimits::default());
        own.check_target()?;
        let effort = AttackEffort { trials, seed, max_entries };
        let document = match data {
            None => own.simulate_model(&limits, effort, observer)?,
            Some(data) => {
                let source = data.source(&FormatSpec::default(), observer)?;
                own.read_table(&job, source.as_ref(), observer)?.simulate(&limits, effort, observer)?
            }
        };
        Ok(judged(json(&document), document.check_target()))
    })
}

/// The settings that keep `target_accuracy`.
#[pyfunction]
#[pyo3(signature = (job, margin=None, progress=None))]
fn screen_search(py: Python<'_>, job: JobText, margin: Option<f64>, progress: Option<Py<PyAny>>) -> PyResult<Judged> {
    run(py, progress.as_ref(), |observer| {
        let document = parsed(&job, margin)?.search(&ScreenLimits::default(), None, observer)?;
        Ok(judged(json(&document), document.check_target()))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(screen, module)?)?;
    module.add_function(wrap_pyfunction!(screen_attack, module)?)?;
    module.add_function(wrap_pyfunction!(screen_search, module)?)
}
