//! The low-count filter: groups that are reported, odds of a threshold, advice.

use std::num::NonZeroU32;
use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::answers::Answers;
use disclosure_jobs::disclosure::lcf::ThresholdLaw;
use disclosure_jobs::disclosure::privacy_core::param::{Delta, Epsilon, Probability, StdDev};
use disclosure_jobs::filter::{
    AdviceJob, ClampedNormal, CountsSpec, Elm, GroupedTable, HardThreshold, Job, LowCountFilter, OddsRequest,
    OptimalSelection, ThinUniform, is_stored_table, odds,
};
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::observer::Observer;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::{make_secret, read_secret};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::data::Data;
use crate::error::exception;
use crate::files::JobText;
use crate::generator::system;
use crate::ledger::json;
use crate::run::run;

/// Makes the file of a new secret; one that is there stays.
#[pyfunction]
fn secret_new(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    run(py, None, |observer| make_secret(&path, observer, &mut system()?))
}

/// Rows, or the bytes of groups that were stored.
#[derive(FromPyObject)]
pub(crate) enum Part {
    Rows(Py<Data>),
    Stored(Vec<u8>),
}

impl Part {
    fn grouped(&self, job: &Job, filter: &LowCountFilter, observer: &dyn Observer) -> Result<GroupedTable, JobError> {
        match self {
            Self::Stored(bytes) => job.stored(bytes, filter),
            Self::Rows(data) => {
                let source = data.get().source(&FormatSpec::default(), observer)?;
                job.group(source.as_ref(), filter, observer)
            }
        }
    }
}

/// Whether a file that begins so holds groups that were stored.
#[pyfunction]
fn is_stored_groups(head: &[u8]) -> bool {
    is_stored_table(head)
}

/// Groups of one part of the data with those of others, as the bytes of their file.
#[pyfunction]
#[pyo3(signature = (job, parts, secret, register=false, progress=None))]
fn filter_group<'py>(
    py: Python<'py>,
    job: JobText,
    parts: Vec<Part>,
    secret: PathBuf,
    register: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = run(py, progress.as_ref(), |observer| {
        let parsed = Job::parse(&job.text)?;
        parsed.check_stored()?;
        let key = read_secret(&secret)?;
        let filter = parsed.filter(&key, observer)?;
        let mut all: Option<GroupedTable> = None;
        for part in &parts {
            let part = part.grouped(&parsed, &filter, observer)?;
            all = Some(match all {
                None => part,
                Some(table) => parsed.add(table, &part, &filter)?,
            });
        }
        let table = all.ok_or_else(|| JobError::new("E0200", "groups are made of at least one part of the data"))?;
        let claim = table.claim(&filter)?.without_publication();
        RegistryFile::beside(&secret).admit(&key, &claim, Registration::allowed(register))?;
        table.to_bytes(&filter)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The groups that are reported: the document, the table as CSV, and the audit for the owner.
#[pyfunction]
#[pyo3(signature = (job, data, secret, rest=None, register=false, explain=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn filter_run<'py>(
    py: Python<'py>,
    job: JobText,
    data: Part,
    secret: PathBuf,
    rest: Option<String>,
    register: bool,
    explain: Option<Vec<String>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Bound<'py, PyBytes>, String)> {
    let (document, csv, audit) = run(py, progress.as_ref(), |observer| {
        let parsed = Job::parse_with(&job.text, &job)?;
        if rest.is_some() {
            parsed.check_rest()?;
        }
        let key = read_secret(&secret)?;
        let filter = parsed.filter(&key, observer)?;
        let registry = RegistryFile::beside(&secret);
        let mut answers = match parsed.spec().guard {
            true => Some(Answers::open(&secret, &key, &filter)?),
            false => None,
        };
        let grouped = data.grouped(&parsed, &filter, observer)?;
        let decided = parsed.decide(grouped, &filter, answers.as_mut().map(Answers::guard), observer)?;
        let how = Registration::allowed(register);
        if let Some(labels) = &explain {
            registry.admit(&key, &decided.claim().clone().without_publication(), how)?;
            return Ok((json(&decided.explain(labels)?), Vec::new(), json(&decided.audit())));
        }
        match &answers {
            Some(answers) => registry.admit_answers(&key, decided.claim(), how, answers)?,
            None => registry.admit(&key, decided.claim(), how)?,
        }
        let released = decided.release(rest.as_deref())?;
        let mut csv = Vec::new();
        let written = released.write_csv(&mut csv);
        written.map_err(|error| JobError::new("E0103", error.to_string()))?;
        Ok((json(released.document()), csv, json(&decided.audit())))
    })?;
    Ok((document, PyBytes::new(py, &csv), audit))
}

fn given<T: for<'a, 'py> FromPyObject<'a, 'py>>(law: &Bound<'_, PyDict>, name: &str) -> PyResult<T> {
    let value = law.get_item(name)?;
    let wrong = || exception(law.py(), &JobError::new("E0276", format!("this law takes the keyword {name}, a number")));
    value.and_then(|value| value.extract().ok()).ok_or_else(wrong)
}

/// The law by its name and its keywords.
fn law_of(name: &str, law: &Bound<'_, PyDict>, groups_per_entity: NonZeroU32) -> PyResult<ThresholdLaw> {
    let py = law.py();
    let failed = |error: JobError| exception(py, &error);
    let out = |error: &dyn std::error::Error| failed(JobError::new("E0276", error.to_string()));
    let sd = || StdDev::new(given(law, "sd")?).map_err(|error| out(&error));
    Ok(match name {
        "clamped-normal" => {
            let made = ClampedNormal::new(given(law, "mean")?, sd()?, given(law, "floor")?);
            made.map_err(|error| failed(error.into()))?.into()
        }
        "thin-uniform" => ThinUniform::at_least(given(law, "at_least")?).map_err(|error| failed(error.into()))?.into(),
        "elm" => {
            Elm::new(given(law, "at_least")?, given(law, "gap")?, sd()?).map_err(|error| failed(error.into()))?.into()
        }
        "optimal-selection" => {
            let epsilon = Epsilon::new(given(law, "epsilon")?).map_err(|error| out(&error))?;
            let delta = Delta::new(given(law, "delta")?).map_err(|error| out(&error))?;
            let made = OptimalSelection::new(epsilon, delta, groups_per_entity, given(law, "at_least")?);
            made.map_err(|error| failed(error.into()))?.into()
        }
        "hard" => HardThreshold::at_least(given(law, "at_least")?).map_err(|error| failed(error.into()))?.into(),
        _ => {
            let message = "law is clamped-normal, thin-uniform, elm, optimal-selection or hard";
            return Err(failed(JobError::new("E0276", message)));
        }
    })
}

/// The tables of a threshold, exact. `counts` is `[counts]` of a job, as JSON.
#[pyfunction]
#[pyo3(signature = (name, law, groups_per_entity=1, prior=0.5, up_to=None, counts="\"hidden\""))]
fn filter_odds(
    py: Python<'_>,
    name: &str,
    law: &Bound<'_, PyDict>,
    groups_per_entity: u32,
    prior: f64,
    up_to: Option<u64>,
    counts: &str,
) -> PyResult<String> {
    let wrong = |message: String| exception(py, &JobError::new("E0276", message));
    let groups = NonZeroU32::new(groups_per_entity).ok_or_else(|| wrong("groups_per_entity is at least 1".into()))?;
    let law = law_of(name, law, groups)?;
    let prior = Probability::new(prior).map_err(|error| wrong(error.to_string()))?;
    let counts: CountsSpec = serde_json::from_str(counts).map_err(|error| wrong(format!("counts: {error}")))?;
    run(py, None, |_| Ok(json(&odds(&OddsRequest { law, prior, groups_per_entity: groups, up_to, counts })?)))
}

/// The parameters that meet a target.
#[pyfunction]
#[pyo3(signature = (job, progress=None))]
fn filter_advise(py: Python<'_>, job: JobText, progress: Option<Py<PyAny>>) -> PyResult<String> {
    run(py, progress.as_ref(), |observer| Ok(json(&AdviceJob::parse(&job.text, &job)?.advise(observer)?)))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(secret_new, module)?)?;
    module.add_function(wrap_pyfunction!(is_stored_groups, module)?)?;
    module.add_function(wrap_pyfunction!(filter_group, module)?)?;
    module.add_function(wrap_pyfunction!(filter_run, module)?)?;
    module.add_function(wrap_pyfunction!(filter_odds, module)?)?;
    module.add_function(wrap_pyfunction!(filter_advise, module)?)
}
