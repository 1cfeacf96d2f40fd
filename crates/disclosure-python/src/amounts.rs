//! Tables of amounts: what is withheld and why, the release, and patterns of other programs.

use disclosure_jobs::JobError;
use disclosure_jobs::amounts::{Job, Pattern, PlanOptions, Planned};
use disclosure_jobs::observer::Observer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Data;
use crate::exact::{Audited, certificates_text, missed};
use crate::files::{JobText, Made};
use crate::ledger::json;
use crate::run::run;

fn planned(job: &JobText, data: &Data, observer: &dyn Observer) -> Result<Planned, JobError> {
    let parsed = Job::parse(&job.text, &job.title, job)?;
    let source = data.source(parsed.format(), observer)?;
    parsed.load(source.as_ref(), observer)?.plan(observer)
}

/// The plan, its certificates, and the table with its pattern as a JJ file.
type Planning = (String, Option<String>, String);

/// Which cells are withheld, and why: the plan, its certificates where they are asked for, and the
/// JJ file.
#[pyfunction]
#[pyo3(signature = (job, data, certificates=false, progress=None))]
fn amounts_plan(
    py: Python<'_>,
    job: JobText,
    data: Py<Data>,
    certificates: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Planning> {
    let data = data.get();
    run(py, progress.as_ref(), |observer| {
        let planned = planned(&job, data, observer)?;
        let (document, proofs) = planned.document(PlanOptions { certificates }, observer)?;
        let mut jj = Vec::new();
        let written = planned.jj().write(planned.decimals(), &mut jj);
        written.map_err(|error| JobError::new("E0103", format!("pattern: {error}")))?;
        let proofs = proofs.as_ref().map(certificates_text).transpose()?;
        Ok((json(&document), proofs, String::from_utf8_lossy(&jj).into_owned()))
    })
}

/// What the published cells of a pattern of amounts give away: the document and its certificates.
#[pyfunction]
#[pyo3(signature = (text, title, decimals=0, steps=None, progress=None))]
fn amounts_pattern(
    py: Python<'_>,
    text: &str,
    title: &str,
    decimals: u8,
    steps: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Audited> {
    run(py, progress.as_ref(), |observer| {
        let (document, proofs) = Pattern::parse(text, title, decimals)?.audit(steps, observer)?;
        Ok((json(&document), Some(certificates_text(&proofs)?), missed(document.check_target())))
    })
}

/// The plan, its certificates, the files, and those for the owner.
type Amounts<'py> = (String, Option<String>, Bound<'py, PyDict>, Vec<String>);

/// A table of amounts: the plan, its certificates where they are asked for, and the files of the
/// release.
#[pyfunction]
#[pyo3(signature = (job, data, certificates=false, progress=None))]
fn amounts_release<'py>(
    py: Python<'py>,
    job: JobText,
    data: Py<Data>,
    certificates: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Amounts<'py>> {
    let data = data.get();
    let (plan, proofs, made) = run(py, progress.as_ref(), |observer| {
        let planned = planned(&job, data, observer)?;
        let (document, proofs) = planned.document(PlanOptions { certificates }, observer)?;
        let mut made = Made::default();
        planned.write(&mut made)?;
        Ok((json(&document), proofs.as_ref().map(certificates_text).transpose()?, made))
    })?;
    let (files, owner) = made.into_python(py)?;
    Ok((plan, proofs, files, owner))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(amounts_plan, module)?)?;
    module.add_function(wrap_pyfunction!(amounts_pattern, module)?)?;
    module.add_function(wrap_pyfunction!(amounts_release, module)?)
}
