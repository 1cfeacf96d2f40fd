//! Exact tables: audits, bounds, plans, certificates.

use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::exact::{
    AlgorithmAwareDocument, AuditOptions, BoundsOptions, Certificates, Job, LoadedJob, Pattern, PatternOptions, Scope,
    TrialLimits, algorithm_aware_lost, diff, target_missed, verify,
};
use disclosure_jobs::observer::Observer;
use pyo3::prelude::*;

use crate::data::Data;
use crate::files::JobText;
use crate::ledger::json;
use crate::run::run;

/// The job with its table; without data where it is about known numbers alone.
pub(crate) fn load(job: &JobText, data: Option<&Data>, observer: &dyn Observer) -> Result<LoadedJob, JobError> {
    let parsed = Job::parse(&job.text, &job.title, job)?;
    match data {
        None => parsed.load_without_data(observer),
        Some(data) => {
            let source = data.source(parsed.format(), observer)?;
            parsed.load(source.as_ref(), observer)
        }
    }
}

/// A document, what proves its bounds, and why its target is missed: a code and a sentence.
pub(crate) type Audited = (String, Option<String>, Option<(String, String)>);

/// Why a target is missed, if it is.
pub(crate) fn missed(target: Result<(), JobError>) -> Option<(String, String)> {
    target.err().map(|error| (error.code().to_owned(), error.message().to_owned()))
}

/// Certificates as the text of their file.
pub(crate) fn certificates_text(certificates: &Certificates) -> Result<String, JobError> {
    let mut bytes = Vec::new();
    let written = certificates.write_json(&mut bytes);
    written.map_err(|error| JobError::new("E0103", format!("certificates: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[pyfunction]
#[pyo3(signature = (job, data=None, draws=None, certificates=false, algorithm_aware=false, progress=None))]
fn exact_audit(
    py: Python<'_>,
    job: JobText,
    data: Option<Py<Data>>,
    draws: Option<u64>,
    certificates: bool,
    algorithm_aware: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Audited> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let options = AuditOptions { draws, certificates, algorithm_aware };
        let loaded = load(&job, data, observer)?;
        let (document, proofs) = loaded.audit(options, observer)?;
        let is_lost = document.algorithm_aware.as_ref().is_some_and(AlgorithmAwareDocument::is_lost);
        let target = match (is_lost, document.target_met) {
            (true, _) => Err(algorithm_aware_lost()),
            (false, true) => Ok(()),
            (false, false) => Err(target_missed(loaded.target())),
        };
        Ok((json(&document), proofs.as_ref().map(certificates_text).transpose()?, missed(target)))
    })
}

#[pyfunction]
#[pyo3(signature = (job, data=None, count_tables=None, certificates=false, progress=None))]
fn exact_bounds(
    py: Python<'_>,
    job: JobText,
    data: Option<Py<Data>>,
    count_tables: Option<u64>,
    certificates: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<String>)> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let options = BoundsOptions { count_tables, certificates };
        let (document, proofs) = load(&job, data, observer)?.bounds(options, observer)?;
        Ok((json(&document), proofs.as_ref().map(certificates_text).transpose()?))
    })
}

/// What would be released; where the target is missed, why, and which settings would meet it.
#[pyfunction]
#[pyo3(signature = (job, data=None, progress=None))]
fn exact_plan(py: Python<'_>, job: JobText, data: Option<Py<Data>>, progress: Option<Py<PyAny>>) -> PyResult<Audited> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let loaded = load(&job, data, observer)?;
        if loaded.is_private() {
            return Ok((json(&loaded.plan_privately()?.document()), None, None));
        }
        let target = loaded.target();
        let document = loaded.plan(observer)?.explained(TrialLimits::default(), observer)?;
        let target = if document.target_met { Ok(()) } else { Err(target_missed(target)) };
        Ok((json(&document), None, missed(target)))
    })
}

/// Two jobs about one population, judged together.
#[pyfunction]
#[pyo3(signature = (before, before_data, after, after_data, changed=0, progress=None))]
fn exact_diff(
    py: Python<'_>,
    before: JobText,
    before_data: Option<Py<Data>>,
    after: JobText,
    after_data: Option<Py<Data>>,
    changed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Audited> {
    let (one, other) = (before_data.as_ref().map(|data| data.get()), after_data.as_ref().map(|data| data.get()));
    run(py, progress.as_ref(), |observer| {
        let (one, other) = (load(&before, one, observer)?, load(&after, other, observer)?);
        let document = diff(&one, &other, changed, observer)
            .map_err(|refusal| refusal.error.in_section(if refusal.is_before { "before" } else { "after" }))?;
        Ok((json(&document), None, missed(document.check_target())))
    })
}

/// Every claim of a file of certificates, checked from its text alone.
#[pyfunction]
fn exact_verify(py: Python<'_>, text: &str) -> PyResult<String> {
    run(py, None, |_| Ok(json(&verify(text)?)))
}

/// A suppression pattern in a JJ file, audited. Limits that are not given are those of the command.
#[pyfunction]
#[pyo3(signature = (text, title, steps=None, nodes=None, all_steps=None, seconds=None, certificates=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn exact_pattern(
    py: Python<'_>,
    text: &str,
    title: &str,
    steps: Option<u64>,
    nodes: Option<u32>,
    all_steps: Option<u64>,
    seconds: Option<u32>,
    certificates: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Audited> {
    let default = PatternOptions::default();
    let options = PatternOptions {
        steps: steps.unwrap_or(default.steps),
        nodes: nodes.unwrap_or(default.nodes),
        all_steps: all_steps.unwrap_or(default.all_steps),
        time: seconds.map(|seconds| Duration::from_secs(seconds.into())),
        certificates,
    };
    run(py, progress.as_ref(), |observer| {
        let (document, proofs) = Pattern::parse(text, title)?.audit(options, observer)?;
        let proofs = proofs.as_ref().map(certificates_text).transpose()?;
        Ok((json(&document), proofs, missed(document.check_target())))
    })
}

/// By how many people numbers contradict each other, and what they tell when that is granted: of
/// the cells, or of what the rule of the job is about.
#[pyfunction]
#[pyo3(signature = (job, data=None, cells=false, progress=None))]
fn exact_slack(
    py: Python<'_>,
    job: JobText,
    data: Option<Py<Data>>,
    cells: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let data = data.as_ref().map(|data| data.get());
    run(py, progress.as_ref(), |observer| {
        let loaded = load(&job, data, observer)?;
        let scope = if cells { Scope::Cells } else { loaded.rule().scope() };
        Ok(json(&loaded.slack(scope, observer)?))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(exact_audit, module)?)?;
    module.add_function(wrap_pyfunction!(exact_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(exact_plan, module)?)?;
    module.add_function(wrap_pyfunction!(exact_diff, module)?)?;
    module.add_function(wrap_pyfunction!(exact_verify, module)?)?;
    module.add_function(wrap_pyfunction!(exact_slack, module)?)?;
    module.add_function(wrap_pyfunction!(exact_pattern, module)?)
}
