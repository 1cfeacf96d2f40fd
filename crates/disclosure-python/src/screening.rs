//! Screening: what a solver is expected to reconstruct, and what simulated solvers do.

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::screening::{AttackEffort, ScreenLimits, ScreeningJob, write_grid};
use pyo3::prelude::*;

use crate::data::Data;
use crate::exact::missed;
use crate::files::JobText;
use crate::ledger::json;
use crate::run::run;

/// A document, and why its target is missed: a code and a sentence.
type Judged = (String, Option<(String, String)>);

fn judged(document: String, target: Result<(), JobError>) -> Judged {
    (document, missed(target))
}

fn parsed(job: &JobText, margin: Option<f64>) -> Result<ScreeningJob, JobError> {
    Ok(ScreeningJob::parse(&job.text, Path::new(&job.title))?.with_margin(margin))
}

/// A document, what was asked for besides as CSV, and why the target is missed.
type JudgedTable = (String, Option<String>, Option<(String, String)>);

fn csv(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<String, JobError> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| JobError::new("E0103", error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn limits(max_memory: Option<u64>, max_visits: Option<u64>) -> ScreenLimits {
    let default = ScreenLimits::default();
    ScreenLimits {
        bytes: max_memory.map_or(default.bytes, |mib| mib as f64 * 1024.0 * 1024.0),
        visits: max_visits.map_or(default.visits, |visits| visits as f64),
        ..default
    }
}

/// The closed forms for the described table; with data, for that table, and every row if asked.
#[pyfunction]
#[pyo3(signature = (job, data=None, rows=false, margin=None, max_memory=None, max_visits=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn screen(
    py: Python<'_>,
    job: JobText,
    data: Option<Py<Data>>,
    rows: bool,
    margin: Option<f64>,
    max_memory: Option<u64>,
    max_visits: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<JudgedTable> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let (own, limits) = (parsed(&job, margin)?, limits(max_memory, max_visits));
        let Some(data) = data else {
            let document = own.screen_model(&limits, observer)?;
            let (text, missed) = judged(json(&document), document.check_target());
            return Ok((text, None, missed));
        };
        own.check()?;
        let source = data.source(&FormatSpec::default(), observer)?;
        let screened = own.read_table(&job, source.as_ref(), observer)?.screen(&limits, observer)?;
        let listed = if rows { Some(csv(|out| screened.write_rows(out))?) } else { None };
        let (text, missed) = judged(json(&screened.document), screened.check_target());
        Ok((text, listed, missed))
    })
}

/// Simulated attacks on releases of the described table; with data, of that table.
#[pyfunction]
#[pyo3(signature = (job, trials, seed, data=None, margin=None, max_entries=20_000_000, progress=None))]
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

/// The settings that keep `target_accuracy`; confirmed by `confirm` trials under a seed, with the
/// estimate at every place of the grid, where that is asked for.
#[pyfunction]
#[pyo3(signature = (job, grid=false, margin=None, confirm=None, max_entries=20_000_000, max_memory=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn screen_search(
    py: Python<'_>,
    job: JobText,
    grid: bool,
    margin: Option<f64>,
    confirm: Option<(u64, u64)>,
    max_entries: u64,
    max_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<JudgedTable> {
    run(py, progress.as_ref(), |observer| {
        let (own, limits) = (parsed(&job, margin)?, limits(max_memory, None));
        let effort = confirm.map(|(trials, seed)| AttackEffort { trials, seed, max_entries });
        let document = own.search(&limits, effort, observer)?;
        let points = if grid { Some(own.grid(&limits, observer)?) } else { None };
        let listed = points.map(|points| csv(|out| write_grid(&points, out))).transpose()?;
        let (text, missed) = judged(json(&document), document.check_target());
        Ok((text, listed, missed))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(screen, module)?)?;
    module.add_function(wrap_pyfunction!(screen_attack, module)?)?;
    module.add_function(wrap_pyfunction!(screen_search, module)?)
}
