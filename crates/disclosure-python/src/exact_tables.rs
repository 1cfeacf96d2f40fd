//! Exact tables that leave: releases with their noise, rounded tables, tables under the cell-key
//! method.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::exact::{Job, LoadedJob, Released};
use disclosure_jobs::ledger::Ledger;
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::{make_secret, read_secret};
use pyo3::prelude::*;

use crate::data::Data;
use crate::exact::load;
use crate::files::{JobText, Written, run_written};
use crate::generator::system;
use crate::ledger::{LedgerAt, json, ledger_at};

/// The file of a key, whether it is made, and whether its registry may be made.
type SecretAt = (PathBuf, bool, bool);

#[pyfunction]
#[pyo3(signature = (job, data, today, ledger=None, progress=None))]
fn exact_release<'py>(
    py: Python<'py>,
    job: JobText,
    data: Option<Py<Data>>,
    today: String,
    ledger: LedgerAt,
    progress: Option<Py<PyAny>>,
) -> PyResult<Written<'py>> {
    let data = data.as_ref().map(|data| data.get());
    run_written(py, progress.as_ref(), |observer, made| {
        let loaded = load(&job, data, observer)?.with_default_date(&today);
        loaded.check_columns()?;
        if ledger.is_some() && !loaded.is_private() {
            let message = "a ledger counts what decide_on = \"private\" costs, and this job has nothing to add up";
            return Err(JobError::new("E0200", message));
        }
        let released = if loaded.is_private() { drawn(loaded, &ledger, observer)? } else { planned(loaded, observer)? };
        Ok(json(&released.write(made)?))
    })
}

fn planned(loaded: LoadedJob, observer: &dyn Observer) -> Result<Released, JobError> {
    let mut rng = system()?;
    loaded.plan(observer).and_then(|planned| planned.release(&mut rng))
}

fn drawn(loaded: LoadedJob, ledger: &LedgerAt, observer: &dyn Observer) -> Result<Released, JobError> {
    let planned = loaded.plan_privately()?;
    let mut ledger: Box<dyn Ledger> = ledger_at(ledger)?;
    ledger.check(&planned.charge_request())?;
    let mut rng = system()?;
    during(observer, "drawing", || planned.release(ledger.as_mut(), &mut rng))
}

#[pyfunction]
#[pyo3(signature = (job, data, base, today, progress=None))]
fn exact_round<'py>(
    py: Python<'py>,
    job: JobText,
    data: Option<Py<Data>>,
    base: u64,
    today: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Written<'py>> {
    let data = data.as_ref().map(|data| data.get());
    run_written(py, progress.as_ref(), |observer, made| {
        let loaded = load(&job, data, observer)?.with_default_date(&today);
        let rounded = loaded.round(base, &mut system()?, observer)?;
        Ok(json(&rounded.write(made)?))
    })
}

/// Perturbs a table with its totals by keys of a secret, whose registry admits the job before the
/// call ends.
#[pyfunction]
#[pyo3(signature = (job, data, secret, today, progress=None))]
fn exact_perturb<'py>(
    py: Python<'py>,
    job: JobText,
    data: Py<Data>,
    secret: SecretAt,
    today: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Written<'py>> {
    let (data, (secret, new_secret, register)) = (data.get(), secret);
    let registration = Registration::allowed(new_secret || register);
    run_written(py, progress.as_ref(), |observer, made| {
        if new_secret {
            make_secret(&secret, observer, &mut system()?)?;
        }
        let key = read_secret(&secret)?;
        let parsed = Job::parse(&job.text, &job.title, &job)?;
        let source = data.source(parsed.format(), observer)?;
        let perturbed = parsed.perturb(source.as_ref(), &key, observer)?.with_default_date(&today);
        RegistryFile::beside(&secret).admit(&key, &perturbed.claim(), registration)?;
        Ok(json(&perturbed.write(made)?))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(exact_release, module)?)?;
    module.add_function(wrap_pyfunction!(exact_round, module)?)?;
    module.add_function(wrap_pyfunction!(exact_perturb, module)?)
}
