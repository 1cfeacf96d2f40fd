//! Randomised reports: encode, count, merge, estimate, plan.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::observer::during;
use disclosure_jobs::reports::{
    ChangedAnswer, Counting, EstimateOptions, Job, Population, RoundSpec, Rounds, SetRequest, SimulationOptions,
    StateDocument, estimate, merge, plan, read_state, simulate,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::data::Data;
use crate::error::exception;
use crate::files::memory_files;
use crate::generator::system;
use crate::ledger::json;
use crate::run::{run, warn};

/// Memory of a state, in bytes.
const MOST_BYTES: f64 = 8.0 * (1_u64 << 30) as f64;

/// Checks a schema: what it warns of is warned of.
#[pyfunction]
fn reports_check(py: Python<'_>, schema: &str) -> PyResult<(Vec<String>, Vec<String>)> {
    let (warnings, features, columns) = run(py, None, |_| {
        let job = Job::parse(schema)?;
        let features = job.schema().features().iter().map(|feature| feature.attribute().name().to_owned()).collect();
        let columns = (0..job.schema().columns().len()).map(|place| job.schema().column_name(place)).collect();
        Ok((job.warnings(), features, columns))
    })?;
    warn(py, warnings)?;
    Ok((features, columns))
}

/// The client: one randomised report for each row. The document, and the reports.
#[pyfunction]
#[pyo3(signature = (schema, data, once=false, memory=None, person=None, changed=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn reports_encode<'py>(
    py: Python<'py>,
    schema: &str,
    data: Py<Data>,
    once: bool,
    memory: Option<PathBuf>,
    person: Option<String>,
    changed: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let changed = match changed {
        None => ChangedAnswer::default(),
        Some(word) => serde_json::from_value(word.into())
            .map_err(|_| exception(py, &JobError::new("E0200", "changed names no rule for changed answers")))?,
    };
    let rounds = match (memory, person) {
        (Some(memory), Some(person)) => Rounds::Remembered(RoundSpec { memory, person, changed }),
        _ if once => Rounds::Once,
        _ => Rounds::Unstated,
    };
    let data = data.get();
    let (document, reports) = run(py, progress.as_ref(), |observer| {
        let job = Job::parse(schema)?;
        let source = data.source(&FormatSpec::default(), observer)?;
        let planned = job.plan(source.as_ref(), &rounds, observer)?;
        let mut reports = Vec::new();
        let document = during(observer, "randomising", || planned.release(&mut reports, observer, &mut system()?))?;
        Ok((json(&document), reports))
    })?;
    Ok((document, PyBytes::new(py, &reports)))
}

/// Counts streams of reports: the state as bytes, and what it holds.
#[pyfunction]
#[pyo3(signature = (schema, reports, state=None, allow_repeats=false, progress=None))]
fn reports_count<'py>(
    py: Python<'py>,
    schema: &str,
    reports: Vec<Vec<u8>>,
    state: Option<Vec<u8>>,
    allow_repeats: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let (bytes, document) = run(py, progress.as_ref(), |observer| {
        let job = Job::parse(schema)?;
        let counting = Counting::new(&job, MOST_BYTES, observer)?;
        let mut counting = if allow_repeats { counting.allowing_repeats() } else { counting };
        during(observer, "counting", || reports.iter().try_for_each(|stream| counting.add_reports(&mut &stream[..])))?;
        let counted = counting.finish()?;
        let Some(earlier) = state else {
            return Ok((counted.to_bytes(), json(&StateDocument::new(counted.tally(), Some(job.schema())))));
        };
        let files = memory_files([("earlier".to_owned(), earlier), ("new".to_owned(), counted.to_bytes())].into());
        let tally = merge(&files, &["earlier", "new"], allow_repeats, MOST_BYTES, observer)?;
        Ok((tally.to_bytes(), json(&StateDocument::new(&tally, Some(job.schema())))))
    })?;
    Ok((PyBytes::new(py, &bytes), document))
}

/// Counts support bits that were randomised elsewhere, which the caller vouches for.
#[pyfunction]
#[pyo3(signature = (schema, data, vouched, progress=None))]
fn reports_count_bits<'py>(
    py: Python<'py>,
    schema: &str,
    data: Py<Data>,
    vouched: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let data = data.get();
    let (bytes, document) = run(py, progress.as_ref(), |observer| {
        let job = Job::parse(schema)?;
        let source = data.source(&FormatSpec::default(), observer)?;
        let mut counting = Counting::new(&job, MOST_BYTES, observer)?;
        counting.add_bits(source.as_ref(), vouched)?;
        let state = counting.finish()?;
        Ok((state.to_bytes(), json(&StateDocument::new(state.tally(), Some(job.schema())))))
    })?;
    Ok((PyBytes::new(py, &bytes), document))
}

/// Adds states of one schema.
#[pyfunction]
#[pyo3(signature = (states, allow_repeats=false, forget_sources=false, progress=None))]
fn reports_merge<'py>(
    py: Python<'py>,
    states: Vec<Vec<u8>>,
    allow_repeats: bool,
    forget_sources: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let (bytes, document) = run(py, progress.as_ref(), |observer| {
        let names: Vec<String> = (0..states.len()).map(|number| format!("state {number}")).collect();
        let files = memory_files(names.iter().cloned().zip(states).collect());
        let tally = merge(&files, &names, allow_repeats, MOST_BYTES, observer)?;
        let tally = if forget_sources { tally.without_sources() } else { tally };
        Ok((tally.to_bytes(), json(&StateDocument::new(&tally, None))))
    })?;
    Ok((PyBytes::new(py, &bytes), document))
}

fn request(sets: Option<String>, order: Option<usize>) -> SetRequest {
    match (sets, order) {
        (Some(listed), _) => SetRequest::Listed(listed),
        (None, Some(order)) => SetRequest::UpTo(order),
        (None, None) => SetRequest::Pairs,
    }
}

#[pyfunction]
#[pyo3(signature = (schema, state, sets=None, order=None, population=None, pairs=false, feasible=false, covariance=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn reports_estimate(
    py: Python<'_>,
    schema: &str,
    state: Vec<u8>,
    sets: Option<String>,
    order: Option<usize>,
    population: Option<&str>,
    pairs: bool,
    feasible: bool,
    covariance: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let population: Population = match population {
        None => Population::default(),
        Some(word) => serde_json::from_value(word.into())
            .map_err(|_| exception(py, &JobError::new("E0200", "population names no population")))?,
    };
    let options = EstimateOptions { sets: request(sets, order), population, pairs, feasible, covariance };
    run(py, progress.as_ref(), |observer| {
        let job = Job::parse(schema)?;
        let state = read_state(&job, &mut &state[..], MOST_BYTES)?;
        Ok(json(&estimate(&job, &state, &options, observer)?))
    })
}

#[pyfunction]
fn reports_plan(py: Python<'_>, text: &str) -> PyResult<String> {
    run(py, None, |_| Ok(json(&plan(text)?)))
}

#[pyfunction]
#[pyo3(signature = (schema, data, trials, seed, sets=None, order=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn reports_simulate(
    py: Python<'_>,
    schema: &str,
    data: Py<Data>,
    trials: u64,
    seed: u64,
    sets: Option<String>,
    order: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let data = data.get();
    run(py, progress.as_ref(), |observer| {
        let job = Job::parse(schema)?;
        let source = data.source(&FormatSpec::default(), observer)?;
        let options = SimulationOptions { sets: request(sets, order), trials, seed, max_bytes: MOST_BYTES };
        Ok(json(&simulate(&job, source.as_ref(), &options, observer)?))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reports_check, module)?)?;
    module.add_function(wrap_pyfunction!(reports_encode, module)?)?;
    module.add_function(wrap_pyfunction!(reports_count, module)?)?;
    module.add_function(wrap_pyfunction!(reports_count_bits, module)?)?;
    module.add_function(wrap_pyfunction!(reports_merge, module)?)?;
    module.add_function(wrap_pyfunction!(reports_estimate, module)?)?;
    module.add_function(wrap_pyfunction!(reports_plan, module)?)?;
    module.add_function(wrap_pyfunction!(reports_simulate, module)?)
}
