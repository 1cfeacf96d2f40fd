//! The pipeline: a whole job in one call.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::observer::during;
use disclosure_jobs::pipeline::Job;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::read_secret;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Data;
use crate::exact::missed;
use crate::files::{JobText, Made};
use crate::generator::system;
use crate::ledger::{LedgerAt, json, ledger_at};
use crate::marginals::limits;
use crate::run::{run, warn};

/// The manifest, why a target is missed (a code and a sentence), the files, and those for the
/// owner.
type Piped<'py> = (String, Option<(String, String)>, Bound<'py, PyDict>, Vec<String>);

/// Plans and judges a job; releases it where it is asked to and every target is met.
#[pyfunction]
#[pyo3(signature = (job, data, today, dry_run=false, ledger=None, secret=None, register=false, max_memory=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn pipeline_run<'py>(
    py: Python<'py>,
    job: JobText,
    data: Py<Data>,
    today: String,
    dry_run: bool,
    ledger: LedgerAt,
    secret: Option<PathBuf>,
    register: bool,
    max_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Piped<'py>> {
    let data = data.get();
    let (warnings, piped) = run(py, progress.as_ref(), |observer| {
        let parsed = Job::parse(&job.text, &job)?.with_default_title(&job.title);
        let parsed = parsed.with_limits(limits(max_memory, None, None));
        let warnings = parsed.warnings();
        let parsed = match &secret {
            Some(_) if !parsed.needs_secret() => {
                let message = "secret_file is for [filtered], and the job has no such section";
                return Err(JobError::new("E0245", message));
            }
            Some(path) => parsed.with_secret(read_secret(path)?),
            None => parsed,
        };
        let mut ledger = ledger_at(&ledger)?;
        let source = data.source(parsed.format(), observer)?;
        let planned = parsed.plan_against(source.as_ref(), &*ledger, observer)?.with_default_date(&today);
        if dry_run {
            let missed = missed(planned.require_targets());
            return Ok((warnings, (json(planned.manifest()), missed, Made::default())));
        }
        planned.require_targets()?;
        if let (Some(path), Some(claim)) = (&secret, planned.claim()) {
            RegistryFile::beside(path).admit(&read_secret(path)?, claim, Registration::allowed(register))?;
        }
        let mut rng = system()?;
        let released = during(observer, "drawing noise", || planned.release(&mut *ledger, &mut rng))?;
        let mut made = Made::default();
        let manifest = released.write(&mut made, observer)?;
        Ok((warnings, (json(&manifest), None, made)))
    })?;
    warn(py, warnings)?;
    let (manifest, missed, made) = piped;
    let (files, owner) = made.into_python(py)?;
    Ok((manifest, missed, files, owner))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pipeline_run, module)?)
}
